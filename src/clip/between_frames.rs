//! Any clip with values between its frames that come about another way than its
//! own: for looking at what a choice of interpolation does.

use std::sync::Arc;

use super::{ClipCursor, ClipShape, Interpolation, SampleClip, sample::Stencil};
use crate::skeleton::{LocalPose, Skeleton};

/// A clip that is asked for whole frames alone.
#[derive(Clone, Debug)]
pub struct BetweenFrames {
    clip: Arc<dyn SampleClip>,
    interpolation: Interpolation,
}

impl BetweenFrames {
    /// The same clip, interpolated between its frames.
    #[must_use]
    pub fn new(clip: Arc<dyn SampleClip>, interpolation: Interpolation) -> Self {
        Self {
            clip,
            interpolation,
        }
    }
}

#[derive(Default)]
struct Frames {
    cursor: ClipCursor,
    poses: [LocalPose; 4],
}

impl SampleClip for BetweenFrames {
    fn shape(&self) -> ClipShape {
        self.clip.shape()
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        let fps = self.clip.fps();
        let stencil = Stencil::new(time_secs * fps, self.clip.frames(), self.interpolation);
        let Frames { cursor, poses } = cursor.of();
        let mut take = |frame: usize, pose: &mut LocalPose| {
            self.clip.sample(skeleton, frame as f64 / fps, cursor, pose);
        };
        match stencil.exact() {
            Some(frame) => take(frame, pose),
            None => {
                for (frame, pose) in stencil.frames.into_iter().zip(&mut *poses) {
                    take(frame, pose);
                }
                pose.weighted(poses, stencil.weights);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clip::{MorphTrack, RawClip, Track},
        skeleton::testing::cmu_like,
    };
    use glam::{Quat, Vec3};

    fn clip(skeleton: &Skeleton) -> RawClip {
        let frames = 6;
        let turn = |i: usize, joint: usize| Quat::from_rotation_y(0.1 * (i * (joint + 1)) as f32);
        RawClip {
            fps: 10.0,
            joints: skeleton.len(),
            animated: vec![0, 3],
            rotations: (0..frames)
                .flat_map(|i| [turn(i, 0), -turn(i, 1)])
                .collect(),
            root_translations: (0..frames).map(|i| Vec3::X * (i * i) as f32).collect(),
            scales: vec![Track {
                joint: 2,
                values: (0..frames).map(|i| Vec3::splat(1.0 + i as f32)).collect(),
            }],
            morphs: vec![MorphTrack {
                morph: 0,
                values: (0..frames).map(|i| (i * i) as f32).collect(),
            }],
            ..RawClip::default()
        }
    }

    /// A raw clip knows all three ways itself.
    #[test]
    fn it_is_what_a_raw_clip_makes_of_its_frames() {
        let skeleton = cmu_like();
        let raw = Arc::new(clip(&skeleton));
        for interpolation in Interpolation::ALL {
            let other = BetweenFrames::new(raw.clone(), interpolation);
            let mut cursor = ClipCursor::default();
            for secs in [-1.0, 0.0, 0.1, 0.13, 0.25, 0.31, 0.47, 9.0, f64::NAN] {
                let (mut own, mut pose) = (LocalPose::default(), LocalPose::default());
                raw.sample_as(interpolation, &skeleton, secs, &mut own);
                other.sample(&skeleton, secs, &mut cursor, &mut pose);
                for (a, b) in own.joints().iter().zip(pose.joints()) {
                    assert!(a.rotation.dot(b.rotation).abs() > 0.999_999, "{secs}");
                    assert!(a.translation.distance(b.translation) < 1e-5, "{secs}");
                }
                assert!((own.morph(0) - pose.morph(0)).abs() < 1e-4, "{secs}");
                assert!(own.scale(2).distance(pose.scale(2)) < 1e-4, "{secs}");
            }
        }
    }
}
