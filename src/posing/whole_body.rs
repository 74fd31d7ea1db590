//! Whole-body inverse kinematics: hands, feet, head and hips are sent
//! somewhere or pinned, and the body between them follows.
//!
//! ```text
//! effectors → what each lacks (out of its limb's reach) → hips, spine, clavicles, neck: damped least squares
//!   → hips back until pinned legs reach within their limits → spine again → limbs in closed form
//! ```
//!
//! A limb bends in its own hinge and turns as a whole about its root
//! ([`super::limb`]), so knees and elbows bend their own way and what it did in
//! the motion stays. The trunk has few joints and few effectors: a system of
//! three rows each (`damped_least_squares` of `math::ik` with several ends).
//! No joint ends further beyond its limit than the pose had it. What cannot be
//! had with feet pinned and limits kept is not had: the dragged end stays short.

use glam::{Quat, Vec3A};

use super::{
    limb::{BodyLimb, LimbGoal},
    trunk::{Handle, Trunk},
};
use crate::{
    humanoid::{Human, JointLimits, Limb, LimitSource, Role, Side, carrier},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// Near enough to a target, metres.
const REACHED_M: f32 = 5e-4;
/// Steps of the trunk before limbs are bent, and again after.
const TRUNK_ROUNDS: usize = 6;
/// Halvings in the search for how far the hips may go: 0.3 m / 2¹⁰ is less
/// than anybody sees.
const HIP_HALVINGS: usize = 10;

/// Where a joint is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effector {
    /// Which joint.
    pub joint: JointIndex,
    /// Model space, metres.
    pub target: Vec3A,
    /// How it is turned there, model space; as it comes where left out.
    pub rotation: Option<Quat>,
    /// It stays, whatever else is asked for.
    pub pinned: bool,
}

/// How a human's body follows its effectors: found once for a skeleton.
#[derive(Clone, Debug)]
pub struct WholeBody {
    pub(super) carrier: JointIndex,
    trunk: Trunk,
    limbs: Vec<BodyLimb>,
    pub(super) limits: JointLimits,
}

/// What every joint may be beyond its limit: what it is in the motion.
pub(super) struct Allowed<'a> {
    limits: &'a JointLimits,
    own: &'a LocalPose,
}

impl Allowed<'_> {
    /// A rotation in the parent, brought back to what the joint may.
    pub fn clamp(&self, joint: JointIndex, local: Quat) -> Quat {
        let before = self.own.joints()[usize::from(joint)].rotation;
        let Some(limit) = self.limits.get(joint) else {
            return local;
        };
        let allowed_rad = limit.excess_rad(before);
        limit.clamped_from(before, local, allowed_rad)
    }

    pub fn limits(&self) -> &JointLimits {
        self.limits
    }

    pub fn own(&self) -> &LocalPose {
        self.own
    }
}

impl WholeBody {
    /// Of a skeleton that is a human's; `None` of others.
    #[must_use]
    pub fn of(skeleton: &Skeleton) -> Option<Self> {
        let human = Human::find(skeleton);
        human.first(Role::Hips)?;
        let carrier = carrier(skeleton);
        let limbs = Side::BOTH.into_iter().flat_map(|side| {
            let parts = [
                [Limb::UpperArm, Limb::Forearm, Limb::Hand],
                [Limb::Thigh, Limb::Shin, Limb::Foot],
            ];
            parts.map(|parts| parts.map(|part| human.first(side.role(part))))
        });
        let limbs = limbs.filter_map(|joints| BodyLimb::of(skeleton, joints));
        let limbs: Vec<BodyLimb> = limbs.collect();
        Some(Self {
            trunk: Trunk::of(skeleton, &human, carrier),
            limits: JointLimits::of(skeleton, LimitSource::Both),
            carrier,
            limbs,
        })
    }

    /// Joints that can be pinned and turned: hands, feet, head and hips.
    #[must_use]
    pub fn ends(&self) -> Vec<JointIndex> {
        let limbs = self.limbs.iter().map(|limb| limb.joints[2]);
        limbs.chain(self.trunk.head).chain([self.carrier]).collect()
    }

    /// The feet.
    pub fn feet(&self) -> impl Iterator<Item = JointIndex> + '_ {
        let legs = self.limbs.iter().filter(|limb| limb.is_leg);
        legs.map(|limb| limb.joints[2])
    }

    /// The joint whose pin holds this one: the end of its limb.
    #[must_use]
    pub fn end_of(&self, skeleton: &Skeleton, joint: JointIndex) -> JointIndex {
        let limb = { self.limbs.iter() }.find(|limb| limb.has(skeleton, joint));
        limb.map_or(joint, |limb| limb.joints[2])
    }

    /// Brings effectors to their targets, or as near as the body lets them.
    /// `model` is the pose in model space, and stays up to date.
    pub fn apply(
        &self,
        skeleton: &Skeleton,
        effectors: &[Effector],
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let asks = |it: &Effector| {
            let at = model.joints()[usize::from(it.joint)];
            let turned = it
                .rotation
                .is_some_and(|to| to.angle_between(at.rotation) > 1e-3);
            !it.pinned && (at.translation.distance(it.target) > REACHED_M || turned)
        };
        let valid =
            |it: &&Effector| usize::from(it.joint) < skeleton.len() && it.target.is_finite();
        let effectors: Vec<Effector> = effectors.iter().filter(valid).copied().collect();
        if !effectors.iter().any(asks) {
            return;
        }
        let own = pose.clone();
        let allowed = Allowed {
            limits: &self.limits,
            own: &own,
        };
        let goals: Vec<Option<LimbGoal>> = { self.limbs.iter() }
            .map(|limb| limb.goal(skeleton, &effectors, model))
            .collect();
        let mut body = Solving {
            body: self,
            skeleton,
            effectors: &effectors,
            goals,
            allowed,
            pose,
            model,
        };
        body.solve();
    }
}

/// One pose on its way.
struct Solving<'a> {
    body: &'a WholeBody,
    skeleton: &'a Skeleton,
    effectors: &'a [Effector],
    /// One for each limb.
    goals: Vec<Option<LimbGoal>>,
    allowed: Allowed<'a>,
    pose: &'a mut LocalPose,
    model: &'a mut ModelPose,
}

impl Solving<'_> {
    fn solve(&mut self) {
        self.move_trunk(true);
        self.bring_back_hips();
        self.bend_limbs(|_| true);
        // What limits took from the arms, the spine makes up for where it can.
        for _ in 0..2 {
            if self.lack_m() > REACHED_M {
                self.move_trunk(false);
                self.bend_limbs(|limb| !limb.is_leg);
            }
        }
        self.turn_ends();
        self.model.compute(self.skeleton, self.pose);
    }

    /// The largest that an arm that is not pinned lacks.
    fn lack_m(&self) -> f32 {
        let limbs = self.body.limbs.iter().zip(&self.goals);
        let arms = limbs.filter(|(limb, _)| !limb.is_leg);
        let lacks =
            arms.filter_map(|(limb, goal)| Some(goal.as_ref()?.lack(limb, self.model).length()));
        lacks.fold(0.0, f32::max)
    }

    fn move_trunk(&mut self, with_hips: bool) {
        let trunk = &self.body.trunk;
        for _ in 0..TRUNK_ROUNDS {
            let handles = self.handles(with_hips);
            if handles.iter().all(|it| it.error.length() < REACHED_M) {
                return;
            }
            trunk.step(
                self.skeleton,
                (&handles, with_hips),
                &self.allowed,
                self.pose,
                self.model,
            );
        }
    }

    /// What the trunk is asked for: points of it, and how far they are off.
    fn handles(&self, before_limbs: bool) -> Vec<Handle> {
        let mut handles = Vec::with_capacity(8);
        for (limb, goal) in self.body.limbs.iter().zip(&self.goals) {
            let Some(goal) = goal else { continue };
            let error = match before_limbs {
                true => goal.out_of_reach(limb, self.model),
                false => goal.lack(limb, self.model),
            };
            if error.length() > 1e-6 && (before_limbs || !limb.is_leg) {
                handles.push(Handle {
                    joint: limb.joints[0],
                    error,
                });
            }
        }
        let limbs = &self.body.limbs;
        let of_trunk = |it: &&Effector| !limbs.iter().any(|limb| limb.has(self.skeleton, it.joint));
        for it in self.effectors.iter().filter(of_trunk) {
            handles.push(Handle {
                joint: it.joint,
                error: it.target - self.model.joints()[usize::from(it.joint)].translation,
            });
        }
        handles
    }

    /// Hips go as far as pinned legs let them.
    fn bring_back_hips(&mut self) {
        let carrier = usize::from(self.body.carrier);
        let (from, to) = (
            self.allowed.own().joints()[carrier],
            self.pose.joints()[carrier],
        );
        if from == to || self.legs_hold() {
            return;
        }
        let (mut good, mut bad) = (0.0, 1.0);
        for _ in 0..HIP_HALVINGS {
            let share = f32::midpoint(good, bad);
            self.put_hips(from.lerp(to, share));
            match self.legs_hold() {
                true => good = share,
                false => bad = share,
            }
        }
        self.put_hips(from.lerp(to, good));
        // With the hips where they have to be, the spine takes what is left.
        self.model.compute(self.skeleton, self.pose);
        for _ in 0..2 {
            let mut handles = self.handles(true);
            handles.retain(|it| {
                !self
                    .body
                    .limbs
                    .iter()
                    .any(|limb| limb.is_leg && limb.joints[0] == it.joint)
            });
            self.body.trunk.step(
                self.skeleton,
                (&handles, false),
                &self.allowed,
                self.pose,
                self.model,
            );
        }
    }

    fn put_hips(&mut self, local: crate::math::Transform) {
        self.pose.joints_mut()[usize::from(self.body.carrier)] = local;
        self.body.trunk.place(self.skeleton, self.pose, self.model);
    }

    /// Whether all pinned legs reach their feet, no joint beyond what it may.
    fn legs_hold(&mut self) -> bool {
        let limbs = self.body.limbs.iter().zip(&self.goals);
        let mut pinned = limbs.filter_map(|(limb, goal)| {
            let goal = goal.as_ref().filter(|goal| goal.pinned && limb.is_leg)?;
            Some((limb, goal))
        });
        pinned.all(|(limb, goal)| {
            limb.bend(self.skeleton, (goal, &self.allowed), self.pose, self.model)
        })
    }

    fn bend_limbs(&mut self, which: impl Fn(&BodyLimb) -> bool) {
        for (limb, goal) in self.body.limbs.iter().zip(&self.goals) {
            if let Some(goal) = goal.as_ref().filter(|_| which(limb)) {
                limb.bend(self.skeleton, (goal, &self.allowed), self.pose, self.model);
            }
        }
    }

    /// Heads and hips that are to be turned some way.
    fn turn_ends(&mut self) {
        let limbs = &self.body.limbs;
        for it in self.effectors {
            let Some(rotation) = it.rotation.filter(|it| it.is_finite()) else {
                continue;
            };
            // Hips would take the feet along; hands and feet are turned with
            // their limb.
            if it.joint == self.body.carrier || limbs.iter().any(|limb| limb.joints[2] == it.joint)
            {
                continue;
            }
            let index = usize::from(it.joint);
            let parent = usize::from(self.skeleton.parents()[index]);
            let above = self.model.joints().get(parent);
            let above = above.map_or(Quat::IDENTITY, |above| above.rotation);
            let local = self
                .allowed
                .clamp(it.joint, (above.conjugate() * rotation).normalize());
            self.pose.joints_mut()[index].rotation = local;
        }
    }
}
