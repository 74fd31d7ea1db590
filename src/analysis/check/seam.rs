//! The seam of a loop that does not quite close.
//!
//! A clip is taken for a loop when most of its joints end as they began; then
//! those that do not are a seam. A clip that merely ends in a pose like its
//! first one (standing, then standing again) has no joint that closes to the
//! millimetre, and is none.

use glam::Vec3A;

use super::{Finding, FindingKind};
use crate::{
    analysis::{motion::PosedMotion, robust::median},
    clip::Planar,
    math::Transform,
};

/// A loop lasts at least this long, seconds.
const LEAST_SECS: f64 = 0.3;
/// The middle one of all joints closes to so much in a loop, metres …
const CLOSES_M: f32 = 0.008;
/// … and a seam is where a joint does not, by so much, metres …
const LEAST_M: f32 = 0.02;
/// … and by so many times the middle one.
const TIMES_MIDDLE: f32 = 4.0;
/// Joints of a clip that never move close whatever happens, metres.
const MOVES_M: f32 = 0.02;

/// How a loop fails to close.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::analysis) struct Seam {
    /// Who is furthest off at the end.
    pub joint: usize,
    /// By so much, metres.
    pub off_m: f32,
    /// The last frame is the first one again; else it leads to it.
    pub repeats_first: bool,
}

/// The seam of a clip, if it is a loop that has one.
pub(in crate::analysis) fn seam(motion: &PosedMotion<'_>) -> Option<Seam> {
    let last = motion.frames().checked_sub(1)?;
    if last < 4 || last < motion.frames_in(LEAST_SECS, 4) {
        return None;
    }
    let shapes = [0, 1, last - 1, last].map(|frame| shape(motion, frame));
    let moving: Vec<usize> = (0..motion.skeleton.len())
        .filter(|&joint| moves(motion, joint))
        .collect();
    if moving.len() < 6 {
        return None;
    }
    // With the first frame once more at the end, or without: then the step over
    // the seam is the mean of those beside it.
    let repeated = |joint: usize| shapes[3][joint].distance(shapes[0][joint]);
    let led_to = |joint: usize| {
        let steps = (shapes[1][joint] - shapes[0][joint]) + (shapes[3][joint] - shapes[2][joint]);
        (shapes[3][joint] + steps / 2.0).distance(shapes[0][joint])
    };
    let middle = |off: &dyn Fn(usize) -> f32| {
        median(&mut moving.iter().map(|&it| off(it)).collect::<Vec<_>>())
    };
    let repeats_first = middle(&repeated) <= middle(&led_to);
    let off = |joint: usize| match repeats_first {
        true => repeated(joint),
        false => led_to(joint),
    };
    let middle_m = middle(&off);
    let worst = moving
        .iter()
        .copied()
        .max_by(|&a, &b| off(a).total_cmp(&off(b)))?;
    let is_seam = middle_m < CLOSES_M && off(worst) > LEAST_M.max(TIMES_MIDDLE * middle_m);
    is_seam.then(|| Seam {
        joint: worst,
        off_m: off(worst),
        repeats_first,
    })
}

/// Where joints are, seen from the root's place on the ground.
fn shape(motion: &PosedMotion<'_>, frame: usize) -> Vec<Vec3A> {
    let root = motion.models[frame].joints()[0];
    let unturned = Transform::new(
        root.rotation * motion.skeleton.root_rest().conjugate(),
        root.translation,
    );
    let ground = Planar::of(unturned).transform().inverse();
    let joints = motion.models[frame].joints().iter();
    joints
        .map(|joint| ground.transform_point(joint.translation))
        .collect()
}

/// Whether a joint is anywhere but where its first frame has it, in the body.
fn moves(motion: &PosedMotion<'_>, joint: usize) -> bool {
    let stride = (motion.frames() / 16).max(1);
    let local = |frame: usize| {
        let root = motion.models[frame].joints()[0];
        root.inverse().transform_point(motion.place(frame, joint))
    };
    let first = local(0);
    (0..motion.frames())
        .step_by(stride)
        .any(|frame| local(frame).distance(first) > MOVES_M)
}

pub(super) fn finding(motion: &PosedMotion<'_>, seam: &Seam) -> Finding {
    let centimetres = 100.0 * f64::from(seam.off_m);
    let last = motion.frames() - 1;
    Finding {
        kind: FindingKind::Seam,
        joint: Some(seam.joint),
        start_frame: last,
        end_frame: last,
        value: centimetres,
        unit: "cm",
        message: format!(
            "played as a loop, {} jumps {centimetres:.1} cm from the last frame to the first",
            motion.name(seam.joint)
        ),
    }
}
