//! Integration: from velocities to predicted positions and back.

use fearless_simd::{Select, Simd, SimdFloat, f32x8};
use glam::Vec3;

use super::{
    lanes::{LANES, Soa, V3, load, splat},
    particle_rows::ParticleRows,
};

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
    pub wind_acceleration: Soa,
    /// 1 for those that touched something in this step.
    pub touched: Vec<f32>,
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
            wind_acceleration: soa(),
            touched: vec![0.0; slots],
            inverse_mass: vec![0.0; slots],
        }
    }
}

/// What moves a particle for a while.
#[derive(Clone, Copy)]
pub(super) struct Drift {
    pub gravity: Vec3,
    pub dt: f32,
    /// Share of the velocity that is kept.
    pub keep: f32,
}

/// Free flight for a substep, exact under a constant pull.
#[inline(always)]
pub(super) fn predict<S: Simd>(simd: S, p: &mut ParticleRows<'_>, drift: Drift) {
    let Drift { gravity, dt, keep } = drift;
    let gravity = V3::splat(simd, gravity.to_array());
    let (dt8, half, keep) = (splat(simd, dt), splat(simd, 0.5 * dt), splat(simd, keep));
    let zero = splat(simd, 0.0);
    for at in (0..p.len()).step_by(LANES) {
        let free = load(simd, p.inverse_mass, p.first + at).simd_gt(zero);
        let pull = gravity.plus(V3::load(simd, &p.wind_acceleration, at));
        let x = V3::load(simd, &p.x, at);
        let v = V3::load(simd, &p.v, at);
        // x + v·Δt + ½·a·Δt²: a fall is then the same in one substep and in
        // twelve; symplectic Euler falls ½·a·Δt² too far in each.
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

/// Symplectic Euler as published: the new velocity moves the particle.
#[inline(always)]
pub(super) fn predict_published<S: Simd>(simd: S, p: &mut ParticleRows<'_>, drift: Drift) {
    let Drift { gravity, dt, keep } = drift;
    let pull = V3::splat(simd, (gravity * dt).to_array());
    let (dt, keep, zero) = (splat(simd, dt), splat(simd, keep), splat(simd, 0.0));
    for at in (0..p.len()).step_by(LANES) {
        let free = load(simd, p.inverse_mass, p.first + at).simd_gt(zero);
        let x = V3::load(simd, &p.x, at);
        // Müller et al. 2007, lines 5 to 7 of the algorithm.
        let v = V3::load(simd, &p.v, at).plus(pull).times(keep);
        let next = x.plus(v.times(dt));
        x.store(&mut p.start, at);
        next.map2(x, |next, x| free.select(next, x))
            .store(&mut p.x, at);
    }
}

/// How a substep's ways become velocities.
#[derive(Clone, Copy)]
pub(super) enum VelocityRule {
    /// What constraints did to the places, times this rate, they also do to
    /// the velocities.
    Impulse(f32),
    /// The velocity is the way since the substep began times this rate: as
    /// published.
    Displacement(f32),
}

impl VelocityRule {
    /// `x` now, `before` as predicted or as begun.
    #[inline(always)]
    pub fn velocity<S: Simd>(
        self,
        simd: S,
        x: V3<S>,
        before: V3<S>,
        v: V3<S>,
        inverse_mass: f32x8<S>,
    ) -> V3<S> {
        let zero = splat(simd, 0.0);
        let free = inverse_mass.simd_gt(zero);
        let displacement = x.minus(before);
        let v = match self {
            // The way since the substep began would give the mean velocity of
            // the flight, ½·a·Δt behind that of its end; what constraints
            // added to the prediction has no such lag.
            Self::Impulse(per_sec) => {
                let v = v.plus(displacement.times(splat(simd, per_sec)));
                // Nothing may become faster than anything here is made for.
                // Scaled, not clamped by axis: the direction stays.
                let speed = v.length().max(splat(simd, 1e-6));
                v.times((splat(simd, MAX_SPEED) / speed).min(splat(simd, 1.0)))
            }
            Self::Displacement(per_sec) => displacement.times(splat(simd, per_sec)),
        };
        v.map2(v, |v, _| free.select(v, zero))
    }
}

/// New velocities by the impulses of a substep.
#[inline(always)]
pub(super) fn update_velocities<S: Simd>(simd: S, p: &mut ParticleRows<'_>, per_sec: f32) {
    for at in (0..p.len()).step_by(LANES) {
        let (x, predicted) = (V3::load(simd, &p.x, at), V3::load(simd, &p.predicted, at));
        let v = V3::load(simd, &p.v, at);
        let inverse_mass = load(simd, p.inverse_mass, p.first + at);
        VelocityRule::Impulse(per_sec)
            .velocity(simd, x, predicted, v, inverse_mass)
            .store(&mut p.v, at);
    }
}
