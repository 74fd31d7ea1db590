//! An arm or a leg that is sent somewhere: it bends in its own hinge until it
//! is as long as the way, then turns as a whole about its root by the shortest
//! way. Nothing of its elbow or knee but the bend changes, and the side that it
//! bends to is the one of the motion.

use glam::{Quat, Vec3A};

use super::whole_body::{Allowed, Effector};
use crate::{
    humanoid::JointLimit,
    math::ik,
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// Share of its length to which a limb is stretched; a limb that the motion has
/// straighter may stay so. Quite straight, an elbow would jump when let go.
const FULL_STRETCH: f32 = 0.985;
/// Share of the two bones' sum under which a limb is not folded.
const LEAST_REACH: f32 = 0.22;
/// Sine of a bend below which a limb says little of its hinge: 10 degrees.
const STRAIGHT_SINE: f32 = 0.17;
/// A foot that is sent where it was is there, metres.
const HELD_M: f32 = 5e-4;
/// Rounds in which root and hinge take turns where limits hold them.
const LIMITED_ROUNDS: usize = 6;
/// The most a hinge turns in one of them, radians.
const MOST_STEP_RAD: f32 = 0.3;

/// Root, hinge and end of a limb.
#[derive(Clone, Debug)]
pub(super) struct BodyLimb {
    pub joints: [JointIndex; 3],
    pub is_leg: bool,
    /// Joints from root to end, all of them, parents first.
    chain: Vec<JointIndex>,
}

/// Where a limb's end is to be.
#[derive(Clone, Debug)]
pub(super) struct LimbGoal {
    /// Of the joint that was asked for: the end, or one that hangs on it.
    pub target: Vec3A,
    pub joint: JointIndex,
    /// Of the end.
    rotation: Option<Quat>,
    pub pinned: bool,
    /// The hinge itself is sent, and the end goes along.
    hinge: bool,
    /// How long the limb may get, metres.
    most_m: f32,
    least_m: f32,
}

impl LimbGoal {
    fn at(&self, model: &ModelPose) -> Vec3A {
        model.joints()[usize::from(self.joint)].translation
    }

    /// From where it is to where it should be.
    pub fn lack(&self, _: &BodyLimb, model: &ModelPose) -> Vec3A {
        self.target - self.at(model)
    }

    /// How far the limb's root has to go before the limb reaches.
    pub fn out_of_reach(&self, limb: &BodyLimb, model: &ModelPose) -> Vec3A {
        let [root, _, end] = limb.points(model);
        let beyond = if self.hinge {
            Vec3A::ZERO
        } else {
            self.at(model) - end
        };
        let way = self.target - beyond - root;
        let distance = way.length();
        let over = (distance - self.most_m).max(0.0) + (distance - self.least_m).min(0.0);
        way.normalize_or_zero() * over
    }
}

impl BodyLimb {
    pub fn of(skeleton: &Skeleton, joints: [Option<JointIndex>; 3]) -> Option<Self> {
        let [Some(root), Some(middle), Some(end)] = joints else {
            return None;
        };
        let mut chain = vec![root];
        chain.extend(skeleton.between(root, end)?);
        chain.push(end);
        let human = crate::humanoid::Human::find(skeleton);
        let thighs = crate::humanoid::Side::BOTH
            .map(|side| human.first(side.role(crate::humanoid::Limb::Thigh)));
        chain.contains(&middle).then(|| Self {
            joints: [root, middle, end],
            is_leg: thighs.contains(&Some(root)),
            chain,
        })
    }

    /// Whether a joint is part of it, or hangs on it.
    pub fn has(&self, skeleton: &Skeleton, joint: JointIndex) -> bool {
        self.chain[1..].contains(&joint) || skeleton.descends(joint, self.joints[2])
    }

    pub fn points(&self, model: &ModelPose) -> [Vec3A; 3] {
        { self.joints }.map(|joint| model.joints()[usize::from(joint)].translation)
    }

    /// What effectors ask of it; what is dragged before what is pinned.
    pub fn goal(
        &self,
        skeleton: &Skeleton,
        effectors: &[Effector],
        model: &ModelPose,
    ) -> Option<LimbGoal> {
        let mut own = effectors.iter().filter(|it| self.has(skeleton, it.joint));
        let first = own.next()?;
        let asked = own.fold(
            first,
            |kept, it| if kept.pinned && !it.pinned { it } else { kept },
        );
        let [root, middle, end] = self.points(model);
        let (upper_m, lower_m) = (root.distance(middle), middle.distance(end));
        let hinge = self.chain[1..self.chain.len() - 1].contains(&asked.joint);
        let full_m = upper_m + lower_m;
        let now_m = root.distance(end);
        let ends_there = asked.joint == self.joints[2];
        let kept = asked
            .pinned
            .then(|| model.joints()[usize::from(self.joints[2])].rotation);
        Some(LimbGoal {
            target: asked.target,
            joint: asked.joint,
            rotation: asked.rotation.filter(|_| ends_there).or(kept),
            pinned: asked.pinned,
            most_m: if hinge {
                upper_m
            } else {
                (FULL_STRETCH * full_m).max(now_m.min(full_m))
            },
            least_m: if hinge {
                upper_m
            } else {
                (LEAST_REACH * full_m).min(now_m)
            },
            hinge,
        })
    }

    /// Sends it there from how the motion bends it; whether it came there and no
    /// joint is beyond what it may. Only its own joints are placed.
    pub fn bend(
        &self,
        skeleton: &Skeleton,
        (goal, allowed): (&LimbGoal, &Allowed<'_>),
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) -> bool {
        for &joint in &self.chain {
            let index = usize::from(joint);
            pose.joints_mut()[index].rotation = allowed.own().joints()[index].rotation;
        }
        self.place(skeleton, goal, pose, model);
        let mut arm = Bending {
            limb: self,
            skeleton,
            allowed,
            pose,
            model,
            goal,
        };
        arm.reach();
        arm.turn_end();
        self.place(skeleton, goal, pose, model);
        goal.lack(self, model).length() < HELD_M && self.within(allowed, pose)
    }

    fn place(&self, skeleton: &Skeleton, goal: &LimbGoal, pose: &LocalPose, model: &mut ModelPose) {
        for &joint in &self.chain {
            model.place_joint(skeleton, pose, usize::from(joint));
        }
        // What was asked for may hang on the end.
        if skeleton.descends(goal.joint, self.joints[2]) {
            for joint in usize::from(self.joints[2]) + 1..=usize::from(goal.joint) {
                model.place_joint(skeleton, pose, joint);
            }
        }
    }

    fn within(&self, allowed: &Allowed<'_>, pose: &LocalPose) -> bool {
        self.joints.iter().all(|&joint| {
            let index = usize::from(joint);
            let excess = |pose: &LocalPose| {
                allowed
                    .limits()
                    .excess_rad(joint, pose.joints()[index].rotation)
            };
            excess(pose) <= excess(allowed.own()) + crate::humanoid::ROUNDING_RAD
        })
    }
}

/// A limb on its way.
struct Bending<'a> {
    limb: &'a BodyLimb,
    skeleton: &'a Skeleton,
    allowed: &'a Allowed<'a>,
    pose: &'a mut LocalPose,
    model: &'a mut ModelPose,
    goal: &'a LimbGoal,
}

impl Bending<'_> {
    fn reach(&mut self) {
        if self.goal.hinge {
            self.turn_root();
            return;
        }
        // The hand turns with the forearm, and what hangs on it with the hand.
        let rounds = if self.goal.joint == self.limb.joints[2] {
            1
        } else {
            4
        };
        for _ in 0..rounds {
            let [root, _, end] = self.limb.points(self.model);
            let target = self.goal.target - (self.goal.at(self.model) - end);
            self.bend_hinge((target - root).length());
            self.turn_root();
        }
        // A pinned limb that its limits hold off is not to be had otherwise.
        let mut round = 0;
        while round < LIMITED_ROUNDS && !self.goal.pinned && self.lack_m() > HELD_M {
            self.point_hinge();
            self.turn_root();
            round += 1;
        }
    }

    fn lack_m(&self) -> f32 {
        self.goal.lack(self.limb, self.model).length()
    }

    /// The hinge's axis in model space, and how far the limb is bent about it.
    fn hinge(&self) -> (Vec3A, f32) {
        let [root, middle, end] = self.limb.points(self.model);
        let upper = (middle - root).normalize_or(Vec3A::NEG_Y);
        let lower = (end - middle).normalize_or(upper);
        let across = upper.cross(lower);
        let axis = match across.length() > STRAIGHT_SINE {
            true => across,
            false => {
                let own = self.own_hinge().unwrap_or(across);
                let own = (own - upper * upper.dot(own)).normalize_or_zero();
                // Bent beyond straight it is bent about the same hinge still.
                let across = across * if across.dot(own) < 0.0 { -1.0 } else { 1.0 };
                across + own * (STRAIGHT_SINE - across.length())
            }
        };
        let axis = axis
            .try_normalize()
            .unwrap_or(upper.any_orthonormal_vector());
        let flat = |v: Vec3A| v - axis * axis.dot(v);
        let (upper, lower) = (flat(upper), flat(lower));
        (axis, axis.dot(upper.cross(lower)).atan2(upper.dot(lower)))
    }

    /// Of a limb that is all but straight: the file's only axis, or a human's.
    fn own_hinge(&self) -> Option<Vec3A> {
        let [root, middle, _] = self.limb.joints;
        let [above, own] = [root, middle].map(|it| self.model.joints()[usize::from(it)].rotation);
        match self.allowed.limits().get(middle)? {
            JointLimit::Own(limit) => {
                // Files count a bend positive: −10° to 170°.
                let parent = usize::from(self.skeleton.parents()[usize::from(middle)]);
                let above = self
                    .model
                    .joints()
                    .get(parent)
                    .map_or(above, |it| it.rotation);
                limit.hinge().map(|axis| above * axis)
            }
            JointLimit::Human(limit) => Some(own * limit.flexion_axis),
        }
    }

    /// Bends the hinge until the end is as far from the root as asked.
    fn bend_hinge(&mut self, distance_m: f32) {
        let [root, middle, end] = self.limb.points(self.model);
        let (upper_m, lower_m) = (root.distance(middle), middle.distance(end));
        let (axis, now_rad) = self.hinge();
        let distance_m = distance_m.clamp(self.goal.least_m, self.goal.most_m);
        let product = (2.0 * upper_m * lower_m).max(1e-9);
        let cosine = (distance_m * distance_m - upper_m * upper_m - lower_m * lower_m) / product;
        // Exactly as far as it is already: no turn, not a rounding of one.
        if (distance_m - root.distance(end)).abs() < 1e-6 {
            return;
        }
        let bend_rad = cosine.clamp(-1.0, 1.0).acos();
        self.turn(
            self.limb.joints[1],
            Quat::from_axis_angle(axis.into(), bend_rad - now_rad),
        );
    }

    /// Bends the hinge to where the end is nearest, the root held.
    fn point_hinge(&mut self) {
        let [_, middle, end] = self.limb.points(self.model);
        let (axis, _) = self.hinge();
        let target = self.goal.target - (self.goal.at(self.model) - end);
        let flat = |v: Vec3A| v - axis * axis.dot(v);
        let (from, to) = (flat(end - middle), flat(target - middle));
        if from.length().min(to.length()) < 1e-4 {
            return;
        }
        let angle = axis.dot(from.cross(to)).atan2(from.dot(to));
        // In small steps: past half a turn the sign changes.
        let angle = angle.clamp(-MOST_STEP_RAD, MOST_STEP_RAD);
        self.turn(
            self.limb.joints[1],
            Quat::from_axis_angle(axis.into(), angle),
        );
    }

    fn turn_root(&mut self) {
        let [root, ..] = self.limb.points(self.model);
        let turn = ik::arc(self.goal.at(self.model) - root, self.goal.target - root);
        self.turn(self.limb.joints[0], turn);
    }

    /// Turns a joint in model space as far as its limit lets it.
    fn turn(&mut self, joint: JointIndex, turn: Quat) {
        let index = usize::from(joint);
        let rotated = turn * self.model.joints()[index].rotation;
        self.set(joint, rotated);
        self.limb
            .place(self.skeleton, self.goal, self.pose, self.model);
    }

    fn set(&mut self, joint: JointIndex, rotation: Quat) {
        let index = usize::from(joint);
        let parent = usize::from(self.skeleton.parents()[index]);
        let above = self.model.joints().get(parent);
        let above = above.map_or(Quat::IDENTITY, |above| above.rotation);
        let local = (above.conjugate() * rotation).normalize();
        // A limb that is pinned is bent as it must be; whether that may be is
        // asked afterwards.
        let local = match self.goal.pinned {
            true => local,
            false => self.allowed.clamp(joint, local),
        };
        self.pose.joints_mut()[index].rotation = local;
    }

    fn turn_end(&mut self) {
        if let Some(rotation) = self.goal.rotation.filter(|it| it.is_finite()) {
            self.set(self.limb.joints[2], rotation);
        }
    }
}
