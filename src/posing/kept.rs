//! What joints may do while a body follows a hand: no joint goes further beyond
//! its limit than the motion has it, and none jumps.

use glam::{Quat, Vec3A};

use crate::{
    humanoid::{JointLimits, LimitTrack, ROUNDING_RAD},
    math::quat,
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// A turn that lacks less has not met a limit, radians.
const REFUSED_RAD: f32 = 1e-4;
/// Halvings of a turn that a limit would throw aside.
const HALVINGS: usize = 3;

/// Limits of joints that are turned step by step.
#[derive(Clone, Debug)]
pub(super) struct KeptLimits<'a> {
    limits: &'a JointLimits,
    /// As the motion has each joint beyond its limit, radians.
    allowed_rad: Vec<f32>,
    tracks: Vec<LimitTrack>,
    saved: Vec<LimitTrack>,
    /// Where to a limit lets a joint turn no further, in its parent: others do
    /// it, or the joint about another axis.
    blocked: Vec<Option<Vec3A>>,
}

impl<'a> KeptLimits<'a> {
    /// Of joints as a motion has them.
    pub fn of(
        limits: &'a JointLimits,
        skeleton: &Skeleton,
        own: &LocalPose,
        joints: impl Iterator<Item = JointIndex>,
    ) -> Self {
        let mut tracks = vec![LimitTrack::default(); skeleton.len()];
        let mut allowed_rad = vec![0.0; skeleton.len()];
        for joint in joints {
            let index = usize::from(joint);
            if let Some(limit) = limits.get(joint) {
                let local = own.joints()[index].rotation;
                tracks[index] = limit.track(local);
                allowed_rad[index] = limit.excess_rad(local);
            }
        }
        Self {
            limits,
            allowed_rad,
            saved: tracks.clone(),
            blocked: vec![None; tracks.len()],
            tracks,
        }
    }

    /// Remembers where all joints are.
    pub fn save(&mut self) {
        self.saved.clone_from(&self.tracks);
    }

    /// Back to where a joint was then.
    pub fn restore(&mut self, joint: JointIndex) {
        let index = usize::from(joint);
        self.tracks[index] = self.saved[index];
    }

    /// A joint turned on from `now`, as far as it may.
    pub fn turned(&mut self, joint: JointIndex, now: Quat, wanted: Quat) -> Quat {
        let index = usize::from(joint);
        let Some(limit) = self.limits.get(joint) else {
            return wanted;
        };
        let mut wanted = wanted;
        for _ in 0..HALVINGS {
            let mut track = self.tracks[index];
            let held = limit.followed(&mut track, wanted, self.allowed_rad[index]);
            // Angles are clamped, not rotations: where they lock, what comes out may
            // be far away, or lead away a little with every step.
            if wanted.angle_between(held) <= wanted.angle_between(now) {
                self.tracks[index] = track;
                return held;
            }
            wanted = now.slerp(wanted, 0.5);
        }
        now
    }

    /// Where to a joint turns no further, a unit vector in its parent.
    pub fn blocked(&self, joint: JointIndex) -> Option<Vec3A> {
        self.blocked[usize::from(joint)]
    }

    /// The same by a turn that was asked for, and remembers what of it the limit
    /// refused.
    pub fn pushed(&mut self, joint: JointIndex, now: Quat, (turn, wanted): (Vec3A, Quat)) -> Quat {
        let index = usize::from(joint);
        let held = self.turned(joint, now, wanted);
        let refused = Vec3A::from(quat::log((wanted * held.conjugate()).normalize()));
        if refused.length() > REFUSED_RAD {
            self.blocked[index] = refused.try_normalize();
        } else if self.blocked[index].is_some_and(|to| to.dot(turn) < 0.0) {
            self.blocked[index] = None;
        }
        held
    }

    /// Whether a joint may be turned so.
    pub fn allows(&mut self, joint: JointIndex, local: Quat) -> bool {
        let index = usize::from(joint);
        let Some(limit) = self.limits.get(joint) else {
            return true;
        };
        let most_rad = self.allowed_rad[index] + 0.5 * ROUNDING_RAD;
        let held = limit.followed(&mut self.tracks[index], local, most_rad);
        held == local
    }
}
