//! Any clip as a raw one, for whoever edits, compresses or exports it.

use glam::{Quat, Vec3, Vec3A};

use super::{ClipCursor, MorphTrack, RawClip, SampleClip, Track};
use crate::{
    math::quat::align_sign,
    skeleton::{JointIndex, LocalPose, Skeleton},
};

impl RawClip {
    /// Samples every frame of a clip. A joint counts as animated when it ever
    /// leaves its rest rotation.
    #[must_use]
    pub fn sampled_from(name: &str, skeleton: &Skeleton, clip: &dyn SampleClip) -> Self {
        let mut cursor = ClipCursor::default();
        let pose_of = |frame: usize| {
            let mut pose = LocalPose::default();
            clip.sample(skeleton, frame as f64 / clip.fps(), &mut cursor, &mut pose);
            pose
        };
        // In order of time, which is what cursors are fast at.
        let poses: Vec<LocalPose> = (0..clip.frames()).map(pose_of).collect();
        Self::from_poses(name, skeleton, clip.fps(), &poses)
    }

    /// Whether two clips hold the same motion, roundings aside.
    #[must_use]
    pub fn is_same_motion(&self, other: &Self) -> bool {
        let alike = self.frames() == other.frames() && self.animated == other.animated;
        let roots = self.root_translations.iter().zip(&other.root_translations);
        let rotations = self.rotations.iter().zip(&other.rotations);
        alike && { roots }.all(|(a, b)| a.distance(*b) < 0.01) && { rotations }
            .all(|(a, b)| a.dot(*b).abs() > 0.9999)
    }

    /// A clip of the given poses, one a frame.
    #[must_use]
    pub fn from_poses(name: &str, skeleton: &Skeleton, fps: f64, poses: &[LocalPose]) -> Self {
        let joints = 0..skeleton.len();
        let rest = skeleton.rest().joints();
        let moves = |joint: &usize| {
            // Exact on purpose: samplers copy the rest where nothing is
            // animated.
            let turned = |pose: &LocalPose| pose.joints()[*joint].rotation != rest[*joint].rotation;
            poses.iter().any(turned)
        };
        let animated: Vec<usize> = joints.clone().filter(moves).collect();
        let root = poses.iter().map(|pose| pose.joints()[0].translation.into());
        RawClip {
            name: name.to_owned(),
            fps,
            joints: skeleton.len(),
            rotations: rotations(poses, &animated),
            animated: animated.iter().map(|&joint| joint as JointIndex).collect(),
            root_translations: root.collect(),
            translations: tracks(joints.clone().skip(1), Vec3::ZERO, |joint| {
                poses
                    .iter()
                    .map(|pose| slide(skeleton, pose, joint))
                    .collect()
            }),
            stretches: tracks(joints.clone(), 0.0, |joint| {
                poses.iter().map(|pose| pose.stretch_m(joint)).collect()
            }),
            scales: tracks(joints, Vec3::ONE, |joint| {
                let scale =
                    |pose: &LocalPose| pose.scales().get(joint).copied().unwrap_or(Vec3::ONE);
                poses.iter().map(scale).collect()
            }),
            morphs: morphs(poses),
        }
    }
}

/// A track for each weight that is ever other than 0.
fn morphs(poses: &[LocalPose]) -> Vec<MorphTrack> {
    let count = poses.iter().map(|pose| pose.morphs().len()).max();
    let weight = |pose: &LocalPose, morph: usize| pose.morphs().get(morph).copied().unwrap_or(0.0);
    let track = |morph: usize| MorphTrack {
        morph: morph as u16,
        values: poses.iter().map(|pose| weight(pose, morph)).collect(),
    };
    let moves = |track: &MorphTrack| track.values.iter().any(|&weight| weight != 0.0);
    (0..count.unwrap_or(0)).map(track).filter(moves).collect()
}

/// Frame after frame, without flips of sign from one to the next.
fn rotations(poses: &[LocalPose], animated: &[usize]) -> Vec<Quat> {
    let mut rotations: Vec<Quat> = Vec::with_capacity(poses.len() * animated.len());
    for pose in poses {
        for &joint in animated {
            let rotation = pose.joints()[joint].rotation;
            let before = rotations.len().checked_sub(animated.len());
            let reference = before.map_or(rotation, |before| rotations[before]);
            rotations.push(align_sign(rotation, reference));
        }
    }
    rotations
}

/// What a joint's translation adds to its rest, the stretch of its parent's
/// bone aside.
fn slide(skeleton: &Skeleton, pose: &LocalPose, joint: usize) -> Vec3 {
    let rest = skeleton.rest().joints()[joint].translation;
    let offset = pose.joints()[joint].translation - rest;
    let Some(parent) = skeleton
        .joints()
        .get(usize::from(skeleton.parents()[joint]))
    else {
        return offset.into();
    };
    let parent_index = usize::from(skeleton.parents()[joint]);
    let direction = Vec3A::from(parent.tip).normalize_or_zero();
    (offset - direction * pose.stretch_m(parent_index)).into()
}

/// A track for each joint whose values are not all nothing.
fn tracks<T: Copy + PartialEq>(
    joints: impl Iterator<Item = usize>,
    nothing: T,
    values: impl Fn(usize) -> Vec<T>,
) -> Vec<Track<T>> {
    let tracks = joints.map(|joint| Track {
        joint: joint as JointIndex,
        values: values(joint),
    });
    let moves = |track: &Track<T>| track.values.iter().any(|value| *value != nothing);
    tracks.filter(moves).collect()
}
