//! Solids for a skeleton that is not known to be human: one tapered bone a
//! joint, as thick as what hangs from it asks for.
//!
//! A bone's radius follows the square root of the bone length it carries (the
//! pipe model of trees), held between shares of its own length. Nothing here
//! looks at names.

use glam::Vec3A;

use super::{field::Part, shape::Shape};
use crate::skeleton::{JointIndex, ModelPose, NO_PARENT, Skeleton};

/// Radius of a bone that carries the whole body, as a share of its extent.
const TRUNK_FRACTION: f32 = 0.105;

/// Solids of a body; what is finer than the largest of them hardly shows.
const MOST_PARTS: usize = 256;

/// Poses of a motion that are looked at.
const TRIED_POSES: usize = 16;

/// One tapered solid per bone; a ball for a lone joint.
pub(super) fn guessed_parts(skeleton: &Skeleton, pose: &ModelPose) -> Vec<Part> {
    let ends: Vec<Vec3A> = (0..skeleton.len())
        .map(|joint| pose.bone_end(skeleton, joint))
        .collect();
    let subtree_m = subtree_lengths_m(skeleton, pose);
    let total = subtree_m.iter().copied().fold(1e-6, f32::max);
    let extent = super::grow::extent_m(skeleton, pose);
    // As with trees: the cross-section of a limb goes with all it carries, so
    // its radius with the root.
    let radius = |joint: usize| TRUNK_FRACTION * extent * (subtree_m[joint] / total).sqrt();
    // Neither a thread nor a ball: a radius of at least 1 % of the body, and at
    // most about as thick as it is long.
    let held =
        |size: f32, length: f32| size.clamp(0.010 * extent, 0.55 * length.max(0.04 * extent));
    let mut parts = Vec::with_capacity(skeleton.len());
    for (joint, &end) in ends.iter().enumerate() {
        let start = pose.joints()[joint].translation;
        let length = (end - start).length();
        let owner = [joint as JointIndex];
        let mut longest_link = 0.0f32;
        for child in skeleton.children(joint as JointIndex) {
            // A child that starts off the bone's end hangs on a link of its own.
            let to = pose.joints()[usize::from(child)].translation;
            if (to - end).length() > 1e-3 * extent && (to - start).length() > 1e-3 * extent {
                let size = held(radius(usize::from(child)), (to - start).length());
                longest_link = longest_link.max((to - start).length());
                parts.push(Part::cone(start, to, [size, size], &owner).blend(size));
            }
        }
        if length < 1e-4 * extent {
            // Bones that start in this joint and have no length of their own
            // start thick; a lone joint is a ball.
            let ball = radius(joint).max(0.02 * extent);
            let size = match longest_link > 0.0 {
                true => held(ball, longest_link),
                false => ball,
            } * 0.9;
            parts.push(Part::cone(start, start, [size, size], &owner).blend(size));
            continue;
        }
        let thickest_child = skeleton
            .children(joint as JointIndex)
            .map(|child| radius(usize::from(child)))
            .fold(0.0, f32::max);
        let low = held(radius(joint), length);
        // Tapers to the child, never thicker and never to a point.
        let high = thickest_child.clamp(0.55 * low, low);
        parts.push(Part::cone(start, end, [low, high], &owner).blend(low.min(high) * 0.9));
    }
    largest(parts)
}

/// The parts that matter most, in their order: every cell of the surface asks
/// all that are near, and thousands of bones in one spot are near everywhere.
fn largest(mut parts: Vec<Part>) -> Vec<Part> {
    if parts.len() <= MOST_PARTS {
        return parts;
    }
    let size_m = |part: &Part| match part.shape {
        Shape::Cone {
            length_m, low_m, ..
        } => length_m + low_m,
        _ => part.ball().1,
    };
    let mut sizes_m: Vec<f32> = parts.iter().map(size_m).collect();
    sizes_m.sort_by(|a, b| b.total_cmp(a));
    let least_m = sizes_m[MOST_PARTS - 1];
    let mut left = MOST_PARTS;
    parts.retain(|part| {
        let keeps = left > 0 && size_m(part) >= least_m;
        left -= usize::from(keeps);
        keeps
    });
    parts
}

/// The skeleton at rest in the poses that lie most open, best first: the rest
/// pose, unless bones that have nothing to do with each other meet in it.
pub(super) fn open_poses(skeleton: &Skeleton, motion: &[ModelPose]) -> Vec<Skeleton> {
    let few = motion
        .iter()
        .step_by(motion.len().div_ceil(TRIED_POSES).max(1));
    let mut tried: Vec<(f32, Skeleton)> = few
        .filter_map(|pose| Some((crowding(skeleton, pose), skeleton.at_rest_in(pose)?)))
        .collect();
    tried.sort_by(|a, b| a.0.total_cmp(&b.0));
    tried.truncate(2);
    let at_rest = crowding(skeleton, &skeleton.rest_model());
    let best = tried.first().map_or(f32::MAX, |it| it.0);
    // A rest pose is made to be looked at; a pose of a motion is one of many.
    let place = if at_rest <= 1.3 * best + 0.5 {
        0
    } else {
        tried.len()
    };
    tried.insert(place, (at_rest, skeleton.clone()));
    tried.into_iter().map(|it| it.1).collect()
}

/// How much bones that do not touch in the hierarchy are in each other's way:
/// the sum of overlaps of their solids as shares of their radii.
fn crowding(skeleton: &Skeleton, pose: &ModelPose) -> f32 {
    let parts = guessed_parts(skeleton, pose);
    let middle = |part: &Part| {
        let (centre, _) = part.ball();
        (
            centre,
            part.girth_m(),
            part.joints.first().copied().unwrap_or_default(),
        )
    };
    let bones: Vec<_> = parts.iter().map(middle).collect();
    let kin = |a: JointIndex, b: JointIndex| {
        let up = |joint: JointIndex| skeleton.parents()[usize::from(joint)];
        a == b || up(a) == b || up(b) == a || up(a) == up(b)
    };
    let mut sum = 0.0;
    for (index, &(at, girth, joint)) in bones.iter().enumerate() {
        for &(other_at, other_girth, other) in &bones[index + 1..] {
            let reach = girth + other_girth;
            if !kin(joint, other) {
                sum += (1.0 - (at - other_at).length() / reach.max(1e-9)).max(0.0);
            }
        }
    }
    sum
}

/// Length of every bone and all below it.
fn subtree_lengths_m(skeleton: &Skeleton, pose: &ModelPose) -> Vec<f32> {
    let mut subtree_m: Vec<f32> = (0..skeleton.len())
        .map(|joint| {
            let start = pose.joints()[joint].translation;
            (pose.bone_end(skeleton, joint) - start).length()
        })
        .collect();
    for joint in (0..skeleton.len()).rev() {
        let parent = skeleton.parents()[joint];
        if parent != NO_PARENT {
            subtree_m[usize::from(parent)] += subtree_m[joint];
        }
    }
    subtree_m
}
