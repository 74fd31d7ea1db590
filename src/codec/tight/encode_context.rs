//! What the encoder works on: everything about a clip that does not depend on
//! how finely it is coded.

use super::{
    channels::{ChannelKind, ChannelLayout},
    encoder_skeleton::EncoderSkeleton,
    error_sensitivity::Ancestry,
    extract::SourceChannels,
    quantise::EncodeContext,
};
use crate::{
    clip::RawClip,
    skeleton::{LocalPose, Skeleton},
};

/// A channel that moves points by no more than this part of the tolerance is
/// constant.
pub(super) const STILL: f64 = 0.02;

/// Everything that does not depend on the grid.
pub(super) fn encode_context<'a>(
    skeleton: &'a Skeleton,
    hierarchy: &'a EncoderSkeleton,
    source: &'a SourceChannels,
    clip: &RawClip,
    tolerance_m: f64,
) -> EncodeContext<'a> {
    let layout = &source.layout;
    let extents: Vec<_> = (0..layout.channels.len())
        .map(|at| extent(source, at))
        .collect();
    let middles = extents
        .iter()
        .map(|(low, high)| (low + high) / 2.0)
        .collect();
    let coded = varying(hierarchy, layout, &extents, tolerance_m);
    let joints: Vec<usize> = coded
        .iter()
        .map(|&at| usize::from(layout.channels[at].joint))
        .collect();
    let above = |joint: usize| {
        (0..joints.len())
            .filter(|&at| hierarchy.is_above(joints[at], joint))
            .collect()
    };
    let movers = (0..skeleton.len()).map(above).collect();
    let mut model_poses = Vec::with_capacity(clip.frames() * skeleton.len());
    let mut pose = LocalPose::default();
    let mut frame_pose = Vec::new();
    for frame in 0..clip.frames() {
        clip.frame_pose(skeleton, frame, &mut pose);
        hierarchy.forward_kinematics(&pose, &mut frame_pose);
        model_poses.extend_from_slice(&frame_pose);
    }
    let mut context = EncodeContext {
        skeleton,
        hierarchy,
        source,
        frames: clip.frames(),
        ancestry: Ancestry::new(hierarchy, layout, &coded),
        coded,
        joints,
        movers,
        factors: Vec::new(),
        exponents: Vec::new(),
        middles,
        model_poses,
    };
    context.update_weights(&vec![1.0; skeleton.len()]);
    context
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
        (high - low) / 2.0 * lever(hierarchy, layout, channel) > STILL * tolerance_m
    };
    (0..extents.len()).filter(varies).collect()
}
