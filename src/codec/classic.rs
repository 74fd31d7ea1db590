//! `classic`: the published algorithm, its two faults mended.
//!
//! Per joint, keys start at the first, middle and last frame. While the
//! largest sum of absolute component differences between the Catmull-Rom curve
//! (uniform, tension 0.5, ends doubled) and the data exceeds the threshold, a
//! key goes to the middle of the range with the worst frame.
//!
//! The published code divides integers where it means the curve's parameter,
//! so that it always compares with the range's first key; and it takes q and
//! −q for different rotations, which turns joints by 180° on real clips. Here
//! the parameter is a fraction and tracks are made continuous first.
//!
//! The same threshold serves translations, in metres. It promises nothing in
//! centimetres on screen: that is what `spline` is for.

use glam::Vec4;

use super::{
    CompressError, Stop, check_input,
    keys::{
        KeyClip, Timing, TrackKeys, VectorBox,
        source::{self, SourceTrack, decoded, segment_frames},
    },
};
use crate::{clip::RawClip, skeleton::Skeleton};

/// Compresses a clip; `threshold` is in quaternion components and metres.
pub fn compress(
    skeleton: &Skeleton,
    clip: &RawClip,
    threshold: f64,
) -> Result<KeyClip, CompressError> {
    compress_until(skeleton, clip, threshold, Stop::NEVER)
}

/// The same, unless it is stopped between two tracks.
pub fn compress_until(
    skeleton: &Skeleton,
    clip: &RawClip,
    threshold: f64,
    stop: Stop<'_>,
) -> Result<KeyClip, CompressError> {
    check_input(skeleton, clip, threshold)?;
    source::encode(clip, Timing::Uniform, stop, |track| {
        Some(keys(track, threshold as f32))
    })
}

/// A key every `every` frames and at the last one, at their true times: the
/// exercise that animation courses set.
pub fn compress_every(
    skeleton: &Skeleton,
    clip: &RawClip,
    every: usize,
) -> Result<KeyClip, CompressError> {
    check_input(skeleton, clip, every as f64)?;
    source::encode(clip, Timing::Knots, Stop::NEVER, |track| {
        let last = track.samples.len() - 1;
        let frames = (0..last).step_by(every).chain([last]);
        Some(track.keys_at(frames.map(|frame| frame as u16).collect()))
    })
}

fn keys(track: &SourceTrack, threshold: f32) -> TrackKeys {
    if track.is_constant() {
        return track.keys_at(vec![0]);
    }
    let last = (track.samples.len() - 1) as u16;
    // As published: three keys to begin with; clips of one or two frames have
    // fewer.
    let mut frames = vec![0, last / 2, last];
    frames.dedup();
    let mut fit = Fit::new(track, frames);
    while let Some(range) = fit.worst_range(threshold) {
        fit.split(range);
    }
    track.keys_at(fit.frames)
}

/// Keys of one track and the largest difference in each of their ranges.
struct Fit<'a> {
    track: &'a SourceTrack,
    grid: VectorBox,
    frames: Vec<u16>,
    values: Vec<Vec4>,
    worst: Vec<f32>,
}

impl<'a> Fit<'a> {
    fn new(track: &'a SourceTrack, frames: Vec<u16>) -> Self {
        let grid = VectorBox::around(&track.samples);
        // Compared as decoded from 48 bits, so that the threshold holds for
        // what is shown, unless rounding alone exceeds it.
        let value = |&frame: &u16| decoded(track.kind, track.samples[usize::from(frame)], &grid);
        let mut fit = Self {
            track,
            grid,
            values: frames.iter().map(value).collect(),
            worst: vec![0.0; frames.len() - 1],
            frames,
        };
        for range in 0..fit.worst.len() {
            fit.measure(range);
        }
        fit
    }

    fn measure(&mut self, range: usize) {
        let (kind, samples) = (self.track.kind, &self.track.samples);
        let shown = segment_frames(kind, Timing::Uniform, &self.frames, &self.values, range);
        let differences = shown.map(|(frame, value)| {
            // The published measure: for a quaternion the sum of the
            // differences of four components, a bound of the chord between the
            // two.
            let difference = (value - samples[frame]).abs();
            difference.element_sum()
        });
        self.worst[range] = differences.fold(0.0, f32::max);
    }

    /// The range with the largest difference, unless all are good enough.
    /// Ranges without a frame inside differ by nothing.
    fn worst_range(&self, threshold: f32) -> Option<usize> {
        let numbered = self.worst.iter().enumerate();
        let (range, &worst) = numbered.max_by(|a, b| a.1.total_cmp(b.1))?;
        (worst > threshold).then_some(range)
    }

    /// Puts a key at the middle; the curve changes two ranges to either side.
    fn split(&mut self, range: usize) {
        // As published, at the middle of the range, not at the worst frame:
        // ranges are halved 16 times at most, whatever the motion.
        let middle = self.frames[range] + (self.frames[range + 1] - self.frames[range]) / 2;
        let sample = self.track.samples[usize::from(middle)];
        self.frames.insert(range + 1, middle);
        let value = decoded(self.track.kind, sample, &self.grid);
        self.values.insert(range + 1, value);
        // A key shapes two segments to either side; all are measured anew.
        self.worst.insert(range + 1, 0.0);
        for changed in range.saturating_sub(1)..(range + 3).min(self.worst.len()) {
            self.measure(changed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{metric::ErrorTable, synthetic};

    #[test]
    fn the_threshold_bounds_every_joint_at_every_frame() {
        let skeleton = synthetic::skeleton(8).unwrap();
        let raw = synthetic::clip_with_extras(8, 400, 1);
        let mut keys = Vec::new();
        for threshold in [0.1, 0.01, 0.001] {
            let clip = compress(&skeleton, &raw, threshold).unwrap();
            let degrees = ErrorTable::measure_clip(&skeleton, &raw, &clip).summary();
            // A sum of component differences bounds the chord, which spans
            // half the angle.
            let bound = 2.0 * (threshold + 1e-4).to_degrees();
            assert!(degrees.max_rotation_deg < bound, "{threshold}: {degrees:?}");
            assert!(
                degrees.max_rotation_deg > 0.1 * bound,
                "{threshold}: {degrees:?}"
            );
            keys.push(clip.keys());
        }
        assert!(keys[0] < keys[1] && keys[1] < keys[2], "{keys:?}");
    }

    #[test]
    fn clips_of_one_to_five_frames_work() {
        let skeleton = synthetic::skeleton(3).unwrap();
        for frames in 1..=5 {
            let raw = synthetic::clip_with_extras(3, frames, 2);
            let clip = compress(&skeleton, &raw, 1e-4).unwrap();
            let error = ErrorTable::measure_clip(&skeleton, &raw, &clip).summary();
            assert!(error.max_cm < 0.05, "{frames} frames: {error:?}");
        }
    }

    #[test]
    fn a_flip_of_sign_costs_no_key_and_no_error() {
        let skeleton = synthetic::skeleton(3).unwrap();
        let mut raw = synthetic::clip(3, 300, 3);
        let plain = compress(&skeleton, &raw, 0.01).unwrap();
        for q in &mut raw.rotations[400..] {
            *q = -*q;
        }
        let flipped = compress(&skeleton, &raw, 0.01).unwrap();
        assert_eq!(plain.keys(), flipped.keys());
        let error = ErrorTable::measure_clip(&skeleton, &raw, &flipped).summary();
        assert!(error.max_rotation_deg < 1.5, "{error:?}");
    }

    #[test]
    fn long_clips_are_split_and_join_without_a_seam() {
        let skeleton = synthetic::skeleton(1).unwrap();
        for frames in [65_536, 65_537, 140_000] {
            let raw = synthetic::clip(1, frames, 4);
            let clip = compress_every(&skeleton, &raw, 4).unwrap();
            let error = ErrorTable::measure_clip(&skeleton, &raw, &clip).summary();
            assert!(error.max_rotation_deg < 0.5, "{frames}: {error:?}");
            assert!(error.max_cm < 0.5, "{frames}: {error:?}");
        }
    }

    #[test]
    fn every_n_puts_keys_where_it_says() {
        let skeleton = synthetic::skeleton(2).unwrap();
        let raw = synthetic::clip(2, 101, 5);
        for (every, keys) in [(1, 101), (10, 11), (30, 5), (1000, 2)] {
            let clip = compress_every(&skeleton, &raw, every).unwrap();
            assert_eq!(clip.keys(), 2 * keys, "every {every}");
            let moved = &clip.tracks()[0][2];
            assert_eq!(moved.frames.len(), keys, "every {every}");
        }
        assert!(compress_every(&skeleton, &raw, 0).is_err());
    }

    #[test]
    fn wrong_input_is_named() {
        let skeleton = synthetic::skeleton(2).unwrap();
        let raw = synthetic::clip(3, 10, 6);
        assert!(matches!(
            compress(&skeleton, &raw, 0.01),
            Err(CompressError::OtherSkeleton {
                clip: 3,
                skeleton: 2
            })
        ));
        let raw = synthetic::clip(2, 10, 6);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(
                compress(&skeleton, &raw, bad),
                Err(CompressError::BadSetting(_))
            ));
        }
    }
}
