//! The hierarchy as the encoder needs it, and how far a decoded pose lies from
//! its source.

use fearless_simd::Level;
use glam::DVec3;

use super::{
    channels::ChannelLayout,
    decode_pose::{DecodedFrame, PoseDecoder},
};
use crate::{
    codec::metric::{BALL_RADIUS_M, BallError, ExactJoint, exact_model_pose},
    skeleton::{LocalPose, NO_PARENT, Skeleton},
};

/// The skeleton as the encoder needs it.
#[derive(Clone, Debug)]
pub(super) struct EncoderSkeleton {
    parents: Vec<Option<usize>>,
    directions: Vec<DVec3>,
    /// Farthest any joint below can be from a joint, plus the radius of its
    /// ball.
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
        let mut reach_m = vec![f64::from(BALL_RADIUS_M); parents.len()];
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
}

/// A frame as the run time will decode it.
pub(super) struct Reconstruction {
    level: Level,
    pose_decoder: PoseDecoder,
    /// One value per channel, and a zero.
    pub frame: DecodedFrame,
    pose: LocalPose,
    model_pose: Vec<ExactJoint>,
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

    /// Errors of all joints when the channels have the values in `self.frame`.
    pub fn errors(&mut self, skeleton: &Skeleton, source: &[ExactJoint], out: &mut Vec<BallError>) {
        self.pose(skeleton);
        exact_model_pose(skeleton.parents(), &self.pose, &mut self.model_pose);
        let pairs = source.iter().zip(&self.model_pose);
        out.clear();
        out.extend(pairs.map(|(source, decoded)| BallError::between(source, decoded)));
    }
}
