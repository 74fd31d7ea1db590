//! One step of 1/120 s.

use fearless_simd::{Simd, dispatch};

use super::{
    Cloth, Mode, Outcome, Threads,
    air::Air,
    contact::Surface,
    lanes::parts,
    layout::Layout,
    links::{sweep, sweep_mesh},
    motion::{Particles, update_in},
    normals::{Normals, row_in},
    settings::STEP_SECS,
    strain,
};
use crate::collide::Collider;

/// Velocity that PBD as published keeps each step.
const PUBLISHED_DAMPING: f32 = 0.99;
/// A solid should not go further in a substep, in shares of the gap between
/// particles: what it takes along strains its neighbours by as much.
const TRAVEL_SHARE: f32 = 0.05;
/// Most substeps, as a multiple of those asked for.
const MOST_SUBSTEPS: u32 = 4;
/// Most passes that draw in strained threads at the end of a step.
const LIMIT_PASSES: usize = 24;
/// Stretch at which a sheet is given up.
const BLOWN_UP: f32 = 3.0;

impl Cloth {
    /// One step among solids that move from their start to their end in it.
    pub fn step(&mut self, colliders: &[Collider]) -> Outcome {
        self.begin_pins();
        self.contacts.begin(colliders.len(), self.layout.rows);
        match self.settings.mode {
            Mode::Pbd => self.step_published(colliders),
            Mode::Xpbd => self.step_small(colliders),
        }
        self.end_pins();
        self.steps += 1;
        self.figures.max_stretch = self.max_stretch();
        self.figures.contacts = self.contacts.count();
        if self.is_sound() {
            return Outcome::Fine;
        }
        self.reset();
        Outcome::BlownUp
    }

    /// Extended position based dynamics: many substeps, a pass each.
    fn step_small(&mut self, colliders: &[Collider]) {
        self.blow();
        let substeps = self.substeps(colliders);
        self.figures.substeps = substeps;
        let dt = STEP_SECS / substeps as f32;
        let keep = (-self.settings.damping_per_sec * dt).exp();
        self.set_stiffness(dt);
        if self.settings.self_collision {
            self.self_hits.find(&self.particles);
        }
        for substep in 0..substeps {
            let share = |k: u32| k as f32 / substeps as f32;
            let (from, to) = (share(substep), share(substep + 1));
            self.particles
                .predict(self.level, self.settings.gravity, dt, keep);
            self.carry_pins(to);
            self.tethers.solve(self.level, parts(&mut self.particles.x));
            for _ in 0..self.settings.iterations {
                self.sweep();
            }
            if self.settings.self_collision {
                self.self_hits.solve(&mut self.particles);
            }
            self.contacts.enter(colliders, from, to);
            let last = substep + 1 == substeps;
            self.resolve_contacts(colliders, from, if last { 4 } else { 1 });
            if last {
                self.finish(1.0 / dt);
            } else {
                self.particles.update_velocities(self.level, 1.0 / dt);
            }
        }
        self.draw_in(colliders);
    }

    /// Position based dynamics as published: one substep, several passes.
    fn step_published(&mut self, colliders: &[Collider]) {
        let (level, dt) = (self.level, STEP_SECS);
        self.figures.substeps = 1;
        self.set_stiffness(dt);
        self.particles
            .leap(level, self.settings.gravity, dt, PUBLISHED_DAMPING);
        self.carry_pins(1.0);
        self.contacts.enter(colliders, 0.0, 1.0);
        for _ in 0..self.settings.iterations {
            self.sweep();
            self.resolve_contacts(colliders, 0.0, 1);
        }
        self.particles.velocities_from_way(level, 1.0 / dt);
        self.finish_normals();
    }

    /// More than asked for while something fast is near.
    fn substeps(&mut self, colliders: &[Collider]) -> u32 {
        let asked = self.settings.substeps;
        if colliders.is_empty() {
            return asked;
        }
        let spacing_m = self.area_m2.sqrt();
        let (contacts, sheet) = split_surface(
            &mut self.contacts,
            &mut self.particles,
            &self.layout,
            &self.settings,
        );
        let travel_m = contacts.fastest_travel_m(self.level, &sheet, colliders);
        let wanted = (travel_m / (TRAVEL_SHARE * spacing_m)).ceil() as u32;
        wanted.clamp(asked, MOST_SUBSTEPS * asked)
    }

    fn set_stiffness(&mut self, dt: f32) {
        let c = self.settings.compliance;
        let (stretch, shear, bend) = (c.stretch_m_per_n, c.shear_m_per_n, c.bend_m_per_n);
        let rigid = self.settings.mode == Mode::Pbd;
        self.stiffness.alpha = [stretch, stretch, shear, bend, bend]
            .map(|compliance| if rigid { 0.0 } else { compliance / (dt * dt) });
    }

    fn sweep(&mut self) {
        let (p, stiffness) = (&mut self.particles, &self.stiffness);
        let (x, w) = (parts(&mut p.x), &p.inverse_mass);
        match &self.threads {
            Threads::Grid(blocks) => sweep(self.level, x, w, blocks, stiffness),
            Threads::Mesh { gathers, .. } => {
                sweep_mesh(self.level, x, w, gathers, stiffness);
            }
        }
    }

    fn resolve_contacts(&mut self, colliders: &[Collider], from: f32, rounds: usize) {
        let (contacts, mut sheet) = split_surface(
            &mut self.contacts,
            &mut self.particles,
            &self.layout,
            &self.settings,
        );
        contacts.resolve(self.level, &mut sheet, colliders, from, rounds);
    }

    /// Draws in threads that a fast solid left too long, solids last.
    fn draw_in(&mut self, colliders: &[Collider]) {
        let limit = self.settings.stretch_limit;
        let Threads::Grid(blocks) = &self.threads else {
            return;
        };
        if strain::max_stretch(self.level, &self.particles.x, blocks, &self.stiffness) <= limit {
            return;
        }
        self.particles.predicted.clone_from(&self.particles.x);
        for pass in 0..LIMIT_PASSES {
            let Threads::Grid(blocks) = &self.threads else {
                return;
            };
            let p = &mut self.particles;
            let (x, w) = (parts(&mut p.x), &p.inverse_mass);
            // A little further than asked, so that it ends.
            let aim = 1.0 + 0.9 * (limit - 1.0);
            strain::limit(
                self.level,
                x,
                w,
                blocks,
                &self.stiffness,
                aim,
                pass % 2 == 0,
            );
            self.resolve_contacts(colliders, 0.0, 2);
            if self.max_stretch() <= limit {
                break;
            }
        }
        self.finish(1.0 / STEP_SECS);
    }

    pub(super) fn max_stretch(&self) -> f32 {
        let x = &self.particles.x;
        match &self.threads {
            Threads::Grid(blocks) => strain::max_stretch(self.level, x, blocks, &self.stiffness),
            Threads::Mesh { gathers, .. } => strain::max_stretch_mesh(x, gathers),
        }
    }

    /// Velocities and, a row behind them, normals.
    fn finish(&mut self, per_sec: f32) {
        let (p, n, layout) = (&mut self.particles, &mut self.normals, &self.layout);
        match &self.threads {
            Threads::Grid(_) => {
                dispatch!(self.level, simd => finish_in(simd, p, n, layout, Some(per_sec)));
            }
            Threads::Mesh { triangles, .. } => {
                p.update_velocities(self.level, per_sec);
                n.of_mesh(&p.x, triangles);
            }
        }
    }

    /// Normals alone.
    pub(super) fn finish_normals(&mut self) {
        let (p, n, layout) = (&mut self.particles, &mut self.normals, &self.layout);
        match &self.threads {
            Threads::Grid(_) => {
                dispatch!(self.level, simd => finish_in(simd, p, n, layout, None));
            }
            Threads::Mesh { triangles, .. } => n.of_mesh(&p.x, triangles),
        }
    }

    fn blow(&mut self) {
        let air = Air {
            wind: self.settings.wind,
            time_secs: self.steps as f32 * STEP_SECS,
            area_m2: self.area_m2,
            normals: &self.normals.n,
            row_slots: self.layout.row_slots(),
        };
        air.blow(self.level, &mut self.particles);
    }

    fn is_sound(&self) -> bool {
        // Zero times anything finite is zero, and the sum tells.
        let p = &self.particles;
        let sum = |array: &Vec<f32>| array.iter().map(|x| x * 0.0).sum::<f32>();
        let finite = p.x.iter().chain(&p.v).map(sum).sum::<f32>() == 0.0;
        finite && self.figures.max_stretch <= BLOWN_UP
    }
}

#[inline(always)]
fn finish_in<S: Simd>(
    simd: S,
    p: &mut Particles,
    normals: &mut Normals,
    layout: &Layout,
    per_sec: Option<f32>,
) {
    for row in 0..layout.rows {
        if let Some(per_sec) = per_sec {
            let first = row * layout.row_slots();
            update_in(simd, p, per_sec, first, first + layout.row_slots());
        }
        row_in(simd, normals, p, layout, row);
    }
}

fn split_surface<'a>(
    contacts: &'a mut super::Contacts,
    particles: &'a mut Particles,
    layout: &Layout,
    settings: &super::Settings,
) -> (&'a mut super::Contacts, Surface<'a>) {
    let Particles {
        x,
        start,
        predicted,
        inverse_mass,
        ..
    } = particles;
    let surface = Surface {
        x,
        start,
        predicted,
        inverse_mass,
        row_slots: layout.row_slots(),
        thickness_m: settings.thickness_m,
        friction: settings.friction,
    };
    (contacts, surface)
}
