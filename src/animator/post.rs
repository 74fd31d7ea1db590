//! What the animator itself does to a finished pose: feet stand on flat ground.
//! Its weight fades in and out. The model pose that is left is up to date.

use glam::Vec3A;

use super::{
    feet::{self, FootHold},
    graph::Graph,
};
use crate::{
    math::{Spring, Transform},
    skeleton::{LocalPose, ModelPose},
};

/// The run-time half of the post-process.
#[derive(Clone, Default)]
pub struct Post {
    /// One for each leg.
    pub feet: Vec<FootHold>,
    /// How high above the ground each foot has to be at least, metres.
    pub clearances_m: [f32; 2],
    /// The same at the last tick, and how it changed, metres a second: a fade that
    /// begins drops it, and the foot goes on from there.
    pub clearing: [Clearing; 2],
    /// 1 when the foot lock is on; fades.
    lock_weight: Spring,
}

/// How high a foot was held above the ground.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clearing {
    metres: f32,
    velocity: f32,
}

impl Clearing {
    /// The height after another `dt_secs`.
    pub fn follow(&mut self, metres: f32, dt_secs: f64) {
        self.velocity = (metres - self.metres) / dt_secs as f32;
        self.metres = metres;
    }

    /// The height if it goes on like that.
    #[must_use]
    pub fn after(&self, secs: f64) -> f32 {
        self.metres + self.velocity * secs as f32
    }
}

/// Seconds in which the foot lock is switched on and off by about half.
const LOCK_HALF_LIFE_SECS: f64 = 0.1;

impl Post {
    /// At rest.
    #[must_use]
    pub fn new(graph: &Graph) -> Self {
        Self {
            feet: vec![FootHold::default(); graph.legs.len()],
            clearances_m: [0.0; 2],
            clearing: [Clearing::default(); 2],
            lock_weight: Spring::at(graph.foot_lock.weight.into()),
        }
    }

    /// One step of time: weights fade; `fading` while a fade carries the feet.
    pub fn step(&mut self, graph: &Graph, foot_lock: bool, fading: bool, dt_secs: f64) {
        let lock = if foot_lock {
            f64::from(graph.foot_lock.weight)
        } else {
            0.0
        };
        self.lock_weight.follow(lock, LOCK_HALF_LIFE_SECS, dt_secs);
        let feet = self.feet.iter_mut();
        feet.for_each(|foot| foot.advance(dt_secs, fading));
    }

    /// Changes `pose` and leaves its model pose in `model`.
    pub fn apply(
        &self,
        graph: &Graph,
        world_from_model: Transform,
        ahead_secs: f64,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        model.compute(&graph.skeleton, pose);
        if self.lock_weight.value > 0.0 {
            self.stand(graph, world_from_model, ahead_secs, pose, model);
        }
    }

    /// Feet to their places.
    fn stand(
        &self,
        graph: &Graph,
        world_from_model: Transform,
        ahead_secs: f64,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let settings = &graph.foot_lock;
        let weight = self.lock_weight.value;
        let model_from_world = world_from_model.rotation.conjugate();
        let mut offsets = [Vec3A::ZERO; 2];
        let feet = self.feet.iter().zip(self.clearances_m);
        for ((leg, (foot, clearance_m)), offset) in graph.legs.iter().zip(feet).zip(&mut offsets) {
            let ball = model.joints()[usize::from(leg.joints.ball)].translation;
            let spot = feet::ground_point(world_from_model, ball);
            let by = foot.offset(spot, ahead_secs, settings) * weight;
            // No foot sinks in: blends of sound poses can be a little too low.
            let rise = foot.rise_m(ball.y, graph.sole_m, ahead_secs, settings);
            let least = graph.sole_m + clearance_m - ball.y;
            let rise = rise.max(least) * weight as f32;
            *offset = model_from_world * Vec3A::new(by.x as f32, rise, by.y as f32);
        }
        for (leg, &offset) in graph.legs.iter().zip(&offsets) {
            leg.move_foot(&graph.skeleton, offset, pose, model);
        }
    }
}
