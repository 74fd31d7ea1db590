//! What a picture costs, against what no picture costs.
//!
//! In one run on one adapter: the default scene at 1280×720 with 4× MSAA and
//! shadows beside a frame that only clears with the same MSAA, resolves and
//! draws text; the processor's share for 1, 64 and 1024 characters beyond
//! evaluating their poses; growing a body.

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
    clip::RawClip,
    load::{self, LoadOptions},
    render::{Gpu, Offscreen, Quality},
    scene::{Character, FrameData, Scene},
    skeleton::{LocalPose, ModelPose, Skeleton},
};

const SIZE: [u32; 2] = [1280, 720];

/// The built-in performer, standing idle.
struct Performer {
    skeleton: Arc<Skeleton>,
    clip: Arc<RawClip>,
    body: Arc<Body>,
}

impl Performer {
    fn load() -> Self {
        let motion = load::performer_clip("idle", LoadOptions::default());
        let motion = motion.expect("the assets load").expect("a clip");
        let skeleton = Arc::new(motion.skeleton().clone());
        Self {
            body: Arc::new(Body::grow(&skeleton)),
            clip: Arc::clone(motion.raw()),
            skeleton,
        }
    }

    fn character(&self) -> Character {
        let (skeleton, body) = (Arc::clone(&self.skeleton), Arc::clone(&self.body));
        Character::playing("performer", skeleton, body, Arc::clone(&self.clip) as _)
    }

    /// A crowd in rows of 32.
    fn crowd(&self, characters: usize) -> Scene {
        let character = |index: usize| {
            let mut character = self.character();
            // No labels: what is measured is the crowd.
            character.name.clear();
            character.offset = Vec3::new((index % 32) as f32, 0.0, (index / 32) as f32);
            character.advance_to(index as f64 / self.clip.fps);
            character
        };
        let mut scene = Scene::default();
        scene.characters.extend((0..characters).map(character));
        scene
    }
}

fn default_scene() -> FrameData {
    let mut scene = Scene::of(Performer::load().character().measured());
    scene.camera.aspect = 16.0 / 9.0;
    scene.frame_all();
    let mut frame = FrameData::default();
    scene.compose(&mut frame);
    frame
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
    let (bare, scene) = (BareFrame::new(&gpu), default_scene());
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

/// From poses to a recorded frame: building FrameData (palettes, occluders,
/// bounds), copying it to where the GPU fetches it, recording all commands.
/// Not in it: evaluating the poses, and the GPU's own work. Uploads are carried
/// out between measurements, as every drawn frame does, so that their memory
/// comes back.
fn processor_share(criterion: &mut Criterion) {
    let gpu = Gpu::offscreen().expect("an adapter");
    let mut offscreen = Offscreen::new(&gpu, [64, 64], Quality::SOFTWARE_MOVING).expect("a target");
    let performer = Performer::load();
    let mut frame = FrameData::default();
    let mut group = criterion.benchmark_group("build and encode");
    let mut means = Vec::new();
    for characters in [1, 64, 1024] {
        let scene = performer.crowd(characters);
        let (mut spent, mut count) = (Duration::ZERO, 0u32);
        group.throughput(Throughput::Elements(characters as u64));
        group.bench_function(BenchmarkId::from_parameter(characters), |bencher| {
            bencher.iter_custom(|iterations| {
                let mut elapsed = Duration::ZERO;
                for _ in 0..iterations {
                    let start = Instant::now();
                    scene.compose(&mut frame);
                    let recorded = black_box(offscreen.record(&gpu, &frame));
                    elapsed += start.elapsed();
                    drop(recorded);
                    gpu.queue.submit([]);
                    let all = wgpu::PollType::wait_indefinitely();
                    gpu.device.poll(all).expect("the uploads end");
                }
                spent += elapsed;
                count += iterations as u32;
                elapsed
            });
        });
        if count > 0 {
            means.push(spent.as_secs_f64() * 1e6 / f64::from(count));
        }
    }
    group.finish();
    if let [one, many, crowd] = means[..] {
        println!(
            "1 character {one:.0} µs; each further one {:.2} µs up to 64, {:.2} µs up to 1024; \
             all in all {:.2} and {:.2} µs a character",
            (many - one) / 63.0,
            (crowd - many) / 960.0,
            many / 64.0,
            crowd / 1024.0
        );
    }
}

/// What [`processor_share`] leaves out, for comparison.
fn evaluation(criterion: &mut Criterion) {
    let performer = Performer::load();
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    let mut frame = 0;
    criterion.bench_function("evaluate a pose", |bencher| {
        bencher.iter(|| {
            frame = (frame + 1) % performer.clip.frames();
            let skeleton = &performer.skeleton;
            performer.clip.frame_pose(skeleton, frame, &mut local);
            pose.compute(skeleton, &local);
        });
    });
}

fn growing(criterion: &mut Criterion) {
    let performer = Performer::load();
    let mut group = criterion.benchmark_group("body");
    group.sample_size(10);
    group.bench_function("grow 31 bones", |bencher| {
        bencher.iter(|| Body::grow(&performer.skeleton));
    });
    group.finish();
}

criterion_group!(benches, frames, processor_share, evaluation, growing);
criterion_main!(benches);
