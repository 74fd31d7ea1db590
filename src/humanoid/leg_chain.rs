//! A leg that can be sent somewhere: foot lock, blends of captures.

use glam::{Quat, Vec3A};

use super::{Human, LegJoints, facing};
use crate::{
    math::ik,
    skeleton::{JointIndex, JointMask, LocalPose, ModelPose, Skeleton},
};

/// A leg, and how its knee bends.
#[derive(Clone, Debug, PartialEq)]
pub struct LegChain {
    /// Hip to ball.
    pub joints: LegJoints,
    /// The hinge of the knee, in the hip's own space.
    pub knee_axis: Vec3A,
    /// The hip and all that hangs below it, parents first.
    pub subtree: Vec<JointIndex>,
}

/// A knee that is this far from the line of its leg, metres, is all but
/// straight.
const STRAIGHT_BEND_M: f32 = 0.015;

impl LegChain {
    /// Legs of a skeleton whose feet can be sent somewhere, left first.
    #[must_use]
    pub fn of(skeleton: &Skeleton) -> Vec<Self> {
        let legs = Human::find(skeleton).legs();
        let parent = |joint: JointIndex| skeleton.parents()[usize::from(joint)];
        let bends = |leg: &LegJoints| parent(leg.knee) == leg.hip && parent(leg.ankle) == leg.knee;
        let front = facing(skeleton, &skeleton.rest_model()).map_or(Vec3A::Z, Vec3A::from);
        let knee_axis = Vec3A::Y.cross(front).normalize_or(Vec3A::X);
        let legs = legs.into_iter().filter(bends);
        legs.map(|leg| Self::new(skeleton, leg, knee_axis))
            .collect()
    }

    /// A leg whose knee turns about an axis of the model, given at rest: +X
    /// for whoever looks along +Z.
    #[must_use]
    pub fn new(skeleton: &Skeleton, joints: LegJoints, knee_axis: Vec3A) -> Self {
        let below = JointMask::subtree(skeleton, joints.hip, 0);
        let below = below.weights().iter().enumerate();
        let below = below.filter(|(_, weight)| **weight > 0.0);
        let hip = skeleton.rest_model().joints()[usize::from(joints.hip)];
        Self {
            joints,
            knee_axis: hip.rotation.conjugate() * knee_axis,
            subtree: below.map(|(joint, _)| joint as JointIndex).collect(),
        }
    }

    /// Moves a leg's foot by an offset in model space, knee and thigh following,
    /// the foot keeping its attitude. A knee that a fade has bent backwards bends
    /// forward instead, even without an offset. `model` stays up to date.
    pub fn move_foot(
        &self,
        skeleton: &Skeleton,
        offset: Vec3A,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let Knee { bend, front } = self.knee(model);
        let forward_m = bend.dot(front);
        if offset == Vec3A::ZERO && forward_m >= 0.0 {
            return;
        }
        // To the side the knee is on, mirrored to the front; near straight, where
        // that side says little, to the front alone.
        let pole = bend + front * (forward_m.abs().max(STRAIGHT_BEND_M) - forward_m);
        // A foot sent far away takes that side along with the leg.
        let [root, _, end] = self.points(model);
        let pole = ik::arc(end - root, end + offset - root) * pole;
        self.bend(skeleton, (offset, pole), pose, model);
    }

    /// The same with the knee on the side it is on, wherever that is: for poses
    /// that are captured, or nearly so.
    pub fn shift_foot(
        &self,
        skeleton: &Skeleton,
        offset: Vec3A,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let Knee { bend, front } = self.knee(model);
        let lack_m = (STRAIGHT_BEND_M - bend.length()).max(0.0);
        self.bend(skeleton, (offset, bend + front * lack_m), pose, model);
    }

    /// The same, exactly there: for whoever has seen to it that the leg is long
    /// enough.
    pub fn place_foot(
        &self,
        skeleton: &Skeleton,
        offset: Vec3A,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let Knee { bend, front } = self.knee(model);
        let forward_m = bend.dot(front);
        let pole = bend + front * (forward_m.abs().max(STRAIGHT_BEND_M) - forward_m);
        let [root, _, end] = self.points(model);
        let pole = ik::arc(end - root, end + offset - root) * pole;
        self.bend_to(skeleton, (end + offset, pole), pose, model);
    }

    fn points(&self, model: &ModelPose) -> [Vec3A; 3] {
        let LegJoints {
            hip, knee, ankle, ..
        } = self.joints;
        [hip, knee, ankle].map(|joint| model.joints()[usize::from(joint)].translation)
    }

    fn knee(&self, model: &ModelPose) -> Knee {
        let points = self.points(model);
        let thigh = model.joints()[usize::from(self.joints.hip)].rotation;
        let line = (points[2] - points[0]).normalize_or(Vec3A::NEG_Y);
        let bend = points[1] - points[0];
        Knee {
            bend: bend - line * line.dot(bend),
            front: line.cross(thigh * self.knee_axis).normalize_or_zero(),
        }
    }

    fn bend(
        &self,
        skeleton: &Skeleton,
        (offset, pole): (Vec3A, Vec3A),
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let points = self.points(model);
        let target = ik::soft_reach(points, points[2] + offset);
        let target = ik::calm_reach(points, target);
        self.bend_to(skeleton, (target, pole), pose, model);
    }

    fn bend_to(
        &self,
        skeleton: &Skeleton,
        (target, pole): (Vec3A, Vec3A),
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let LegJoints {
            hip, knee, ankle, ..
        } = self.joints;
        let points = self.points(model);
        let rotation = |joint: JointIndex| model.joints()[usize::from(joint)].rotation;
        let [thigh, shin, foot] = [hip, knee, ankle].map(rotation);
        let rotations = ik::two_bone(points[0], points[1], points[2], target, pole);
        let new_thigh = rotations.upper * thigh;
        let new_shin = rotations.lower * rotations.upper * shin;
        let above = skeleton.parents()[usize::from(hip)];
        let pelvis = model
            .joints()
            .get(usize::from(above))
            .map_or(Quat::IDENTITY, |joint| joint.rotation);
        let mut set = |joint: JointIndex, parent: Quat, rotation: Quat| {
            let local = (parent.conjugate() * rotation).normalize();
            pose.joints_mut()[usize::from(joint)].rotation = local;
        };
        set(hip, pelvis, new_thigh);
        set(knee, new_thigh, new_shin);
        set(ankle, new_shin, foot);
        for &joint in &self.subtree {
            model.place_joint(skeleton, pose, usize::from(joint));
        }
    }
}

/// How a knee is bent.
struct Knee {
    /// From the line of the leg to the knee, metres.
    bend: Vec3A,
    /// Where its hinge lets it bend to.
    front: Vec3A,
}
