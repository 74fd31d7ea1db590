//! Every constraint as both of its particles see it.
//!
//! The default solvers walk over constraints, eight at a time. Those to compare
//! with (springs, Jacobi) walk over particles: each reads its neighbours as they
//! were and writes itself alone, so that any number of threads gives the same.

use glam::Vec3;
use rayon::prelude::*;

use super::{
    Threads,
    constraints::Stiffness,
    lanes::{LANES, Soa},
    layout::Kind,
};

/// Slots that a thread takes at a time: less is done before another has begun.
const PORTION: usize = 2048;

/// The other end of a constraint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    pub slot: u32,
    pub rest_m: f32,
    pub kind: Kind,
}

/// Neighbours of all slots, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    /// Where those of each slot begin; one more at the end.
    first: Vec<u32>,
    all: Vec<Neighbour>,
}

impl Neighbours {
    pub fn of(threads: &Threads, stiffness: &Stiffness, slots: usize) -> Self {
        let mut pairs: Vec<(u32, Neighbour)> = Vec::new();
        let mut join = |a: u32, b: u32, rest_m: f32, kind: Kind| {
            let neighbour = |slot| Neighbour { slot, rest_m, kind };
            pairs.extend([(a, neighbour(b)), (b, neighbour(a))]);
        };
        match threads {
            Threads::Grid(all) => {
                for block in &all.blocks {
                    let (mask, (rest_m, _)) = (
                        &all.masks[usize::from(block.mask)],
                        stiffness.of(block.kind),
                    );
                    for lane in (0..LANES).filter(|&lane| mask[lane] > 0.0) {
                        let lane = lane as u32;
                        join(block.a + lane, block.b + lane, rest_m, block.kind);
                    }
                }
            }
            Threads::Mesh { gathers, .. } => {
                for g in gathers {
                    for lane in (0..LANES).filter(|&lane| g.mask[lane] > 0.0) {
                        join(g.a[lane], g.b[lane], g.rest_m[lane], g.kind);
                    }
                }
            }
        }
        // Stable: a particle adds up in the same order on every machine.
        pairs.sort_by_key(|(slot, _)| *slot);
        let first = |slot: usize| pairs.partition_point(|(of, _)| (*of as usize) < slot) as u32;
        Self {
            first: (0..=slots).map(first).collect(),
            all: pairs.into_iter().map(|(_, neighbour)| neighbour).collect(),
        }
    }

    pub fn of_slot(&self, slot: usize) -> &[Neighbour] {
        &self.all[self.first[slot] as usize..self.first[slot + 1] as usize]
    }
}

/// Writes a value for every slot, side by side.
pub(super) fn each_slot(out: &mut [Vec3], value: impl Fn(usize) -> Vec3 + Sync) {
    let portions = out.par_chunks_mut(PORTION).enumerate();
    portions.for_each(|(portion, out)| {
        for (index, out) in out.iter_mut().enumerate() {
            *out = value(portion * PORTION + index);
        }
    });
}

/// A slot's vector.
pub(super) fn point(soa: &Soa, slot: usize) -> Vec3 {
    Vec3::new(soa[0][slot], soa[1][slot], soa[2][slot])
}

/// Writes a slot's vector.
pub(super) fn set_point(soa: &mut Soa, slot: usize, value: Vec3) {
    [soa[0][slot], soa[1][slot], soa[2][slot]] = value.to_array();
}
