//! Solids that cloth meets: five shapes, one distance function, and motion.
//!
//! Geometry alone: `body` makes solids of a pose, `cloth` meets them, and
//! nothing here knows of either. Every shape is described in world space
//! ([`Sphere`], [`Aabb`], [`Obb`], [`Capsule`], [`Plane`]) and reduced to a
//! [`LocalShape`] in its own space: a box with rounded edges covers all but the
//! plane, so that there is one distance to test and one to run eight particles
//! at a time. A [`Collider`] adds the pose at both ends of a step. Limits:
//! solids are convex and rigid; motion between the two poses is taken as
//! straight and evenly paced.

mod box_tree;
mod fit;
mod local_shape;
mod moving;
mod shapes;
mod skin_mesh;
mod terrain;
#[cfg(test)]
mod tests;
mod triangle;
mod wire;

use glam::Vec3A;

pub use box_tree::BoxTree;
pub use fit::{fit_capsule, fit_obb};
pub use local_shape::{LocalShape, SweptHit};
pub use moving::{Bounds, Collider};
pub use shapes::{Aabb, Capsule, Obb, Plane, Shape, Solid, Sphere};
pub use skin_mesh::{MeshShape, MovingMesh, NO_TRIANGLE, Nearest};
pub use terrain::{HeightField, PlacedField, Terrain};
pub use triangle::{
    Feature, NearestOnTriangle, line_through_triangle, nearest_between_triangles,
    nearest_on_triangle, triangles_cross,
};
pub use wire::wireframe;

/// The point of a surface that is nearest to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// On the surface, in the space of the query.
    pub point: Vec3A,
    /// Unit, out of the solid.
    pub normal: Vec3A,
    /// From the surface to the query point in metres, negative inside.
    pub distance_m: f32,
}
