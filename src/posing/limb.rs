//! An arm or a leg that is sent somewhere: it bends in its own hinge until it
//! is as long as the way, then turns as a whole about its root by the shortest
//! way. Nothing of its elbow or knee but the bend changes, and the side that it
//! bends to is the one of the motion.

use glam::{Quat, Vec3A};

use super::{kept::KeptLimits, whole_body::Effector};
use crate::{
    humanoid::{JointLimit, JointLimits},
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
/// A foot that is pinned is there, metres.
const HELD_M: f32 = 3e-4;

/// Root, hinge and end of a limb.
#[derive(Clone, Debug)]
pub(super) struct BodyLimb {
    pub joints: [JointIndex; 3],
    pub is_leg: bool,
    /// Joints from root to end, all of them, parents first.
    pub chain: Vec<JointIndex>,
}

/// Where a limb's end is to be.
#[derive(Clone, Debug)]
pub(super) struct LimbGoal {
    /// Of the joint that was asked for: the end, or one that hangs on it.
    pub target: Vec3A,
    pub joint: JointIndex,
    /// Of the end.
    pub rotation: Option<Quat>,
    pub pinned: bool,
    /// The hinge itself is sent, and the end goes along.
    pub hinge: bool,
    /// The hinge's axis in the hinge's own space, as the motion bends it.
    axis: Vec3A,
    /// How long the limb may get, metres.
    most_m: f32,
    least_m: f32,
}

impl LimbGoal {
    pub fn at(&self, model: &ModelPose) -> Vec3A {
        model.joints()[usize::from(self.joint)].translation
    }

    /// From the limb's root to where its end should be.
    fn way(&self, limb: &BodyLimb, model: &ModelPose) -> Vec3A {
        let [root, _, end] = limb.points(model);
        let beyond = match self.hinge {
            true => Vec3A::ZERO,
            false => self.at(model) - end,
        };
        self.target - beyond - root
    }

    /// How far the limb's root has to go before the limb reaches.
    pub fn out_of_reach(&self, limb: &BodyLimb, model: &ModelPose) -> Vec3A {
        let way = self.way(limb, model);
        let distance = way.length();
        let over = (distance - self.most_m).max(0.0) + (distance - self.least_m).min(0.0);
        way.normalize_or_zero() * over
    }
}

impl BodyLimb {
    pub fn of(skeleton: &Skeleton, joints: [Option<JointIndex>; 3], is_leg: bool) -> Option<Self> {
        let [Some(root), Some(middle), Some(end)] = joints else {
            return None;
        };
        let mut chain = vec![root];
        chain.extend(skeleton.between(root, end)?);
        chain.push(end);
        chain.contains(&middle).then_some(Self {
            joints: [root, middle, end],
            is_leg,
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
        (effectors, limits): (&[Effector], &JointLimits),
        model: &ModelPose,
    ) -> Option<LimbGoal> {
        let own = effectors.iter().filter(|it| self.has(skeleton, it.joint));
        let asked = own.min_by_key(|it| it.pinned)?;
        let [root, middle, end] = self.points(model);
        let (upper_m, lower_m) = (root.distance(middle), middle.distance(end));
        let hinge = self.chain[1..self.chain.len() - 1].contains(&asked.joint);
        let (full_m, now_m) = (upper_m + lower_m, root.distance(end));
        let ends_there = asked.joint == self.joints[2];
        let kept = asked
            .pinned
            .then(|| model.joints()[usize::from(self.joints[2])].rotation);
        let [least_m, most_m] = match hinge {
            true => [upper_m; 2],
            false => [
                (LEAST_REACH * full_m).min(now_m),
                (FULL_STRETCH * full_m).max(now_m.min(full_m)),
            ],
        };
        Some(LimbGoal {
            target: asked.target,
            joint: asked.joint,
            rotation: asked.rotation.filter(|_| ends_there).or(kept),
            pinned: asked.pinned,
            axis: self.axis(skeleton, limits, model),
            most_m,
            least_m,
            hinge,
        })
    }

    /// The axis that the motion bends it about; of a limb that is all but
    /// straight more and more the file's only axis, or a human's.
    fn axis(&self, skeleton: &Skeleton, limits: &JointLimits, model: &ModelPose) -> Vec3A {
        let [root, middle, end] = self.points(model);
        let upper = (middle - root).normalize_or(Vec3A::NEG_Y);
        let lower = (end - middle).normalize_or(upper);
        let across = upper.cross(lower);
        let lack = STRAIGHT_SINE - across.length();
        let axis = match lack > 0.0 {
            false => across,
            true => {
                let own = self.own_axis(skeleton, limits, model).unwrap_or(across);
                let own = (own - upper * upper.dot(own)).normalize_or_zero();
                // Bent beyond straight it is bent about the same hinge still.
                let sign = if across.dot(own) < 0.0 { -1.0 } else { 1.0 };
                across * sign + own * lack
            }
        };
        let axis = axis.try_normalize();
        let axis = axis.unwrap_or(upper.any_orthonormal_vector());
        let place = model.joints()[usize::from(self.joints[1])].rotation;
        place.conjugate() * axis
    }

    fn own_axis(
        &self,
        skeleton: &Skeleton,
        limits: &JointLimits,
        model: &ModelPose,
    ) -> Option<Vec3A> {
        let middle = self.joints[1];
        let turned = |joint: usize| model.joints().get(joint).map(|it| it.rotation);
        match limits.get(middle)? {
            JointLimit::Own(limit) => {
                // Files count a bend positive: −10° to 170°.
                let parent = skeleton.parents()[usize::from(middle)];
                limit.hinge().zip(turned(usize::from(parent)))
            }
            JointLimit::Human(limit) => Some(limit.flexion_axis).zip(turned(usize::from(middle))),
        }
        .map(|(axis, turned)| turned * axis)
    }

    /// Places its joints, and those between its end and what was asked for.
    pub fn place(
        &self,
        skeleton: &Skeleton,
        goal: &LimbGoal,
        pose: &LocalPose,
        model: &mut ModelPose,
    ) {
        for &joint in &self.chain {
            model.place_joint(skeleton, pose, usize::from(joint));
        }
        let (end, asked) = (usize::from(self.joints[2]), usize::from(goal.joint));
        // What was asked for may hang on the end; children come after parents.
        if !self.chain.contains(&goal.joint) {
            for joint in end + 1..=asked {
                model.place_joint(skeleton, pose, joint);
            }
        }
    }

    /// How far it is bent, radians.
    pub fn bend_rad(&self, goal: &LimbGoal, model: &ModelPose) -> f32 {
        let [root, middle, end] = self.points(model);
        let axis = model.joints()[usize::from(self.joints[1])].rotation * goal.axis;
        let (upper, lower) = (middle - root, end - middle);
        axis.dot(upper.cross(lower)).atan2(upper.dot(lower))
    }

    /// How far the hinge has to turn for the end to be as far from the root as
    /// asked, with the axis in model space; radians.
    pub fn missing_bend(&self, goal: &LimbGoal, model: &ModelPose) -> (Vec3A, f32) {
        let [root, middle, end] = self.points(model);
        let axis = model.joints()[usize::from(self.joints[1])].rotation * goal.axis;
        let (upper, lower) = (middle - root, end - middle);
        let flat = |v: Vec3A| v - axis * axis.dot(v);
        let along_m = axis.dot(upper) + axis.dot(lower);
        let (upper, lower) = (flat(upper), flat(lower));
        let now_rad = axis.dot(upper.cross(lower)).atan2(upper.dot(lower));
        let distance_m = goal.way(self, model).length();
        // Exactly as far as it is already: no turn, not a rounding of one.
        if (distance_m - root.distance(end)).abs() < 1e-6 {
            return (axis, 0.0);
        }
        let distance_m = distance_m.clamp(goal.least_m, goal.most_m);
        // |u + l|² = u² + l² + 2 u l cos, and what lies along the axis stays.
        let (upper_m, lower_m) = (upper.length(), lower.length());
        let square = distance_m * distance_m - along_m * along_m;
        let cosine =
            (square - upper_m * upper_m - lower_m * lower_m) / (2.0 * upper_m * lower_m).max(1e-9);
        (axis, cosine.clamp(-1.0, 1.0).acos() - now_rad)
    }

    /// Brings a pinned end back to where it was, from how `before` bends the
    /// limb; whether it came there, no joint is beyond what it may and the hinge
    /// went no further than `most_m`. Only its own joints are placed.
    pub fn hold(
        &self,
        skeleton: &Skeleton,
        (goal, before, most_m): (&LimbGoal, &LocalPose, f32),
        kept: &mut KeptLimits<'_>,
        (pose, model): (&mut LocalPose, &mut ModelPose),
    ) -> bool {
        let hinge_before = self.points(model)[1];
        for &joint in &self.chain {
            let index = usize::from(joint);
            pose.joints_mut()[index].rotation = before.joints()[index].rotation;
            kept.restore(joint);
        }
        self.place(skeleton, goal, pose, model);
        let [top, middle, end] = self.joints;
        let (axis, bend_rad) = self.missing_bend(goal, model);
        let bend = Quat::from_axis_angle(axis.into(), bend_rad);
        turn(skeleton, (middle, bend), pose, model);
        self.place(skeleton, goal, pose, model);
        let root = self.points(model)[0];
        let swing = ik::arc(goal.at(model) - root, goal.target - root);
        turn(skeleton, (top, swing), pose, model);
        self.place(skeleton, goal, pose, model);
        if let Some(rotation) = goal.rotation {
            let now = model.joints()[usize::from(end)].rotation;
            turn(skeleton, (end, rotation * now.conjugate()), pose, model);
            self.place(skeleton, goal, pose, model);
        }
        let went_m = self.points(model)[1].distance(hinge_before);
        let allowed = { self.joints }
            .map(|joint| kept.allows(joint, pose.joints()[usize::from(joint)].rotation));
        goal.at(model).distance(goal.target) < HELD_M && went_m < most_m && allowed == [true; 3]
    }
}

/// Turns a joint in model space.
fn turn(
    skeleton: &Skeleton,
    (joint, turn): (JointIndex, Quat),
    pose: &mut LocalPose,
    model: &ModelPose,
) {
    pose.joints_mut()[usize::from(joint)].rotation = local(skeleton, (joint, turn), model);
}

/// What a joint's rotation in its parent is after a turn in model space.
pub(super) fn local(
    skeleton: &Skeleton,
    (joint, turn): (JointIndex, Quat),
    model: &ModelPose,
) -> Quat {
    let index = usize::from(joint);
    let above = model.joints().get(usize::from(skeleton.parents()[index]));
    let above = above.map_or(Quat::IDENTITY, |above| above.rotation);
    (above.conjugate() * turn * model.joints()[index].rotation).normalize()
}
