//! Foot lock: a foot that stands stays where it came to stand.
//!
//! While a foot is locked its ball is held at one point of the world; when it
//! lifts, what held it back dies out. The correction is always an offset to
//! where the animation has the foot, and it is continuous: a lock begins with
//! the offset that is there.

use glam::{DVec2, Quat, Vec3A};

use super::{description::FootLock, graph::LegChain};
use crate::{
    humanoid::LegJoints,
    math::{Transform, ease::smoothstep, ik},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// One foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FootHold {
    /// Free; an offset (metres, world X and Z) since the given moment dies out.
    Free {
        /// At the moment of release.
        offset: DVec2,
        /// Seconds since.
        since_secs: f64,
    },
    /// Held at a point (world X and Z).
    Locked(DVec2),
}

impl Default for FootHold {
    fn default() -> Self {
        Self::Free {
            offset: DVec2::ZERO,
            since_secs: 0.0,
        }
    }
}

/// A foot that was held far back takes longer to return: seconds a metre.
const RETURN_SECS_PER_M: f64 = 2.5;

impl FootHold {
    /// The offset for a ball that the animation has at `ball`.
    #[must_use]
    pub fn offset(self, ball: DVec2, ahead_secs: f64, settings: &FootLock) -> DVec2 {
        let most = f64::from(settings.reach_m);
        match self {
            Self::Locked(point) => (point - ball).clamp_length_max(most),
            Self::Free { offset, since_secs } => {
                let secs = settings
                    .release_secs
                    .max(offset.length() * RETURN_SECS_PER_M)
                    .max(1e-6);
                let done = ((since_secs + ahead_secs) / secs).min(1.0) as f32;
                offset * f64::from(1.0 - smoothstep(done))
            }
        }
    }

    /// Lets time pass.
    pub fn advance(&mut self, dt_secs: f64) {
        if let Self::Free { since_secs, .. } = self {
            *since_secs += dt_secs;
        }
    }

    /// Locks or releases; `ball` is where the animation has the ball now.
    pub fn set_locked(&mut self, lock: bool, ball: DVec2, settings: &FootLock) {
        let offset = self.offset(ball, 0.0, settings);
        *self = match lock {
            true => Self::Locked(ball + offset),
            false => Self::Free {
                offset,
                since_secs: 0.0,
            },
        };
    }

    /// True while held.
    #[must_use]
    pub fn is_locked(self) -> bool {
        matches!(self, Self::Locked(_))
    }
}

/// A knee that is this far from the line of its leg, metres, is all but
/// straight.
const STRAIGHT_BEND_M: f32 = 0.015;

/// Moves a leg's foot by an offset in model space, knee and thigh following,
/// the foot keeping its attitude. A knee that a fade has bent backwards bends
/// forward instead, even without an offset. `model` stays up to date.
pub fn move_foot(
    skeleton: &Skeleton,
    leg: &LegChain,
    offset: Vec3A,
    pose: &mut LocalPose,
    model: &mut ModelPose,
) {
    let LegJoints {
        hip, knee, ankle, ..
    } = leg.joints;
    let at = |joint: JointIndex| model.joints()[usize::from(joint)];
    let [thigh, shin, foot] = [hip, knee, ankle].map(at);
    let points = [thigh, shin, foot].map(|joint| joint.translation);
    let line = (points[2] - points[0]).normalize_or(Vec3A::NEG_Y);
    let bend = points[1] - points[0];
    let bend = bend - line * line.dot(bend);
    let front = line
        .cross(thigh.rotation * leg.knee_axis)
        .normalize_or_zero();
    let forward_m = bend.dot(front);
    if offset == Vec3A::ZERO && forward_m >= 0.0 {
        return;
    }
    // To the side the knee is on, mirrored to the front; near straight, where
    // that side says little, to the front alone.
    let pole = bend + front * (forward_m.abs().max(STRAIGHT_BEND_M) - forward_m);
    let target = ik::soft_reach(points, points[2] + offset);
    let target = ik::calm_reach(points, target);
    let rotations = ik::two_bone(points[0], points[1], points[2], target, pole);
    let new_thigh = rotations.upper * thigh.rotation;
    let new_shin = rotations.lower * rotations.upper * shin.rotation;
    let above = skeleton.parents()[usize::from(hip)];
    let pelvis = model
        .joints()
        .get(usize::from(above))
        .map_or(Quat::IDENTITY, |joint| joint.rotation);
    let mut set = |joint: JointIndex, parent: Quat, rotation: Quat| {
        let local = (parent.conjugate() * rotation).normalize();
        pose.joints_mut()[usize::from(joint)].rotation = local;
    };
    set(hip, pelvis, new_thigh);
    set(knee, new_thigh, new_shin);
    set(ankle, new_shin, foot.rotation);
    for &joint in &leg.subtree {
        model.place_joint(skeleton, pose, usize::from(joint));
    }
}

/// Turns one joint in model space and takes what hangs below along.
pub fn rotate_joint(
    skeleton: &Skeleton,
    joint: JointIndex,
    rotation: Quat,
    pose: &mut LocalPose,
    model: &mut ModelPose,
) {
    let index = usize::from(joint);
    let rotated = (rotation * model.joints()[index].rotation).normalize();
    let parent = usize::from(skeleton.parents()[index]);
    let above = model.joints().get(parent);
    let above = above.map_or(Quat::IDENTITY, |parent| parent.rotation);
    pose.joints_mut()[index].rotation = (above.conjugate() * rotated).normalize();
    // Whatever hangs below comes later; a joint whose parent did not move is
    // placed again where it was.
    for below in index..skeleton.len() {
        model.place_joint(skeleton, pose, below);
    }
}

/// World X and Z of a point.
#[must_use]
pub fn ground_point(world_from_model: Transform, model_point: Vec3A) -> DVec2 {
    let world = world_from_model.transform_point(model_point);
    DVec2::new(world.x.into(), world.z.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: FootLock = FootLock {
        weight: 1.0,
        release_secs: 0.2,
        reach_m: 0.1,
    };

    #[test]
    fn a_locked_foot_stays_and_a_released_one_returns() {
        let mut foot = FootHold::default();
        let spot = DVec2::new(1.0, 2.0);
        foot.set_locked(true, spot, &SETTINGS);
        assert_eq!(foot.offset(spot, 0.0, &SETTINGS), DVec2::ZERO);
        let drifted = spot + DVec2::new(0.0, 0.03);
        let shown = drifted + foot.offset(drifted, 0.0, &SETTINGS);
        assert_close!(shown, spot, 1e-12);
        foot.set_locked(false, drifted, &SETTINGS);
        let shown = drifted + foot.offset(drifted, 0.0, &SETTINGS);
        assert_close!(shown, spot, 1e-12, "no jump at release");
        foot.advance(0.2);
        assert_eq!(foot.offset(drifted, 0.0, &SETTINGS), DVec2::ZERO);
    }

    #[test]
    fn a_lock_taken_while_an_offset_dies_out_starts_where_the_foot_is_seen() {
        let mut foot = FootHold::Free {
            offset: DVec2::new(0.05, 0.0),
            since_secs: 0.1,
        };
        let ball = DVec2::new(0.3, 0.0);
        let seen = ball + foot.offset(ball, 0.0, &SETTINGS);
        foot.set_locked(true, ball, &SETTINGS);
        let still = ball + foot.offset(ball, 0.0, &SETTINGS);
        assert_close!(seen, still, 1e-12);
    }

    #[test]
    fn it_does_not_hold_further_than_it_reaches() {
        let foot = FootHold::Locked(DVec2::ZERO);
        let far = DVec2::new(5.0, 0.0);
        assert_close!(foot.offset(far, 0.0, &SETTINGS).length(), 0.1, 1e-7);
    }
}
