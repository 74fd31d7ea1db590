//! Scenes drawn by chance: meshes with sharp corners and thin limbs fly through
//! sheets at up to 10 m/s.
//!
//! The meshes are convex, so that depth and passage can be told by their planes
//! alone, without anything that contact itself uses: no vertex may be more than
//! 2 mm inside at the end of a step, and none may come out by a face that looks
//! away from the one it came in by. A sheet that is held has nowhere to go and
//! may be given up; a free one may not.

use glam::{Quat, Vec2, Vec3, Vec3A};
use rayon::prelude::*;
use std::sync::Arc;

use crate::{
    cloth::{Around, Cloth, ClothSettings, STEP_SECS, Sheet, StepOutcome, crossings},
    collide::{MeshShape, MovingMesh},
    testing::Random,
};

const STEPS: usize = 40;

fn vector(random: &mut Random, reach: f32) -> Vec3A {
    Vec3A::from_array([(); 3].map(|()| random.between(-reach, reach)))
}

/// A ball of latitudes and longitudes, or with few of them something with
/// corners; stretched to its size.
fn solid(random: &mut Random) -> (Vec<Vec3A>, Vec<[u32; 3]>) {
    let sides = [3, 4, 6, 12, 20][(random.bits() % 5) as usize];
    let rings = 1 + (random.bits() % 9) as usize;
    let size = Vec3A::from_array([(); 3].map(|()| random.between(0.008, 0.25)));
    let turn = Quat::from_scaled_axis(vector(random, 3.0).into());
    let mut places = vec![Vec3A::Y, Vec3A::NEG_Y];
    for ring in 1..=rings {
        let (sin, cos) = (ring as f32 / (rings + 1) as f32 * std::f32::consts::PI).sin_cos();
        for side in 0..sides {
            let around = side as f32 / sides as f32 * std::f32::consts::TAU;
            places.push(Vec3A::new(sin * around.sin(), cos, sin * around.cos()));
        }
    }
    let at = |ring: usize, side: usize| (2 + ring * sides + side % sides) as u32;
    let mut triangles = Vec::new();
    for side in 0..sides {
        triangles.push([0, at(0, side), at(0, side + 1)]);
        triangles.push([1, at(rings - 1, side + 1), at(rings - 1, side)]);
        for ring in 1..rings {
            let (a, b) = (at(ring - 1, side), at(ring - 1, side + 1));
            let (c, d) = (at(ring, side), at(ring, side + 1));
            triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    (
        places.into_iter().map(|it| turn * (it * size)).collect(),
        triangles,
    )
}

struct Scene {
    cloth: Cloth,
    shape: Arc<MeshShape>,
    /// Planes of the faces: unit normal and offset, in the mesh's own space.
    planes: Vec<(Vec3A, f32)>,
    places: Vec<Vec3A>,
    from: Vec3A,
    velocity: Vec3A,
    held: bool,
}

impl Scene {
    fn new(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let (places, triangles) = solid(random);
        let shape = Arc::new(MeshShape::new(&places, &triangles));
        let planes = (0..shape.triangles().len() as u32).map(|it| {
            let normal = shape.area_normal(it, &places).normalize_or_zero();
            (normal, normal.dot(shape.corners(it, &places)[0]))
        });
        let planes: Vec<_> = planes.filter(|(normal, _)| normal.length() > 0.5).collect();
        let count = [6 + random.bits() % 20, 6 + random.bits() % 20].map(|n| n as usize);
        let turn = Quat::from_scaled_axis(vector(random, 3.0).into());
        let metres = Vec2::new(random.between(0.3, 1.0), random.between(0.3, 1.0));
        let mut sheet = Sheet::rectangle(count, metres, |share| {
            Vec3::Y + turn * ((share - 0.5) * metres).extend(0.0)
        });
        let held = random.bits().is_multiple_of(4);
        if held {
            sheet.pins = (0..count[0] as u32).collect();
        }
        let settings = ClothSettings {
            friction: random.between(0.0, 1.0),
            ..ClothSettings::default()
        };
        let direction = vector(random, 1.0).normalize_or(Vec3A::X);
        let velocity = direction * random.between(0.5, 10.0);
        let reach = places.iter().map(|it| it.length()).fold(0.0, f32::max);
        let aim = Vec3A::Y + vector(random, 0.15);
        let mut scene = Self {
            cloth: Cloth::new(sheet, settings).unwrap(),
            shape,
            planes,
            places,
            from: aim,
            velocity,
            held,
        };
        // It begins outside of the sheet, by what the sheet keeps and more.
        while !scene.begins_clear(reach) {
            scene.from -= direction * 0.02;
        }
        scene
    }

    /// Whether all of the sheet is outside of the mesh, edges and all.
    fn begins_clear(&self, reach_m: f32) -> bool {
        let mesh = MovingMesh::new(
            Arc::clone(&self.shape),
            self.places.iter().map(|&it| it + self.from).collect(),
        );
        let near = |at: Vec3| (Vec3A::from(at) - self.from).length() < reach_m + 0.5;
        let outside = |at: Vec3| self.depth_m(Vec3A::from(at) - self.from) < -0.01;
        let mut positions = self.cloth.positions().filter(|&at| near(at));
        positions.all(outside) && crossings(&self.cloth, &mesh).is_empty()
    }

    fn at(&self, step: f32) -> Vec3A {
        self.from + self.velocity * (step * STEP_SECS)
    }

    fn depth_m(&self, local: Vec3A) -> f32 {
        let gaps = self
            .planes
            .iter()
            .map(|(normal, off)| off - normal.dot(local));
        gaps.fold(f32::INFINITY, f32::min)
    }

    /// Whether a straight way goes in by one face and out by one that looks away
    /// from it.
    fn passes(&self, from: Vec3A, to: Vec3A) -> bool {
        let (mut entry, mut exit) = ((0.0f32, None), (1.0f32, None));
        for &(normal, off) in &self.planes {
            let (a, b) = (normal.dot(from) - off, normal.dot(to) - off);
            if a > 0.0 && b > 0.0 {
                return false;
            }
            let share = a / (a - b);
            if a > 0.0 && share >= entry.0 {
                entry = (share, Some(normal));
            } else if b > 0.0 && share <= exit.0 {
                exit = (share, Some(normal));
            }
        }
        match (entry.1, exit.1) {
            (Some(a), Some(b)) => entry.0 < exit.0 && a.dot(b) < -0.1,
            _ => false,
        }
    }

    /// Whether it was given up, and whether it met anything.
    fn run(mut self) -> Result<(bool, bool), String> {
        let place = |scene: &Self, step: f32| -> Vec<Vec3A> {
            let by = scene.at(step);
            scene.places.iter().map(|&it| it + by).collect()
        };
        let mut mesh = MovingMesh::new(Arc::clone(&self.shape), place(&self, 0.0));
        let mut met = false;
        for step in 0..STEPS {
            let (start, end) = (step as f32, step as f32 + 1.0);
            let places = place(&self, end);
            mesh.advance(|out| out.copy_from_slice(&places));
            let local = |scene: &Self, cloth: &Cloth, share: f32| -> Vec<Vec3A> {
                let off = scene.at(start + share * (end - start));
                cloth.positions().map(|at| Vec3A::from(at) - off).collect()
            };
            let mut before = local(&self, &self.cloth, 0.0);
            let mut fault = None;
            let around = Around {
                solids: &[],
                skin: Some(&mesh),
            };
            let mut cloth = self.cloth.clone();
            let outcome = cloth.step_watched(around, |cloth, share| {
                let now = local(&self, cloth, share);
                for vertex in (0..cloth.len()).filter(|&it| !cloth.is_pinned(it)) {
                    if self.passes(before[vertex], now[vertex]) {
                        fault = Some(format!("vertex {vertex} went through"));
                    }
                    let depth_m = self.depth_m(now[vertex]);
                    if share == 1.0 && depth_m > 0.002 {
                        fault = Some(format!("vertex {vertex} is {:.1} mm inside", depth_m * 1e3));
                    }
                }
                before = now;
            });
            met |= cloth.stats().contacts > 0;
            self.cloth = cloth;
            if outcome == StepOutcome::BlownUp {
                return match self.held {
                    true => Ok((true, met)),
                    false => Err(format!("step {step}: given up")),
                };
            }
            if let Some(fault) = fault {
                return Err(format!("step {step}: {fault}"));
            }
        }
        Ok((false, met))
    }
}

fn trials(seeds: std::ops::Range<u64>) {
    let count = seeds.end - seeds.start;
    let outcomes: Vec<_> = seeds
        .into_par_iter()
        .map(|seed| {
            let scene = Scene::new(seed);
            let says = format!(
                "seed {seed}, {} planes, {:.1} m/s, held {}",
                scene.planes.len(),
                scene.velocity.length(),
                scene.held
            );
            scene.run().map_err(|fault| format!("{fault}: {says}"))
        })
        .collect();
    let met = outcomes.iter().flatten().filter(|(_, met)| *met).count();
    let given_up = outcomes.iter().flatten().filter(|(up, _)| *up).count();
    let faults: Vec<_> = outcomes.iter().filter_map(|it| it.as_ref().err()).collect();
    let shown = &faults[..faults.len().min(30)];
    assert!(
        faults.is_empty(),
        "{} of {count}, {met} met, {given_up} given up: {shown:#?}",
        faults.len()
    );
    assert!(
        met as u64 > count / 3,
        "only {met} of {count} sheets were met"
    );
}

#[test]
fn meshes_drawn_by_chance_pass_no_vertex() {
    trials(0..8);
}

#[test]
#[ignore = "minutes, and the mark: 35 of 1,000 scenes still fail"]
fn a_thousand_meshes_drawn_by_chance_pass_no_vertex() {
    trials(0..1000);
}
