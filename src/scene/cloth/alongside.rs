//! The same sheet moved by other solvers, each around a copy of the character
//! that stands alongside; and what each has been doing.

use glam::Vec3;

use super::ClothInstance;
use crate::{
    cloth::{ClothSettings, SolverMode},
    skeleton::WorldPose,
};

/// Steps that curves show: five seconds.
pub const CURVE_STEPS: usize = 600;

/// A step of a sheet in figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClothSample {
    /// Longest thread as a share of its length at rest.
    pub stretch: f32,
    /// Joules of motion and height.
    pub energy_j: f32,
    /// Milliseconds that the step took; 0 where nobody measures.
    pub step_ms: f32,
}

/// What a solver has been doing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolverCurve {
    /// Which.
    pub mode: SolverMode,
    /// Oldest first; older ones than [`CURVE_STEPS`] may still be there.
    samples: Vec<ClothSample>,
}

impl SolverCurve {
    pub(super) fn of(mode: SolverMode) -> Self {
        let samples = Vec::new();
        Self { mode, samples }
    }

    /// The last [`CURVE_STEPS`] steps, oldest first.
    #[must_use]
    pub fn samples(&self) -> &[ClothSample] {
        &self.samples[self.samples.len().saturating_sub(CURVE_STEPS)..]
    }

    pub(super) fn add(&mut self, cloth: &ClothInstance, step_ms: f32) {
        // Now and then all at once, not one by one in every step.
        if self.samples.len() >= 2 * CURVE_STEPS {
            self.samples.drain(..CURVE_STEPS);
        }
        self.samples.push(ClothSample {
            stretch: cloth.cloth().stats().max_stretch,
            energy_j: cloth.cloth().energy_j(),
            step_ms,
        });
    }
}

/// A sheet by another solver.
#[derive(Debug)]
pub(super) struct OtherSheet {
    pub mode: SolverMode,
    /// From the lead to its copy, metres.
    pub offset: Vec3,
    pub cloth: ClothInstance,
}

impl OtherSheet {
    pub fn set_settings(&mut self, settings: ClothSettings) {
        self.cloth.set_settings(settings.with_solver(self.mode));
    }

    pub fn step(&mut self, pose: &WorldPose, jumped: bool) {
        let pose = pose.shifted(self.offset);
        if jumped {
            self.cloth.jump(&pose);
        }
        self.cloth.step(&pose);
    }
}
