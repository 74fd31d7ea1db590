//! Triangles that pass through each other, and carrying them apart.

use glam::Vec3A;

use super::{lanes::Soa, particles::Particles};
use crate::collide::{Bounds, line_through_triangle};

/// Furthest that a triangle is carried in one round.
pub(super) const MOST_M: f32 = 0.004;

fn shift(soa: &mut Soa, slot: usize, by: Vec3A) {
    for (array, by) in soa.iter_mut().zip(by.to_array()) {
        array[slot] += by;
    }
}

/// Around a triangle.
pub(super) fn bounds_of([a, b, c]: [Vec3A; 3]) -> Bounds {
    Bounds {
        low: a.min(b).min(c),
        high: a.max(b).max(c),
    }
}

/// What corners are to be moved by, summed up over their triangles.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// Of every slot: the sum and how many there were.
    of_slots: Vec<(Vec3A, f32)>,
    touched: Vec<u32>,
}

impl Sums {
    /// Forgets all, with room for as many slots.
    pub fn clear(&mut self, slots: usize) {
        for slot in self.touched.drain(..) {
            self.of_slots[slot as usize] = (Vec3A::ZERO, 0.0);
        }
        self.of_slots.resize(slots, (Vec3A::ZERO, 0.0));
    }

    fn add(&mut self, slot: u32, by: Vec3A) {
        let sum = &mut self.of_slots[slot as usize];
        if sum.1 == 0.0 {
            self.touched.push(slot);
        }
        sum.0 += by;
        sum.1 += 1.0;
    }

    /// Asks that a triangle be carried at a place of it, as its corners give way.
    pub fn carry(&mut self, p: &Particles, slots: [u32; 3], shares: [f32; 3], by: Vec3A) {
        let masses = slots.map(|slot| p.inverse_mass[slot as usize]);
        let give: f32 = masses.iter().zip(shares).map(|(w, s)| w * s * s).sum();
        if give <= 0.0 {
            return;
        }
        for (slot, (w, s)) in slots.into_iter().zip(masses.into_iter().zip(shares)) {
            if w * s > 0.0 {
                // One corner alone would have to go far for what lies near another.
                self.add(slot, (by * (w * s / give)).clamp_length_max(2.0 * MOST_M));
            }
        }
    }

    /// Whether anything is to be moved.
    pub fn any(&self) -> bool {
        !self.touched.is_empty()
    }

    /// Moves every particle by its mean; no velocity comes of it.
    pub fn apply(&self, p: &mut Particles) {
        for &slot in &self.touched {
            let (sum, count) = self.of_slots[slot as usize];
            let slot = slot as usize;
            shift(&mut p.x, slot, sum / count);
            shift(&mut p.predicted, slot, sum / count);
            p.touched[slot] = 1.0;
        }
    }
}

/// Twice the area long.
pub(super) fn normal_of([a, b, c]: [Vec3A; 3]) -> Vec3A {
    (b - a).cross(c - a)
}

/// Whether either triangle lies clearly on one side of the other.
pub(super) fn on_one_side(one: [Vec3A; 3], other: [Vec3A; 3]) -> bool {
    let clear = |plane: [Vec3A; 3], of: [Vec3A; 3]| {
        let normal = normal_of(plane);
        let heights = of.map(|at| (at - plane[0]).dot(normal));
        // Some rounding of single precision: who is nearer is asked exactly.
        let clear = 1e-4 * normal.length() * (of[1] - of[0]).length().max(1e-6);
        heights.iter().all(|&h| h > clear) || heights.iter().all(|&h| h < -clear)
    };
    clear(other, one) || clear(one, other)
}

/// Where two triangles meet, in shares of the first one's corners.
pub(super) fn shares_met(own: [Vec3A; 3], other: [Vec3A; 3]) -> [f32; 3] {
    let (mut sum, mut count) = ([0.0f32; 3], 0.0f32);
    let mut add = |shares: [f32; 3]| {
        sum.iter_mut().zip(shares).for_each(|(sum, it)| *sum += it);
        count += 1.0;
    };
    for [from, to] in [[0, 1], [1, 2], [2, 0]] {
        let along = own[to] - own[from];
        if let Some(at) = pierced(other, own[from], along) {
            let mut shares = [0.0; 3];
            (shares[from], shares[to]) = (1.0 - at.0, at.0);
            add(shares);
        }
        if let Some((_, shares)) = pierced(own, other[from], other[to] - other[from]) {
            add(shares.map(|share| share.clamp(0.0, 1.0)));
        }
    }
    match count > 0.0 {
        true => sum.map(|share| share / count),
        // Rounded to nothing: the two hardly touch.
        false => [1.0 / 3.0; 3],
    }
}

fn pierced(triangle: [Vec3A; 3], from: Vec3A, along: Vec3A) -> Option<(f32, [f32; 3])> {
    line_through_triangle(triangle, from, along)
        .filter(|(at, shares)| (0.0..=1.0).contains(at) && shares.iter().all(|&s| s >= 0.0))
}
