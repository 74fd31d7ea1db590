//! The numbers a pose is made of.
//!
//! A joint's rotation is coded as what it was captured as: angles about its
//! own few axes where the skeleton names them (a knee is one number, not
//! four), about all three axes where the motion leaves the named ones, or as
//! a rotation vector around the joint's mean where angles would spin. The
//! root's translation and the rare further tracks follow in the same list.
//!
//! [`ChannelLayout`] is the list; encoder and decoder derive the same one from the
//! skeleton and a few words in the stream.

use glam::{Quat, Vec3};

use crate::skeleton::{Dof, Joint, JointIndex, Skeleton};

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
    /// What a rotation vector starts from.
    pub mean: Quat,
}

/// What a channel moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ChannelKind {
    /// Radians about one of the joint's axes, or a part of a rotation vector:
    /// index of the [`RotationChannels`] and position in it.
    Rotation(usize, usize),
    /// Metres along an axis of the parent's space.
    Translation(usize),
    /// Metres added to the bone's length.
    Stretch,
}

/// One number a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PoseChannel {
    pub joint: JointIndex,
    pub kind: ChannelKind,
}

/// All channels of a clip; those of a joint come after those of its parent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ChannelLayout {
    pub channels: Vec<PoseChannel>,
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

impl ChannelLayout {
    /// Lists the channels. The lists of `tracks` must ascend and name joints of
    /// the skeleton.
    pub fn new(skeleton: &Skeleton, tracks: &Tracks) -> Self {
        let mut layout = Self::default();
        layout.push(0, (0..ROOT_CHANNELS).map(ChannelKind::Translation));
        // Of a joint first what moves it, then its rotation, then its bone:
        // each channel comes after all that carry it, so that it can make up
        // for their errors.
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
            .extend(kinds.map(|kind| PoseChannel { joint, kind }));
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

/// A stored mean is right to a few degrees, which is enough: the vectors hold
/// the difference to what was stored, not to the true mean.
const MEAN_SCALE: f32 = 127.0;

/// Three bytes hold a mean, its vector part: any rotation near the true mean
/// will do.
pub(super) fn mean_to_bytes(mean: Quat) -> [i8; 3] {
    // With w ≥ 0 the three others determine it.
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
            // Two angles about one axis would be undetermined.
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
/// freedom rotates about all three.
fn rotation_axes(joint: &Joint, code: RotationCode) -> ([Vec3; 3], usize) {
    let (order, count) = match code {
        RotationCode::Dofs => rotation_dofs(joint).unwrap_or(([0, 1, 2], 3)),
        RotationCode::Axes | RotationCode::Vector(_) => ([0, 1, 2], 3),
    };
    (order.map(|axis| joint.axes * Vec3::AXES[axis]), count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quat::angle_between;

    #[test]
    fn a_stored_mean_is_near() {
        let mean = Quat::from_euler(glam::EulerRot::XYZ, 2.0, -1.0, 0.5);
        for mean in [mean, -mean] {
            let stored = mean_from_bytes(mean_to_bytes(mean));
            assert!(angle_between(stored, mean) < 0.05);
        }
        let absurd = mean_from_bytes([-128; 3]);
        assert_close!(absurd.length(), 1.0, 1e-6, "{absurd}");
    }
}
