//! Jerks that a blend has and its motions have not: smoothed away.
//!
//! A capture may hold a limb in two ways (an arm overhead, a leg in a deep
//! squat) and change from one to the other within a few frames. Nobody sees it,
//! since the limb's joints make up for each other; averaged with a motion that
//! does no such thing they do not, and the limb is thrown about. The same is
//! seen where two motions are half a turn apart and it changes which way round
//! is the shorter. The joints at fault are smoothed there, as little as it takes
//! for no joint's speed to jump further than in the motions.

use glam::{Quat, Vec3A};

use crate::{
    clip::{ClipCursor, SampleClip},
    math::{ease::smoothstep, quat::align_sign},
    skeleton::{LocalPose, ModelPose, NO_PARENT, Skeleton},
};

/// A joint's rotations where they were smoothed, frame by frame.
#[derive(Clone, Debug)]
pub(super) struct CalmedSpan {
    joint: usize,
    first_frame: usize,
    rotations: Vec<Quat>,
}

/// Jumps below this are none, metres a second.
const STILL_MPS: f32 = 0.05;
/// A joint may come this near to what it may.
const AIM: f32 = 0.95;
/// How often it is tried, how much is smoothed each time, and how far to either
/// side of a jerk: at first, and more every time, seconds.
const ROUNDS: usize = 24;
const PASSES: usize = 4;
const REACH_SECS: f64 = 0.05;
const FURTHER_SECS: f64 = 0.012;
/// Joints that do at least this share of what the worst one does are at fault.
const AT_FAULT: f32 = 0.5;

/// For each joint the largest change of its speed from one frame to the next,
/// metres a second.
pub(super) fn largest_jumps(skeleton: &Skeleton, clip: &dyn SampleClip) -> Vec<f32> {
    let mut cursor = ClipCursor::default();
    let mut pose = LocalPose::default();
    let frames = (0..clip.frames()).map(|frame| {
        clip.sample(skeleton, frame as f64 / clip.fps(), &mut cursor, &mut pose);
        places(skeleton, &pose)
    });
    let frames: Vec<Vec<Vec3A>> = frames.collect();
    let largest = |joint: usize| {
        let jumps = frames
            .windows(3)
            .map(|window| jump(window, joint, clip.fps()));
        jumps.fold(STILL_MPS, f32::max)
    };
    (0..skeleton.len()).map(largest).collect()
}

fn places(skeleton: &Skeleton, pose: &LocalPose) -> Vec<Vec3A> {
    let mut model = ModelPose::default();
    model.compute(skeleton, pose);
    let joints = model.joints().iter();
    joints.map(|joint| joint.translation).collect()
}

/// How a joint's speed changes in the middle of three frames.
fn jump(window: &[Vec<Vec3A>], joint: usize, fps: f64) -> f32 {
    let way = |k: usize| (window[k + 1][joint] - window[k][joint]).length();
    (way(1) - way(0)).abs() * fps as f32
}

/// Where `poses`, a frame each, jump further than `most_mps` says for each
/// joint, and what is to be played there instead.
pub(super) fn calmed(
    skeleton: &Skeleton,
    mut poses: Vec<LocalPose>,
    fps: f64,
    most_mps: &[f32],
) -> Vec<CalmedSpan> {
    let mut masks: Vec<Vec<f32>> = vec![Vec::new(); skeleton.len()];
    for round in 0..ROUNDS {
        let places: Vec<Vec<Vec3A>> = poses.iter().map(|pose| places(skeleton, pose)).collect();
        let reach_secs = REACH_SECS + FURTHER_SECS * round as f64;
        let reach = (reach_secs * fps).ceil().max(1.0);
        let mut any = false;
        for (before, window) in places.windows(3).enumerate() {
            let jumps = |&joint: &usize| jump(window, joint, fps) > AIM * most_mps[joint];
            for joint in (0..skeleton.len()).filter(jumps) {
                for fault in at_fault(skeleton, &poses[before..before + 3], &window[1], joint) {
                    let mask = &mut masks[fault];
                    mask.resize(poses.len(), 0.0);
                    cover(mask, before + 1, reach as usize);
                    any = true;
                }
            }
        }
        if !any {
            break;
        }
        let marked = masks
            .iter()
            .enumerate()
            .filter(|(_, mask)| !mask.is_empty());
        marked.for_each(|(joint, mask)| smooth(&mut poses, joint, mask));
    }
    let joints = masks.iter().enumerate();
    joints
        .flat_map(|(joint, mask)| spans(&poses, joint, mask))
        .collect()
}

/// The joints above one that swing it about: those that turn most unevenly,
/// counted by how far it is from them.
fn at_fault(
    skeleton: &Skeleton,
    poses: &[LocalPose],
    places: &[Vec3A],
    joint: usize,
) -> Vec<usize> {
    let parent = |it: usize| Some(skeleton.parents()[it]).filter(|it| *it != NO_PARENT);
    let parent = |it: usize| parent(it).map(usize::from);
    let above = std::iter::successors(parent(joint), |&it| parent(it));
    let unevenness = |&it: &usize| {
        let [a, b, c] = [0, 1, 2].map(|k| poses[k].joints()[it].rotation);
        let bend = align_sign(a, b) + align_sign(c, b) - b * 2.0;
        bend.length() * (places[it] - places[joint]).length()
    };
    let above: Vec<(usize, f32)> = above.map(|it| (it, unevenness(&it))).collect();
    let most = above.iter().map(|it| it.1).fold(0.0, f32::max);
    let at_fault = above.into_iter().filter(|it| it.1 > AT_FAULT * most);
    at_fault.map(|it| it.0).collect()
}

/// Marks the frames around one, the more the nearer.
fn cover(mask: &mut [f32], frame: usize, reach: usize) {
    let first = frame.saturating_sub(reach).max(1);
    // Ends stay where they are.
    let last = (frame + reach).min(mask.len().saturating_sub(2));
    for (k, mask) in mask.iter_mut().enumerate().take(last + 1).skip(first) {
        let away = k.abs_diff(frame) as f32 / (reach + 1) as f32;
        *mask = mask.max(smoothstep(2.0 * (1.0 - away).min(0.5)));
    }
}

/// Moves a joint's rotations towards the mean of their neighbours, by what a
/// mask says.
fn smooth(poses: &mut [LocalPose], joint: usize, mask: &[f32]) {
    let rotations = poses.iter().map(|pose| pose.joints()[joint].rotation);
    let mut rotations: Vec<Quat> = rotations.collect();
    for _ in 0..PASSES {
        let before = rotations.clone();
        for k in (1..before.len().saturating_sub(1)).filter(|&k| mask[k] > 0.0) {
            let own = before[k];
            let around = align_sign(before[k - 1], own) + align_sign(before[k + 1], own);
            let mixed = own * (1.0 - 0.5 * mask[k]) + around * (0.25 * mask[k]);
            rotations[k] = mixed.normalize();
        }
    }
    for (pose, rotation) in poses.iter_mut().zip(rotations) {
        pose.joints_mut()[joint].rotation = rotation;
    }
}

/// The frames that a mask marks, each run of them with a frame to either side.
fn spans(poses: &[LocalPose], joint: usize, mask: &[f32]) -> Vec<CalmedSpan> {
    let mut spans: Vec<CalmedSpan> = Vec::new();
    // Without a mask there are no frames.
    for (frame, pose) in poses.iter().enumerate().take(mask.len()) {
        let around = frame.saturating_sub(1)..(frame + 2).min(mask.len());
        if mask[around].iter().all(|&it| it == 0.0) {
            continue;
        }
        let rotation = pose.joints()[joint].rotation;
        match spans.last_mut() {
            Some(span) if span.first_frame + span.rotations.len() == frame => {
                span.rotations.push(rotation);
            }
            _ => spans.push(CalmedSpan {
                joint,
                first_frame: frame,
                rotations: vec![rotation],
            }),
        }
    }
    spans
}

impl CalmedSpan {
    /// Puts its rotation into a pose at a moment, counted in frames.
    pub fn apply(&self, frame: f64, pose: &mut LocalPose) {
        let inside = frame - self.first_frame as f64;
        let last = self.rotations.len() - 1;
        if !(0.0..=last as f64).contains(&inside) {
            return;
        }
        let (base, part) = (inside as usize, inside.fract() as f32);
        let [from, to] = [base, (base + 1).min(last)].map(|k| self.rotations[k]);
        let rotation = from * (1.0 - part) + align_sign(to, from) * part;
        pose.joints_mut()[self.joint].rotation = rotation.normalize();
    }
}
