//! From the numbers of a frame to a pose.
//!
//! Joints are taken by eights, those with as many axes together, so that half
//! angles, products and blends of eight joints are worked out at once.
//! Arithmetic is written out in single precision without library functions and
//! fuses nothing, so that every machine decodes the same bits.

use fearless_simd::{Level, Select, Simd, SimdBase, SimdFloat, dispatch, f32x8};
use glam::Vec3A;

use super::channels::{ChannelLayout, RotationChannels, RotationCode};
use crate::{
    codec::lanes::{LANES, Quats},
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// Eight rotations: all x, all y, all z, all w.
type EightQuats = [[f32; LANES]; 4];
/// A number for each of eight joints.
type Eight = [f32; LANES];

/// A frame ready to be blended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DecodedFrame {
    /// The frame's numbers and, last, a zero; positions as the [`PoseDecoder`] knows them.
    pub values: Vec<f32>,
    rotations: Vec<EightQuats>,
}

/// How the numbers of a frame make a pose.
#[derive(Clone, Debug, Default)]
pub(super) struct PoseDecoder {
    groups: Vec<Group>,
    root: [usize; 3],
    offsets: Vec<(JointIndex, [usize; 3])>,
    stretches: Vec<(JointIndex, usize)>,
}

/// Eight joints or fewer, whose rotations are made alike.
#[derive(Clone, Debug)]
struct Group {
    joints: Vec<JointIndex>,
    /// Positions of the numbers, first of all joints, second of all joints, third.
    positions: [[usize; LANES]; 3],
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// Rotations about so many axes (x, y, z each), first applied first.
    Angles(usize, [[Eight; 3]; 3]),
    /// Rotation vectors, applied before these means.
    Vectors(EightQuats),
}

impl PoseDecoder {
    /// For a layout whose channel `c` is found at `position(c)` of a frame's
    /// values, which end with a zero at `zero`.
    pub fn new(layout: &ChannelLayout, position: impl Fn(usize) -> usize, zero: usize) -> Self {
        let mut rotations: Vec<&RotationChannels> = layout.rotations.iter().collect();
        // Joints with as many axes together: a group multiplies as often as
        // its largest needs, the rest by rotations of nothing.
        rotations.sort_by_key(|channels| (is_vector(channels), channels.count));
        let alike = rotations.chunk_by(|a, b| is_vector(a) == is_vector(b));
        let groups = alike.flat_map(|alike| alike.chunks(LANES));
        let three = |first: usize| [0, 1, 2].map(|i| position(first + i));
        Self {
            groups: groups
                .map(|group| Group::new(group, &position, zero))
                .collect(),
            root: three(0),
            offsets: layout
                .offsets
                .iter()
                .map(|&(joint, at)| (joint, three(at)))
                .collect(),
            stretches: layout
                .stretches
                .iter()
                .map(|&(joint, at)| (joint, position(at)))
                .collect(),
        }
    }

    /// Works out the rotations of a frame from its values.
    pub fn decode_rotations(&self, level: Level, frame: &mut DecodedFrame) {
        frame.rotations.resize(self.groups.len(), [[0.0; LANES]; 4]);
        dispatch!(level, simd => {
            for (group, rotations) in self.groups.iter().zip(&mut frame.rotations) {
                group.decode(simd, &frame.values, rotations);
            }
        });
    }

    /// Writes a frame as a pose.
    pub fn write(
        &self,
        level: Level,
        skeleton: &Skeleton,
        frame: &DecodedFrame,
        pose: &mut LocalPose,
    ) {
        self.blend(level, skeleton, [frame, frame], 0.0, pose);
    }

    /// Writes what lies between two frames as a pose.
    pub fn blend(
        &self,
        level: Level,
        skeleton: &Skeleton,
        [from, to]: [&DecodedFrame; 2],
        t: f32,
        pose: &mut LocalPose,
    ) {
        pose.copy_from(skeleton.rest());
        dispatch!(level, simd => {
            let pairs = from.rotations.iter().zip(&to.rotations);
            for (group, (from, to)) in self.groups.iter().zip(pairs) {
                group.blend(simd, [from, to], t, pose);
            }
        });
        // Translations and stretches are few: one by one.
        let value = |position: usize| {
            let (from, to) = (from.values[position], to.values[position]);
            from + (to - from) * t
        };
        let vector = |positions: [usize; 3]| Vec3A::from_array(positions.map(value));
        let joints = pose.joints_mut();
        joints[0].translation = vector(self.root);
        for &(joint, positions) in &self.offsets {
            joints[usize::from(joint)].translation += vector(positions);
        }
        for &(joint, position) in &self.stretches {
            pose.stretch_bone(skeleton, joint, value(position));
        }
    }
}

fn is_vector(channels: &RotationChannels) -> bool {
    matches!(channels.code, RotationCode::Vector(_))
}

impl Group {
    fn new(joints: &[&RotationChannels], position: impl Fn(usize) -> usize, zero: usize) -> Self {
        let lanes = |value: &dyn Fn(&RotationChannels) -> f32| -> Eight {
            std::array::from_fn(|lane| joints.get(lane).map_or(0.0, |joint| value(joint)))
        };
        let vectors = joints.first().is_some_and(|joint| is_vector(joint));
        Self {
            joints: joints.iter().map(|joint| joint.joint).collect(),
            positions: std::array::from_fn(|part| {
                std::array::from_fn(|lane| match joints.get(lane) {
                    Some(joint) if part < joint.count => position(joint.first + part),
                    // The angle that a joint lacks is the zero at the end: no
                    // branch.
                    _ => zero,
                })
            }),
            kind: if vectors {
                Kind::Vectors(std::array::from_fn(|i| {
                    lanes(&|joint| joint.mean.to_array()[i])
                }))
            } else {
                let most = joints.iter().map(|joint| joint.count).max().unwrap_or(0);
                let axis = |part: usize, i: usize| lanes(&|joint| joint.axes[part][i]);
                let axes = std::array::from_fn(|part| std::array::from_fn(|i| axis(part, i)));
                Kind::Angles(most, axes)
            },
        }
    }

    #[inline(always)]
    fn decode<S: Simd>(&self, simd: S, values: &[f32], rotations: &mut EightQuats) {
        let numbers = |part: usize| {
            let positions = &self.positions[part];
            std::array::from_fn(|lane| values[positions[lane]])
        };
        let decoded = match &self.kind {
            Kind::Angles(count, axes) => {
                let mut decoded = axis_rotations(simd, numbers(0), &axes[0]);
                // The later angle is multiplied from the left.
                for (part, axes) in axes.iter().enumerate().take(*count).skip(1) {
                    decoded = product(axis_rotations(simd, numbers(part), axes), decoded);
                }
                decoded
            }
            Kind::Vectors(means) => {
                let x = simd.load_array_f32x8(numbers(0));
                let y = simd.load_array_f32x8(numbers(1));
                let z = simd.load_array_f32x8(numbers(2));
                product(eight(simd, means), exponentials(simd, x, y, z))
            }
        };
        for (out, part) in rotations.iter_mut().zip(decoded.0) {
            part.store_slice(out);
        }
    }

    #[inline(always)]
    fn blend<S: Simd>(&self, simd: S, frames: [&EightQuats; 2], t: f32, pose: &mut LocalPose) {
        let (from, to) = (eight(simd, frames[0]), eight(simd, frames[1]));
        // The short way round.
        let other_half = from.dot(to).simd_lt(0.0);
        // Linear, then unit length (nlerp): raw clips are sampled so too.
        let t_to = other_half.select(simd.splat_f32x8(-t), simd.splat_f32x8(t));
        let ([ax, ay, az, aw], [bx, by, bz, bw]) = (from.0, to.0);
        let t_from = simd.splat_f32x8(1.0 - t);
        let blended = Quats([
            ax * t_from + bx * t_to,
            ay * t_from + by * t_to,
            az * t_from + bz * t_to,
            aw * t_from + bw * t_to,
        ])
        .normalised();
        let joints = pose.joints_mut();
        for (&joint, rotation) in self.joints.iter().zip(blended.to_array()) {
            joints[usize::from(joint)].rotation = rotation;
        }
    }
}

/// Rotations by angles about unit axes.
#[inline(always)]
fn axis_rotations<S: Simd>(simd: S, angles: Eight, axes: &[Eight; 3]) -> Quats<S> {
    let (sines, cosines) = half_sin_cos(simd.load_array_f32x8(angles));
    let [x, y, z] = axes;
    Quats([
        simd.load_array_ref_f32x8(x) * sines,
        simd.load_array_ref_f32x8(y) * sines,
        simd.load_array_ref_f32x8(z) * sines,
        cosines,
    ])
}

#[inline(always)]
fn eight<S: Simd>(simd: S, [x, y, z, w]: &EightQuats) -> Quats<S> {
    Quats([
        simd.load_array_ref_f32x8(x),
        simd.load_array_ref_f32x8(y),
        simd.load_array_ref_f32x8(z),
        simd.load_array_ref_f32x8(w),
    ])
}

/// Rotations of rotation vectors.
#[inline(always)]
fn exponentials<S: Simd>(simd: S, x: f32x8<S>, y: f32x8<S>, z: f32x8<S>) -> Quats<S> {
    let angles = (x * x + y * y + z * z).sqrt();
    let (sines, cosines) = half_sin_cos(angles);
    // sin(θ/2) / θ tends to ½; the division of 0 by 0 is not chosen.
    let tiny = angles.simd_lt(1e-6);
    let scale = tiny.select(simd.splat_f32x8(0.5), sines / angles);
    Quats([x * scale, y * scale, z * scale, cosines])
}

/// Rotations `b`, then `a`.
#[inline(always)]
fn product<S: Simd>(a: Quats<S>, b: Quats<S>) -> Quats<S> {
    let [ax, ay, az, aw] = a.0;
    let [bx, by, bz, bw] = b.0;
    Quats([
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ])
}

/// Angles beyond this only occur in damaged streams; they are held here, where
/// the range reduction still gives finite numbers.
const MAX_ANGLE: f32 = 1e4;

/// Sine and cosine of half of every angle, both up to one common sign, which
/// is all a quaternion needs. Within 2e-7 for angles below a hundred turns.
#[inline(always)]
#[allow(clippy::excessive_precision)] // exact splits
fn half_sin_cos<S: Simd>(angles: f32x8<S>) -> (f32x8<S>, f32x8<S>) {
    // Adding and taking away 1.5·2²³ rounds to the nearest whole number.
    const ROUND: f32 = 12_582_912.0;
    // π in two parts (Cody and Waite): the first is 201/64, whose product with
    // up to 16 bits of half turns is exact.
    const PI_HIGH: f32 = 3.140_625;
    const PI_LOW: f32 = 9.676_535_9e-4;
    let half = angles.max_precise(-MAX_ANGLE).min_precise(MAX_ANGLE) * 0.5;
    // Off go whole multiples of π, which change the sign of both at once and
    // leave |r| ≤ π/2.
    let half_turns = half * std::f32::consts::FRAC_1_PI + ROUND - ROUND;
    let r = (half - half_turns * PI_HIGH) - half_turns * PI_LOW;
    let r2 = r * r;
    // Taylor's series: what is left out at π/2 is (π/2)¹³/13! = 6e-8 for the
    // sine, a tenth of that for the cosine.
    let sine = r + r * r2 * series(r2, SINE);
    let cosine = r2 * series(r2, COSINE) + 1.0;
    (sine, cosine)
}

/// Sum of terms in powers of `x`, constant first.
#[inline(always)]
fn series<S: Simd, const N: usize>(x: f32x8<S>, terms: [f32; N]) -> f32x8<S> {
    let mut sum = x.simd.splat_f32x8(0.0);
    for term in terms.into_iter().rev() {
        sum = sum * x + term;
    }
    sum
}

/// Of the sine after x, in powers of x².
const SINE: [f32; 5] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
];

/// Of the cosine after 1.
const COSINE: [f32; 6] = [
    -0.5,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quat::angle_between;
    use glam::{Quat, Vec3};

    #[inline(always)]
    fn half<S: Simd>(simd: S, angle: f32) -> (f32, f32) {
        let (sine, cosine) = half_sin_cos(simd.splat_f32x8(angle));
        (sine[3], cosine[3])
    }

    fn half_of(angle: f32) -> (f32, f32) {
        let level = Level::new();
        dispatch!(level, simd => half(simd, angle))
    }

    #[test]
    fn half_angles_agree_with_the_library_up_to_a_sign() {
        for i in -4000..4000 {
            let angle = i as f32 * 0.0173;
            let (sine, cosine) = half_of(angle);
            let (s, c) = (f64::from(angle) / 2.0).sin_cos();
            let sign = (f64::from(cosine) * c + f64::from(sine) * s).signum();
            let off = (f64::from(sine) * sign - s).abs() + (f64::from(cosine) * sign - c).abs();
            assert!(off < 1e-6, "{angle}: off by {off}");
        }
    }

    #[test]
    fn absurd_angles_stay_finite() {
        for angle in [1e9, -1e30, f32::MAX, 1e4, 0.0, f32::NAN, f32::INFINITY] {
            let (sine, cosine) = half_of(angle);
            assert!(sine.is_finite() && cosine.is_finite(), "{angle}");
            assert!(sine.abs() <= 1.01 && cosine.abs() <= 1.01, "{angle}");
        }
    }

    #[inline(always)]
    fn exponential<S: Simd>(simd: S, vector: Vec3) -> Quat {
        let [x, y, z] = vector.to_array().map(|part| simd.splat_f32x8(part));
        exponentials(simd, x, y, z).to_array()[5]
    }

    #[test]
    fn exponentials_agree_with_axis_and_angle() {
        let level = Level::new();
        for vector in [Vec3::ZERO, Vec3::X * 1e-7, Vec3::new(0.3, -1.0, 2.0)] {
            let expected = Quat::from_scaled_axis(vector);
            let found = dispatch!(level, simd => exponential(simd, vector));
            assert!(angle_between(found, expected) < 1e-6, "{vector}");
        }
    }

    #[inline(always)]
    fn product_of<S: Simd>(simd: S, a: Quat, b: Quat) -> Quat {
        let eight = |q: Quat| Quats(q.to_array().map(|part| simd.splat_f32x8(part)));
        product(eight(a), eight(b)).to_array()[0]
    }

    #[test]
    fn products_are_those_of_quaternions() {
        let level = Level::new();
        let (a, b) = (
            Quat::from_xyzw(0.1, 0.2, -0.3, 0.9),
            Quat::from_xyzw(-0.5, 0.4, 0.6, 0.2),
        );
        let found = dispatch!(level, simd => product_of(simd, a, b));
        assert_close!(found, a * b, 1e-6);
    }
}
