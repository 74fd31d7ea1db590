//! From the numbers of one frame to the rotations and translations of its
//! joints: the inner loop of loading a motion.
//!
//! A joint's motion M is the product of its degrees of freedom about fixed
//! axes, first one first; seen from the joint it is `C · M · C⁻¹` with C the
//! joint's `axes`, applied to its rest rotation. All joints are computed four
//! at a time and without branches: angles that a joint does not have are zero.

use fearless_simd::{Level, Simd, SimdFloat, dispatch, f64x4};
use glam::{DQuat, DVec3, Quat, Vec3};

use crate::{
    math::{Axis, Dof},
    skeleton::{Joint, JointIndex},
};

/// Which columns move a joint, and how.
#[derive(Clone, Debug)]
pub(super) struct JointChannels {
    pub joint: JointIndex,
    /// Column of the first degree of freedom in the frame's values.
    pub first: usize,
    pub dofs: Vec<Dof>,
    pub translates: bool,
    pub stretches: bool,
    axes: DQuat,
}

impl JointChannels {
    pub fn new(index: JointIndex, joint: &Joint, first: usize, dofs: Vec<Dof>) -> Self {
        Self {
            joint: index,
            first,
            translates: dofs.iter().any(|dof| matches!(dof, Dof::Translate(_))),
            stretches: dofs.contains(&Dof::Length),
            dofs,
            axes: joint.axes.as_dquat().normalize(),
        }
    }

    pub fn rotates(&self) -> bool {
        self.dofs.iter().any(|dof| matches!(dof, Dof::Rotate(_)))
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

/// Metres in single precision.
pub(super) fn to_metres(value: DVec3, metres_per_unit: f64) -> Vec3 {
    (value * metres_per_unit).as_vec3()
}

const LANES: usize = 4;

/// Four joints side by side.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Block {
    /// The axes of the three turns in joint space, first turn first: `axis[turn].xyz`.
    axis: [[[f64; LANES]; 3]; 3],
    /// +1 where the three axes are right-handed, −1 where not.
    parity: [f64; LANES],
    /// The rotations of the frame before, x, y, z, w: q and −q are one
    /// rotation, and neighbours along a track shall lie close together.
    before: [[f64; LANES]; 4],
}

/// The rotations of all joints that have any.
#[derive(Clone, Debug)]
pub(super) struct Rotations {
    level: Level,
    blocks: Vec<Block>,
    count: usize,
    /// Where in a frame's values each angle is: `columns[turn][joint]`. Turns
    /// that a joint lacks point behind the last column, at a zero.
    columns: [Vec<u32>; 3],
    /// Rest rotations other than the identity, which no bone of an ASF has.
    rests: Vec<(usize, DQuat)>,
}

impl Rotations {
    /// For the joints of `channels` that rotate, in that order; `columns` is
    /// the number of values in a frame.
    pub fn new(channels: &[JointChannels], joints: &[Joint], columns: usize) -> Self {
        let rotating: Vec<&JointChannels> = channels.iter().filter(|c| c.rotates()).collect();
        let mut rotations = Self {
            level: Level::new(),
            blocks: Vec::new(),
            count: rotating.len(),
            columns: Default::default(),
            rests: Vec::new(),
        };
        for four in rotating.chunks(LANES) {
            rotations.blocks.push(Block::new(four));
            for lane in 0..LANES {
                let turns = four.get(lane).map(|channels| turn_columns(channels));
                let turns = turns.unwrap_or_default();
                for turn in 0..3 {
                    let column = turns.get(turn).copied().unwrap_or(columns);
                    rotations.columns[turn].push(column as u32);
                }
            }
        }
        for (index, channels) in rotating.iter().enumerate() {
            let rest = joints[usize::from(channels.joint)].rest.rotation;
            if rest != Quat::IDENTITY {
                rotations.rests.push((index, rest.as_dquat().normalize()));
            }
        }
        rotations
    }

    /// Appends one frame. `values` holds one zero more than there are columns.
    pub fn push_frame(&mut self, values: &[f64], degrees_per_unit: f64, out: &mut Vec<Quat>) {
        let first = out.len();
        let level = self.level;
        dispatch!(level, simd => self.push_blocks(simd, values, degrees_per_unit, out));
        for &(index, rest) in &self.rests {
            let turned = &mut out[first + index];
            *turned = (turned.as_dquat() * rest).as_quat();
        }
    }

    /// The same before rest rotations.
    #[inline(always)]
    fn push_blocks<S: Simd>(&mut self, simd: S, values: &[f64], scale: f64, out: &mut Vec<Quat>) {
        for (index, block) in self.blocks.iter_mut().enumerate() {
            let mut turns = [(simd.splat_f64x4(0.0), simd.splat_f64x4(1.0)); 3];
            for (columns, turn) in self.columns.iter().zip(&mut turns) {
                let at = &columns[index * LANES..(index + 1) * LANES];
                let angles = [0, 1, 2, 3].map(|lane| values[at[lane] as usize]);
                *turn = sin_cos_of_half(simd.load_array_f64x4(angles) * scale);
            }
            let lanes = (self.count - index * LANES).min(LANES);
            block.push(simd, &turns, lanes, out);
        }
    }
}

fn turn_columns(channels: &JointChannels) -> Vec<usize> {
    let columns = (channels.first..).zip(&channels.dofs);
    columns
        .filter(|(_, dof)| matches!(dof, Dof::Rotate(_)))
        .map(|(column, _)| column)
        .collect()
}

impl Block {
    fn new(four: &[&JointChannels]) -> Self {
        let mut axis = [[[0.0; LANES]; 3]; 3];
        let mut parity = [1.0; LANES];
        for (lane, channels) in four.iter().enumerate() {
            let turns = channels.dofs.iter().filter_map(|dof| match dof {
                Dof::Rotate(axis) => Some(*axis),
                _ => None,
            });
            let turns = filled_up(turns.collect());
            let vectors = turns.map(|axis| channels.axes * axis.vector());
            parity[lane] = vectors[0].cross(vectors[1]).dot(vectors[2]).signum();
            for turn in 0..3 {
                for xyz in 0..3 {
                    axis[turn][xyz][lane] = vectors[turn][xyz];
                }
            }
        }
        Self {
            axis,
            parity,
            before: [0.0, 0.0, 0.0, 1.0].map(|one| [one; LANES]),
        }
    }

    /// Three turns s, c about fixed axes e₁, e₂, e₃, first one first, written
    /// out in the basis of those axes; σ is their parity:
    ///
    /// ```text
    /// e₁: s₁ c₂ c₃ − σ c₁ s₂ s₃      e₂: c₁ s₂ c₃ + σ s₁ c₂ s₃
    /// e₃: c₁ c₂ s₃ − σ s₁ s₂ c₃       w: c₁ c₂ c₃ + σ s₁ s₂ s₃
    /// ```
    #[inline(always)]
    fn push<S: Simd>(
        &mut self,
        simd: S,
        turns: &[(f64x4<S>, f64x4<S>); 3],
        lanes: usize,
        out: &mut Vec<Quat>,
    ) {
        let [(s1, c1), (s2, c2), (s3, c3)] = *turns;
        let parity = simd.load_array_ref_f64x4(&self.parity);
        let s3_parity = s3 * parity;
        let (cc, ss, sc, cs) = (c1 * c2, s1 * s2, s1 * c2, c1 * s2);
        let along = [
            sc * c3 - cs * s3_parity,
            cs * c3 + sc * s3_parity,
            cc * s3 - ss * parity * c3,
        ];
        let w = cc * c3 + ss * s3_parity;
        let q = [
            self.component(along, 0),
            self.component(along, 1),
            self.component(along, 2),
            w,
        ];
        let [x, y, z, w_before] = &self.before;
        let dot = q[0] * simd.load_array_ref_f64x4(x)
            + q[1] * simd.load_array_ref_f64x4(y)
            + q[2] * simd.load_array_ref_f64x4(z)
            + q[3] * simd.load_array_ref_f64x4(w_before);
        let sign = simd.splat_f64x4(1.0).copysign(dot);
        let [x, y, z, w] = [
            *(q[0] * sign),
            *(q[1] * sign),
            *(q[2] * sign),
            *(q[3] * sign),
        ];
        self.before = [x, y, z, w];
        out.extend((0..lanes).map(|lane| {
            Quat::from_xyzw(
                x[lane] as f32,
                y[lane] as f32,
                z[lane] as f32,
                w[lane] as f32,
            )
        }));
    }

    /// x, y or z of a vector given along the three axes.
    #[inline(always)]
    fn component<S: Simd>(&self, along: [f64x4<S>; 3], xyz: usize) -> f64x4<S> {
        let simd = along[0].simd;
        let [e1, e2, e3] = &self.axis;
        along[0] * simd.load_array_ref_f64x4(&e1[xyz])
            + along[1] * simd.load_array_ref_f64x4(&e2[xyz])
            + along[2] * simd.load_array_ref_f64x4(&e3[xyz])
    }
}

/// A permutation of all three axes that starts with `turns`.
fn filled_up(turns: Vec<Axis>) -> [Axis; 3] {
    let mut all = turns;
    for axis in [Axis::X, Axis::Y, Axis::Z] {
        if !all.contains(&axis) {
            all.push(axis);
        }
    }
    [all[0], all[1], all[2]]
}

/// Adding and subtracting it rounds a double to a whole number.
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²

/// 1/3!, 1/5!, … and 1/2!, 1/4!, …, alternating in sign.
const SIN: [f64; 6] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
];
const COS: [f64; 7] = [
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
];

/// Sine and cosine of half an angle, both with the wrong sign after an odd
/// number of whole turns: as parts of a quaternion that is the same rotation.
/// Error below 10⁻⁹, sixty times finer than the single precision they end in.
#[inline(always)]
fn sin_cos_of_half<S: Simd>(degrees: f64x4<S>) -> (f64x4<S>, f64x4<S>) {
    let turns = (degrees * (1.0 / 360.0) + ROUNDER) - ROUNDER;
    // Whole turns are taken off in degrees, where they are exact.
    let x = (degrees - turns * 360.0) * (std::f64::consts::PI / 360.0);
    let x2 = x * x;
    (x + x * series(&SIN, x2), series(&COS, x2) + 1.0)
}

/// The sum of `terms[n] · xⁿ⁺¹`.
#[inline(always)]
fn series<S: Simd>(terms: &[f64], x: f64x4<S>) -> f64x4<S> {
    let mut sum = x.simd.splat_f64x4(0.0);
    for &term in terms.iter().rev() {
        sum = (sum + term) * x;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{EulerOrder, Transform, quat::angle_between};
    use crate::skeleton::NO_PARENT;

    fn joint(axes: DQuat, rest: Quat) -> Joint {
        Joint {
            name: "j".into(),
            parent: NO_PARENT,
            rest: Transform::from_rotation(rest),
            tip: Vec3::Y,
            axes: axes.as_quat(),
            dofs: Vec::new(),
        }
    }

    /// Sine and cosine of half an angle as the machine at hand computes them.
    fn half_angle(degrees: f64) -> (f64, f64) {
        let level = Level::new();
        dispatch!(level, simd => {
            let (sin, cos) = sin_cos_of_half(simd.splat_f64x4(degrees));
            (sin[0], cos[0])
        })
    }

    #[test]
    fn half_angle_sine_and_cosine_against_the_standard_library() {
        for step in -40_000..40_000 {
            let degrees = f64::from(step) * 0.037;
            let (sin, cos) = half_angle(degrees);
            let (true_sin, true_cos) = (degrees / 2.0).to_radians().sin_cos();
            let sign = if cos * true_cos + sin * true_sin < 0.0 {
                -1.0
            } else {
                1.0
            };
            assert!(
                (sin * sign - true_sin).abs() < 1e-9,
                "sin {degrees}/2: {sin} {true_sin}"
            );
            assert!(
                (cos * sign - true_cos).abs() < 1e-9,
                "cos {degrees}/2: {cos} {true_cos}"
            );
        }
        let (sin, cos) = half_angle(1e9);
        let norm = sin * sin + cos * cos;
        assert!((norm - 1.0).abs() < 1e-8, "stays on the circle: {norm}");
    }

    /// Every order of one, two and three turns, seven joints at once, against
    /// a plain product of quaternions.
    #[test]
    fn turns_in_any_order_seen_from_any_axes() {
        let axes = EulerOrder::XYZ.rotation(DVec3::new(0.3, -0.8, 1.9));
        let rest = Quat::from_rotation_x(0.4);
        let mut cases: Vec<Vec<Axis>> = Vec::new();
        for order in EulerOrder::ALL {
            for count in 1..=3 {
                cases.push(order.axes()[..count].to_vec());
            }
        }
        let joints: Vec<Joint> = cases.iter().map(|_| joint(axes, rest)).collect();
        let mut values = Vec::new();
        let mut channels = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            let dofs: Vec<Dof> = case.iter().map(|&axis| Dof::Rotate(axis)).collect();
            channels.push(JointChannels::new(
                index as JointIndex,
                &joints[index],
                values.len(),
                dofs,
            ));
            values.extend((0..case.len()).map(|turn| 37.0 * (index + turn) as f64 - 190.0));
        }
        let mut rotations = Rotations::new(&channels, &joints, values.len());
        values.push(0.0);
        let mut out = Vec::new();
        rotations.push_frame(&values, 1.0, &mut out);
        assert_eq!(out.len(), cases.len());
        for ((case, channels), &found) in cases.iter().zip(&channels).zip(&out) {
            let turns = case.iter().zip(&values[channels.first..]);
            let motion = turns.fold(DQuat::IDENTITY, |done, (axis, degrees)| {
                DQuat::from_axis_angle(axis.vector(), degrees.to_radians()) * done
            });
            let expected = axes * motion * axes.inverse() * rest.as_dquat();
            let angle = angle_between(found, expected.as_quat());
            assert!(
                angle < 5e-7,
                "{case:?}: {found} is not {expected}, {angle} rad apart"
            );
        }
    }

    #[test]
    fn translations_follow_the_joint_axes() {
        let axes = EulerOrder::XYZ.rotation(DVec3::new(0.3, -0.8, 1.9));
        let dofs = vec![Dof::Rotate(Axis::Z), Dof::Translate(Axis::X), Dof::Length];
        let channels = JointChannels::new(0, &joint(axes, Quat::IDENTITY), 1, dofs);
        let values = [9.0, 40.0, 2.0, 0.7];
        let moved = channels.translation(&values);
        assert!((moved - axes * DVec3::X * 2.0).length() < 1e-6, "{moved}");
        assert_eq!(channels.stretch(&values), 0.7);
    }

    #[test]
    fn signs_run_on_past_a_full_turn() {
        let joints = [joint(DQuat::IDENTITY, Quat::IDENTITY)];
        let channels = [JointChannels::new(
            0,
            &joints[0],
            0,
            vec![Dof::Rotate(Axis::Y)],
        )];
        let mut rotations = Rotations::new(&channels, &joints, 1);
        let mut out = Vec::new();
        for step in 0..800 {
            // Written as −180..180, so that the raw half angle jumps.
            let written = (f64::from(step) + 180.0).rem_euclid(360.0) - 180.0;
            rotations.push_frame(&[written, 0.0], 1.0, &mut out);
        }
        for (step, pair) in out.windows(2).enumerate() {
            assert!(pair[0].dot(pair[1]) > 0.999, "jump at {step}°");
        }
    }
}
