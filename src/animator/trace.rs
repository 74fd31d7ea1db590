//! What the animator does, as data: one line of JSON a frame.

use serde::Serialize;

use crate::posing::PosingTrace;

/// One simulated frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TraceLine {
    /// Seconds from the start.
    pub t: f64,
    /// What moves the character: `drive` here.
    pub mode: String,
    /// From the bottom up.
    pub layers: Vec<TraceLayer>,
    /// Metres, world.
    pub root: [f32; 3],
    /// Radians about +Y; 0 looks along +Z.
    pub heading: f64,
    /// Of the first layer's state, 0 to 1: a gait strikes left at 0, right at ½.
    pub phase: f64,
    /// Names of events since the line before.
    pub events: Vec<String>,
    /// How long the frame took; the caller's clock fills it in.
    pub frame_ms: f64,
    /// What is done to the pose beyond its motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posing: Option<PosingTrace>,
    /// Everybody but the lead, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub characters: Vec<TraceCharacter>,
}

/// One of the others of a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TraceCharacter {
    /// As the script or the window calls it.
    pub name: String,
    /// `drive`, or `view` for who plays a clip.
    pub mode: String,
    /// Of an animator, from the bottom up.
    pub layers: Vec<TraceLayer>,
    /// Metres, world.
    pub root: [f32; 3],
    /// Radians about +Y; 0 looks along +Z.
    pub heading: f64,
    /// Of the first layer's state, or through the clip, 0 to 1.
    pub phase: f64,
    /// Names of events since the line before.
    pub events: Vec<String>,
}

impl TraceCharacter {
    /// What an animator's line says of somebody who is not the lead.
    #[must_use]
    pub fn of_line(name: &str, line: TraceLine) -> Self {
        Self {
            name: name.to_owned(),
            mode: line.mode,
            layers: line.layers,
            root: line.root,
            heading: line.heading,
            phase: line.phase,
            events: line.events,
        }
    }
}

/// One layer of a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TraceLayer {
    /// As in the animator file.
    pub name: String,
    /// As in the animator file.
    pub state: String,
    /// Where it fades from, while it does.
    pub previous: Option<String>,
    /// Share of the fade that is done, 0 to 1.
    pub fade: f32,
    /// Share of the layer that shows, 0 to 1.
    pub weight: f32,
}

impl TraceLine {
    /// The line as JSON, without a line end.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Numbers, strings and lists only: there is nothing that can fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}
