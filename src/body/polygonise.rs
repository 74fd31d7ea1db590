//! From distance field to triangles: surface nets on a grid that is finer at
//! hands, feet and head, repaired to a manifold and drawn onto the zero set.
//!
//! The finer places come from [`Lens`]es, each a smooth one-to-one map of
//! space that magnifies what lies beyond a plane; the grid itself stays
//! regular. Limit: creases closer than one cell are filled.

use fast_surface_nets::{
    SurfaceNetsBuffer,
    ndshape::{RuntimeShape, Shape as _},
    surface_nets,
};
use glam::Vec3A;
use rayon::prelude::*;

use super::{
    field::{Part, parts_near, slope_at, union_distance},
    lens::Lens,
};

/// Points along the edge of a block that shares one list of near parts, and of
/// the smallest that it is halved to.
const BLOCK: usize = 16;
const SMALLEST_BLOCK: usize = 2;
/// More grid points than this would be a body of thousands of bones.
const MAX_POINTS: usize = 12_000_000;
/// No field is steeper: squashed solids bound the distance, none doubles it.
const STEEPEST: f32 = 1.5;
const RELAX_STEPS: usize = 4;
const UNFOLD_STEPS: usize = 30;

/// A closed triangle mesh in model space.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RawMesh {
    pub positions: Vec<Vec3A>,
    pub normals: Vec<Vec3A>,
    pub indices: Vec<u32>,
}

/// A first mesh of the field, as rough as its grid; `cell_m` is the grid's
/// spacing outside the lenses. [`RawMesh::settle`] finishes it.
pub(super) fn rough_mesh(parts: &[Part], lenses: &[Lens], cell_m: f32) -> RawMesh {
    let Some(mut grid) = Grid::new(parts, lenses, cell_m) else {
        return RawMesh::default();
    };
    grid.fill(parts);
    grid.remove_ambiguity();
    grid.triangles()
}

struct Grid<'a> {
    lenses: &'a [Lens],
    low: Vec3A,
    cell_m: f32,
    size: [usize; 3],
    field: Vec<f32>,
}

impl<'a> Grid<'a> {
    fn new(parts: &[Part], lenses: &'a [Lens], cell_m: f32) -> Option<Self> {
        let (mut low, mut high) = (Vec3A::MAX, Vec3A::MIN);
        for part in parts.iter().filter(|part| !part.carve) {
            let [lowest, highest] = part.corners();
            low = low.min(lowest);
            high = high.max(highest);
            for lens in lenses {
                lens.widen(part.ball(), &mut low, &mut high);
            }
        }
        // Room for the seams and for the ring of cells that surface nets need.
        let low = low - 3.0 * cell_m;
        let cells = (high + 3.0 * cell_m - low) / cell_m;
        // Whole blocks, so that filling needs no special case at the rim.
        let size = [cells.x, cells.y, cells.z].map(|n| (n as usize / BLOCK + 1) * BLOCK);
        let points = size
            .iter()
            .try_fold(1usize, |n, &side| n.checked_mul(side))?;
        (cells.is_finite() && points <= MAX_POINTS).then(|| Self {
            lenses,
            low,
            cell_m,
            size,
            field: vec![f32::MAX; points],
        })
    }

    fn model_from_grid(&self, grid: Vec3A) -> Vec3A {
        let lenses = self.lenses.iter();
        lenses.fold(self.low + grid * self.cell_m, |p, lens| {
            lens.model_from_grid(p)
        })
    }

    /// Evaluates the field slab by slab, in blocks that are halved where the
    /// surface may be.
    fn fill(&mut self, parts: &[Part]) {
        let [nx, ny, _] = self.size;
        let all: Vec<u16> = (0..parts.len() as u16).collect();
        let mut field = std::mem::take(&mut self.field);
        let slabs = field.par_chunks_mut(nx * ny * BLOCK).enumerate();
        slabs.for_each(|(bz, slab)| {
            for by in 0..ny / BLOCK {
                for bx in 0..nx / BLOCK {
                    let corner = [bx, by, bz].map(|b| b * BLOCK);
                    self.fill_block(parts, &all, (corner, BLOCK), slab);
                }
            }
        });
        self.field = field;
    }

    /// Fills the points of a cube of `side` points from `corner` on; `above` are
    /// the parts that may matter there.
    fn fill_block(
        &self,
        parts: &[Part],
        above: &[u16],
        (corner, side): ([usize; 3], usize),
        slab: &mut [f32],
    ) {
        let corner_at = Vec3A::from(corner.map(|it| it as f32));
        let (centre, reach) = self.ball_around(corner_at, side);
        let mut near = Vec::with_capacity(above.len());
        let reach_of_parts = reach + 2.0 * self.cell_m;
        parts_near(
            parts,
            above.iter().copied(),
            centre,
            reach_of_parts,
            &mut near,
        );
        if near.is_empty() {
            return;
        }
        let middle = union_distance(parts, &near, centre);
        // A field that is no steeper cannot change sign within the block.
        if middle.abs() > STEEPEST * reach {
            self.fill_points((corner, side), slab, |_| middle);
        } else if side > SMALLEST_BLOCK {
            let half = side / 2;
            for bits in 0..8 {
                let corner = [0, 1, 2].map(|axis| corner[axis] + half * (bits >> axis & 1));
                self.fill_block(parts, &near, (corner, half), slab);
            }
        } else {
            self.fill_points((corner, side), slab, |at| {
                union_distance(parts, &near, self.model_from_grid(at))
            });
        }
    }

    /// A ball in model space that holds a cube of the grid.
    fn ball_around(&self, corner: Vec3A, side: usize) -> (Vec3A, f32) {
        let half = side as f32 / 2.0;
        let centre = self.model_from_grid(corner + half);
        let reach = (0..8).fold(0.0f32, |reach, bits| {
            let sign = |bit: u32| if bits >> bit & 1 == 0 { -half } else { half };
            let offset = Vec3A::new(sign(0), sign(1), sign(2));
            let at = self.model_from_grid(corner + half + offset);
            reach.max((at - centre).length())
        });
        (centre, reach)
    }

    fn fill_points(
        &self,
        (corner, side): ([usize; 3], usize),
        slab: &mut [f32],
        value: impl Fn(Vec3A) -> f32,
    ) {
        let [nx, ny, _] = self.size;
        for z in corner[2]..corner[2] + side {
            for y in corner[1]..corner[1] + side {
                for x in corner[0]..corner[0] + side {
                    let index = (z % BLOCK * ny + y) * nx + x;
                    slab[index] = value(Vec3A::new(x as f32, y as f32, z as f32));
                }
            }
        }
    }

    fn index(&self, x: usize, y: usize, z: usize) -> usize {
        (z * self.size[1] + y) * self.size[0] + x
    }

    /// A cell whose inside or outside corners fall apart would give a vertex
    /// shared by two sheets. Its shallowest outside corner is filled until
    /// none is left; filling only ever adds, so this ends.
    fn remove_ambiguity(&mut self) {
        let [nx, ny, nz] = self.size;
        let mut pending = true;
        while pending {
            pending = false;
            for z in 0..nz - 1 {
                for y in 0..ny - 1 {
                    for x in 0..nx - 1 {
                        pending |= self.mend_cell(x, y, z);
                    }
                }
            }
        }
    }

    fn mend_cell(&mut self, x: usize, y: usize, z: usize) -> bool {
        let base = self.index(x, y, z);
        if self.field[base].abs() > 3.0 * self.cell_m {
            return false; // no sign change within a cell's reach
        }
        let strides = [1, self.size[0], self.size[0] * self.size[1]];
        let corner = |bits: usize| {
            base + (0..3)
                .map(|axis| strides[axis] * (bits >> axis & 1))
                .sum::<usize>()
        };
        let mut inside = 0u8;
        for bits in 0..8 {
            inside |= u8::from(self.field[corner(bits)] < 0.0) << bits;
        }
        if inside == 0 || inside == 255 || (is_connected(inside) && is_connected(!inside)) {
            return false;
        }
        let outside = (0..8).filter(|bits| inside >> bits & 1 == 0);
        let shallowest = outside
            .map(corner)
            .min_by(|&a, &b| self.field[a].total_cmp(&self.field[b]));
        if let Some(index) = shallowest {
            // Barely inside, so that the surface hardly moves.
            self.field[index] = -1e-3 * self.cell_m;
        }
        true
    }

    fn triangles(&self) -> RawMesh {
        let size = self.size.map(|n| n as u32);
        let shape = RuntimeShape::<u32, 3>::new(size);
        debug_assert_eq!(shape.size() as usize, self.field.len());
        let mut nets = SurfaceNetsBuffer::default();
        // Surface nets (after Gibson 1998): one vertex a cell that the surface
        // crosses, a quad an edge. Triangles are rounder than those of marching
        // cubes, and a cell without ambiguity gives a manifold.
        surface_nets(&self.field, &shape, [0; 3], size.map(|n| n - 1), &mut nets);
        let to_model = |&p: &[f32; 3]| self.model_from_grid(Vec3A::from(p));
        RawMesh {
            positions: nets.positions.iter().map(to_model).collect(),
            normals: Vec::new(),
            indices: nets.indices,
        }
    }
}

/// Whether the marked corners of a cube hang together along its edges.
fn is_connected(mask: u8) -> bool {
    let mut reached = mask & mask.wrapping_neg();
    loop {
        let mut grown = reached;
        for bits in 0..8u8 {
            if reached >> bits & 1 == 1 {
                grown |= 1 << (bits ^ 1) | 1 << (bits ^ 2) | 1 << (bits ^ 4);
            }
        }
        grown &= mask;
        if grown == reached {
            return reached == mask;
        }
        reached = grown;
    }
}

impl RawMesh {
    /// Puts triangles that lie together next to each other and numbers the
    /// vertices as they are used, so that caches of skinned vertices hit.
    pub fn sort_by_position(&mut self) {
        let (low, high) = self
            .positions
            .iter()
            .fold((Vec3A::MAX, Vec3A::MIN), |(low, high), &p| {
                (low.min(p), high.max(p))
            });
        // Ten bits an axis: cells of 2 mm on a person.
        let scale = 1023.0 / (high - low).max_element().max(1e-9);
        let key = |t: &[u32]| {
            let sum: Vec3A = t.iter().map(|&v| self.positions[v as usize]).sum();
            let cell = ((sum / 3.0 - low) * scale).to_array().map(|x| x as u32);
            spread_bits(cell[0]) | spread_bits(cell[1]) << 1 | spread_bits(cell[2]) << 2
        };
        let mut triangles: Vec<[u32; 3]> = self
            .indices
            .chunks_exact(3)
            .map(|t| [t[0], t[1], t[2]])
            .collect();
        triangles.sort_by_key(|t| key(t));
        let mut renumbered = vec![u32::MAX; self.positions.len()];
        let mut order = Vec::with_capacity(self.positions.len());
        for corner in triangles.iter_mut().flatten() {
            let number = &mut renumbered[*corner as usize];
            if *number == u32::MAX {
                *number = order.len() as u32;
                order.push(*corner as usize);
            }
            *corner = *number;
        }
        self.positions = order.iter().map(|&v| self.positions[v]).collect();
        self.normals = order.iter().map(|&v| self.normals[v]).collect();
        self.indices = triangles.into_flattened();
    }

    /// Evens the triangles out along the surface, draws every vertex onto the
    /// zero set and takes the field's gradient as its normal.
    pub fn settle(&mut self, parts: &[Part], cell_m: f32) {
        let near: Vec<Vec<u16>> = self
            .positions
            .par_iter()
            .map(|&p| {
                let mut near = Vec::new();
                parts_near(parts, 0..parts.len() as u16, p, 4.0 * cell_m, &mut near);
                near
            })
            .collect();
        let field = Field {
            parts,
            near: &near,
            cell_m,
        };
        let ring = Rings::new(self.positions.len(), &self.indices);
        // Two Newton steps first: relaxing needs normals of the true surface.
        self.step_with(|mesh, v| field.step(v, field.step(v, mesh.positions[v]).0));
        for _ in 0..RELAX_STEPS {
            self.step_with(|mesh, v| field.step(v, mesh.relaxed(v, ring.of(v))));
        }
        self.step_with(|mesh, v| field.land(v, mesh.positions[v]));
        self.unfold(&ring);
    }

    /// Gives every vertex a new position and normal.
    fn step_with(&mut self, step: impl Fn(&Self, usize) -> (Vec3A, Vec3A) + Sync) {
        let moved = (0..self.positions.len()).into_par_iter();
        let moved: Vec<_> = moved.map(|vertex| step(self, vertex)).collect();
        (self.positions, self.normals) = moved.into_iter().unzip();
    }

    /// Where a crease is finer than the grid a triangle may turn over: its
    /// corners go to the middle of their neighbours until none does.
    fn unfold(&mut self, ring: &Rings) {
        for _ in 0..UNFOLD_STEPS {
            let bad: Vec<u32> = self
                .indices
                .chunks_exact(3)
                .filter(|t| self.is_folded(t))
                .flatten()
                .copied()
                .collect();
            if bad.is_empty() {
                return;
            }
            for vertex in bad {
                let around = ring.of(vertex as usize);
                let mean = |values: &[Vec3A]| {
                    let sum: Vec3A = around.iter().map(|&n| values[n as usize]).sum();
                    sum / around.len().max(1) as f32
                };
                let (position, normal) = (mean(&self.positions), mean(&self.normals));
                self.positions[vertex as usize] = position;
                self.normals[vertex as usize] = normal.normalize_or(Vec3A::Y);
            }
        }
    }

    fn is_folded(&self, triangle: &[u32]) -> bool {
        let [a, b, c] = [0, 1, 2].map(|corner| self.positions[triangle[corner] as usize]);
        let face = (b - a).cross(c - a);
        let longest = (b - a).length_squared().max((c - b).length_squared());
        let longest = longest.max((a - c).length_squared());
        let normal: Vec3A = triangle.iter().map(|&v| self.normals[v as usize]).sum();
        // Turned over, or a sliver under a twentieth of its longest side high.
        face.dot(normal) <= 0.0 || face.length() < 0.05 * longest
    }

    fn relaxed(&self, vertex: usize, ring: &[u32]) -> Vec3A {
        let p = self.positions[vertex];
        let sum: Vec3A = ring.iter().map(|&n| self.positions[n as usize]).sum();
        let shift = sum / ring.len().max(1) as f32 - p;
        let normal = self.normals[vertex];
        // Along the surface alone, or the body would shrink; less than all the
        // way to the middle, or neighbours would swing past each other.
        p + 0.6 * (shift - normal * shift.dot(normal))
    }
}

/// The field as each vertex of a mesh sees it: by the parts near it.
struct Field<'a> {
    parts: &'a [Part],
    near: &'a [Vec<u16>],
    cell_m: f32,
}

impl Field<'_> {
    /// One Newton step to the zero set; returns the normal before it.
    fn step(&self, vertex: usize, p: Vec3A) -> (Vec3A, Vec3A) {
        let near = &self.near[vertex];
        let (distance, normal) = slope_at(self.parts, near, p, 0.15 * self.cell_m);
        (p - normal * self.limited(distance), normal)
    }

    /// The last step, with the exact distance and the normal of its end.
    fn land(&self, vertex: usize, p: Vec3A) -> (Vec3A, Vec3A) {
        let near = &self.near[vertex];
        let (_, normal) = slope_at(self.parts, near, p, 0.15 * self.cell_m);
        let distance = union_distance(self.parts, near, p);
        let end = p - normal * self.limited(distance);
        (end, slope_at(self.parts, near, end, 0.15 * self.cell_m).1)
    }

    fn limited(&self, distance: f32) -> f32 {
        // Half a cell: a longer step could end on another sheet, as between
        // fingers, and the mesh would cross itself.
        distance.clamp(-0.5 * self.cell_m, 0.5 * self.cell_m)
    }
}

/// Ten bits, two zeros after each: one axis of a Morton code.
fn spread_bits(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// Vertices that share an edge with each vertex.
pub(super) struct Rings {
    neighbours: Vec<u32>,
    /// Where each vertex's neighbours begin; one more at the end.
    starts: Vec<u32>,
}

impl Rings {
    pub fn new(vertices: usize, indices: &[u32]) -> Self {
        let mut starts = vec![0u32; vertices + 1];
        for &corner in indices {
            starts[corner as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let mut neighbours = vec![0; indices.len()];
        let mut filled = starts.clone();
        for triangle in indices.chunks_exact(3) {
            for corner in 0..3 {
                let (a, b) = (triangle[corner], triangle[(corner + 1) % 3]);
                // Each edge is walked once in either direction by its two triangles.
                let slot = &mut filled[a as usize];
                neighbours[*slot as usize] = b;
                *slot += 1;
            }
        }
        Self { neighbours, starts }
    }

    pub fn of(&self, vertex: usize) -> &[u32] {
        let [start, end] = [self.starts[vertex], self.starts[vertex + 1]];
        &self.neighbours[start as usize..end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_across_a_face_are_not_connected() {
        assert!(is_connected(0b0000_0011));
        assert!(!is_connected(0b0000_1001));
        assert!(!is_connected(0b1000_0001));
        assert!(is_connected(0b0001_0111));
    }

    #[test]
    fn a_ball_has_its_radius() {
        let ball = Part::ellipsoid(Vec3A::ONE, glam::Quat::IDENTITY, Vec3A::splat(0.2), &[0]);
        let mut mesh = rough_mesh(std::slice::from_ref(&ball), &[], 0.02);
        mesh.settle(std::slice::from_ref(&ball), 0.02);
        assert!(mesh.positions.len() > 400);
        for (p, n) in mesh.positions.iter().zip(&mesh.normals) {
            assert_close!((*p - Vec3A::ONE).length(), 0.2, 1e-4);
            assert_close!((*p - Vec3A::ONE).normalize(), *n, 1e-2);
        }
    }
}
