//! Our sheets beside the published algorithm written plainly, in one run.
//!
//! The reference is position based dynamics over an array of structures:
//! Gauss–Seidel over pairs of indices, every point against three boxes in every
//! pass, normals summed over triangles. Both hang 2 m × 2 m by the top edge
//! with the same constraints, passes and boxes, one of which sways through the
//! sheet. The reference steps at 60 Hz, as the display it was tied to.

#![allow(clippy::expect_used, clippy::print_stdout)] // a bench without its sheet cannot go on

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::{EulerRot, Mat3, Quat, Vec2, Vec3};
use kinetoscope::{
    body::Body,
    cloth::{Cloth, ClothSettings, Sheet, StepOutcome},
    collide::{Collider, Obb},
    load::{self, LoadOptions},
    math::Transform,
    scene::{Character, ClothContact, ClothKnobs, ClothLook, ClothPreset, Scene},
};

const SIZE_M: f32 = 2.0;

fn start(side: usize, row: usize, column: usize) -> Vec3 {
    let share = |index: usize| index as f32 / (side - 1) as f32;
    Vec3::new(
        (share(column) - 0.5) * SIZE_M,
        2.2 - share(row) * SIZE_M,
        0.0,
    )
}

/// Where the body stands after some seconds.
fn body_at(secs: f32) -> Vec3 {
    Vec3::new(0.0, 0.9, 0.45 - 0.75 * (1.3 * secs).sin().max(0.0))
}

const BODY: Vec3 = Vec3::new(0.25, 0.9, 0.15);

fn still_boxes() -> [(Transform, Vec3); 2] {
    let tumbled = Quat::from_euler(EulerRot::XYZ, 0.4, 0.5, 0.6);
    [
        (
            Transform::from_translation(Vec3::new(0.0, -0.5, 0.0)),
            Vec3::new(5.0, 0.5, 5.0),
        ),
        (
            Transform::new(tumbled, Vec3::new(0.6, 0.3, 0.6)),
            Vec3::splat(0.25),
        ),
    ]
}

#[derive(Clone, Copy)]
struct Point {
    position: Vec3,
    previous: Vec3,
    velocity: Vec3,
    normal: Vec3,
    inverse_mass: f32,
}

struct Spring {
    a: usize,
    b: usize,
    rest: f32,
}

struct Block {
    rotation: Mat3,
    centre: Vec3,
    half: Vec3,
}

/// The published algorithm.
struct Reference {
    side: usize,
    points: Vec<Point>,
    springs: Vec<Spring>,
    boxes: Vec<Block>,
    secs: f32,
}

impl Reference {
    fn new(side: usize) -> Self {
        let mut points = Vec::new();
        for row in 0..side {
            for column in 0..side {
                let position = start(side, row, column);
                points.push(Point {
                    position,
                    previous: position,
                    velocity: Vec3::ZERO,
                    normal: Vec3::Z,
                    inverse_mass: if row == 0 { 0.0 } else { 1.0 },
                });
            }
        }
        let mut springs = Vec::new();
        let mut join = |a: usize, b: usize| {
            let rest = points[a].position.distance(points[b].position);
            springs.push(Spring { a, b, rest });
        };
        for row in 0..side {
            for column in 0..side {
                let at = row * side + column;
                let (right, down) = (column + 1 < side, row + 1 < side);
                if right {
                    join(at, at + 1);
                }
                if down {
                    join(at, at + side);
                }
                if right && down {
                    join(at, at + side + 1);
                    join(at + 1, at + side);
                }
                if column + 2 < side {
                    join(at, at + 2);
                }
                if row + 2 < side {
                    join(at, at + 2 * side);
                }
            }
        }
        let block = |(place, half): (Transform, Vec3)| Block {
            rotation: Mat3::from_quat(place.rotation),
            centre: place.position(),
            half,
        };
        let body = (Transform::from_translation(body_at(0.0)), BODY);
        let boxes = std::iter::once(body).chain(still_boxes()).map(block);
        Self {
            side,
            points,
            springs,
            boxes: boxes.collect(),
            secs: 0.0,
        }
    }

    fn step(&mut self, dt: f32, iterations: usize) {
        self.secs += dt;
        if let Some(body) = self.boxes.first_mut() {
            body.centre = body_at(self.secs);
        }
        for point in &mut self.points {
            point.previous = point.position;
            if point.inverse_mass > 0.0 {
                point.velocity += Vec3::new(0.0, -9.81, 0.0) * dt;
                point.velocity *= 0.99;
                point.position += point.velocity * dt;
            }
        }
        for _ in 0..iterations {
            for spring in &self.springs {
                let (a, b) = (self.points[spring.a], self.points[spring.b]);
                let along = b.position - a.position;
                let length = along.length();
                let give = a.inverse_mass + b.inverse_mass;
                if give > 0.0 && length > 0.0 {
                    let pull = along * ((length - spring.rest) / (length * give));
                    self.points[spring.a].position += pull * a.inverse_mass;
                    self.points[spring.b].position -= pull * b.inverse_mass;
                }
            }
            for point in &mut self.points {
                if point.inverse_mass > 0.0 {
                    self.boxes.iter().for_each(|block| push_out(point, block));
                }
            }
        }
        for point in &mut self.points {
            point.velocity = (point.position - point.previous) / dt;
            point.normal = Vec3::ZERO;
        }
        self.normals();
    }

    fn normals(&mut self) {
        let side = self.side;
        for row in 1..side {
            for column in 1..side {
                let d = row * side + column;
                let (a, b, c) = (d - side - 1, d - side, d - 1);
                for [i, j, k] in [[a, c, d], [a, d, b]] {
                    let [p, q, r] = [i, j, k].map(|index| self.points[index].position);
                    let area = (q - p).cross(r - p);
                    for index in [i, j, k] {
                        self.points[index].normal += area;
                    }
                }
            }
        }
        for point in &mut self.points {
            point.normal = point.normal.normalize_or_zero();
        }
    }

    fn stretch(&self) -> f32 {
        let gap = SIZE_M / (self.side - 1) as f32;
        let threads = self.springs.iter().filter(|s| s.rest < 1.2 * gap);
        let share = |s: &Spring| {
            let [a, b] = [s.a, s.b].map(|index| self.points[index].position);
            a.distance(b) / s.rest
        };
        threads.map(share).fold(0.0, f32::max)
    }
}

/// The target is on the nearest face.
fn push_out(point: &mut Point, block: &Block) {
    let local = block.rotation.transpose() * (point.position - block.centre);
    let inside = block.half - local.abs();
    if inside.min_element() <= 0.0 {
        return;
    }
    let mut target = local;
    if inside.x < inside.y && inside.x < inside.z {
        target.x = block.half.x.copysign(local.x);
    } else if inside.y < inside.z {
        target.y = block.half.y.copysign(local.y);
    } else {
        target.z = block.half.z.copysign(local.z);
    }
    point.position = block.rotation * target + block.centre;
}

/// Ours among the same boxes.
struct Ours {
    cloth: Cloth,
    steps: u32,
}

impl Ours {
    fn new(side: usize, settings: ClothSettings) -> Self {
        let mut sheet = Sheet::rectangle([side, side], Vec2::splat(SIZE_M), |share| {
            Vec3::new((share.x - 0.5) * SIZE_M, 2.2 - share.y * SIZE_M, 0.0)
        });
        sheet.pins = (0..side as u32).collect();
        Self {
            cloth: Cloth::new(sheet, settings).expect("a sheet"),
            steps: 0,
        }
    }

    fn step(&mut self) {
        let secs = |steps: u32| steps as f32 / 120.0;
        let place = |steps| Transform::from_translation(body_at(secs(steps)));
        let body = Obb::new(Transform::IDENTITY, BODY);
        let still = still_boxes().map(|(place, half)| Collider::fixed(Obb::new(place, half)));
        let moving = Collider::moving(body, place(self.steps), place(self.steps + 1));
        self.steps += 1;
        let outcome = self.cloth.step(&[moving, still[0], still[1]]);
        assert_eq!(outcome, StepOutcome::Fine, "step {}", self.steps);
    }
}

/// Least seconds of a step over some, after some to settle: what else the
/// machine does can only add.
fn least_secs(steps: usize, mut step: impl FnMut()) -> f64 {
    (0..steps).for_each(|_| step());
    let timed = (0..steps).map(|_| {
        let begun = Instant::now();
        step();
        begun.elapsed().as_secs_f64()
    });
    timed.fold(f64::INFINITY, f64::min)
}

fn published(iterations: u32) -> ClothSettings {
    ClothSettings {
        iterations,
        ..ClothSettings::published()
    }
}

fn at_40(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cloth 40x40");
    let (warm_up, time) = (Duration::from_millis(500), Duration::from_secs(2));
    group.warm_up_time(warm_up).measurement_time(time);
    let mut reference = Reference::new(40);
    group.bench_function("reference", |bencher| {
        bencher.iter(|| black_box(&mut reference).step(1.0 / 60.0, 5));
    });
    for (name, settings) in [("PBD", published(5)), ("XPBD", ClothSettings::default())] {
        let mut ours = Ours::new(40, settings);
        group.bench_function(name, |bencher| bencher.iter(|| black_box(&mut ours).step()));
    }
    group.finish();
    claims();
}

/// The claims at 40×40 in two lines: least seconds of a step, and how far the
/// longest thread is drawn out, at rest and by the box.
fn claims() {
    let mut reference = Reference::new(40);
    let (mut pbd, mut xpbd) = (
        Ours::new(40, published(5)),
        Ours::new(40, ClothSettings::default()),
    );
    let plain = least_secs(300, || reference.step(1.0 / 60.0, 5));
    let fast = least_secs(300, || pbd.step());
    let small = least_secs(300, || xpbd.step());
    println!(
        "40×40: reference {:.0} µs, PBD {:.0} µs = {:.1} × faster, XPBD {:.0} µs = {:.2} × the \
         reference",
        plain * 1e6,
        fast * 1e6,
        plain / fast,
        small * 1e6,
        small / plain
    );
    let mut hanging = Reference::new(40);
    hanging.boxes.clear();
    let (mut reference, mut xpbd) = (Reference::new(40), Ours::new(40, ClothSettings::default()));
    let mut most = [0.0f32; 3];
    for _ in 0..600 {
        hanging.step(1.0 / 60.0, 5);
        reference.step(1.0 / 60.0, 5);
        xpbd.step();
        xpbd.step();
        let stretches = [
            hanging.stretch(),
            reference.stretch(),
            xpbd.cloth.stats().max_stretch,
        ];
        most = std::array::from_fn(|index| most[index].max(stretches[index]));
    }
    println!(
        "40×40, most stretch in 10 s: reference that only hangs {:.3} (at rest {:.3}), reference \
         met by the box {:.3}, XPBD met by the box {:.3}",
        most[0],
        hanging.stretch(),
        most[1],
        most[2]
    );
}

/// Cost a particle from 1,024 to 65,536 of them.
fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cloth by size");
    let (warm_up, time) = (Duration::from_millis(500), Duration::from_secs(2));
    group.warm_up_time(warm_up).measurement_time(time);
    group.sample_size(10);
    for side in [32usize, 64, 128, 256] {
        group.throughput(Throughput::Elements((side * side) as u64));
        let mut ours = Ours::new(side, ClothSettings::default());
        group.bench_function(BenchmarkId::new("XPBD", side), |bencher| {
            bencher.iter(|| ours.step());
        });
    }
    group.finish();
}

/// The largest sheet on one thread and on two; the same bits.
fn threads(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cloth 256x256 by threads");
    let (warm_up, time) = (Duration::from_millis(500), Duration::from_secs(2));
    group.warm_up_time(warm_up).measurement_time(time);
    group.sample_size(10);
    for threads in [1usize, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("threads");
        let mut ours = Ours::new(256, ClothSettings::default());
        group.bench_function(threads.to_string(), |bencher| {
            bencher.iter(|| pool.install(|| ours.step()));
        });
    }
    group.finish();
}

/// The table of the published page: milliseconds by size and passes.
fn table(_: &mut Criterion) {
    println!("| side | passes | reference | PBD | ratio |\n|---|---|---|---|---|");
    for side in [10, 15, 20, 25, 30, 35, 40] {
        for passes in 1..=5 {
            let mut reference = Reference::new(side);
            let mut ours = Ours::new(side, published(passes));
            let plain = least_secs(60, || reference.step(1.0 / 60.0, passes as usize));
            let fast = least_secs(60, || ours.step());
            println!(
                "| {side} | {passes} | {:.3} ms | {:.3} ms | {:.1} |",
                plain * 1e3,
                fast * 1e3,
                plain / fast
            );
        }
    }
}

/// A cape of some particles on the running performer, against every triangle of
/// the skin: milliseconds of a frame at 60 Hz, which is two steps, the pose of the
/// character included. Median over a second of the run.
fn on_the_skin(_: &mut Criterion) {
    let mut each_us = Vec::new();
    // A cape has as many particles as a square of the side named, to a percent or two.
    for (side, columns) in [
        (32usize, 28usize),
        (64, 55),
        (100, 87),
        (128, 111),
        (256, 222),
    ] {
        let mut scene = caped(columns);
        for _ in 0..30 {
            scene.step(1.0 / 60.0);
        }
        let mut frames: Vec<f64> = (0..60)
            .map(|_| {
                let begun = Instant::now();
                scene.step(1.0 / 60.0);
                begun.elapsed().as_secs_f64()
            })
            .collect();
        frames.sort_by(f64::total_cmp);
        let (median, worst) = (frames[30], frames[59]);
        let drape = scene.cloth.cloth().expect("hangs");
        let (particles, stats) = (drape.cloth().len(), drape.cloth().stats());
        let triangles = drape
            .skin()
            .map_or(0, |mesh| mesh.shape().triangles().len());
        each_us.push(median * 1e6 / particles as f64);
        println!(
            "{side}² on the skin: {particles} particles, {triangles} triangles, frame {:.2} ms \
             median, {:.2} worst, {:.3} µs a particle; {} touch, {} substeps",
            median * 1e3,
            worst * 1e3,
            median * 1e6 / particles as f64,
            stats.contacts,
            stats.substeps,
        );
    }
    if let (Some(first), Some(last)) = (each_us.first(), each_us.last()) {
        println!("a particle of 256² costs {:.2} × one of 32²", last / first);
    }
}

fn caped(columns: usize) -> Scene {
    let motion = load::performer_clip("run", LoadOptions::default());
    let motion = motion.expect("the assets load").expect("a clip");
    let skeleton = Arc::new(motion.skeleton().clone());
    let body = Arc::new(Body::grow(&skeleton));
    let clip = Arc::clone(motion.raw());
    let mut scene = Scene::of(Character::playing("performer", skeleton, body, clip as _));
    scene.clock.playing = true;
    let mut knobs = ClothKnobs::of(Some(ClothPreset::Cape), ClothLook::default());
    knobs.columns = columns;
    knobs.contact = ClothContact::Skin;
    scene.cloth.set(knobs);
    scene.hang_cloth();
    scene
}

criterion_group!(benches, at_40, growth, threads, on_the_skin, table);
criterion_main!(benches);
