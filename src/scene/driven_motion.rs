//! What an animator does to a character, and where it led in the last seconds.

use std::{collections::VecDeque, sync::Arc};

use crate::{
    animator::{Animator, Graph},
    skeleton::{LocalPose, ModelPose, WorldPose},
};

/// Seconds of a driven motion that are remembered.
const HISTORY_SECS: f64 = 2.0;
/// Poses a second that are remembered.
const HISTORY_RATE: f64 = 60.0;

/// What the animator does, and where it led in the last seconds.
pub struct DrivenMotion {
    pub(super) animator: Animator,
    /// Times and poses, oldest first.
    history: VecDeque<(f64, WorldPose)>,
    local: LocalPose,
    model: ModelPose,
    /// Where the animator says it looks, about Y.
    pub(super) heading_rad: f32,
}

impl std::fmt::Debug for DrivenMotion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let states: Vec<&str> = self.animator.states().collect();
        write!(f, "DrivenMotion({})", states.join(", "))
    }
}

impl DrivenMotion {
    pub(super) fn new(graph: Arc<Graph>) -> Self {
        Self {
            animator: Animator::new(graph),
            history: VecDeque::new(),
            local: LocalPose::default(),
            model: ModelPose::default(),
            heading_rad: 0.0,
        }
    }

    /// Runs to a moment and remembers poses on the way, at times that do not
    /// depend on how often it is called.
    pub(super) fn advance_to(&mut self, time_secs: f64) {
        loop {
            // Counted in whole ticks: sums of 1/60 s would drift apart from
            // those of another frame rate.
            let next = self.history.back().map_or(0.0, |(secs, _)| {
                ((secs * HISTORY_RATE).round() + 1.0) / HISTORY_RATE
            });
            if next > time_secs {
                break;
            }
            // A long stall is not remembered whole.
            if time_secs - next > HISTORY_SECS {
                self.history.clear();
                let from = ((time_secs - HISTORY_SECS) * HISTORY_RATE).ceil() / HISTORY_RATE;
                self.remember(from);
                continue;
            }
            self.remember(next);
        }
        self.animator.advance_to(time_secs);
    }

    fn remember(&mut self, secs: f64) {
        self.animator.advance_to(secs);
        let world_from_model = self.animator.pose(&mut self.local, &mut self.model);
        let full = self.history.len() as f64 > HISTORY_SECS * HISTORY_RATE;
        // The oldest pose lends its memory to the newest.
        let oldest = if full { self.history.pop_front() } else { None };
        let mut pose = oldest.map_or_else(WorldPose::default, |(_, pose)| pose);
        pose.place(world_from_model, &self.model);
        self.history.push_back((secs, pose));
    }

    pub(super) fn past_pose(&self, secs: f64) -> Option<&WorldPose> {
        let after = self.history.partition_point(|(known, _)| *known < secs);
        self.history.get(after).map(|(_, pose)| pose)
    }

    pub(super) fn known_secs(&self) -> (f64, f64) {
        let first = self.history.front().map_or(0.0, |(secs, _)| *secs);
        let last = self.history.back().map_or(0.0, |(secs, _)| *secs);
        (first, last)
    }
}
