//! The numbers a pose is made of.
//!
//! A joint's rotation is coded as what it was captured as: angles about its
//! own few axes where the skeleton names them (a knee is one number, not
//! four), about all three axes where the motion leaves the named ones, or as
//! a rotation vector around the joint's mean where angles would spin. The
//! root's translation and the rare further tracks follow in the same list.
//!
//! [`Layout`] is the list; encoder and decoder derive the same one from the
//! skeleton and a few words in the stream. Arithmetic here is written out in
//! single precision without library functions, so that every machine decodes
//! the same bits.

use glam::{Quat, Vec3, Vec3A, Vec4};

use crate::skeleton::{Dof, Joint, JointIndex, LocalPose, Skeleton};

/// How the rotation of a joint is made of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RotationCode {
    /// Angles about the joint's own rotational degrees of freedom.
    Dofs,
    /// Angles about X, Y and Z of the joint's axes, X applied first.
    Axes,
    /// A rotation vector, applied before the rotation that these bytes stand
    /// for ([`mean_from_bytes`]).
    Vector([i8; 3]),
}

/// The rotation channels of a joint: `count` of them from `first` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RotationChannels {
    pub joint: JointIndex,
    pub code: RotationCode,
    pub first: usize,
    pub count: usize,
    /// Unit axes of the angles in joint space, first applied first.
    pub axes: [Vec3; 3],
    /// What a rotation vector turns away from.
    pub mean: Quat,
}

/// What a channel moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ChannelKind {
    /// Radians about one of the joint's axes, or a part of a rotation vector:
    /// index of the [`RotationChannels`] and place in it.
    Rotation(usize, usize),
    /// Metres along an axis of the parent's space.
    Translation(usize),
    /// Metres added to the bone's length.
    Stretch,
}

/// One number a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Channel {
    pub joint: JointIndex,
    pub kind: ChannelKind,
}

/// All channels of a clip; those of a joint come after those of its parent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layout {
    pub channels: Vec<Channel>,
    pub rotations: Vec<RotationChannels>,
    /// Joints with an offset from rest, and the first of its three channels.
    pub offsets: Vec<(JointIndex, usize)>,
    /// Joints whose bone stretches, and the channel that says by how much.
    pub stretches: Vec<(JointIndex, usize)>,
}

/// Which joints a layout has tracks for; every list ascends.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tracks {
    pub rotations: Vec<(JointIndex, RotationCode)>,
    pub offsets: Vec<JointIndex>,
    pub stretches: Vec<JointIndex>,
}

/// The root's translation takes the first three channels.
pub(super) const ROOT_CHANNELS: usize = 3;

impl Layout {
    /// Lists the channels. The lists of `tracks` must ascend and name joints of
    /// the skeleton.
    pub fn new(skeleton: &Skeleton, tracks: &Tracks) -> Self {
        let mut layout = Self::default();
        layout.push(0, (0..ROOT_CHANNELS).map(ChannelKind::Translation));
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let index = index as JointIndex;
            if tracks.offsets.binary_search(&index).is_ok() {
                let first = layout.push(index, (0..3).map(ChannelKind::Translation));
                layout.offsets.push((index, first));
            }
            if let Ok(at) = tracks
                .rotations
                .binary_search_by_key(&index, |track| track.0)
            {
                layout.push_rotation(index, joint, tracks.rotations[at].1);
            }
            if tracks.stretches.binary_search(&index).is_ok() {
                let first = layout.push(index, [ChannelKind::Stretch].into_iter());
                layout.stretches.push((index, first));
            }
        }
        layout
    }

    fn push(&mut self, joint: JointIndex, kinds: impl Iterator<Item = ChannelKind>) -> usize {
        let first = self.channels.len();
        self.channels
            .extend(kinds.map(|kind| Channel { joint, kind }));
        first
    }

    fn push_rotation(&mut self, index: JointIndex, joint: &Joint, code: RotationCode) {
        let (axes, count) = rotation_axes(joint, code);
        let at = self.rotations.len();
        let first = self.push(index, (0..count).map(|i| ChannelKind::Rotation(at, i)));
        self.rotations.push(RotationChannels {
            joint: index,
            code,
            first,
            count,
            axes,
            mean: match code {
                RotationCode::Vector(bytes) => mean_from_bytes(bytes),
                RotationCode::Dofs | RotationCode::Axes => Quat::IDENTITY,
            },
        });
    }
}

const MEAN_SCALE: f32 = 127.0;

/// Three bytes hold a mean, its vector part: any rotation near the true mean
/// will do.
pub(super) fn mean_to_bytes(mean: Quat) -> [i8; 3] {
    let mean = if mean.w < 0.0 { -mean } else { mean };
    [mean.x, mean.y, mean.z].map(|v| (v * MEAN_SCALE).round() as i8)
}

/// The rotation of a stored mean.
pub(super) fn mean_from_bytes(bytes: [i8; 3]) -> Quat {
    let v = Vec3::from_array(bytes.map(|b| f32::from(b) / MEAN_SCALE));
    let w = (1.0 - v.length_squared()).max(0.0).sqrt();
    Quat::from_xyzw(v.x, v.y, v.z, w).normalize()
}

/// The rotational degrees of freedom of a joint as axis numbers, first applied
/// first; `None` unless there are one to three different ones.
pub(super) fn rotation_dofs(joint: &Joint) -> Option<([usize; 3], usize)> {
    let mut order = [0; 3];
    let mut count = 0;
    for range in &joint.dofs {
        if let Dof::Rotate(axis) = range.dof {
            if count == 3 || order[..count].contains(&axis.index()) {
                return None;
            }
            order[count] = axis.index();
            count += 1;
        }
    }
    (count > 0).then_some((order, count))
}

/// Axes in joint space of a code's angles. A joint without usable degrees of
/// freedom turns about all three.
fn rotation_axes(joint: &Joint, code: RotationCode) -> ([Vec3; 3], usize) {
    let (order, count) = match code {
        RotationCode::Dofs => rotation_dofs(joint).unwrap_or(([0, 1, 2], 3)),
        RotationCode::Axes | RotationCode::Vector(_) => ([0, 1, 2], 3),
    };
    (order.map(|axis| joint.axes * Vec3::AXES[axis]), count)
}

impl RotationChannels {
    /// `parent_from_joint` rotation from this joint's channels; `half_sines`
    /// and `half_cosines` are those of half of every value.
    #[inline]
    pub fn rotation(&self, values: &[f32], half_sines: &[f32], half_cosines: &[f32]) -> Quat {
        let range = self.first..self.first + self.count;
        if let RotationCode::Vector(_) = self.code {
            let v = &values[range];
            return self.mean * exp(Vec3::new(v[0], v[1], v[2]));
        }
        let (sines, cosines) = (&half_sines[range.clone()], &half_cosines[range]);
        let turn = |i: usize| {
            let v = self.axes[i] * sines[i];
            Quat::from_xyzw(v.x, v.y, v.z, cosines[i])
        };
        match self.count {
            1 => turn(0),
            2 => turn(1) * turn(0),
            _ => turn(2) * (turn(1) * turn(0)),
        }
    }
}

/// Rotations of a frame and everything else that moves, ready to be blended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Frame {
    /// In the order of [`Layout::rotations`].
    pub rotations: Vec<Quat>,
    /// Every channel's value; only translations and stretches are read.
    pub values: Vec<f32>,
}

/// Memory for [`Layout::compose`].
#[derive(Clone, Debug, Default)]
pub(super) struct Trigonometry {
    half_sines: Vec<f32>,
    half_cosines: Vec<f32>,
}

impl Layout {
    /// Turns `frame.values` into `frame.rotations`.
    pub fn compose(&self, frame: &mut Frame, scratch: &mut Trigonometry) {
        scratch.half_sines.resize(frame.values.len(), 0.0);
        scratch.half_cosines.resize(frame.values.len(), 0.0);
        half_sin_cos(
            &frame.values,
            &mut scratch.half_sines,
            &mut scratch.half_cosines,
        );
        frame.rotations.resize(self.rotations.len(), Quat::IDENTITY);
        for (rotation, channels) in frame.rotations.iter_mut().zip(&self.rotations) {
            *rotation =
                channels.rotation(&frame.values, &scratch.half_sines, &scratch.half_cosines);
        }
    }

    /// Writes a frame as a pose.
    pub fn write_pose(&self, skeleton: &Skeleton, frame: &Frame, pose: &mut LocalPose) {
        pose.copy_from(skeleton.rest());
        let joints = pose.joints_mut();
        for (channels, &rotation) in self.rotations.iter().zip(&frame.rotations) {
            joints[usize::from(channels.joint)].rotation = rotation;
        }
        let vector = |first: usize| {
            Vec3A::new(
                frame.values[first],
                frame.values[first + 1],
                frame.values[first + 2],
            )
        };
        joints[0].translation = vector(0);
        for &(joint, first) in &self.offsets {
            joints[usize::from(joint)].translation += vector(first);
        }
        for &(joint, channel) in &self.stretches {
            pose.stretch_bone(skeleton, joint, frame.values[channel]);
        }
    }
}

/// Angles beyond this only occur in damaged streams; they are held here, where
/// the range reduction still gives finite numbers.
const MAX_ANGLE: f32 = 1e4;

/// Sine and cosine of half of every angle, both up to one common sign, which
/// is all a quaternion needs. Within 2e-7 for angles below a hundred turns.
fn half_sin_cos(angles: &[f32], sines: &mut [f32], cosines: &mut [f32]) {
    for ((&angle, sine), cosine) in angles.iter().zip(sines).zip(cosines) {
        (*sine, *cosine) = half_sin_cos_of(angle);
    }
}

#[inline]
#[allow(clippy::excessive_precision, clippy::manual_clamp)] // exact splits; min/max vectorise
fn half_sin_cos_of(angle: f32) -> (f32, f32) {
    // Adding and taking away 1.5·2²³ rounds to the nearest whole number.
    const ROUND: f32 = 12_582_912.0;
    const PI_HIGH: f32 = 3.140_625;
    const PI_LOW: f32 = 9.676_535_9e-4;
    let half = 0.5 * angle.max(-MAX_ANGLE).min(MAX_ANGLE);
    let turns = half * std::f32::consts::FRAC_1_PI + ROUND - ROUND;
    let r = (half - turns * PI_HIGH) - turns * PI_LOW;
    let r2 = r * r;
    let sine = r + r
        * r2
        * (-1.0 / 6.0
            + r2 * (1.0 / 120.0
                + r2 * (-1.0 / 5040.0 + r2 * (1.0 / 362_880.0 - r2 * (1.0 / 39_916_800.0)))));
    let cosine = 1.0
        + r2 * (-0.5
            + r2 * (1.0 / 24.0
                + r2 * (-1.0 / 720.0
                    + r2 * (1.0 / 40_320.0
                        + r2 * (-1.0 / 3_628_800.0 + r2 * (1.0 / 479_001_600.0))))));
    (sine, cosine)
}

/// The rotation of a rotation vector.
#[inline]
fn exp(vector: Vec3) -> Quat {
    let angle = vector.length();
    if angle < 1e-6 {
        return Quat::from_vec4(Vec4::from((vector * 0.5, 1.0)));
    }
    let (sine, cosine) = half_sin_cos_of(angle);
    let v = vector * (sine / angle);
    Quat::from_xyzw(v.x, v.y, v.z, cosine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quat::angle_between;

    #[test]
    fn half_angles_agree_with_the_library_up_to_a_sign() {
        for i in -4000..4000 {
            let angle = i as f32 * 0.0173;
            let (sine, cosine) = half_sin_cos_of(angle);
            let (s, c) = (f64::from(angle) / 2.0).sin_cos();
            let sign = (f64::from(cosine) * c + f64::from(sine) * s).signum();
            let off = (f64::from(sine) * sign - s).abs() + (f64::from(cosine) * sign - c).abs();
            assert!(off < 1e-6, "{angle}: off by {off}");
        }
    }

    #[test]
    fn absurd_angles_stay_finite() {
        for angle in [1e9, -1e30, f32::MAX, 1e4, 0.0] {
            let (sine, cosine) = half_sin_cos_of(angle);
            assert!(sine.is_finite() && cosine.is_finite(), "{angle}");
            assert!(sine.abs() <= 1.01 && cosine.abs() <= 1.01, "{angle}");
        }
    }

    #[test]
    fn a_stored_mean_is_near() {
        let mean = Quat::from_euler(glam::EulerRot::XYZ, 2.0, -1.0, 0.5);
        for mean in [mean, -mean] {
            let stored = mean_from_bytes(mean_to_bytes(mean));
            assert!(angle_between(stored, mean) < 0.05);
        }
        let absurd = mean_from_bytes([-128; 3]);
        assert!((absurd.length() - 1.0).abs() < 1e-6, "{absurd}");
    }

    #[test]
    fn the_exponential_agrees_with_axis_and_angle() {
        for vector in [Vec3::ZERO, Vec3::X * 1e-7, Vec3::new(0.3, -1.0, 2.0)] {
            let expected = Quat::from_scaled_axis(vector);
            assert!(angle_between(exp(vector), expected) < 1e-6, "{vector}");
        }
    }
}
