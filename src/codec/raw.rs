//! Back to a raw clip, for whoever edits or exports one.

use glam::{Quat, Vec3, Vec3A};

use super::SampleClip;
use crate::{
    clip::{RawClip, Track},
    math::quat::align_sign,
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// Decodes every source frame. A joint counts as animated when it ever leaves
/// its rest rotation.
#[must_use]
pub fn to_raw(name: &str, skeleton: &Skeleton, clip: &impl SampleClip) -> RawClip {
    let mut poses = vec![LocalPose::default(); clip.frames()];
    let mut cursor = Default::default();
    for (frame, pose) in poses.iter_mut().enumerate() {
        clip.sample(skeleton, frame as f64 / clip.fps(), &mut cursor, pose);
    }
    let joints = 0..skeleton.len();
    let rest = skeleton.rest().joints();
    let moves = |joint: &usize| {
        let turned = |pose: &LocalPose| pose.joints()[*joint].rotation != rest[*joint].rotation;
        poses.iter().any(turned)
    };
    let animated: Vec<usize> = joints.clone().filter(moves).collect();
    let root = poses.iter().map(|pose| pose.joints()[0].translation.into());
    RawClip {
        name: name.to_owned(),
        fps: clip.fps(),
        joints: skeleton.len(),
        rotations: rotations(&poses, &animated),
        animated: animated.iter().map(|&joint| joint as JointIndex).collect(),
        root_translations: root.collect(),
        translations: tracks(joints.clone().skip(1), Vec3::ZERO, |joint| {
            poses
                .iter()
                .map(|pose| slide(skeleton, pose, joint))
                .collect()
        }),
        stretches: tracks(joints, 0.0, |joint| {
            poses.iter().map(|pose| pose.stretch_m(joint)).collect()
        }),
        ..RawClip::default()
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{classic, metric::ErrorTable, synthetic};

    #[test]
    fn a_decoded_clip_shows_what_the_compressed_one_shows() {
        let skeleton = synthetic::skeleton(6).unwrap();
        let source = synthetic::clip_with_extras(6, 50, 1);
        let compressed = classic::compress_every(&skeleton, &source, 3).unwrap();
        let raw = to_raw("again", &skeleton, &compressed);
        raw.validate().unwrap();
        let error = ErrorTable::measure_clip(&skeleton, &raw, &compressed).summary();
        assert!(error.max_cm < 1e-4, "{error:?}");
        assert_eq!((raw.frames(), raw.fps), (50, 120.0));
        assert_eq!(raw.animated, source.animated);
        assert_eq!(raw.stretches.len(), 1);
        assert_eq!(raw.stretches[0].joint, source.stretches[0].joint);
    }
}
