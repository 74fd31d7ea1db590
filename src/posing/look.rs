//! Looking at something: spine, neck, head and eyes share the turn.

use glam::{Quat, Vec3, Vec3A};

use super::{LookAt, goal::Goal, parts};
use crate::{
    humanoid::{Human, Role, facing},
    math::{Transform, ik},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, rotate_joint},
};

/// Seconds in which a look fades in and out by about half.
const HALF_LIFE_SECS: f64 = 0.15;

/// A joint of a chain that looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookJoint {
    /// Which.
    pub joint: JointIndex,
    /// How much of the turn it takes, against the others.
    pub weight: f32,
    /// The most it turns, radians.
    pub most_rad: f32,
    /// Where it looks, in its own space.
    pub forward: Vec3A,
}

/// A chain that looks at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct LookChain {
    /// Base first. What one cannot do is left to those after it.
    pub joints: Vec<LookJoint>,
    /// Turn by themselves after the chain, each to the target.
    pub eyes: Vec<LookJoint>,
    /// Of its weight, seconds.
    pub half_life_secs: f64,
}

/// Of the whole turn: spine, neck, head, eyes. Small turns are mostly the
/// head's and the eyes'; what they lack the rest has already begun.
const SHARES: [f32; 4] = [0.15, 0.25, 0.4, 0.2];
/// The most that spine and neck turn in all, the head and each eye, radians.
const MOST_RAD: [f32; 4] = [0.45, 0.6, 0.8, 0.5];

impl LookChain {
    /// The chain of any skeleton that has a head.
    #[must_use]
    pub fn of(skeleton: &Skeleton) -> Option<Self> {
        let human = Human::find(skeleton);
        let head = human.first(Role::Head)?;
        let eyes = parts::eyes(skeleton, head);
        let rest = skeleton.rest_model();
        let front = facing(skeleton, &rest).unwrap_or(Vec3::Z);
        let link = |joint: JointIndex, weight: f32, most_rad: f32| LookJoint {
            joint,
            weight,
            most_rad,
            forward: rest.joints()[usize::from(joint)].rotation.conjugate() * Vec3A::from(front),
        };
        let trunk = [human.part(Role::Spine), human.part(Role::Neck), &[head]];
        let shared = trunk.into_iter().zip(SHARES).zip(MOST_RAD);
        let joints = shared.flat_map(|((joints, share), most_rad)| {
            let count = joints.len().max(1) as f32;
            let joints = joints.iter().copied();
            joints.map(move |joint| link(joint, share / count, most_rad / count))
        });
        Some(Self {
            joints: joints.collect(),
            eyes: { eyes.into_iter() }
                .map(|eye| link(eye, SHARES[3], MOST_RAD[3]))
                .collect(),
            half_life_secs: HALF_LIFE_SECS,
        })
    }

    /// Turns the chain to a point of the model; `weight` 0 to 1.
    pub fn turn(
        &self,
        skeleton: &Skeleton,
        (target, weight): (Vec3A, f32),
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let Some(last) = self.joints.last() else {
            return;
        };
        let eyes_weight = self.eyes.first().map_or(0.0, |eye| eye.weight);
        for (index, link) in self.joints.iter().enumerate() {
            let later = self.joints[index..].iter().map(|link| link.weight);
            let share = link.weight / (later.sum::<f32>() + eyes_weight).max(1e-6);
            let missing = last.missing(target, model);
            let turn = Quat::IDENTITY.slerp(missing, weight * share);
            let turn = ik::limited(turn, link.most_rad);
            rotate_joint(skeleton, link.joint, turn, pose, model);
        }
        for eye in &self.eyes {
            let missing = eye.missing(target, model);
            let turn = ik::limited(missing, eye.most_rad);
            let turn = Quat::IDENTITY.slerp(turn, weight);
            rotate_joint(skeleton, eye.joint, turn, pose, model);
        }
    }
}

impl LookJoint {
    /// From where it looks to the target.
    fn missing(&self, target: Vec3A, model: &ModelPose) -> Quat {
        let seen = model.joints()[usize::from(self.joint)];
        ik::arc(seen.rotation * self.forward, target - seen.translation)
    }
}

/// A look that is wanted, or fades out.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// What is looked at.
    pub at: LookAt,
    goal: Goal,
}

impl Look {
    pub(super) fn set(&mut self, at: LookAt) {
        let point = match &at {
            LookAt::Point(point) => Some(*point),
            _ => None,
        };
        self.goal.set(point);
        self.at = at;
    }

    /// Where something is that only others know: the pointer, another's head.
    /// A look at nothing that is known fades out.
    pub fn set_seen(&mut self, point: Option<Vec3>) {
        if matches!(self.at, LookAt::Pointer | LookAt::Character(_)) {
            self.goal.set(point);
        }
    }

    /// How much of it shows, 0 to 1.
    #[must_use]
    pub fn weight(&self) -> f32 {
        self.goal.weight()
    }

    pub(super) fn is_moving(&self) -> bool {
        self.goal.is_moving()
    }

    pub(super) fn step(&mut self, half_life_secs: f64, dt_secs: f64) {
        self.goal.step(half_life_secs, dt_secs);
    }

    pub(super) fn apply(
        &mut self,
        skeleton: &Skeleton,
        chain: &LookChain,
        world_from_model: Transform,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        if let LookAt::Joint(name) = &self.at {
            let joint = parts::find_joint(skeleton, name).map(usize::from);
            let place = joint.and_then(|joint| model.joints().get(joint));
            let place = place.map(|it| world_from_model.transform_point(it.translation));
            self.goal.set(place.map(Vec3::from));
        }
        let weight = self.goal.weight();
        if weight > 0.0 {
            let point = world_from_model.inverse();
            let point = point.transform_point(self.goal.point().into());
            chain.turn(skeleton, (point, weight), pose, model);
        }
    }
}
