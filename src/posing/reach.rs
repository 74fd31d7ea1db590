//! Reaching for something: a limb of two bones, or whatever follows a joint.

use glam::{EulerRot, Quat, Vec3, Vec3A};

use super::{Drag, DragSolver, ReachGoal, goal::Goal};
use crate::{
    math::{Transform, ik},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, rotate_joint},
};

/// Seconds in which a reach fades in and out by about half.
const HALF_LIFE_SECS: f64 = 0.15;

/// A limb of two bones that can be sent to a point.
#[derive(Clone, Debug, PartialEq)]
pub struct ReachLimb {
    /// What callers name it.
    pub name: String,
    /// Start of the upper bone, of the lower bone, and what arrives.
    pub joints: [JointIndex; 3],
    /// Direction in model space to which the middle bends.
    pub pole: Vec3A,
    /// Of its weight, seconds.
    pub half_life_secs: f64,
}

/// What follows a joint that is sent somewhere.
#[derive(Clone, Debug)]
enum Means {
    /// Two bones, as an animator file describes them.
    Limb(ReachLimb),
    /// Its limb, the trunk where that is too short, at last the hips.
    Body(Drag),
}

/// A joint that is sent somewhere, or on its way back.
#[derive(Clone, Debug)]
pub struct Reach {
    joint: JointIndex,
    means: Means,
    goal: Goal,
    /// In the world.
    turn: Option<Quat>,
}

impl Reach {
    /// Of the limb that ends in a joint, where an animator file describes one.
    pub(super) fn new(skeleton: &Skeleton, joint: JointIndex, limbs: &[ReachLimb]) -> Self {
        let limb = limbs.iter().find(|limb| limb.joints[2] == joint);
        Self {
            joint,
            means: limb
                .cloned()
                .map_or_else(|| Means::Body(Drag::of(skeleton, joint)), Means::Limb),
            goal: Goal::default(),
            turn: None,
        }
    }

    /// Who follows, and which ends stay. A limb of an animator file bends as the
    /// file says, unless another solver is chosen.
    pub(super) fn follow(&mut self, skeleton: &Skeleton, solver: DragSolver, pins: &[JointIndex]) {
        if matches!(self.means, Means::Limb(_)) && solver == DragSolver::WholeBody {
            return;
        }
        let mut drag = Drag::of(skeleton, self.joint);
        drag.set_pins(pins);
        drag.solve_by(skeleton, solver);
        self.means = Means::Body(drag);
    }

    /// Which joint.
    #[must_use]
    pub fn joint(&self) -> JointIndex {
        self.joint
    }

    /// How much of it shows, 0 to 1.
    #[must_use]
    pub fn weight(&self) -> f32 {
        self.goal.weight()
    }

    /// Whether it is sent there still.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.goal.is_wanted()
    }

    pub(super) fn set(&mut self, goal: Option<ReachGoal>) {
        self.goal.set(goal.map(|goal| goal.point));
        if let Some(goal) = goal {
            self.turn = goal.turn_deg.map(turn);
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.goal.is_over()
    }

    pub(super) fn is_moving(&self) -> bool {
        self.goal.is_moving()
    }

    pub(super) fn step(&mut self, dt_secs: f64) {
        let half_life_secs = match &self.means {
            Means::Limb(limb) => limb.half_life_secs,
            Means::Body(_) => HALF_LIFE_SECS,
        };
        self.goal.step(half_life_secs, dt_secs);
    }

    pub(super) fn apply(
        &self,
        skeleton: &Skeleton,
        world_from_model: Transform,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let weight = self.goal.weight();
        if weight <= 0.0 {
            return;
        }
        let model_from_world = world_from_model.inverse();
        let target = model_from_world.transform_point(self.goal.point().into());
        let own = model.joints()[usize::from(self.joint)];
        match &self.means {
            Means::Limb(limb) => limb.bend(skeleton, (target, weight), pose, model),
            Means::Body(drag) => {
                let target = own.translation.lerp(target, weight);
                drag.apply(skeleton, target, pose, model);
            }
        }
        // Without a wish of its own a hand keeps the attitude of the forearm.
        if let Some(turn) = self.turn {
            let now = model.joints()[usize::from(self.joint)].rotation;
            let wanted = model_from_world.rotation * turn;
            let missing = (wanted * now.conjugate()).normalize();
            let part = Quat::IDENTITY.slerp(missing, weight);
            rotate_joint(skeleton, self.joint, part, pose, model);
        }
    }
}

/// Degrees about X, then Y, then Z of what stands still.
pub(super) fn turn(degrees: Vec3) -> Quat {
    let [x, y, z] = degrees.to_array().map(f32::to_radians);
    Quat::from_euler(EulerRot::ZYX, z, y, x)
}

impl ReachLimb {
    /// Turns both bones until the end is at a point of the model, or points to
    /// it; `weight` 0 to 1.
    pub fn bend(
        &self,
        skeleton: &Skeleton,
        (target, weight): (Vec3A, f32),
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let [root, middle, end] =
            { self.joints }.map(|joint| model.joints()[usize::from(joint)].translation);
        let turns = ik::two_bone(root, middle, end, target, self.pole);
        let part = |turn| Quat::IDENTITY.slerp(turn, weight);
        rotate_joint(skeleton, self.joints[0], part(turns.upper), pose, model);
        rotate_joint(skeleton, self.joints[1], part(turns.lower), pose, model);
    }
}
