//! What a picture costs, against what no picture costs.
//!
//! In one run on one adapter: the default scene at 1280×720 with 4× MSAA and
//! shadows beside a frame that only clears with the same MSAA and draws text;
//! the processor's share for 1, 64 and 1024 characters; growing a body.

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::Vec3;
use kinetoscope::{
    body::Body,
    load::{LoadOptions, load_skeleton},
    render::{Gpu, Offscreen, Quality},
    scene::{Camera, FrameData, Instance, Preset, footing},
    skeleton::{ModelPose, Skeleton},
};

const SIZE: [u32; 2] = [1280, 720];

fn performer() -> (Skeleton, Arc<Body>, ModelPose) {
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/performer.asf"));
    let skeleton = load_skeleton(path, LoadOptions::default())
        .expect("the built-in skeleton loads")
        .imported
        .skeleton;
    let body = Arc::new(Body::grow(&skeleton));
    let mut pose = skeleton.rest_model();
    for joint in pose.joints_mut() {
        joint.translation.y += 0.96;
    }
    (skeleton, body, pose)
}

fn default_scene(characters: usize) -> FrameData {
    let (skeleton, body, pose) = performer();
    let mut frame = FrameData::default();
    fill(&mut frame, &body, &pose, characters);
    let actor = kinetoscope::scene::Actor {
        skeleton: &skeleton,
        body: &body,
        pose: &pose,
    };
    let poses = [pose.clone()];
    frame.camera = Camera::on_motion(actor, &poses, Preset::ThreeQuarter, 16.0 / 9.0);
    frame.camera.target += footing(&pose);
    frame
}

fn fill(frame: &mut FrameData, body: &Arc<Body>, pose: &ModelPose, characters: usize) {
    frame.clear();
    for _ in 0..characters {
        frame.push_character(body, pose, Instance::default(), None);
    }
}

/// A frame that clears and draws text: everything but the scene.
fn bare_scene() -> FrameData {
    let mut frame = FrameData::default();
    frame.look.ground = false;
    frame.look.transparent = true;
    frame.caption = Some("1280×720, 4 samples a pixel".into());
    frame
}

fn frames(criterion: &mut Criterion) {
    let gpu = Gpu::offscreen().expect("an adapter");
    let mut offscreen = Offscreen::new(&gpu, SIZE, Quality::SOFTWARE).expect("a target");
    let mut group = criterion.benchmark_group(format!("frame on {}", gpu.info.name));
    group
        .measurement_time(Duration::from_secs(8))
        .sample_size(30);
    let mut means = Vec::new();
    for (name, frame) in [("clear", bare_scene()), ("default", default_scene(1))] {
        let (mut spent, mut count) = (Duration::ZERO, 0u32);
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                let start = Instant::now();
                for _ in 0..iterations {
                    offscreen.draw(&gpu, &frame).expect("a frame");
                }
                let elapsed = start.elapsed();
                spent += elapsed;
                count += iterations as u32;
                elapsed
            });
        });
        if count > 0 {
            means.push(spent.as_secs_f64() / f64::from(count));
        }
    }
    group.finish();
    if let [clear, scene] = means[..] {
        println!(
            "default scene {:.1} ms = {:.2} × clear {:.1} ms: {:.1} frames a second",
            scene * 1e3,
            scene / clear,
            clear * 1e3,
            1.0 / scene
        );
    }
}

/// Building FrameData and recording the commands, without drawing.
fn processor_share(criterion: &mut Criterion) {
    let gpu = Gpu::offscreen().expect("an adapter");
    let mut offscreen = Offscreen::new(&gpu, [64, 64], Quality::SOFTWARE_MOVING).expect("a target");
    let (_, body, pose) = performer();
    let mut frame = FrameData::default();
    frame.camera.target = Vec3::Y;
    let mut group = criterion.benchmark_group("build and encode");
    for characters in [1, 64, 1024] {
        group.throughput(Throughput::Elements(characters as u64));
        group.bench_function(BenchmarkId::from_parameter(characters), |bencher| {
            bencher.iter(|| {
                fill(&mut frame, &body, &pose, characters);
                black_box(offscreen.record(&gpu, &frame));
            });
        });
    }
    group.finish();
}

fn growing(criterion: &mut Criterion) {
    let (skeleton, ..) = performer();
    let mut group = criterion.benchmark_group("body");
    group.sample_size(10);
    group.bench_function("grow 31 bones", |bencher| {
        bencher.iter(|| Body::grow(&skeleton))
    });
    group.finish();
}

criterion_group!(benches, frames, processor_share, growing);
criterion_main!(benches);
