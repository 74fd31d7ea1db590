//! How far threads are drawn out, and drawing in those that are too long.

use fearless_simd::{Level, Select, Simd, SimdFloat, dispatch};

use super::{
    lanes::{LANES, Parts, Soa, V3, load, splat},
    layout::{Block, Blocks, Kind},
    links::{Gather, Stiffness},
};

fn is_thread(kind: Kind) -> bool {
    matches!(kind, Kind::Weft | Kind::Warp)
}

/// Longest thread of a grid as a share of its length at rest.
pub(super) fn max_stretch(level: Level, x: &Soa, blocks: &Blocks, stiffness: &Stiffness) -> f32 {
    dispatch!(level, simd => max_stretch_in(simd, x, blocks, stiffness)).sqrt()
}

#[inline(always)]
fn max_stretch_in<S: Simd>(simd: S, x: &Soa, blocks: &Blocks, stiffness: &Stiffness) -> f32 {
    let mut most = splat(simd, 0.0);
    for block in blocks.blocks.iter().filter(|block| is_thread(block.kind)) {
        let rest = stiffness.rest_m[block.kind as usize];
        let along = V3::load(simd, x, block.b as usize).minus(V3::load(simd, x, block.a as usize));
        let mask = load(simd, &blocks.masks[usize::from(block.mask)], 0);
        most = most.max(along.dot(along) * splat(simd, 1.0 / (rest * rest)) * mask);
    }
    super::lanes::largest(most)
}

/// The same of a mesh.
pub(super) fn max_stretch_mesh(x: &Soa, gathers: &[Gather]) -> f32 {
    let mut most = 0.0f32;
    for gather in gathers.iter().filter(|gather| is_thread(gather.kind)) {
        for lane in (0..LANES).filter(|&lane| gather.mask[lane] > 0.0) {
            let [a, b] = [gather.a[lane], gather.b[lane]]
                .map(|slot| glam::Vec3::from_array(x.each_ref().map(|x| x[slot as usize])));
            most = most.max(a.distance(b) / gather.rest_m[lane]);
        }
    }
    most
}

/// One pass that shortens threads beyond `limit` times their length; returns
/// how long the longest was.
pub(super) fn limit(
    level: Level,
    mut x: Parts<'_>,
    inverse_mass: &[f32],
    blocks: &Blocks,
    stiffness: &Stiffness,
    limit: f32,
    down: bool,
) {
    let mut job = Limit {
        inverse_mass,
        blocks,
        stiffness,
        limit,
    };
    dispatch!(level, simd => limit_in(simd, &mut x, &mut job, down));
}

struct Limit<'a> {
    inverse_mass: &'a [f32],
    blocks: &'a Blocks,
    stiffness: &'a Stiffness,
    limit: f32,
}

#[inline(always)]
fn limit_in<S: Simd>(simd: S, x: &mut Parts<'_>, job: &mut Limit<'_>, down: bool) {
    let count = job.blocks.blocks.len();
    for index in 0..count {
        let index = if down { index } else { count - 1 - index };
        let block = &job.blocks.blocks[index];
        if is_thread(block.kind) {
            shorten(simd, x, job, block);
        }
    }
}

#[inline(always)]
fn shorten<S: Simd>(simd: S, x: &mut Parts<'_>, job: &Limit<'_>, block: &Block) {
    use fearless_simd::SimdMask;
    let (a, b) = (block.a as usize, block.b as usize);
    let longest = splat(simd, job.stiffness.rest_m[block.kind as usize] * job.limit);
    let (pa, pb) = (V3::load(simd, x, a), V3::load(simd, x, b));
    let along = pb.minus(pa);
    let length2 = along.dot(along);
    let mask = load(simd, &job.blocks.masks[usize::from(block.mask)], 0);
    let long = (length2 * mask).simd_gt(longest * longest);
    if long.all_false() {
        return;
    }
    let length = length2.sqrt();
    let (wa, wb) = (
        load(simd, job.inverse_mass, a),
        load(simd, job.inverse_mass, b),
    );
    let give = wa + wb + splat(simd, 1e-9);
    let pull = (length - longest) / (length * give);
    let pull = long.select(pull, splat(simd, 0.0));
    pb.minus(along.times(pull * wb)).store(x, b);
    pa.plus(along.times(pull * wa)).store(x, a);
}
