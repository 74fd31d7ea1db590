//! Jerks that a blend has and its motions have not: smoothed away.
//!
//! A capture may hold a limb in two ways (an arm overhead, a leg in a deep
//! squat) and change from one to the other within a few frames. Nobody sees it,
//! since the limb's joints make up for each other; averaged with a motion that
//! does no such thing they do not, and the limb is thrown about. The same is
//! seen where two motions are half a turn apart and it changes which way round
//! is the shorter. The joints at fault are smoothed there, as little as it takes
//! for no joint's speed to jump further than in the motions.

use std::ops::{Add, Mul};

use glam::{DVec3, Quat, Vec3A};

use crate::{
    clip::{ClipCursor, SampleClip},
    humanoid::LegChain,
    math::{ease::smoothstep, quat::align_sign},
    skeleton::{JointIndex, LocalPose, ModelPose, NO_PARENT, Skeleton},
};

/// What was smoothed, frame by frame.
#[derive(Clone, Debug)]
pub(super) struct CalmedSpan {
    first_frame: usize,
    values: CalmedValues,
}

#[derive(Clone, Debug)]
enum CalmedValues {
    /// Of a joint.
    Rotations(usize, Vec<Quat>),
    /// Of the root.
    Places(Vec<Vec3A>),
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
/// What is smoothed of feet must not make them slide more than this, metres.
pub(super) const MOST_SLIDE_M: f64 = 0.014;
/// Joints that do at least this share of what the worst one does are at fault.
const AT_FAULT: f32 = 0.5;

/// For each joint the largest change of its speed from one frame to the next,
/// metres a second.
pub(super) fn largest_jumps(skeleton: &Skeleton, clip: &dyn SampleClip) -> Vec<f32> {
    let frames = frames_of(skeleton, clip);
    let largest = |joint: usize| {
        let jumps = frames
            .windows(3)
            .map(|window| jump(window, joint, clip.fps()));
        jumps.fold(STILL_MPS, f32::max)
    };
    (0..skeleton.len()).map(largest).collect()
}

/// Where all joints are, frame by frame.
fn frames_of(skeleton: &Skeleton, clip: &dyn SampleClip) -> Vec<Vec<Vec3A>> {
    let mut cursor = ClipCursor::default();
    let mut pose = LocalPose::default();
    let frames = (0..clip.frames()).map(|frame| {
        clip.sample(skeleton, frame as f64 / clip.fps(), &mut cursor, &mut pose);
        places(skeleton, &pose)
    });
    frames.collect()
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
    // One for each joint's rotation, and the last for the place of the root.
    let mut masks: Vec<Vec<f32>> = vec![Vec::new(); skeleton.len() + 1];
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

/// The joints above one that swing it about, and the place of the root (a number
/// beyond the joints'): those that turn or move most unevenly, turns counted by how
/// far it is from them.
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
    let above = above.map(|it| (it, unevenness(&it)));
    let [a, b, c] = [0, 1, 2].map(|k| poses[k].joints()[0].translation);
    // Half: a quaternion changes by half of an angle.
    let root = (skeleton.len(), 0.5 * (a + c - b * 2.0).length());
    let above: Vec<(usize, f32)> = above.chain([root]).collect();
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

/// Moves a joint's rotations, or the places of the root, towards the mean of their
/// neighbours, by what a mask says.
fn smooth(poses: &mut [LocalPose], index: usize, mask: &[f32]) {
    let Some(joint) = joint_of(poses, index) else {
        let places = poses.iter().map(|pose| pose.joints()[0].translation);
        let mut places: Vec<Vec3A> = places.collect();
        smooth_by(&mut places, mask, |mixed| mixed);
        for (pose, place) in poses.iter_mut().zip(places) {
            pose.joints_mut()[0].translation = place;
        }
        return;
    };
    let rotations = poses.iter().map(|pose| pose.joints()[joint].rotation);
    let mut rotations: Vec<Quat> = rotations.collect();
    for k in 1..rotations.len() {
        rotations[k] = align_sign(rotations[k], rotations[k - 1]);
    }
    smooth_by(&mut rotations, mask, Quat::normalize);
    for (pose, rotation) in poses.iter_mut().zip(rotations) {
        pose.joints_mut()[joint].rotation = rotation;
    }
}

/// `None` for the number that stands for the place of the root.
fn joint_of(poses: &[LocalPose], index: usize) -> Option<usize> {
    let joints = poses.first().map_or(0, |pose| pose.joints().len());
    (index < joints).then_some(index)
}

/// [`PASSES`] times, each value by its mask towards the mean of those beside it.
fn smooth_by<T>(values: &mut [T], mask: &[f32], finished: impl Fn(T) -> T)
where
    T: Copy + Add<Output = T> + Mul<f32, Output = T>,
{
    for _ in 0..PASSES {
        let before = values.to_vec();
        for k in (1..before.len().saturating_sub(1)).filter(|&k| mask[k] > 0.0) {
            let around = before[k - 1] + before[k + 1];
            values[k] = finished(before[k] * (1.0 - 0.5 * mask[k]) + around * (0.25 * mask[k]));
        }
    }
}

/// The frames that a mask marks, each run of them with a frame to either side.
fn spans(poses: &[LocalPose], index: usize, mask: &[f32]) -> Vec<CalmedSpan> {
    // Without a mask there are no frames.
    let marked = |frame: &usize| {
        let around = frame.saturating_sub(1)..(frame + 2).min(mask.len());
        mask[around].iter().any(|&it| it > 0.0)
    };
    let frames: Vec<usize> = (0..mask.len()).filter(marked).collect();
    let runs = frames.chunk_by(|a, b| a + 1 == *b);
    let span = |run: &[usize]| {
        let own = run.iter().map(|&frame| &poses[frame]);
        CalmedSpan {
            first_frame: run[0],
            values: match joint_of(poses, index) {
                Some(joint) => {
                    let rotations = own.map(|pose| pose.joints()[joint].rotation);
                    CalmedValues::Rotations(joint, rotations.collect())
                }
                None => {
                    let places = own.map(|pose| pose.joints()[0].translation);
                    CalmedValues::Places(places.collect())
                }
            },
        }
    };
    runs.map(span).collect()
}

impl CalmedSpan {
    /// Puts its values into a pose at a moment, counted in frames.
    pub fn apply(&self, frame: f64, pose: &mut LocalPose) {
        let count = match &self.values {
            CalmedValues::Rotations(_, rotations) => rotations.len(),
            CalmedValues::Places(places) => places.len(),
        };
        let (inside, last) = (frame - self.first_frame as f64, count - 1);
        if !(0.0..=last as f64).contains(&inside) {
            return;
        }
        let (base, part) = (inside as usize, inside.fract() as f32);
        let ends = [base, (base + 1).min(last)];
        match &self.values {
            CalmedValues::Rotations(joint, rotations) => {
                let [from, to] = ends.map(|k| rotations[k]);
                let rotation = from * (1.0 - part) + align_sign(to, from) * part;
                pose.joints_mut()[*joint].rotation = rotation.normalize();
            }
            CalmedValues::Places(places) => {
                let [from, to] = ends.map(|k| places[k]);
                pose.joints_mut()[0].translation = from.lerp(to, part);
            }
        }
    }
}

/// Smooths what feet are moved by until no joint of a leg jumps further than
/// `most_mps` says, or a standing foot would slide more than 1.4 cm.
/// `clip_of` is the clip with those offsets, and how far feet then slide.
pub(super) fn calm_feet<C: SampleClip>(
    skeleton: &Skeleton,
    legs: &[LegChain],
    most_mps: &[f32],
    mut offsets: Vec<Vec<DVec3>>,
    clip_of: impl Fn(Vec<Vec<DVec3>>) -> (C, f64),
) -> Vec<Vec<DVec3>> {
    let mut masks: Vec<Vec<f32>> = offsets.iter().map(|it| vec![0.0; it.len()]).collect();
    for round in 0..ROUNDS {
        let (clip, slide_m) = clip_of(offsets.clone());
        let frames = frames_of(skeleton, &clip);
        let reach = (REACH_SECS + FURTHER_SECS * round as f64) * clip.fps();
        let mut worst = 0.0f32;
        for (before, window) in frames.windows(3).enumerate() {
            for (leg, mask) in legs.iter().zip(&mut masks) {
                let ratio = |&joint: &JointIndex| {
                    let joint = usize::from(joint);
                    jump(window, joint, clip.fps()) / most_mps[joint]
                };
                let most = leg.subtree.iter().map(ratio).fold(0.0, f32::max);
                if most > AIM {
                    cover(mask, before + 1, reach.ceil().max(1.0) as usize);
                }
                worst = worst.max(most);
            }
        }
        if worst <= 1.0 {
            break;
        }
        let mut smoother = offsets.clone();
        for (offsets, mask) in smoother.iter_mut().zip(&masks) {
            smooth_offsets(offsets, mask);
        }
        let slides_m = clip_of(smoother.clone()).1;
        if slides_m > MOST_SLIDE_M.max(slide_m) {
            break;
        }
        offsets = smoother;
    }
    offsets
}

fn smooth_offsets(offsets: &mut [DVec3], mask: &[f32]) {
    for _ in 0..PASSES {
        let before = offsets.to_vec();
        for k in (1..before.len().saturating_sub(1)).filter(|&k| mask[k] > 0.0) {
            let around = before[k - 1] + before[k + 1];
            let own = f64::from(mask[k]);
            offsets[k] = before[k] * (1.0 - 0.5 * own) + around * (0.25 * own);
        }
    }
}
