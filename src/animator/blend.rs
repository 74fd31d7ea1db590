//! Arithmetic on poses: masked, added, averaged; [`LocalPose::mix`] is what lies
//! in between.
//!
//! Joints, scales and weights of morph targets go together, bone stretch does
//! not. A weight of exactly 0 or 1 copies one side bit for bit, and two equal
//! sides give that side. Scales and morph weights that no side has are not made,
//! so rigid characters pay nothing for them.
//!
//! Under a mask a scale follows its joint. Morph targets belong to no joint:
//! they follow the largest weight of the mask, so a layer that has any part of
//! the body to itself has the face too.

use glam::{Quat, Vec3, Vec3A};

use crate::{
    math::{
        Transform,
        quat::{align_sign, nlerp},
    },
    skeleton::LocalPose,
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

fn mix_scale(from: Vec3, to: Vec3, weight: f32) -> Vec3 {
    match weight >= 1.0 {
        true => to,
        false => from + (to - from) * weight.max(0.0),
    }
}

fn mix_morph(from: f32, to: f32, weight: f32) -> f32 {
    match weight >= 1.0 {
        true => to,
        false => from + (to - from) * weight.max(0.0),
    }
}

/// Moves `pose` towards `other` by `weight` times each joint's mask.
///
/// # Panics
/// When lengths differ.
pub fn mix_masked(pose: &mut LocalPose, other: &LocalPose, mask: &[f32], weight: f32) {
    check_lengths(pose, other);
    check_mask(pose, mask);
    let joints = pose.joints_mut().iter_mut().zip(other.joints());
    for ((joint, &other), &masked) in joints.zip(mask) {
        *joint = mix(*joint, other, weight * masked);
    }
    pose.change_scales(other.scales().len(), |joint, own| {
        mix_scale(own, other.scale(joint), weight * mask[joint])
    });
    let weight = weight * largest(mask);
    pose.change_morphs(other.morphs().len(), |morph, own| {
        mix_morph(own, other.morph(morph), weight)
    });
}

/// Adds the difference of `source` to `reference` (D = S·R⁻¹ for rotations,
/// S − R for translations and morph weights, S / R for scales) to `pose`, by
/// `weight` times each joint's mask.
///
/// # Panics
/// When lengths differ.
pub fn add_masked(
    pose: &mut LocalPose,
    source: &LocalPose,
    reference: &LocalPose,
    mask: &[f32],
    weight: f32,
) {
    check_lengths(pose, source);
    check_lengths(pose, reference);
    check_mask(pose, mask);
    let sides = source.joints().iter().zip(reference.joints()).zip(mask);
    for (joint, ((s, r), &masked)) in pose.joints_mut().iter_mut().zip(sides) {
        let weight = weight * masked;
        if weight > 0.0 {
            let difference = s.rotation * r.rotation.conjugate();
            let part = nlerp(Quat::IDENTITY, difference, weight.min(1.0));
            joint.rotation = (part * joint.rotation).normalize();
            joint.translation += (s.translation - r.translation) * weight;
        }
    }
    let scales = source.scales().len().max(reference.scales().len());
    pose.change_scales(scales, |joint, own| {
        let ratio = ratio(source.scale(joint), reference.scale(joint));
        own * mix_scale(Vec3::ONE, ratio, (weight * mask[joint]).min(1.0))
    });
    let morphs = source.morphs().len().max(reference.morphs().len());
    let weight = weight * largest(mask);
    pose.change_morphs(morphs, |morph, own| {
        own + (source.morph(morph) - reference.morph(morph)) * weight
    });
}

/// A reference that has shrunk to nothing tells nothing: 1 along that axis.
fn ratio(scale: Vec3, reference: Vec3) -> Vec3 {
    let nothing = reference.abs().cmplt(Vec3::splat(1e-6));
    Vec3::select(nothing, Vec3::ONE, scale / reference)
}

fn largest(mask: &[f32]) -> f32 {
    mask.iter().copied().fold(0.0, f32::max)
}

/// Makes a pose the first of a weighted average. [`accumulate`] adds more,
/// [`finish_average`] ends it.
pub fn start_average(sum: &mut LocalPose, weight: f32) {
    for joint in sum.joints_mut() {
        joint.rotation *= weight;
        joint.translation *= weight;
    }
    // As Σ w·s = 1 + Σ w·(s − 1) for weights that add up to 1, a pose without
    // scales has nothing to add, and none need be made for it.
    sum.change_scales(0, |_, scale| Vec3::ONE + (scale - Vec3::ONE) * weight);
    sum.change_morphs(0, |_, morph| morph * weight);
}

/// Adds a pose to a weighted average; signs follow what is there.
///
/// # Panics
/// When lengths differ.
pub fn accumulate(sum: &mut LocalPose, pose: &LocalPose, weight: f32) {
    check_lengths(sum, pose);
    for (sum, joint) in sum.joints_mut().iter_mut().zip(pose.joints()) {
        sum.rotation = sum.rotation + align_sign(joint.rotation, sum.rotation) * weight;
        sum.translation += joint.translation * weight;
    }
    sum.change_scales(pose.scales().len(), |joint, sum| {
        sum + (pose.scale(joint) - Vec3::ONE) * weight
    });
    sum.change_morphs(pose.morphs().len(), |morph, sum| {
        sum + pose.morph(morph) * weight
    });
}

/// Makes rotations of sums again. Weights are taken to add up to 1.
pub fn finish_average(sum: &mut LocalPose) {
    for joint in sum.joints_mut() {
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

fn check_lengths(pose: &LocalPose, other: &LocalPose) {
    let lengths = [pose, other].map(|pose| pose.joints().len());
    assert_eq!(lengths[0], lengths[1], "poses of one skeleton");
}

fn check_mask(pose: &LocalPose, mask: &[f32]) {
    assert_eq!(pose.joints().len(), mask.len(), "one weight per joint");
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn pose(seed: f32) -> LocalPose {
        let joint = |i: usize| {
            let a = seed + i as f32;
            Transform::new(
                Quat::from_euler(glam::EulerRot::XYZ, a, 0.3 * a, -0.7 * a),
                Vec3::new(a, -a, 0.5 * a),
            )
        };
        let mut pose = LocalPose::from_transforms((0..5).map(joint).collect());
        pose.set_scale(2, Vec3::splat(1.0 + seed));
        pose.set_morph(1, seed);
        pose
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
        let (out, a, b) = (out.joints(), a.joints(), b.joints());
        assert_eq!((out[0], out[1], out[4]), (b[0], a[1], b[4]));
    }

    #[test]
    fn a_pose_mixed_with_itself_is_itself() {
        let a = pose(0.9);
        for weight in [0.0, 0.1, 0.5, 0.77, 1.0] {
            let mut out = a.clone();
            out.mix(&a, weight);
            assert_eq!(out, a);
        }
    }

    #[test]
    fn adding_s_against_r_onto_r_gives_s() {
        let (s, r) = (pose(0.3), pose(1.1));
        let mut out = r.clone();
        add_masked(&mut out, &s, &r, &[1.0; 5], 1.0);
        for (found, wanted) in out.joints().iter().zip(s.joints()) {
            let same = align_sign(found.rotation, wanted.rotation);
            assert_close!(same, wanted.rotation, 1e-5);
            assert_close!(found.translation, wanted.translation, 1e-5);
        }
        assert_close!(out.scale(2), s.scale(2), 1e-5);
        assert_close!(out.morph(1), s.morph(1), 1e-6);
        let mut untouched = r.clone();
        add_masked(&mut untouched, &s, &r, &[0.0; 5], 1.0);
        assert_eq!(untouched, r);
    }

    #[test]
    fn an_average_does_not_depend_on_signs_and_of_one_is_that_one() {
        let a = pose(0.4);
        let mut flipped = a.clone();
        for joint in flipped.joints_mut() {
            joint.rotation = -joint.rotation;
        }
        let mut sum = a.clone();
        start_average(&mut sum, 0.25);
        accumulate(&mut sum, &flipped, 0.75);
        finish_average(&mut sum);
        for (found, wanted) in sum.joints().iter().zip(a.joints()) {
            assert_close!(found.rotation, wanted.rotation, 1e-6);
            assert_close!(found.translation, wanted.translation, 1e-6);
        }
        assert_close!(sum.scale(2), a.scale(2), 1e-6);
        assert_close!(sum.morph(1), a.morph(1), 1e-6);
    }

    #[test]
    fn a_reference_without_size_leaves_a_scale_as_it_is() {
        let (mut out, source, mut reference) = (pose(0.5), pose(0.7), pose(0.5));
        reference.set_scale(2, Vec3::new(0.0, 1.0, -1.0));
        add_masked(&mut out, &source, &reference, &[1.0; 5], 1.0);
        let wanted = Vec3::new(1.5, 1.5 * 1.7, -1.5 * 1.7);
        assert_close!(out.scale(2), wanted, 1e-5);
    }
}
