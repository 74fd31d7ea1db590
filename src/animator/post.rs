//! What happens to a finished pose: limbs reach, the head looks, feet stand.
//! Each has a weight that fades in and out. The model pose that is left is up
//! to date.

use glam::{Vec3, Vec3A};

use super::{
    feet::{self, FootHold},
    graph::Graph,
};
use crate::{
    math::{Spring, Transform, ik},
    skeleton::{LocalPose, ModelPose, rotate_joint},
};
use glam::Quat;

/// Height of the ground in metres at world X and Z.
pub type Ground = std::sync::Arc<dyn Fn(f32, f32) -> f32 + Send + Sync>;

/// A point of the world that something is drawn to, and how strongly.
#[derive(Clone, Copy, Debug, Default)]
struct Goal {
    world: Option<Vec3>,
    /// Kept while the weight fades out.
    last: Vec3,
    weight: Spring,
}

impl Goal {
    fn set(&mut self, world: Option<Vec3>) {
        self.world = world.filter(|point| point.is_finite());
        self.last = self.world.unwrap_or(self.last);
    }

    fn step(&mut self, half_life_secs: f64, dt_secs: f64) {
        let target = f64::from(u8::from(self.world.is_some()));
        self.weight.follow(target, half_life_secs, dt_secs);
    }

    fn weight(&self) -> f32 {
        self.weight.value.clamp(0.0, 1.0) as f32
    }
}

/// The run-time half of the post-process.
#[derive(Clone, Default)]
pub struct Post {
    look: Goal,
    reaches: Vec<Goal>,
    /// One for each leg.
    pub feet: Vec<FootHold>,
    /// How high above the ground each foot has to be at least, metres.
    pub clearances_m: [f32; 2],
    /// 1 when the foot lock is on; fades.
    lock_weight: Spring,
    /// Where the character stands; flat at 0 without.
    pub ground: Option<Ground>,
}

/// Seconds in which the foot lock is switched on and off by about half.
const LOCK_HALF_LIFE_SECS: f64 = 0.1;

impl Post {
    /// At rest.
    #[must_use]
    pub fn new(graph: &Graph) -> Self {
        Self {
            look: Goal::default(),
            reaches: vec![Goal::default(); graph.reaches.len()],
            feet: vec![FootHold::default(); graph.legs.len()],
            clearances_m: [0.0; 2],
            lock_weight: Spring::at(graph.foot_lock.weight.into()),
            ground: None,
        }
    }

    /// Looks at a point of the world, or no longer.
    pub fn look_at(&mut self, world: Option<Vec3>) {
        self.look.set(world);
    }

    /// Sends a limb to a point of the world, or no longer. False when the
    /// graph has no such limb.
    pub fn reach(&mut self, graph: &Graph, limb: &str, world: Option<Vec3>) -> bool {
        let index = graph.reaches.iter().position(|reach| reach.name == limb);
        let goal = index.and_then(|index| self.reaches.get_mut(index));
        goal.map(|goal| goal.set(world)).is_some()
    }

    /// One step of time: weights fade; `fading` while a fade carries the feet.
    pub fn step(&mut self, graph: &Graph, foot_lock: bool, fading: bool, dt_secs: f64) {
        let half_life = graph.look.as_ref().map_or(0.0, |look| look.half_life_secs);
        self.look.step(half_life, dt_secs);
        for (goal, limb) in self.reaches.iter_mut().zip(&graph.reaches) {
            goal.step(limb.half_life_secs, dt_secs);
        }
        let lock = if foot_lock {
            f64::from(graph.foot_lock.weight)
        } else {
            0.0
        };
        self.lock_weight.follow(lock, LOCK_HALF_LIFE_SECS, dt_secs);
        let feet = self.feet.iter_mut();
        feet.for_each(|foot| foot.advance(dt_secs, fading));
    }

    /// Height of the ground under a point of the world.
    #[must_use]
    pub fn ground_height(&self, x: f32, z: f32) -> f32 {
        self.ground.as_ref().map_or(0.0, |ground| ground(x, z))
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
        let model_from_world = world_from_model.inverse();
        let local = |point: Vec3| model_from_world.transform_point(point.into());
        for (goal, limb) in self.reaches.iter().zip(&graph.reaches) {
            if goal.weight() > 0.0 {
                let rotations = self.limb_rotations(limb, local(goal.last), model);
                let part = |rotation| Quat::IDENTITY.slerp(rotation, goal.weight());
                rotate_joint(
                    &graph.skeleton,
                    limb.joints[0],
                    part(rotations.upper),
                    pose,
                    model,
                );
                rotate_joint(
                    &graph.skeleton,
                    limb.joints[1],
                    part(rotations.lower),
                    pose,
                    model,
                );
            }
        }
        if self.look.weight() > 0.0 {
            self.rotate_to_look(graph, local(self.look.last), pose, model);
        }
        if self.lock_weight.value > 0.0 || self.ground.is_some() {
            self.stand(graph, world_from_model, ahead_secs, pose, model);
        }
    }

    fn limb_rotations(
        &self,
        limb: &super::graph::ReachLimb,
        target: Vec3A,
        model: &ModelPose,
    ) -> ik::LimbRotations {
        let [root, middle, end] = limb
            .joints
            .map(|j| model.joints()[usize::from(j)].translation);
        ik::two_bone(root, middle, end, target, limb.pole)
    }

    /// Every joint of the chain takes an equal share of what is still missing,
    /// up to its limit; the last takes the rest.
    fn rotate_to_look(
        &self,
        graph: &Graph,
        target: Vec3A,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let Some(look) = &graph.look else { return };
        let count = look.joints.len();
        let Some(&(eye, _)) = look.joints.last() else {
            return;
        };
        for (index, &(joint, most_rad)) in look.joints.iter().enumerate() {
            let seen = model.joints()[usize::from(eye)];
            let missing = ik::arc(seen.rotation * look.forward, target - seen.translation);
            let weight = self.look.weight() / (count - index) as f32;
            let rotation = ik::limited(Quat::IDENTITY.slerp(missing, weight), most_rad);
            rotate_joint(&graph.skeleton, joint, rotation, pose, model);
        }
    }

    /// Feet to their places, over uneven ground the pelvis lower if need be.
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
            let there = (spot + by).as_vec2();
            let climb = self.ground_height(there.x, there.y) - world_from_model.translation.y;
            let climb = if self.ground.is_some() { climb } else { 0.0 };
            // No foot sinks in: blends of sound poses can be a little too low.
            let rise = foot.rise_m(ball.y, graph.sole_m, ahead_secs, settings);
            let least = graph.sole_m + clearance_m - ball.y;
            let rise = rise.max(least) * weight as f32;
            *offset = model_from_world * Vec3A::new(by.x as f32, climb + rise, by.y as f32);
        }
        let lowest = offsets[0].y.min(offsets[1].y).min(0.0);
        if lowest < 0.0 && self.ground.is_some() {
            pose.joints_mut()[0].translation.y += lowest;
            model.compute(&graph.skeleton, pose);
            offsets.iter_mut().for_each(|offset| offset.y -= lowest);
        }
        for (leg, &offset) in graph.legs.iter().zip(&offsets) {
            leg.move_foot(&graph.skeleton, offset, pose, model);
        }
    }
}
