//! The sheet that hangs in the viewer: made when asked for, stepped on its
//! own clock, drawn at by the pointer.

use std::{sync::Arc, time::Instant};

use glam::{Vec2, Vec3};

use super::take::Take;
use crate::{
    cloth::STEP_SECS,
    scene::{CameraView, ClothInstance, ClothLook},
    skeleton::WorldPose,
    ui::{ClothKnobs, ClothStats, ClothView},
};

/// Seconds of a step.
pub const TICK_SECS: f64 = STEP_SECS as f64;
/// A joint that goes further in a step has not moved but is elsewhere.
const JUMP_M: f32 = 0.15;
/// Pixels from the pointer within which the sheet is taken hold of.
const REACH_PX: f32 = 14.0;
/// A sheet whose fastest vertex is slower lies still.
const STILL_M_PER_S: f32 = 0.01;

/// A vertex in the hand and where it is drawn to.
#[derive(Clone, Copy, Debug)]
struct Held {
    vertex: usize,
    goal: Vec3,
}

/// What is chosen, and the sheet once it hangs.
#[derive(Debug, Default)]
pub struct ClothController {
    knobs: ClothKnobs,
    worn: Option<(ClothInstance, Arc<Take>)>,
    fault: Option<String>,
    held: Option<Held>,
    /// Time that has passed and makes no whole step yet.
    rest_secs: f64,
    step_ms: f32,
    told: u32,
}

impl ClothController {
    /// Other knobs: the sheet goes on with them, or is hung anew where it must.
    pub fn set(&mut self, knobs: ClothKnobs) {
        if knobs.setup() != self.knobs.setup() {
            self.reset();
        }
        self.knobs = knobs;
        if let Some((drape, _)) = &mut self.worn {
            drape.set_settings(knobs.all_settings());
        }
    }

    /// Hangs the sheet anew with the next frame.
    pub fn reset(&mut self) {
        self.worn = None;
        self.held = None;
        self.fault = None;
        self.told = 0;
    }

    /// A sheet is asked for.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        self.knobs.preset.is_some()
    }

    /// Whether the picture changes by itself, the body being still.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        let Some((drape, _)) = &self.worn else {
            return self.is_in_use() && self.fault.is_none();
        };
        let cloth = drape.cloth();
        let fast = |vertex| cloth.velocity(vertex).length() > STILL_M_PER_S;
        self.held.is_some() || (0..cloth.len()).any(fast)
    }

    /// Hangs the sheet around whoever is seen, when it does not hang there
    /// yet; true when it was hung.
    pub fn dress(&mut self, take: &Arc<Take>, pose: &WorldPose) -> bool {
        let Some(setup) = self.knobs.setup() else {
            return false;
        };
        let worn = self.worn.as_ref();
        if worn.is_some_and(|(_, by)| Arc::ptr_eq(by, take)) || self.fault.is_some() {
            return false;
        }
        self.reset();
        match ClothInstance::new(setup, (&take.skeleton, &take.body), pose, 0.0) {
            Ok(mut drape) => {
                drape.set_settings(self.knobs.all_settings());
                self.worn = Some((drape, Arc::clone(take)));
                true
            }
            Err(error) => {
                self.fault = Some(error.to_string());
                false
            }
        }
    }

    /// Lets time pass; how many whole steps it makes.
    pub fn ticks(&mut self, dt_secs: f64) -> u32 {
        self.rest_secs += dt_secs;
        let ticks = (self.rest_secs / TICK_SECS + 1e-6).floor();
        self.rest_secs -= ticks * TICK_SECS;
        ticks as u32
    }

    /// One step, to the pose at its end.
    pub fn step(&mut self, pose: &WorldPose) {
        let Some((drape, _)) = &mut self.worn else {
            return;
        };
        let begun = Instant::now();
        if let Some(held) = self.held {
            drape.cloth_mut().drag(held.vertex, held.goal);
        }
        if drape.travel_m(pose) > JUMP_M {
            drape.jump(pose);
        }
        drape.step(pose);
        let ms = begun.elapsed().as_secs_f32() * 1e3;
        self.step_ms += 0.05 * (ms - self.step_ms);
    }

    /// What there is to tell since the last call.
    pub fn news(&mut self) -> Option<String> {
        let (drape, _) = self.worn.as_ref()?;
        let news = drape.blow_ups() > self.told;
        self.told = drape.blow_ups();
        news.then(|| {
            let preset = drape.setup().preset;
            format!("The {preset} was torn and has been hung anew")
        })
    }

    /// The sheet, to be drawn.
    #[must_use]
    pub fn instance(&self) -> Option<(&ClothInstance, ClothLook)> {
        let (drape, _) = self.worn.as_ref()?;
        Some((drape, self.knobs.look))
    }

    /// For the panel.
    #[must_use]
    pub fn view(&self) -> ClothView {
        let stats = self.worn.as_ref().map(|(drape, _)| {
            let figures = drape.cloth().figures();
            ClothStats {
                particles: figures.particles,
                constraints: figures.constraints,
                substeps: figures.substeps,
                step_ms: self.step_ms,
                max_stretch: figures.max_stretch,
                contacts: figures.contacts,
                blow_ups: drape.blow_ups(),
            }
        });
        ClothView {
            knobs: self.knobs,
            stats,
        }
    }

    /// Takes hold of the sheet under the pointer, both in pixels; of what lies
    /// near it, the vertex that is nearest to the camera.
    pub fn grab(&mut self, view: &CameraView, at: Vec2, size: Vec2) -> bool {
        let Some((drape, _)) = &self.worn else {
            return false;
        };
        let cloth = drape.cloth();
        let free = (0..cloth.len()).filter(|&vertex| !cloth.is_pinned(vertex));
        let near = free.filter_map(|vertex| {
            let world = cloth.position(vertex);
            let off_px = (view.project(world)? * size).distance(at);
            (off_px <= REACH_PX).then_some((vertex, world, world.distance(view.eye)))
        });
        let taken = near.min_by(|a, b| a.2.total_cmp(&b.2));
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
        if let Some((drape, _)) = &mut self.worn {
            drape.cloth_mut().drop_dragged();
        }
    }

    /// Pulls a vertex further than any thread reaches.
    #[cfg(test)]
    pub fn tear(&mut self) {
        if let Some((drape, _)) = &mut self.worn {
            let cloth = drape.cloth_mut();
            let last = cloth.len() - 1;
            cloth.pin(last);
            cloth.move_pin(last, Vec3::splat(90.0));
        }
    }
}
