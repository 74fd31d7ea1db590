//! A solid and its motion over one step.

use glam::Vec3A;

use super::{LocalShape, Shape, Solid};
use crate::math::Transform;

/// A box along the axes, for quick refusals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Corner with the smallest coordinates.
    pub low: Vec3A,
    /// Corner with the largest.
    pub high: Vec3A,
}

impl Bounds {
    /// Holds nothing.
    pub const EMPTY: Self = Self {
        low: Vec3A::INFINITY,
        high: Vec3A::NEG_INFINITY,
    };

    /// True when the two share a point.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }
}

/// A solid that moves from one pose to another during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collider {
    /// The solid in its own space.
    pub local_shape: LocalShape,
    /// `world_from_local` as the step begins.
    pub start: Transform,
    /// `world_from_local` as it ends.
    pub end: Transform,
}

impl Collider {
    /// A shape that stands still.
    #[must_use]
    pub fn fixed(shape: impl Into<Shape>) -> Self {
        Self::moving(shape, Transform::IDENTITY, Transform::IDENTITY)
    }

    /// A shape given in some frame, say a joint's, that moves in the world.
    #[must_use]
    pub fn moving(shape: impl Into<Shape>, start: Transform, end: Transform) -> Self {
        let (frame_from_local, local_shape) = shape.into().local_shape();
        Self {
            local_shape,
            start: start * frame_from_local,
            end: end * frame_from_local,
        }
    }

    /// The same solid in the step that follows: it starts where it ended.
    pub fn advance(&mut self, world_from_local: Transform) {
        self.start = self.end;
        self.end = world_from_local;
    }

    /// `world_from_local` at a fraction of the step.
    #[inline]
    #[must_use]
    pub fn at(&self, fraction: f32) -> Transform {
        // Exactly, so that a solid at rest never trembles by rounding.
        if self.start == self.end {
            return self.end;
        }
        self.start.lerp(self.end, fraction)
    }

    /// Mean velocity over a step of a point carried along, given where it is
    /// as the step begins; metres a second.
    #[must_use]
    pub fn velocity_of(&self, world_point: Vec3A, step_secs: f32) -> Vec3A {
        let motion = self.end * self.start.inverse();
        (motion.transform_point(world_point) - world_point) / step_secs
    }

    /// Furthest that any point of the solid goes in the step; of a half-space,
    /// its origin.
    #[must_use]
    pub fn travel_m(&self) -> f32 {
        let reach = match self.local_shape {
            LocalShape::RoundedBox {
                half_extents_m,
                radius_m,
            } => half_extents_m.length() + radius_m,
            LocalShape::HalfSpace => 0.0,
        };
        // A bound: the centre's way, and the arc of the furthest point about it.
        let along = self.start.translation.distance(self.end.translation);
        along + reach * self.start.rotation.angle_between(self.end.rotation)
    }

    /// A box around the solid at both fractions, widened by `margin_m`.
    #[must_use]
    pub fn swept_bounds(&self, from: f32, to: f32, margin_m: f32) -> Bounds {
        // Both ends; between them a turn may bulge out, by less than the margins
        // here for the few degrees of a step.
        let (from, to) = (self.at(from), self.at(to));
        let around = |pose| bounds_of(&self.local_shape, pose, margin_m);
        around(from).union(around(to))
    }

    /// Metres from the surface in its pose at the end of the step.
    #[must_use]
    pub fn end_distance_m(&self, world_point: Vec3A) -> f32 {
        let local = self.end.inverse().transform_point(world_point);
        self.local_shape.signed_distance_m(local)
    }
}

pub(crate) fn bounds_of(
    local_shape: &LocalShape,
    world_from_local: Transform,
    margin_m: f32,
) -> Bounds {
    match *local_shape {
        LocalShape::RoundedBox {
            half_extents_m,
            radius_m,
        } => {
            // |R|·h: how far a turned box reaches along the axes of the world.
            let axis = |unit: Vec3A, half: f32| (world_from_local.rotation * unit * half).abs();
            let reach = axis(Vec3A::X, half_extents_m.x)
                + axis(Vec3A::Y, half_extents_m.y)
                + axis(Vec3A::Z, half_extents_m.z)
                + Vec3A::splat(radius_m + margin_m);
            Bounds {
                low: world_from_local.translation - reach,
                high: world_from_local.translation + reach,
            }
        }
        // A level floor bounds its cloth from below only; a tilted one is
        // everywhere.
        LocalShape::HalfSpace => {
            let mut bounds = Bounds {
                low: Vec3A::NEG_INFINITY,
                high: Vec3A::INFINITY,
            };
            if (world_from_local.rotation * Vec3A::Y).y > 0.999_999 {
                bounds.high.y = world_from_local.translation.y + margin_m;
            }
            bounds
        }
    }
}
