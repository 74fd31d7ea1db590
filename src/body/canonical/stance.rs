//! A human in one pose of a motion, read off where its joints are. How joints
//! are turned is never asked: that differs from file to file, positions do not.

use glam::Vec3A;

use super::aim::Kind;
use crate::{
    body::anatomy::Anatomy,
    humanoid::{Limb, Side},
    math::ik::arc,
    skeleton::{JointIndex, ModelPose, Skeleton},
};

/// What a straight limb says of its hinge, beside a bent one.
const STRAIGHT: f32 = 0.03;

/// Upper and lower bone of a limb.
struct LimbStance {
    upper: Vec3A,
    lower: Vec3A,
    /// Axis it bends about, as long as the square of the bend's sine: the more
    /// it bends, the better its axis is known.
    hinge: Vec3A,
}

/// Directions of a body in one pose.
pub(super) struct Stance<'a> {
    pub pose: &'a ModelPose,
    hips_left: Vec3A,
    chest_left: Vec3A,
    /// From hips to shoulders.
    pub up: Vec3A,
    legs: [LimbStance; 2],
    arms: [LimbStance; 2],
    thumbs: [Option<Vec3A>; 2],
}

/// Two directions of a part, and how much they count.
pub(super) struct Seen {
    pub across: Vec3A,
    pub along: Vec3A,
    pub weight: f32,
}

impl<'a> Stance<'a> {
    pub fn new(skeleton: &Skeleton, anatomy: &Anatomy, pose: &'a ModelPose) -> Self {
        let at = |joint: JointIndex| pose.joints()[usize::from(joint)].translation;
        let [left, right] = [0, 1].map(|side| at(anatomy.legs[side].thigh));
        let [left_arm, right_arm] = [0, 1].map(|side| at(anatomy.arms[side].upper));
        let leg = |side: usize| {
            let leg = &anatomy.legs[side];
            LimbStance::new(at(leg.thigh), at(leg.shin), at(leg.foot))
        };
        let arm = |side: usize| {
            let arm = &anatomy.arms[side];
            LimbStance::new(at(arm.upper), at(arm.fore[0]), at(arm.hand))
        };
        let thumb = |side: Side| {
            let thumb = *anatomy.human().part(side.role(Limb::Thumb)).last()?;
            let end = pose.bone_end(skeleton, usize::from(thumb));
            let hand = &anatomy.arms[index(side)];
            let along = (at(hand.hand) - at(hand.fore[0])).normalize_or_zero();
            let way = end - at(hand.hand);
            let aside = way - along * along.dot(way);
            (aside.length() > 0.25 * way.length()).then_some(aside)
        };
        Self {
            pose,
            hips_left: (left - right).normalize_or_zero(),
            chest_left: (left_arm - right_arm).normalize_or_zero(),
            up: (left_arm + right_arm - left - right).normalize_or_zero(),
            legs: [leg(0), leg(1)],
            arms: [arm(0), arm(1)],
            thumbs: Side::BOTH.map(thumb),
        }
    }

    /// 1 for somebody who stands straight, 0 for one bent at the hips.
    pub fn straightness(&self) -> f32 {
        let thighs = self.legs[0].upper + self.legs[1].upper;
        let straight = -self.up.dot(thighs.normalize_or_zero());
        straight.max(0.0).powi(6) + 1e-3
    }

    /// Where a part's bone and its side are; `gravity` is the upright that the
    /// whole motion keeps to.
    pub fn seen(&self, kind: Kind, gravity: Option<Vec3A>) -> Option<Seen> {
        let even = |across, along| {
            Some(Seen {
                across,
                along,
                weight: 1.0,
            })
        };
        match kind {
            Kind::Follow | Kind::Finger(_) | Kind::Thumb(_) => None,
            Kind::Hips => Some(Seen {
                across: self.hips_left,
                along: self.up,
                weight: self.straightness(),
            }),
            Kind::Trunk(share) => even(self.hips_left.lerp(self.chest_left, share), self.up),
            Kind::Head => {
                // People hold their heads level, whatever their trunk does.
                let level = gravity.filter(|up| up.dot(self.up) > 0.7);
                even(self.chest_left, level.unwrap_or(self.up))
            }
            Kind::Thigh(side) => {
                let leg = &self.legs[index(side)];
                even(self.knee(side), leg.upper)
            }
            Kind::Shin(side) => even(self.knee(side), self.legs[index(side)].lower),
            Kind::Foot(side) => {
                let down = self.legs[index(side)].lower;
                let ahead = self.knee(side).cross(-down).normalize_or_zero();
                even(self.knee(side), ahead * 0.9 + down * 0.42)
            }
            Kind::UpperArm(side) => even(self.elbow(side), self.arms[index(side)].upper),
            Kind::Forearm(side) => even(self.elbow(side), self.arms[index(side)].lower),
            Kind::Hand(side) => {
                let along = self.arms[index(side)].lower;
                let thumb = self.thumbs[index(side)];
                // The thumb lies where the elbow bends to: across, along, thumb are a
                // right-handed frame.
                let across = thumb.map_or(self.elbow(side), |thumb| {
                    along.cross(thumb.normalize_or_zero())
                });
                even(across, along)
            }
        }
    }

    fn knee(&self, side: Side) -> Vec3A {
        self.legs[index(side)].hinge + self.hips_left * STRAIGHT
    }

    /// A straight arm hinges as one that swung there from the canonical pose.
    fn elbow(&self, side: Side) -> Vec3A {
        let arm = &self.arms[index(side)];
        let body = crate::humanoid::columns(self.chest_left, self.up);
        let canonical = body * Kind::UpperArm(side).canonical_frame();
        let swing = arc(canonical * Vec3A::Y, arm.upper);
        arm.hinge + swing * (canonical * Vec3A::X) * STRAIGHT
    }
}

impl LimbStance {
    fn new(top: Vec3A, middle: Vec3A, end: Vec3A) -> Self {
        let upper = (middle - top).normalize_or_zero();
        let lower = (end - middle).normalize_or_zero();
        let hinge = upper.cross(lower);
        Self {
            upper,
            lower,
            hinge: hinge * hinge.length(),
        }
    }
}

fn index(side: Side) -> usize {
    usize::from(side == Side::Right)
}
