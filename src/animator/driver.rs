//! A character driven by a script, without a window or a clock: what
//! `render --script`, `drive` and the tests run.

use std::sync::Arc;

use super::{
    Animator, MotionRecorder, RecordedMotion, graph::Graph, script::Script, trace::TraceLine,
};
use crate::{
    math::Transform,
    skeleton::{LocalPose, ModelPose},
};

/// An animator, its script, and a frame rate.
pub struct Driver {
    /// What is driven; may be asked and told things between steps.
    pub animator: Animator,
    fps: f64,
    frame: u64,
    pose: LocalPose,
    model: ModelPose,
}

/// One frame of a driven character.
#[derive(Clone, Debug)]
pub struct DrivenFrame<'a> {
    /// Joints in their parents, the root in model space.
    pub pose: &'a LocalPose,
    /// The same in model space.
    pub model: &'a ModelPose,
    /// Where the character stands.
    pub world_from_model: Transform,
    /// What happened.
    pub trace: TraceLine,
}

impl Driver {
    /// Starts at time 0 with the whole script before it.
    #[must_use]
    pub fn new(graph: Arc<Graph>, script: &Script, fps: f64) -> Self {
        let mut animator = Animator::new(graph);
        for timed in script.inputs() {
            animator.input(timed.at_secs, timed.input.clone());
        }
        Self {
            animator,
            fps,
            frame: 0,
            pose: LocalPose::default(),
            model: ModelPose::default(),
        }
    }

    /// The next frame; the first is at time 0.
    pub fn step(&mut self) -> DrivenFrame<'_> {
        self.advance();
        self.present()
    }

    fn advance(&mut self) {
        // From the frame's number, so that no error adds up.
        self.animator.advance_to(self.frame as f64 / self.fps);
        self.frame += 1;
    }

    fn present(&mut self) -> DrivenFrame<'_> {
        let world_from_model = self.animator.pose(&mut self.pose, &mut self.model);
        let trace = self.animator.trace();
        DrivenFrame {
            pose: &self.pose,
            model: &self.model,
            world_from_model,
            trace,
        }
    }

    /// The next `frames` frames as a clip, and what happens in it.
    pub fn record(&mut self, name: &str, frames: usize) -> RecordedMotion {
        let mut recorder = MotionRecorder::from(self.frame as f64 / self.fps);
        for _ in 0..frames {
            self.advance();
            let fired = self.animator.fired().iter();
            fired.for_each(|it| recorder.mark(it.time_secs, &it.name));
            let frame = self.present();
            recorder.put(frame.pose, frame.world_from_model);
        }
        recorder.into_motion(name, &self.animator.graph().skeleton, self.fps)
    }
}
