//! Skinning on the CPU: the reference that the GPU's result is held to, and
//! the palettes both read.
//!
//! A palette entry is `model_from_bind` = `model_from_joint · joint_from_bind`,
//! kept as a rigid transform. Linear blending averages the transforms as
//! matrices; dual quaternions average them as screws and keep the volume at a
//! twisted joint.

use glam::{Quat, Vec3A, Vec4};

use super::{Body, Vertex};
use crate::{math::Transform, skeleton::SpacePose};

/// How the transforms of a vertex's joints are averaged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Skinning {
    /// Weighted mean of the matrices.
    LinearBlend,
    /// Weighted mean of the unit dual quaternions.
    #[default]
    DualQuaternion,
}

/// `model_from_bind` for every joint of a pose, into `palette`.
///
/// # Panics
/// When pose, inverse bind and palette differ in length.
pub fn palette<S>(pose: &SpacePose<S>, joint_from_bind: &[Transform], palette: &mut [Transform]) {
    assert_eq!(
        pose.joints().len(),
        joint_from_bind.len(),
        "one bind per joint"
    );
    assert_eq!(palette.len(), joint_from_bind.len(), "one entry per joint");
    let joints = pose.joints().iter().zip(joint_from_bind);
    for (entry, (&model_from_joint, &joint_from_bind)) in palette.iter_mut().zip(joints) {
        *entry = model_from_joint * joint_from_bind;
    }
}

/// Position and unit normal of a vertex in model space.
#[must_use]
pub fn skin_vertex(vertex: &Vertex, palette: &[Transform], method: Skinning) -> (Vec3A, Vec3A) {
    match method {
        Skinning::LinearBlend => linear_blend(vertex, palette),
        Skinning::DualQuaternion => dual_quaternion(vertex, palette),
    }
}

/// Skins the whole body.
///
/// # Panics
/// When `positions` is not as long as the body has vertices.
pub fn skin_body(body: &Body, palette: &[Transform], method: Skinning, positions: &mut [Vec3A]) {
    assert_eq!(
        positions.len(),
        body.vertices().len(),
        "one output a vertex"
    );
    for (position, vertex) in positions.iter_mut().zip(body.vertices()) {
        *position = skin_vertex(vertex, palette, method).0;
    }
}

fn linear_blend(vertex: &Vertex, palette: &[Transform]) -> (Vec3A, Vec3A) {
    let (bind, bind_normal) = (Vec3A::from(vertex.position), vertex.normal());
    let (mut position, mut normal) = (Vec3A::ZERO, Vec3A::ZERO);
    for (joint, weight) in vertex.influences() {
        let entry = palette[usize::from(joint)];
        position += entry.transform_point(bind) * weight;
        normal += entry.transform_vector(bind_normal) * weight;
    }
    (position, normal.normalize_or(bind_normal))
}

fn dual_quaternion(vertex: &Vertex, palette: &[Transform]) -> (Vec3A, Vec3A) {
    let (bind, bind_normal) = (Vec3A::from(vertex.position), vertex.normal());
    let first = palette[usize::from(vertex.joints[0])].rotation;
    let (mut real, mut dual) = (Vec4::ZERO, Vec4::ZERO);
    for (joint, weight) in vertex.influences() {
        let [r, d] = dual_quaternion_of(palette[usize::from(joint)]);
        // q and −q are one rotation: all go to the half of the first.
        let sign = if Vec4::from(first).dot(r) < 0.0 {
            -weight
        } else {
            weight
        };
        real += r * sign;
        dual += d * sign;
    }
    // Dual quaternion linear blending (Kavan et al. 2007): the sum is divided
    // by the length of its real part, which makes it a rigid motion again.
    let length = real.length().max(1e-9);
    let (real, dual) = (real / length, dual / length);
    let (r, d) = (real.truncate(), dual.truncate());
    let rotate = |v: Vec3A| {
        let r = Vec3A::from(r);
        // q v q* for a unit quaternion, without the matrix.
        v + 2.0 * r.cross(r.cross(v) + real.w * v)
    };
    // The translation 2·dual·real*, its vector part.
    let shift = 2.0 * (real.w * d - dual.w * r + r.cross(d));
    (
        rotate(bind) + Vec3A::from(shift),
        rotate(bind_normal).normalize_or(bind_normal),
    )
}

/// Real and dual part of the unit dual quaternion of a rigid motion.
#[must_use]
pub fn dual_quaternion_of(transform: Transform) -> [Vec4; 2] {
    let t = transform.translation;
    let dual = Quat::from_xyzw(t.x, t.y, t.z, 0.0) * transform.rotation * 0.5;
    [transform.rotation.into(), dual.into()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn vertex(joints: [u16; 4], weights: [u16; 4]) -> Vertex {
        Vertex {
            position: [0.3, -0.2, 0.7],
            joints,
            weights,
            ..Vertex::default()
        }
    }

    #[test]
    fn one_joint_moves_a_vertex_rigidly_by_either_method() {
        let motion = Transform::new(Quat::from_rotation_x(1.1), Vec3::new(1.0, 2.0, 3.0));
        let vertex = vertex([0; 4], [65535, 0, 0, 0]);
        let expected = motion.transform_point(Vec3A::from(vertex.position));
        for method in [Skinning::LinearBlend, Skinning::DualQuaternion] {
            let (found, _) = skin_vertex(&vertex, &[motion], method);
            assert_close!(found, expected, 1e-5, "{method:?}");
        }
    }

    /// Half of a 180° twist: matrices collapse onto the axis, screws do not.
    #[test]
    fn a_twist_keeps_its_radius_with_dual_quaternions_only() {
        let palette = [
            Transform::IDENTITY,
            Transform::from_rotation(Quat::from_rotation_y(3.1)),
        ];
        let vertex = vertex([0, 1, 0, 0], [32768, 32767, 0, 0]);
        let radius = |p: Vec3A| (p.x * p.x + p.z * p.z).sqrt();
        let bind = radius(Vec3A::from(vertex.position));
        let (linear, _) = skin_vertex(&vertex, &palette, Skinning::LinearBlend);
        let (dual, _) = skin_vertex(&vertex, &palette, Skinning::DualQuaternion);
        assert!(radius(linear) < 0.05 * bind);
        assert_close!(radius(dual), bind, 1e-5);
    }

    #[test]
    fn the_sign_of_a_quaternion_does_not_matter() {
        let moved = Transform::new(Quat::from_rotation_z(0.4), Vec3::X);
        let flipped = Transform {
            rotation: -moved.rotation,
            ..moved
        };
        let vertex = vertex([0, 1, 0, 0], [40000, 25535, 0, 0]);
        let rest = Transform::IDENTITY;
        let (a, _) = skin_vertex(&vertex, &[rest, moved], Skinning::DualQuaternion);
        let (b, _) = skin_vertex(&vertex, &[rest, flipped], Skinning::DualQuaternion);
        assert_close!(a, b, 1e-6);
    }
}
