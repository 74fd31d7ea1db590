//! What panels show: read-only views that the application fills every frame,
//! and the few settings that panels change through commands.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{
    clip::{RawClip, Wrap},
    codec::{Settings, metric::ErrorSummary},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

use super::Mode;

/// Dark, light, or what the system says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ThemeChoice {
    /// Follows the system.
    #[default]
    System,
    /// Always dark.
    Dark,
    /// Always light.
    Light,
}

/// How the skin answers to light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LightModel {
    /// Warm key, cool sky, filmic curve.
    #[default]
    Studio,
    /// Phong's formula.
    Phong,
    /// Blinn's variant.
    BlinnPhong,
}

/// Display options.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Display {
    /// The skinned body.
    pub skin: bool,
    /// Bones, through the skin.
    pub bones: bool,
    /// All joint names.
    pub names: bool,
    /// Axes of every joint.
    pub axes: bool,
    /// The way of the chosen joint, or of the root.
    pub trajectory: bool,
    /// How many poses before and after are shown; 0 for none.
    pub ghosts: u32,
    /// Seconds from one ghost to the next.
    pub ghost_step_secs: f64,
    /// The camera goes along with the character.
    pub follow: bool,
    /// The floor.
    pub ground: bool,
    /// Shadows of the key light.
    pub shadows: bool,
    /// Darkening where little light reaches.
    pub occlusion: bool,
    /// Colours.
    pub theme: ThemeChoice,
    /// Light.
    pub light: LightModel,
    /// Where the key light stands, degrees to the left of the camera.
    pub light_turn_deg: f32,
    /// Brightness of the key light, 1 as designed.
    pub light_strength: f32,
    /// The uncompressed pose as a ghost while a compressed one is shown.
    pub original_ghost: bool,
    /// Colours the skin by the error of compression.
    pub error_colours: bool,
}

impl Default for Display {
    fn default() -> Self {
        Self {
            skin: true,
            bones: false,
            names: false,
            axes: false,
            trajectory: false,
            ghosts: 0,
            ghost_step_secs: 0.25,
            follow: true,
            ground: true,
            shadows: true,
            occlusion: true,
            theme: ThemeChoice::System,
            light: LightModel::Studio,
            light_turn_deg: 0.0,
            light_strength: 1.0,
            original_ghost: false,
            error_colours: false,
        }
    }
}

/// Which panels are open, and what is typed into them: kept between runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PanelState {
    /// The side panel.
    pub side: bool,
    /// Sections of the side panel that are unfolded, by [`super::Section`].
    pub sections: Vec<super::Section>,
    /// The overlay with all keys.
    #[serde(skip)]
    pub shortcuts: bool,
    /// The log.
    #[serde(skip)]
    pub log: bool,
    /// The search field of the joint tree.
    #[serde(skip)]
    pub joint_search: String,
    /// The search field of the clip list.
    #[serde(skip)]
    pub clip_search: String,
    /// What the compression panel is set to.
    #[serde(skip)]
    pub codec: CodecKnobs,
    /// The hint of keys was seen often enough.
    pub hint_seen: bool,
}

impl Default for PanelState {
    fn default() -> Self {
        Self {
            side: true,
            sections: vec![super::Section::Clip, super::Section::Animator],
            shortcuts: false,
            log: false,
            joint_search: String::new(),
            clip_search: String::new(),
            codec: CodecKnobs::default(),
            hint_seen: false,
        }
    }
}

/// The knobs of every codec; the ones of another codec are kept while one is
/// in use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodecKnobs {
    /// Which one.
    pub codec: Codec,
    /// For `classic`.
    pub threshold: f64,
    /// For codecs that promise an error.
    pub tolerance_cm: f64,
    /// For keys at even distances.
    pub every: u32,
}

impl Default for CodecKnobs {
    fn default() -> Self {
        Self {
            codec: Codec::Off,
            threshold: 0.01,
            tolerance_cm: 0.1,
            every: 4,
        }
    }
}

/// Codecs as they are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codec {
    /// The clip as captured.
    #[default]
    Off,
    /// The published algorithm.
    Classic,
    /// Fitted keys.
    Spline,
    /// Predictive coding.
    Tight,
    /// A key every few frames.
    Every,
}

impl Codec {
    /// In the order they are offered.
    pub const ALL: [Self; 5] = [
        Self::Off,
        Self::Classic,
        Self::Spline,
        Self::Tight,
        Self::Every,
    ];

    /// The word on the button.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "Off",
            Self::Classic => "Classic",
            Self::Spline => "Spline",
            Self::Tight => "Tight",
            Self::Every => "Every",
        }
    }
}

impl CodecKnobs {
    /// What they ask for.
    #[must_use]
    pub fn settings(&self) -> Option<Settings> {
        match self.codec {
            Codec::Off => None,
            Codec::Classic => Some(Settings::Classic {
                threshold: self.threshold,
            }),
            Codec::Spline => Some(Settings::Spline {
                tolerance_cm: self.tolerance_cm,
            }),
            Codec::Tight => Some(Settings::Tight {
                tolerance_cm: self.tolerance_cm,
            }),
            Codec::Every => Some(Settings::Every { frames: self.every }),
        }
    }
}

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
    pub path: Option<&'a std::path::Path>,
    /// Its skeleton.
    pub skeleton: &'a Skeleton,
    /// The motion; `None` for a bare skeleton.
    pub raw: Option<&'a RawClip>,
    /// Facts in the order they are shown: what, and its value.
    pub facts: &'a [(String, String)],
    /// What the reader remarked.
    pub remarks: &'a [String],
    /// Contacts and events.
    pub marks: &'a [Mark],
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

/// The pose on screen.
#[derive(Clone, Copy, Debug)]
pub struct PoseView<'a> {
    /// In parents.
    pub local: &'a LocalPose,
    /// In the world.
    pub model: &'a ModelPose,
    /// The chosen joint.
    pub selected: Option<JointIndex>,
}

/// A row of the clip list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipRow {
    /// What it says.
    pub name: String,
    /// Where it is, for the tooltip.
    pub place: String,
    /// The one shown.
    pub shown: bool,
    /// Stands beside it.
    pub beside: bool,
}

/// The state of a compression.
#[derive(Clone, Copy, Debug)]
pub struct CompressionView<'a> {
    /// A result is being computed.
    pub busy: bool,
    /// Why there is none.
    pub error: Option<&'a str>,
    /// The last result for the clip shown.
    pub result: Option<&'a CompressionResult>,
}

/// A compressed clip in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressionResult {
    /// What made it.
    pub settings: Settings,
    /// Stored size.
    pub bytes: u64,
    /// Size of the original.
    pub raw_bytes: u64,
    /// Keys over all tracks.
    pub keys: usize,
    /// Errors.
    pub errors: ErrorSummary,
    /// Largest error of every frame in cm.
    pub frame_errors_cm: Vec<f32>,
    /// Largest error of every joint in cm.
    pub joint_errors_cm: Vec<f32>,
    /// Time to compress.
    pub compress_secs: f64,
    /// Frames that carry a key, joint by joint; empty when the codec has none.
    pub key_frames: Vec<Vec<u32>>,
}

impl CompressionResult {
    /// How many times smaller.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.raw_bytes as f64 / self.bytes.max(1) as f64
    }
}

/// One layer of the animator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerView {
    /// Its name.
    pub name: String,
    /// Current state.
    pub state: String,
    /// The state that fades out.
    pub previous: Option<String>,
    /// How far the fade is, 0 to 1.
    pub fade: f32,
    /// Weight of the layer.
    pub weight: f32,
    /// All states it can be in.
    pub states: Vec<String>,
}

/// What a parameter of the animator is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterSort {
    /// On or off.
    Switch,
    /// A number.
    Number,
    /// Fires once.
    Trigger,
}

/// A parameter of the animator.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterView {
    /// Its name.
    pub name: String,
    /// Present value; switches are 0 or 1.
    pub value: f64,
    /// What it is.
    pub sort: ParameterSort,
}

/// The animator at work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimatorView {
    /// Where it was read from.
    pub source: String,
    /// Bottom layer first.
    pub layers: Vec<LayerView>,
    /// All of them.
    pub parameters: Vec<ParameterView>,
    /// The last events, newest first.
    pub events: Vec<String>,
    /// Why the file could not be read again.
    pub error: Option<String>,
    /// Factor on time.
    pub time_scale: f64,
    /// Speed over the ground in m/s.
    pub speed_m_per_s: f32,
}

/// How grave a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gravity {
    /// Done, or good to know.
    Info,
    /// Something was assumed or mended.
    Warning,
    /// Something did not work.
    Error,
}

/// A message to the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// To dismiss it by.
    pub id: u64,
    /// How grave.
    pub gravity: Gravity,
    /// The text.
    pub text: String,
    /// Seconds since the program started.
    pub at_secs: f64,
    /// Still on screen.
    pub fresh: bool,
}

/// The status bar's content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Milliseconds the processor spent on the last frame.
    pub cpu_ms: f32,
    /// Frames a second while something moves; `None` at rest.
    pub fps: Option<f32>,
    /// What draws.
    pub adapter: String,
    /// The processor draws.
    pub software: bool,
    /// Warnings about the clip.
    pub warnings: usize,
}

/// Loading in the background.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is being read.
    pub text: String,
    /// 0 to 1 where known.
    pub share: Option<f32>,
}

/// Everything panels may show.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    /// Drive or View.
    pub mode: Mode,
    /// The clip on screen; `None` until one is loaded.
    pub clip: Option<ClipView<'a>>,
    /// How it plays.
    pub playback: Playback,
    /// The pose on screen.
    pub pose: Option<PoseView<'a>>,
    /// All clips that can be shown.
    pub clips: &'a [ClipRow],
    /// Display options.
    pub display: Display,
    /// Compression.
    pub compression: CompressionView<'a>,
    /// The animator, once there is one.
    pub animator: Option<&'a AnimatorView>,
    /// Why there is none.
    pub animator_fault: Option<&'a str>,
    /// Messages, oldest first.
    pub notices: &'a [Notice],
    /// The status bar.
    pub status: &'a Status,
    /// Loading.
    pub loading: Option<&'a Progress>,
    /// Files opened before, newest first.
    pub recent: &'a [PathBuf],
}
