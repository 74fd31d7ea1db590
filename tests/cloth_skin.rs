//! Cloth on the skin itself, held to an exact question in every frame: does any
//! triangle of the sheet pass through one of the skin?
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::collections::BTreeSet;

use common::{
    corpus,
    drive::{driver, performance, performer},
};
use glam::Vec3A;
use kinetoscope::{
    body::{Body, BodyCache},
    collide::{Bounds, MovingMesh, triangles_cross},
    load::{LoadOptions, load},
    scene::{ClothContact, ClothInstance, ClothPreset, ClothSetup},
    skeleton::{Skeleton, WorldPose},
};

/// Walks, runs, strikes and jumps, and back.
const TOUR: &str = "0.3 press W\n1.2 press Shift\n1.5 click\n2.2 press Space\n2.6 release Shift\n\
    2.7 release W\n4.2 press S\n7.0 release S\n7.3 click\n8.0 press W\n8.3 press Shift\n8.8 press Space";
const RATE: f64 = 120.0;
/// What is nearer than this to a place where the skin crosses itself is counted
/// apart: no sheet can be outside both.
const SELF_M: f32 = 0.01;

/// World poses of the tour at every step.
fn tour(secs: f64) -> Vec<WorldPose> {
    let graph = performer();
    let mut driver = driver(&graph, TOUR, RATE);
    (0..=(secs * RATE) as usize)
        .map(|_| {
            let frame = driver.step();
            let mut pose = WorldPose::default();
            pose.place(frame.world_from_model, frame.model);
            pose
        })
        .collect()
}

fn bounds(corners: [Vec3A; 3], margin_m: f32) -> Bounds {
    Bounds {
        low: corners[0].min(corners[1]).min(corners[2]) - margin_m,
        high: corners[0].max(corners[1]).max(corners[2]) + margin_m,
    }
}

/// Whether the skin crosses itself within [`SELF_M`] of a place.
fn self_crossing_near(mesh: &MovingMesh, at: Vec3A) -> bool {
    let around = Bounds {
        low: at - SELF_M,
        high: at + SELF_M,
    };
    let mut near = Vec::new();
    mesh.query(&around, |triangle| near.push(triangle));
    let triangles = mesh.shape().triangles();
    near.iter().any(|&one| {
        let own = mesh.shape().corners(one, &mesh.end);
        let mut crossed = false;
        mesh.query(&bounds(own, 0.0), |other| {
            let shared = triangles[one as usize]
                .iter()
                .any(|v| triangles[other as usize].contains(v));
            crossed |= !shared && triangles_cross(own, mesh.shape().corners(other, &mesh.end));
        });
        crossed
    })
}

/// Metres of a point within the skin, by the nearest triangle within 5 cm.
fn depth_m(mesh: &MovingMesh, at: Vec3A) -> f32 {
    let around = Bounds {
        low: at - 0.05,
        high: at + 0.05,
    };
    let mut nearest: Option<f32> = None;
    mesh.query(&around, |triangle| {
        let found = mesh.shape().nearest_of(triangle, &mesh.end, at).distance_m;
        if nearest.is_none_or(|known: f32| found.abs() < known.abs() - 1e-7) {
            nearest = Some(found);
        }
    });
    -nearest.unwrap_or(f32::INFINITY)
}

#[derive(Default)]
struct Tally {
    steps: usize,
    crossed_steps: usize,
    crossings: usize,
    at_folds: usize,
    deepest_m: f32,
    deep: usize,
    stretch: f32,
    strained: usize,
    ms: f64,
    worst_ms: f64,
    triangles: BTreeSet<u32>,
    /// Where some of them are, from the root.
    places: Vec<String>,
}

impl Tally {
    fn look(&mut self, drape: &ClothInstance) {
        let mesh = drape.skin().expect("skin");
        self.steps += 1;
        let found = drape.crossings();
        let (folds, plain): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|it| self_crossing_near(mesh, it.at));
        self.at_folds += folds.len();
        self.crossings += plain.len();
        self.crossed_steps += usize::from(!plain.is_empty());
        self.triangles
            .extend(plain.iter().map(|it| it.mesh_triangle));
        let root = drape.pose().joints()[0].translation;
        if self.crossed_steps % 20 == 1 {
            let places = plain
                .iter()
                .step_by(plain.len() / 3 + 1)
                .map(|it| it.at - root);
            let steps = self.steps;
            self.places
                .extend(places.map(|it| format!("{steps}: {:.2} {:.2} {:.2}", it.x, it.y, it.z)));
        }
        let cloth = drape.cloth();
        if cloth.stats().max_stretch > 1.06 && self.strained.is_multiple_of(20) {
            let worst = (0..cloth.len())
                .max_by(|&a, &b| cloth.vertex_stretch(a).total_cmp(&cloth.vertex_stretch(b)));
            let at = Vec3A::from(cloth.position(worst.unwrap())) - root;
            self.places.push(format!(
                "{}: strained {:.2} {:.2} {:.2}",
                self.steps, at.x, at.y, at.z
            ));
        }
        for vertex in (0..cloth.len()).filter(|&vertex| !cloth.is_pinned(vertex)) {
            let at = Vec3A::from(cloth.position(vertex));
            let depth_m = depth_m(mesh, at);
            if depth_m > 0.002 {
                if self_crossing_near(mesh, at) {
                    continue;
                }
                self.deep += 1;
            }
            self.deepest_m = self.deepest_m.max(depth_m);
        }
        let stretch = cloth.stats().max_stretch;
        self.strained += usize::from(stretch > 1.06);
        self.stretch = self.stretch.max(stretch);
    }
}

fn wear(
    setup: ClothSetup,
    (skeleton, body): (&Skeleton, &Body),
    poses: &[WorldPose],
    every: usize,
) -> Tally {
    let mut drape = ClothInstance::new(setup, (skeleton, body), &poses[0], 0.0).unwrap();
    let mut tally = Tally::default();
    for (step, pose) in poses.iter().enumerate().skip(1) {
        let begun = std::time::Instant::now();
        drape.step(pose);
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        tally.ms += ms;
        tally.worst_ms = tally.worst_ms.max(ms);
        if step % every == 0 {
            tally.look(&drape);
        }
    }
    eprintln!(
        "{}: {} particles, {} looks; crossings {} in {} frames on {} triangles (at folds {}); \
         deepest {:.2} mm, {} over 2 mm; stretch {:.3}, {} over 1.06; {} put back; \
         step {:.2} ms mean, {:.2} worst",
        setup.preset,
        drape.cloth().len(),
        tally.steps,
        tally.crossings,
        tally.crossed_steps,
        tally.triangles.len(),
        tally.at_folds,
        tally.deepest_m * 1e3,
        tally.deep,
        tally.stretch,
        tally.strained,
        drape.blow_ups(),
        tally.ms / (poses.len() - 1) as f64,
        tally.worst_ms,
    );
    if !tally.places.is_empty() {
        eprintln!("  from the root: {}", tally.places.join(", "));
    }
    tally
}

fn on_skin(preset: ClothPreset) -> ClothSetup {
    ClothSetup {
        contact: ClothContact::Skin,
        ..ClothSetup::from(preset)
    }
}

/// What a garment is held to: no triangle through the skin at any frame, no
/// particle 2 mm deep, no thread drawn out by 6 %.
fn hold(tally: &Tally) {
    assert_eq!(tally.crossings, 0);
    assert_eq!(tally.deep, 0);
    assert_eq!(tally.strained, 0);
}

fn performer_wears(preset: ClothPreset, secs: f64, every: usize) {
    let graph = performer();
    let body = Body::grow(&graph.skeleton);
    hold(&wear(
        on_skin(preset),
        (&graph.skeleton, &body),
        &tour(secs),
        every,
    ));
}

#[test]
fn the_performer_in_a_skirt() {
    performer_wears(ClothPreset::Skirt, 0.7, 4);
}

#[test]
#[ignore = "minutes; a shorter run of the skirt is a test of its own"]
fn ten_seconds_of_the_performer_in_a_skirt() {
    performer_wears(ClothPreset::Skirt, 10.0, 1);
}

#[test]
fn the_performer_in_a_shirt() {
    performer_wears(ClothPreset::Shirt, 0.7, 6);
}

#[test]
fn the_performer_in_a_scarf() {
    performer_wears(ClothPreset::Scarf, 0.7, 6);
}

#[test]
#[ignore = "minutes; a shorter run is a test of its own"]
fn ten_seconds_of_the_performer_in_a_shirt() {
    performer_wears(ClothPreset::Shirt, 10.0, 2);
}

#[test]
#[ignore = "minutes; a shorter run is a test of its own"]
fn ten_seconds_of_the_performer_in_a_scarf() {
    performer_wears(ClothPreset::Scarf, 10.0, 2);
}

#[test]
#[ignore = "minutes; a shorter run of the skirt is a test of its own"]
fn ten_seconds_of_the_performer_in_a_cape() {
    performer_wears(ClothPreset::Cape, 10.0, 1);
}

/// Runs, is pushed over and falls, lies.
const FALL: &str = "0.2 press W\n0.4 press Shift\n1.5 ragdoll on\n1.5 push thorax 20 0 90\n\
    5.0 release W";

/// World poses of somebody who falls, at every step.
fn fall(secs: f64) -> Vec<WorldPose> {
    let graph = performer();
    let mut performance = performance(&graph, FALL, RATE);
    (0..=(secs * RATE) as usize)
        .map(|_| {
            performance.step();
            performance.character.world_pose().clone()
        })
        .collect()
}

const WORN: [ClothPreset; 4] = [
    ClothPreset::Skirt,
    ClothPreset::Shirt,
    ClothPreset::Scarf,
    ClothPreset::Cape,
];

/// All are tried before any is judged.
fn hold_all(tallies: &[Tally]) {
    tallies.iter().for_each(hold);
}

#[test]
#[ignore = "minutes"]
fn ten_seconds_of_a_ragdoll_in_all_garments() {
    let graph = performer();
    let body = Body::grow(&graph.skeleton);
    let poses = fall(10.0);
    let worn = WORN.map(|it| wear(on_skin(it), (&graph.skeleton, &body), &poses, 4));
    hold_all(&worn);
}

/// Captures of actors, a cartwheel and lying down among them.
const CAPTURES: [&str; 5] = [
    "cmu-usc520/49_08_cartwheel.amc",
    "hdm05/HDM_mm_lieDownFloor_016_120.amc",
    "cmu-usc520/131_04-dance.amc",
    "cmu-usc520/135_06-martialArts.amc",
    "cmu-usc520/09_06-run.amc",
];

#[test]
#[ignore = "minutes"]
fn captured_actors_in_all_garments() {
    let Some(folder) = corpus() else { return };
    let only = std::env::var("KINETOSCOPE_CAPTURE").unwrap_or_default();
    let mut bodies = BodyCache::default();
    let mut tallies = Vec::new();
    for path in CAPTURES.into_iter().filter(|path| path.contains(&only)) {
        let mut files = vec![folder.join(path)];
        // Its own skeleton is lost; all of this laboratory have the same joints.
        if path.contains("cartwheel") {
            files.push(folder.join("cmu-usc520/131-dance.asf"));
        }
        let outcomes = load(&files, LoadOptions::default());
        let motion = { outcomes.into_iter() }.find_map(|it| it.1.ok()?.into_motion());
        let motion = motion.unwrap_or_else(|| panic!("{path} does not load"));
        let character = motion.character(&mut bodies);
        let secs = character.duration_secs().min(10.0);
        let poses: Vec<_> = (0..=(secs * RATE) as usize)
            .map(|step| character.pose_at(step as f64 / RATE))
            .collect();
        eprintln!("{path}, {secs:.1} s");
        let dressed = (&*character.skeleton, &*character.body);
        tallies.extend(WORN.map(|it| wear(on_skin(it), dressed, &poses, 4)));
    }
    hold_all(&tallies);
}

/// Dropped over somebody who stands: what hangs on nothing.
#[test]
#[ignore = "a minute"]
fn a_blanket_over_the_performer() {
    let graph = performer();
    let body = Body::grow(&graph.skeleton);
    let poses = vec![tour(0.1)[0].clone(); 480];
    let tally = wear(
        on_skin(ClothPreset::Blanket),
        (&graph.skeleton, &body),
        &poses,
        4,
    );
    hold(&tally);
}

/// One thread, two, or as many as there are; and as often as it is shown.
#[test]
fn threads_and_the_rate_of_display_change_nothing() {
    let graph = performer();
    let body = Body::grow(&graph.skeleton);
    let poses = tour(0.35);
    let shown = |threads: usize, fps: f64| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let setup = on_skin(ClothPreset::Skirt);
            let mut drape =
                ClothInstance::new(setup, (&graph.skeleton, &body), &poses[0], 0.0).unwrap();
            for frame in 0..=(0.3 * fps) as usize {
                drape.advance_to(frame as f64 / fps, |secs| {
                    poses[(secs * RATE).round() as usize].clone()
                });
            }
            let numbers = drape.cloth().positions().flat_map(|at| at.to_array());
            numbers.map(f32::to_bits).collect::<Vec<_>>()
        })
    };
    let one = shown(1, 30.0);
    assert!(
        one == shown(2, 60.0),
        "two threads, or 60 frames a second, differ"
    );
    assert!(one == shown(5, 30.0), "five threads differ");
}
