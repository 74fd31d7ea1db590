//! From a skeleton to a body: poses are tried until one gives a body that
//! stays whole over the motion.

use std::ops::RangeInclusive;

use glam::Vec3A;

use super::{
    Body,
    anatomy::Anatomy,
    canonical::canonical,
    capsules::capsules,
    dress::dress,
    field::Part,
    guess, human, judge,
    lens::Lens,
    polygonise::{RawMesh, rough_mesh},
};
use crate::skeleton::{ModelPose, Skeleton};

/// Vertices aimed at; the grid is made coarser or finer until the count lies
/// within 8 to 20 thousand.
const TARGET_VERTICES: f32 = 11_500.0;
const VERTEX_RANGE: RangeInclusive<usize> = 10_600..=12_800;

/// How much coarser the grid of the mesh for shadows is.
const SHADOW_COARSENESS: f32 = 1.9;

impl Body {
    /// Grows a body for a skeleton whose motion is not known. Never fails: a
    /// single joint gives a ball, a skeleton without extent or with wild
    /// numbers an empty mesh.
    #[must_use]
    pub fn grow(skeleton: &Skeleton) -> Self {
        Self::grow_for(skeleton, &[])
    }

    /// Grows a body that moves through the given poses, a few dozen of which
    /// do for a long motion.
    ///
    /// # Panics
    /// When a pose is of another skeleton.
    #[must_use]
    pub fn grow_for(skeleton: &Skeleton, motion: &[ModelPose]) -> Self {
        let finite = |pose: &&ModelPose| is_finite(skeleton, pose);
        let motion: Vec<ModelPose> = motion.iter().filter(finite).cloned().collect();
        if !is_finite(skeleton, &skeleton.rest_model()) {
            return Self::empty(&skeleton.rest_model());
        }
        let anatomy = Anatomy::find(skeleton, &motion);
        let poses = growth_poses(skeleton, anatomy.as_ref(), &motion);
        let bodies = poses.iter().map(|posed| grown(posed, anatomy.as_ref()));
        let sound = { bodies }.find(|body| judge::is_sound(skeleton, body, &motion));
        sound.unwrap_or_else(|| capsules(poses.first().unwrap_or(skeleton)))
    }
}

/// The skeleton at rest in the pose that its body is first grown in.
#[must_use]
pub fn growth_pose(skeleton: &Skeleton, motion: &[ModelPose]) -> Skeleton {
    let anatomy = Anatomy::find(skeleton, motion);
    let poses = growth_poses(skeleton, anatomy.as_ref(), motion);
    poses.into_iter().next().unwrap_or_else(|| skeleton.clone())
}

/// Poses to try, best first.
fn growth_poses(
    skeleton: &Skeleton,
    anatomy: Option<&Anatomy>,
    motion: &[ModelPose],
) -> Vec<Skeleton> {
    let human = anatomy.and_then(|anatomy| canonical(skeleton, anatomy, motion));
    match human {
        Some(posed) => vec![posed],
        None => guess::open_poses(skeleton, motion),
    }
}

fn is_finite(skeleton: &Skeleton, pose: &ModelPose) -> bool {
    let mut ends = (0..skeleton.len()).map(|joint| pose.bone_end(skeleton, joint));
    ends.all(Vec3A::is_finite) && extent_m(skeleton, pose).is_finite()
}

/// A body around the rest pose.
fn grown(skeleton: &Skeleton, anatomy: Option<&Anatomy>) -> Body {
    let pose = skeleton.rest_model();
    let (parts, lenses) = match anatomy {
        Some(anatomy) => {
            let parts = human::human_parts(skeleton, &pose, anatomy);
            let lenses = human::lenses(skeleton, &pose, anatomy, &parts);
            (parts, lenses)
        }
        None => (guess::guessed_parts(skeleton, &pose), Vec::new()),
    };
    let (mesh, cell_m) = sized_mesh(&parts, &lenses);
    let marks = anatomy.map(Anatomy::marked_joints);
    let finish = |mut mesh: RawMesh, cell_m: f32| {
        mesh.settle(&parts, cell_m);
        mesh.sort_by_position();
        dress(skeleton, &pose, &parts, mesh, marks.as_deref())
    };
    let coarse_m = SHADOW_COARSENESS * cell_m;
    let (body, coarse) = rayon::join(
        || finish(mesh, cell_m),
        || finish(rough_mesh(&parts, &lenses, coarse_m), coarse_m),
    );
    Body {
        shadow_vertices: coarse.vertices,
        shadow_indices: coarse.indices,
        ..body
    }
}

/// Largest side of the box around all joints and bone ends, in metres.
pub(super) fn extent_m(skeleton: &Skeleton, pose: &ModelPose) -> f32 {
    let (mut low, mut high) = (Vec3A::MAX, Vec3A::MIN);
    for joint in 0..skeleton.len() {
        let ends = [
            pose.joints()[joint].translation,
            pose.bone_end(skeleton, joint),
        ];
        for p in ends {
            low = low.min(p);
            high = high.max(p);
        }
    }
    let extent = (high - low).max_element();
    if extent > 1e-6 { extent } else { 1.0 }
}

/// A rough mesh with a spacing that leads to the vertex count aimed at;
/// returns the spacing in metres too. A grid of twice the spacing, eight times
/// cheaper, foretells the count.
fn sized_mesh(parts: &[Part], lenses: &[Lens]) -> (RawMesh, f32) {
    let area: f32 = parts.iter().filter(|p| !p.carve).map(Part::area_m2).sum();
    // Overlaps hide about half of the parts' own area.
    let guess_m = (1.5 * 0.5 * area / TARGET_VERTICES).sqrt();
    let fitted = |mesh: &RawMesh, cell_m: f32, coarseness: f32| {
        let count = mesh.positions.len() as f32 * coarseness * coarseness;
        cell_m * (count / TARGET_VERTICES).clamp(0.1, 10.0).sqrt()
    };
    // Vertices go with area over cell²: √(count/target) is the correction.
    let first = rough_mesh(parts, lenses, 2.0 * guess_m);
    let mut cell_m = fitted(&first, guess_m, 2.0);
    let mut mesh = rough_mesh(parts, lenses, cell_m);
    for _ in 0..3 {
        if VERTEX_RANGE.contains(&mesh.positions.len()) {
            break;
        }
        cell_m = fitted(&mesh, cell_m, 1.0);
        mesh = rough_mesh(parts, lenses, cell_m);
    }
    (mesh, cell_m)
}
