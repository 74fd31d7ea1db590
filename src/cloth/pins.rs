//! Vertices that are held: for good, by a joint, or by the hand.

use glam::{Vec3, Vec3A};

use super::{Cloth, lanes::Soa, settings::STEP_SECS};
use crate::math::Transform;

/// Fastest that the hand draws a vertex along.
const HAND_SPEED: f32 = 8.0;

#[derive(Clone, Copy, Debug)]
struct Pin {
    vertex: u32,
    start: Vec3,
    end: Vec3,
    by_hand: bool,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Pins {
    pins: Vec<Pin>,
    moving: bool,
}

impl Pins {
    /// Vertices that are held, but not by the hand.
    pub fn lasting(&self) -> impl Iterator<Item = usize> + '_ {
        let lasting = self.pins.iter().filter(|pin| !pin.by_hand);
        lasting.map(|pin| pin.vertex as usize)
    }
}

impl Cloth {
    /// Holds a vertex where it is.
    ///
    /// # Panics
    /// When there is no such vertex.
    pub fn pin(&mut self, vertex: usize) {
        self.hold(vertex, false);
        self.tie_tethers();
    }

    fn hold(&mut self, vertex: usize, by_hand: bool) {
        let known = self.pins.pins.iter().any(|p| p.vertex as usize == vertex);
        if known {
            return;
        }
        let at = self.position(vertex);
        let slot = self.slot(vertex);
        self.particles.inverse_mass[slot] = 0.0;
        self.particles.v.iter_mut().for_each(|v| v[slot] = 0.0);
        self.pins.pins.push(Pin {
            vertex: vertex as u32,
            start: at,
            end: at,
            by_hand,
        });
    }

    /// Lets a vertex go.
    pub fn unpin(&mut self, vertex: usize) {
        let before = self.pins.pins.len();
        self.pins.pins.retain(|pin| pin.vertex as usize != vertex);
        if self.pins.pins.len() < before {
            let slot = self.slot(vertex);
            let mass = self.sheet.density_kg_m2 * self.area_m2;
            self.particles.inverse_mass[slot] = 1.0 / mass;
            self.tie_tethers();
        }
    }

    /// Whether a vertex is held.
    #[must_use]
    pub fn is_pinned(&self, vertex: usize) -> bool {
        let mut pins = self.pins.pins.iter();
        pins.any(|pin| pin.vertex as usize == vertex)
    }

    /// Where a pin is to be when the next step ends; other vertices and
    /// numbers that are not finite are passed over.
    pub fn move_pin(&mut self, vertex: usize, world: Vec3) {
        let mut pins = self.pins.pins.iter_mut();
        if let Some(pin) = pins.find(|pin| pin.vertex as usize == vertex)
            && world.is_finite()
        {
            pin.end = world;
        }
    }

    /// Draws a vertex after the hand, as fast and as far as the sheet allows.
    pub fn drag(&mut self, vertex: usize, world: Vec3) {
        if vertex >= self.len() || !world.is_finite() {
            return;
        }
        self.hold(vertex, true);
        let at = self.position(vertex);
        // A pointer jumps; a vertex that did would strain its threads in one step.
        let displacement = (world - at).clamp_length_max(HAND_SPEED * STEP_SECS);
        let slot = self.slot(vertex);
        let goal = self.tethers.within(slot, at + displacement);
        self.move_pin(vertex, goal);
    }

    /// Lets go of what the hand holds.
    pub fn drop_dragged(&mut self) {
        let held = self.pins.pins.iter().filter(|pin| pin.by_hand);
        for vertex in held.map(|pin| pin.vertex).collect::<Vec<_>>() {
            self.unpin(vertex as usize);
        }
    }

    /// Moves the whole sheet stiffly, pins and velocities too.
    pub fn carry(&mut self, by: Transform) {
        let p = &mut self.particles;
        for slot in 0..p.inverse_mass.len() {
            for positions in [&mut p.x, &mut p.start, &mut p.predicted] {
                let at = Vec3A::from_array(positions.each_ref().map(|x| x[slot]));
                put(positions, slot, by.transform_point(at));
            }
            let velocity = Vec3A::from_array(p.v.each_ref().map(|v| v[slot]));
            put(&mut p.v, slot, by.transform_vector(velocity));
        }
        for pin in &mut self.pins.pins {
            pin.start = by.transform_point(pin.start.into()).into();
            pin.end = by.transform_point(pin.end.into()).into();
        }
        self.tethers.follow(&self.particles.x);
        self.finish_normals();
    }

    /// Brings the pins to a share of the step.
    pub(super) fn carry_pins(&mut self, fraction: f32) {
        for pin in &self.pins.pins {
            // Exactly where it stands while it does not move.
            let at = if pin.start == pin.end {
                pin.end
            } else {
                pin.start.lerp(pin.end, fraction)
            };
            let slot = self.slot_of[pin.vertex as usize] as usize;
            for (axis, value) in at.to_array().into_iter().enumerate() {
                self.particles.x[axis][slot] = value;
            }
        }
        if self.pins.moving {
            self.tethers.follow(&self.particles.x);
        }
    }

    pub(super) fn begin_pins(&mut self) {
        self.pins.moving = self.pins.pins.iter().any(|pin| pin.start != pin.end);
    }

    pub(super) fn end_pins(&mut self) {
        for pin in &mut self.pins.pins {
            let (slot, velocity) = (
                self.slot_of[pin.vertex as usize] as usize,
                // What a pin is let go with.
                (pin.end - pin.start) / STEP_SECS,
            );
            for (axis, value) in velocity.to_array().into_iter().enumerate() {
                self.particles.v[axis][slot] = value;
            }
            pin.start = pin.end;
        }
    }
}

fn put(soa: &mut Soa, slot: usize, value: Vec3A) {
    for (array, value) in soa.iter_mut().zip(value.to_array()) {
        array[slot] = value;
    }
}
