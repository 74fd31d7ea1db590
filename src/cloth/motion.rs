//! Integration: from velocities to predicted positions and back.

use fearless_simd::{Level, Select, Simd, SimdFloat, dispatch};
use glam::Vec3;

use super::lanes::{LANES, Soa, V3, load, splat};

/// Fastest that a particle may become, in metres a second: five times what
/// solids are made for.
const MAX_SPEED: f32 = 50.0;

/// Places and velocities of all slots.
#[derive(Clone, Debug)]
pub(super) struct Particles {
    /// Now, world space.
    pub x: Soa,
    /// As the substep began.
    pub start: Soa,
    /// As integration left them, before any constraint.
    pub predicted: Soa,
    /// Metres a second.
    pub v: Soa,
    /// Push of the air over this step, metres a second squared.
    pub air: Soa,
    /// Zero is pinned or a ghost.
    pub inverse_mass: Vec<f32>,
}

impl Particles {
    pub fn new(slots: usize) -> Self {
        let soa = || std::array::from_fn(|_| vec![0.0; slots]);
        Self {
            x: soa(),
            start: soa(),
            predicted: soa(),
            v: soa(),
            air: soa(),
            inverse_mass: vec![0.0; slots],
        }
    }

    /// Free flight for a substep, exact under a constant pull.
    pub fn predict(&mut self, level: Level, gravity: Vec3, dt: f32, keep: f32) {
        dispatch!(level, simd => predict_in(simd, self, gravity, dt, keep));
    }

    /// Symplectic Euler as published: the new velocity moves the particle.
    pub fn leap(&mut self, level: Level, gravity: Vec3, dt: f32, keep: f32) {
        dispatch!(level, simd => leap_in(simd, self, gravity, dt, keep));
    }

    /// What constraints did to the places they also do to the velocities.
    pub fn update_velocities(&mut self, level: Level, per_sec: f32) {
        let slots = self.inverse_mass.len();
        dispatch!(level, simd => update_in(simd, self, per_sec, 0, slots));
    }

    /// The velocity is the way since the substep began: as published.
    pub fn velocities_from_way(&mut self, level: Level, per_sec: f32) {
        dispatch!(level, simd => way_in(simd, self, per_sec));
    }
}

#[inline(always)]
fn predict_in<S: Simd>(simd: S, p: &mut Particles, gravity: Vec3, dt: f32, keep: f32) {
    let gravity = V3::splat(simd, gravity.to_array());
    let (dt8, half, keep) = (splat(simd, dt), splat(simd, 0.5 * dt), splat(simd, keep));
    let zero = splat(simd, 0.0);
    for at in (0..p.inverse_mass.len()).step_by(LANES) {
        let free = load(simd, &p.inverse_mass, at).simd_gt(zero);
        let pull = gravity.plus(V3::load(simd, &p.air, at));
        let x = V3::load(simd, &p.x, at);
        let v = V3::load(simd, &p.v, at);
        let mean = v.plus(pull.times(half));
        let v = v.plus(pull.times(dt8)).times(keep);
        let v = v.map2(v, |v, _| free.select(v, zero));
        let next = x.plus(mean.times(dt8 * keep));
        let next = next.map2(x, |next, x| free.select(next, x));
        x.store(&mut p.start, at);
        v.store(&mut p.v, at);
        next.store(&mut p.x, at);
        next.store(&mut p.predicted, at);
    }
}

#[inline(always)]
fn leap_in<S: Simd>(simd: S, p: &mut Particles, gravity: Vec3, dt: f32, keep: f32) {
    let pull = V3::splat(simd, (gravity * dt).to_array());
    let (dt, keep, zero) = (splat(simd, dt), splat(simd, keep), splat(simd, 0.0));
    for at in (0..p.inverse_mass.len()).step_by(LANES) {
        let free = load(simd, &p.inverse_mass, at).simd_gt(zero);
        let x = V3::load(simd, &p.x, at);
        let v = V3::load(simd, &p.v, at).plus(pull).times(keep);
        let next = x.plus(v.times(dt));
        x.store(&mut p.start, at);
        next.map2(x, |next, x| free.select(next, x))
            .store(&mut p.x, at);
    }
}

#[inline(always)]
pub(super) fn update_in<S: Simd>(
    simd: S,
    p: &mut Particles,
    per_sec: f32,
    first: usize,
    end: usize,
) {
    let per_sec = splat(simd, per_sec);
    let zero = splat(simd, 0.0);
    for at in (first..end).step_by(LANES) {
        let free = load(simd, &p.inverse_mass, at).simd_gt(zero);
        let moved = V3::load(simd, &p.x, at).minus(V3::load(simd, &p.predicted, at));
        let v = V3::load(simd, &p.v, at).plus(moved.times(per_sec));
        // Nothing may become faster than anything here is made for.
        let speed = v.length().max(splat(simd, 1e-6));
        let brake = (splat(simd, MAX_SPEED) / speed).min(splat(simd, 1.0));
        let v = v.map2(v, |v, _| free.select(v * brake, zero));
        v.store(&mut p.v, at);
    }
}

#[inline(always)]
fn way_in<S: Simd>(simd: S, p: &mut Particles, per_sec: f32) {
    let per_sec = splat(simd, per_sec);
    let zero = splat(simd, 0.0);
    for at in (0..p.inverse_mass.len()).step_by(LANES) {
        let free = load(simd, &p.inverse_mass, at).simd_gt(zero);
        let way = V3::load(simd, &p.x, at).minus(V3::load(simd, &p.start, at));
        let v = way.times(per_sec);
        v.map2(v, |v, _| free.select(v, zero)).store(&mut p.v, at);
    }
}
