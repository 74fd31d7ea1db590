//! The five shapes in world space.

use glam::{Quat, Vec3, Vec3A};

use super::{LocalShape, SurfacePoint};
use crate::math::Transform;

/// What all shapes answer, by way of their shape in local space.
pub trait Solid {
    /// The shape in its own space, and `world_from_local`.
    fn local_shape(&self) -> (Transform, LocalShape);

    /// Metres to the surface, negative inside.
    fn signed_distance_m(&self, point: Vec3A) -> f32 {
        let (world_from_local, local_shape) = self.local_shape();
        local_shape.signed_distance_m(world_from_local.inverse().transform_point(point))
    }

    /// True inside and on the surface.
    fn contains(&self, point: Vec3A) -> bool {
        self.signed_distance_m(point) <= 0.0
    }

    /// Nearest point of the surface with its outward normal.
    fn surface(&self, point: Vec3A) -> SurfacePoint {
        let (world_from_local, local_shape) = self.local_shape();
        let local = local_shape.surface(world_from_local.inverse().transform_point(point));
        SurfacePoint {
            point: world_from_local.transform_point(local.point),
            normal: world_from_local.transform_vector(local.normal),
            distance_m: local.distance_m,
        }
    }
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// World space.
    pub centre: Vec3,
    /// Metres.
    pub radius_m: f32,
}

/// A box along the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Corner with the smallest coordinates.
    pub low: Vec3,
    /// Corner with the largest.
    pub high: Vec3,
}

/// A box that stands as it likes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// The box's centre and axes.
    pub world_from_box: Transform,
    /// Half its size along its own axes.
    pub half_extents_m: Vec3,
    /// Radius of its edges and corners, cut down to what the size has room for.
    pub rounding_m: f32,
}

impl Obb {
    /// A box with sharp edges.
    #[must_use]
    pub fn new(world_from_box: Transform, half_extents_m: Vec3) -> Self {
        Self {
            world_from_box,
            half_extents_m,
            rounding_m: 0.0,
        }
    }
}

/// All points near a straight line between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// World space.
    pub start: Vec3,
    /// World space.
    pub end: Vec3,
    /// Metres.
    pub radius_m: f32,
}

/// The half-space below a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit, out of the solid.
    pub normal: Vec3,
    /// Of the surface from the origin along the normal, in metres.
    pub offset_m: f32,
}

/// Any of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A ball.
    Sphere(Sphere),
    /// An axis-aligned box.
    Aabb(Aabb),
    /// An oriented box.
    Obb(Obb),
    /// A capsule.
    Capsule(Capsule),
    /// A half-space.
    Plane(Plane),
}

impl Solid for Sphere {
    fn local_shape(&self) -> (Transform, LocalShape) {
        let local_shape = LocalShape::RoundedBox {
            half_extents_m: Vec3A::ZERO,
            radius_m: self.radius_m.max(0.0),
        };
        (Transform::from_translation(self.centre), local_shape)
    }
}

impl Solid for Aabb {
    fn local_shape(&self) -> (Transform, LocalShape) {
        let local_shape = LocalShape::RoundedBox {
            half_extents_m: Vec3A::from((self.high - self.low) * 0.5).max(Vec3A::ZERO),
            radius_m: 0.0,
        };
        let centre = self.low + (self.high - self.low) * 0.5;
        (Transform::from_translation(centre), local_shape)
    }
}

impl Solid for Obb {
    fn local_shape(&self) -> (Transform, LocalShape) {
        let half_extents_m = Vec3A::from(self.half_extents_m).max(Vec3A::ZERO);
        // The rounding is within the size given: the box inside is smaller by it.
        let radius_m = self.rounding_m.clamp(0.0, half_extents_m.min_element());
        let local_shape = LocalShape::RoundedBox {
            half_extents_m: half_extents_m - Vec3A::splat(radius_m),
            radius_m,
        };
        (self.world_from_box, local_shape)
    }
}

impl Solid for Capsule {
    fn local_shape(&self) -> (Transform, LocalShape) {
        let axis = self.end - self.start;
        let rotation = Quat::from_rotation_arc(Vec3::Y, axis.normalize_or(Vec3::Y));
        let local_shape = LocalShape::RoundedBox {
            half_extents_m: Vec3A::new(0.0, axis.length() * 0.5, 0.0),
            radius_m: self.radius_m.max(0.0),
        };
        (
            Transform::new(rotation, self.start + axis * 0.5),
            local_shape,
        )
    }
}

impl Solid for Plane {
    fn local_shape(&self) -> (Transform, LocalShape) {
        let normal = self.normal.normalize_or(Vec3::Y);
        let rotation = Quat::from_rotation_arc(Vec3::Y, normal);
        (
            Transform::new(rotation, normal * self.offset_m),
            LocalShape::HalfSpace,
        )
    }
}

impl Solid for Shape {
    fn local_shape(&self) -> (Transform, LocalShape) {
        match self {
            Self::Sphere(shape) => shape.local_shape(),
            Self::Aabb(shape) => shape.local_shape(),
            Self::Obb(shape) => shape.local_shape(),
            Self::Capsule(shape) => shape.local_shape(),
            Self::Plane(shape) => shape.local_shape(),
        }
    }
}

macro_rules! shape_from {
    ($($name:ident)*) => {$(
        impl From<$name> for Shape {
            fn from(shape: $name) -> Self {
                Self::$name(shape)
            }
        }
    )*};
}
shape_from!(Sphere Aabb Obb Capsule Plane);
