//! The particles of a run of rows, and threads that work on several runs side
//! by side.

use super::lanes::{Parts, parts};
use super::particles::Particles;

/// All that changes of the slots from `first` on. What is only read is given
/// for the whole sheet.
pub(super) struct ParticleRows<'a> {
    pub first: usize,
    pub x: Parts<'a>,
    pub start: Parts<'a>,
    pub predicted: Parts<'a>,
    pub v: Parts<'a>,
    pub wind_acceleration: Parts<'a>,
    pub touched: &'a mut [f32],
    pub inverse_mass: &'a [f32],
}

impl Particles {
    /// All of them.
    pub fn all_rows(&mut self) -> ParticleRows<'_> {
        ParticleRows {
            first: 0,
            x: parts(&mut self.x),
            start: parts(&mut self.start),
            predicted: parts(&mut self.predicted),
            v: parts(&mut self.v),
            wind_acceleration: parts(&mut self.wind_acceleration),
            touched: &mut self.touched,
            inverse_mass: &self.inverse_mass,
        }
    }
}

impl<'a> ParticleRows<'a> {
    pub fn len(&self) -> usize {
        self.touched.len()
    }

    /// The same, lent for a while.
    pub fn reborrow(&mut self) -> ParticleRows<'_> {
        let [x, start, predicted, v, wind_acceleration] = [
            &mut self.x,
            &mut self.start,
            &mut self.predicted,
            &mut self.v,
            &mut self.wind_acceleration,
        ]
        .map(|parts| parts.each_mut().map(|part| &mut **part));
        ParticleRows {
            first: self.first,
            x,
            start,
            predicted,
            v,
            wind_acceleration,
            touched: self.touched,
            inverse_mass: self.inverse_mass,
        }
    }

    /// The first slots and the rest.
    pub fn split(self, at: usize) -> (Self, Self) {
        let [x, start, predicted, v, wind_acceleration] = [
            self.x,
            self.start,
            self.predicted,
            self.v,
            self.wind_acceleration,
        ]
        .map(|p| split_parts(p, at));
        let touched = self.touched.split_at_mut(at);
        let upper = Self {
            first: self.first,
            x: x.0,
            start: start.0,
            predicted: predicted.0,
            v: v.0,
            wind_acceleration: wind_acceleration.0,
            touched: touched.0,
            inverse_mass: self.inverse_mass,
        };
        let lower = Self {
            first: self.first + at,
            x: x.1,
            start: start.1,
            predicted: predicted.1,
            v: v.1,
            wind_acceleration: wind_acceleration.1,
            touched: touched.1,
            inverse_mass: self.inverse_mass,
        };
        (upper, lower)
    }
}

/// Three arrays, cut at one place.
pub(super) fn split_parts(all: Parts<'_>, at: usize) -> (Parts<'_>, Parts<'_>) {
    let [x, y, z] = all.map(|part| part.split_at_mut(at));
    ([x.0, y.0, z.0], [x.1, y.1, z.1])
}

/// Does a job on every band of so many slots, on several threads when there
/// are several; the largest of what they return. No band sees another, and
/// the largest is the same in any order: so are the bits.
pub(super) fn each_band<F>(mut band: ParticleRows<'_>, slots: usize, job: &F) -> f32
where
    F: Fn(&mut ParticleRows<'_>) -> f32 + Sync,
{
    let bands = band.len().div_ceil(slots.max(1));
    if bands <= 1 {
        return job(&mut band);
    }
    let (upper, lower) = band.split(bands / 2 * slots);
    let (a, b) = rayon::join(
        || each_band(upper, slots, job),
        || each_band(lower, slots, job),
    );
    a.max(b)
}
