//! Who follows a joint that is pulled: its limb, the trunk where the limb is
//! too short, and at last the hips, with the feet left standing.

use glam::{Quat, Vec3A};

use crate::{
    humanoid::{Human, LegChain, LegJoints, Limb, Role, Side, carrier},
    math::ik,
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, rotate_joint},
};

/// Near enough to the target, metres.
const REACHED_M: f32 = 5e-4;
/// Rounds in which limb and trunk take turns.
const ROUNDS: usize = 12;
/// Share of what is missing that a joint of the trunk makes up for in a round;
/// small, so that the bend is spread over all of them.
const TRUNK_SHARE: f32 = 0.25;
/// No joint of the trunk bends further from where the motion has it, radians.
const TRUNK_BEND_RAD: f32 = 0.5;
/// The same for the bone that ends in the pulled joint, as an upper arm in its
/// elbow.
const LEAD_BEND_RAD: f32 = 2.5;
/// The same for chains of creatures that nothing is known of.
const CHAIN_BEND_RAD: f32 = 1.2;
/// How far the hips give way at most, as a share of the body's height.
const HIPS_GIVE: f32 = 0.18;
/// Share of its length to which a leg is straightened by hips that give way.
const LEG_REACH: f32 = 0.97;
/// A limb that is bent less, metres, says nothing of its side.
const STRAIGHT_BEND_M: f32 = 0.015;

/// How a skeleton follows one of its joints.
#[derive(Clone, Debug)]
pub struct Pull {
    joint: JointIndex,
    carrier: JointIndex,
    limb: Option<PulledLimb>,
    /// Joints that bend, nearest to the pulled one first.
    chain: Vec<JointIndex>,
    most_bend_rad: f32,
    /// Legs whose feet stay when the hips move.
    standing: Vec<LegChain>,
    most_give_m: f32,
}

/// Two bones with a hinge between them.
#[derive(Clone, Debug)]
struct PulledLimb {
    /// Shoulder, elbow, wrist; hip, knee, ankle.
    joints: [JointIndex; 3],
    /// Where the hinge bends to while the limb is straight, in the frame of the
    /// body: left, up, forward.
    bends_to: Vec3A,
    human: Human,
}

impl Pull {
    /// What follows `joint`.
    #[must_use]
    pub fn of(skeleton: &Skeleton, joint: JointIndex) -> Self {
        let (human, carrier) = (Human::find(skeleton), carrier(skeleton));
        let limb = PulledLimb::of(skeleton, &human, joint);
        let top = limb.as_ref().map_or(joint, |limb| limb.joints[0]);
        let known = human.first(Role::Hips).is_some();
        Self {
            joint,
            carrier,
            chain: bending(skeleton, &human, carrier, top),
            most_bend_rad: match known {
                true => TRUNK_BEND_RAD,
                false => CHAIN_BEND_RAD,
            },
            standing: { LegChain::of(skeleton).into_iter() }
                .filter(|leg| !skeleton.descends(joint, leg.joints.hip))
                .collect(),
            most_give_m: match known {
                true => HIPS_GIVE * skeleton.rest_height_m(),
                false => 0.0,
            },
            limb,
        }
    }

    /// The joint that is pulled.
    #[must_use]
    pub fn joint(&self) -> JointIndex {
        self.joint
    }

    /// Brings the joint to a point of the model, or as near as the body lets it.
    /// `model` is the pose in model space, and stays up to date.
    pub fn apply(
        &self,
        skeleton: &Skeleton,
        target: Vec3A,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        if !target.is_finite() || target.distance(self.at(model)) < REACHED_M {
            return;
        }
        if self.limb.is_none() && self.chain.is_empty() {
            let way = target - self.at(model);
            self.move_hips(skeleton, way, pose, model);
            return;
        }
        let own = pose.clone();
        for _ in 0..ROUNDS {
            self.bend_limb(skeleton, target, pose, model);
            if target.distance(self.at(model)) < REACHED_M {
                return;
            }
            self.bend_chain(skeleton, target, &own, pose, model);
        }
        let lack = (target - self.at(model)).clamp_length_max(self.most_give_m);
        let way = lack * self.give(lack, model);
        if way.length() > REACHED_M {
            self.move_hips(skeleton, way, pose, model);
            self.bend_limb(skeleton, target, pose, model);
        }
    }

    /// How much of a way the hips can go with the feet left standing, 0 to 1.
    fn give(&self, way: Vec3A, model: &ModelPose) -> f32 {
        let reaches = |share: f32| {
            self.standing
                .iter()
                .all(|leg| within_leg(leg, way * share, model))
        };
        let tenths = (1..=10).rev().map(|tenth| tenth as f32 / 10.0);
        { tenths }.find(|share| reaches(*share)).unwrap_or(0.0)
    }

    fn at(&self, model: &ModelPose) -> Vec3A {
        model.joints()[usize::from(self.joint)].translation
    }

    /// A joint beyond the limb's end, as a finger, is brought there by its limb.
    fn bend_limb(
        &self,
        skeleton: &Skeleton,
        target: Vec3A,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let Some(limb) = &self.limb else {
            return;
        };
        // The hand turns with the forearm, and what hangs on it with the hand.
        let rounds = if limb.joints[2] == self.joint { 1 } else { 4 };
        for _ in 0..rounds {
            let end = model.joints()[usize::from(limb.joints[2])].translation;
            let goal = target - (self.at(model) - end);
            limb.bend(skeleton, goal, pose, model);
        }
    }

    /// Every joint of the chain takes a share of what is missing.
    fn bend_chain(
        &self,
        skeleton: &Skeleton,
        target: Vec3A,
        own: &LocalPose,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        for (index, &joint) in self.chain.iter().enumerate() {
            let pivot = model.joints()[usize::from(joint)].translation;
            let missing = ik::arc(self.at(model) - pivot, target - pivot);
            // What is next to the pulled joint turns freely: an elbow is led by
            // the upper arm alone where that is enough.
            let leads = index == 0 && self.limb.is_none();
            let share = if leads { 1.0 } else { TRUNK_SHARE };
            let most_rad = match leads {
                true => LEAD_BEND_RAD,
                false => self.most_bend_rad,
            };
            let turn = Quat::IDENTITY.slerp(missing, share);
            let before = own.joints()[usize::from(joint)].rotation;
            let turn = within(skeleton, joint, (turn, before, most_rad), model);
            rotate_joint(skeleton, joint, turn, pose, model);
        }
    }

    /// The whole body goes; feet that stand stay.
    fn move_hips(
        &self,
        skeleton: &Skeleton,
        way: Vec3A,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let carrier = usize::from(self.carrier);
        let parent = usize::from(skeleton.parents()[carrier]);
        let above = model.joints().get(parent).map(|joint| joint.rotation);
        let local = above.map_or(way, |above| above.conjugate() * way);
        let feet = { self.standing.iter() }.map(|leg| foot(leg, model));
        let feet: Vec<Vec3A> = feet.collect();
        pose.joints_mut()[carrier].translation += local;
        model.compute(skeleton, pose);
        for (leg, stood) in self.standing.iter().zip(feet) {
            let offset = stood - foot(leg, model);
            leg.shift_foot(skeleton, offset, pose, model);
        }
    }
}

/// Whether a leg still reaches its foot from hips that went a way.
fn within_leg(leg: &LegChain, way: Vec3A, model: &ModelPose) -> bool {
    let LegJoints {
        hip, knee, ankle, ..
    } = leg.joints;
    let [hip, knee, ankle] =
        [hip, knee, ankle].map(|joint| model.joints()[usize::from(joint)].translation);
    let length_m = hip.distance(knee) + knee.distance(ankle);
    (hip + way).distance(ankle) <= (LEG_REACH * length_m).max(hip.distance(ankle))
}

fn foot(leg: &LegChain, model: &ModelPose) -> Vec3A {
    model.joints()[usize::from(leg.joints.ankle)].translation
}

/// Joints above `top` that bend for it, up to the hips. What lies between hips
/// and thigh does not: hips go as one.
fn bending(
    skeleton: &Skeleton,
    human: &Human,
    carrier: JointIndex,
    top: JointIndex,
) -> Vec<JointIndex> {
    if !skeleton.descends(top, carrier) {
        return Vec::new();
    }
    let thighs = Side::BOTH.map(|side| human.first(side.role(Limb::Thigh)));
    let leads_to_leg = |joint: JointIndex| {
        let thighs = thighs.into_iter().flatten();
        { thighs }.any(|thigh| skeleton.descends(thigh, joint))
    };
    let above = skeleton.ancestors(top);
    let above = above.take_while(|joint| *joint != carrier);
    above.filter(|joint| !leads_to_leg(*joint)).collect()
}

/// As much of a turn in model space as leaves a joint within `most_rad` of where
/// it was in its parent.
fn within(
    skeleton: &Skeleton,
    joint: JointIndex,
    (turn, before, most_rad): (Quat, Quat, f32),
    model: &ModelPose,
) -> Quat {
    let now = model.joints()[usize::from(joint)].rotation;
    let parent = usize::from(skeleton.parents()[usize::from(joint)]);
    let above = model.joints().get(parent);
    let above = above.map_or(Quat::IDENTITY, |parent| parent.rotation);
    let own = above * before;
    let bend = ik::limited(turn * now * own.conjugate(), most_rad);
    bend * own * now.conjugate()
}

impl PulledLimb {
    /// The limb that ends in `joint` or carries it; none for what lies within
    /// one, as elbows and knees do.
    fn of(skeleton: &Skeleton, human: &Human, joint: JointIndex) -> Option<Self> {
        let arm = [Limb::UpperArm, Limb::Forearm, Limb::Hand];
        let leg = [Limb::Thigh, Limb::Shin, Limb::Foot];
        // An elbow bends backwards and down, a knee forward.
        let kinds = [
            (arm, Vec3A::new(0.0, -0.5, -1.0)),
            (leg, Vec3A::new(0.0, 0.0, 1.0)),
        ];
        for (side, (parts, bends_to)) in Side::BOTH
            .into_iter()
            .flat_map(|side| kinds.map(|kind| (side, kind)))
        {
            let [Some(root), Some(middle), Some(end)] =
                parts.map(|part| human.first(side.role(part)))
            else {
                continue;
            };
            if joint == end || skeleton.descends(joint, end) {
                return Some(Self {
                    joints: [root, middle, end],
                    bends_to,
                    human: human.clone(),
                });
            }
        }
        None
    }

    fn bend(
        &self,
        skeleton: &Skeleton,
        target: Vec3A,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let [root, middle, end] =
            { self.joints }.map(|joint| model.joints()[usize::from(joint)].translation);
        let rotations = ik::two_bone(root, middle, end, target, self.pole(model));
        rotate_joint(skeleton, self.joints[0], rotations.upper, pose, model);
        rotate_joint(skeleton, self.joints[1], rotations.lower, pose, model);
    }

    /// To the side it is bent to; all but straight, to where its hinge lets it.
    fn pole(&self, model: &ModelPose) -> Vec3A {
        let [root, middle, end] =
            { self.joints }.map(|joint| model.joints()[usize::from(joint)].translation);
        let line = (end - root).normalize_or(Vec3A::NEG_Y);
        let bend = middle - root;
        let bend = bend - line * line.dot(bend);
        let lack_m = (STRAIGHT_BEND_M - bend.length()).max(0.0);
        let frame = self.human.frame(model).unwrap_or(Quat::IDENTITY);
        bend + frame * self.bends_to.normalize() * lack_m
    }
}
