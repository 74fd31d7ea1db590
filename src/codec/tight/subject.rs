//! What the encoder works on: everything about a clip that does not depend on
//! how finely it is coded.

use super::{
    channels::{ChannelKind, Layout},
    extract::Source,
    mass::Ancestry,
    quantise::Subject,
    rig::Rig,
};
use crate::{
    clip::RawClip,
    skeleton::{LocalPose, Skeleton},
};

/// A channel that moves points by no more than this part of the tolerance is
/// constant.
pub(super) const STILL: f64 = 0.02;

/// Everything that does not depend on the grid.
pub(super) fn subject<'a>(
    skeleton: &'a Skeleton,
    rig: &'a Rig,
    source: &'a Source,
    clip: &RawClip,
    tolerance_m: f64,
) -> Subject<'a> {
    let layout = &source.layout;
    let extents: Vec<_> = (0..layout.channels.len())
        .map(|at| extent(source, at))
        .collect();
    let middles = extents
        .iter()
        .map(|(low, high)| (low + high) / 2.0)
        .collect();
    let coded = varying(rig, layout, &extents, tolerance_m);
    let joints: Vec<usize> = coded
        .iter()
        .map(|&at| usize::from(layout.channels[at].joint))
        .collect();
    let above = |joint: usize| {
        (0..joints.len())
            .filter(|&at| rig.is_above(joints[at], joint))
            .collect()
    };
    let movers = (0..skeleton.len()).map(above).collect();
    let mut placed = Vec::with_capacity(clip.frames() * skeleton.len());
    let mut pose = LocalPose::default();
    let mut frame_placed = Vec::new();
    for frame in 0..clip.frames() {
        clip.frame_pose(skeleton, frame, &mut pose);
        rig.place(&pose, &mut frame_placed);
        placed.extend_from_slice(&frame_placed);
    }
    let mut subject = Subject {
        skeleton,
        rig,
        source,
        frames: clip.frames(),
        ancestry: Ancestry::new(rig, layout, &coded),
        coded,
        joints,
        movers,
        factors: Vec::new(),
        exponents: Vec::new(),
        middles,
        placed,
    };
    subject.weigh(&vec![1.0; skeleton.len()]);
    subject
}

/// Smallest and largest value of a channel.
fn extent(source: &Source, channel: usize) -> (f64, f64) {
    let width = source.layout.channels.len();
    let values = source.values.iter().skip(channel).step_by(width);
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| {
        (low.min(v), high.max(v))
    })
}

/// How far a channel moves points for every unit it changes.
pub(super) fn lever(rig: &Rig, layout: &Layout, channel: usize) -> f64 {
    let channel = layout.channels[channel];
    match channel.kind {
        ChannelKind::Rotation(..) => rig.reach_m[usize::from(channel.joint)],
        ChannelKind::Translation(_) | ChannelKind::Stretch => 1.0,
    }
}

fn varying(rig: &Rig, layout: &Layout, extents: &[(f64, f64)], tolerance_m: f64) -> Vec<usize> {
    let varies = |&channel: &usize| {
        let (low, high) = extents[channel];
        (high - low) / 2.0 * lever(rig, layout, channel) > STILL * tolerance_m
    };
    (0..extents.len()).filter(varies).collect()
}
