//! Where a sheet passes through itself as a step ends: found exactly, triangle
//! by triangle, and parted again.
//!
//! Particles that keep apart leave little to do here: edges between them. Two
//! triangles go back to the sides of each other that they were on as the step
//! began.

use glam::Vec3A;
use rayon::prelude::*;

use super::{
    Cloth,
    lanes::Soa,
    particles::Particles,
    parting::{MOST_M, Sums, bounds_of, normal_of, on_one_side, shares_met},
};
use crate::collide::{Bounds, BoxTree, nearest_between_triangles, triangles_cross};

/// Kept between two triangles that were parted.
const MARGIN_M: f32 = 5e-4;

/// Triangles of a sheet, and where they began.
#[derive(Clone, Debug, Default)]
pub(super) struct SelfParting {
    /// Corners as slots.
    triangles: Vec<[u32; 3]>,
    tree: BoxTree,
    /// Of every slot, as the step began.
    begun: Vec<Vec3A>,
    sums: Sums,
}

fn point(soa: &Soa, slot: u32) -> Vec3A {
    let slot = slot as usize;
    Vec3A::new(soa[0][slot], soa[1][slot], soa[2][slot])
}

impl SelfParting {
    pub fn new(cloth: &Cloth) -> Self {
        let slots = |t: [u32; 3]| t.map(|vertex| cloth.slot_of[vertex as usize]);
        let triangles: Vec<[u32; 3]> = cloth.sheet.triangles().into_iter().map(slots).collect();
        let x = &cloth.particles.x;
        let centre = |t: &[u32; 3]| t.iter().map(|&slot| point(x, slot)).sum::<Vec3A>() / 3.0;
        let centres: Vec<Vec3A> = triangles.iter().map(centre).collect();
        Self {
            tree: BoxTree::over(&centres),
            triangles,
            ..Self::default()
        }
    }

    /// Remembers where the step begins.
    pub fn begin(&mut self, p: &Particles) {
        self.begun.clear();
        let slots = 0..p.inverse_mass.len() as u32;
        self.begun.extend(slots.map(|slot| point(&p.x, slot)));
    }

    /// Pairs of triangles that pass through each other.
    pub fn crossings(&mut self, p: &Particles) -> Vec<[u32; 2]> {
        let triangles = &self.triangles;
        let corners = |triangle: u32| triangles[triangle as usize].map(|slot| point(&p.x, slot));
        self.tree.refit(|triangle| bounds_of(corners(triangle)));
        let tree = &self.tree;
        let firsts = (0..triangles.len() as u32).into_par_iter();
        let pairs = firsts.with_min_len(128).flat_map_iter(|one| {
            let own = corners(one);
            let bounds: Bounds = bounds_of(own);
            let mut pairs = Vec::new();
            tree.query(&bounds, |other| {
                let joined = { triangles[one as usize].iter() }
                    .any(|slot| triangles[other as usize].contains(slot));
                if other <= one || joined {
                    return;
                }
                let there = corners(other);
                if !on_one_side(own, there) && triangles_cross(own, there) {
                    pairs.push([one, other]);
                }
            });
            pairs
        });
        pairs.collect()
    }

    /// Parts them, once; whether there were any.
    pub fn mend(&mut self, p: &mut Particles) -> bool {
        let pairs = self.crossings(p);
        self.sums.clear(p.inverse_mass.len());
        for &pair in &pairs {
            let slots = pair.map(|triangle| self.triangles[triangle as usize]);
            let [one, other] = slots.map(|slots| slots.map(|slot| point(&p.x, slot)));
            let begun = slots.map(|slots| slots.map(|slot| self.begun[slot as usize]));
            // Of those that crossed already nobody knows the side any more.
            if triangles_cross(begun[0], begun[1]) {
                continue;
            }
            let by = 0.5 * apart(one, other, begun);
            self.sums.carry(p, slots[0], shares_met(one, other), by);
            self.sums.carry(p, slots[1], shares_met(other, one), -by);
        }
        self.sums.apply(p);
        self.sums.any()
    }
}

/// How far the first of two triangles has to go from the second.
fn apart(one: [Vec3A; 3], other: [Vec3A; 3], begun: [[Vec3A; 3]; 2]) -> Vec3A {
    let (here, there) = nearest_between_triangles(begun[0], begun[1]);
    let centre = |t: [Vec3A; 3]| (t[0] + t[1] + t[2]) / 3.0;
    let side = match here.distance_squared(there) > 1e-12 {
        true => here - there,
        false => centre(begun[0]) - centre(begun[1]),
    };
    // Whichever of the two lies wholly before the other the sooner.
    let facing = |normal: Vec3A| normal.normalize_or_zero() * normal.dot(side).signum();
    let (own, its) = (facing(normal_of(one)), facing(normal_of(other)));
    let sunk_m = one.map(|at| (other[0] - at).dot(its)).into_iter();
    let raised_m = other.map(|at| (at - one[0]).dot(own)).into_iter();
    let (sunk_m, raised_m) = (sunk_m.fold(0.0, f32::max), raised_m.fold(0.0, f32::max));
    let by = match sunk_m < raised_m {
        true => its * (sunk_m + MARGIN_M),
        false => own * (raised_m + MARGIN_M),
    };
    by.clamp_length_max(MOST_M)
}
