//! Whole-body inverse kinematics: hands, feet, head and hips are sent
//! somewhere or pinned, and the body between them follows.
//!
//! Targets walk from where the motion has the joints to where they are asked
//! for, two centimetres at a time, and in every step
//!
//! 1. all joints give back a little of what they were bent before,
//! 2. an elbow or a knee of the dragged limb that is all but straight begins to
//!    bend where the way gets shorter,
//! 3. limb, spine, clavicles, neck and hips turn by damped least squares
//!    ([`super::trunk`]), the limb most willingly,
//! 4. limbs that are pinned are bent in closed form ([`super::limb`]); where one
//!    does not reach within its limits, the hips go less far.
//!
//! No joint turns further in a step than the step is long, and no limit throws
//! one aside: a pose follows its targets without flips, however near to a
//! stretched or folded limb. (A solution found in one go from the motion's pose
//! moved a joint by more than 3 cm in one of fifteen steps of 5 mm: where the
//! share of the hips was searched for, and where a limit is met by two triples
//! of angles.) No joint ends further beyond its limit than the pose had it. What
//! cannot be had with feet pinned and limits kept is not had: the dragged end
//! stays short.

use glam::{Quat, Vec3A};

use super::{
    kept::KeptLimits,
    limb::{BodyLimb, LimbGoal, local},
    trunk::{Handle, Trunk, Turning},
};
use crate::{
    humanoid::{Human, JointLimits, Limb, LimitSource, Role, Side, carrier},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// Near enough to a target, metres.
const REACHED_M: f32 = 5e-4;
/// How far targets walk in a step, metres.
const STEP_M: f32 = 0.02;
/// Steps at most; those of a longer way are longer.
const MOST_STEPS: f32 = 24.0;
/// What is missing in the end is made up for in steps of this size, metres.
const LAST_STEP_M: f32 = 0.003;
const LAST_STEPS: usize = 8;
/// A hinge goes so many times as far as the step at most.
const HINGE_GAIN: f32 = 1.5;
/// Bend under which a hinge is told to bend, radians.
const STRAIGHT_RAD: f32 = 0.5;
/// Halvings of a step of the hips that a pinned limb does not reach from.
const HALVINGS: usize = 3;

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

impl WholeBody {
    /// Of a skeleton that is a human's; `None` of others.
    #[must_use]
    pub fn of(skeleton: &Skeleton) -> Option<Self> {
        let human = Human::find(skeleton);
        human.first(Role::Hips)?;
        let carrier = carrier(skeleton);
        let limbs = Side::BOTH.into_iter().flat_map(|side| {
            let parts = [
                ([Limb::UpperArm, Limb::Forearm, Limb::Hand], false),
                ([Limb::Thigh, Limb::Shin, Limb::Foot], true),
            ];
            parts.map(|(parts, leg)| (parts.map(|part| human.first(side.role(part))), leg))
        });
        let limbs = limbs.filter_map(|(joints, leg)| BodyLimb::of(skeleton, joints, leg));
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
        let valid =
            |it: &&Effector| usize::from(it.joint) < skeleton.len() && it.target.is_finite();
        let wanted: Vec<Effector> = effectors.iter().filter(valid).copied().collect();
        let from = |it: &Effector| model.joints()[usize::from(it.joint)];
        let way_m = |it: &Effector| from(it).translation.distance(it.target);
        let dragged = || wanted.iter().filter(|it| !it.pinned);
        let turned = |it: &Effector| {
            it.rotation
                .is_some_and(|to| to.angle_between(from(it).rotation) > 1e-3)
        };
        let longest_m = dragged().map(way_m).fold(0.0, f32::max);
        if longest_m <= REACHED_M && !dragged().any(turned) {
            return;
        }
        let starts: Vec<Vec3A> = wanted.iter().map(|it| from(it).translation).collect();
        let own = pose.clone();
        let limbs = { self.limbs.iter() }.flat_map(|limb| limb.joints);
        let goals =
            { self.limbs.iter() }.map(|limb| limb.goal(skeleton, (&wanted, &self.limits), model));
        let mut body = Following {
            goals: goals.collect(),
            kept: KeptLimits::of(
                &self.limits,
                skeleton,
                pose,
                limbs.chain(self.trunk.turning()).chain(self.trunk.head),
            ),
            body: self,
            skeleton,
            before: own.clone(),
            effectors: wanted.clone(),
            own: &own,
            pose,
            model,
        };
        body.walk((&starts, &wanted), longest_m);
        body.turn_ends();
        model.compute(skeleton, pose);
    }
}

/// One pose on its way.
struct Following<'a> {
    body: &'a WholeBody,
    skeleton: &'a Skeleton,
    /// With the targets of this step.
    effectors: Vec<Effector>,
    /// One for each limb.
    goals: Vec<Option<LimbGoal>>,
    kept: KeptLimits<'a>,
    /// As the motion has it.
    own: &'a LocalPose,
    /// As it was before this step.
    before: LocalPose,
    pose: &'a mut LocalPose,
    model: &'a mut ModelPose,
}

impl Following<'_> {
    /// Step by step to where everything is wanted.
    fn walk(&mut self, (starts, wanted): (&[Vec3A], &[Effector]), longest_m: f32) {
        let step_m = STEP_M.max(longest_m / MOST_STEPS);
        let mut gone_m = 0.0;
        while gone_m < longest_m {
            let next_m = (gone_m + step_m).min(longest_m);
            self.aim((starts, wanted), next_m / longest_m);
            self.step(next_m - gone_m, true);
            gone_m = next_m;
        }
        self.aim((starts, wanted), 1.0);
        for _ in 0..LAST_STEPS {
            if self.lack_m() < REACHED_M {
                return;
            }
            self.step(LAST_STEP_M, self.drags_hips());
        }
    }

    fn aim(&mut self, (starts, wanted): (&[Vec3A], &[Effector]), share: f32) {
        for ((it, &start), wanted) in self.effectors.iter_mut().zip(starts).zip(wanted) {
            it.target = match it.pinned {
                true => wanted.target,
                false => start.lerp(wanted.target, share),
            };
        }
        for goal in self.goals.iter_mut().flatten() {
            let asked = self.effectors.iter().find(|it| it.joint == goal.joint);
            goal.target = asked.map_or(goal.target, |it| it.target);
        }
    }

    /// The largest that anything dragged lacks.
    fn lack_m(&self) -> f32 {
        let dragged = self.effectors.iter().filter(|it| !it.pinned);
        let lacks = dragged.map(|it| self.error(it).length());
        lacks.fold(0.0, f32::max)
    }

    fn error(&self, it: &Effector) -> Vec3A {
        it.target - self.model.joints()[usize::from(it.joint)].translation
    }

    /// Hips and spine go along with the walk; in the end the rest makes up for what
    /// is missing. They would not end in the same place for every target.
    fn step(&mut self, step_m: f32, walks: bool) {
        self.before.copy_from(self.pose);
        self.kept.save();
        if walks {
            let give = (self.own, step_m, self.drags_hips());
            let limbs = self.dragged_limbs();
            self.body
                .trunk
                .give_back(give, &limbs, &mut self.kept, self.pose);
        }
        self.place();
        self.bend_hinges(step_m);
        let handles = self.handles();
        self.pull((&handles, walks && !self.pins_hips()), step_m);
        if !self.hold_pins(step_m) {
            self.bring_back(step_m);
        }
    }

    fn pins_hips(&self) -> bool {
        let carrier = self.body.carrier;
        { self.effectors.iter() }.any(|it| it.pinned && it.joint == carrier)
    }

    fn drags_hips(&self) -> bool {
        let carrier = self.body.carrier;
        { self.effectors.iter() }.any(|it| !it.pinned && it.joint == carrier)
    }

    /// Places the trunk, and limbs that are dragged.
    fn place(&mut self) {
        let body = self.body;
        body.trunk.place(self.skeleton, self.pose, self.model);
        for (limb, goal) in body.limbs.iter().zip(&self.goals) {
            if let Some(goal) = goal.as_ref().filter(|goal| !goal.pinned) {
                limb.place(self.skeleton, goal, self.pose, self.model);
            }
        }
    }

    /// Elbows and knees that are all but straight bend to the length of the way:
    /// nothing in the slope of the error tells them to.
    fn bend_hinges(&mut self, step_m: f32) {
        for (limb, goal) in self.body.limbs.iter().zip(&self.goals) {
            let Some(goal) = goal.as_ref().filter(|goal| !goal.pinned && !goal.hinge) else {
                continue;
            };
            let [root, middle, end] = limb.points(self.model);
            let shortest_m = root.distance(middle).min(middle.distance(end)).max(1e-3);
            let most_rad = HINGE_GAIN * step_m / shortest_m;
            let (axis, missing_rad) = limb.missing_bend(goal, self.model);
            let bent = 1.0 - limb.bend_rad(goal, self.model) / STRAIGHT_RAD;
            let most_rad = most_rad * bent.max(0.0);
            let angle = missing_rad.clamp(0.0, most_rad);
            let joint = limb.joints[1];
            let bend = Quat::from_axis_angle(axis.into(), angle);
            let wanted = local(self.skeleton, (joint, bend), self.model);
            let now = self.pose.joints()[usize::from(joint)].rotation;
            self.pose.joints_mut()[usize::from(joint)].rotation =
                self.kept.turned(joint, now, wanted);
            limb.place(self.skeleton, goal, self.pose, self.model);
        }
    }

    /// What limb roots, trunk and hips are asked for.
    fn handles(&self) -> Vec<Handle> {
        let limbs = &self.body.limbs;
        let of_limb = |it: &Effector| limbs.iter().any(|limb| limb.has(self.skeleton, it.joint));
        let asked = self.effectors.iter();
        let asked = asked.filter(|it| !it.pinned || !of_limb(it));
        asked
            .map(|it| Handle {
                joint: it.joint,
                error: self.error(it),
            })
            .collect()
    }

    /// Roots and hinges of limbs that are dragged.
    fn dragged_limbs(&self) -> Vec<Turning> {
        let limbs = self.body.limbs.iter().zip(&self.goals);
        let dragged = limbs.filter_map(|(limb, goal)| Some((limb, goal.as_ref()?)));
        let dragged = dragged.filter(|(_, goal)| !goal.pinned);
        let turning = dragged.flat_map(|(limb, goal)| {
            let of = |joint: JointIndex, hinge: Option<Vec3A>| Turning {
                joint,
                weight: 1.0,
                hinge,
                blocked: None,
            };
            let (axis, _) = limb.missing_bend(goal, self.model);
            let hinge = (!goal.hinge).then(|| of(limb.joints[1], Some(axis)));
            [Some(of(limb.joints[0], None)), hinge]
        });
        turning.flatten().collect()
    }

    fn pull(&mut self, (handles, with_hips): (&[Handle], bool), step_m: f32) {
        let limbs = self.dragged_limbs();
        self.body.trunk.step(
            self.skeleton,
            (handles, &limbs, with_hips, step_m),
            (&mut self.kept, self.own),
            self.pose,
            self.model,
        );
        self.place();
    }

    /// Bends pinned limbs; whether all of them are where they were.
    fn hold_pins(&mut self, step_m: f32) -> bool {
        // The other hinge of a step that is as long as this one.
        let most_m = 2.0 * HINGE_GAIN * step_m;
        let mut held = true;
        for (limb, goal) in self.body.limbs.iter().zip(&self.goals) {
            if let Some(goal) = goal.as_ref().filter(|goal| goal.pinned) {
                let pose = (&mut *self.pose, &mut *self.model);
                let asked = (goal, &self.before, most_m);
                held &= limb.hold(self.skeleton, asked, &mut self.kept, pose);
            }
        }
        held
    }

    /// A pinned limb does not reach: the trunk is drawn to where it does, and goes
    /// less far where that is not enough.
    fn bring_back(&mut self, step_m: f32) {
        let limbs = self.body.limbs.iter().zip(&self.goals);
        let pinned = limbs.filter_map(|(limb, goal)| {
            let goal = goal.as_ref().filter(|goal| goal.pinned)?;
            let error = goal.out_of_reach(limb, self.model);
            let joint = limb.joints[0];
            (error.length() > 1e-6).then_some(Handle { joint, error })
        });
        let handles: Vec<Handle> = pinned.collect();
        if !handles.is_empty() {
            let with_hips = !self.pins_hips();
            self.pull((&handles, with_hips), step_m);
            if self.hold_pins(step_m) {
                return;
            }
        }
        let carrying = self.carrying();
        let tried = self.pose.clone();
        for halving in 1..=HALVINGS + 1 {
            let share = if halving > HALVINGS {
                0.0
            } else {
                0.5f32.powi(halving as i32)
            };
            for &joint in &carrying {
                let index = usize::from(joint);
                let (from, to) = (self.before.joints()[index], tried.joints()[index]);
                // Within limits both, but the way between them need not be: it is
                // as short as the step.
                self.pose.joints_mut()[index] = from.lerp(to, share);
                if share == 0.0 {
                    self.kept.restore(joint);
                }
            }
            self.place();
            if self.hold_pins(step_m) {
                return;
            }
        }
    }

    /// Joints of the trunk that pinned limbs hang on.
    fn carrying(&self) -> Vec<JointIndex> {
        let limbs = self.body.limbs.iter().zip(&self.goals);
        let pinned = limbs.filter(|(_, goal)| goal.as_ref().is_some_and(|goal| goal.pinned));
        let roots: Vec<JointIndex> = pinned.map(|(limb, _)| limb.joints[0]).collect();
        let carries = |&joint: &JointIndex| {
            roots
                .iter()
                .any(|&root| self.skeleton.descends(root, joint))
        };
        self.body.trunk.turning().filter(carries).collect()
    }

    /// Hands, feet and heads that are to be turned some way. Hips would take the
    /// feet along.
    fn turn_ends(&mut self) {
        self.model.compute(self.skeleton, self.pose);
        for it in &self.effectors {
            let rotation = it.rotation.filter(|it| it.is_finite());
            let Some(rotation) = rotation.filter(|_| !it.pinned && it.joint != self.body.carrier)
            else {
                continue;
            };
            let index = usize::from(it.joint);
            let now = self.model.joints()[index].rotation;
            let turn = rotation * now.conjugate();
            let wanted = local(self.skeleton, (it.joint, turn), self.model);
            let before = self.pose.joints()[index].rotation;
            self.pose.joints_mut()[index].rotation = self.kept.turned(it.joint, before, wanted);
        }
    }
}
