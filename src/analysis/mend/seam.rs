//! A loop whose last frames are led to where the first one is.

use std::ops::Range;

use glam::Quat;

use crate::{
    analysis::{check::Seam, motion::PosedMotion},
    clip::Planar,
    math::{Transform, ease::smoothstep, quat},
    skeleton::LocalPose,
};

/// Within this time before the end, seconds …
const EASE_SECS: f64 = 0.4;
/// … and at most this share of the clip.
const SHARE: f64 = 0.4;

/// Leads the end of a clip to its start; the frames that changed.
pub(super) fn close(
    motion: &PosedMotion<'_>,
    seam: &Seam,
    poses: &mut [LocalPose],
) -> Range<usize> {
    let last = motion.frames() - 1;
    let most = (SHARE * motion.frames() as f64) as usize;
    let ease = motion.frames_in(EASE_SECS, 2).min(most.max(2));
    let first = last.saturating_sub(ease);
    for joint in 0..motion.skeleton.len() {
        let due = due(motion, seam, joint);
        let error = motion.rotation(last, joint).conjugate() * due;
        for (frame, pose) in poses.iter_mut().enumerate().skip(first) {
            let share = smoothstep((frame - first) as f32 / ease as f32);
            let own = &mut pose.joints_mut()[joint].rotation;
            *own = (*own * quat::exp(quat::log(error) * share)).normalize();
        }
    }
    let root = &motion.clip.root_translations;
    let step = match seam.repeats_first {
        true => 0.0,
        false => step_of(root[0].y, root[1].y, root[last - 1].y, root[last].y),
    };
    let lift = root[0].y - step - root[last].y;
    for (frame, pose) in poses.iter_mut().enumerate().skip(first) {
        let share = smoothstep((frame - first) as f32 / ease as f32);
        pose.joints_mut()[0].translation.y += lift * share;
    }
    first..last + 1
}

/// The mean of the steps to either side of the seam.
fn step_of(first: f32, second: f32, last_but_one: f32, last: f32) -> f32 {
    ((second - first) + (last - last_but_one)) / 2.0
}

/// How a joint has to stand at the end.
fn due(motion: &PosedMotion<'_>, seam: &Seam, joint: usize) -> Quat {
    let last = motion.frames() - 1;
    let rotation = |frame: usize| match joint {
        // The way a loop turns as a whole is no fault.
        0 => unturned(motion, frame),
        _ => motion.rotation(frame, joint),
    };
    let due = match seam.repeats_first {
        true => rotation(0),
        false => {
            let leaves = quat::log(rotation(0).conjugate() * rotation(1));
            let arrives = quat::log(rotation(last - 1).conjugate() * rotation(last));
            rotation(0) * quat::exp((leaves + arrives) * -0.5)
        }
    };
    match joint {
        0 => heading(motion, last) * due,
        _ => due,
    }
}

fn heading(motion: &PosedMotion<'_>, frame: usize) -> Quat {
    let rest = motion.skeleton.root_rest();
    let turned = Transform::from_rotation(motion.rotation(frame, 0) * rest.conjugate());
    Planar::of(turned).transform().rotation
}

fn unturned(motion: &PosedMotion<'_>, frame: usize) -> Quat {
    heading(motion, frame).conjugate() * motion.rotation(frame, 0)
}
