//! What the encoder works on: everything about a clip that does not depend on
//! how finely it is coded.

use super::{
    channels::{ChannelKind, ChannelLayout},
    encoder_skeleton::EncoderSkeleton,
    error_sensitivity::{self, Ancestry, CholeskyFactor, FactorScratch},
    extract::SourceChannels,
    frame_order,
    grid::MAX_EXPONENT,
};
use crate::{
    clip::RawClip,
    codec::{
        CompressError,
        metric::{ExactJoint, exact_model_pose},
    },
    skeleton::{LocalPose, Skeleton},
};

/// A channel that moves points by no more than this part of the tolerance is
/// constant. Little, since several such channels may add up on one point.
pub(super) const STILL: f64 = 0.02;

/// Mass matrices change slowly: one serves this many frames, a thirtieth of a
/// second at the usual 120 a second.
const FACTOR_SPACING: usize = 4;
/// Numbers in the factors of all frames, 256 MB: beyond, each serves more frames.
const MAX_FACTORS: usize = 1 << 26;

/// Channels times joints, which is what a frame's work grows with (a human has
/// some 2,000): with so many, 100 frames take a few seconds.
const MAX_PAIRS: usize = 1 << 19;
const INSTEAD: &str = "spline and classic take on more";

/// What all passes over a clip share.
pub(super) struct EncodeContext<'a> {
    pub skeleton: &'a Skeleton,
    pub hierarchy: &'a EncoderSkeleton,
    pub source: &'a SourceChannels,
    pub frames: usize,
    pub coded: Vec<usize>,
    /// Joint of every coded channel.
    pub joints: Vec<usize>,
    /// Coded channels that move each joint.
    pub movers: Vec<Vec<usize>>,
    pub ancestry: Ancestry,
    /// One for every `factor_spacing` frames.
    factors: Vec<CholeskyFactor>,
    factor_spacing: usize,
    /// Exponents of the coded channels' steps.
    pub exponents: Vec<i32>,
    /// Middle of every channel's range, where constant ones stand.
    pub middles: Vec<f64>,
    /// Largest magnitude of every channel.
    pub largest: Vec<f64>,
    /// Joints of the source in model space, frame after frame.
    pub model_poses: Vec<ExactJoint>,
}

impl<'a> EncodeContext<'a> {
    /// With all joints weighed alike; refused where the joints are too many.
    pub fn new(
        skeleton: &'a Skeleton,
        hierarchy: &'a EncoderSkeleton,
        source: &'a SourceChannels,
        clip: &RawClip,
        tolerance_m: f64,
    ) -> Result<Self, CompressError> {
        let layout = &source.layout;
        let extents: Vec<_> = (0..layout.channels.len())
            .map(|at| extent(source, at))
            .collect();
        // A constant errs least in the middle of the range it stands for.
        let middles = extents
            .iter()
            .map(|(low, high)| (low + high) / 2.0)
            .collect();
        let largest = extents
            .iter()
            .map(|(low, high)| low.abs().max(high.abs()))
            .collect();
        let coded = varying(hierarchy, layout, &extents, tolerance_m);
        let joints: Vec<usize> = coded
            .iter()
            .map(|&at| usize::from(layout.channels[at].joint))
            .collect();
        let pairs = joints.len() * skeleton.len();
        CompressError::check_pairs("tight", pairs, MAX_PAIRS, INSTEAD)?;
        let above = |joint: usize| {
            (0..joints.len())
                .filter(|&at| hierarchy.is_above(joints[at], joint))
                .collect()
        };
        // The other way round: asked for every joint, point by point.
        let movers = (0..skeleton.len()).map(above).collect();
        let mut context = Self {
            skeleton,
            hierarchy,
            source,
            frames: clip.frames(),
            ancestry: Ancestry::new(hierarchy, layout, &coded),
            coded,
            joints,
            movers,
            factors: Vec::new(),
            factor_spacing: FACTOR_SPACING,
            exponents: Vec::new(),
            middles,
            largest,
            model_poses: model_poses(skeleton, clip),
        };
        let all = context.ancestry.pairs() * context.frames;
        context.factor_spacing = FACTOR_SPACING.max(all.div_ceil(MAX_FACTORS));
        context.update_weights(&vec![1.0; skeleton.len()]);
        Ok(context)
    }

    pub fn model_pose_at(&self, frame: usize) -> &[ExactJoint] {
        let joints = self.skeleton.len();
        &self.model_poses[frame * joints..(frame + 1) * joints]
    }

    pub fn values_at(&self, frame: usize) -> &[f64] {
        let width = self.source.layout.channels.len();
        &self.source.values[frame * width..(frame + 1) * width]
    }

    pub fn factor_at(&self, frame: usize) -> &CholeskyFactor {
        &self.factors[frame / self.factor_spacing]
    }

    /// All factors, evenly spread over the clip.
    pub fn factors(&self) -> &[CholeskyFactor] {
        &self.factors
    }

    pub fn layout(&self) -> &'a ChannelLayout {
        &self.source.layout
    }

    /// Factors of all frames that have one, and steps so that what is left of
    /// every channel's error weighs the same; `weights` are the joints'.
    pub fn update_weights(&mut self, weights: &[f64]) {
        let mut scratch = FactorScratch::default();
        let mut twists = Vec::new();
        self.factors = (0..self.frames)
            .step_by(self.factor_spacing)
            .map(|frame| {
                let (values, model_pose) = (self.values_at(frame), self.model_pose_at(frame));
                error_sensitivity::twists(
                    self.hierarchy,
                    self.layout(),
                    &self.coded,
                    values,
                    model_pose,
                    &mut twists,
                );
                error_sensitivity::factorise(
                    self.hierarchy,
                    &self.ancestry,
                    &self.joints,
                    &twists,
                    model_pose,
                    weights,
                    &mut scratch,
                )
            })
            .collect();
        self.exponents = (0..self.coded.len()).map(|at| self.exponent(at)).collect();
    }

    /// Exponent of a step that is one over the channel's root mean square weight.
    fn exponent(&self, at: usize) -> i32 {
        // Reverse water-filling: at a given sum of squared errors the fewest
        // bits are spent when every channel's error weighs the same, so steps
        // are inverse to weights. A quarter of an octave is near enough and
        // cheap to store.
        let squares = self
            .factors
            .iter()
            .map(|f| f64::from(f.diagonal[at]).powi(2));
        let mean = squares.sum::<f64>() / self.factors.len() as f64;
        let exponent = (-mean.sqrt().log2() * 4.0).round() as i32;
        exponent.clamp(-MAX_EXPONENT, MAX_EXPONENT)
    }

    /// Number of blocks; none when nothing varies.
    pub fn blocks(&self) -> usize {
        if self.coded.is_empty() {
            0
        } else {
            frame_order::blocks(self.frames)
        }
    }
}

/// Joints of the source in model space, frame after frame.
fn model_poses(skeleton: &Skeleton, clip: &RawClip) -> Vec<ExactJoint> {
    let mut model_poses = Vec::with_capacity(clip.frames() * skeleton.len());
    let mut pose = LocalPose::default();
    let mut frame_pose = Vec::new();
    for frame in 0..clip.frames() {
        clip.frame_pose(skeleton, frame, &mut pose);
        exact_model_pose(skeleton.parents(), &pose, &mut frame_pose);
        model_poses.extend_from_slice(&frame_pose);
    }
    model_poses
}

/// Smallest and largest value of a channel.
fn extent(source: &SourceChannels, channel: usize) -> (f64, f64) {
    let width = source.layout.channels.len();
    let values = source.values.iter().skip(channel).step_by(width);
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| {
        (low.min(v), high.max(v))
    })
}

/// How far a channel moves points for every unit it changes.
pub(super) fn lever(hierarchy: &EncoderSkeleton, layout: &ChannelLayout, channel: usize) -> f64 {
    let channel = layout.channels[channel];
    match channel.kind {
        ChannelKind::Rotation(..) => hierarchy.reach_m[usize::from(channel.joint)],
        ChannelKind::Translation(_) | ChannelKind::Stretch => 1.0,
    }
}

fn varying(
    hierarchy: &EncoderSkeleton,
    layout: &ChannelLayout,
    extents: &[(f64, f64)],
    tolerance_m: f64,
) -> Vec<usize> {
    let varies = |&channel: &usize| {
        let (low, high) = extents[channel];
        // From the middle the farthest value is half the range away.
        (high - low) / 2.0 * lever(hierarchy, layout, channel) > STILL * tolerance_m
    };
    (0..extents.len()).filter(varies).collect()
}
