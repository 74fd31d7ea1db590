//! Distance constraints: the one formula, eight at a time.

use fearless_simd::{Level, Simd, SimdBase, SimdFloat, dispatch, f32x8};

use super::{
    lanes::{LANES, Parts, V3, load, splat},
    layout::{Block, Blocks, Kind},
};

/// Length and compliance of each kind, the latter over the substep squared.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stiffness {
    pub rest_m: [f32; 5],
    pub alpha: [f32; 5],
}

impl Stiffness {
    fn of(&self, kind: Kind) -> (f32, f32) {
        (self.rest_m[kind as usize], self.alpha[kind as usize])
    }
}

/// Eight constraints of a mesh between any vertices, no vertex twice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gather {
    pub a: [u32; LANES],
    pub b: [u32; LANES],
    pub rest_m: [f32; LANES],
    pub mask: [f32; LANES],
    pub kind: Kind,
}

/// One pass over all constraints of a grid, always in the same order: what is
/// left over then is the same each time and makes no velocity. (Passes that
/// alternate up and down shake a sheet at rest.)
pub(super) fn sweep(
    level: Level,
    mut x: Parts<'_>,
    inverse_mass: &[f32],
    blocks: &Blocks,
    stiffness: &Stiffness,
) {
    dispatch!(level, simd => sweep_in(simd, &mut x, inverse_mass, blocks, stiffness));
}

#[inline(always)]
fn sweep_in<S: Simd>(
    simd: S,
    x: &mut Parts<'_>,
    inverse_mass: &[f32],
    blocks: &Blocks,
    stiffness: &Stiffness,
) {
    for &block in &blocks.blocks {
        let (rest, alpha) = stiffness.of(block.kind);
        let mask = &blocks.masks[usize::from(block.mask)];
        solve(simd, x, inverse_mass, block, rest, alpha, mask);
    }
}

/// Moves both ends along the line between them until the length is right, each
/// by its share of the inverse mass.
#[inline(always)]
fn solve<S: Simd>(
    simd: S,
    x: &mut Parts<'_>,
    inverse_mass: &[f32],
    block: Block,
    rest_m: f32,
    alpha: f32,
    mask: &[f32; LANES],
) {
    let (a, b) = (block.a as usize, block.b as usize);
    let (pa, pb) = (V3::load(simd, x, a), V3::load(simd, x, b));
    let (wa, wb) = (load(simd, inverse_mass, a), load(simd, inverse_mass, b));
    let along = pb.minus(pa);
    let length2 = along.dot(along) + splat(simd, 1e-20);
    let length = length2.sqrt();
    let give = wa + wb + splat(simd, alpha + 1e-9);
    let pull = (length - splat(simd, rest_m)) / (length * give) * load(simd, mask, 0);
    // The shifted vector first: its idle last lane may lie in the other one.
    pb.minus(along.times(pull * wb)).store(x, b);
    pa.plus(along.times(pull * wa)).store(x, a);
}

/// One pass over all constraints of a mesh.
pub(super) fn sweep_mesh(
    level: Level,
    mut x: Parts<'_>,
    inverse_mass: &[f32],
    gathers: &[Gather],
    stiffness: &Stiffness,
) {
    dispatch!(level, simd => sweep_mesh_in(simd, &mut x, inverse_mass, gathers, stiffness));
}

#[inline(always)]
fn sweep_mesh_in<S: Simd>(
    simd: S,
    x: &mut Parts<'_>,
    inverse_mass: &[f32],
    gathers: &[Gather],
    stiffness: &Stiffness,
) {
    for gather in gathers {
        let (_, alpha) = stiffness.of(gather.kind);
        solve_gather(simd, x, inverse_mass, gather, alpha);
    }
}

#[inline(always)]
fn fetch<S: Simd>(simd: S, from: &[f32], at: &[u32; LANES]) -> f32x8<S> {
    let lanes: [f32; LANES] = std::array::from_fn(|l| from[at[l] as usize]);
    load(simd, &lanes, 0)
}

#[inline(always)]
fn points<S: Simd>(simd: S, x: &Parts<'_>, at: &[u32; LANES]) -> V3<S> {
    V3 {
        x: fetch(simd, x[0], at),
        y: fetch(simd, x[1], at),
        z: fetch(simd, x[2], at),
    }
}

#[inline(always)]
fn solve_gather<S: Simd>(
    simd: S,
    x: &mut Parts<'_>,
    inverse_mass: &[f32],
    gather: &Gather,
    alpha: f32,
) {
    let (pa, pb) = (points(simd, x, &gather.a), points(simd, x, &gather.b));
    let (wa, wb) = (
        fetch(simd, inverse_mass, &gather.a),
        fetch(simd, inverse_mass, &gather.b),
    );
    let along = pb.minus(pa);
    let length = (along.dot(along) + splat(simd, 1e-20)).sqrt();
    let give = wa + wb + splat(simd, alpha + 1e-9);
    let rest = load(simd, &gather.rest_m, 0);
    let pull = (length - rest) / (length * give) * load(simd, &gather.mask, 0);
    let (pa, pb) = (
        pa.plus(along.times(pull * wa)),
        pb.minus(along.times(pull * wb)),
    );
    for l in (0..LANES).filter(|&l| gather.mask[l] > 0.0) {
        let (a, b) = (gather.a[l] as usize, gather.b[l] as usize);
        x[0][a] = pa.x.as_slice()[l];
        x[1][a] = pa.y.as_slice()[l];
        x[2][a] = pa.z.as_slice()[l];
        x[0][b] = pb.x.as_slice()[l];
        x[1][b] = pb.y.as_slice()[l];
        x[2][b] = pb.z.as_slice()[l];
    }
}
