//! Arithmetic on poses: in between, masked, added, averaged.
//!
//! Every function is a stage over slices of equal length. A weight of exactly
//! 0 or 1 copies one side bit for bit, and two equal sides give that side.

use glam::{Quat, Vec3A};

use crate::math::{
    Transform,
    quat::{align_sign, nlerp},
};

/// One joint between two poses.
#[inline]
#[must_use]
pub fn mix(from: Transform, to: Transform, weight: f32) -> Transform {
    if weight <= 0.0 || from == to {
        from
    } else if weight >= 1.0 {
        to
    } else {
        from.lerp(to, weight)
    }
}

/// Moves `pose` towards `other` by `weight`.
///
/// # Panics
/// When lengths differ.
pub fn mix_into(pose: &mut [Transform], other: &[Transform], weight: f32) {
    assert_eq!(pose.len(), other.len(), "poses of one skeleton");
    if weight >= 1.0 {
        pose.copy_from_slice(other);
    } else if weight > 0.0 {
        for (joint, &other) in pose.iter_mut().zip(other) {
            *joint = mix(*joint, other, weight);
        }
    }
}

/// Moves `pose` towards `other` by `weight` times each joint's mask.
///
/// # Panics
/// When lengths differ.
pub fn mix_masked(pose: &mut [Transform], other: &[Transform], mask: &[f32], weight: f32) {
    assert_eq!(pose.len(), other.len(), "poses of one skeleton");
    assert_eq!(pose.len(), mask.len(), "one weight per joint");
    for ((joint, &other), &masked) in pose.iter_mut().zip(other).zip(mask) {
        *joint = mix(*joint, other, weight * masked);
    }
}

/// Adds the difference of `source` to `reference` (D = S·R⁻¹ for rotations,
/// S − R for translations) to `pose`, by `weight` times each joint's mask.
///
/// # Panics
/// When lengths differ.
pub fn add_masked(
    pose: &mut [Transform],
    source: &[Transform],
    reference: &[Transform],
    mask: &[f32],
    weight: f32,
) {
    assert_eq!(pose.len(), source.len(), "poses of one skeleton");
    assert_eq!(pose.len(), reference.len(), "poses of one skeleton");
    assert_eq!(pose.len(), mask.len(), "one weight per joint");
    let sides = source.iter().zip(reference).zip(mask);
    for (joint, ((s, r), &masked)) in pose.iter_mut().zip(sides) {
        let weight = weight * masked;
        if weight > 0.0 {
            let difference = s.rotation * r.rotation.conjugate();
            let part = nlerp(Quat::IDENTITY, difference, weight.min(1.0));
            joint.rotation = (part * joint.rotation).normalize();
            joint.translation += (s.translation - r.translation) * weight;
        }
    }
}

/// Makes a pose the first of a weighted average. [`accumulate`] adds more,
/// [`finish_average`] ends it.
pub fn start_average(sum: &mut [Transform], weight: f32) {
    for joint in sum {
        joint.rotation *= weight;
        joint.translation *= weight;
    }
}

/// Adds a pose to a weighted average; signs follow what is there.
///
/// # Panics
/// When lengths differ.
pub fn accumulate(sum: &mut [Transform], pose: &[Transform], weight: f32) {
    assert_eq!(sum.len(), pose.len(), "poses of one skeleton");
    for (sum, joint) in sum.iter_mut().zip(pose) {
        sum.rotation = sum.rotation + align_sign(joint.rotation, sum.rotation) * weight;
        sum.translation += joint.translation * weight;
    }
}

/// Makes rotations of sums again. Weights are taken to add up to 1.
pub fn finish_average(sum: &mut [Transform]) {
    for joint in sum {
        // Opposite rotations may cancel out; no rotation is then as good.
        let length = joint.rotation.length();
        joint.rotation = match length > 1e-6 {
            true => joint.rotation / length,
            false => Quat::IDENTITY,
        };
        if !joint.translation.is_finite() {
            joint.translation = Vec3A::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn pose(seed: f32) -> Vec<Transform> {
        let joint = |i: usize| {
            let a = seed + i as f32;
            Transform::new(
                Quat::from_euler(glam::EulerRot::XYZ, a, 0.3 * a, -0.7 * a),
                Vec3::new(a, -a, 0.5 * a),
            )
        };
        (0..5).map(joint).collect()
    }

    #[test]
    fn masks_of_zeros_and_ones_return_exactly_one_side() {
        let (a, b) = (pose(0.3), pose(1.7));
        let mut out = a.clone();
        mix_masked(&mut out, &b, &[0.0; 5], 1.0);
        assert_eq!(out, a);
        mix_masked(&mut out, &b, &[1.0; 5], 1.0);
        assert_eq!(out, b);
        let mut out = a.clone();
        mix_masked(&mut out, &b, &[1.0, 0.0, 0.5, 0.0, 1.0], 1.0);
        assert_eq!((out[0], out[1], out[4]), (b[0], a[1], b[4]));
    }

    #[test]
    fn a_pose_mixed_with_itself_is_itself() {
        let a = pose(0.9);
        for weight in [0.0, 0.1, 0.5, 0.77, 1.0] {
            let mut out = a.clone();
            mix_into(&mut out, &a, weight);
            assert_eq!(out, a);
        }
    }

    #[test]
    fn adding_s_against_r_onto_r_gives_s() {
        let (s, r) = (pose(0.3), pose(1.1));
        let mut out = r.clone();
        add_masked(&mut out, &s, &r, &[1.0; 5], 1.0);
        for (found, wanted) in out.iter().zip(&s) {
            let same = align_sign(found.rotation, wanted.rotation);
            assert!((same - wanted.rotation).length() < 1e-5);
            assert!((found.translation - wanted.translation).length() < 1e-5);
        }
        let mut untouched = r.clone();
        add_masked(&mut untouched, &s, &r, &[0.0; 5], 1.0);
        assert_eq!(untouched, r);
    }

    #[test]
    fn an_average_does_not_depend_on_signs_and_of_one_is_that_one() {
        let a = pose(0.4);
        let mut flipped = a.clone();
        flipped.iter_mut().for_each(|j| j.rotation = -j.rotation);
        let mut sum = a.clone();
        start_average(&mut sum, 0.25);
        accumulate(&mut sum, &flipped, 0.75);
        finish_average(&mut sum);
        for (found, wanted) in sum.iter().zip(&a) {
            assert!((found.rotation - wanted.rotation).length() < 1e-6);
            assert!((found.translation - wanted.translation).length() < 1e-6);
        }
    }
}
