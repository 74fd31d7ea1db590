//! What each joint of a human does in the canonical pose: which way its bone
//! points there, and where that bone is in the joint's own space.

use glam::{Quat, Vec3A};

use crate::{
    body::anatomy::Anatomy,
    humanoid::{Limb, Side, columns},
    skeleton::{JointIndex, Skeleton},
};

/// Legs stand a little apart, so that thighs do not grow together.
const LEG_SPREAD: f32 = 0.31;
/// Arms hang a little below the horizontal: between up and down, and hands
/// stay clear of all else.
const ARM_DROOP: f32 = 0.33;
/// Elbows of arms held out, palms down, bend forward and a little up.
const ELBOW_TURN: f32 = 0.36;
/// Slope of the foot's bone from ankle to ball on level ground.
const FOOT_SLOPE: f32 = 0.42;

/// The part a joint plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// None of its own: it stands to its parent as it mostly does.
    Follow,
    Hips,
    /// Vertebra or neck; share of the way from the hips to the chest.
    Trunk(f32),
    Head,
    Thigh(Side),
    Shin(Side),
    Foot(Side),
    UpperArm(Side),
    Forearm(Side),
    Hand(Side),
    Finger(Side),
    Thumb(Side),
}

/// One joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Aim {
    pub kind: Kind,
    /// Next joint of the limb, which the bone leads to.
    pub next: Option<JointIndex>,
}

impl Kind {
    /// The frame that the part has in the canonical pose, left, up and forward
    /// of the body being X, Y and Z: Y along the bone, X across. A knee or an
    /// elbow bends about X.
    pub fn canonical_frame(self) -> Quat {
        let x = |side: Side| if side == Side::Left { 1.0 } else { -1.0 };
        let (sin, cos) = LEG_SPREAD.sin_cos();
        let arm = |side: Side| {
            let (sin, cos) = ARM_DROOP.sin_cos();
            let frame = columns(Vec3A::Y * -x(side), Vec3A::new(x(side) * cos, -sin, 0.0));
            frame * Quat::from_rotation_y(-x(side) * ELBOW_TURN)
        };
        match self {
            Self::Follow | Self::Hips | Self::Trunk(_) | Self::Head => Quat::IDENTITY,
            Self::Thigh(side) | Self::Shin(side) => {
                columns(Vec3A::X, Vec3A::new(x(side) * sin, -cos, 0.0))
            }
            Self::Foot(_) => columns(Vec3A::X, Vec3A::new(0.0, -FOOT_SLOPE, 0.9)),
            Self::UpperArm(side) | Self::Forearm(side) | Self::Hand(side) | Self::Finger(side) => {
                arm(side)
            }
            Self::Thumb(side) => {
                let along = arm(side) * Vec3A::Y;
                columns(Vec3A::Y * -x(side), along + Vec3A::Z)
            }
        }
    }

    /// How far the rest pose may be off what the motion tells, in radians, and
    /// still be believed: as far as nobody sees the difference.
    pub fn trust(self) -> f32 {
        match self {
            Self::Follow | Self::Finger(_) | Self::Thumb(_) => f32::INFINITY,
            Self::Hips | Self::Trunk(_) => 0.14,
            Self::Hand(_) | Self::Head => 0.3,
            _ => 0.2,
        }
    }
}

/// An aim for every joint.
pub(super) fn aims(skeleton: &Skeleton, anatomy: &Anatomy) -> Vec<Aim> {
    let none = Aim {
        kind: Kind::Follow,
        next: None,
    };
    let mut aims = vec![none; skeleton.len()];
    let mut set = |chain: &[(JointIndex, Kind)]| {
        for (index, &(joint, kind)) in chain.iter().enumerate() {
            let next = chain.get(index + 1).map(|it| it.0);
            aims[usize::from(joint)] = Aim { kind, next };
        }
    };
    set(&trunk(anatomy));
    for side in Side::BOTH {
        set(&leg(anatomy, side));
        for finger in Limb::FINGERS.into_iter().skip(1) {
            let joints = anatomy.human().part(side.role(finger)).iter();
            set(&joints
                .map(|&it| (it, Kind::Finger(side)))
                .collect::<Vec<_>>());
        }
        let thumb = anatomy.human().part(side.role(Limb::Thumb)).iter();
        set(&thumb.map(|&it| (it, Kind::Thumb(side))).collect::<Vec<_>>());
        set(&arm(skeleton, anatomy, side));
    }
    aims
}

fn trunk(anatomy: &Anatomy) -> Vec<(JointIndex, Kind)> {
    let last = (anatomy.spine.len() - 1).max(1) as f32;
    let spine = anatomy.spine.iter().enumerate();
    let kind = |index: usize| match index {
        0 => Kind::Hips,
        _ => Kind::Trunk(index as f32 / last),
    };
    let mut chain: Vec<_> = spine.map(|(index, &it)| (it, kind(index))).collect();
    chain.extend(anatomy.neck.iter().map(|&it| (it, Kind::Trunk(1.0))));
    chain.push((anatomy.head, Kind::Head));
    chain
}

fn leg(anatomy: &Anatomy, side: Side) -> Vec<(JointIndex, Kind)> {
    let part = |limb| anatomy.human().part(side.role(limb)).iter().copied();
    let mut chain: Vec<_> = part(Limb::Thigh)
        .map(|it| (it, Kind::Thigh(side)))
        .collect();
    chain.extend(part(Limb::Shin).map(|it| (it, Kind::Shin(side))));
    chain.extend(part(Limb::Foot).map(|it| (it, Kind::Foot(side))));
    chain.extend(part(Limb::Toes).map(|it| (it, Kind::Follow)));
    chain
}

fn arm(skeleton: &Skeleton, anatomy: &Anatomy, side: Side) -> Vec<(JointIndex, Kind)> {
    let part = |limb| anatomy.human().part(side.role(limb)).iter().copied();
    let mut chain: Vec<_> = part(Limb::Clavicle).map(|it| (it, Kind::Follow)).collect();
    chain.extend(part(Limb::UpperArm).map(|it| (it, Kind::UpperArm(side))));
    chain.extend(part(Limb::Forearm).map(|it| (it, Kind::Forearm(side))));
    chain.extend(part(Limb::Hand).map(|it| (it, Kind::Hand(side))));
    // The middle finger goes on where the hand points.
    let ahead = [Limb::Middle, Limb::Fingers, Limb::Ring, Limb::Index];
    let hand = chain.last().map(|it| it.0);
    let finger = ahead.into_iter().find_map(|finger| {
        let first = anatomy.human().first(side.role(finger))?;
        hand.filter(|&hand| skeleton.parents()[usize::from(first)] == hand)?;
        Some(first)
    });
    chain.extend(finger.map(|it| (it, Kind::Finger(side))));
    chain
}
