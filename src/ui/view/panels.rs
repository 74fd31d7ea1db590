//! The state that panels keep for themselves: folds, search fields, knobs.

use serde::{Deserialize, Serialize};

use super::{
    super::Section, CheckPage, CurvePanel, EditorPanel, EventPanel, ExercisePanel, ExportDialog,
    LibraryPanel, PosePage, PosePanel,
};
use crate::{
    analysis::FindingKind,
    codec::{CodecSettings, Knob},
    ui::compression::CoefficientsState,
};

/// Which panels are open, and what is typed into them: kept between runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PanelState {
    /// The side panel.
    pub side: bool,
    /// Sections of the side panel that are unfolded, by [`Section`].
    pub sections: Vec<Section>,
    /// The overlay with all keys.
    #[serde(skip)]
    pub shortcuts: bool,
    /// The log.
    #[serde(skip)]
    pub log: bool,
    /// The page of concepts.
    #[serde(skip)]
    pub learn: bool,
    /// Its search field.
    #[serde(skip)]
    pub learn_search: String,
    /// The page of a library.
    #[serde(skip)]
    pub library: LibraryPanel,
    /// The export dialog.
    #[serde(skip)]
    pub export: Option<ExportDialog>,
    /// Which page of Check.
    pub check_page: CheckPage,
    /// Knobs of the exercise.
    #[serde(skip)]
    pub exercise: ExercisePanel,
    /// Kinds of findings that are not shown.
    #[serde(skip)]
    pub findings_hidden: Vec<FindingKind>,
    /// The search field of the joint tree.
    #[serde(skip)]
    pub joint_search: String,
    /// The search field of the clip list.
    #[serde(skip)]
    pub clip_search: String,
    /// What the compression panel is set to.
    #[serde(skip)]
    pub codec: CodecKnobs,
    /// Which plot it shows.
    pub compression_plot: CompressionPlot,
    /// The picture of a joint's coefficients.
    #[serde(skip)]
    pub coefficients: CoefficientsState,
    /// Which page of the animator.
    pub animator_page: AnimatorPage,
    /// Which of its layers.
    #[serde(skip)]
    pub animator_layer: usize,
    /// The state whose transitions out are listed; the current one when `None`.
    #[serde(skip)]
    pub animator_state: Option<usize>,
    /// The state below the pointer.
    #[serde(skip)]
    pub state_below: Option<usize>,
    /// The section that was opened last and when (egui's clock, seconds), until
    /// it is scrolled to.
    #[serde(skip)]
    pub just_opened: Option<(Section, f64)>,
    /// The timeline has room for the key to its marks.
    #[serde(skip)]
    pub marks_keyed: bool,
    /// The animator's editor.
    #[serde(skip)]
    pub editor: EditorPanel,
    /// How the mask editor paints.
    #[serde(skip)]
    pub mask_brush: MaskBrush,
    /// What is shown of the chosen joint.
    pub joint_page: JointPage,
    /// Knobs of its page of curves.
    pub curves: CurvePanel,
    /// The part of the clip that the timeline shows.
    #[serde(skip)]
    pub timeline: TimelineZoom,
    /// The event that is chosen or dragged.
    #[serde(skip)]
    pub events: EventPanel,
    /// Fingers of each hand, listed one by one.
    #[serde(skip)]
    pub hands: [bool; 2],
    /// What is shown of a registration.
    pub registration_page: RegistrationPage,
    /// Which pair of clips.
    #[serde(skip)]
    pub registered_pair: usize,
    /// Which page of the Pose section.
    pub pose_page: PosePage,
    /// Its knobs.
    #[serde(skip)]
    pub pose: PosePanel,
    /// The hint of keys was seen often enough.
    pub hint_seen: bool,
}

impl Default for PanelState {
    fn default() -> Self {
        Self {
            side: true,
            sections: vec![Section::Clip, Section::Blend, Section::Animator],
            shortcuts: false,
            log: false,
            learn: false,
            learn_search: String::new(),
            library: LibraryPanel::default(),
            export: None,
            check_page: CheckPage::default(),
            exercise: ExercisePanel::default(),
            findings_hidden: Vec::new(),
            joint_search: String::new(),
            clip_search: String::new(),
            codec: CodecKnobs::default(),
            compression_plot: CompressionPlot::default(),
            coefficients: CoefficientsState::default(),
            animator_page: AnimatorPage::default(),
            animator_layer: 0,
            animator_state: None,
            state_below: None,
            just_opened: None,
            marks_keyed: false,
            editor: EditorPanel::default(),
            mask_brush: MaskBrush::default(),
            joint_page: JointPage::default(),
            curves: CurvePanel::default(),
            timeline: TimelineZoom::default(),
            events: EventPanel::default(),
            hands: [false; 2],
            registration_page: RegistrationPage::default(),
            registered_pair: 0,
            pose_page: PosePage::default(),
            pose: PosePanel::default(),
            hint_seen: false,
        }
    }
}

impl PanelState {
    /// Titles of all that is open.
    #[must_use]
    pub fn open(&self) -> Vec<&'static str> {
        let sections = self.sections.iter().filter(|_| self.side);
        let floats = [
            (self.shortcuts, "Shortcuts"),
            (self.log, "Messages"),
            (self.learn, "Learn"),
            (self.library.open, "Library"),
            (self.export.is_some(), "Export"),
            (self.editor.open, "Animator editor"),
        ];
        let floats = floats.into_iter().filter(|(open, _)| *open);
        sections
            .map(|section| section.title())
            .chain(floats.map(|(_, title)| title))
            .collect()
    }
}

/// The part of a clip that the timeline shows, as shares of its duration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimelineZoom {
    /// From 0 on.
    pub from: f64,
    /// To 1 at most.
    pub to: f64,
}

impl Default for TimelineZoom {
    fn default() -> Self {
        Self { from: 0.0, to: 1.0 }
    }
}

impl TimelineZoom {
    /// The share that is shown.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.to - self.from
    }

    /// Shows a part `factor` times as long, `at` staying where it is; no less
    /// than `least`.
    #[must_use]
    pub fn zoomed(self, factor: f64, at: f64, least: f64) -> Self {
        let share = (self.share() * factor).clamp(least.min(1.0), 1.0);
        let left = (at - self.from) / self.share();
        Self::beginning(at - left * share, share)
    }

    /// Shows what lies a way further on.
    #[must_use]
    pub fn moved(self, by: f64) -> Self {
        Self::beginning(self.from + by, self.share())
    }

    fn beginning(from: f64, share: f64) -> Self {
        let from = from.clamp(0.0, 1.0 - share);
        Self {
            from,
            to: from + share,
        }
    }
}

/// Plots of the compression panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompressionPlot {
    /// Error over time.
    #[default]
    Time,
    /// Error of every joint.
    Joints,
    /// Ratio over error, all codecs.
    Codecs,
    /// Wavelet coefficients of a joint.
    Coefficients,
}

/// Pages of the animator panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnimatorPage {
    /// States and transitions between them.
    #[default]
    Graph,
    /// Parameters.
    Inputs,
    /// The blend space of the current state.
    Blend,
    /// Which joints a layer moves.
    Mask,
    /// What happened.
    Events,
}

/// Pages of the registration panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RegistrationPage {
    /// Distances of all moments, and the path through them.
    #[default]
    Grid,
    /// Which moments belong together.
    Warp,
    /// How clips are laid on each other.
    Alignment,
    /// Which stances of feet belong together.
    Contacts,
}

/// How the mask editor paints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskBrush {
    /// All that hangs below a joint too.
    pub below: bool,
}

impl Default for MaskBrush {
    fn default() -> Self {
        Self { below: true }
    }
}

/// What is shown of the chosen joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum JointPage {
    /// Numbers.
    #[default]
    Values,
    /// Rotation in its parent over time.
    Angles,
    /// Position in the world over time.
    #[serde(rename = "Places")]
    Positions,
    /// Any channels of any joints.
    Curves,
}

/// The knobs of every codec; the ones of another codec are kept while one is
/// in use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodecKnobs {
    /// Which one.
    pub codec: Codec,
    /// For codecs that bound the difference of a joint's own values.
    pub threshold: f64,
    /// For codecs that promise an error.
    pub tolerance_cm: f64,
    /// For keys at even distances.
    pub every: u32,
    /// For numbers of few bits.
    pub bits: u32,
    /// For fewer samples a second.
    pub rate_hz: f64,
}

impl Default for CodecKnobs {
    fn default() -> Self {
        Self {
            codec: Codec::Off,
            threshold: 0.01,
            tolerance_cm: 0.1,
            every: 4,
            bits: 12,
            rate_hz: 30.0,
        }
    }
}

/// Codecs as they are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codec {
    /// The clip as captured.
    #[default]
    Off,
    /// Every frame, few bits.
    Uniform,
    /// Fewer samples a second.
    Resampled,
    /// A key every few frames.
    Every,
    /// Lines between keys.
    Linear,
    /// The published algorithm.
    Classic,
    /// B-splines by least squares.
    Bspline,
    /// Wavelet coefficients.
    Wavelet,
    /// Fitted keys.
    Spline,
    /// Predictive coding.
    Tight,
}

impl Codec {
    /// In the order they are offered: the best first, then the classical ones
    /// from simple to clever.
    pub const ALL: [Self; 10] = [
        Self::Off,
        Self::Spline,
        Self::Tight,
        Self::Classic,
        Self::Every,
        Self::Uniform,
        Self::Resampled,
        Self::Linear,
        Self::Bspline,
        Self::Wavelet,
    ];

    /// Which one makes clips of these settings.
    #[must_use]
    pub fn of(settings: CodecSettings) -> Self {
        match settings {
            CodecSettings::Uniform { .. } => Self::Uniform,
            CodecSettings::Resampled { .. } => Self::Resampled,
            CodecSettings::Every { .. } => Self::Every,
            CodecSettings::Linear { .. } => Self::Linear,
            CodecSettings::Classic { .. } => Self::Classic,
            CodecSettings::Bspline { .. } => Self::Bspline,
            CodecSettings::Wavelet { .. } => Self::Wavelet,
            CodecSettings::Spline { .. } => Self::Spline,
            CodecSettings::Tight { .. } => Self::Tight,
        }
    }

    /// As it is set unless something else is asked for.
    #[must_use]
    pub fn settings(self) -> Option<CodecSettings> {
        { CodecSettings::ALL.into_iter() }.find(|settings| Self::of(*settings) == self)
    }

    /// The word on the button.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "Off",
            Self::Uniform => "Uniform",
            Self::Resampled => "Resampled",
            Self::Every => "Every",
            Self::Linear => "Linear",
            Self::Classic => "Classic",
            Self::Bspline => "B-spline",
            Self::Wavelet => "Wavelet",
            Self::Spline => "Spline",
            Self::Tight => "Tight",
        }
    }

    /// The tooltip.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Off => "The clip as captured",
            Self::Uniform => "Every frame, numbers of few bits",
            Self::Resampled => "Fewer samples a second, straight between them",
            Self::Every => "A key every few frames",
            Self::Linear => "Keys only where a line between two does not do",
            Self::Classic => "Catmull-Rom keys by the published algorithm",
            Self::Bspline => "Cubic B-splines by least squares",
            Self::Wavelet => "Wavelet coefficients, the small ones dropped",
            Self::Spline => "Fitted keys that keep a promised error",
            Self::Tight => "Predictive coding: the fewest bytes for a promised error",
        }
    }
}

impl CodecKnobs {
    /// The number of the codec in use.
    #[must_use]
    pub fn setting(&self) -> Option<f64> {
        self.settings().map(|settings| settings.value())
    }

    /// What they ask for.
    #[must_use]
    pub fn settings(&self) -> Option<CodecSettings> {
        let settings = self.codec.settings()?;
        Some(settings.with(match settings.knob() {
            Knob::Bits => f64::from(self.bits),
            Knob::RateHz => self.rate_hz,
            Knob::Frames => f64::from(self.every),
            Knob::Threshold => self.threshold,
            Knob::ToleranceCm => self.tolerance_cm,
        }))
    }

    /// Turns them to ask for a codec at a number.
    pub fn turn_to(&mut self, codec: Codec, value: f64) {
        self.codec = codec;
        match codec.settings().map(|settings| settings.knob()) {
            Some(Knob::Bits) => self.bits = value as u32,
            Some(Knob::RateHz) => self.rate_hz = value,
            Some(Knob::Frames) => self.every = value as u32,
            Some(Knob::Threshold) => self.threshold = value,
            Some(Knob::ToleranceCm) => self.tolerance_cm = value,
            None => {}
        }
    }
}
