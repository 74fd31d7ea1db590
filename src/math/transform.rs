//! A rigid motion: rotation, then translation.

use std::ops::Mul;

use glam::{Affine3A, Mat4, Quat, Vec3, Vec3A};

/// A rotation followed by a translation. Named after the spaces it joins, as
/// in `model_from_joint`: it takes a point of joint space to model space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Unit quaternion.
    pub rotation: Quat,
    /// Metres.
    pub translation: Vec3A,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// Leaves every point where it is.
    pub const IDENTITY: Self = Self {
        rotation: Quat::IDENTITY,
        translation: Vec3A::ZERO,
    };

    /// A rotation followed by a translation.
    #[inline]
    #[must_use]
    pub fn new(rotation: Quat, translation: impl Into<Vec3A>) -> Self {
        Self {
            rotation,
            translation: translation.into(),
        }
    }

    /// A translation alone.
    #[inline]
    #[must_use]
    pub fn from_translation(translation: impl Into<Vec3A>) -> Self {
        Self::new(Quat::IDENTITY, translation)
    }

    /// A rotation alone.
    #[inline]
    #[must_use]
    pub fn from_rotation(rotation: Quat) -> Self {
        Self::new(rotation, Vec3A::ZERO)
    }

    /// The motion that undoes this one.
    #[inline]
    #[must_use]
    pub fn inverse(self) -> Self {
        let rotation = self.rotation.conjugate();
        Self {
            rotation,
            translation: rotation * -self.translation,
        }
    }

    /// Moves a point.
    #[inline]
    #[must_use]
    pub fn transform_point(self, point: Vec3A) -> Vec3A {
        self.rotation * point + self.translation
    }

    /// Turns a direction; translation does not touch it.
    #[inline]
    #[must_use]
    pub fn transform_vector(self, vector: Vec3A) -> Vec3A {
        self.rotation * vector
    }

    /// The translation in its unpadded form.
    #[inline]
    #[must_use]
    pub fn position(self) -> Vec3 {
        self.translation.into()
    }

    /// Shortest-way interpolation, normalised linear for the rotation.
    #[inline]
    #[must_use]
    pub fn lerp(self, to: Self, t: f32) -> Self {
        Self {
            rotation: super::quat::nlerp(self.rotation, to.rotation, t),
            translation: self.translation.lerp(to.translation, t),
        }
    }

    /// True when every number is finite.
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }
}

/// `a_from_b * b_from_c = a_from_c`.
impl Mul for Transform {
    type Output = Self;

    #[inline]
    fn mul(self, rhs: Self) -> Self {
        Self {
            // Not normalised: a chain of a few dozen joints drifts by a few
            // units in the last place. Whoever multiplies on from frame to
            // frame normalises.
            rotation: self.rotation * rhs.rotation,
            translation: self.rotation * rhs.translation + self.translation,
        }
    }
}

impl From<Transform> for Affine3A {
    fn from(transform: Transform) -> Self {
        Affine3A::from_rotation_translation(transform.rotation, transform.position())
    }
}

impl From<Transform> for Mat4 {
    fn from(transform: Transform) -> Self {
        Mat4::from_rotation_translation(transform.rotation, transform.position())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_applies_the_right_side_first() {
        let turn = Transform::from_rotation(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2));
        let shift = Transform::from_translation(Vec3::X);
        let point = (turn * shift).transform_point(Vec3A::ZERO);
        assert_close!(point, Vec3A::Y, 1e-6);
    }

    #[test]
    fn inverse_undoes() {
        let there = Transform::new(
            Quat::from_euler(glam::EulerRot::XYZ, 0.3, -1.0, 2.0),
            Vec3::new(1.0, 2.0, 3.0),
        );
        let point = Vec3A::new(-4.0, 0.5, 7.0);
        let back = (there.inverse() * there).transform_point(point);
        assert_close!(back, point, 1e-5);
    }
}
