//! The state that panels keep for themselves: folds, search fields, knobs.

use serde::{Deserialize, Serialize};

use super::{super::Section, EditorPanel, EventPanel, ExportDialog, PosePage, PosePanel};
use crate::codec::CodecSettings;

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
    /// The export dialog.
    #[serde(skip)]
    pub export: Option<ExportDialog>,
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
            export: None,
            joint_search: String::new(),
            clip_search: String::new(),
            codec: CodecKnobs::default(),
            compression_plot: CompressionPlot::default(),
            animator_page: AnimatorPage::default(),
            animator_layer: 0,
            animator_state: None,
            state_below: None,
            just_opened: None,
            marks_keyed: false,
            editor: EditorPanel::default(),
            mask_brush: MaskBrush::default(),
            joint_page: JointPage::default(),
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

    /// The tooltip.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Off => "The clip as captured",
            Self::Classic => "Catmull-Rom keys by the published algorithm",
            Self::Spline => "Fitted keys that keep a promised error",
            Self::Tight => "Predictive coding: the fewest bytes for a promised error",
            Self::Every => "A key every few frames",
        }
    }
}

impl CodecKnobs {
    /// The number of the codec in use.
    #[must_use]
    pub fn setting(&self) -> Option<f64> {
        match self.codec {
            Codec::Off => None,
            Codec::Classic => Some(self.threshold),
            Codec::Spline | Codec::Tight => Some(self.tolerance_cm),
            Codec::Every => Some(f64::from(self.every)),
        }
    }

    /// What they ask for.
    #[must_use]
    pub fn settings(&self) -> Option<CodecSettings> {
        match self.codec {
            Codec::Off => None,
            Codec::Classic => Some(CodecSettings::Classic {
                threshold: self.threshold,
            }),
            Codec::Spline => Some(CodecSettings::Spline {
                tolerance_cm: self.tolerance_cm,
            }),
            Codec::Tight => Some(CodecSettings::Tight {
                tolerance_cm: self.tolerance_cm,
            }),
            Codec::Every => Some(CodecSettings::Every { frames: self.every }),
        }
    }
}
