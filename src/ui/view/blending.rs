//! Clips that are blended, and how they correspond.

use crate::register::{Blend, Pin, Registration};

use super::Progress;

/// How the inputs of a blend are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputsShown {
    /// Not at all.
    #[default]
    Hidden,
    /// See-through, laid on the blend.
    Aligned,
    /// See-through, where they were captured.
    Recorded,
    /// To the sides of it, in step.
    Beside,
}

impl InputsShown {
    /// In the order they are offered.
    pub const ALL: [Self; 4] = [Self::Hidden, Self::Aligned, Self::Recorded, Self::Beside];

    /// The word on the button.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Hidden => "Off",
            Self::Aligned => "Aligned",
            Self::Recorded => "Recorded",
            Self::Beside => "Beside",
        }
    }

    /// The tooltip.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Hidden => "The blend alone",
            Self::Aligned => "The clips as ghosts, laid on the blend",
            Self::Recorded => "The clips as ghosts, where they were captured",
            Self::Beside => "The clips at its sides: in step, not by seconds",
        }
    }
}

/// The blend panel's content.
#[derive(Clone, Copy, Debug)]
pub struct BlendingView<'a> {
    /// Rows of the clip list that are taken, in order.
    pub picked: &'a [usize],
    /// How much each counts; they sum to 1.
    pub weights: &'a [f64],
    /// By share of length instead of by registration.
    pub plain: bool,
    /// How the inputs are seen.
    pub inputs: InputsShown,
    /// Moments that the user says correspond.
    pub pins: &'a [Pin],
    /// Work under way.
    pub progress: Option<&'a Progress>,
    /// Why these clips cannot be blended.
    pub fault: Option<&'a str>,
    /// The last blend that could be made.
    pub shown: Option<BlendShown<'a>>,
    /// A path on the ground, and who follows it.
    pub path: PathView<'a>,
}

/// A path on the ground, and the walk along it.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathView<'a> {
    /// A drag draws.
    pub drawing: bool,
    /// Metres of the path so far.
    pub length_m: f64,
    /// Work under way.
    pub progress: Option<&'a Progress>,
    /// Why there is no walk.
    pub fault: Option<&'a str>,
    /// The walk that is seen.
    pub walk: Option<WalkFigures<'a>>,
}

/// What is told of a walk.
#[derive(Clone, Copy, Debug)]
pub struct WalkFigures<'a> {
    /// Seconds.
    pub duration_secs: f64,
    /// Transitions, and clips they lead between.
    pub changes: usize,
    /// Clips of the list that could be taken.
    pub motions: usize,
    /// How far feet slide that stand, metres.
    pub slide_m: f64,
    /// How far the hips are from the path, on average and at most, metres.
    pub off_m: [f64; 2],
    /// Clips that were left out, and why.
    pub left_out: &'a [String],
}

/// A blend on screen.
#[derive(Clone, Copy, Debug)]
pub struct BlendShown<'a> {
    /// What its inputs are called.
    pub names: &'a [String],
    /// How they correspond.
    pub registration: &'a Registration,
    /// The blend; `None` when it goes by share of length.
    pub blend: Option<&'a Blend>,
    /// The present moment of every input, seconds.
    pub source_secs: [f64; 4],
    /// How far feet slide that stand, metres.
    pub slide_m: f64,
}
