//! Darkening where light can hardly get in: once for the bind pose, sampled
//! from the distance field, and for every pose by a few balls inside the body.

use glam::{Vec3, Vec3A};
use rayon::prelude::*;

use super::field::{Part, parts_near, union_distance};
use crate::skeleton::{JointIndex, ModelPose, Skeleton, SpacePose};

/// Most occluders a body has.
pub const MAX_OCCLUDERS: usize = 20;

/// The first so many of them, the thickest, darken skin; all darken the ground.
pub const SKIN_OCCLUDERS: usize = 12;

/// A ball that travels with a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occluder {
    /// The joint it hangs on.
    pub joint: JointIndex,
    /// Centre in joint space, metres.
    pub centre: Vec3,
    /// Metres.
    pub radius_m: f32,
}

impl Occluder {
    /// Centre in the pose's space.
    #[must_use]
    pub fn centre_in<S>(&self, pose: &SpacePose<S>) -> Vec3A {
        pose.joints()[usize::from(self.joint)].transform_point(self.centre.into())
    }
}

/// Share of the sky over a surface point that balls hide: the formula the
/// shader uses, so that both subtract alike.
#[must_use]
pub fn occlusion_at(balls: &[(Vec3A, f32)], position: Vec3A, normal: Vec3A) -> f32 {
    let hidden = |&(centre, radius): &(Vec3A, f32)| {
        let to = centre - position;
        // Within a ball the formula grows without bound.
        let distance = to.length().max(radius * 0.9).max(1e-6);
        // The form factor of a ball that is wholly above the horizon:
        // cos θ · (r/d)². Below it the cosine is cut off at zero.
        let sine = radius / distance;
        (normal.dot(to) / distance).max(0.0) * sine * sine
    };
    balls.iter().map(hidden).sum::<f32>().min(1.0)
}

/// Balls along the bones, as large as the skin allows: one in the middle of
/// every bone, thickest first, then more along long bones while there is room.
pub(super) fn place_occluders(
    skeleton: &Skeleton,
    pose: &ModelPose,
    parts: &[Part],
) -> Vec<Occluder> {
    let all: Vec<u16> = (0..parts.len() as u16).collect();
    let mut found: Vec<(bool, f32, Occluder)> = Vec::new();
    for joint in 0..skeleton.len() {
        let start = pose.joints()[joint].translation;
        let end = pose.bone_end(skeleton, joint);
        let length = (end - start).length();
        for fraction in [0.5, 0.15, 0.85] {
            let at = start.lerp(end, fraction);
            // A little within the skin, so that it does not darken itself.
            let radius_m = -union_distance(parts, &all, at) * 0.92;
            let extra = fraction != 0.5;
            // More balls only on bones that one ball does not fill.
            if radius_m <= 0.0 || (extra && length < 3.0 * radius_m) {
                continue;
            }
            let centre = pose.joints()[joint].inverse().transform_point(at);
            let ball = Occluder {
                joint: joint as JointIndex,
                centre: centre.into(),
                radius_m,
            };
            found.push((extra, radius_m * length, ball));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let balls = found.into_iter().map(|(_, _, ball)| ball);
    balls.take(MAX_OCCLUDERS).collect()
}

/// Light that reaches each vertex in the bind pose, 0 to 1: how much nearer
/// the skin is along the normal than free space would have it.
pub(super) fn openness(parts: &[Part], positions: &[Vec3A], normals: &[Vec3A]) -> Vec<f32> {
    let size = parts.iter().map(|part| part.ball().1).fold(0.0, f32::max);
    let taps = [0.06, 0.15, 0.32, 0.6].map(|fraction| fraction * size);
    let reach = taps[3] * 2.0;
    positions
        .par_iter()
        .zip(normals)
        .map_init(Vec::new, |near, (&p, &n)| {
            parts_near(parts, 0..parts.len() as u16, p, reach, near);
            let blocked: f32 = taps
                .iter()
                .zip([0.30, 0.28, 0.24, 0.18])
                .map(|(&tap, weight)| {
                    // Distance-field occlusion (Evans 2006): a tap at h above open skin is h
                    // from everything; the less it is, the more is in the way.
                    let free = union_distance(parts, near, p + n * tap);
                    weight * (1.0 - free / tap).clamp(0.0, 1.0)
                })
                .sum();
            (1.0 - 1.1 * blocked).clamp(0.0, 1.0)
        })
        .collect()
}
