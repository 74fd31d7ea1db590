//! Threads as springs: what was tried before position based dynamics.
//!
//! A force f = k (|d| − l) + c (relative speed along d) draws two particles
//! together (Provot 1995). Explicit Euler moves a particle by the velocity it
//! had: undamped it gains energy in every step and always blows up. Verlet's
//! rule x⁺ = 2x − x⁻ + a Δt² gains none as long as ω Δt < 2, ω² = 4 k/m for a
//! chain and more for a sheet; beyond that it blows up too. Stiff cloth needs
//! steps so small that nobody waits for them: hence constraints instead.

use glam::Vec3;

use super::{
    Around, Cloth, SolverMode,
    neighbours::{each_slot, point, set_point},
    settings::STEP_SECS,
};

/// Bends are this much softer than threads: of the same stiffness they make a
/// board, not a cloth.
const BEND_STIFFNESS: f32 = 0.1;

impl Cloth {
    /// Force-based: springs, and an explicit rule for time.
    pub(super) fn step_springs(&mut self, around: Around<'_>, watch: &mut impl FnMut(&Self, f32)) {
        self.apply_wind();
        self.meet_neighbours();
        let substeps = self.settings.substeps;
        self.stats.substeps = substeps;
        let dt = STEP_SECS / substeps as f32;
        for substep in 0..substeps {
            let fraction = |k: u32| k as f32 / substeps as f32;
            let (from, to) = (fraction(substep), fraction(substep + 1));
            self.carry_pins(to);
            self.spring_accelerations();
            match self.settings.mode {
                SolverMode::Euler => self.move_by_euler(dt),
                _ => self.move_by_verlet(dt),
            }
            self.enter(around, from, to);
            self.resolve_contacts(around, from, 1, None);
            self.velocities_after_contact(dt);
            watch(self, to);
        }
        self.finish_normals();
    }

    /// Gravity, air and springs at every free particle, m/s².
    fn spring_accelerations(&mut self) {
        let (p, neighbours) = (&self.particles, &self.neighbours);
        let springs = self.settings.springs;
        let (stiffness, damping) = (springs.stiffness_n_per_m, springs.damping_n_s_per_m);
        let (gravity, kinds) = (self.settings.gravity, self.settings.kinds);
        each_slot(&mut self.scratch, |slot| {
            let inverse_mass = p.inverse_mass[slot];
            if inverse_mass == 0.0 {
                return Vec3::ZERO;
            }
            let (at, v) = (point(&p.x, slot), point(&p.v, slot));
            let mut force_n = Vec3::ZERO;
            for other in neighbours.of_slot(slot) {
                if !kinds.has(other.kind) {
                    continue;
                }
                let along = point(&p.x, other.slot as usize) - at;
                // Two particles in one point have no direction.
                let length = along.length().max(1e-9);
                let direction = along / length;
                let drawn_n_per_m = match other.kind.is_bend() {
                    true => BEND_STIFFNESS * stiffness,
                    false => stiffness,
                };
                let apart = (point(&p.v, other.slot as usize) - v).dot(direction);
                let pull_n = drawn_n_per_m * (length - other.rest_m) + damping * apart;
                force_n += direction * pull_n;
            }
            gravity + point(&p.wind_acceleration, slot) + force_n * inverse_mass
        });
    }

    fn keep(&self, dt: f32) -> f32 {
        (-self.settings.damping_per_sec * dt).exp()
    }

    /// x⁺ = x + v Δt, v⁺ = v + a Δt: the velocity moves on after the place did.
    fn move_by_euler(&mut self, dt: f32) {
        let keep = self.keep(dt);
        let p = &mut self.particles;
        for slot in 0..p.inverse_mass.len() {
            let (at, v) = (point(&p.x, slot), point(&p.v, slot));
            set_point(&mut p.start, slot, at);
            if p.inverse_mass[slot] > 0.0 {
                set_point(&mut p.x, slot, at + v * dt);
                set_point(&mut p.v, slot, (v + self.scratch[slot] * dt) * keep);
            }
        }
        p.predicted.clone_from(&p.x);
    }

    /// x⁺ = x + (x − x⁻) + a Δt², where v is (x − x⁻)/Δt.
    fn move_by_verlet(&mut self, dt: f32) {
        let keep = self.keep(dt);
        let p = &mut self.particles;
        for slot in 0..p.inverse_mass.len() {
            let (at, v) = (point(&p.x, slot), point(&p.v, slot));
            set_point(&mut p.start, slot, at);
            if p.inverse_mass[slot] > 0.0 {
                let moved = (v * dt + self.scratch[slot] * (dt * dt)) * keep;
                set_point(&mut p.x, slot, at + moved);
            }
        }
    }

    /// What solids did to places they did to velocities. Verlet's are the way
    /// gone, whoever caused it.
    fn velocities_after_contact(&mut self, dt: f32) {
        let euler = self.settings.mode == SolverMode::Euler;
        let p = &mut self.particles;
        for slot in (0..p.inverse_mass.len()).filter(|&slot| p.inverse_mass[slot] > 0.0) {
            let at = point(&p.x, slot);
            let v = match euler {
                true => point(&p.v, slot) + (at - point(&p.predicted, slot)) / dt,
                false => (at - point(&p.start, slot)) / dt,
            };
            set_point(&mut p.v, slot, v);
        }
    }
}
