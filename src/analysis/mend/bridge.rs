//! Splines over frames that hold nothing of the motion's own.

use std::ops::Range;

use glam::{Quat, Vec3A};

use crate::{
    analysis::motion::PosedMotion,
    math::{
        ease::smoothstep,
        quat::{self, angle_between},
    },
    skeleton::LocalPose,
};

/// Turns and ways below this are none: a joint is held.
const HELD: f32 = 2e-5;
/// A jump is taken back within this time to either side, seconds.
const EASE_SECS: f64 = 0.1;
/// Speeds at the ends of a bridge are taken over so many frames.
const SPEED_FRAMES: usize = 2;

/// Replaces frames of a joint (of the root's place for `None`) by a spline
/// from the frames before to those after.
pub(super) fn bridge(
    motion: &PosedMotion<'_>,
    joint: Option<usize>,
    frames: &Range<usize>,
    poses: &mut [LocalPose],
) -> Range<usize> {
    match joint {
        Some(joint) => bridge_turns(motion, joint, frames, poses),
        None => bridge_places(motion, frames, poses),
    }
    frames.clone()
}

/// Every joint that holds still in a gap, and the root.
pub(super) fn all_held(motion: &PosedMotion<'_>, frames: &Range<usize>, poses: &mut [LocalPose]) {
    let inner = frames.start + 1..frames.end;
    let animated = motion.clip.animated.iter().map(|&joint| usize::from(joint));
    for joint in animated {
        let step =
            |k: usize| angle_between(motion.rotation(k - 1, joint), motion.rotation(k, joint));
        if inner.clone().all(|k| step(k) <= HELD) {
            bridge_turns(motion, joint, frames, poses);
        }
    }
    let root = &motion.clip.root_translations;
    if inner.clone().all(|k| root[k].distance(root[k - 1]) <= HELD) {
        bridge_places(motion, frames, poses);
    }
}

fn bridge_turns(
    motion: &PosedMotion<'_>,
    joint: usize,
    frames: &Range<usize>,
    poses: &mut [LocalPose],
) {
    let rotation = |frame: usize| motion.rotation(frame, joint);
    let Some((before, after)) = ends(motion, frames) else {
        let Some(held) = nearest(motion, frames) else {
            return;
        };
        let held = rotation(held);
        poses[frames.clone()]
            .iter_mut()
            .for_each(|pose| pose.joints_mut()[joint].rotation = held);
        return;
    };
    let (from, to) = (rotation(before), rotation(after));
    // In turns from the frame before the gap: small enough to be added up.
    let turn = |q: Quat| Vec3A::from(quat::log(from.conjugate() * q));
    let end = turn(to);
    let earlier = before.saturating_sub(SPEED_FRAMES);
    let later = (after + SPEED_FRAMES).min(motion.frames() - 1);
    let leaves = (Vec3A::ZERO - turn(rotation(earlier))) / (before - earlier).max(1) as f32;
    let arrives = (turn(rotation(later)) - end) / (later - after).max(1) as f32;
    for frame in frames.clone() {
        let v = hermite([Vec3A::ZERO, end], [leaves, arrives], before, after, frame);
        poses[frame].joints_mut()[joint].rotation = (from * quat::exp(v.into())).normalize();
    }
}

fn bridge_places(motion: &PosedMotion<'_>, frames: &Range<usize>, poses: &mut [LocalPose]) {
    let place = |frame: usize| Vec3A::from(motion.clip.root_translations[frame]);
    let Some((before, after)) = ends(motion, frames) else {
        let Some(held) = nearest(motion, frames) else {
            return;
        };
        let held = place(held);
        poses[frames.clone()]
            .iter_mut()
            .for_each(|pose| pose.joints_mut()[0].translation = held);
        return;
    };
    let earlier = before.saturating_sub(SPEED_FRAMES);
    let later = (after + SPEED_FRAMES).min(motion.frames() - 1);
    let leaves = (place(before) - place(earlier)) / (before - earlier).max(1) as f32;
    let arrives = (place(later) - place(after)) / (later - after).max(1) as f32;
    for frame in frames.clone() {
        let ends = [place(before), place(after)];
        let place = hermite(ends, [leaves, arrives], before, after, frame);
        poses[frame].joints_mut()[0].translation = place;
    }
}

/// The frames before and after, where there are both.
fn ends(motion: &PosedMotion<'_>, frames: &Range<usize>) -> Option<(usize, usize)> {
    let before = frames.start.checked_sub(1)?;
    (frames.end < motion.frames()).then_some((before, frames.end))
}

/// The one frame that is known, of frames at an end of the clip.
fn nearest(motion: &PosedMotion<'_>, frames: &Range<usize>) -> Option<usize> {
    let after = (frames.end < motion.frames()).then_some(frames.end);
    frames.start.checked_sub(1).or(after)
}

/// Hermite's cubic from one frame to another; speeds a frame.
fn hermite(ends: [Vec3A; 2], speeds: [Vec3A; 2], first: usize, last: usize, frame: usize) -> Vec3A {
    let span = (last - first) as f32;
    let u = (frame - first) as f32 / span;
    let (square, cube) = (u * u, u * u * u);
    ends[0] * (2.0 * cube - 3.0 * square + 1.0)
        + speeds[0] * (span * (cube - 2.0 * square + u))
        + ends[1] * (3.0 * square - 2.0 * cube)
        + speeds[1] * (span * (cube - square))
}

/// A jump to another value for good: half of it is taken back before it, and
/// half after it, the more the nearer.
pub(super) fn ease_jump(
    motion: &PosedMotion<'_>,
    joint: Option<usize>,
    at: usize,
    poses: &mut [LocalPose],
) -> Range<usize> {
    let reach = motion.frames_in(EASE_SECS, 3);
    let frames = at.saturating_sub(reach)..(at + reach).min(motion.frames());
    let before = at.saturating_sub(1);
    for frame in frames.clone() {
        let away = match frame < at {
            true => before - frame,
            false => frame - at,
        } as f32;
        let share = 0.5 * (1.0 - smoothstep((away / reach as f32).min(1.0)));
        let share = if frame < at { share } else { -share };
        let own = &mut poses[frame].joints_mut()[joint.unwrap_or(0)];
        match joint {
            Some(joint) => {
                let step = motion.rotation(before, joint).conjugate() * motion.rotation(at, joint);
                own.rotation = (own.rotation * quat::exp(quat::log(step) * share)).normalize();
            }
            None => {
                let root = &motion.clip.root_translations;
                own.translation += Vec3A::from(root[at] - root[before]) * share;
            }
        }
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hermite_meets_a_cubic_exactly() {
        // x(t) = t³ − t, x' = 3t² − 1
        let x = |t: f32| Vec3A::X * (t * t * t - t);
        let v = |t: f32| Vec3A::X * (3.0 * t * t - 1.0);
        for frame in 2..=6 {
            let found = hermite([x(2.0), x(6.0)], [v(2.0), v(6.0)], 2, 6, frame);
            assert_close!(found, x(frame as f32), 1e-4);
        }
    }
}
