//! The error of one joint: how far the points of a ball around it move.
//!
//! An error of a joint is a translation t and a rotation by θ about an axis. A
//! point p of the ball then moves by t + (R − 1)·p, where (R − 1)·p lies across
//! the axis, in any direction there, and is as long as the chord 2·r·sin(θ/2)
//! at most. With t∥ and t⊥ along and across the axis, the farthest that any
//! point within r moves is
//!
//! ```text
//! √(t∥² + (|t⊥| + 2·r·sin(θ/2))²)
//! ```
//!
//! With the vector u along the axis, 2·sin(θ/2) long (twice the vector part of
//! the quaternion), |t⊥|·|u| is |t × u|, and the same is
//! √(|t|² + r²·|u|² + 2·r·|t × u|): no axis is asked for where there is none.

use glam::{Affine3A, DVec3, Mat3A, Vec3A};

use super::{BALL_RADIUS_M, ExactJoint};
use crate::math::Transform;

/// The error of one joint at one frame, given both `model_from_joint`: the
/// farthest that any point within 3 cm of the joint moves.
#[inline]
#[must_use]
pub fn joint_error_m(source: &Transform, decoded: &Transform) -> f32 {
    let offset = decoded.translation - source.translation;
    let rotation = decoded.rotation * source.rotation.conjugate();
    ball_error_m(offset, Vec3A::from(rotation.xyz()) * (2.0 * BALL_RADIUS_M))
}

/// The same from the joint's offset t and its swing r·u.
#[inline]
pub(in crate::codec) fn ball_error_m(offset: Vec3A, swing: Vec3A) -> f32 {
    let across = offset.cross(swing).length();
    (offset.length_squared() + swing.length_squared() + 2.0 * across).sqrt()
}

/// The same where joints scale: the ball around a joint is then an ellipsoid,
/// and a point p of it is off by t + (A − B)·p for the two linear parts. No
/// matrix makes a vector longer than its Frobenius norm does, so that this is
/// never too small.
#[must_use]
pub fn scaled_error_m(source: &Affine3A, decoded: &Affine3A) -> f32 {
    let offset = decoded.translation - source.translation;
    let change = decoded.matrix3 - source.matrix3;
    let axes = [change.x_axis, change.y_axis, change.z_axis];
    let squares = axes.iter().map(|axis| axis.length_squared());
    offset.length() + BALL_RADIUS_M * squares.sum::<f32>().sqrt()
}

/// The measure of others: the largest error of the three points 3 cm from the
/// joint along its own axes.
#[inline]
#[must_use]
pub fn shell_error_m(source: &Transform, decoded: &Transform) -> f32 {
    let source_axes = Mat3A::from_quat(source.rotation);
    let decoded_axes = Mat3A::from_quat(decoded.rotation);
    // A point at 3 cm along an axis moves by the offset of the joint and by 3
    // cm times the change of that axis, a column of the rotation's matrix.
    let offset = decoded.translation - source.translation;
    let squared = |a: Vec3A, b: Vec3A| (offset + (b - a) * BALL_RADIUS_M).length_squared();
    let x = squared(source_axes.x_axis, decoded_axes.x_axis);
    let y = squared(source_axes.y_axis, decoded_axes.y_axis);
    let z = squared(source_axes.z_axis, decoded_axes.z_axis);
    x.max(y).max(z).sqrt()
}

/// The error of a joint before its length is taken. Small errors add up
/// component by component.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::codec) struct BallError {
    /// How far the joint moves.
    pub offset: DVec3,
    /// How far points move about it at most: along the axis, as long as the
    /// chord at the ball's radius.
    pub swing: DVec3,
}

impl BallError {
    #[inline]
    pub fn between(source: &ExactJoint, decoded: &ExactJoint) -> Self {
        let rotation = decoded.rotation * source.rotation.conjugate();
        // q and −q are one rotation: of the two, the one that turns less.
        let twice = 2.0f64.copysign(rotation.w) * f64::from(BALL_RADIUS_M);
        Self {
            offset: decoded.position - source.position,
            swing: rotation.xyz() * twice,
        }
    }

    #[inline]
    pub fn length_squared(&self) -> f64 {
        let across = self.offset.cross(self.swing).length();
        self.offset.length_squared() + self.swing.length_squared() + 2.0 * across
    }

    #[inline]
    pub fn length_m(&self) -> f64 {
        self.length_squared().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use glam::{Quat, Vec3};

    /// Many points of a ball's surface: the largest way of one of them.
    fn searched_error_m(source: &Transform, decoded: &Transform) -> f32 {
        let spiral = (0..20_000).map(|i| {
            let height = 1.0 - 2.0 * (i as f32 + 0.5) / 20_000.0;
            let (sine, cosine) = (i as f32 * 2.399_963).sin_cos();
            let across = (1.0 - height * height).sqrt();
            Vec3A::new(across * cosine, across * sine, height) * BALL_RADIUS_M
        });
        let way = |p: Vec3A| {
            decoded
                .transform_point(p)
                .distance(source.transform_point(p))
        };
        spiral.map(way).fold(0.0, f32::max)
    }

    fn any(random: &mut Random, offset_m: f32, angle: f32) -> Transform {
        let mut vector = || Vec3::new(random.signed(), random.signed(), random.signed());
        let axis = vector().normalize();
        let rotation = Quat::from_axis_angle(axis, angle);
        Transform::new(rotation, vector() * offset_m)
    }

    #[test]
    fn no_point_of_the_ball_moves_farther_and_one_moves_as_far() {
        let mut random = Random::new(5);
        for (offset_m, angle) in [
            (0.0, 0.4),
            (0.02, 0.0),
            (0.01, 0.3),
            (0.05, 3.0),
            (1.0, 1.0),
        ] {
            for _ in 0..10 {
                let source = any(&mut random, 1.0, 2.0);
                let by = any(&mut random, offset_m, angle);
                let decoded = Transform::new(
                    // −q: the sign must not count.
                    -(by.rotation * source.rotation),
                    source.translation + by.translation,
                );
                let found = joint_error_m(&source, &decoded);
                let searched = searched_error_m(&source, &decoded);
                // 20,000 points lie within a hundredth of the radius of any.
                assert!(
                    found >= searched * (1.0 - 1e-5) - 1e-6,
                    "{found}, {searched}"
                );
                assert!(found <= searched * 1.001 + 1e-6, "{found}, {searched}");
                assert!(shell_error_m(&source, &decoded) <= found * (1.0 + 1e-5) + 1e-6);
            }
        }
    }

    #[test]
    fn single_and_double_precision_agree() {
        let mut random = Random::new(6);
        for _ in 0..100 {
            let (a, b) = (any(&mut random, 1.0, 1.0), any(&mut random, 1.0, 1.5));
            let exact = [&a, &b].map(|t| ExactJoint {
                rotation: t.rotation.as_dquat(),
                position: t.position().as_dvec3(),
            });
            let double = BallError::between(&exact[0], &exact[1]).length_m() as f32;
            assert_close!(double, joint_error_m(&a, &b), 1e-5);
        }
    }
}
