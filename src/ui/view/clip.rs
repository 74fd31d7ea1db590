//! The clip on screen, how it plays, and the list it comes from.

use std::path::{Path, PathBuf};

use crate::{
    clip::{Event, RawClip, Wrap},
    posing::Posing,
    skeleton::{JointIndex, LocalPose, Skeleton, WorldPose},
    units::{LengthScale, LengthUnit, UpAxis},
};

/// How the clip is being played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// Seconds of the clip.
    pub time_secs: f64,
    /// Whether it runs.
    pub playing: bool,
    /// 0.05 to 4.
    pub speed: f64,
    /// Backwards.
    pub reverse: bool,
    /// Past the ends.
    pub wrap: Wrap,
    /// Passes before it stops; for ever when left out.
    pub loops: Option<u32>,
    /// Start and end of the range in seconds.
    pub range_secs: (f64, f64),
}

/// A stretch of time with something to mark.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// From.
    pub start_secs: f64,
    /// To; equal to the start for a moment.
    pub end_secs: f64,
    /// Which row, from the top.
    pub row: usize,
    /// For the tooltip.
    pub text: String,
}

/// The clip that is shown.
#[derive(Clone, Copy, Debug)]
pub struct ClipView<'a> {
    /// Its name.
    pub name: &'a str,
    /// The file, if it came from one.
    pub path: Option<&'a Path>,
    /// Its skeleton.
    pub skeleton: &'a Skeleton,
    /// The motion; `None` for a bare skeleton.
    pub raw: Option<&'a RawClip>,
    /// Facts in the order they are shown: what, and its value.
    pub facts: &'a [(String, String)],
    /// What the reader remarked.
    pub remarks: &'a [String],
    /// Contacts.
    pub marks: &'a [Mark],
    /// What happens in it, in order of time.
    pub events: &'a [Event],
    /// What the user has set instead of what the file says.
    pub overrides: ImportOverrides,
    /// Skeletons that a motion may be meant for.
    pub skeletons: &'a [PathBuf],
    /// The file of its skeleton.
    pub on: &'a Path,
    /// How lengths became metres.
    pub length: LengthScale,
    /// The axis of the file that points up.
    pub up: UpAxis,
    /// The rate is a guess.
    pub fps_assumed: bool,
    /// There are fingers, which may be ignored.
    pub has_fingers: bool,
}

impl ClipView<'_> {
    /// Frames a second.
    #[must_use]
    pub fn fps(&self) -> f64 {
        self.raw.map_or(30.0, |clip| clip.fps)
    }

    /// Number of frames.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.raw.map_or(1, RawClip::frames)
    }

    /// Seconds from first to last frame.
    #[must_use]
    pub fn duration_secs(&self) -> f64 {
        self.raw.map_or(0.0, RawClip::duration_secs)
    }
}

/// What is taken instead of what a file says or leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImportOverrides {
    /// Frames a second.
    pub fps: Option<f64>,
    /// Unit of length.
    pub unit: Option<LengthUnit>,
    /// The axis that points up.
    pub up: Option<UpAxis>,
    /// Fingers are held at rest.
    pub ignore_fingers: bool,
}

/// The chosen joint over the whole clip, thinned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointCurves {
    /// Seconds of every sample.
    pub secs: Vec<f64>,
    /// Degrees about x, y, z in its parent, without jumps by whole turns.
    pub angles_deg: [Vec<f64>; 3],
    /// Centimetres along x, y, z of the world.
    pub positions_cm: [Vec<f64>; 3],
}

/// The pose on screen.
#[derive(Clone, Copy, Debug)]
pub struct PoseView<'a> {
    /// In parents.
    pub local: &'a LocalPose,
    /// In the world.
    pub world: &'a WorldPose,
    /// What is done to it beyond its motion.
    pub posing: &'a Posing,
    /// Names of its morph targets, by number.
    pub morphs: &'a [String],
    /// The chosen joint.
    pub selected: Option<JointIndex>,
    /// Its way through the clip.
    pub curves: Option<&'a JointCurves>,
}

/// A row of the clip list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipRow {
    /// What it says.
    pub name: String,
    /// Where it is, for the tooltip.
    pub path: String,
    /// The one shown.
    pub shown: bool,
    /// Stands beside it.
    pub alongside: bool,
}
