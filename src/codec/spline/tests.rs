//! The promise on clips of all sorts.

use super::*;
use crate::codec::synthetic;
use crate::testing::Random;
use std::sync::atomic::{AtomicUsize, Ordering};

fn measured(skeleton: &Skeleton, raw: &RawClip, tolerance_cm: f64) -> (KeyClip, f64) {
    let clip = compress(skeleton, raw, tolerance_cm).unwrap();
    let error = ErrorTable::measure_clip(skeleton, raw, &clip).summary();
    assert!(error.max_cm <= tolerance_cm, "{tolerance_cm}: {error:?}");
    (clip, error.max_cm)
}

#[test]
fn the_tolerance_is_kept_and_used_up() {
    let skeleton = synthetic::skeleton(13).unwrap();
    for seed in 0..3 {
        let raw = synthetic::clip(13, 300, seed);
        let mut bytes = Vec::new();
        for tolerance_cm in [0.1, 0.3, 1.0, 3.0] {
            let (clip, max_cm) = measured(&skeleton, &raw, tolerance_cm);
            assert!(
                max_cm > 0.5 * tolerance_cm,
                "{seed}: wasted, {max_cm} of {tolerance_cm}"
            );
            bytes.push(clip.as_bytes().len());
        }
        assert!(bytes.is_sorted_by(|a, b| a > b), "{seed}: {bytes:?}");
    }
}

#[test]
fn sliding_joints_and_stretching_bones_keep_it_too() {
    let skeleton = synthetic::skeleton(9).unwrap();
    for seed in 0..3 {
        let mut raw = synthetic::clip_with_extras(9, 200, seed);
        measured(&skeleton, &raw, 0.2);
        // A second slide, on the root itself, and a joint without a track.
        let mut slide = raw.translations[0].clone();
        slide.joint = 0;
        raw.translations.push(slide);
        raw.rotations = (0..200)
            .flat_map(|frame| raw.frame_rotations(frame)[..8].to_vec())
            .collect();
        raw.animated.pop();
        let (clip, _) = measured(&skeleton, &raw, 0.2);
        assert!(clip.as_bytes().len() * 4 < raw.raw_bytes() as usize);
    }
}

#[test]
fn clips_of_one_to_five_frames_work() {
    let skeleton = synthetic::skeleton(4).unwrap();
    for frames in 1..=5 {
        let raw = synthetic::clip_with_extras(4, frames, 7);
        measured(&skeleton, &raw, 0.1);
    }
}

#[test]
fn what_stands_still_takes_one_key() {
    let skeleton = synthetic::skeleton(4).unwrap();
    let mut raw = synthetic::clip(4, 100, 8);
    let still = raw.frame_rotations(0).to_vec();
    raw.rotations = still.iter().copied().cycle().take(400).collect();
    raw.root_translations.fill(glam::Vec3::new(0.1, 1.0, -3.3));
    let (clip, _) = measured(&skeleton, &raw, 0.1);
    assert!(clip.tracks()[0].iter().all(|track| track.frames == [0]));
    assert_eq!(clip.keys(), 4);
}

#[test]
fn white_noise_is_kept_within_the_tolerance() {
    let skeleton = synthetic::skeleton(5).unwrap();
    let mut raw = synthetic::clip(5, 60, 9);
    let mut random = Random::new(9);
    for q in &mut raw.rotations {
        let mut any = || random.between(-1.0, 1.0);
        *q = glam::Quat::from_xyzw(any(), any(), any(), any()).normalize();
    }
    for p in &mut raw.root_translations {
        let mut any = || random.between(-9.0, 9.0);
        *p = glam::Vec3::new(any(), any(), any());
    }
    measured(&skeleton, &raw, 0.1);
}

#[test]
fn a_tolerance_that_48_bits_cannot_hold_is_refused_with_one_they_can() {
    let skeleton = synthetic::skeleton(13).unwrap();
    let raw = synthetic::clip(13, 120, 10);
    for tolerance_cm in [1e-30, 1e-9, 1e-4] {
        let asked = AtomicUsize::new(0);
        let count = || asked.fetch_add(1, Ordering::Relaxed) > 1000;
        let refused = compress_until(&skeleton, &raw, tolerance_cm, Stop::when(&count));
        let Err(CompressError::TooFine { promised_cm, .. }) = refused else {
            panic!("accepted");
        };
        // Once through the tracks, with no search of keys before.
        let asked = asked.into_inner();
        assert!(asked <= 14, "asked {asked} times whether to go on");
        assert!(promised_cm < 0.05, "{promised_cm}");
        measured(&skeleton, &raw, promised_cm);
    }
}

#[test]
fn a_chain_of_thousands_is_refused_with_the_reason() {
    let joints = synthetic::skeleton(1).unwrap().joints().to_vec();
    let joints = (0..5000u16).map(|at| crate::skeleton::Joint {
        name: format!("joint {at}"),
        parent: at.checked_sub(1).unwrap_or(NO_PARENT),
        ..joints[0].clone()
    });
    let skeleton = Skeleton::new("chain", joints.collect()).unwrap();
    let raw = synthetic::clip(5000, 3, 1);
    let reason = compress(&skeleton, &raw, 0.1).unwrap_err();
    assert!(
        matches!(reason, CompressError::TooManyPairs { .. }),
        "{reason}"
    );
}

#[test]
fn a_flip_of_sign_changes_nothing() {
    let skeleton = synthetic::skeleton(4).unwrap();
    let mut raw = synthetic::clip(4, 150, 11);
    let (plain, _) = measured(&skeleton, &raw, 0.1);
    for q in &mut raw.rotations[201..] {
        *q = -*q;
    }
    let (flipped, _) = measured(&skeleton, &raw, 0.1);
    assert_eq!(plain.as_bytes(), flipped.as_bytes());
}
