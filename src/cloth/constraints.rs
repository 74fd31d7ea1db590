//! Distance constraints: the one formula, eight at a time.

use fearless_simd::{Level, Simd, SimdBase, SimdFloat, dispatch, f32x8};

use super::{
    lanes::{LANES, Parts, V3, load, splat},
    layout::{Block, Blocks, Kind},
    particle_rows::{ParticleRows, each_band},
};

/// The compliance of a kind that the sheet does without: it gives without end.
pub(super) const LEFT_OUT: f32 = f32::INFINITY;

/// Length and compliance of each kind, the latter over the substep squared.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stiffness {
    pub rest_m: [f32; 5],
    pub alpha: [f32; 5],
}

impl Stiffness {
    pub fn of(&self, kind: Kind) -> (f32, f32) {
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

/// Something done to eight constraints of a grid at a time.
pub(super) trait BlockJob: Sync {
    /// `x` is of the slots from `first` on.
    fn run<S: Simd>(&self, simd: S, x: &mut Parts<'_>, first: usize, block: &Block);
}

/// One pass of a job over some blocks, upwards when asked.
#[inline(always)]
pub(super) fn run_blocks<S: Simd>(
    simd: S,
    (x, first): (&mut Parts<'_>, usize),
    blocks: &[Block],
    up: bool,
    job: &impl BlockJob,
) {
    // No closure: it would be compiled without the wide instructions.
    for index in 0..blocks.len() {
        let index = if up { blocks.len() - 1 - index } else { index };
        job.run(simd, x, first, &blocks[index]);
    }
}

/// Brings threads, diagonals and bends to their length. Always in the same
/// order: what is left over then is the same each time and makes no velocity.
/// (Passes that alternate up and down shake a sheet at rest.)
pub(super) struct Solve<'a> {
    pub inverse_mass: &'a [f32],
    pub masks: &'a [[f32; LANES]],
    pub stiffness: &'a Stiffness,
}

impl BlockJob for Solve<'_> {
    /// Moves both ends along the line between them until the length is right,
    /// each by its share of the inverse mass (Müller et al. 2007, eq. 10 and 11,
    /// with the compliance of Macklin et al. 2016, eq. 18):
    /// Δp = ∓ w · (|b − a| − l) / (wa + wb + α/Δt²) · (b − a)/|b − a|.
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, x: &mut Parts<'_>, first: usize, block: &Block) {
        let (rest_m, alpha) = self.stiffness.of(block.kind);
        if alpha == LEFT_OUT {
            return;
        }
        let (a, b) = (block.a as usize, block.b as usize);
        let (wa, wb) = (
            load(simd, self.inverse_mass, a),
            load(simd, self.inverse_mass, b),
        );
        // Masses are of the whole sheet, positions of these rows alone.
        let (a, b) = (a - first, b - first);
        let (pa, pb) = (V3::load(simd, x, a), V3::load(simd, x, b));
        let along = pb.minus(pa);
        // Two particles in one point have no direction: along is zero, the
        // tiny sum keeps the quotient finite, and neither moves.
        let length2 = along.dot(along) + splat(simd, 1e-20);
        let length = length2.sqrt();
        // The multiplier of XPBD starts at zero in each substep and is not kept
        // from pass to pass: exact for the one pass a substep that is the
        // default (Macklin et al. 2019, "Small Steps"), stiffer than asked with
        // more. 1e-9 per kilogram stands against 0/0 between two pins.
        let give = wa + wb + splat(simd, alpha + 1e-9);
        let mask = load(simd, &self.masks[usize::from(block.mask)], 0);
        let pull = (length - splat(simd, rest_m)) / (length * give) * mask;
        // The shifted vector first: its idle last lane may lie in the other one.
        pb.minus(along.times(pull * wb)).store(x, b);
        pa.plus(along.times(pull * wa)).store(x, a);
    }
}

/// One pass of a job over all of a grid: bands side by side, then the seams
/// between them.
pub(super) fn over_grid(
    level: Level,
    whole: ParticleRows<'_>,
    (blocks, band_slots): (&Blocks, usize),
    up: bool,
    job: &impl BlockJob,
) {
    let mut whole = whole;
    if blocks.bands.len() == 1 {
        dispatch!(level, simd => run_blocks(simd, (&mut whole.x, 0), &blocks.blocks, up, job));
        return;
    }
    each_band(whole.reborrow(), band_slots, &|band| {
        let range = blocks.bands[band.first / band_slots].clone();
        let part = (&mut band.x, band.first);
        dispatch!(level, simd => run_blocks(simd, part, &blocks.blocks[range], up, job));
        0.0
    });
    over_seams(level, whole, (blocks, band_slots), up, job);
}

/// The seams alone.
pub(super) fn over_seams(
    level: Level,
    whole: ParticleRows<'_>,
    (blocks, band_slots): (&Blocks, usize),
    up: bool,
    job: &impl BlockJob,
) {
    if blocks.seams.is_empty() {
        return;
    }
    // Half a band further down every seam lies within a band.
    let half = blocks.half_band_slots;
    let (_, lower) = whole.split(half);
    each_band(lower, band_slots, &|band| {
        let index = (band.first - half) / band_slots;
        if let Some(range) = blocks.seams.get(index) {
            let part = (&mut band.x, band.first);
            let blocks = &blocks.blocks[range.clone()];
            dispatch!(level, simd => run_blocks(simd, part, blocks, up, job));
        }
        0.0
    });
}

/// One pass over all constraints of a mesh.
pub(super) fn solve_mesh(
    level: Level,
    mut x: Parts<'_>,
    inverse_mass: &[f32],
    gathers: &[Gather],
    stiffness: &Stiffness,
) {
    dispatch!(level, simd => solve_mesh_in(simd, &mut x, inverse_mass, gathers, stiffness));
}

#[inline(always)]
fn solve_mesh_in<S: Simd>(
    simd: S,
    x: &mut Parts<'_>,
    inverse_mass: &[f32],
    gathers: &[Gather],
    stiffness: &Stiffness,
) {
    for gather in gathers {
        let (_, alpha) = stiffness.of(gather.kind);
        if alpha == LEFT_OUT {
            continue;
        }
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
    // The same formula as on a grid, its particles gathered one by one.
    let length = (along.dot(along) + splat(simd, 1e-20)).sqrt();
    let give = wa + wb + splat(simd, alpha + 1e-9);
    let rest = load(simd, &gather.rest_m, 0);
    let pull = (length - rest) / (length * give) * load(simd, &gather.mask, 0);
    let (pa, pb) = (
        pa.plus(along.times(pull * wa)),
        pb.minus(along.times(pull * wb)),
    );
    // Idle lanes repeat the first constraint: writing them would undo it.
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
