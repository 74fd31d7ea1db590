//! The sheet that hangs in the viewer: made when asked for, stepped on its
//! own clock, drawn at by the pointer.

use glam::{Vec2, Vec3};

use super::{
    ClothInstance, ClothKnobs, ClothPreset,
    alongside::{OtherSheet, SolverCurve},
};
use crate::{
    cloth::{STEP_SECS, SheetError, SolverMode},
    collide::Terrain,
    scene::{CameraView, Character, alongside},
    skeleton::WorldPose,
};

/// Seconds of a step, [`STEP_SECS`] in the precision of clocks.
pub(in crate::scene) const TICK_SECS: f64 = 1.0 / 120.0;
const _: () = assert!(TICK_SECS as f32 == STEP_SECS);
/// A joint that goes further in a step has not moved but is elsewhere.
const JUMP_M: f32 = 0.15;
/// Pixels from the pointer within which the sheet is taken hold of.
const REACH_PX: f32 = 14.0;
/// A sheet whose fastest vertex is slower lies still.
const STILL_M_PER_S: f32 = 0.01;

/// Most seconds that stepping cloth may take of a frame, where a stopwatch
/// measures them: with the step under way when they end, less than 20 ms.
const PORTION_SECS: f64 = 0.012;

/// When a frame's share of stepping cloth ends, by the stopwatch.
#[derive(Clone, Copy, Debug)]
pub(in crate::scene) struct Portion(Option<f64>);

impl Portion {
    /// As long as it takes.
    pub const UNLIMITED: Self = Self(None);
}

/// What the sheet does at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClothStats {
    /// Vertices.
    pub particles: usize,
    /// Threads, diagonals and bends.
    pub constraints: usize,
    /// Substeps of the last step.
    pub substeps: u32,
    /// Milliseconds of a step of 1/120 s, smoothed.
    pub step_ms: f32,
    /// Longest thread as a share of its length at rest.
    pub max_stretch: f32,
    /// Vertices that touch a solid.
    pub contacts: usize,
    /// How often it had to be put back.
    pub blow_ups: u32,
}

/// A vertex in the hand and where it is drawn to.
#[derive(Clone, Copy, Debug)]
struct Held {
    vertex: usize,
    goal: Vec3,
}

/// What is chosen, and the sheet once it hangs.
#[derive(Debug, Default)]
pub struct ClothController {
    /// Seconds of whatever clock measures a step; no clock, no measurement.
    pub stopwatch: Option<fn() -> f64>,
    knobs: ClothKnobs,
    worn: Option<ClothInstance>,
    /// The same sheet by other solvers.
    others: Vec<OtherSheet>,
    /// Of the sheet, then of the others.
    curves: Vec<SolverCurve>,
    fault: Option<SheetError>,
    held: Option<Held>,
    /// Time that has passed and makes no whole step yet.
    rest_secs: f64,
    step_ms: f32,
    reported_tears: u32,
    /// Steps until a sheet that was just hung is shown.
    settling: usize,
}

impl ClothController {
    /// Other knobs: the sheet goes on with them, or is hung anew where it must.
    pub fn set(&mut self, knobs: ClothKnobs) {
        // Material changes under way; another set-up has other vertices.
        if knobs.setup() != self.knobs.setup() || knobs.alongside != self.knobs.alongside {
            self.reset();
        }
        if knobs.settings.mode != self.knobs.settings.mode
            && let Some(curve) = self.curves.first_mut()
        {
            *curve = SolverCurve::of(knobs.settings.mode);
        }
        let solids = knobs.solids != self.knobs.solids;
        self.knobs = knobs;
        if solids {
            let others = self.others.iter_mut().map(|it| &mut it.cloth);
            let all = self.worn.iter_mut().chain(others);
            all.for_each(|cloth| cloth.set_solids(&knobs.solids));
        }
        if let Some(cloth) = &mut self.worn
            && self.settling == 0
        {
            cloth.set_settings(knobs.all_settings());
            for other in &mut self.others {
                other.set_settings(knobs.all_settings());
            }
        }
    }

    /// The sheets by other solvers: which, how far from the lead, the sheet.
    pub fn others(&self) -> impl Iterator<Item = (SolverMode, Vec3, &ClothInstance)> {
        let shown = self.others.iter().filter(|_| self.settling == 0);
        shown.map(|other| (other.mode, other.offset, &other.cloth))
    }

    /// What each solver has been doing: the sheet's own first.
    #[must_use]
    pub fn curves(&self) -> &[SolverCurve] {
        &self.curves
    }

    /// As chosen.
    #[must_use]
    pub fn knobs(&self) -> ClothKnobs {
        self.knobs
    }

    /// Hangs the sheet anew with the next step.
    pub fn reset(&mut self) {
        self.worn = None;
        self.others.clear();
        self.curves.clear();
        self.held = None;
        self.fault = None;
        self.reported_tears = 0;
        self.settling = 0;
    }

    /// A sheet is asked for.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        self.knobs.preset.is_some()
    }

    /// Whether the picture changes by itself, the body being still.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        let Some(worn) = self.cloth() else {
            return self.is_in_use() && self.fault.is_none();
        };
        let cloth = worn.cloth();
        let fast = |vertex| cloth.velocity(vertex).length() > STILL_M_PER_S;
        self.held.is_some() || (0..cloth.len()).any(fast)
    }

    /// Whoever wears it stands on this; level ground at height 0 where left out.
    pub(in crate::scene) fn stand_on(&mut self, ground: Option<&Terrain>) {
        let level = Terrain::default();
        let solids = &ground.unwrap_or(&level).solids;
        let others = self.others.iter_mut().map(|it| &mut it.cloth);
        let all = self.worn.iter_mut().chain(others);
        all.for_each(|cloth| cloth.stand_on(solids));
    }

    /// Hangs the sheet around a character, when it does not hang yet; true
    /// when it was hung.
    pub(in crate::scene) fn hang(&mut self, character: &Character) -> bool {
        let Some(setup) = self.knobs.setup() else {
            return false;
        };
        if self.worn.is_some() || self.fault.is_some() {
            return false;
        }
        let dressed = (&*character.skeleton, &*character.body);
        match ClothInstance::unsettled(setup, dressed, character.world_pose(), 0.0) {
            Ok(mut cloth) => {
                cloth.set_solids(&self.knobs.solids);
                self.settling = cloth.settling();
                if self.settling == 0 {
                    cloth.set_settings(self.knobs.all_settings());
                }
                self.worn = Some(cloth);
                self.hang_others(character);
                true
            }
            Err(error) => {
                self.fault = Some(error);
                false
            }
        }
    }

    fn hang_others(&mut self, character: &Character) {
        let Some(setup) = self.knobs.setup() else {
            return;
        };
        self.curves = vec![SolverCurve::of(self.knobs.settings.mode)];
        let dressed = (&*character.skeleton, &*character.body);
        for (index, mode) in self.knobs.alongside.into_iter().flatten().enumerate() {
            // Twice as far apart as clips: sheets are wide.
            let offset = alongside(index, character.facing) * 2.0;
            let pose = character.world_pose().shifted(offset);
            if let Ok(mut cloth) = ClothInstance::unsettled(setup, dressed, &pose, 0.0) {
                cloth.set_solids(&self.knobs.solids);
                let mut other = OtherSheet {
                    mode,
                    offset,
                    cloth,
                };
                if self.settling == 0 {
                    other.set_settings(self.knobs.all_settings());
                }
                self.others.push(other);
                self.curves.push(SolverCurve::of(mode));
            }
        }
    }

    /// Why no sheet can hang.
    #[must_use]
    pub fn fault(&self) -> Option<&SheetError> {
        self.fault.as_ref()
    }

    /// Lets time pass; how many whole steps it makes.
    pub(in crate::scene) fn ticks(&mut self, dt_secs: f64) -> u32 {
        self.rest_secs += dt_secs;
        // A frame of 1/60 s is two steps, though it may be rounded to a hair
        // less.
        let ticks = (self.rest_secs / TICK_SECS + 1e-6).floor();
        self.rest_secs -= ticks * TICK_SECS;
        ticks as u32
    }

    /// A frame's share of stepping begins.
    pub(in crate::scene) fn begin_portion(&self) -> Portion {
        Portion(self.stopwatch.map(|now| now() + PORTION_SECS))
    }

    /// Whether a frame's share is used up; without a stopwatch it never is.
    pub(in crate::scene) fn is_spent(&self, portion: Portion) -> bool {
        let now = self.stopwatch.map(|now| now());
        now.zip(portion.0).is_some_and(|(now, end)| now >= end)
    }

    /// Lets a sheet that was just hung come to rest; true once it has.
    pub(in crate::scene) fn settle(&mut self, pose: &WorldPose, portion: Portion) -> bool {
        while self.settling > 0 {
            if self.is_spent(portion) {
                return false;
            }
            let Some(worn) = &mut self.worn else {
                return true;
            };
            worn.step(pose);
            self.others.iter_mut().for_each(|it| it.step(pose, false));
            self.settling -= 1;
            if self.settling == 0 {
                worn.forget_tears();
                worn.set_settings(self.knobs.all_settings());
                for other in &mut self.others {
                    other.cloth.forget_tears();
                    other.set_settings(self.knobs.all_settings());
                }
            }
        }
        true
    }

    /// One step, to the pose at its end; false when the sheet came off, because
    /// the body is elsewhere in another pose, and has to be hung anew.
    pub(in crate::scene) fn step(&mut self, pose: &WorldPose) -> bool {
        let Some(cloth) = &mut self.worn else {
            return true;
        };
        let begun = self.stopwatch.map(|now| now());
        if let Some(held) = self.held {
            cloth.cloth_mut().drag(held.vertex, held.goal);
        }
        // 15 cm in 1/120 s are 18 m/s: rather a seek, or a loop that starts
        // again, than a limb.
        let jumped = cloth.travel_m(pose) > JUMP_M;
        if jumped && !cloth.fits(pose) {
            self.reset();
            return false;
        }
        if jumped {
            cloth.jump(pose);
        }
        cloth.step(pose);
        let ms = self.since_ms(begun);
        // Smoothed over the last twenty steps or so.
        self.step_ms += 0.05 * (ms - self.step_ms);
        self.note(0, ms);
        for index in 0..self.others.len() {
            let begun = self.stopwatch.map(|now| now());
            self.others[index].step(pose, jumped);
            self.note(index + 1, self.since_ms(begun));
        }
        true
    }

    fn since_ms(&self, begun: Option<f64>) -> f32 {
        let spent = self.stopwatch.zip(begun).map(|(now, begun)| now() - begun);
        (spent.unwrap_or(0.0) * 1e3) as f32
    }

    fn note(&mut self, index: usize, step_ms: f32) {
        let sheet = match index {
            0 => self.worn.as_ref(),
            _ => self.others.get(index - 1).map(|other| &other.cloth),
        };
        if let (Some(curve), Some(sheet)) = (self.curves.get_mut(index), sheet) {
            curve.add(sheet, step_ms);
        }
    }

    /// The sheet that was torn and hung anew since the last call, and the solver
    /// that tore it.
    pub fn take_torn(&mut self) -> Option<(ClothPreset, SolverMode)> {
        let cloth = self.worn.as_ref()?;
        let other_tears = |it: &OtherSheet| it.cloth.blow_ups();
        let tears = cloth.blow_ups() + self.others.iter().map(other_tears).sum::<u32>();
        let torn = tears > std::mem::replace(&mut self.reported_tears, tears);
        let lead = std::iter::once((self.knobs.settings.mode, cloth));
        let mut all = lead.chain(self.others.iter().map(|it| (it.mode, &it.cloth)));
        // Who has torn the most is who tears: one blow-up is seldom alone.
        let by = all.by_ref().max_by_key(|(_, cloth)| cloth.blow_ups());
        torn.then(|| {
            (
                cloth.setup().preset,
                by.map_or_else(Default::default, |it| it.0),
            )
        })
    }

    /// The sheet, once it hangs.
    #[must_use]
    pub fn cloth(&self) -> Option<&ClothInstance> {
        self.worn.as_ref().filter(|_| self.settling == 0)
    }

    /// What the sheet does at the moment.
    #[must_use]
    pub fn stats(&self) -> Option<ClothStats> {
        let cloth = self.worn.as_ref()?;
        let stats = cloth.cloth().stats();
        Some(ClothStats {
            particles: stats.particles,
            constraints: stats.constraints,
            substeps: stats.substeps,
            step_ms: self.step_ms,
            max_stretch: stats.max_stretch,
            contacts: stats.contacts,
            blow_ups: cloth.blow_ups(),
        })
    }

    /// Of what lies near the pointer, the vertex that is nearest to the camera:
    /// which, where, how far.
    fn vertex_at(&self, view: &CameraView, at: Vec2, size: Vec2) -> Option<(usize, Vec3, f32)> {
        let cloth = self.worn.as_ref()?.cloth();
        let free = (0..cloth.len()).filter(|&vertex| !cloth.is_pinned(vertex));
        let near = free.filter_map(|vertex| {
            let world = cloth.position(vertex);
            let off_px = (view.project(world)? * size).distance(at);
            (off_px <= REACH_PX).then_some((vertex, world, world.distance(view.eye)))
        });
        near.min_by(|a, b| a.2.total_cmp(&b.2))
    }

    /// Metres from the eye to the sheet under the pointer, pixels; `None` where
    /// there is none.
    #[must_use]
    pub fn distance_at(&self, view: &CameraView, at: Vec2, size: Vec2) -> Option<f32> {
        Some(self.vertex_at(view, at, size)?.2)
    }

    /// Takes hold of the sheet under the pointer, both in pixels.
    pub fn grab(&mut self, view: &CameraView, at: Vec2, size: Vec2) -> bool {
        let taken = self.vertex_at(view, at, size);
        self.held = taken.map(|(vertex, goal, _)| Held { vertex, goal });
        self.held.is_some()
    }

    /// Draws what is held after the pointer, at the depth where it is.
    pub fn pull(&mut self, view: &CameraView, at: Vec2, size: Vec2) {
        if let Some(held) = &mut self.held {
            held.goal = view.beside(held.goal, at / size.max(Vec2::ONE));
        }
    }

    /// Lets go.
    pub fn release(&mut self) {
        self.held = None;
        if let Some(cloth) = &mut self.worn {
            cloth.cloth_mut().drop_dragged();
        }
    }

    /// Pulls a vertex further than any thread reaches.
    #[cfg(test)]
    pub fn tear(&mut self) {
        if let Some(worn) = &mut self.worn {
            let cloth = worn.cloth_mut();
            let last = cloth.len() - 1;
            cloth.pin(last);
            cloth.move_pin(last, Vec3::splat(90.0));
        }
    }
}
