//! Long-range attachment (Kim, Chentanez and Müller-Fischer 2012): no particle
//! hangs further from its nearest pin than the sheet between them reaches. It
//! is what carries a hanging sheet, so that the threads need only settle among
//! themselves: a few passes carry a pull only a part of the way across a sheet.

use fearless_simd::{Select, Simd, SimdFloat};

use super::{
    lanes::{LANES, Soa, V3, load, splat},
    particle_rows::ParticleRows,
};

/// Longer than anything here: no tether.
const FREE_M: f32 = 1e9;

/// For every slot the pin that holds it and how far it may be.
#[derive(Clone, Debug)]
pub(super) struct Tethers {
    pin_slot: Vec<u32>,
    reach_m: Vec<f32>,
    at: Soa,
    any: bool,
}

impl Tethers {
    pub fn new(slots: usize) -> Self {
        Self {
            pin_slot: vec![0; slots],
            reach_m: vec![FREE_M; slots],
            at: std::array::from_fn(|_| vec![0.0; slots]),
            any: false,
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.reach_m.fill(FREE_M);
        self.any = false;
    }

    pub fn tie(&mut self, slot: usize, pin_slot: usize, reach_m: f32) {
        self.pin_slot[slot] = pin_slot as u32;
        self.reach_m[slot] = reach_m;
        self.any = true;
    }

    /// Follows the pins.
    pub fn follow(&mut self, x: &Soa) {
        if self.any {
            for (at, x) in self.at.iter_mut().zip(x) {
                // Copied beside every particle, so that solving loads eight in a row.
                for (at, &pin) in at.iter_mut().zip(&self.pin_slot) {
                    *at = x[pin as usize];
                }
            }
        }
    }

    /// Draws in what hangs too far.
    #[inline(always)]
    pub fn solve<S: Simd>(&self, simd: S, p: &mut ParticleRows<'_>) {
        if !self.any {
            return;
        }
        for slot in (0..p.len()).step_by(LANES) {
            let at = V3::load(simd, &self.at, p.first + slot);
            let was = V3::load(simd, &p.x, slot);
            let off = was.minus(at);
            let length = off.length().max(splat(simd, 1e-9));
            let reach = load(simd, &self.reach_m, p.first + slot);
            // One-sided, and only the particle moves: a pin has no mass to give,
            // and within reach a tether is slack.
            let taut = length.simd_gt(reach);
            let drawn = at.plus(off.times(reach / length));
            drawn
                .map2(was, |new, old| taut.select(new, old))
                .store(&mut p.x, slot);
        }
    }

    /// The place nearest to `world` that a slot's tether reaches.
    pub fn within(&self, slot: usize, world: glam::Vec3) -> glam::Vec3 {
        if !self.any {
            return world;
        }
        let at = glam::Vec3::from_array(self.at.each_ref().map(|at| at[slot]));
        at + (world - at).clamp_length_max(self.reach_m[slot])
    }
}
