//! How far threads are drawn out, and drawing in those that are too long.

use fearless_simd::{Level, Select, Simd, SimdFloat, SimdMask, dispatch};
use rayon::prelude::*;

use super::{
    constraints::{BlockJob, Gather, Stiffness},
    lanes::{LANES, Parts, Soa, V3, load, splat},
    layout::{Block, Blocks, Kind},
};

fn is_thread(kind: Kind) -> bool {
    matches!(kind, Kind::Weft | Kind::Warp)
}

/// Longest thread of a grid as a share of its length at rest.
pub(super) fn max_stretch(level: Level, x: &Soa, blocks: &Blocks, stiffness: &Stiffness) -> f32 {
    // Squares throughout; one root at the end.
    let of = |range: &std::ops::Range<usize>| {
        let part = &blocks.blocks[range.clone()];
        dispatch!(level, simd => max_stretch_in(simd, x, part, (blocks, stiffness)))
    };
    let most = if blocks.bands.len() == 1 {
        of(&blocks.bands[0])
    } else {
        let bands = blocks.bands.par_iter().chain(&blocks.seams);
        bands.map(of).reduce(|| 0.0, f32::max)
    };
    most.sqrt()
}

#[inline(always)]
fn max_stretch_in<S: Simd>(
    simd: S,
    x: &Soa,
    part: &[Block],
    (blocks, stiffness): (&Blocks, &Stiffness),
) -> f32 {
    let mut most = splat(simd, 0.0);
    for block in part.iter().filter(|block| is_thread(block.kind)) {
        let (rest, _) = stiffness.of(block.kind);
        let along = V3::load(simd, x, block.b as usize).minus(V3::load(simd, x, block.a as usize));
        let mask = load(simd, &blocks.masks[usize::from(block.mask)], 0);
        // The mask is zero in idle lanes: they never are the longest.
        most = most.max(along.dot(along) * splat(simd, 1.0 / (rest * rest)) * mask);
    }
    super::lanes::largest(most)
}

/// The same of a mesh, and of every vertex. What two pins hold apart is no
/// doing of the sheet's.
pub(super) fn max_stretch_mesh(
    x: &Soa,
    inverse_mass: &[f32],
    gathers: &[Gather],
    of_vertices: &mut [f32],
) -> f32 {
    of_vertices.fill(1.0);
    let mut most = 0.0f32;
    for gather in gathers.iter().filter(|gather| is_thread(gather.kind)) {
        for lane in (0..LANES).filter(|&lane| gather.mask[lane] > 0.0) {
            let ends = [gather.a[lane] as usize, gather.b[lane] as usize];
            if ends.iter().all(|&slot| inverse_mass[slot] == 0.0) {
                continue;
            }
            let [a, b] = ends.map(|slot| glam::Vec3::from_array(x.each_ref().map(|x| x[slot])));
            let stretch = a.distance(b) / gather.rest_m[lane];
            ends.into_iter()
                .for_each(|slot| of_vertices[slot] = of_vertices[slot].max(stretch));
            most = most.max(stretch);
        }
    }
    most
}

/// Shortens threads beyond `limit` times their length.
pub(super) struct Shorten<'a> {
    pub inverse_mass: &'a [f32],
    pub masks: &'a [[f32; LANES]],
    pub stiffness: &'a Stiffness,
    pub limit: f32,
}

impl BlockJob for Shorten<'_> {
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, x: &mut Parts<'_>, first: usize, block: &Block) {
        if !is_thread(block.kind) {
            return;
        }
        let (rest, _) = self.stiffness.of(block.kind);
        let longest = splat(simd, rest * self.limit);
        let (a, b) = (block.a as usize, block.b as usize);
        let (pa, pb) = (V3::load(simd, x, a - first), V3::load(simd, x, b - first));
        let along = pb.minus(pa);
        let length2 = along.dot(along);
        let mask = load(simd, &self.masks[usize::from(block.mask)], 0);
        let long = (length2 * mask).simd_gt(longest * longest);
        // Most blocks end here, without the root and the division.
        if long.all_false() {
            return;
        }
        let length = length2.sqrt();
        let (wa, wb) = (
            load(simd, self.inverse_mass, a),
            load(simd, self.inverse_mass, b),
        );
        let give = wa + wb + splat(simd, 1e-9);
        let pull = (length - longest) / (length * give);
        let pull = long.select(pull, splat(simd, 0.0));
        pb.minus(along.times(pull * wb)).store(x, b - first);
        pa.plus(along.times(pull * wa)).store(x, a - first);
    }
}

/// The same for the threads of a mesh.
pub(super) fn shorten_mesh(x: &mut Soa, inverse_mass: &[f32], gathers: &[Gather], limit: f32) {
    for gather in gathers.iter().filter(|gather| is_thread(gather.kind)) {
        for lane in (0..LANES).filter(|&lane| gather.mask[lane] > 0.0) {
            let [a, b] = [gather.a[lane] as usize, gather.b[lane] as usize];
            let position = |slot: usize| glam::Vec3::from_array(x.each_ref().map(|x| x[slot]));
            let along = position(b) - position(a);
            let (length, longest) = (along.length(), limit * gather.rest_m[lane]);
            let give = inverse_mass[a] + inverse_mass[b];
            if length <= longest || give <= 0.0 {
                continue;
            }
            let pull = along * ((length - longest) / (length * give));
            for (x, pull) in x.iter_mut().zip(pull.to_array()) {
                x[a] += pull * inverse_mass[a];
                x[b] -= pull * inverse_mass[b];
            }
        }
    }
}
