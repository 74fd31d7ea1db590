//! What a clip shows half-way between source frames, where the source says
//! nothing: beside the two usual readings of it, so that the overshoot of a
//! curve can be seen. No codec promises anything there.

use super::joint_error_m;
use crate::{
    clip::{ClipCursor, Interpolation, RawClip, SampleClip},
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// Largest deviations half-way between frames, by the measure of
/// [`joint_error_m`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HalfFrameError {
    /// From the source sampled straight between frames.
    pub linear_cm: f64,
    /// From the source sampled by a Catmull-Rom curve through its frames.
    pub cubic_cm: f64,
}

impl HalfFrameError {
    /// Compares a clip with its source between all neighbouring frames.
    pub fn measure_clip(skeleton: &Skeleton, source: &RawClip, clip: &dyn SampleClip) -> Self {
        let mut worst_m = [0f32; 2];
        let mut local = LocalPose::default();
        let (mut decoded, mut reading) = (ModelPose::default(), ModelPose::default());
        let mut cursor = ClipCursor::default();
        for frame in 0..source.frames().saturating_sub(1) {
            let time_secs = (frame as f64 + 0.5) / source.fps;
            clip.sample(skeleton, time_secs, &mut cursor, &mut local);
            decoded.compute(skeleton, &local);
            let ways = [Interpolation::Linear, Interpolation::Cubic];
            for (worst_m, way) in worst_m.iter_mut().zip(ways) {
                source.sample_as(way, skeleton, time_secs, &mut local);
                reading.compute(skeleton, &local);
                let pairs = reading.joints().iter().zip(decoded.joints());
                let errors = pairs.map(|(a, b)| joint_error_m(a, b));
                *worst_m = errors.fold(*worst_m, f32::max);
            }
        }
        let [linear_cm, cubic_cm] = worst_m.map(|m| f64::from(m) * 100.0);
        Self {
            linear_cm,
            cubic_cm,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::synthetic;
    use glam::Vec3;

    #[test]
    fn a_step_half_way_is_where_the_two_readings_part() {
        let skeleton = synthetic::skeleton(3).unwrap();
        let mut raw = synthetic::clip(3, 4, 1);
        let still = raw.frame_rotations(0).to_vec();
        raw.rotations = still.repeat(4);
        raw.root_translations = [0.0, 0.0, 1.0, 1.0].map(|x| Vec3::X * x).to_vec();
        // Played straight, as raw clips are. A Catmull-Rom curve dips by a
        // sixteenth of the step, −1/16 · 1 m, before it and again after it.
        let found = HalfFrameError::measure_clip(&skeleton, &raw, &raw);
        assert_eq!(found.linear_cm, 0.0);
        assert_close!(found.cubic_cm, 6.25, 1e-4);
    }
}
