//! What moves besides joints: scales, joint translations and morph weights of
//! glTF characters through every codec, and into containers and back.
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use kinetoscope::{
    assert_close,
    clip::{ClipCursor, RawClip, SampleClip, Track},
    codec::{
        CodecSettings, CompressError, CompressedClip, WEIGHT_TOLERANCE,
        kin::{ClipOrigin, Kin, KinClip, KinSkeleton},
        metric::ErrorTable,
        synthetic,
    },
    load::{LoadOptions, Loaded, LoadedMotion, load},
    skeleton::{LocalPose, Skeleton},
    units::{LengthScale, LengthUnit},
};

/// Every animation of the models beside the corpus.
fn animations() -> Option<Vec<LoadedMotion>> {
    let models = common::alongside_corpus("gltf")?;
    let loaded = load(&[models], LoadOptions::default());
    let motions = loaded.into_iter().filter_map(|(_, outcome)| match outcome {
        Ok(Loaded::Motion(motion)) => Some(*motion),
        _ => None,
    });
    Some(motions.collect())
}

/// Every number of a pose: rotations, translations, scales, weights.
fn numbers(pose: &LocalPose, morphs: usize) -> Vec<f32> {
    let joints = pose.joints().iter().enumerate();
    let joints = joints.flat_map(|(index, joint)| {
        let [x, y, z] = joint.translation.to_array();
        let scale = pose.scale(index).to_array();
        joint
            .rotation
            .to_array()
            .into_iter()
            .chain([x, y, z])
            .chain(scale)
    });
    joints
        .chain((0..morphs).map(|morph| pose.morph(morph)))
        .collect()
}

/// How far each number of the poses goes.
fn spans(skeleton: &Skeleton, clip: &dyn SampleClip, morphs: usize) -> Vec<f32> {
    let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
    let mut spans: Vec<[f32; 2]> = Vec::new();
    for frame in 0..clip.frames() {
        clip.sample(skeleton, frame as f64 / clip.fps(), &mut cursor, &mut pose);
        let numbers = numbers(&pose, morphs);
        spans.resize(numbers.len(), [f32::MAX, f32::MIN]);
        for (span, number) in spans.iter_mut().zip(numbers) {
            *span = [span[0].min(number), span[1].max(number)];
        }
    }
    spans.into_iter().map(|[low, high]| high - low).collect()
}

#[test]
fn promises_hold_for_all_that_moves_in_the_models_and_nothing_stands_still() {
    let Some(motions) = animations() else { return };
    let (mut scaled, mut morphed) = (0, 0);
    for motion in &motions {
        let (skeleton, raw): (&Skeleton, &RawClip) = (motion.skeleton(), motion.raw());
        scaled += usize::from(!raw.scales.is_empty());
        morphed += usize::from(!raw.morphs.is_empty());
        let morphs = raw
            .morphs
            .iter()
            .map(|it| usize::from(it.morph) + 1)
            .max()
            .unwrap_or(0);
        let source = spans(skeleton, raw, morphs);
        for settings in [
            CodecSettings::Spline { tolerance_cm: 0.1 },
            CodecSettings::Tight { tolerance_cm: 0.1 },
        ] {
            let (label, codec) = (motion.label(), settings.codec_name());
            // A fox of 150 m is beyond the 48 bits of a key: what is refused
            // names what can be had.
            let (clip, promised_cm) = match settings.compress(skeleton, raw) {
                Err(CompressError::TooFine { promised_cm, .. }) => {
                    let coarser = settings.with(promised_cm);
                    (coarser.compress(skeleton, raw).unwrap(), promised_cm)
                }
                // Eight hundred joints are beyond `tight`, and it says so.
                Err(CompressError::TooManyPairs { .. }) => continue,
                clip => (clip.unwrap(), 0.1),
            };
            let errors = ErrorTable::measure_clip(skeleton, raw, &clip).summary();
            assert!(errors.max_cm <= promised_cm, "{label}, {codec}: {errors:?}");
            assert!(promised_cm < 0.5, "{label}, {codec}");
            let percent = errors.max_weight_percent;
            let allowed = f64::from(WEIGHT_TOLERANCE) * 100.0;
            assert!(percent <= allowed * 1.001, "{label}, {codec}: {percent} %");
            for (at, (source, decoded)) in source
                .iter()
                .zip(spans(skeleton, &clip, morphs))
                .enumerate()
            {
                // What moves by more than tolerances allow to lose.
                if *source > 0.05 {
                    assert!(
                        decoded > 0.3 * source,
                        "{label}, {codec}: number {at} stands still"
                    );
                }
            }
        }
    }
    assert!(
        scaled >= 3 && morphed >= 5,
        "{scaled} scale, {morphed} morph"
    );
}

/// A synthetic clip with a joint that grows and two weights.
fn made_up() -> (Skeleton, RawClip) {
    let skeleton = synthetic::skeleton(8).unwrap();
    let mut raw = synthetic::clip_with_extras(8, 400, 1);
    let wave = |frame: usize, speed: f32| (frame as f32 * speed).sin();
    raw.scales = vec![Track {
        joint: 2,
        values: (0..400)
            .map(|frame| glam::Vec3::new(1.0 + 0.3 * wave(frame, 0.03), 1.0, 1.2))
            .collect(),
    }];
    raw.morphs = [0u16, 3]
        .map(|morph| kinetoscope::clip::MorphTrack {
            morph,
            values: (0..400)
                .map(|frame| 0.5 + 0.5 * wave(frame, 0.05 + 0.02 * f32::from(morph)))
                .collect(),
        })
        .to_vec();
    (skeleton, raw)
}

#[test]
fn every_codec_keeps_scales_and_weights_and_the_container_keeps_them_bit_for_bit() {
    let (skeleton, raw) = made_up();
    for codec in CodecSettings::ALL {
        let name = codec.codec_name();
        let settings = codec.with(codec.knob().sweep()[4]);
        let clip = settings.compress(&skeleton, &raw).unwrap();
        let errors = ErrorTable::measure_clip(&skeleton, &raw, &clip).summary();
        if let Some(tolerance_cm) = settings.tolerance_cm() {
            assert!(errors.max_cm <= tolerance_cm, "{name}: {errors:?}");
        }
        assert!(errors.max_weight_percent < 2.0, "{name}: {errors:?}");
        assert!(
            errors.max_weight_percent > 0.0,
            "{name} stores no weight as it is"
        );
        assert!(errors.max_cm < 2.5, "{name}: {errors:?}");
        let mut kin = Kin::default();
        kin.add_clip(
            KinSkeleton {
                skeleton: skeleton.clone(),
                source: String::new(),
                length: LengthScale {
                    unit: LengthUnit::Metre,
                    assumed: false,
                    divisor: 1.0,
                },
            },
            KinClip::new(ClipOrigin::default(), settings, clip.clone(), 0.1),
        );
        let bytes = kin.to_bytes();
        let again = Kin::from_bytes(bytes.clone()).unwrap();
        assert_eq!(again.to_bytes(), bytes, "{name}");
        let pose_of = |clip: &CompressedClip| {
            let mut pose = LocalPose::default();
            clip.sample(&skeleton, 1.234, &mut ClipCursor::default(), &mut pose);
            pose
        };
        assert_eq!(pose_of(&again.clips[0].clip), pose_of(&clip), "{name}");
        assert_close!(pose_of(&clip).scale(2).z, 1.2, 1e-3, "{name}");
        for size in (0..bytes.len()).step_by(7) {
            assert!(
                Kin::from_bytes(bytes[..size].to_vec()).is_err(),
                "{name} {size}"
            );
        }
    }
}

#[test]
fn finer_tolerances_give_finer_scales() {
    let (skeleton, raw) = made_up();
    for codec in [
        CodecSettings::Spline { tolerance_cm: 0.0 },
        CodecSettings::Tight { tolerance_cm: 0.0 },
    ] {
        let mut before = f64::INFINITY;
        for tolerance_cm in [1.0, 0.3, 0.1, 0.03] {
            let clip = codec.with(tolerance_cm).compress(&skeleton, &raw).unwrap();
            let errors = ErrorTable::measure_clip(&skeleton, &raw, &clip).summary();
            let name = codec.codec_name();
            eprintln!(
                "{name} {tolerance_cm}: {:.4} cm, {} bytes",
                errors.max_cm,
                clip.as_bytes().len()
            );
            assert!(
                errors.max_cm <= tolerance_cm && errors.max_cm < before,
                "{name}: {errors:?}"
            );
            before = errors.max_cm;
        }
    }
}
