//! `--trace`: one JSON object a line and frame, for tests and measurements.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

use serde::Serialize;

use super::session::Session;
use crate::{
    animator::{TraceCharacter, TraceLayer, TraceLine},
    posing::PosingTrace,
    scene::Character,
    ui::{Mode, Severity},
};

/// The file being written.
pub struct Trace {
    out: BufWriter<File>,
}

#[derive(Serialize)]
struct Line<'a> {
    t: f64,
    mode: &'static str,
    layers: &'a [TraceLayer],
    root: [f32; 3],
    heading: f64,
    phase: f64,
    events: &'a [String],
    frame_ms: f32,
    clip: Option<&'a str>,
    frame: usize,
    playing: bool,
    speed: f64,
    codec: &'static str,
    setting: Option<f64>,
    compressed: bool,
    /// Of the clips in Blend mode.
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    weights: &'a [f64],
    /// The joint under the pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    hovered: Option<&'a str>,
    /// What is done to the pose beyond its motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    posing: Option<PosingTrace>,
    /// The joint in the hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<&'a str>,
    /// How far it is from where its motion has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pulled_cm: Option<f32>,
    side: bool,
    open: Vec<&'static str>,
    errors: usize,
    size: [u32; 2],
    full_quality: bool,
    gpu_ms: Option<f32>,
    blocked_ms: f32,
    inputs: u32,
    rss_mb: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    controls: Option<&'a Controls>,
    /// Everybody but the lead, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    characters: Vec<TraceCharacter>,
}

/// Where controls are, whenever that changed, by the names that accessibility tools read: the middle
/// of each in pixels.
pub type Controls = BTreeMap<String, [f32; 2]>;

/// What the window adds to a line.
#[derive(Clone, Copy, Debug)]
pub struct Drawn<'a> {
    /// Milliseconds the frame took on the event loop.
    pub frame_ms: f32,
    /// Pixels.
    pub size: [u32; 2],
    /// Not the cheaper one for moving pictures.
    pub full_quality: bool,
    /// Milliseconds of the adapter for a recent frame.
    pub gpu_ms: Option<f32>,
    /// The longest the event loop was busy since the last line.
    pub blocked_ms: f32,
    /// Keys, buttons, wheel turns and drags since the last line.
    pub inputs: u32,
    /// Where controls are, when asked for.
    pub controls: Option<&'a Controls>,
}

impl Trace {
    /// Creates the file.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        Ok(Self {
            out: BufWriter::new(File::create(path)?),
        })
    }

    /// Writes a line. It is flushed at once: whoever watches the file sees
    /// every frame.
    pub fn write(&mut self, session: &Session, drawn: Drawn<'_>) -> std::io::Result<()> {
        let view = session.playback();
        let driven = session.driven().map(|drive| &drive.trace);
        let (root, heading) = session.scene().root_heading();
        let duration = (view.range_secs.1 - view.range_secs.0).max(1e-9);
        let played = TraceLine {
            root: root.to_array(),
            heading: f64::from(heading),
            phase: (view.time_secs - view.range_secs.0) / duration,
            ..TraceLine::default()
        };
        let reported = driven.unwrap_or(&played);
        let notices = session.notices.list().iter();
        let line = Line {
            t: session.now_secs,
            mode: match session.mode {
                Mode::View => "view",
                Mode::Blend => "blend",
                Mode::Drive => "drive",
            },
            layers: &reported.layers,
            root: reported.root,
            heading: reported.heading,
            phase: reported.phase,
            events: session.came_by(),
            frame_ms: drawn.frame_ms,
            clip: session.clip_name(),
            frame: session.frame(),
            playing: view.playing,
            speed: view.speed,
            codec: session.codec_word(),
            setting: session.panels.codec.setting(),
            compressed: session.plays_compressed(),
            weights: session.blend_weights(),
            hovered: session.joint_name(session.options.hovered),
            posing: session.scene().lead().and_then(Character::posing_trace),
            held: session.joint_name(session.held_joint()),
            pulled_cm: session.pulled_cm(),
            side: session.panels.side,
            open: session.panels.open(),
            errors: notices
                .filter(|notice| notice.severity == Severity::Error)
                .count(),
            size: drawn.size,
            full_quality: drawn.full_quality,
            gpu_ms: drawn.gpu_ms,
            blocked_ms: drawn.blocked_ms,
            inputs: drawn.inputs,
            rss_mb: resident_mb(),
            controls: drawn.controls,
            characters: session.traced_others(),
        };
        serde_json::to_writer(&mut self.out, &line)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

/// Memory in use, where the system tells.
fn resident_mb() -> Option<f32> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    // The kernel writes kB and means 1024 bytes.
    let kib: f32 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}
