//! From the numbers of one frame to the rotations and translations of its
//! joints: the inner loop of loading a motion.
//!
//! A joint's motion M is the product of its degrees of freedom about fixed
//! axes, first one first; seen from the joint it is `C · M · C⁻¹` with C the
//! joint's `axes`, applied to its rest rotation.

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

use crate::{
    math::{Axis, Dof, quat::align_sign},
    skeleton::{Joint, JointIndex},
};

/// Which columns move a joint, and how.
#[derive(Clone, Debug)]
pub(super) struct JointChannels {
    pub joint: JointIndex,
    /// Column of the first degree of freedom in the frame's values.
    pub first: usize,
    pub dofs: Vec<Dof>,
    /// C as a matrix: it turns the vector part of a quaternion.
    axes: DMat3,
    /// `None` when it is the identity, as for all bones of an ASF.
    rest_rotation: Option<DQuat>,
    previous: Quat,
}

impl JointChannels {
    pub fn new(index: JointIndex, joint: &Joint, first: usize, dofs: Vec<Dof>) -> Self {
        let rest = joint.rest.rotation;
        Self {
            joint: index,
            first,
            dofs,
            axes: DMat3::from_quat(joint.axes.as_dquat().normalize()),
            rest_rotation: (rest != Quat::IDENTITY).then(|| rest.as_dquat().normalize()),
            previous: rest,
        }
    }

    pub fn rotates(&self) -> bool {
        self.dofs.iter().any(|dof| matches!(dof, Dof::Rotate(_)))
    }

    pub fn translates(&self) -> bool {
        self.dofs.iter().any(|dof| matches!(dof, Dof::Translate(_)))
    }

    pub fn stretches(&self) -> bool {
        self.dofs.contains(&Dof::Length)
    }

    /// `parent_from_joint` rotation, continuous in sign with the last call.
    pub fn rotation(&mut self, half_angles: &HalfAngles) -> Quat {
        let mut motion = DQuat::IDENTITY;
        for (column, dof) in (self.first..).zip(&self.dofs) {
            if let Dof::Rotate(axis) = *dof {
                let (sin, cos) = (half_angles.sin[column], half_angles.cos[column]);
                motion = turned_about(motion, axis, sin, cos);
            }
        }
        let vector = self.axes * DVec3::new(motion.x, motion.y, motion.z);
        let mut rotation = DQuat::from_xyzw(vector.x, vector.y, vector.z, motion.w);
        if let Some(rest) = self.rest_rotation {
            rotation *= rest;
        }
        self.previous = align_sign(rotation.as_quat(), self.previous);
        self.previous
    }

    /// Translation in the parent's space, in file units.
    pub fn translation(&self, values: &[f64]) -> DVec3 {
        let mut along = DVec3::ZERO;
        for (value, dof) in values[self.first..].iter().zip(&self.dofs) {
            if let Dof::Translate(axis) = dof {
                along[axis.index()] = *value;
            }
        }
        self.axes * along
    }

    /// Stretch in file units.
    pub fn stretch(&self, values: &[f64]) -> f64 {
        let at = self.dofs.iter().position(|&dof| dof == Dof::Length);
        at.map_or(0.0, |at| values[self.first + at])
    }
}

/// `R(axis) · q` with half the multiplications of a full product.
#[inline(always)]
fn turned_about(q: DQuat, axis: Axis, sin: f64, cos: f64) -> DQuat {
    let DQuat { x, y, z, w } = q;
    match axis {
        Axis::X => DQuat::from_xyzw(
            cos * x + sin * w,
            cos * y - sin * z,
            cos * z + sin * y,
            cos * w - sin * x,
        ),
        Axis::Y => DQuat::from_xyzw(
            cos * x + sin * z,
            cos * y + sin * w,
            cos * z - sin * x,
            cos * w - sin * y,
        ),
        Axis::Z => DQuat::from_xyzw(
            cos * x - sin * y,
            cos * y + sin * x,
            cos * z + sin * w,
            cos * w - sin * z,
        ),
    }
}

/// Sine and cosine of half of every value of a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct HalfAngles {
    sin: Vec<f64>,
    cos: Vec<f64>,
}

impl HalfAngles {
    /// All columns in one loop that vectorises. Columns that are lengths are
    /// computed too and never read.
    pub fn compute(&mut self, values: &[f64], degrees_per_unit: f64) {
        self.sin.resize(values.len(), 0.0);
        self.cos.resize(values.len(), 0.0);
        let outputs = self.sin.iter_mut().zip(&mut self.cos);
        for (&value, (sin, cos)) in values.iter().zip(outputs) {
            (*sin, *cos) = sin_cos_of_half_degrees(value * degrees_per_unit);
        }
    }
}

/// Adding and subtracting it rounds a double to a whole number; its last bits
/// then hold that number.
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²

/// Sine and cosine of `degrees / 2` to 2·10⁻¹⁵ for |degrees| up to 10¹¹.
/// Without branches, so that a loop over it vectorises; quarter turns are
/// taken off in degrees, where they are exact.
#[inline(always)]
fn sin_cos_of_half_degrees(degrees: f64) -> (f64, f64) {
    let shifted = degrees / 180.0 + ROUNDER;
    let quarter_turns = shifted - ROUNDER;
    let quadrant = shifted.to_bits();
    let x = (degrees * 0.5 - quarter_turns * 90.0) * (std::f64::consts::PI / 180.0);
    let x2 = x * x;
    // Taylor to x¹⁵ and x¹⁴: below 10⁻¹⁷ at π/4.
    let sin = x + x
        * x2
        * (-1.0 / 6.0
            + x2 * (1.0 / 120.0
                + x2 * (-1.0 / 5_040.0
                    + x2 * (1.0 / 362_880.0
                        + x2 * (-1.0 / 39_916_800.0
                            + x2 * (1.0 / 6_227_020_800.0 + x2 * (-1.0 / 1_307_674_368_000.0)))))));
    let cos = 1.0
        + x2 * (-0.5
            + x2 * (1.0 / 24.0
                + x2 * (-1.0 / 720.0
                    + x2 * (1.0 / 40_320.0
                        + x2 * (-1.0 / 3_628_800.0
                            + x2 * (1.0 / 479_001_600.0 + x2 * (-1.0 / 87_178_291_200.0)))))));
    let odd = (quadrant & 1).wrapping_neg();
    let (s, c) = (sin.to_bits(), cos.to_bits());
    let swapped_sin = (c & odd) | (s & !odd);
    let swapped_cos = (s & odd) | (c & !odd);
    let sin_sign = (quadrant >> 1 & 1) << 63;
    let cos_sign = ((quadrant >> 1 ^ quadrant) & 1) << 63;
    (
        f64::from_bits(swapped_sin ^ sin_sign),
        f64::from_bits(swapped_cos ^ cos_sign),
    )
}

/// Metres in single precision.
pub(super) fn to_metres(value: DVec3, metres_per_unit: f64) -> Vec3 {
    (value * metres_per_unit).as_vec3()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{EulerOrder, Transform};
    use crate::skeleton::NO_PARENT;

    #[test]
    fn half_angle_sine_and_cosine_against_the_standard_library() {
        for step in -40_000..40_000 {
            let degrees = f64::from(step) * 0.037;
            let (sin, cos) = sin_cos_of_half_degrees(degrees);
            let (true_sin, true_cos) = (degrees / 2.0).to_radians().sin_cos();
            assert!(
                (sin - true_sin).abs() < 2e-15,
                "sin {degrees}/2: {sin} {true_sin}"
            );
            assert!(
                (cos - true_cos).abs() < 2e-15,
                "cos {degrees}/2: {cos} {true_cos}"
            );
        }
        let (sin, cos) = sin_cos_of_half_degrees(1e9);
        assert!(
            (sin * sin + cos * cos - 1.0).abs() < 1e-12,
            "stays on the circle"
        );
    }

    #[test]
    fn conjugation_by_the_joint_axes() {
        let order = EulerOrder::XYZ;
        let axes = order.rotation(DVec3::new(0.3, -0.8, 1.9));
        let joint = Joint {
            name: "j".into(),
            parent: NO_PARENT,
            rest: Transform::IDENTITY,
            tip: Vec3::Y,
            axes: axes.as_quat(),
            dofs: Vec::new(),
        };
        let dofs = vec![
            Dof::Rotate(Axis::Z),
            Dof::Translate(Axis::X),
            Dof::Rotate(Axis::X),
        ];
        let mut channels = JointChannels::new(0, &joint, 0, dofs);
        let values = [40.0, 2.0, -25.0];
        let mut half = HalfAngles::default();
        half.compute(&values, 1.0);
        let motion = DQuat::from_rotation_x((-25f64).to_radians())
            * DQuat::from_rotation_z(40f64.to_radians());
        let expected = (axes * motion * axes.inverse()).as_quat();
        let found = channels.rotation(&half);
        assert!(found.angle_between(expected) < 1e-3, "{found} {expected}");
        let moved = channels.translation(&values);
        assert!((moved - axes * DVec3::X * 2.0).length() < 1e-6, "{moved}");
    }

    #[test]
    fn signs_run_on_past_a_full_turn() {
        let joint = Joint {
            name: "j".into(),
            parent: NO_PARENT,
            rest: Transform::IDENTITY,
            tip: Vec3::Y,
            axes: Quat::IDENTITY,
            dofs: Vec::new(),
        };
        let mut channels = JointChannels::new(0, &joint, 0, vec![Dof::Rotate(Axis::Y)]);
        let mut half = HalfAngles::default();
        let mut last = Quat::IDENTITY;
        for step in 0..800 {
            // Written as −180..180, so that the raw half angle jumps.
            let written = (f64::from(step) + 180.0).rem_euclid(360.0) - 180.0;
            half.compute(&[written], 1.0);
            let q = channels.rotation(&half);
            assert!(q.dot(last) > 0.999, "jump at {step}°");
            last = q;
        }
    }
}
