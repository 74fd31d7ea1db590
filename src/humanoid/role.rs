//! The parts of a human body that motion is carried between.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::names;

/// A part of the trunk, or a part of a limb on one side. In a map's text it
/// reads `Hips` or `Left(UpperArm)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    /// The joint both legs hang from.
    Hips,
    /// Joints above the hips, up to the one both arms hang from.
    Spine,
    /// Joints between chest and head.
    Neck,
    /// The head.
    Head,
    /// A part on the left side.
    Left(Limb),
    /// A part on the right side.
    Right(Limb),
}

/// A part that a body has twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Limb {
    /// Joints between chest and upper arm.
    Clavicle,
    /// Shoulder to elbow.
    UpperArm,
    /// Elbow to wrist; joints that only twist belong to it.
    Forearm,
    /// From the wrist on.
    Hand,
    /// First finger.
    Thumb,
    /// Second finger.
    Index,
    /// Third finger.
    Middle,
    /// Fourth finger.
    Ring,
    /// Fifth finger.
    Little,
    /// All fingers but the thumb, where they move as one.
    Fingers,
    /// Hip to knee.
    Thigh,
    /// Knee to ankle.
    Shin,
    /// From the ankle on.
    Foot,
    /// From the ball of the foot on.
    Toes,
}

/// Left or right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The character's own left.
    Left,
    /// The character's own right.
    Right,
}

impl Side {
    /// Left first, as everywhere.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// The side that a joint's name speaks of, in any rig's spelling; `None` of
    /// the middle.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        names::side_of(name)
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    /// This side's part.
    #[must_use]
    pub fn role(self, limb: Limb) -> Role {
        match self {
            Self::Left => Role::Left(limb),
            Self::Right => Role::Right(limb),
        }
    }
}

impl Limb {
    /// From the chest outward, then from the hips down.
    pub const ALL: [Self; 14] = [
        Self::Clavicle,
        Self::UpperArm,
        Self::Forearm,
        Self::Hand,
        Self::Thumb,
        Self::Index,
        Self::Middle,
        Self::Ring,
        Self::Little,
        Self::Fingers,
        Self::Thigh,
        Self::Shin,
        Self::Foot,
        Self::Toes,
    ];

    /// Finger parts, the thumb first.
    pub const FINGERS: [Self; 6] = [
        Self::Thumb,
        Self::Index,
        Self::Middle,
        Self::Ring,
        Self::Little,
        Self::Fingers,
    ];

    /// Long bones: the joints after the first only twist.
    pub(crate) fn bends_first(self) -> bool {
        matches!(
            self,
            Self::UpperArm | Self::Forearm | Self::Hand | Self::Thigh | Self::Shin | Self::Foot
        )
    }

    fn words(self) -> &'static str {
        match self {
            Self::Clavicle => "clavicle",
            Self::UpperArm => "upper arm",
            Self::Forearm => "forearm",
            Self::Hand => "hand",
            Self::Thumb => "thumb",
            Self::Index => "index finger",
            Self::Middle => "middle finger",
            Self::Ring => "ring finger",
            Self::Little => "little finger",
            Self::Fingers => "fingers",
            Self::Thigh => "thigh",
            Self::Shin => "shin",
            Self::Foot => "foot",
            Self::Toes => "toes",
        }
    }
}

impl Role {
    /// Trunk first, then the left side, then the right.
    pub fn all() -> impl Iterator<Item = Self> {
        let trunk = [Self::Hips, Self::Spine, Self::Neck, Self::Head];
        let limbs = Side::BOTH
            .into_iter()
            .flat_map(|side| Limb::ALL.map(|limb| side.role(limb)));
        trunk.into_iter().chain(limbs)
    }

    /// The same part on the other side; the trunk is its own mirror image.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Left(limb) => Self::Right(limb),
            Self::Right(limb) => Self::Left(limb),
            trunk => trunk,
        }
    }

    /// The limb's part, whatever its side.
    #[must_use]
    pub fn limb(self) -> Option<Limb> {
        match self {
            Self::Left(limb) | Self::Right(limb) => Some(limb),
            _ => None,
        }
    }

    /// Fingers and toes, clavicles and necks, which many characters do without.
    #[must_use]
    pub fn is_minor(self) -> bool {
        match self {
            Self::Neck => true,
            Self::Hips | Self::Spine | Self::Head => false,
            Self::Left(limb) | Self::Right(limb) => {
                Limb::FINGERS.contains(&limb) || matches!(limb, Limb::Clavicle | Limb::Toes)
            }
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hips => f.write_str("hips"),
            Self::Spine => f.write_str("spine"),
            Self::Neck => f.write_str("neck"),
            Self::Head => f.write_str("head"),
            Self::Left(limb) => write!(f, "left {}", limb.words()),
            Self::Right(limb) => write!(f, "right {}", limb.words()),
        }
    }
}
