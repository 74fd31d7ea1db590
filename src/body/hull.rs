//! Balls that hold the skin closely in any pose: for bounds and shadows.

use glam::Vec3A;

use super::Occluder;
use crate::skeleton::{JointIndex, ModelPose};

/// Balls around the skin, a few for each joint that moves any.
pub(super) fn hull_of(
    pose: &ModelPose,
    positions: &[Vec3A],
    vertex_influences: &[Vec<(JointIndex, f32)>],
) -> Vec<Occluder> {
    // A vertex between two joints stays between where either would take it.
    let mut skins: Vec<Vec<Vec3A>> = vec![Vec::new(); pose.joints().len()];
    for (&p, influences) in positions.iter().zip(vertex_influences) {
        for &(joint, _) in influences.iter().filter(|(_, weight)| *weight > 0.02) {
            let joint = usize::from(joint);
            skins[joint].push(pose.joints()[joint].inverse().transform_point(p));
        }
    }
    let all = skins.iter().enumerate();
    all.flat_map(|(joint, skin)| hull_of_joint(joint as JointIndex, skin))
        .collect()
}

/// Slices across the longest side of one joint's skin, a ball around each.
fn hull_of_joint(joint: JointIndex, skin: &[Vec3A]) -> Vec<Occluder> {
    let span = |points: &mut dyn Iterator<Item = Vec3A>| {
        points.fold((Vec3A::MAX, Vec3A::MIN), |(low, high), p| {
            (low.min(p), high.max(p))
        })
    };
    let (low, high) = span(&mut skin.iter().copied());
    let size = high - low;
    let longest = (0..3)
        .max_by(|&a, &b| size[a].total_cmp(&size[b]))
        .unwrap_or(0);
    let middle = size[(longest + 1) % 3].max(size[(longest + 2) % 3]);
    // About as many slices as the skin is longer than wide: balls of round
    // pieces waste the least.
    let slices = (size[longest] / middle.max(1e-9)).ceil().clamp(1.0, 4.0);
    let slice_of = |p: Vec3A| {
        let fraction = (p[longest] - low[longest]) / size[longest].max(1e-9);
        (fraction * slices).min(slices - 1.0) as usize
    };
    let ball = |slice: usize| {
        let own = || skin.iter().copied().filter(|&p| slice_of(p) == slice);
        let (low, high) = span(&mut own());
        let centre = (low + high) / 2.0;
        let radius = own().fold(0.0f32, |r, p| r.max((p - centre).length()));
        (radius > 0.0).then_some(Occluder {
            joint,
            centre: centre.into(),
            radius_m: radius,
        })
    };
    (0..slices as usize).filter_map(ball).collect()
}
