//! A garment between the measures of its body and its sheet: it is smoothed and
//! put outside of the skin, and only then are its threads measured. So it
//! begins at rest, wherever the measures were wrong.

use glam::{Vec3, Vec3A};

use super::super::anchor::nearest_skin;
use crate::{
    cloth::{Sheet, Weave},
    collide::{Bounds, MovingMesh, triangles_cross},
};

/// Rounds of smoothing, each followed by a way out of the skin.
const ROUNDS: usize = 8;

/// Shortest link of a kind as a share of their mean: where the skin has pushed
/// vertices together, a shorter one would be strained by next to nothing.
const SHORTEST: f32 = 0.5;

/// Rounds in which what the skin passes through is lifted, and by how much in
/// each: some centimetres at most.
const LIFTS: usize = 16;
const LIFT_M: f32 = 0.002;

/// Whether any triangle of the skin passes through one of a garment.
fn passes(mesh: &MovingMesh, own: [Vec3A; 3]) -> bool {
    let around = Bounds {
        low: own[0].min(own[1]).min(own[2]),
        high: own[0].max(own[1]).max(own[2]),
    };
    let mut through = false;
    mesh.query(&around, |triangle| {
        let skin = mesh.shape().corners(triangle, &mesh.end);
        through = through || triangles_cross(own, skin);
    });
    through
}

/// What a tailor has cut.
pub(in crate::scene::cloth) struct Cut {
    /// World space.
    pub positions: Vec<Vec3>,
    pub quads: Vec<[u32; 4]>,
    pub pins: Vec<u32>,
    /// Least distance of every vertex from the skin.
    pub ease_m: Vec<f32>,
    pub density_kg_m2: f32,
}

impl Cut {
    /// Outside of the skin, and sewn.
    pub fn fitted(mut self, mesh: Option<&MovingMesh>) -> Sheet {
        if let Some(mesh) = mesh {
            let neighbours = self.neighbours();
            for _ in 0..ROUNDS {
                self.smooth(&neighbours);
                self.ease(mesh);
            }
            self.lift(mesh, &neighbours);
        }
        let mut sheet = Sheet::net(self.positions, &self.quads);
        let least_m = least_by_kind(&sheet.weave);
        if let Weave::Net { links, .. } = &mut sheet.weave {
            for link in links {
                link.rest_m = link.rest_m.max(least_m[link.kind as usize]);
            }
        }
        sheet.pins = self.pins;
        sheet.density_kg_m2 = self.density_kg_m2;
        sheet
    }

    /// Along the sides of the cells; of the rims none, which would shrink.
    fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut sides = std::collections::BTreeMap::<[u32; 2], u32>::new();
        for quad in &self.quads {
            for side in 0..4 {
                let (a, b) = (quad[side], quad[(side + 1) % 4]);
                *sides.entry([a.min(b), a.max(b)]).or_default() += 1;
            }
        }
        let mut neighbours = vec![Vec::new(); self.positions.len()];
        let mut rim = vec![false; self.positions.len()];
        for ([a, b], cells) in sides {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
            if cells < 2 {
                rim[a as usize] = true;
                rim[b as usize] = true;
            }
        }
        let own = neighbours.iter_mut().zip(rim);
        own.filter(|(_, rim)| *rim).for_each(|(own, _)| own.clear());
        neighbours
    }

    fn smooth(&mut self, neighbours: &[Vec<u32>]) {
        let before = self.positions.clone();
        let own = self.positions.iter_mut().zip(neighbours);
        for (at, own) in own.filter(|(_, own)| !own.is_empty()) {
            let sum: Vec3 = own.iter().map(|&other| before[other as usize]).sum();
            *at = at.lerp(sum / own.len() as f32, 0.5);
        }
    }

    /// Cells between vertices too: what the skin still passes through goes further
    /// out.
    fn lift(&mut self, mesh: &MovingMesh, neighbours: &[Vec<u32>]) {
        for _ in 0..LIFTS {
            let mut lifted = vec![false; self.positions.len()];
            for quad in &self.quads {
                let at = |corner: usize| Vec3A::from(self.positions[quad[corner] as usize]);
                // Whichever way the cell will be cut in two.
                let halves = [[0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3]];
                let through = halves.into_iter().any(|half| passes(mesh, half.map(at)));
                if through {
                    quad.iter().for_each(|&it| lifted[it as usize] = true);
                }
            }
            if !lifted.contains(&true) {
                break;
            }
            for (ease_m, _) in self.ease_m.iter_mut().zip(&lifted).filter(|it| *it.1) {
                *ease_m += LIFT_M;
            }
            let own = neighbours.iter().zip(&lifted);
            let own = own.map(|(own, &lifted)| if lifted { own.clone() } else { Vec::new() });
            self.smooth(&own.collect::<Vec<_>>());
            self.ease(mesh);
        }
    }

    fn ease(&mut self, mesh: &MovingMesh) {
        for (at, &ease_m) in self.positions.iter_mut().zip(&self.ease_m) {
            let Some(nearest) = nearest_skin(mesh, Vec3A::from(*at)) else {
                continue;
            };
            if nearest.distance_m < ease_m {
                *at = (nearest.point + nearest.normal * ease_m).into();
            }
        }
    }
}

fn least_by_kind(weave: &Weave) -> [f32; 3] {
    let (mut sums, mut counts) = ([0.0f32; 3], [0.0f32; 3]);
    if let Weave::Net { links, .. } = weave {
        for link in links {
            sums[link.kind as usize] += link.rest_m;
            counts[link.kind as usize] += 1.0;
        }
    }
    [0, 1, 2].map(|kind| SHORTEST * sums[kind] / counts[kind].max(1.0))
}
