//! The over-rotation guard: differences that are added to a motion may add up to
//! more than a body can do; this bends them back to what a joint can.
//!
//! A joint's turn is split into a swing of its bone and a twist about it, each
//! with a limit: a human's, or what the file states. Only what was added is held
//! back: a motion that goes further by itself (captures do, and rests differ from
//! rig to rig) is left as it is. All of it is smooth: neither where an addition
//! crosses a limit nor where it goes half round the joint does a limb jump.

use glam::{Quat, Vec2, Vec3A};

use super::description::{GuardDescription, GuardedJointDescription};
use crate::{
    humanoid::{HumanLimit, human_limits},
    math::{ease::smoothstep, quat},
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// How long before its limit a joint begins to hold back, radians: 12 degrees.
/// However much is added it never gets beyond; all at once a limb would stop dead.
const GIVE_RAD: f32 = 0.21;
/// How near to a limit, in shares of it, a motion's own turn begins to widen it.
const WIDEN: f32 = 0.1;
/// Swings and twists from the middle of a joint's range, radians, between which an
/// addition is refused altogether. Just opposite the middle there is no nearest
/// edge: it would jump from one side to the other.
const REFUSED_RAD: [f32; 2] = [2.2, 2.9];

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
    limit: HumanLimit,
}

/// Radians from the middle of a joint's range.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    /// Rotation vector across the bone, along the limit's two axes.
    swing: Vec2,
    /// About the bone.
    twist: f32,
}

impl Guard {
    /// A human's limits for the joints that play a part of one, and the file's own
    /// for those it lists.
    #[must_use]
    pub fn new(
        description: &GuardDescription,
        skeleton: &Skeleton,
        find: impl Fn(&str) -> Option<JointIndex>,
        by: Option<usize>,
    ) -> Self {
        let mut limits = match description.human {
            true => human_limits(skeleton),
            false => vec![None; skeleton.len()],
        };
        for stated in &description.joints {
            if let Some(joint) = find(&stated.joint).map(usize::from) {
                limits[joint] = stated_limit(stated, skeleton, joint);
            }
        }
        let joints = limits.into_iter().enumerate();
        let joints = joints.filter_map(|(joint, limit)| {
            Some(GuardedJoint {
                joint,
                limit: limit?,
            })
        });
        Self {
            by,
            joints: joints.collect(),
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
            if let Some(held) = joint.held(before, *rotation) {
                *rotation = quat::nlerp(*rotation, held, amount);
            }
        }
    }
}

/// A cone about the rest pose.
fn stated_limit(
    stated: &GuardedJointDescription,
    skeleton: &Skeleton,
    joint: usize,
) -> Option<HumanLimit> {
    HumanLimit::about(
        skeleton.rest().joints()[joint].rotation,
        bone_axis(skeleton, joint)?,
        stated.swing.to_radians(),
        stated.twist.to_radians(),
    )
}

impl GuardedJoint {
    fn turn(&self, rotation: Quat) -> Turn {
        let (swing, twist) = self.limit.turn(rotation);
        Turn {
            swing: swing.into(),
            twist,
        }
    }

    /// What is allowed of the way from one rotation to another; `None` for all.
    fn held(&self, before: Quat, after: Quat) -> Option<Quat> {
        if before == after {
            return None;
        }
        let (from, to) = (self.turn(before), self.turn(after));
        let swing = self.held_swing(from.swing, to.swing);
        // Turned right over, a bone has no twist to speak of.
        let known = 1.0 - refused(from.swing.length());
        let twist = self.held_twist(from.twist * known, to.twist);
        let refused = 1.0 - (1.0 - refused(to.swing.length())) * (1.0 - refused(to.twist.abs()));
        if swing == to.swing && twist == to.twist && refused <= 0.0 {
            return None;
        }
        let swing = swing.lerp(from.swing, refused);
        let twist = twist + (from.twist - twist) * refused;
        Some(self.limit.rotation(swing.into(), twist))
    }

    /// Drawn in towards the middle of the cone.
    fn held_swing(&self, from: Vec2, to: Vec2) -> Vec2 {
        let ratio = self.limit.ratio(to.into());
        if ratio <= 1e-6 {
            return to;
        }
        // Of the way to the edge, in this direction.
        let give = (GIVE_RAD * ratio / to.length()).min(0.5);
        let limit = widened(1.0 - give, self.limit.ratio(from.into()));
        to * (soft(ratio, limit, give) / ratio)
    }

    fn held_twist(&self, from: f32, to: f32) -> f32 {
        let [least, most] = self.limit.twist_rad;
        let give = GIVE_RAD.min(0.25 * (most - least));
        let most = widened(most - give, from);
        let least = widened(-least - give, -from);
        match to > 0.0 {
            true => soft(to, most, give),
            false => -soft(-to, least, give),
        }
    }
}

/// How much of an addition is refused that turns so far from the middle.
fn refused(turn_rad: f32) -> f32 {
    let [first, last] = REFUSED_RAD;
    smoothstep(((turn_rad - first) / (last - first)).clamp(0.0, 1.0))
}

/// A limit, or what the motion itself does where that is more; smooth in between.
fn widened(limit: f32, own: f32) -> f32 {
    let width = WIDEN * limit.abs().max(f32::MIN_POSITIVE);
    let beyond = own - limit + width;
    match beyond {
        _ if beyond <= 0.0 => limit,
        _ if beyond >= 2.0 * width => own,
        _ => limit + beyond * beyond / (4.0 * width),
    }
}

/// Past a limit slower and slower, never further past it than `give`.
fn soft(value: f32, limit: f32, give: f32) -> f32 {
    if value <= limit {
        return value;
    }
    limit + give * (1.0 - ((limit - value) / give).exp())
}

/// Where the bone of a joint points, in the joint's own space at rest.
fn bone_axis(skeleton: &Skeleton, joint: usize) -> Option<Vec3A> {
    let children = skeleton.children(joint as JointIndex);
    let rest = skeleton.rest().joints();
    let sum = children.map(|child| rest[usize::from(child)].translation);
    sum.fold(Vec3A::ZERO, |sum, at| sum + at).try_normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn elbow() -> GuardedJoint {
        GuardedJoint {
            joint: 0,
            limit: HumanLimit {
                middle: bend(70.0),
                bone: Vec3A::Y,
                flexion_axis: Vec3A::X,
                swing_rad: [70f32.to_radians(), 15f32.to_radians()],
                twist_rad: [-20f32.to_radians(), 20f32.to_radians()],
            },
        }
    }

    fn bend(degrees: f32) -> Quat {
        Quat::from_rotation_x(degrees.to_radians())
    }

    /// What becomes of a bend to which another is added, degrees.
    fn held(before: f32, added: f32) -> f32 {
        let after = bend(before + added);
        let held = elbow().held(bend(before), after).unwrap_or(after);
        quat::log(held).x.to_degrees()
    }

    #[test]
    fn an_addition_within_the_limit_stays_and_one_beyond_it_is_held() {
        assert_close!(held(20.0, 90.0), 110.0, 1e-3);
        assert_close!(held(80.0, 47.0), 127.0, 1e-2);
        for added in [70.0, 90.0, 110.0] {
            let held = held(80.0, added);
            assert!((135.0..=140.0).contains(&held), "{added}: {held}");
        }
    }

    #[test]
    fn an_addition_half_round_the_joint_is_refused() {
        assert_close!(held(80.0, 170.0), 80.0, 1e-2);
    }

    #[test]
    fn what_is_beyond_the_limit_by_itself_stays_where_it_is() {
        assert_close!(held(160.0, 0.0), 160.0, 1e-3);
        let more = held(160.0, 40.0);
        assert!((160.0..172.0).contains(&more), "{more}");
    }

    /// Whatever a body does and whatever is added: what is shown goes no more than a
    /// few times as fast as what goes in, and its speed changes little from step to
    /// step.
    #[test]
    fn nothing_jumps_wherever_an_addition_goes() {
        let (joint, mut random) = (elbow(), Random::new(3));
        let mut share = |most: f32| most * (random.below(2001) as f32 / 1000.0 - 1.0);
        let (mut fastest, mut jerkiest) = (0f32, 0f32);
        for _ in 0..2000 {
            // A line through the joint's range, and a little beyond it.
            let mut turn = || ([share(1.4), share(0.3)], share(0.4));
            let (first, last) = (turn(), turn());
            let between = |a: f32, b: f32, at: f32| a + (b - a) * at;
            let axis = Vec3A::new(share(1.0), share(1.0), share(1.0)).normalize_or(Vec3A::X);
            let size = share(120f32.to_radians());
            let mut shown: Vec<Quat> = Vec::new();
            // At most a degree and a half a step, and half a degree added.
            for step in 0..120 {
                let at = step as f32 / 120.0;
                let swing = [0, 1].map(|it| between(first.0[it], last.0[it], at));
                let own = joint.limit.rotation(swing, between(first.1, last.1, at));
                let added = Quat::from_axis_angle(axis.into(), size + at * 60f32.to_radians());
                // The shorter way round, as additions are.
                let added = quat::nlerp(Quat::IDENTITY, added, 1.0);
                let after = added * own;
                let held = joint.held(own, after).unwrap_or(after);
                if let Some(&before) = shown.last() {
                    fastest = fastest.max(quat::angle_between(before, held).to_degrees());
                }
                if let [.., a, b] = shown[..] {
                    let (first, second) = (b * a.conjugate(), held * b.conjugate());
                    let change = quat::angle_between(first, second).to_degrees();
                    jerkiest = jerkiest.max(change);
                }
                shown.push(held);
            }
        }
        assert!(fastest < 15.0 && jerkiest < 4.0, "{fastest} {jerkiest}");
    }
}
