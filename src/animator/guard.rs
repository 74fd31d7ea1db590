//! The over-rotation guard: differences that are added to a motion may add up to
//! more than a body can do; this bends them back to what a joint can.
//!
//! A joint's turn from rest is split into a twist about its bone and a swing of
//! the bone, each with a limit of its own. Only what was added is held back: a
//! motion that goes further by itself (captures do, and rests differ from rig to
//! rig) is left as it is.

use glam::{Quat, Vec3A};

use super::description::GuardDescription;
use crate::{
    math::quat,
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// Past a limit the guard comes in over so many radians, 6 degrees: all at once it
/// would jerk where an addition only just touches the limit.
const GIVE_RAD: f32 = 0.105;
/// Looks at so many moments of an addition.
const STEPS: u8 = 12;

/// Limits of joints, and what switches them.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// A number, 0 to 1; 1 without one.
    pub by: Option<usize>,
    joints: Vec<GuardedJoint>,
}

#[derive(Clone, Debug, PartialEq)]
struct GuardedJoint {
    joint: usize,
    /// Parent from joint, at rest.
    rest: Quat,
    /// Along the bone, in the joint.
    axis: Vec3A,
    limits: SwingTwist,
}

/// Radians from rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwingTwist {
    /// Of the bone.
    pub swing: f32,
    /// About it.
    pub twist: f32,
}

impl Guard {
    /// For the joints that a skeleton has.
    #[must_use]
    pub fn new(
        description: &GuardDescription,
        skeleton: &Skeleton,
        find: impl Fn(&str) -> Option<JointIndex>,
        by: Option<usize>,
    ) -> Self {
        let joint = |it: &super::description::GuardedJointDescription| {
            let joint = usize::from(find(&it.joint)?);
            Some(GuardedJoint {
                joint,
                rest: skeleton.rest().joints()[joint].rotation,
                axis: bone_axis(skeleton, joint)?,
                limits: SwingTwist {
                    swing: it.swing.to_radians(),
                    twist: it.twist.to_radians(),
                },
            })
        };
        Self {
            by,
            joints: description.joints.iter().filter_map(joint).collect(),
        }
    }

    /// Takes down how the guarded joints are turned before something is added.
    pub fn remember(&self, pose: &LocalPose, turned: &mut Vec<Quat>) {
        let joints = self.joints.iter();
        turned.clear();
        turned.extend(joints.map(|it| pose.joints()[it.joint].rotation));
    }

    /// Takes back of what was added since as much as goes beyond the limits.
    pub fn apply(&self, before: &[Quat], amount: f32, pose: &mut LocalPose) {
        for (joint, &before) in self.joints.iter().zip(before) {
            let rotation = &mut pose.joints_mut()[joint.joint].rotation;
            let share = 1.0 - amount * (1.0 - joint.share(before, *rotation));
            if share < 1.0 {
                *rotation = quat::nlerp(before, *rotation, share);
            }
        }
    }
}

impl GuardedJoint {
    /// Rotation from rest = swing · twist, twist about the bone.
    fn turn(&self, rotation: Quat) -> SwingTwist {
        let (swing, twist) = quat::swing_twist(self.rest.conjugate() * rotation, self.axis.into());
        SwingTwist {
            swing: angle(swing),
            twist: angle(twist),
        }
    }

    /// How much of the way from one rotation to another stays within the limits,
    /// 0 to 1. Along the way: past half a turn an angle grows smaller again.
    fn share(&self, before: Quat, after: Quat) -> f32 {
        let from = self.turn(before);
        let added = quat::angle_between(before, after);
        let room = (self.limits.swing - from.swing).min(self.limits.twist - from.twist);
        if added <= room.max(1e-3) {
            return 1.0;
        }
        let limits = SwingTwist {
            swing: self.limits.swing.max(from.swing),
            twist: self.limits.twist.max(from.twist),
        };
        let beyond = |share: f32| {
            let turn = self.turn(quat::nlerp(before, after, share));
            (turn.swing - limits.swing).max(turn.twist - limits.twist)
        };
        let (mut crossing, mut most, mut last) = (None, 0.0f32, 0.0f32);
        for step in 1..=STEPS {
            let share = f32::from(step) / f32::from(STEPS);
            let now = beyond(share);
            if crossing.is_none() && now > 0.0 {
                let within = (-last).max(0.0);
                let back = now / (now + within).max(f32::MIN_POSITIVE);
                crossing = Some(share - back / f32::from(STEPS));
            }
            (most, last) = (most.max(now), now);
        }
        let crossing = crossing.unwrap_or(1.0);
        1.0 - (1.0 - crossing) * (most / GIVE_RAD).min(1.0)
    }
}

/// Where the bone of a joint points, in the joint's own space at rest.
fn bone_axis(skeleton: &Skeleton, joint: usize) -> Option<Vec3A> {
    let children = skeleton.children(joint as JointIndex);
    let rest = skeleton.rest().joints();
    let sum = children.map(|child| rest[usize::from(child)].translation);
    sum.fold(Vec3A::ZERO, |sum, at| sum + at).try_normalize()
}

fn angle(rotation: Quat) -> f32 {
    2.0 * rotation.xyz().length().min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elbow() -> GuardedJoint {
        GuardedJoint {
            joint: 0,
            rest: Quat::IDENTITY,
            axis: Vec3A::Y,
            limits: SwingTwist {
                swing: 140f32.to_radians(),
                twist: 20f32.to_radians(),
            },
        }
    }

    fn bend(degrees: f32) -> Quat {
        Quat::from_rotation_x(degrees.to_radians())
    }

    /// What becomes of a bend to which another is added.
    fn held(before: f32, added: f32) -> f32 {
        let (before, after) = (bend(before), bend(before + added));
        let joint = elbow();
        let share = joint.share(before, after);
        angle(quat::nlerp(before, after, share)).to_degrees()
    }

    #[test]
    fn an_addition_within_the_limit_stays_and_one_beyond_it_is_held() {
        assert_close!(held(20.0, 90.0), 110.0, 1e-3);
        assert_close!(held(80.0, 59.0), 139.0, 1e-2);
        for added in [70.0, 90.0, 120.0, 170.0] {
            let held = held(80.0, added);
            assert!((136.0..=146.0).contains(&held), "{added}: {held}");
        }
    }

    #[test]
    fn what_is_beyond_the_limit_by_itself_stays_where_it_is() {
        assert_close!(held(160.0, 0.0), 160.0, 1e-3);
        assert!(held(160.0, 60.0) < 161.0);
    }

    #[test]
    fn more_added_is_never_a_jump() {
        let mut before = held(70.0, 0.0);
        for tenth in 1..=1600 {
            let now = held(70.0, tenth as f32 * 0.1);
            assert!((now - before).abs() < 1.5, "{tenth}: {before} {now}");
            before = now;
        }
    }
}
