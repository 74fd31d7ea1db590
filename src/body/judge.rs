//! Whether a body looks whole over a motion, before anybody sees it.

use std::collections::HashSet;

use glam::Vec3A;

use super::{Body, Skinning, field::segment_distance, grow::extent_m, palette, skin_body};
use crate::{
    math::Transform,
    skeleton::{ModelPose, Skeleton},
};

/// Poses of a motion that are looked at.
const LOOKED_AT: usize = 12;
/// Share of the edges that may stretch further than told.
const TOLERATED: f32 = 0.001;
/// The most that skin stretches, against an edge of usual length: a deep squat
/// takes 2.6, a sail between two limbs 10 and more.
const MOST_STRETCH: f32 = 4.0;
/// The furthest that skin is from a bone, as a share of the body's extent: the
/// belly of a person is at a tenth.
const MOST_STRAY: f32 = 0.2;
/// Distances from vertices to bones that are taken in a pose.
const MOST_DISTANCES: usize = 2_000_000;
/// By how much the volume may change.
const MOST_SWELL: f32 = 0.35;

/// What a motion does to a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SkinStrain {
    /// Length of an edge over its length in the bind pose (or the usual one,
    /// where that is longer), which one in a thousand exceeds.
    pub stretch: f32,
    /// Furthest that a vertex is from all bones, in metres.
    pub stray_m: f32,
    /// Largest change of the volume, as a share.
    pub swell: f32,
}

impl SkinStrain {
    /// Measures a body over poses of its skeleton, with linear skinning: it
    /// shows faults most.
    #[must_use]
    pub fn measure(skeleton: &Skeleton, body: &Body, poses: &[ModelPose]) -> Self {
        let bind = body.vertices().iter().map(|it| Vec3A::from(it.position));
        let bind: Vec<Vec3A> = bind.collect();
        let edges = Edges::of(&bind, body.indices());
        let volume = volume_m3(&bind, body.indices());
        let mut entries = vec![Transform::IDENTITY; skeleton.len()];
        let mut skinned = bind.clone();
        let mut worst = Self::default();
        let few = poses.iter().step_by(poses.len().div_ceil(LOOKED_AT).max(1));
        for pose in few {
            palette(pose, body.joint_from_bind(), &mut entries);
            skin_body(body, &entries, Skinning::LinearBlend, &mut skinned);
            let swell = volume_m3(&skinned, body.indices()) / volume - 1.0;
            worst = Self {
                stretch: worst.stretch.max(edges.stretch(&skinned)),
                stray_m: worst.stray_m.max(stray_m(skeleton, pose, &skinned)),
                swell: worst.swell.max(swell.abs()),
            };
        }
        worst
    }

    /// Whether it looks whole.
    pub(super) fn is_sound(&self, extent_m: f32) -> bool {
        // Also false where a number is none.
        self.stretch <= MOST_STRETCH
            && self.stray_m <= MOST_STRAY * extent_m
            && self.swell <= MOST_SWELL
    }
}

/// Whether a body stays whole over a motion.
pub(super) fn is_sound(skeleton: &Skeleton, body: &Body, poses: &[ModelPose]) -> bool {
    if body.vertices().is_empty() {
        return false;
    }
    let Some(first) = poses.first() else {
        return true;
    };
    let extent_m = extent_m(skeleton, first);
    SkinStrain::measure(skeleton, body, poses).is_sound(extent_m)
}

struct Edges(Vec<([usize; 2], f32)>);

impl Edges {
    fn of(bind: &[Vec3A], indices: &[u32]) -> Self {
        let mut known = HashSet::with_capacity(indices.len());
        let walks = indices.chunks_exact(3).flat_map(|t| {
            let edge = |i: usize| [t[i] as usize, t[(i + 1) % 3] as usize];
            [edge(0), edge(1), edge(2)]
        });
        let once = walks.filter(|&[a, b]| known.insert([a.min(b), a.max(b)]));
        let length = |[a, b]: [usize; 2]| ([a, b], (bind[a] - bind[b]).length());
        let mut edges: Vec<_> = once.map(length).collect();
        let middle = edges.len() / 2;
        if !edges.is_empty() {
            edges.select_nth_unstable_by(middle, |a, b| a.1.total_cmp(&b.1));
            let usual = edges[middle].1;
            edges.iter_mut().for_each(|it| it.1 = it.1.max(usual));
        }
        Self(edges)
    }

    fn stretch(&self, skinned: &[Vec3A]) -> f32 {
        let ratio = |&([a, b], length): &([usize; 2], f32)| {
            (skinned[a] - skinned[b]).length() / length.max(1e-9)
        };
        let mut ratios: Vec<f32> = self.0.iter().map(ratio).collect();
        let rank = ((ratios.len() as f32) * (1.0 - TOLERATED)) as usize;
        match rank < ratios.len() {
            true => *ratios.select_nth_unstable_by(rank, f32::total_cmp).1,
            false => 0.0,
        }
    }
}

fn stray_m(skeleton: &Skeleton, pose: &ModelPose, skinned: &[Vec3A]) -> f32 {
    let bones: Vec<[Vec3A; 2]> = (0..skeleton.len())
        .flat_map(|joint| {
            let start = pose.joints()[joint].translation;
            let above = skeleton.parents()[joint];
            let above = pose.joints().get(usize::from(above));
            let link = [start, above.map_or(start, |it| it.translation)];
            [link, [start, pose.bone_end(skeleton, joint)]]
        })
        .collect();
    // A few vertices tell as much as all: skin strays in sheets. Of a skeleton
    // of thousands of bones fewer yet.
    let stride = (bones.len() * skinned.len() / MOST_DISTANCES).max(5);
    let some = skinned.iter().step_by(stride);
    let nearest = some.map(|&p| {
        let distances = bones.iter().map(|&[a, b]| segment_distance(p, a, b));
        distances.fold(f32::MAX, f32::min)
    });
    nearest.fold(0.0, f32::max)
}

/// Volume enclosed by a closed mesh, in cubic metres.
#[must_use]
pub fn volume_m3(positions: &[Vec3A], indices: &[u32]) -> f32 {
    let corner = |index: u32| positions[index as usize].as_dvec3();
    let six = indices
        .chunks_exact(3)
        .map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))));
    (six.sum::<f64>() / 6.0) as f32
}
