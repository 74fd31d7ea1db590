//! Registration: how it grows with the lengths of two motions, and what it gains over comparing
//! every window of every pair of frames by itself.
#![allow(clippy::unwrap_used, missing_docs)]

use std::{hint::black_box, sync::Arc};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use glam::DVec3;
use kinetoscope::{
    clip::{RawClip, SampleClip},
    load::{LoadOptions, performer_clip},
    register::{
        Blend, Cloud, DistanceGrid, HALF_WINDOW_SECS, PathOptions, Registration, Weights,
        pose_distance,
    },
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// A clip of the performer again and again, at 120 frames a second.
fn motion(name: &str, frames: usize) -> (Arc<Skeleton>, Arc<RawClip>) {
    let motion = performer_clip(name, LoadOptions::default())
        .unwrap()
        .unwrap();
    let skeleton = Arc::new(motion.skeleton().clone());
    let (source, own) = (motion.sampler(), motion.raw());
    let mut cursor = Default::default();
    let pose = |frame: usize| {
        let mut pose = LocalPose::default();
        let secs = (frame as f64 / 120.0) % own.duration_secs();
        source.sample(&skeleton, secs, &mut cursor, &mut pose);
        pose
    };
    let poses: Vec<LocalPose> = (0..frames).map(pose).collect();
    let clip = RawClip::from_poses(name, &skeleton, 120.0, &poses);
    (skeleton, Arc::new(clip))
}

/// Joints of every frame, for the plain way.
fn points(skeleton: &Skeleton, clip: &RawClip) -> Vec<Vec<DVec3>> {
    let (mut pose, mut model) = (LocalPose::default(), ModelPose::default());
    let frame = |frame: usize| {
        clip.frame_pose(skeleton, frame, &mut pose);
        model.compute(skeleton, &pose);
        model
            .joints()
            .iter()
            .map(|joint| joint.translation.as_dvec3())
            .collect()
    };
    (0..clip.frames()).map(frame).collect()
}

/// Three loops: rows, columns, and the frames of both windows.
fn plain_grid(a: &[Vec<DVec3>], b: &[Vec<DVec3>], half: usize) -> f64 {
    let mut sum = 0.0;
    let window = |frames: &[Vec<DVec3>], low: usize, high: usize| frames[low..=high].concat();
    for i in 0..a.len() {
        for j in 0..b.len() {
            let before = half.min(i).min(j);
            let after = half.min(a.len() - 1 - i).min(b.len() - 1 - j);
            let windows = [
                window(a, i - before, i + after),
                window(b, j - before, j + after),
            ];
            sum += pose_distance(&windows[0], &windows[1]).0;
        }
    }
    sum
}

fn grids(c: &mut Criterion) {
    let mut group = c.benchmark_group("register/grid");
    group.sample_size(10);
    for frames in [250, 500, 1000, 2000] {
        let clouds = ["forward", "run"].map(|name| {
            let (skeleton, clip) = motion(name, frames);
            Cloud::of(&skeleton, &clip)
        });
        group.bench_with_input(
            BenchmarkId::from_parameter(frames),
            &clouds,
            |b, [walk, run]| {
                b.iter(|| black_box(DistanceGrid::compute(walk, run, HALF_WINDOW_SECS)));
            },
        );
    }
    let half = (HALF_WINDOW_SECS * 120.0).round() as usize;
    let plain = ["forward", "run"].map(|name| {
        let (skeleton, clip) = motion(name, 250);
        points(&skeleton, &clip)
    });
    group.bench_function("250 by three loops", |b| {
        b.iter(|| black_box(plain_grid(&plain[0], &plain[1], half)));
    });
    group.finish();
}

fn whole(c: &mut Criterion) {
    let mut group = c.benchmark_group("register");
    group.sample_size(10);
    let (skeleton, walk) = motion("forward", 1000);
    let (_, run) = motion("run", 1000);
    let register = || {
        let motions = vec![Arc::clone(&walk), Arc::clone(&run)];
        Arc::new(Registration::new(&skeleton, motions, &PathOptions::default()).unwrap())
    };
    group.bench_function("two motions of 1000 frames", |b| {
        b.iter(|| black_box(register()));
    });
    let found = register();
    let weights = Weights::constant(&[0.5, 0.5]).unwrap();
    group.bench_function("blend of them", |b| {
        b.iter(|| black_box(Blend::new(&found, weights.clone()).unwrap().frames()));
    });
    group.finish();
}

criterion_group!(benches, grids, whole);
criterion_main!(benches);
