//! How far joints turn: by what their file states (ASF), or by what a human's
//! can. One table of human ranges, for marks on captures, for IK, for ragdolls.
//!
//! A limit only says how far beyond it a rotation is, and clamps one on request.
//! Nothing here changes a motion by itself.

mod human_ranges;
mod own;

pub use human_ranges::{HumanLimit, JointRange, human_limits, range_of};
pub use own::OwnLimit;

use glam::Quat;

use crate::skeleton::{JointIndex, Skeleton};

/// Roundings of angles that files write with four digits are no breach, radians.
pub const ROUNDING_RAD: f32 = 0.002;

/// The limit of one joint.
#[derive(Clone, Debug, PartialEq)]
pub enum JointLimit {
    /// The ranges of its degrees of freedom, as its file states them.
    Own(OwnLimit),
    /// Swing cone and twist of a human's.
    Human(HumanLimit),
}

/// Whose limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitSource {
    /// The skeleton's own where its file states some, a human's elsewhere.
    #[default]
    Both,
    /// What the file states.
    Own,
    /// A human's.
    Human,
}

impl JointLimit {
    /// How far a joint's rotation in its parent is beyond the limit, radians; 0
    /// within.
    #[must_use]
    pub fn excess_rad(&self, local: Quat) -> f32 {
        match self {
            Self::Own(limit) => limit.excess_rad(local),
            Self::Human(limit) => limit.excess_rad(local),
        }
    }

    /// The rotation brought back to at most `allowed_rad` beyond the limit; the
    /// same rotation where it is no further.
    #[must_use]
    pub fn clamped(&self, local: Quat, allowed_rad: f32) -> Quat {
        match self {
            Self::Own(limit) => limit.clamped(local, allowed_rad),
            Self::Human(limit) => limit.clamped(local, allowed_rad),
        }
    }
}

/// Where a joint is within its limit, for one that is turned in small steps:
/// angles are followed from step to step, so that the other triple of the same
/// rotation is never taken by a jump.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitTrack {
    angles: glam::DVec3,
}

impl JointLimit {
    /// Begins to follow a joint.
    #[must_use]
    pub fn track(&self, local: Quat) -> LimitTrack {
        let angles = match self {
            Self::Own(limit) => limit.angles(local).0,
            Self::Human(_) => glam::DVec3::ZERO,
        };
        LimitTrack { angles }
    }

    /// A small step on, brought back to at most `allowed_rad` beyond the limit.
    #[must_use]
    pub fn followed(&self, track: &mut LimitTrack, local: Quat, allowed_rad: f32) -> Quat {
        match self {
            Self::Own(limit) => limit.followed(&mut track.angles, local, allowed_rad),
            Self::Human(limit) => limit.clamped(local, allowed_rad),
        }
    }
}

/// The limits of a skeleton's joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointLimits {
    joints: Vec<Option<JointLimit>>,
}

impl JointLimits {
    /// Of a skeleton, from one source.
    #[must_use]
    pub fn of(skeleton: &Skeleton, source: LimitSource) -> Self {
        let own = || skeleton.joints().iter().map(OwnLimit::of);
        let human = || human_limits(skeleton).into_iter();
        let joints = match source {
            LimitSource::Own => own().map(|it| it.map(JointLimit::Own)).collect(),
            LimitSource::Human => human().map(|it| it.map(JointLimit::Human)).collect(),
            LimitSource::Both => { own().zip(human()) }
                .map(|(own, human)| {
                    own.map(JointLimit::Own)
                        .or_else(|| human.map(JointLimit::Human))
                })
                .collect(),
        };
        Self { joints }
    }

    /// Of one joint.
    #[must_use]
    pub fn get(&self, joint: JointIndex) -> Option<&JointLimit> {
        self.joints.get(usize::from(joint))?.as_ref()
    }

    /// Joints that have one.
    pub fn iter(&self) -> impl Iterator<Item = (JointIndex, &JointLimit)> {
        let joints = self.joints.iter().enumerate();
        joints.filter_map(|(joint, limit)| Some((joint as JointIndex, limit.as_ref()?)))
    }

    /// Whether any joint has one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints.iter().all(Option::is_none)
    }

    /// How far a joint is beyond its limit, radians; 0 without one.
    #[must_use]
    pub fn excess_rad(&self, joint: JointIndex, local: Quat) -> f32 {
        self.get(joint).map_or(0.0, |limit| limit.excess_rad(local))
    }

    /// A joint's rotation brought back to its limit.
    #[must_use]
    pub fn clamped(&self, joint: JointIndex, local: Quat, allowed_rad: f32) -> Quat {
        self.get(joint)
            .map_or(local, |limit| limit.clamped(local, allowed_rad))
    }
}

#[cfg(test)]
mod tests;
