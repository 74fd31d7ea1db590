//! Forward kinematics in double precision for the encoder: where joints stand,
//! and how far a decoded pose lies from its source. Differences of a thousandth
//! of a millimetre decide there, which single precision would blur ten metres
//! from the origin.

use fearless_simd::Level;
use glam::{DMat3, DQuat, DVec3};

use super::{
    channels::ChannelLayout,
    decode_pose::{DecodedFrame, PoseDecoder},
};
use crate::{
    codec::metric::POINT_DISTANCE_M,
    skeleton::{LocalPose, NO_PARENT, Skeleton},
};

/// A joint in model space.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ModelJoint {
    pub rotation: DQuat,
    pub position: DVec3,
}

impl ModelJoint {
    /// A point of joint space in model space.
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.position + self.rotation * point
    }
}

/// The skeleton as the encoder needs it.
#[derive(Clone, Debug)]
pub(super) struct EncoderSkeleton {
    parents: Vec<Option<usize>>,
    directions: Vec<DVec3>,
    /// Farthest any joint below can be from a joint, plus the measuring points'
    /// distance.
    pub reach_m: Vec<f64>,
}

impl EncoderSkeleton {
    pub fn new(skeleton: &Skeleton) -> Self {
        let parents: Vec<_> = skeleton
            .parents()
            .iter()
            .map(|&parent| (parent != NO_PARENT).then_some(usize::from(parent)))
            .collect();
        // A stretched-out chain is as far as a joint can get: bone lengths add
        // up from the leaves inwards.
        let mut reach_m = vec![f64::from(POINT_DISTANCE_M); parents.len()];
        for joint in (0..parents.len()).rev() {
            if let Some(parent) = parents[joint] {
                let bone = f64::from(skeleton.joints()[joint].rest.translation.length());
                reach_m[parent] = reach_m[parent].max(reach_m[joint] + bone);
            }
        }
        let tips = skeleton.joints().iter().map(|joint| joint.tip.as_dvec3());
        Self {
            directions: tips.map(DVec3::normalize_or_zero).collect(),
            parents,
            reach_m,
        }
    }

    pub fn parent(&self, joint: usize) -> Option<usize> {
        self.parents[joint]
    }

    /// Unit vector along the bone, in joint space.
    pub fn bone_direction(&self, joint: usize) -> DVec3 {
        self.directions[joint]
    }

    /// True when `upper` is `lower` or one of its ancestors.
    pub fn is_above(&self, upper: usize, mut lower: usize) -> bool {
        // Parents have smaller numbers, so the walk up may end at `upper`.
        while lower > upper {
            match self.parents[lower] {
                Some(parent) => lower = parent,
                None => return false,
            }
        }
        lower == upper
    }

    /// Every joint of a pose in model space.
    pub fn forward_kinematics(&self, pose: &LocalPose, out: &mut Vec<ModelJoint>) {
        out.clear();
        for (joint, local) in pose.joints().iter().enumerate() {
            let rotation = local.rotation.as_dquat().normalize();
            let position = glam::Vec3::from(local.translation).as_dvec3();
            out.push(match self.parents[joint] {
                None => ModelJoint { rotation, position },
                Some(parent) => ModelJoint {
                    rotation: out[parent].rotation * rotation,
                    position: out[parent].point(position),
                },
            });
        }
    }

    /// Displacement of the three measuring points of every joint.
    pub fn displacements(source: &[ModelJoint], decoded: &[ModelJoint], out: &mut Vec<DVec3>) {
        out.clear();
        for (source, decoded) in source.iter().zip(decoded) {
            let offset = decoded.position - source.position;
            let (a, b) = (
                DMat3::from_quat(source.rotation),
                DMat3::from_quat(decoded.rotation),
            );
            // The columns of a rotation matrix are where the axes point: their
            // difference, 3 cm out, is how far each measuring point moves.
            let rotated = (b - a) * f64::from(POINT_DISTANCE_M);
            out.extend(
                [rotated.x_axis, rotated.y_axis, rotated.z_axis].map(|point| offset + point),
            );
        }
    }
}

/// A frame as the run time will decode it.
pub(super) struct Reconstruction {
    level: Level,
    pose_decoder: PoseDecoder,
    /// One value per channel, and a zero.
    pub frame: DecodedFrame,
    pose: LocalPose,
    model_pose: Vec<ModelJoint>,
}

impl Reconstruction {
    /// With all channels at the given values.
    pub fn new(layout: &ChannelLayout, values: &[f32]) -> Self {
        let mut frame = DecodedFrame::default();
        frame.values.extend_from_slice(values);
        // The number that absent angles are read from.
        frame.values.push(0.0);
        Self {
            level: Level::new(),
            pose_decoder: PoseDecoder::new(layout, |channel| channel, values.len()),
            frame,
            pose: LocalPose::default(),
            model_pose: Vec::new(),
        }
    }

    /// The pose when the channels have the values in `self.frame`.
    pub fn pose(&mut self, skeleton: &Skeleton) -> &LocalPose {
        self.pose_decoder
            .decode_rotations(self.level, &mut self.frame);
        self.pose_decoder
            .write(self.level, skeleton, &self.frame, &mut self.pose);
        &self.pose
    }

    /// Displacements of the measuring points when the channels have the values
    /// in `self.frame`.
    pub fn displacements(
        &mut self,
        skeleton: &Skeleton,
        hierarchy: &EncoderSkeleton,
        source: &[ModelJoint],
        out: &mut Vec<DVec3>,
    ) {
        self.pose(skeleton);
        hierarchy.forward_kinematics(&self.pose, &mut self.model_pose);
        EncoderSkeleton::displacements(source, &self.model_pose, out);
    }
}
