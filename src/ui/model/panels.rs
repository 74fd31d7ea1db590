//! The state that panels keep for themselves: folds, search fields, knobs.

use serde::{Deserialize, Serialize};

use super::super::Section;
use crate::codec::Settings;

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
            sections: vec![Section::Clip, Section::Animator],
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
