//! What the pages of Check keep and show beside the findings.

use serde::{Deserialize, Serialize};

use crate::{
    analysis::{GaitReport, Grade},
    exercise::Method,
};

/// Pages of the section Check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckPage {
    /// What is wrong with the clip.
    #[default]
    Findings,
    /// How somebody walks.
    Gait,
    /// The interpolation exercise.
    Exercise,
}

/// Knobs of the exercise.
#[derive(Clone, Debug, PartialEq)]
pub struct ExercisePanel {
    /// Two methods stand beside the original.
    pub on: bool,
    /// Frames from one key to the next.
    pub every: usize,
    /// Which two.
    pub methods: [Method; 2],
}

impl Default for ExercisePanel {
    fn default() -> Self {
        Self {
            on: false,
            every: 20,
            methods: [Method::LinearEuler, Method::BezierSlerp],
        }
    }
}

/// What one method made of the clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ExerciseFigures {
    /// Which.
    pub method: Method,
    /// Frame by frame.
    pub grade: Grade,
}

/// One repair, in words.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairRow {
    /// Where it begins.
    pub start_frame: usize,
    /// What, where, and how far it moved any joint.
    pub text: String,
}

/// What was repaired in the clip.
#[derive(Clone, Copy, Debug, Default)]
pub struct MendView<'a> {
    /// It is being mended.
    pub busy: bool,
    /// In order; empty of a clip that is as it was captured.
    pub repairs: &'a [RepairRow],
    /// It is not as its file has it, by this or by a filter.
    pub is_changed: bool,
}

/// What is measured of the clip.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeasuresView<'a> {
    /// Once measured.
    pub gait: Option<&'a GaitReport>,
    /// By each method, once made.
    pub made: &'a [ExerciseFigures],
    /// It is being made.
    pub busy: bool,
    /// Why it cannot be.
    pub fault: Option<&'a str>,
}
