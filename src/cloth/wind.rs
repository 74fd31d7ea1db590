//! Drag and lift of the air, once a step.

use fearless_simd::{Level, Simd, SimdFloat, dispatch};
use glam::Vec3;

use super::{
    lanes::{LANES, Soa, V3, load, splat},
    particle_rows::{ParticleRows, each_band},
    settings::{STEP_SECS, Wind},
};

/// Half the density of air, kg/m³: 1.2 at 20 °C and sea level.
const HALF_RHO: f32 = 0.6;

/// What the air does in a step: `area_m2` belongs to every particle.
pub(super) struct WindForces<'a> {
    pub wind: Wind,
    pub time_secs: f32,
    pub area_m2: f32,
    pub normals: &'a Soa,
    pub row_slots: usize,
}

impl WindForces<'_> {
    /// Writes the accelerations.
    pub fn blow(&self, level: Level, whole: ParticleRows<'_>, band_slots: usize) {
        if self.wind.drag == 0.0 && self.wind.lift == 0.0 {
            return;
        }
        each_band(whole, band_slots, &|band| {
            dispatch!(level, simd => blow_in(simd, self, band));
            0.0
        });
    }

    /// The wind at a row: gusts travel down the sheet.
    fn at(&self, row: usize) -> Vec3 {
        let (t, s) = (self.time_secs, row as f32 * 0.11);
        // Radians a second whose sum repeats after 2π/0.1 = 63 s, longer than one
        // looks; `s` delays the gusts down the sheet.
        let swell = (1.7 * t - s).sin() + 0.6 * (4.1 * t + 1.3 - 1.9 * s).sin();
        let veer = 0.35 * (2.3 * t + 0.7 + 0.5 * s).sin() + 0.2 * (5.9 * t - s).sin();
        let side = self.wind.velocity.cross(Vec3::Y);
        let gusts = self.wind.gusts;
        self.wind.velocity * (1.0 + 0.5 * gusts * swell) + side * (gusts * veer)
    }
}

/// Force on a plate of area A across unit normal n in a stream v:
/// ½ρA |v·n| (Cd v + Cl (±n |v| − v |v·n| / |v|)).
#[inline(always)]
fn blow_in<S: Simd>(simd: S, forces: &WindForces<'_>, p: &mut ParticleRows<'_>) {
    let (drag, lift) = (splat(simd, forces.wind.drag), splat(simd, forces.wind.lift));
    let (one, tiny) = (splat(simd, 1.0), splat(simd, 1e-6));
    let factor = splat(simd, HALF_RHO * forces.area_m2);
    for at in (0..p.len()).step_by(LANES) {
        let slot = p.first + at;
        let wind = V3::splat(simd, forces.at(slot / forces.row_slots).to_array());
        let stream = wind.minus(V3::load(simd, &p.v, at));
        let normal = V3::load(simd, forces.normals, slot);
        let across = stream.dot(normal);
        // In still air a sheet at rest has no stream to divide by.
        let speed = stream.length() + tiny;
        // Lift is across the stream: n|v| − v|v·n|/|v| has no part along v,
        // and is nothing where the sheet stands square to it.
        let cosine = across.abs() / speed;
        let sideways = normal
            .times(speed.copysign(across))
            .minus(stream.times(cosine));
        let push = stream.times(drag).plus(sideways.times(lift));
        // Per second; taken implicitly (rate / (1 + rate·Δt), backward Euler), so
        // that a light sheet in a gale only comes to drift with it.
        let rate = factor * across.abs() * load(simd, p.inverse_mass, slot);
        let rate = rate / (one + rate * (drag + lift) * splat(simd, STEP_SECS));
        push.times(rate).store(&mut p.wind_acceleration, at);
    }
}
