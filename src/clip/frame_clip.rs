//! A compressed clip played as the frames it was made from are.

use std::sync::Arc;

use super::{ClipCursor, ClipShape, SampleClip};
use crate::skeleton::{LocalPose, Skeleton};

/// Decodes whole frames and goes straight from one to the next. A codec promises
/// its tolerance at frames; in between its curves may swing out, most where a
/// foot strikes (0.25 cm in a run that is held to 0.1 cm). It costs a second
/// pose a sample.
#[derive(Clone, Debug)]
pub struct FrameClip {
    source: Arc<dyn SampleClip>,
}

#[derive(Default)]
struct FrameCursor {
    source: ClipCursor,
    next: LocalPose,
}

impl FrameClip {
    /// Plays the frames of a clip.
    #[must_use]
    pub fn new(source: Arc<dyn SampleClip>) -> Self {
        Self { source }
    }
}

impl SampleClip for FrameClip {
    fn shape(&self) -> ClipShape {
        self.source.shape()
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        let last = self.frames().saturating_sub(1);
        // In this order a time that is no number becomes 0.
        let position = (time_secs * self.fps()).max(0.0).min(last as f64);
        let frame = position as usize;
        let FrameCursor { source, next } = cursor.of();
        let mut decode = |frame: usize, pose: &mut LocalPose| {
            let secs = frame as f64 / self.fps();
            self.source.sample(skeleton, secs, source, pose);
        };
        decode(frame, pose);
        let weight = (position - frame as f64) as f32;
        if weight > 0.0 {
            decode(frame + 1, next);
            pose.mix(next, weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Joint, NO_PARENT};
    use glam::Vec3;

    /// Everything is the square of the frame's number.
    #[derive(Debug)]
    struct Parabola;

    impl SampleClip for Parabola {
        fn shape(&self) -> ClipShape {
            ClipShape {
                frames: 5,
                fps: 10.0,
                joints: 1,
            }
        }

        fn sample(&self, skeleton: &Skeleton, secs: f64, _: &mut ClipCursor, pose: &mut LocalPose) {
            let square = (secs * self.fps()).powi(2) as f32;
            pose.copy_from(skeleton.rest());
            pose.joints_mut()[0].translation.x = square;
            pose.set_scale(0, Vec3::splat(1.0 + square));
            pose.set_morph(1, square);
        }
    }

    #[test]
    fn frames_are_as_they_are_and_between_them_all_is_straight() {
        let joint = Joint::new("root", NO_PARENT, Vec3::ZERO, Vec3::ZERO);
        let skeleton = Skeleton::new("one", vec![joint]).unwrap();
        let clip = FrameClip::new(Arc::new(Parabola));
        let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
        for (secs, wanted) in [
            (0.2, 4.0),
            (0.15, 2.5),
            (0.375, 14.25),
            (9.0, 16.0),
            (-1.0, 0.0),
            (f64::NAN, 0.0),
        ] {
            clip.sample(&skeleton, secs, &mut cursor, &mut pose);
            let found = [pose.joints()[0].translation.x, pose.morph(1)];
            assert_close!(found, [wanted; 2], 1e-5, "at {secs} s");
            assert_close!(pose.scale(0).y, 1.0 + wanted, 1e-5, "at {secs} s");
        }
    }
}
