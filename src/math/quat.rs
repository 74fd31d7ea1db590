//! Quaternion helpers beyond glam's: q and −q are one rotation, and every
//! function here says which of the two it returns.

use glam::{Quat, Vec3};

/// `q` or `−q`, whichever lies in the same half of the sphere as `reference`.
/// Interpolation between neighbours then takes the short way.
#[inline]
#[must_use]
pub fn align_sign(q: Quat, reference: Quat) -> Quat {
    if q.dot(reference) < 0.0 { -q } else { q }
}

/// Normalised linear interpolation the short way round.
#[inline]
#[must_use]
pub fn nlerp(from: Quat, to: Quat, t: f32) -> Quat {
    // The arc that slerp takes, without its sines. The speed along it is
    // uneven, by less than 1 % for rotations 20° apart.
    let to = align_sign(to, from);
    (from * (1.0 - t) + to * t).normalize()
}

/// The angle in radians of the rotation that takes `a` to `b`, in 0..=π.
/// Accurate for tiny angles, where the arc cosine of the dot product is not.
#[must_use]
pub fn angle_between(a: Quat, b: Quat) -> f32 {
    // In double precision: the roundings of a float product are as large as the
    // smallest angles asked for.
    let difference = (a.as_dquat().conjugate() * b.as_dquat()).normalize();
    // |w| chooses the shorter of the two ways round.
    (2.0 * difference.xyz().length().atan2(difference.w.abs())) as f32
}

/// The rotation vector (axis × angle, radians, shorter than π) of `q`.
#[must_use]
pub fn log(q: Quat) -> Vec3 {
    // Of q and −q the one with w ≥ 0 turns by at most half a turn.
    let q = if q.w < 0.0 { -q } else { q };
    let v = Vec3::new(q.x, q.y, q.z);
    let sin_half = v.length();
    // A half angle this small equals its sine; the quotient would be 0 by 0.
    if sin_half < 1e-7 {
        return v * 2.0;
    }
    v * (2.0 * sin_half.atan2(q.w) / sin_half)
}

/// The rotation of a rotation vector: inverse of [`log`].
#[must_use]
pub fn exp(rotation_vector: Vec3) -> Quat {
    Quat::from_scaled_axis(rotation_vector)
}

/// A rotation as swing · twist, the twist about `axis` (of length 1) and the
/// swing about one across it. Half a turn across the axis has no twist.
#[must_use]
pub fn swing_twist(rotation: Quat, axis: Vec3) -> (Quat, Quat) {
    let along = axis * rotation.xyz().dot(axis);
    let twist = Quat::from_xyzw(along.x, along.y, along.z, rotation.w);
    let twist = match twist.length_squared() > 1e-12 {
        // The shorter way round, or the swing would go the longer.
        true if twist.w < 0.0 => -twist.normalize(),
        true => twist.normalize(),
        false => Quat::IDENTITY,
    };
    let swing = rotation * twist.conjugate();
    (if swing.w < 0.0 { -swing } else { swing }, twist)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_and_exp_are_inverse_at_small_and_large_angles() {
        let axis = Vec3::new(1.0, -2.0, 0.5).normalize();
        for angle in [0.0, 1e-9, 1e-6, 1e-3, 1.0, 3.0, 3.13] {
            let v = axis * angle;
            let back = log(exp(v));
            assert_close!(back, v, 2e-6, "{angle}");
            assert_close!(log(-exp(v)), v, 2e-6, "−q is the same rotation");
        }
    }

    #[test]
    fn angle_between_sees_tiny_angles_and_ignores_sign() {
        let q = Quat::from_rotation_y(0.7);
        let r = Quat::from_rotation_y(0.7 + 1e-3);
        assert_close!(angle_between(q, r), 1e-3, 1e-6);
        assert_close!(angle_between(q, -r), 1e-3, 1e-6);
        assert!(angle_between(q, -q) < 1e-6);
    }

    #[test]
    fn nlerp_takes_the_short_way() {
        let a = Quat::from_rotation_x(0.2);
        let b = -Quat::from_rotation_x(0.6);
        let middle = nlerp(a, b, 0.5);
        assert!(angle_between(middle, Quat::from_rotation_x(0.4)) < 1e-4);
    }
}
