//! What holds for all of them: thresholds, knobs, round trips, damage.

use super::*;
use crate::{
    clip::{ClipCursor, RawClip, SampleClip},
    codec::{
        CodecSettings, CompressError, CompressedClip, bytes::SharedBytes, metric::ErrorTable,
        synthetic,
    },
    skeleton::{LocalPose, Skeleton},
    testing::Random,
};

fn skeleton() -> Skeleton {
    synthetic::skeleton(8).unwrap()
}

fn max_cm(skeleton: &Skeleton, raw: &RawClip, clip: &dyn SampleClip) -> f64 {
    ErrorTable::measure_clip(skeleton, raw, clip)
        .summary()
        .max_cm
}

#[test]
fn error_falls_as_the_knob_of_any_codec_is_turned() {
    let skeleton = skeleton();
    let raw = synthetic::clip_with_extras(8, 500, 1);
    for codec in CodecSettings::ALL {
        let name = codec.codec_name();
        let points = codec.knob().sweep().map(|value| {
            let clip = codec.with(value).compress(&skeleton, &raw).unwrap();
            (max_cm(&skeleton, &raw, &clip), clip.as_bytes().len())
        });
        let falls = points.windows(2).all(|pair| pair[1].0 < pair[0].0);
        assert!(falls, "{name}: {points:?}");
        // A step of `tight` may cost nothing; the whole way never does.
        assert!(points[5].1 > 2 * points[0].1, "{name}: {points:?}");
        assert!(points[5].0 < 0.7, "{name}: {points:?}");
    }
}

/// Largest sum of component differences of any rotation at any frame.
fn worst_difference(skeleton: &Skeleton, raw: &RawClip, clip: &dyn SampleClip) -> f32 {
    let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
    let mut worst = 0f32;
    for frame in 0..raw.frames() {
        clip.sample(skeleton, frame as f64 / raw.fps, &mut cursor, &mut pose);
        for (&joint, &source) in raw.animated.iter().zip(raw.frame_rotations(frame)) {
            let found = pose.joints()[usize::from(joint)].rotation;
            let found = if found.dot(source) < 0.0 {
                -found
            } else {
                found
            };
            let off = (found - source).to_array().map(f32::abs);
            worst = worst.max(off.iter().sum());
        }
    }
    worst
}

#[test]
fn thresholds_hold_and_are_used() {
    let skeleton = skeleton();
    let raw = synthetic::clip(8, 700, 2);
    for threshold in [0.1, 0.01] {
        for settings in [
            CodecSettings::Linear { threshold },
            CodecSettings::Bspline { threshold },
        ] {
            let clip = settings.compress(&skeleton, &raw).unwrap();
            let worst = f64::from(worst_difference(&skeleton, &raw, &clip));
            // Keys are rounded to 48 bits before they are compared.
            assert!(worst <= threshold * 1.001, "{settings:?}: {worst}");
            assert!(worst > 0.3 * threshold, "{settings:?}: {worst}");
        }
    }
}

#[test]
fn clips_of_few_frames_and_times_outside_are_fine() {
    let skeleton = skeleton();
    for frames in [1, 2, 3, 4, 5, 257, 258] {
        let raw = synthetic::clip_with_extras(8, frames, 3);
        for codec in CodecSettings::ALL {
            let value = codec.knob().sweep()[5];
            let clip = codec.with(value).compress(&skeleton, &raw).unwrap();
            let name = codec.codec_name();
            assert_eq!((clip.frames(), clip.fps()), (frames, raw.fps), "{name}");
            let off = max_cm(&skeleton, &raw, &clip);
            assert!(off < 0.7, "{name}, {frames} frames: {off} cm");
            let pose_at = |secs: f64| {
                let mut pose = LocalPose::default();
                clip.sample(&skeleton, secs, &mut ClipCursor::default(), &mut pose);
                pose
            };
            assert_eq!(pose_at(-3.0), pose_at(0.0), "{name}");
            assert_eq!(pose_at(f64::NAN), pose_at(0.0), "{name}");
            assert_eq!(pose_at(1e9), pose_at(clip.duration_secs()), "{name}");
        }
    }
}

#[test]
fn a_used_cursor_gives_the_poses_of_a_fresh_one() {
    let skeleton = skeleton();
    let (raw, other) = (synthetic::clip(8, 600, 4), synthetic::clip(8, 600, 5));
    for codec in CodecSettings::ALL {
        let clips = [&raw, &other].map(|raw| codec.compress(&skeleton, raw).unwrap());
        let (mut used, mut random) = (ClipCursor::default(), Random::new(6));
        for _ in 0..100 {
            let clip = &clips[random.below(2)];
            let secs = f64::from(random.between(0.0, 5.0));
            let [mut a, mut b] = [LocalPose::default(), LocalPose::default()];
            clip.sample(&skeleton, secs, &mut used, &mut a);
            clip.sample(&skeleton, secs, &mut ClipCursor::default(), &mut b);
            assert_eq!(a, b, "{}", codec.codec_name());
        }
    }
}

#[test]
fn two_translations_of_the_root_add_up() {
    let skeleton = skeleton();
    let mut raw = synthetic::clip_with_extras(8, 60, 7);
    raw.translations[0].joint = 0;
    for codec in CodecSettings::ALL {
        let clip = codec
            .with(codec.knob().sweep()[5])
            .compress(&skeleton, &raw);
        let off = max_cm(&skeleton, &raw, &clip.unwrap());
        assert!(off < 0.7, "{}: {off} cm", codec.codec_name());
    }
}

#[test]
fn damaged_bytes_are_refused_or_give_finite_poses() {
    let skeleton = skeleton();
    let raw = synthetic::clip_with_extras(8, 40, 8);
    let read = |clip: &CompressedClip, bytes: SharedBytes| match clip {
        CompressedClip::Rows(_) => RowClip::from_bytes(bytes).map(CompressedClip::Rows),
        CompressedClip::Bspline(_) => BsplineClip::from_bytes(bytes).map(CompressedClip::Bspline),
        _ => WaveletClip::from_bytes(bytes).map(CompressedClip::Wavelet),
    };
    let mut random = Random::new(9);
    for settings in [
        CodecSettings::Uniform { bits: 9 },
        CodecSettings::Bspline { threshold: 0.03 },
        CodecSettings::Wavelet { threshold: 0.03 },
    ] {
        let clip = settings.compress(&skeleton, &raw).unwrap();
        let good = clip.as_bytes().to_vec();
        for size in 0..good.len() {
            assert!(read(&clip, good[..size].to_vec().into()).is_err(), "{size}");
        }
        for _ in 0..3000 {
            let mut bytes = good.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] = random.bits() as u8;
            }
            let Ok(read) = read(&clip, bytes.into()) else {
                continue;
            };
            if read.joints() != skeleton.len() {
                continue;
            }
            let mut pose = LocalPose::default();
            let secs = read.duration_secs() * 0.7;
            read.sample(&skeleton, secs, &mut ClipCursor::default(), &mut pose);
            let finite = pose.joints().iter().all(|it| it.rotation.is_finite());
            assert!(finite, "{settings:?}");
        }
    }
}

#[test]
fn knobs_that_mean_nothing_are_refused() {
    let (skeleton, raw) = (skeleton(), synthetic::clip(8, 9, 1));
    for bits in [0, 1, 25] {
        let found = CodecSettings::Uniform { bits }.compress(&skeleton, &raw);
        assert_eq!(found.unwrap_err(), CompressError::BadBits(bits));
    }
    for rate_hz in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let found = CodecSettings::Resampled { rate_hz }.compress(&skeleton, &raw);
        assert!(matches!(found, Err(CompressError::BadSetting(_))));
    }
}

#[test]
fn the_picture_of_a_joint_counts_what_the_threshold_drops() {
    let raw = synthetic::clip(8, 600, 1);
    let picture = |threshold: f64| Scalogram::of(&raw, 2, threshold, 100).unwrap();
    let (coarse, fine) = (picture(0.1), picture(0.001));
    // Four numbers of 257, 257 and 88 frames.
    assert_eq!(coarse.all, 4 * (257 + 257 + 88));
    assert!(coarse.kept < fine.kept && fine.kept < fine.all);
    assert!(coarse.rows.iter().all(|row| row.len() == 100));
    let finest = coarse.rows.last().unwrap();
    assert!(finest.iter().all(|cell| !cell.kept && cell.largest < 0.1));
    // The last block, from frame 512 on, is too short for the coarsest row.
    assert!(coarse.rows[0][..84].iter().all(|cell| cell.kept));
    assert_eq!(Scalogram::of(&raw, 99, 0.1, 100), None);
}
