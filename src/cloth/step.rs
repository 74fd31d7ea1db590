//! One step of 1/120 s.

use fearless_simd::{Simd, dispatch};

use super::{
    Cloth, SolverMode, StepOutcome, Threads,
    constraints::{LEFT_OUT, Solve, over_grid, over_seams, run_blocks, solve_mesh},
    contact::{Touch, furthest_in},
    lanes::{LANES, Parts, Soa, V3, load, parts},
    layout::Layout,
    normals::{NormalsOut, row_in},
    particle_rows::{each_band, split_parts},
    particles::{Drift, Particles, VelocityRule, predict, predict_published, update_velocities},
    settings::STEP_SECS,
    skin::SkinTouch,
    strain::{self, Shorten},
    wind::WindForces,
};
use crate::collide::{Collider, MovingMesh};

/// Velocity that PBD as published keeps each step.
const PUBLISHED_DAMPING: f32 = 0.99;
// Not derived: the next three are such that the thousand scenes of `trials`
// hold (solids of up to 10 m/s, no vertex 2 mm deep, no sheet given up).
/// A solid should not go further in a substep, in shares of the gap between
/// particles: what it takes along strains its neighbours by as much.
const TRAVEL_FRACTION: f32 = 0.05;
/// Most substeps, as a multiple of those asked for.
const MOST_SUBSTEPS: u32 = 4;
/// Most passes that draw in strained threads at the end of a step.
const LIMIT_PASSES: usize = 24;
/// Most passes that carry out what still passes through the skin.
const MEND_PASSES: usize = 24;
/// What those may strain threads beyond their limit, as a share.
const MENDED_SLACK: f32 = 0.01;
/// Stretch at which a sheet is given up.
const BLOWN_UP: f32 = 3.0;

/// What a sheet meets in a step.
#[derive(Clone, Copy, Default)]
pub struct Around<'a> {
    /// Solids, from where the step begins to where it ends.
    pub solids: &'a [Collider],
    /// A mesh likewise, with all its triangles.
    pub skin: Option<&'a MovingMesh>,
}

impl<'a> From<&'a [Collider]> for Around<'a> {
    fn from(solids: &'a [Collider]) -> Self {
        let skin = None;
        Self { solids, skin }
    }
}

impl Cloth {
    /// One step among solids that move from their start to their end in it.
    pub fn step(&mut self, colliders: &[Collider]) -> StepOutcome {
        self.step_watched(colliders.into(), |_, _| {})
    }

    /// One step among solids and before a mesh.
    pub fn step_among(&mut self, around: Around<'_>) -> StepOutcome {
        self.step_watched(around, |_, _| {})
    }

    /// The sheet or the mesh is elsewhere all at once: what it lay on is
    /// forgotten.
    pub fn forget_skin(&mut self) {
        self.skin.forget();
    }

    /// The same, and `watch` is called with every share of the step that a
    /// substep has come to, and at its end.
    pub(super) fn step_watched(
        &mut self,
        around: Around<'_>,
        mut watch: impl FnMut(&Self, f32),
    ) -> StepOutcome {
        self.begin_pins();
        self.contacts.begin(around.solids.len(), self.layout.rows);
        if let Some(mesh) = around.skin {
            let touch = self.skin_touch();
            self.skin.begin(&self.particles, mesh, touch);
        }
        self.particles.touched.fill(0.0);
        match self.settings.mode {
            SolverMode::Pbd | SolverMode::Jacobi => self.step_pbd(around),
            SolverMode::Verlet | SolverMode::Euler => self.step_springs(around, &mut watch),
            SolverMode::Xpbd => self.step_xpbd(around, &mut watch),
        }
        self.mend(around);
        watch(self, 1.0);
        self.end_pins();
        self.steps += 1;
        self.stats.max_stretch = self.max_stretch();
        let touching = self.particles.touched.iter().filter(|&&on| on > 0.0);
        self.stats.contacts = touching.count();
        if self.is_sound() {
            return StepOutcome::Fine;
        }
        self.reset();
        StepOutcome::BlownUp
    }

    /// Extended position based dynamics: many substeps, a pass each.
    fn step_xpbd(&mut self, around: Around<'_>, watch: &mut impl FnMut(&Self, f32)) {
        self.apply_wind();
        // Small substeps with one pass each converge better than one step with
        // as many passes (Macklin et al. 2019).
        let substeps = self.substeps(around);
        self.stats.substeps = substeps;
        let dt = STEP_SECS / substeps as f32;
        self.set_stiffness(dt);
        if self.settings.self_collision {
            // Once a step: the search walks over all particles, and reaches far
            // enough for what they move until the next.
            self.self_collision.find(&self.particles);
            self.self_parting.begin(&self.particles);
        }
        for substep in 0..substeps {
            let fraction = |k: u32| k as f32 / substeps as f32;
            let (from, to) = (fraction(substep), fraction(substep + 1));
            self.carry_pins(to);
            self.predict_and_solve(dt);
            for _ in 1..self.settings.iterations {
                self.solve_constraints();
            }
            if self.settings.self_collision {
                self.self_collision.solve(&mut self.particles);
            }
            self.enter(around, from, to);
            // Contact comes last: whatever threads want, what is shown lies
            // outside all solids. Only the last substep is shown, so only it
            // pays for rounds in which one solid pushes into the next.
            if substep + 1 == substeps {
                self.resolve_contacts(around, from, 4, None);
                self.finish(Some(VelocityRule::Impulse(1.0 / dt)));
            } else {
                self.resolve_contacts(around, from, 1, Some(1.0 / dt));
            }
            watch(self, to);
        }
        self.limit_strain(around);
    }

    /// Position based dynamics as published: one substep, several passes.
    fn step_pbd(&mut self, around: Around<'_>) {
        let (level, dt) = (self.level, STEP_SECS);
        self.stats.substeps = 1;
        self.set_stiffness(dt);
        let drift = Drift {
            gravity: self.settings.gravity,
            dt,
            keep: match self.settings.damping_per_sec > 0.0 {
                true => PUBLISHED_DAMPING,
                false => 1.0,
            },
        };
        let jacobi = self.settings.mode == SolverMode::Jacobi;
        if jacobi {
            self.meet_neighbours();
        }
        // No air and no tethers: the method as it was published, to compare with.
        self.carry_pins(1.0);
        each_band(
            self.particles.all_rows(),
            self.layout.band_slots(),
            &|band| {
                dispatch!(level, simd => predict_published(simd, band, drift));
                0.0
            },
        );
        self.enter(around, 0.0, 1.0);
        for _ in 0..self.settings.iterations {
            match jacobi {
                true => self.jacobi_pass(),
                false => self.solve_constraints(),
            }
            self.resolve_contacts(around, 0.0, 1, None);
        }
        self.finish(Some(VelocityRule::Displacement(1.0 / dt)));
    }

    /// More than asked for while something fast is near.
    fn substeps(&mut self, around: Around<'_>) -> u32 {
        let asked = self.settings.substeps;
        let skin_m = around.skin.map_or(0.0, |_| self.skin.travel_m());
        if around.solids.is_empty() && skin_m == 0.0 {
            return asked;
        }
        // A particle owns about one cell: the root of its area is the spacing.
        let spacing_m = self.area_m2.sqrt();
        let touch = self.touch();
        let travel_m =
            self.contacts
                .fastest_travel_m(self.level, &self.particles, touch, around.solids);
        let travel_m = travel_m.max(skin_m);
        let wanted = (travel_m / (TRAVEL_FRACTION * spacing_m)).ceil() as u32;
        wanted.clamp(asked, MOST_SUBSTEPS * asked)
    }

    fn touch(&self) -> Touch {
        Touch {
            thickness_m: self.settings.thickness_m,
            friction: self.settings.friction,
            row_slots: self.layout.row_slots(),
        }
    }

    fn skin_touch(&self) -> SkinTouch {
        SkinTouch {
            thickness_m: self.settings.thickness_m,
            friction: self.settings.friction,
        }
    }

    /// Brings what is met to a substep, given as shares of the step.
    pub(super) fn enter(&mut self, around: Around<'_>, from: f32, to: f32) {
        self.contacts.enter(around.solids, from, to);
        if let Some(mesh) = around.skin {
            let touch = self.skin_touch();
            self.skin.enter(&self.particles, mesh, touch, to);
        }
    }

    fn set_stiffness(&mut self, dt: f32) {
        let c = self.settings.compliance;
        let (stretch, shear, bend) = (c.stretch_m_per_n, c.shear_m_per_n, c.bend_m_per_n);
        // α/Δt² in 1/kg, the unit of inverse mass that it is added to. With it
        // the stiffness no longer depends on Δt; PBD's zero is as stiff as its
        // passes allow (Macklin et al. 2016).
        let rigid = self.settings.mode.is_published_pbd();
        let kinds = self.settings.kinds.count();
        self.stiffness.alpha = [stretch, stretch, shear, bend, bend]
            .map(|compliance| if rigid { 0.0 } else { compliance / (dt * dt) });
        // `Kind`'s order is that of the knob: what comes later is left out.
        self.stiffness.alpha[kinds..].fill(LEFT_OUT);
    }

    /// Free flight, tethers and the first pass over all constraints: of every
    /// band in one go.
    fn predict_and_solve(&mut self, dt: f32) {
        let (level, band_slots) = (self.level, self.layout.band_slots());
        let drift = Drift {
            gravity: self.settings.gravity,
            dt,
            // Exponential decay: the same a second whatever the substep.
            keep: (-self.settings.damping_per_sec * dt).exp(),
        };
        let tethers = &self.tethers;
        // Of a grid all three in one pass over memory while a band is in the
        // cache; the constraints of a mesh reach everywhere.
        let Threads::Grid(blocks) = &self.threads else {
            each_band(self.particles.all_rows(), band_slots, &|band| {
                dispatch!(level, simd => {
                    predict(simd, band, drift);
                    tethers.solve(simd, band);
                });
                0.0
            });
            return self.solve_constraints();
        };
        let mut whole = self.particles.all_rows();
        let job = Solve {
            inverse_mass: whole.inverse_mass,
            masks: &blocks.masks,
            stiffness: &self.stiffness,
        };
        each_band(whole.reborrow(), band_slots, &|band| {
            let own = &blocks.blocks[blocks.bands[band.first / band_slots].clone()];
            dispatch!(level, simd => {
                predict(simd, band, drift);
                tethers.solve(simd, band);
                run_blocks(simd, (&mut band.x, band.first), own, false, &job);
            });
            0.0
        });
        over_seams(level, whole, (blocks, band_slots), false, &job);
    }

    /// A pass over all constraints.
    fn solve_constraints(&mut self) {
        let (level, band_slots) = (self.level, self.layout.band_slots());
        match &self.threads {
            Threads::Grid(blocks) => {
                let whole = self.particles.all_rows();
                let job = Solve {
                    inverse_mass: whole.inverse_mass,
                    masks: &blocks.masks,
                    stiffness: &self.stiffness,
                };
                over_grid(level, whole, (blocks, band_slots), false, &job);
            }
            Threads::Mesh { gathers, .. } => {
                let p = &mut self.particles;
                let (x, w) = (parts(&mut p.x), &p.inverse_mass);
                solve_mesh(level, x, w, gathers, &self.stiffness);
            }
        }
    }

    /// Puts all particles outside all solids; and, given a rate, velocities
    /// from what has been done to the places.
    pub(super) fn resolve_contacts(
        &mut self,
        around: Around<'_>,
        from: f32,
        rounds: usize,
        per_sec: Option<f32>,
    ) {
        let colliders = around.solids;
        let (level, band_slots) = (self.level, self.layout.band_slots());
        let touch = self.touch();
        if !colliders.is_empty() {
            let furthest2 = each_band(
                self.particles.all_rows(),
                band_slots,
                &|band| dispatch!(level, simd => furthest_in(simd, band)),
            );
            let moved = (furthest2.sqrt(), from);
            self.contacts
                .look_around(level, &self.particles, touch, colliders, moved);
        }
        let contacts = &self.contacts;
        each_band(self.particles.all_rows(), band_slots, &|band| {
            if !colliders.is_empty() {
                contacts.resolve(level, band, touch, colliders, rounds);
            }
            if let (Some(per_sec), None) = (per_sec, around.skin) {
                dispatch!(level, simd => update_velocities(simd, band, per_sec));
            }
            0.0
        });
        let Some(mesh) = around.skin else {
            return;
        };
        // Skin comes after solids: of a foot on the floor the foot is seen.
        let touch = self.skin_touch();
        self.skin.resolve(&mut self.particles, mesh, touch, rounds);
        if let Some(per_sec) = per_sec {
            each_band(self.particles.all_rows(), band_slots, &|band| {
                dispatch!(level, simd => update_velocities(simd, band, per_sec));
                0.0
            });
        }
    }

    /// Draws in threads that a fast solid left too long, solids last.
    fn limit_strain(&mut self, around: Around<'_>) {
        let limit = self.settings.stretch_limit;
        if self.max_stretch() <= limit {
            return;
        }
        // From here on velocities change by what is moved here alone.
        self.particles.predicted.clone_from(&self.particles.x);
        self.skin.stand_still(&self.particles);
        // What holds against the pull has been felt in the substeps.
        let friction = std::mem::replace(&mut self.settings.friction, 0.0);
        // Strain limiting after Provot 1995. Passes go up and down by turns, so
        // that what is shortened at one end reaches the other; a sheet at rest,
        // which that would shake, has nothing to shorten.
        for pass in 0..LIMIT_PASSES {
            // A little further than asked, so that it ends.
            self.shorten(1.0 + 0.9 * (limit - 1.0), pass % 2 == 1);
            self.resolve_contacts(around, 0.0, 2, None);
            if self.max_stretch() <= limit {
                break;
            }
        }
        self.settings.friction = friction;
        self.finish(Some(VelocityRule::Impulse(1.0 / STEP_SECS)));
    }

    /// Carries apart what still passes through the skin or through the sheet
    /// itself, and draws in what that strained.
    fn mend(&mut self, around: Around<'_>) {
        // Only the default solver promises a length, and layers that stay apart.
        let standard = self.settings.mode == SolverMode::Xpbd;
        let layered = self.settings.self_collision && standard;
        if around.skin.is_none() && !layered {
            return;
        }
        let limit = self.settings.stretch_limit + MENDED_SLACK;
        let friction = std::mem::replace(&mut self.settings.friction, 0.0);
        let mut mended = false;
        self.skin.stand_still(&self.particles);
        for pass in 0..MEND_PASSES {
            let strained = standard && self.max_stretch() > limit;
            if strained {
                self.shorten(self.settings.stretch_limit, pass % 2 == 1);
            }
            if strained || mended {
                self.resolve_contacts(around, 0.0, 1, None);
            }
            let p = &mut self.particles;
            let mut crossed = layered && self.self_parting.mend(p);
            if let Some(mesh) = around.skin {
                crossed |= self.skin.mend(p, mesh);
            }
            mended |= crossed || strained;
            if !crossed && !strained {
                break;
            }
        }
        self.settings.friction = friction;
        if mended {
            self.finish(None);
        }
    }

    fn shorten(&mut self, limit: f32, up: bool) {
        match &self.threads {
            Threads::Grid(blocks) => {
                let whole = self.particles.all_rows();
                let job = Shorten {
                    inverse_mass: whole.inverse_mass,
                    masks: &blocks.masks,
                    stiffness: &self.stiffness,
                    limit,
                };
                let cut = (blocks, self.layout.band_slots());
                over_grid(self.level, whole, cut, up, &job);
            }
            Threads::Mesh { gathers, .. } => {
                let p = &mut self.particles;
                strain::shorten_mesh(&mut p.x, &p.inverse_mass, gathers, limit);
            }
        }
    }

    pub(super) fn max_stretch(&mut self) -> f32 {
        let p = &self.particles;
        match &self.threads {
            Threads::Grid(blocks) => strain::max_stretch(self.level, &p.x, blocks, &self.stiffness),
            Threads::Mesh { gathers, .. } => {
                // Vertices of a mesh lie in their own order.
                self.mesh_stretch.resize(self.slot_of.len(), 1.0);
                strain::max_stretch_mesh(&p.x, &p.inverse_mass, gathers, &mut self.mesh_stretch)
            }
        }
    }

    /// Velocities where a rule is given and, a row behind them, normals.
    fn finish(&mut self, rule: Option<VelocityRule>) {
        let (p, n, layout) = (&mut self.particles, &mut self.normals, &self.layout);
        match &self.threads {
            Threads::Grid(_) => {
                let level = self.level;
                let Particles {
                    x,
                    start,
                    predicted,
                    v,
                    inverse_mass,
                    ..
                } = p;
                let before = match rule {
                    Some(VelocityRule::Displacement(_)) => start,
                    _ => predicted,
                };
                let rows = |part: &mut FinishPart<'_>| {
                    let done = (&*x, &*before, &inverse_mass[..], layout);
                    dispatch!(level, simd => finish_in(simd, part, done, rule));
                };
                let part = FinishPart {
                    v: parts(v),
                    normals: n.out(),
                };
                each_part(part, layout.band_slots(), &rows);
            }
            Threads::Mesh { triangles, .. } => {
                if let Some(rule) = rule {
                    let before = match rule {
                        VelocityRule::Displacement(_) => &p.start,
                        VelocityRule::Impulse(_) => &p.predicted,
                    };
                    let mut v = parts(&mut p.v);
                    for at in (0..p.inverse_mass.len()).step_by(LANES) {
                        let done = (&p.x, before, &p.inverse_mass[..]);
                        dispatch!(self.level, simd => velocity_in(simd, &mut v, 0, at, done, rule));
                    }
                }
                n.of_mesh(&p.x, triangles);
            }
        }
    }

    /// Normals alone.
    pub(super) fn finish_normals(&mut self) {
        self.finish(None);
    }

    pub(super) fn apply_wind(&mut self) {
        // By the normals of the last step: the sheet turns little in 1/120 s.
        let forces = WindForces {
            wind: self.settings.wind,
            time_secs: self.steps as f32 * STEP_SECS,
            area_m2: self.area_m2,
            normals: &self.normals.n,
            row_slots: self.layout.row_slots(),
        };
        let band_slots = self.layout.band_slots();
        forces.blow(self.level, self.particles.all_rows(), band_slots);
    }

    fn is_sound(&self) -> bool {
        // Zero times anything finite is zero, times infinity or NaN it is NaN:
        // one sum tells, without a branch for each number.
        let p = &self.particles;
        let sum = |array: &Vec<f32>| array.iter().map(|x| x * 0.0).sum::<f32>();
        let finite = p.x.iter().chain(&p.v).map(sum).sum::<f32>() == 0.0;
        finite && self.stats.max_stretch <= BLOWN_UP
    }
}

/// Velocities and normals of some rows, to be written.
struct FinishPart<'a> {
    v: Parts<'a>,
    normals: NormalsOut<'a>,
}

/// Does a job on every band, as [`each_band`] does.
fn each_part<'a, F>(mut part: FinishPart<'a>, slots: usize, job: &F)
where
    F: Fn(&mut FinishPart<'_>) + Sync,
{
    let bands = part.v[0].len().div_ceil(slots.max(1));
    if bands <= 1 {
        return job(&mut part);
    }
    let at = bands / 2 * slots;
    let (v, n) = (split_parts(part.v, at), split_parts(part.normals.n, at));
    let (first, edges) = (part.normals.first, part.normals.edges);
    let out = |v: Parts<'a>, first: usize, n: Parts<'a>| FinishPart {
        v,
        normals: NormalsOut { first, n, edges },
    };
    let (upper, lower) = (out(v.0, first, n.0), out(v.1, first + at, n.1));
    rayon::join(
        || each_part(upper, slots, job),
        || each_part(lower, slots, job),
    );
}

#[inline(always)]
fn finish_in<S: Simd>(
    simd: S,
    part: &mut FinishPart<'_>,
    (x, before, inverse_mass, layout): (&Soa, &Soa, &[f32], &Layout),
    rule: Option<VelocityRule>,
) {
    let (first, slots) = (part.normals.first, layout.row_slots());
    let rows = first / slots..(first + part.v[0].len()) / slots;
    for row in rows {
        if let Some(rule) = rule {
            let done = (x, before, inverse_mass);
            for at in (row * slots..(row + 1) * slots).step_by(LANES) {
                velocity_in(simd, &mut part.v, first, at, done, rule);
            }
        }
        row_in(simd, &mut part.normals, x, layout, row);
    }
}

#[inline(always)]
fn velocity_in<S: Simd>(
    simd: S,
    v: &mut Parts<'_>,
    first: usize,
    at: usize,
    (x, before, inverse_mass): (&Soa, &Soa, &[f32]),
    rule: VelocityRule,
) {
    let old = V3::load(simd, v, at - first);
    let (x, before) = (V3::load(simd, x, at), V3::load(simd, before, at));
    rule.velocity(simd, x, before, old, load(simd, inverse_mass, at))
        .store(v, at - first);
}
