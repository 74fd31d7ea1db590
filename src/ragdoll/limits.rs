//! How far joints turn: a cone that the bone swings in and a twist about it, or a
//! hinge.
//!
//! Human ranges are rounded from the American Academy of Orthopaedic Surgeons'
//! "Joint Motion: Method of Measuring and Recording" (1965), from the neutral
//! upright pose. Every range is widened to hold the pose that a fall begins in:
//! captures go beyond what is normal, and a limit that is broken at the start
//! would throw the limb.

use glam::{Mat3A, Quat, Vec3, Vec3A};

use super::segments::BodyPart;
use crate::{
    humanoid::Side,
    math::{ik, quat},
};

/// Limits are met this early, 4 degrees: a fast limb goes on within a tick.
pub(super) const EARLY_RAD: f32 = 0.075;
/// A pose starts no nearer to a limit than this, or it would be thrown.
const ROOM_RAD: f32 = EARLY_RAD + 0.01;
/// A limb that is bent less tells nothing of the axis of its hinge: 15 degrees.
const STRAIGHT_RAD: f32 = 0.26;

/// Of a joint of a human, degrees.
enum HumanRange {
    /// Knees and elbows: from straight to bent this far.
    Hinge(f32),
    /// About the way the bone points in the middle of its range.
    Cone {
        middle: Middle,
        swing: f32,
        twist: f32,
    },
}

/// The middle of a range.
enum Middle {
    /// Turned forward from the upright pose, toes down, degrees.
    Leaning(f32),
    /// The bone points so: outward, up, forward.
    Towards([f32; 3]),
}

fn human_range(part: BodyPart) -> HumanRange {
    let cone = |middle, swing, twist| HumanRange::Cone {
        middle,
        swing,
        twist,
    };
    match part {
        BodyPart::LowerTrunk | BodyPart::MiddleTrunk | BodyPart::UpperTrunk => {
            cone(Middle::Leaning(12.0), 30.0, 25.0)
        }
        BodyPart::Head => cone(Middle::Leaning(5.0), 45.0, 65.0),
        BodyPart::UpperArm(_) => cone(Middle::Towards([0.80, -0.05, 0.60]), 100.0, 90.0),
        BodyPart::Forearm(_) => HumanRange::Hinge(148.0),
        // With the twist of the forearm, which is a hinge here.
        BodyPart::Hand(_) => cone(Middle::Leaning(0.0), 65.0, 80.0),
        BodyPart::Thigh(_) => cone(Middle::Towards([0.25, -0.75, 0.61]), 75.0, 45.0),
        BodyPart::Shank(_) => HumanRange::Hinge(145.0),
        BodyPart::Foot(_) => cone(Middle::Leaning(15.0), 35.0, 20.0),
    }
}

/// Of what is not human: half a right angle and less, degrees.
const OTHER_SWING: f32 = 50.0;
const OTHER_TWIST: f32 = 35.0;

/// What a joint may do.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Range {
    /// Bends about one axis of the segment above.
    Hinge(Hinge),
    /// Swings and twists.
    Cone(Cone),
}

/// Radians about an axis, 0 being straight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hinge {
    /// In the segment above, unit.
    pub axis: Vec3A,
    /// The pose that it begins in.
    pub start_rad: f32,
    pub low_rad: f32,
    pub high_rad: f32,
}

/// A bone within a cone, and a twist about it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cone {
    /// In the middle of the range: above from joint.
    reference: Quat,
    /// Where the bone points there, in the segment above.
    centre: Vec3A,
    pub swing_rad: f32,
    pub twist_rad: f32,
}

/// How a joint is turned from the middle of its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// 0 and more.
    pub swing_rad: f32,
    /// Right-handed about the bone.
    pub twist_rad: f32,
    /// What the joint turns about, in the segment above: more swing, then more
    /// twist, then neither.
    pub axes: Quat,
    /// Radians of twist for one about its axis.
    pub twist_rate: f32,
}

/// A joint in the upright pose and in the one that a fall begins in.
pub(super) struct JointPoses {
    /// Model space, upright.
    pub neutral: PairOfBones,
    /// World space, at the start.
    pub start: PairOfBones,
    /// Left, up, forward in model space, upright.
    pub body_frame: Quat,
}

/// Rotations of two segments and where the bones of both point.
#[derive(Clone, Copy)]
pub(super) struct PairOfBones {
    pub above: Quat,
    pub own: Quat,
    pub bone_above: Vec3A,
    pub bone: Vec3A,
}

impl PairOfBones {
    fn above_from_joint(&self) -> Quat {
        self.above.conjugate() * self.own
    }
}

impl Range {
    /// What a joint of a human may do.
    pub fn human(part: BodyPart, poses: &JointPoses) -> Self {
        match human_range(part) {
            HumanRange::Hinge(high) => Self::Hinge(Hinge::new(part, high.to_radians(), poses)),
            HumanRange::Cone {
                middle,
                swing,
                twist,
            } => {
                let turn = middle.turn(part, poses);
                Self::Cone(Cone::new(turn, swing, twist, poses))
            }
        }
    }

    /// What one may that nothing is known of.
    pub fn other(poses: &JointPoses) -> Self {
        Self::Cone(Cone::new(Quat::IDENTITY, OTHER_SWING, OTHER_TWIST, poses))
    }

    /// How far beyond its limits a joint is, radians; 0 within them.
    pub fn beyond_rad(&self, above_from_joint: Quat, start: Quat) -> f32 {
        match self {
            Self::Hinge(hinge) => {
                let angle = hinge.angle_rad(above_from_joint, start);
                (angle - hinge.high_rad).max(hinge.low_rad - angle).max(0.0)
            }
            Self::Cone(cone) => {
                let turn = cone.turn(above_from_joint);
                let twist = turn.twist_rad.abs() - cone.twist_rad;
                (turn.swing_rad - cone.swing_rad).max(twist).max(0.0)
            }
        }
    }
}

impl Middle {
    /// From the upright pose, in model space.
    fn turn(&self, part: BodyPart, poses: &JointPoses) -> Quat {
        match *self {
            Self::Leaning(degrees) => {
                let left = poses.body_frame * Vec3::X;
                Quat::from_axis_angle(left, degrees.to_radians())
            }
            Self::Towards([out, up, forward]) => {
                let out = match part {
                    BodyPart::UpperArm(Side::Right) | BodyPart::Thigh(Side::Right) => -out,
                    _ => out,
                };
                let to = poses.body_frame * Vec3A::new(out, up, forward).normalize();
                ik::arc(poses.neutral.bone, to)
            }
        }
    }
}

impl Hinge {
    fn new(part: BodyPart, high_rad: f32, poses: &JointPoses) -> Self {
        let JointPoses { neutral, start, .. } = poses;
        // An elbow bends the forearm forward, a knee the shin back.
        let ahead = match part {
            BodyPart::Forearm(_) => poses.body_frame * Vec3A::Z,
            _ => poses.body_frame * Vec3A::NEG_Z,
        };
        let usual = neutral.bone_above.cross(ahead).normalize_or(Vec3A::X);
        let usual = start.above * (neutral.above.conjugate() * usual);
        let bend = start.bone_above.cross(start.bone);
        let axis = match bend.length() > STRAIGHT_RAD.sin() {
            true if bend.dot(usual) < 0.0 => -bend,
            true => bend,
            false => usual - start.bone_above * usual.dot(start.bone_above),
        };
        let axis = axis.normalize_or(usual);
        let start_rad = bend.dot(axis).atan2(start.bone_above.dot(start.bone));
        Self {
            axis: start.above.conjugate() * axis,
            start_rad,
            low_rad: (start_rad - ROOM_RAD).min(0.0),
            high_rad: (start_rad + ROOM_RAD).max(high_rad),
        }
    }

    pub fn angle_rad(&self, above_from_joint: Quat, start: Quat) -> f32 {
        let turn = quat::log(above_from_joint * start.conjugate());
        self.start_rad + turn.dot(self.axis.into())
    }
}

impl Cone {
    fn new(middle: Quat, swing_deg: f32, twist_deg: f32, poses: &JointPoses) -> Self {
        let neutral = poses.neutral;
        let into_above = neutral.above.conjugate();
        let mut cone = Self {
            reference: (into_above * middle * neutral.own).normalize(),
            centre: (into_above * (middle * neutral.bone)).normalize_or(Vec3A::Y),
            swing_rad: swing_deg.to_radians(),
            twist_rad: twist_deg.to_radians(),
        };
        let start = cone.turn(poses.start.above_from_joint());
        cone.swing_rad = cone.swing_rad.max(start.swing_rad + ROOM_RAD);
        cone.twist_rad = cone.twist_rad.max(start.twist_rad.abs() + ROOM_RAD);
        cone
    }

    /// With swing · twist from the middle of the range and b the bone, c the
    /// cone's centre: swing changes by ω · (c × b)/|c × b|, twist by
    /// ω · (c + b)/(1 + c · b); the two are across each other.
    pub fn turn(&self, above_from_joint: Quat) -> Turn {
        let turned = above_from_joint * self.reference.conjugate();
        let (_, twist) = quat::swing_twist(turned, self.centre.into());
        let bone = turned * self.centre;
        let across = self.centre.cross(bone);
        let swing_rad = across.length().atan2(self.centre.dot(bone));
        let swing_axis = across
            .try_normalize()
            .unwrap_or_else(|| self.centre.any_orthonormal_vector());
        let twist_axis = (self.centre + bone).try_normalize();
        let twist_axis = twist_axis.unwrap_or_else(|| swing_axis.any_orthonormal_vector());
        // Rounding left them a little off a right angle.
        let twist_axis = (twist_axis - swing_axis * twist_axis.dot(swing_axis)).normalize();
        let third = swing_axis.cross(twist_axis);
        Turn {
            swing_rad,
            twist_rad: 2.0 * Vec3A::from(twist.xyz()).dot(self.centre).atan2(twist.w),
            axes: Quat::from_mat3a(&Mat3A::from_cols(swing_axis, twist_axis, third)).normalize(),
            twist_rate: 1.0 / (0.5 * swing_rad).cos().max(0.05),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn bones(above: Quat, own: Quat) -> PairOfBones {
        PairOfBones {
            above,
            own,
            bone_above: above * Vec3A::Y,
            bone: own * Vec3A::Y,
        }
    }

    fn cone() -> Cone {
        let still = bones(Quat::IDENTITY, Quat::IDENTITY);
        let poses = JointPoses {
            neutral: still,
            start: still,
            body_frame: Quat::IDENTITY,
        };
        Cone::new(Quat::from_rotation_x(0.3), 60.0, 40.0, &poses)
    }

    #[test]
    fn swing_and_twist_change_as_their_axes_say() {
        let (cone, mut random) = (cone(), Random::new(5));
        for _ in 0..500 {
            let mut part = || random.signed();
            let turned = quat::exp(Vec3::new(part(), part(), part()));
            let turn = cone.turn(turned);
            if turn.swing_rad < 0.05 {
                continue; // the axis of no swing is any
            }
            let small = 1e-3;
            for (axis, expected) in [
                (Vec3::X, [1.0, 0.0]),
                (Vec3::Y, [0.0, turn.twist_rate]),
                (Vec3::Z, [0.0, 0.0]),
            ] {
                let step = quat::exp(turn.axes * axis * small);
                let after = cone.turn(step * turned);
                let rates = [
                    (after.swing_rad - turn.swing_rad) / small,
                    (after.twist_rad - turn.twist_rad) / small,
                ];
                for (rate, expected) in rates.into_iter().zip(expected) {
                    assert!((rate - expected).abs() < 0.05, "{axis}: {rate} {expected}");
                }
            }
        }
    }

    #[test]
    fn a_range_holds_the_pose_that_it_begins_in() {
        let mut random = Random::new(7);
        let mut turn = || {
            let mut part = || 2.5 * random.signed();
            quat::exp(Vec3::new(part(), part(), part()))
        };
        for part in BodyPart::all().skip(1) {
            for _ in 0..50 {
                let (above, own) = (turn(), turn());
                let poses = JointPoses {
                    neutral: bones(turn(), turn()),
                    start: bones(above, own),
                    body_frame: Quat::IDENTITY,
                };
                let range = Range::human(part, &poses);
                let start = above.conjugate() * own;
                assert_eq!(range.beyond_rad(start, start), 0.0, "{part:?}");
            }
        }
    }

    #[test]
    fn a_knee_bends_back_and_an_elbow_forward() {
        // Upright, looking along +Z: legs down, arms down.
        let down = Quat::from_rotation_x(std::f32::consts::PI);
        let straight = bones(down, down);
        for (part, bends_to) in [
            (BodyPart::Shank(Side::Left), Vec3A::NEG_Z),
            (BodyPart::Forearm(Side::Right), Vec3A::Z),
        ] {
            let poses = JointPoses {
                neutral: straight,
                start: straight,
                body_frame: Quat::IDENTITY,
            };
            let Range::Hinge(hinge) = Range::human(part, &poses) else {
                panic!("a hinge");
            };
            let axis = down * hinge.axis;
            let bent = Quat::from_axis_angle(axis.into(), 1.0) * straight.bone;
            assert!(bent.dot(bends_to) > 0.5, "{part:?}: {bent}");
            assert!(hinge.high_rad > 2.0 && hinge.low_rad > -0.1);
        }
    }
}
