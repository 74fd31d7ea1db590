//! Between our numbers and the physics engine's, whose glam is another version:
//! the one place where they meet.

use glam::{Quat, Vec3, Vec3A};
use rapier3d::prelude::{Pose, Rotation, SharedShape, Vector};

use crate::{
    collide::{LocalShape, Shape, Solid},
    math::Transform,
};

pub(super) fn vector(v: impl Into<Vec3>) -> Vector {
    let v = v.into();
    Vector::new(v.x, v.y, v.z)
}

pub(super) fn rotation(q: Quat) -> Rotation {
    Rotation::from_xyzw(q.x, q.y, q.z, q.w)
}

pub(super) fn pose(transform: Transform) -> Pose {
    Pose::from_parts(vector(transform.translation), rotation(transform.rotation))
}

pub(super) fn vec3a(v: Vector) -> Vec3A {
    Vec3A::new(v.x, v.y, v.z)
}

pub(super) fn quat(q: Rotation) -> Quat {
    Quat::from_xyzw(q.x, q.y, q.z, q.w)
}

pub(super) fn transform(pose: &Pose) -> Transform {
    Transform::new(quat(pose.rotation), vec3a(pose.translation))
}

/// A solid and where it stands in its joint.
pub(super) fn shape(solid: &Shape) -> (Pose, SharedShape) {
    let (joint_from_local, local) = solid.local_shape();
    let shape = match local {
        LocalShape::RoundedBox {
            half_extents_m: half,
            radius_m,
        } => match (half.x.max(half.z) < 1e-4, half.y < 1e-4, radius_m < 1e-4) {
            (true, true, _) => SharedShape::ball(radius_m),
            (true, false, _) => SharedShape::capsule_y(half.y, radius_m),
            (_, _, true) => SharedShape::cuboid(half.x, half.y, half.z),
            _ => {
                let half = half.max(Vec3A::splat(1e-3));
                SharedShape::round_cuboid(half.x, half.y, half.z, radius_m)
            }
        },
        LocalShape::HalfSpace => SharedShape::halfspace(Vector::new(0.0, 1.0, 0.0)),
    };
    (pose(joint_from_local), shape)
}
