//! Two hands on one thing: it is carried before the body, between where the
//! motion has the hands, and both go to their grips on it.

use glam::{Quat, Vec3A};

use super::{PropKind, Pull, grip::Palm};
use crate::{
    humanoid::{Human, Limb, Role, Side},
    math::{Spring, Transform, ik},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, rotate_joint},
};

/// Seconds in which hands are about half-way to their grips, or back.
const HALF_LIFE_SECS: f64 = 0.12;
/// How far before the chest a thing is carried at least, as a share of the
/// body's height.
const BEFORE: f32 = 0.17;
/// How much the way from hand to hand turns what is carried; the rest is the
/// way from side to side.
const SWAY: f32 = 0.25;
/// Rounds in which a thing is drawn nearer to a hand that does not reach it, and
/// how near is near enough, metres.
const NEARER_ROUNDS: usize = 6;
const NEAR_M: f32 = 0.001;

/// One hand.
#[derive(Clone, Debug)]
struct Hand {
    joint: JointIndex,
    pull: Pull,
    palm: Palm,
    /// Of its grip on the thing, from its middle towards the left, metres.
    along_m: f32,
}

/// Two hands that hold a thing, or did until just now.
#[derive(Clone, Debug)]
pub(super) struct TwoHands {
    pub kind: PropKind,
    /// The one that carries it, and the other.
    hands: [Hand; 2],
    human: Human,
    height_m: f32,
    wanted: bool,
    weight: Spring,
}

impl TwoHands {
    pub fn new(skeleton: &Skeleton, kind: &PropKind, joints: [JointIndex; 2]) -> Self {
        let human = Human::find(skeleton);
        let is_left = |joint: JointIndex| {
            let hand = human.first(Side::Left.role(Limb::Hand));
            hand.is_some_and(|hand| hand == joint || skeleton.descends(joint, hand))
        };
        let sides = match is_left(joints[0]) {
            true => [1.0, -1.0],
            false => [-1.0, 1.0],
        };
        let hand = |index: usize| Hand {
            joint: joints[index],
            pull: Pull::of(skeleton, joints[index]),
            palm: Palm::of(skeleton, joints[index]),
            along_m: sides[index] * kind.half_grip_m(),
        };
        Self {
            kind: kind.clone(),
            hands: [hand(0), hand(1)],
            height_m: skeleton.rest_height_m(),
            human,
            wanted: true,
            weight: Spring::default(),
        }
    }

    pub fn let_go(&mut self) {
        self.wanted = false;
    }

    pub fn is_over(&self) -> bool {
        !self.wanted && self.weight.value <= 0.0
    }

    pub fn is_moving(&self) -> bool {
        self.weight.value != f64::from(u8::from(self.wanted))
    }

    pub fn step(&mut self, dt_secs: f64) {
        let target = f64::from(u8::from(self.wanted));
        self.weight.follow(target, HALF_LIFE_SECS, dt_secs);
    }

    /// How the hand that carries it holds the thing, once both are in place.
    pub fn joint_from_prop(&self) -> Transform {
        let palm = &self.hands[0].palm;
        let axis = palm.across();
        // The thing's Y points from its middle to the left.
        let rotation = ik::arc(Vec3A::Y, axis);
        let grip = palm.point_for(&self.kind);
        let middle = match self.kind {
            PropKind::Stick => grip - axis * self.hands[0].along_m,
            // Palms face its middle.
            _ => grip + palm.normal * self.kind.half_grip_m(),
        };
        Transform::new(rotation, middle)
    }

    /// Each hand, the point of its palm in its own space, and where on the thing
    /// that belongs.
    pub fn grips(&self) -> impl Iterator<Item = (JointIndex, Vec3A, Vec3A)> + '_ {
        let prop_from_joint = self.joint_from_prop().inverse();
        let first = self.hands[0].palm.point_for(&self.kind);
        let first = prop_from_joint.transform_point(first);
        self.hands.iter().enumerate().map(move |(index, hand)| {
            let grip = if index == 0 { first } else { -first };
            (hand.joint, hand.palm.point_for(&self.kind), grip)
        })
    }

    pub fn apply(&self, skeleton: &Skeleton, pose: &mut LocalPose, model: &mut ModelPose) {
        let weight = self.weight.value.clamp(0.0, 1.0) as f32;
        if weight <= 0.0 {
            return;
        }
        let (mut middle, left) = self.carried(model);
        for _ in 0..NEARER_ROUNDS {
            // What one hand does to the trunk moves the other.
            for hand in self.hands.iter().chain(&self.hands) {
                hand.go(skeleton, (&self.kind, middle, left, weight), pose, model);
            }
            // A hand that does not reach its grip draws the thing nearer.
            let missing = self.missing(model) * weight;
            if missing.length() < NEAR_M {
                return;
            }
            middle += missing;
        }
    }

    /// From the grip that the second hand should have, on the thing as the first
    /// one carries it, to its palm.
    fn missing(&self, model: &ModelPose) -> Vec3A {
        let [first, second] = &self.hands;
        let place = |hand: &Hand| model.joints()[usize::from(hand.joint)];
        let model_from_prop = place(first) * self.joint_from_prop();
        let grips = self.grips().map(|(_, _, grip)| grip);
        let grip = grips.last().unwrap_or(Vec3A::ZERO);
        let palm = second.palm.point_for(&self.kind);
        place(second).transform_point(palm) - model_from_prop.transform_point(grip)
    }

    /// The middle of the thing in model space, and the way to its left end.
    fn carried(&self, model: &ModelPose) -> (Vec3A, Vec3A) {
        let at = |joint: JointIndex| model.joints()[usize::from(joint)].translation;
        let places = [0, 1].map(|hand| at(self.hands[hand].joint));
        let frame = self.human.frame(model).unwrap_or(Quat::IDENTITY);
        let (left, ahead) = (frame * Vec3A::X, frame * Vec3A::Z);
        let from_right = (places[0] - places[1]) * self.hands[0].along_m.signum();
        let from_right = from_right.normalize_or(left);
        let mut across = (left * (1.0 - SWAY) + from_right * SWAY).normalize_or(left);
        if self.human.frame(model).is_none() {
            across = from_right;
        }
        let mut middle = (places[0] + places[1]) / 2.0;
        let chest = self.human.part(Role::Spine).last().copied();
        if let Some(chest) = chest.map(at) {
            let before_m = (middle - chest).dot(ahead);
            let least_m = BEFORE * self.height_m + self.kind.depth_m();
            middle += ahead * (least_m - before_m).max(0.0);
            // Between both shoulders: arms are equally long.
            middle -= left * (middle - chest).dot(left) * 0.7;
        }
        (middle, across)
    }
}

impl Hand {
    fn go(
        &self,
        skeleton: &Skeleton,
        (kind, middle, left, weight): (&PropKind, Vec3A, Vec3A, f32),
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let own = model.joints()[usize::from(self.joint)];
        // As little turned as lets the thing lie in the hand.
        let (has, wants) = match kind {
            PropKind::Stick => {
                let axis = own.rotation * self.palm.across();
                (axis, left)
            }
            _ => (
                own.rotation * self.palm.normal,
                -left * self.along_m.signum(),
            ),
        };
        let turn = ik::arc(has, wants);
        let rotation = (turn * own.rotation).normalize();
        let grip = middle + left * self.along_m;
        let wrist = grip - rotation * self.palm.point_for(kind);
        let target = own.translation.lerp(wrist, weight);
        self.pull.apply(skeleton, target, pose, model);
        let now = model.joints()[usize::from(self.joint)].rotation;
        let wanted = own.rotation.slerp(rotation, weight);
        let missing = (wanted * now.conjugate()).normalize();
        rotate_joint(skeleton, self.joint, missing, pose, model);
    }
}

impl PropKind {
    /// From the middle to each of two grips, metres.
    fn half_grip_m(&self) -> f32 {
        match self {
            Self::Ball => super::BALL_RADIUS_M,
            Self::Box => super::BOX_HALF_M,
            Self::Stick => 0.21,
            Self::File(_) => 0.1,
        }
    }

    /// How far it reaches towards whoever carries it.
    fn depth_m(&self) -> f32 {
        match self {
            Self::Ball => super::BALL_RADIUS_M,
            Self::Box => super::BOX_HALF_M,
            Self::Stick | Self::File(_) => 0.03,
        }
    }
}
