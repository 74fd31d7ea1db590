//! What the codecs do to real captures. A handful of clips is checked in every
//! run; the whole corpus, and the README's table, by
//!
//! ```text
//! cargo test --release --no-default-features --test codec_corpus -- --ignored --nocapture
//! ```
//!
//! `KINETOSCOPE_ROWS=tight` (or `spline`, `"tight 0.1"`, …) makes only some rows.
#![allow(
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::{collections::BTreeMap, path::Path, time::Instant};

use common::{corpus, manifest};
use kinetoscope::{
    clip::{ClipCursor, Interpolation, RawClip, SampleClip},
    codec::{
        CodecSettings, Knob, classic,
        kin::KinClip,
        metric::{ErrorMeasure, ErrorSummary, ErrorTable},
    },
    load::{LoadOptions, Loaded, LoadedMotion, load},
    math::quat::angle_between,
    skeleton::{LocalPose, Skeleton},
};

/// Motions of the corpus' list that load, on the skeleton it pairs them with.
fn motions(corpus: &Path, wanted: impl Fn(&str) -> bool) -> Vec<LoadedMotion> {
    let mut by_skeleton: BTreeMap<Option<String>, Vec<String>> = BTreeMap::new();
    for listed in manifest(corpus) {
        if listed.path.ends_with(".amc") && wanted(&listed.path) {
            by_skeleton.entry(listed.asf).or_default().push(listed.path);
        }
    }
    let mut motions = Vec::new();
    for (skeleton, files) in by_skeleton {
        let files: Vec<_> = files
            .iter()
            .chain(&skeleton)
            .map(|file| corpus.join(file))
            .collect();
        let loaded = load(&files, LoadOptions::default());
        motions.extend(loaded.into_iter().filter_map(|(_, outcome)| match outcome {
            Ok(Loaded::Motion(motion)) => Some(*motion),
            _ => None,
        }));
    }
    motions
}

fn parts(motion: &LoadedMotion) -> (&Skeleton, &RawClip) {
    (&motion.skeleton.imported.skeleton, motion.raw())
}

/// Largest angle between source and clip halfway between frames, in degrees.
fn half_frame_error_deg(skeleton: &Skeleton, raw: &RawClip, clip: &dyn SampleClip) -> f32 {
    let (mut source, mut decoded) = (LocalPose::default(), LocalPose::default());
    let mut cursor = Default::default();
    let mut worst = 0f32;
    for frame in 0..raw.frames() - 1 {
        let time_secs = (frame as f64 + 0.5) / raw.fps;
        raw.sample_as(Interpolation::Linear, skeleton, time_secs, &mut source);
        clip.sample(skeleton, time_secs, &mut cursor, &mut decoded);
        for (a, b) in source.joints().iter().zip(decoded.joints()) {
            worst = worst.max(angle_between(a.rotation, b.rotation));
        }
    }
    worst.to_degrees()
}

#[test]
fn classic_beats_the_published_code_on_its_own_clips() {
    let Some(corpus) = corpus() else { return };
    let six = ["attack", "backward", "forward", "idle", "jump", "run"];
    let six = six.map(|name| format!("characterengine/{name}.amc"));
    let motions = motions(&corpus, |path| six.iter().any(|clip| clip == path));
    assert_eq!(motions.len(), 6);
    for (threshold, most_keys, most_deg) in [(0.01, 70.0, 1.5), (0.1, 11.0, 12.0)] {
        let mut keys = 0.0;
        for motion in &motions {
            let (skeleton, raw) = parts(motion);
            let clip = classic::compress(skeleton, raw, threshold).unwrap();
            keys += clip.keys() as f64 / raw.animated.len() as f64 / 6.0;
            let error = ErrorTable::measure_clip(skeleton, raw, &clip).summary();
            assert!(error.max_rotation_deg <= most_deg, "{threshold}: {error:?}");
            let between = half_frame_error_deg(skeleton, raw, &clip);
            assert!(
                f64::from(between) <= 2.0 * most_deg,
                "{threshold}: {between}°"
            );
        }
        eprintln!("classic at {threshold}: {keys:.2} keys per joint");
        assert!(keys <= most_keys, "{threshold}: {keys} keys per joint");
    }
}

#[test]
fn promises_hold_on_a_sample_of_the_corpus() {
    let Some(corpus) = corpus() else { return };
    let sample = [
        "characterengine/run.amc",
        "cmu-16/16_29.amc",
        "cmu-usc520/09_06-run.amc",
        "hdm05/HDM_bd_hopBothLegs1hops_001_120.amc",
        "motion-out/null.amc",
    ];
    let motions = motions(&corpus, |path| sample.contains(&path));
    assert_eq!(motions.len(), sample.len());
    for motion in &motions {
        let (skeleton, raw) = parts(motion);
        for tolerance_cm in [0.1, 1.0] {
            for settings in [
                CodecSettings::Spline { tolerance_cm },
                CodecSettings::Tight { tolerance_cm },
            ] {
                let clip = settings.compress(skeleton, raw).unwrap();
                let error = ErrorTable::measure_clip(skeleton, raw, &clip).summary();
                let name = motion.path.display();
                assert!(
                    error.max_cm <= tolerance_cm,
                    "{name}, {settings:?}: {error:?}"
                );
            }
        }
    }
}

/// One row of the README's table.
struct Row {
    settings: CodecSettings,
    ratio: f64,
    errors: ErrorSummary,
    compress_ms: f64,
    slowest_ms: f64,
    sample_us: f64,
    refused: usize,
}

/// Every clip through one codec, one after the other on this thread.
fn whole_corpus(motions: &[LoadedMotion], settings: CodecSettings) -> Row {
    let (mut raw_bytes, mut bytes, mut frames) = (0, 0, 0);
    let (mut compress, mut slowest, mut sample) = (0.0, 0f64, 0.0);
    let mut refused = 0;
    let mut tables = Vec::new();
    for motion in motions {
        let (skeleton, raw) = parts(motion);
        let start = Instant::now();
        let Ok(clip) = settings.compress(skeleton, raw) else {
            refused += 1;
            continue;
        };
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let table = ErrorTable::measure_clip(skeleton, raw, &clip);
        if let Some(tolerance_cm) = settings.tolerance_cm() {
            let error = table.summary();
            let name = motion.path.display();
            assert!(
                error.max_cm <= tolerance_cm,
                "{name}, {settings:?}: {error:?}"
            );
        }
        tables.push(table);
        let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
        let start = Instant::now();
        for frame in 0..raw.frames() {
            let time_secs = (frame as f64 + 0.37) / raw.fps;
            clip.sample(skeleton, time_secs, &mut cursor, &mut pose);
            std::hint::black_box(&pose);
        }
        sample += start.elapsed().as_secs_f64() * 1e6;
        compress += ms;
        if raw.frames() >= 200 {
            slowest = slowest.max(ms * 1000.0 / raw.frames() as f64);
        }
        frames += raw.frames();
        raw_bytes += raw.raw_bytes();
        let file_name = motion.path.file_name().unwrap_or_default();
        let stored = KinClip {
            name: raw.name.clone(),
            source: file_name.to_string_lossy().into_owned(),
            fps_assumed: true,
            animated: raw.animated.len(),
            settings,
            max_error_cm: 0.0,
            measure: ErrorMeasure::Ball,
            skeleton: 0,
            clip,
            events: None,
        };
        bytes += stored.stored_bytes();
    }
    Row {
        settings,
        ratio: raw_bytes as f64 / bytes as f64,
        errors: ErrorTable::joined(tables.iter()).summary(),
        compress_ms: compress * 1000.0 / frames as f64,
        slowest_ms: slowest,
        sample_us: sample / frames as f64,
        refused,
    }
}

fn print_row(row: &Row) {
    let value = row.settings.value();
    let setting = match row.settings.knob() {
        Knob::Threshold => format!("threshold {value}"),
        Knob::Frames => format!("{value} frames"),
        Knob::Bits => format!("{value} bits"),
        Knob::RateHz => format!("{value} Hz"),
        Knob::ToleranceCm => format!("{value} cm"),
    };
    let errors = &row.errors;
    println!(
        "| {} | {setting} | {:.2} | {:.4} | {:.4} | {:.4} | {:.1} | {:.0} ({:.0}) | {:.2} |{}",
        row.settings.codec_name(),
        row.ratio,
        errors.max_cm,
        errors.mean_cm,
        errors.p99_cm,
        errors.max_rotation_deg,
        row.compress_ms,
        row.slowest_ms,
        row.sample_us,
        match row.refused {
            0 => String::new(),
            refused => format!(" {refused} clips refused"),
        }
    );
}

#[test]
#[ignore = "minutes in release: the whole corpus, and the README's table"]
fn the_whole_corpus() {
    let Some(corpus) = corpus() else { return };
    let motions = motions(&corpus, |_| true);
    println!("{} clips that load", motions.len());
    println!(
        "| codec | setting | ratio | max cm | mean cm | p99 cm | max ° | ms per 1000 frames (slowest clip) | µs per pose |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    let marks = [
        (CodecSettings::Uniform { bits: 12 }, 0.0),
        (CodecSettings::Resampled { rate_hz: 30.0 }, 0.0),
        (CodecSettings::Every { frames: 4 }, 0.0),
        (CodecSettings::Linear { threshold: 0.01 }, 0.0),
        (CodecSettings::Bspline { threshold: 0.01 }, 0.0),
        (CodecSettings::Wavelet { threshold: 0.01 }, 0.0),
        (CodecSettings::Classic { threshold: 0.01 }, 0.0),
        (CodecSettings::Classic { threshold: 0.1 }, 0.0),
        (CodecSettings::Spline { tolerance_cm: 0.1 }, 7.7),
        (CodecSettings::Spline { tolerance_cm: 1.0 }, 32.0),
        (CodecSettings::Tight { tolerance_cm: 0.01 }, 15.5),
        (CodecSettings::Tight { tolerance_cm: 0.1 }, 36.5),
        (CodecSettings::Tight { tolerance_cm: 1.0 }, 142.0),
    ];
    let wanted = std::env::var("KINETOSCOPE_ROWS").unwrap_or_default();
    for (settings, least_ratio) in marks {
        let name = format!("{settings:?}").to_lowercase();
        if !wanted.split_whitespace().all(|word| name.contains(word)) {
            continue;
        }
        let row = whole_corpus(&motions, settings);
        print_row(&row);
        assert!(row.ratio >= least_ratio, "{settings:?}: {}", row.ratio);
        assert_eq!(row.refused, 0, "{settings:?}");
    }
}
