//! Something that is wanted of a pose for a while: its weight fades in and out.

use glam::Vec3;

use crate::math::Spring;

/// Seconds in which a goal that is moved is about half-way to its new place.
const MOVE_HALF_LIFE_SECS: f64 = 0.06;

/// A point of the world that something is drawn to, and how strongly.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Goal {
    wanted: Option<Vec3>,
    /// Follows what is wanted; kept while the weight fades out.
    shown: [Spring; 3],
    weight: Spring,
}

impl Goal {
    /// Draws to a point, or no longer. What was drawn elsewhere until now moves
    /// over; what was not begins there.
    pub fn set(&mut self, point: Option<Vec3>) {
        self.wanted = point.filter(|point| point.is_finite());
        if let (Some(point), true) = (self.wanted, self.weight.value <= 0.0) {
            self.shown = point.to_array().map(|value| Spring::at(value.into()));
        }
    }

    /// Draws to something that moves: what is shown moves along with it, and only
    /// what was missing on the way there is made up slowly.
    pub fn carry(&mut self, point: Option<Vec3>) {
        if let (Some(before), Some(now)) = (self.wanted, point.filter(|it| it.is_finite())) {
            let moved = (now - before).to_array();
            for (axis, way) in self.shown.iter_mut().zip(moved) {
                axis.value += f64::from(way);
            }
        }
        self.set(point);
    }

    pub fn is_wanted(&self) -> bool {
        self.wanted.is_some()
    }

    /// Neither wanted nor left of.
    pub fn is_over(&self) -> bool {
        self.wanted.is_none() && self.weight.value <= 0.0
    }

    /// Whether time still changes it.
    pub fn is_moving(&self) -> bool {
        let target = f64::from(u8::from(self.is_wanted()));
        self.weight.value != target || self.shown.iter().any(|axis| axis.velocity != 0.0)
    }

    pub fn step(&mut self, half_life_secs: f64, dt_secs: f64) {
        let target = f64::from(u8::from(self.is_wanted()));
        self.weight.follow(target, half_life_secs, dt_secs);
        if let Some(point) = self.wanted {
            for (axis, target) in self.shown.iter_mut().zip(point.to_array()) {
                axis.follow(target.into(), MOVE_HALF_LIFE_SECS, dt_secs);
            }
        }
    }

    pub fn point(&self) -> Vec3 {
        Vec3::from(self.shown.map(|axis| axis.value as f32))
    }

    pub fn weight(&self) -> f32 {
        self.weight.value.clamp(0.0, 1.0) as f32
    }
}
