//! Triangles that hang together and move, such as the skin of a body.
//!
//! [`MeshShape`] is what does not change: triangles, their neighbours, and
//! which parts are closed. [`MovingMesh`] adds where the vertices are at both
//! ends of a step, and a tree of boxes around the ways of the triangles.

use std::{collections::HashMap, sync::Arc};

use glam::Vec3A;

use super::{Bounds, BoxTree, Feature, nearest_on_triangle};

/// No triangle.
pub const NO_TRIANGLE: u32 = u32::MAX;
/// Most triangles that a walk to the nearest point passes.
const LONGEST_WALK: usize = 12;
/// A walk inside a solid does not turn further than this from where it faced:
/// else a point that came in by one side of an edge would leave by the other.
const INSIDE_TURN: f32 = 0.4;

/// Triangles and how they hang together.
#[derive(Clone, Debug, Default)]
pub struct MeshShape {
    triangles: Vec<[u32; 3]>,
    /// Across the edge from each corner to the next.
    across: Vec<[u32; 3]>,
    /// Whether nothing is open in the part that the triangle belongs to.
    closed: Vec<bool>,
    /// Triangles around each vertex, one after the other.
    fan_starts: Vec<u32>,
    fans: Vec<u32>,
}

/// The point of a surface nearest to another, and on which side that is.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// The triangle it lies on.
    pub triangle: u32,
    /// On the surface.
    pub point: Vec3A,
    /// Shares of the triangle's corners.
    pub weights: [f32; 3],
    /// Unit, from the surface to the point, or away from it for a point behind.
    pub normal: Vec3A,
    /// Metres, negative behind.
    pub distance_m: f32,
}

impl MeshShape {
    /// Of triangles, counter-clockwise seen from outside. A closed part that is
    /// inside out at `positions` is turned.
    ///
    /// # Panics
    /// When a triangle names a vertex that is not there.
    #[must_use]
    pub fn new(positions: &[Vec3A], triangles: &[[u32; 3]]) -> Self {
        let sound = |t: &&[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        let mut shape = Self {
            triangles: triangles.iter().filter(sound).copied().collect(),
            ..Self::default()
        };
        shape.join();
        let parts = shape.parts();
        shape.close(positions, &parts);
        shape.spread_fans(positions.len());
        shape
    }

    /// All of them.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Whether the triangle belongs to a part without holes.
    #[must_use]
    pub fn is_closed(&self, triangle: u32) -> bool {
        self.closed[triangle as usize]
    }

    /// Triangles around a vertex.
    #[must_use]
    pub fn fan(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.fans[self.fan_starts[vertex] as usize..self.fan_starts[vertex + 1] as usize]
    }

    fn join(&mut self) {
        let mut edges: HashMap<[u32; 2], Vec<(u32, usize)>> = HashMap::new();
        for (index, t) in (0u32..).zip(&self.triangles) {
            for edge in 0..3 {
                let (a, b) = (t[edge], t[(edge + 1) % 3]);
                edges
                    .entry([a.min(b), a.max(b)])
                    .or_default()
                    .push((index, edge));
            }
        }
        self.across = vec![[NO_TRIANGLE; 3]; self.triangles.len()];
        for sides in edges.values() {
            // Three on one edge have no "other side".
            if let [(a, edge_a), (b, edge_b)] = sides[..] {
                self.across[a as usize][edge_a] = b;
                self.across[b as usize][edge_b] = a;
            }
        }
    }

    /// The part that each triangle belongs to, named by one of its triangles.
    fn parts(&self) -> Vec<u32> {
        let mut parts = vec![NO_TRIANGLE; self.triangles.len()];
        for first in 0..self.triangles.len() as u32 {
            let mut open = vec![first];
            while let Some(triangle) = open.pop() {
                if triangle != NO_TRIANGLE && parts[triangle as usize] == NO_TRIANGLE {
                    parts[triangle as usize] = first;
                    open.extend(self.across[triangle as usize]);
                }
            }
        }
        parts
    }

    fn close(&mut self, positions: &[Vec3A], parts: &[u32]) {
        let mut closed = vec![true; self.triangles.len()];
        let mut volumes = vec![0.0f64; self.triangles.len()];
        for (triangle, &part) in parts.iter().enumerate() {
            closed[part as usize] &= !self.across[triangle].contains(&NO_TRIANGLE);
            let [a, b, c] = self.triangles[triangle].map(|v| positions[v as usize].as_dvec3());
            volumes[part as usize] += a.dot(b.cross(c));
        }
        for (triangle, &part) in parts.iter().enumerate() {
            let part = part as usize;
            if closed[part] && volumes[part] < 0.0 {
                self.triangles[triangle].swap(1, 2);
                // Edges ab, bc, ca of abc are ca, bc, ab of acb.
                self.across[triangle].swap(0, 2);
            }
        }
        self.closed = parts.iter().map(|&part| closed[part as usize]).collect();
    }

    fn spread_fans(&mut self, vertices: usize) {
        let mut starts = vec![0u32; vertices + 1];
        self.triangles
            .iter()
            .flatten()
            .for_each(|&v| starts[v as usize + 1] += 1);
        (0..vertices).for_each(|v| starts[v + 1] += starts[v]);
        let mut next = starts.clone();
        self.fans = vec![0; 3 * self.triangles.len()];
        for (index, triangle) in (0u32..).zip(&self.triangles) {
            for &vertex in triangle {
                self.fans[next[vertex as usize] as usize] = index;
                next[vertex as usize] += 1;
            }
        }
        self.fan_starts = starts;
    }

    /// Corners of a triangle.
    #[inline]
    #[must_use]
    pub fn corners(&self, triangle: u32, positions: &[Vec3A]) -> [Vec3A; 3] {
        self.triangles[triangle as usize].map(|vertex| positions[vertex as usize])
    }

    /// Twice the triangle's area long, outward.
    #[inline]
    #[must_use]
    pub fn area_normal(&self, triangle: u32, positions: &[Vec3A]) -> Vec3A {
        let [a, b, c] = self.corners(triangle, positions);
        (b - a).cross(c - a)
    }

    /// Sum of unit normals around what is nearest: tells the side of a point
    /// even at edges and corners (Bærentzen and Aanæs 2005, without angles).
    fn side_normal(&self, triangle: u32, feature: Feature, positions: &[Vec3A]) -> Vec3A {
        let unit = |it: u32| self.area_normal(it, positions).normalize_or_zero();
        match feature {
            Feature::Face => unit(triangle),
            Feature::Edge(edge) => match self.across[triangle as usize][edge] {
                NO_TRIANGLE => unit(triangle),
                other => (unit(triangle) + unit(other)).normalize_or_zero(),
            },
            Feature::Corner(corner) => {
                let fan = self.fan(self.triangles[triangle as usize][corner]);
                fan.iter()
                    .map(|&it| unit(it))
                    .sum::<Vec3A>()
                    .normalize_or_zero()
            }
        }
    }

    /// The nearest point of one triangle, with its side.
    #[must_use]
    pub fn nearest_of(&self, triangle: u32, positions: &[Vec3A], at: Vec3A) -> Nearest {
        let found = nearest_on_triangle(self.corners(triangle, positions), at);
        let side = self.side_normal(triangle, found.feature, positions);
        let off = at - found.point;
        let distance = off.length();
        let before = off.dot(side) >= 0.0;
        let normal = match distance > 1e-6 {
            true if before => off / distance,
            true => -off / distance,
            false => side,
        };
        Nearest {
            triangle,
            point: found.point,
            weights: found.weights,
            normal,
            distance_m: if before { distance } else { -distance },
        }
    }

    /// From a triangle over its neighbours to the nearest point of the surface
    /// thereabouts.
    #[must_use]
    pub fn walk_to_nearest(&self, from: u32, positions: &[Vec3A], at: Vec3A) -> Nearest {
        let mut here = from;
        let mut found = nearest_on_triangle(self.corners(here, positions), at);
        for _ in 0..LONGEST_WALK {
            let own = found.point.distance_squared(at);
            let facing = self.area_normal(here, positions);
            let behind = facing.dot(at - found.point) < 0.0;
            let mut best = (own * (1.0 - 1e-5), here, found);
            let mut look = |other: u32| {
                if other == NO_TRIANGLE || other == here {
                    return;
                }
                if behind {
                    let there = self.area_normal(other, positions);
                    if there.dot(facing) < INSIDE_TURN * there.length() * facing.length() {
                        return;
                    }
                }
                let nearest = nearest_on_triangle(self.corners(other, positions), at);
                let distance2 = nearest.point.distance_squared(at);
                if distance2 < best.0 {
                    best = (distance2, other, nearest);
                }
            };
            match found.feature {
                Feature::Face => break,
                Feature::Edge(edge) => look(self.across[here as usize][edge]),
                Feature::Corner(corner) => {
                    let vertex = self.triangles[here as usize][corner];
                    self.fan(vertex).iter().for_each(|&other| look(other));
                }
            }
            if best.1 == here {
                break;
            }
            (here, found) = (best.1, best.2);
        }
        self.nearest_of(here, positions, at)
    }
}

/// A mesh over one step.
#[derive(Clone, Debug)]
pub struct MovingMesh {
    shape: Arc<MeshShape>,
    /// World space, as the step begins.
    pub start: Vec<Vec3A>,
    /// As it ends.
    pub end: Vec<Vec3A>,
    /// Unit normals of the vertices at the end.
    pub normals: Vec<Vec3A>,
    tree: BoxTree,
}

impl MovingMesh {
    /// At rest where its vertices are.
    ///
    /// # Panics
    /// When a triangle names a vertex that is not there.
    #[must_use]
    pub fn new(shape: Arc<MeshShape>, positions: Vec<Vec3A>) -> Self {
        let centre = |t: u32| shape.corners(t, &positions).iter().sum::<Vec3A>() / 3.0;
        let centres: Vec<Vec3A> = (0..shape.triangles.len() as u32).map(centre).collect();
        let mut mesh = Self {
            tree: BoxTree::over(&centres),
            normals: vec![Vec3A::ZERO; positions.len()],
            start: positions.clone(),
            end: positions,
            shape,
        };
        mesh.refit();
        mesh
    }

    /// What does not change.
    #[must_use]
    pub fn shape(&self) -> &MeshShape {
        &self.shape
    }

    /// The step that follows: it starts where it ended; `place` writes where
    /// its vertices are then.
    pub fn advance(&mut self, place: impl FnOnce(&mut [Vec3A])) {
        std::mem::swap(&mut self.start, &mut self.end);
        place(&mut self.end);
        // What is not finite stays where it was: a box around it would hold
        // everything.
        for (end, start) in self.end.iter_mut().zip(&self.start) {
            if !end.is_finite() {
                *end = *start;
            }
        }
        self.refit();
    }

    /// Is where it ends, and has not moved there.
    pub fn stand(&mut self) {
        self.start.clone_from(&self.end);
        self.refit();
    }

    fn refit(&mut self) {
        let (shape, start, end) = (&self.shape, &self.start, &self.end);
        self.tree.refit(|triangle| {
            let corners = shape.triangles[triangle as usize];
            let mut bounds = Bounds::EMPTY;
            for vertex in corners {
                let (a, b) = (start[vertex as usize], end[vertex as usize]);
                bounds.low = bounds.low.min(a.min(b));
                bounds.high = bounds.high.max(a.max(b));
            }
            bounds
        });
        self.normals.fill(Vec3A::ZERO);
        for triangle in 0..shape.triangles.len() as u32 {
            let normal = shape.area_normal(triangle, end);
            for vertex in shape.triangles[triangle as usize] {
                self.normals[vertex as usize] += normal;
            }
        }
        for normal in &mut self.normals {
            *normal = normal.normalize_or_zero();
        }
    }

    /// Calls `found` with every triangle whose way comes near.
    #[inline]
    pub fn query(&self, around: &Bounds, found: impl FnMut(u32)) {
        self.tree.query(around, found);
    }

    /// Where all vertices are at a share of the step.
    pub fn positions_at(&self, fraction: f32, positions: &mut Vec<Vec3A>) {
        positions.clear();
        let ways = self.start.iter().zip(&self.end);
        positions.extend(ways.map(|(a, b)| a.lerp(*b, fraction)));
    }

    /// How far a triangle goes in the step, in the middle.
    #[must_use]
    pub fn way(&self, triangle: u32) -> Vec3A {
        let corners = self.shape.triangles[triangle as usize];
        let way = |vertex: u32| self.end[vertex as usize] - self.start[vertex as usize];
        corners.into_iter().map(way).sum::<Vec3A>() / 3.0
    }
}
