//! From the angles of one frame to the rotations of its joints: the inner loop
//! of loading a motion.
//!
//! A joint's motion M is the product of its elementary rotations about fixed
//! axes, first one first: order XYZ is Rz · Ry · Rx on column vectors. The
//! angles of an ASF bone are about the axes of its own frame C, its `axis` in
//! the skeleton file, which is global at rest (Acclaim's notes on the format);
//! seen from the joint the motion is `C · M · C⁻¹`, applied to the rest
//! rotation. As `C · R(e, θ) · C⁻¹ = R(C·e, θ)`, it is enough to take the axes
//! e through C once. All joints are computed four at a time and without
//! branches: angles that a joint does not have are zero.

use fearless_simd::{Level, Simd, SimdFloat, dispatch, f64x4};
use glam::{DQuat, Quat};

use super::{channels::JointChannels, half_angle::sin_cos_of_half};
use crate::{
    math::{Axis, Dof},
    skeleton::Joint,
};

const LANES: usize = 4;

/// Four joints side by side.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Block {
    /// The axes of the three rotations in joint space, first one first:
    /// `axis[step][xyz]`.
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
    /// Where in a frame's values each angle is: `columns[step][joint]`.
    /// Rotations that a joint lacks point behind the last column, at a zero.
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
                let own = four.get(lane).map(|channels| rotation_columns(channels));
                let own = own.unwrap_or_default();
                for step in 0..3 {
                    // A zero behind the last column stands for angles that are
                    // not there: no branch in the inner loop.
                    let column = own.get(step).copied().unwrap_or(columns);
                    rotations.columns[step].push(column as u32);
                }
            }
        }
        for (index, channels) in rotating.iter().enumerate() {
            // M acts on the rest pose, so it stands to the left: M · rest.
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
            let rotation = &mut out[first + index];
            // On the right: the rest comes first, the motion turns what stands.
            *rotation = (rotation.as_dquat() * rest).as_quat();
        }
    }

    /// The same before rest rotations.
    #[inline(always)]
    fn push_blocks<S: Simd>(&mut self, simd: S, values: &[f64], scale: f64, out: &mut Vec<Quat>) {
        for (index, block) in self.blocks.iter_mut().enumerate() {
            let mut half_angles = [(simd.splat_f64x4(0.0), simd.splat_f64x4(1.0)); 3];
            for (columns, half_angle) in self.columns.iter().zip(&mut half_angles) {
                let at = &columns[index * LANES..(index + 1) * LANES];
                let angles = [0, 1, 2, 3].map(|lane| values[at[lane] as usize]);
                *half_angle = sin_cos_of_half(simd.load_array_f64x4(angles) * scale);
            }
            let lanes = (self.count - index * LANES).min(LANES);
            block.push(simd, &half_angles, lanes, out);
        }
    }
}

fn rotation_columns(channels: &JointChannels) -> Vec<usize> {
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
            let axes = channels.dofs.iter().filter_map(|dof| match dof {
                Dof::Rotate(axis) => Some(*axis),
                _ => None,
            });
            let axes = filled_up(axes.collect());
            let vectors = axes.map(|axis| channels.axes * axis.vector());
            parity[lane] = vectors[0].cross(vectors[1]).dot(vectors[2]).signum();
            for step in 0..3 {
                for xyz in 0..3 {
                    axis[step][xyz][lane] = vectors[step][xyz];
                }
            }
        }
        Self {
            axis,
            parity,
            before: [0.0, 0.0, 0.0, 1.0].map(|one| [one; LANES]),
        }
    }

    /// The product of three quaternions, half angles s, c about fixed axes
    /// e₁, e₂, e₃, first one first, written out in the basis of those axes; σ
    /// is their parity, e₁ × e₂ = σ e₃:
    ///
    /// ```text
    /// e₁: s₁ c₂ c₃ − σ c₁ s₂ s₃      e₂: c₁ s₂ c₃ + σ s₁ c₂ s₃
    /// e₃: c₁ c₂ s₃ − σ s₁ s₂ c₃       w: c₁ c₂ c₃ + σ s₁ s₂ s₃
    /// ```
    #[inline(always)]
    fn push<S: Simd>(
        &mut self,
        simd: S,
        half_angles: &[(f64x4<S>, f64x4<S>); 3],
        lanes: usize,
        out: &mut Vec<Quat>,
    ) {
        let [(s1, c1), (s2, c2), (s3, c3)] = *half_angles;
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
        // The sign of the dot product, without a branch: q or −q, whichever is
        // nearer to the frame before.
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

/// A permutation of all three axes that starts with `axes`.
fn filled_up(axes: Vec<Axis>) -> [Axis; 3] {
    let mut all = axes;
    for axis in [Axis::X, Axis::Y, Axis::Z] {
        if !all.contains(&axis) {
            all.push(axis);
        }
    }
    [all[0], all[1], all[2]]
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::*;
    use crate::{
        math::{EulerOrder, Transform, quat::angle_between},
        skeleton::{JointIndex, NO_PARENT},
    };

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

    /// Every order of one, two and three rotations, seven joints at once, against
    /// a plain product of quaternions.
    #[test]
    fn rotations_in_any_order_seen_from_any_axes() {
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
            values.extend((0..case.len()).map(|step| 37.0 * (index + step) as f64 - 190.0));
        }
        let mut rotations = Rotations::new(&channels, &joints, values.len());
        values.push(0.0);
        let mut out = Vec::new();
        rotations.push_frame(&values, 1.0, &mut out);
        assert_eq!(out.len(), cases.len());
        for ((case, channels), &found) in cases.iter().zip(&channels).zip(&out) {
            let steps = case.iter().zip(&values[channels.first..]);
            let motion = steps.fold(DQuat::IDENTITY, |done, (axis, degrees)| {
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
    fn signs_run_on_past_a_full_revolution() {
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
