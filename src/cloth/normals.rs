//! Unit normals: of a grid row by row behind the last pass, from the
//! neighbours left, right, above and below.

use fearless_simd::{Simd, SimdFloat};
use glam::Vec3;

use super::{
    lanes::{LANES, Parts, Soa, V3, load, splat},
    layout::Layout,
};

/// Normals of all slots, and for every vector of a row which of its lanes are
/// the first or the last column.
#[derive(Clone, Debug)]
pub(super) struct Normals {
    pub n: Soa,
    first: Vec<[f32; LANES]>,
    last: Vec<[f32; LANES]>,
}

impl Normals {
    pub fn new(layout: &Layout) -> Self {
        let mask = |test: &dyn Fn(usize) -> bool| -> Vec<[f32; LANES]> {
            let lane = |j: usize, l: usize| f32::from(u8::from(test(l * layout.vectors + j)));
            (0..layout.vectors)
                .map(|j| std::array::from_fn(|l| lane(j, l)))
                .collect()
        };
        let last = layout.columns.saturating_sub(1);
        Self {
            n: std::array::from_fn(|_| vec![0.0; layout.slots()]),
            first: mask(&|column| column == 0),
            last: mask(&|column| column >= last),
        }
    }

    /// Of a mesh, by area.
    pub fn of_mesh(&mut self, x: &Soa, triangles: &[[u32; 3]]) {
        self.n.iter_mut().for_each(|n| n.fill(0.0));
        let corner = |slot: u32| Vec3::from_array(x.each_ref().map(|x| x[slot as usize]));
        for triangle in triangles {
            let [a, b, c] = triangle.map(corner);
            // Twice the area long: large triangles say more.
            let area = (b - a).cross(c - a).to_array();
            for &slot in triangle {
                for (n, part) in self.n.iter_mut().zip(area) {
                    n[slot as usize] += part;
                }
            }
        }
        for slot in 0..self.n[0].len() {
            let sum = Vec3::from_array(self.n.each_ref().map(|n| n[slot]));
            let unit = sum.normalize_or_zero().to_array();
            self.n.iter_mut().zip(unit).for_each(|(n, u)| n[slot] = u);
        }
    }
}

/// The normals from a slot on, to be written.
pub(super) struct NormalsOut<'a> {
    pub first: usize,
    pub n: Parts<'a>,
    pub edges: Edges<'a>,
}

/// Which lanes of every vector of a row are the first or the last column.
#[derive(Clone, Copy)]
pub(super) struct Edges<'a> {
    first: &'a [[f32; LANES]],
    last: &'a [[f32; LANES]],
}

impl Normals {
    pub fn out(&mut self) -> NormalsOut<'_> {
        NormalsOut {
            first: 0,
            n: super::lanes::parts(&mut self.n),
            edges: Edges {
                first: &self.first,
                last: &self.last,
            },
        }
    }
}

/// One row of a grid.
#[inline(always)]
pub(super) fn row_in<S: Simd>(
    simd: S,
    out: &mut NormalsOut<'_>,
    x: &Soa,
    layout: &Layout,
    row: usize,
) {
    let slots = layout.row_slots();
    let base = row * slots;
    let above = row.saturating_sub(1) * slots;
    let below = (row + 1).min(layout.rows - 1) * slots;
    let last = (layout.vectors - 1) * LANES;
    for j in 0..layout.vectors {
        let at = base + j * LANES;
        let here = V3::load(simd, x, at);
        // Lane 0 of the first vector has nothing to its left: any load will do.
        let left = match j {
            0 => V3::load(simd, x, base + last - 1),
            _ => V3::load(simd, x, at - LANES),
        };
        let right = if j + 1 == layout.vectors {
            V3::load(simd, x, base + 1)
        } else {
            V3::load(simd, x, at + LANES)
        };
        let (first, end) = (
            load(simd, &out.edges.first[j], 0),
            load(simd, &out.edges.last[j], 0),
        );
        let one = splat(simd, 1.0);
        let left = left.times(one - first).plus(here.times(first));
        let right = right.times(one - end).plus(here.times(end));
        let up = V3::load(simd, x, above + j * LANES);
        let down = V3::load(simd, x, below + j * LANES);
        // Central differences; at a rim the vertex itself stands in for what
        // is missing.
        let n = right.minus(left).cross(up.minus(down));
        let inverse = one / n.length().max(splat(simd, 1e-12));
        n.times(inverse).store(&mut out.n, at - out.first);
    }
}
