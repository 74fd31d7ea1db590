//! A whole pose out of each codec, forward and by random seeks, beside a
//! reference that does what the published decoder does; and forward kinematics.
//!
//! 31 joints at 120 frames a second. Groups: `forward` steps by one frame,
//! `seek` jumps; the clip of 60,000 frames beside that of 1,000 shows growth.
//! Where captures are at hand, a real one is sampled too.
#![allow(
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a benchmark without its clips cannot go on"
)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use glam::{Quat, Vec3};
use kinetoscope::{
    clip::{ClipCursor, RawClip, SampleClip},
    codec::{
        CodecSettings, classic,
        keys::{KeyClip, TrackKind},
        quat48::Quat48,
        spline, synthetic,
        tight::TightClip,
    },
    load::{self, Loaded},
    skeleton::{LocalPose, ModelPose, Skeleton},
    testing::{Random, corpus},
};

const FPS: f64 = 120.0;

/// The published decoder: nothing is kept between samples. For every joint a
/// binary search, four keys dequantised, a spline for each component, and a
/// normalisation.
struct Reference {
    tracks: Vec<ReferenceTrack>,
    last_frame: usize,
}

struct ReferenceTrack {
    joint: usize,
    rotates: bool,
    keys: Vec<ReferenceKey>,
}

/// 8 bytes, as published.
#[derive(Clone, Copy)]
struct ReferenceKey {
    frame: u16,
    packed: Quat48,
}

fn reference_spline(p: [f32; 4], t: f32) -> f32 {
    let [p0, p1, p2, p3] = p;
    0.5 * ((2.0 * p1)
        + (p2 - p0) * t
        + (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3) * t * t
        + (3.0 * p1 - p0 - 3.0 * p2 + p3) * t * t * t)
}

impl Reference {
    fn new(clip: &KeyClip) -> Self {
        let tracks = clip.tracks().swap_remove(0).into_iter().map(|track| {
            let keys = track.frames.iter().zip(&track.values);
            let keys = keys.map(|(&frame, &value)| ReferenceKey {
                frame,
                packed: Quat48::pack(Quat::from_vec4(value)),
            });
            ReferenceTrack {
                joint: usize::from(track.joint),
                rotates: track.kind == TrackKind::Rotation,
                keys: keys.collect(),
            }
        });
        Self {
            tracks: tracks.collect(),
            last_frame: clip.frames() - 1,
        }
    }

    fn sample(&self, skeleton: &Skeleton, time_secs: f64, pose: &mut LocalPose) {
        pose.copy_from(skeleton.rest());
        let position = (time_secs * FPS).clamp(0.0, self.last_frame as f64) as f32;
        for track in &self.tracks {
            let q = track.rotation(position);
            let joint = &mut pose.joints_mut()[track.joint];
            if track.rotates {
                joint.rotation = q;
            } else {
                joint.translation = Vec3::new(q.x, q.y, q.z).into();
            }
        }
    }
}

impl ReferenceTrack {
    fn rotation(&self, position: f32) -> Quat {
        let last = self.keys.len() - 1;
        let after = self
            .keys
            .partition_point(|key| f32::from(key.frame) <= position);
        let start = after.saturating_sub(1).min(last.saturating_sub(1));
        let around = [
            start.saturating_sub(1),
            start,
            (start + 1).min(last),
            (start + 2).min(last),
        ];
        let keys = around.map(|key| self.keys[key]);
        let length = f32::from(keys[2].frame) - f32::from(keys[1].frame);
        let t = (position - f32::from(keys[1].frame)) / length.max(1.0);
        let q = keys.map(|key| key.packed.unpack().to_array());
        let component = |i: usize| reference_spline([q[0][i], q[1][i], q[2][i], q[3][i]], t);
        let value = [component(0), component(1), component(2), component(3)];
        Quat::from_array(value).normalize()
    }
}

/// Times of 4,096 samples: one frame apart, or anywhere.
fn times(frames: usize, random: bool) -> Vec<f64> {
    let mut seeds = Random::new(1);
    let time = |i: usize| {
        if random {
            f64::from(seeds.between(0.0, (frames - 1) as f32)) / FPS
        } else {
            // Not quite on the frames, as a player's clock never is.
            ((i % (frames - 1)) as f64 + 0.37) / FPS
        }
    };
    (0..4096).map(time).collect()
}

struct Case {
    name: String,
    skeleton: Skeleton,
    raw: RawClip,
}

fn synthetic_case(frames: usize) -> Case {
    Case {
        name: format!("{frames}-frames"),
        skeleton: synthetic::skeleton(31).expect("31 joints are fine"),
        raw: synthetic::clip(31, frames, 1),
    }
}

/// A walk of the corpus.
fn captured_case() -> Option<Case> {
    let corpus = corpus()?;
    let files = ["cmu-original/01.asf", "cmu-original/01_01.amc"].map(|file| corpus.join(file));
    let outcomes = load::load(&files, load::LoadOptions::default());
    let motion = outcomes.into_iter().find_map(|(_, outcome)| match outcome {
        Ok(Loaded::Motion(motion)) => Some(motion),
        _ => None,
    });
    motion.map(|motion| Case {
        name: "captured".into(),
        skeleton: motion.skeleton.imported.skeleton.clone(),
        raw: RawClip::clone(motion.raw()),
    })
}

fn bench_clip(criterion: &mut Criterion, codec: &str, case: &Case, clip: &dyn SampleClip) {
    for (group, random) in [("forward", false), ("seek", true)] {
        let times = times(clip.frames(), random);
        let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
        let mut next = 0;
        let id = BenchmarkId::new(codec, &case.name);
        criterion
            .benchmark_group(group)
            .bench_function(id, |bencher| {
                bencher.iter(|| {
                    next = (next + 1) & 4095;
                    clip.sample(&case.skeleton, times[next], &mut cursor, &mut pose);
                    black_box(&pose);
                });
            });
    }
}

fn bench_reference(criterion: &mut Criterion, case: &Case, clip: &KeyClip) {
    let reference = Reference::new(clip);
    for (group, random) in [("forward", false), ("seek", true)] {
        let times = times(clip.frames(), random);
        let mut pose = LocalPose::default();
        let mut next = 0;
        let id = BenchmarkId::new("reference", &case.name);
        criterion
            .benchmark_group(group)
            .bench_function(id, |bencher| {
                bencher.iter(|| {
                    next = (next + 1) & 4095;
                    reference.sample(&case.skeleton, times[next], &mut pose);
                    black_box(&pose);
                });
            });
    }
}

fn sample(criterion: &mut Criterion) {
    let cases = [
        Some(synthetic_case(1000)),
        Some(synthetic_case(60_000)),
        captured_case(),
    ];
    for case in cases.into_iter().flatten() {
        let classic = classic::compress(&case.skeleton, &case.raw, 0.01).expect("it compresses");
        bench_reference(criterion, &case, &classic);
        bench_clip(criterion, "classic", &case, &classic);
        let spline = spline::compress(&case.skeleton, &case.raw, 0.1).expect("it compresses");
        bench_clip(criterion, "spline", &case, &spline);
        let tight = TightClip::compress(&case.skeleton, &case.raw, 0.1).expect("it compresses");
        bench_clip(criterion, "tight", &case, &tight);
        for codec in CodecSettings::ALL {
            let name = codec.codec_name();
            if ["classic", "spline", "tight"].contains(&name) {
                continue;
            }
            let clip = codec
                .compress(&case.skeleton, &case.raw)
                .expect("it compresses");
            bench_clip(criterion, name, &case, &clip);
        }
    }
}

fn forward_kinematics(criterion: &mut Criterion) {
    let case = synthetic_case(100);
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    case.raw.frame_pose(&case.skeleton, 50, &mut local);
    criterion.bench_function("forward-kinematics", |bencher| {
        bencher.iter(|| {
            model.compute(&case.skeleton, black_box(&local));
            black_box(&model);
        });
    });
}

criterion_group!(benches, forward_kinematics, sample);
criterion_main!(benches);
