//! What a picture costs, against what no picture costs.
//!
//! In one run on one adapter: the default scene at 1280×720 with 4× MSAA and
//! shadows beside a frame that only clears with the same MSAA, resolves and
//! draws text;
//! the processor's share for 1, 64 and 1024 characters; growing a body.

#![allow(clippy::expect_used, clippy::print_stdout)] // a bench without its assets cannot go on

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::Vec3;
use kinetoscope::{
    body::Body,
    load::{LoadOptions, Loaded, load},
    render::{Gpu, Offscreen, Quality},
    scene::{Camera, FrameData, Instance, Preset, footing},
    skeleton::{LocalPose, ModelPose, Skeleton},
};

const SIZE: [u32; 2] = [1280, 720];

/// The built-in performer, standing idle.
fn performer() -> (Skeleton, Arc<Body>, ModelPose) {
    let assets = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets"));
    let paths = [assets.join("performer.asf"), assets.join("clips/idle.amc")];
    let loaded = load(&paths, LoadOptions::default())
        .into_iter()
        .map(|(_, loaded)| loaded);
    let motion = loaded.filter_map(|loaded| match loaded.expect("the assets load") {
        Loaded::Motion(motion) => Some(motion),
        Loaded::Skeleton(_) => None,
    });
    let motion = motion.last().expect("a motion");
    let skeleton = motion.skeleton.imported.skeleton.clone();
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    motion.imported.clip.frame_pose(&skeleton, 0, &mut local);
    pose.compute(&skeleton, &local);
    let body = Arc::new(Body::grow(&skeleton));
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

/// Everything but the scene: colour and depth of the picture's size, cleared
/// with four samples a pixel and resolved; then text.
struct BareFrame {
    samples: wgpu::TextureView,
    depth: wgpu::TextureView,
    resolved: wgpu::TextureView,
    text: FrameData,
}

impl BareFrame {
    fn new(gpu: &Gpu) -> Self {
        let texture = |format, sample_count| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d {
                    width: SIZE[0],
                    height: SIZE[1],
                    depth_or_array_layers: 1,
                },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        let mut text = FrameData::default();
        text.look.ground = false;
        text.look.transparent = true;
        text.caption = Some("1280×720, 4 samples a pixel".into());
        Self {
            samples: texture(wgpu::TextureFormat::Rgba8UnormSrgb, 4),
            depth: texture(wgpu::TextureFormat::Depth32Float, 4),
            resolved: texture(wgpu::TextureFormat::Rgba8UnormSrgb, 1),
            text,
        }
    }

    fn draw(&self, gpu: &Gpu, offscreen: &mut Offscreen) {
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        drop(encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.samples,
                depth_slice: None,
                resolve_target: Some(&self.resolved),
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLUE),
                    store: wgpu::StoreOp::Discard,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..wgpu::RenderPassDescriptor::default()
        }));
        gpu.queue.submit([encoder.finish()]);
        offscreen.draw(gpu, &self.text).expect("a frame");
    }
}

fn frames(criterion: &mut Criterion) {
    let gpu = Gpu::offscreen().expect("an adapter");
    let mut offscreen = Offscreen::new(&gpu, SIZE, Quality::SOFTWARE).expect("a target");
    let mut group = criterion.benchmark_group(format!("frame on {}", gpu.info.name));
    group
        .measurement_time(Duration::from_secs(8))
        .sample_size(30);
    let mut means = Vec::new();
    let (bare, scene) = (BareFrame::new(&gpu), default_scene(1));
    for name in ["clear", "default"] {
        let (mut spent, mut count) = (Duration::ZERO, 0u32);
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                let start = Instant::now();
                for _ in 0..iterations {
                    match name {
                        "clear" => bare.draw(&gpu, &mut offscreen),
                        _ => offscreen.draw(&gpu, &scene).expect("a frame"),
                    }
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
        bencher.iter(|| Body::grow(&skeleton));
    });
    group.finish();
}

criterion_group!(benches, frames, processor_share, growing);
criterion_main!(benches);
