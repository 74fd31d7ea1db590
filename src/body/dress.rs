//! What a bare mesh lacks to be a body: weights, shading, inverse bind pose.

use rayon::prelude::*;

use super::{
    Body, SKIN_OCCLUDERS, Vertex,
    field::Part,
    hull::hull_of,
    occlusion::{self, occlusion_at},
    polygonise::{RawMesh, Rings},
    weights,
};
use crate::skeleton::{JointIndex, ModelPose, NO_PARENT, Skeleton};

/// Weights, shading attributes and inverse bind for a bare mesh.
pub(super) fn dress(
    skeleton: &Skeleton,
    pose: &ModelPose,
    parts: &[Part],
    mesh: RawMesh,
    marks: Option<&[JointIndex]>,
) -> Body {
    let ring = Rings::new(mesh.positions.len(), &mesh.indices);
    let owners: Vec<(JointIndex, f32)> = mesh
        .positions
        .par_iter()
        .map(|&p| weights::owner_of(skeleton, pose, parts, p))
        .collect();
    let vertex_influences = weights::diffuse(skeleton, &mesh.positions, &ring, &owners);
    let seams = seam_field(skeleton, marks, &ring, &owners);
    finish(skeleton, pose, parts, mesh, &vertex_influences, &seams)
}

/// The same for a mesh whose every vertex follows one joint alone.
pub(super) fn dress_stiff(
    skeleton: &Skeleton,
    pose: &ModelPose,
    parts: &[Part],
    mesh: RawMesh,
    owners: &[JointIndex],
) -> Body {
    let influences: Vec<_> = owners.iter().map(|&joint| vec![(joint, 1.0)]).collect();
    let seams = vec![0.0; owners.len()];
    finish(skeleton, pose, parts, mesh, &influences, &seams)
}

fn finish(
    skeleton: &Skeleton,
    pose: &ModelPose,
    parts: &[Part],
    mesh: RawMesh,
    vertex_influences: &[Vec<(JointIndex, f32)>],
    seams: &[f32],
) -> Body {
    let occluders = occlusion::place_occluders(skeleton, pose, parts);
    let open = occlusion::openness(parts, &mesh.positions, &mesh.normals);
    let balls: Vec<_> = occluders
        .iter()
        .take(SKIN_OCCLUDERS)
        .map(|o| (o.centre_in(pose), o.radius_m))
        .collect();
    let vertices = (0..mesh.positions.len())
        .map(|v| {
            let (joints, weights) = weights::quantise(&vertex_influences[v]);
            let (p, n) = (mesh.positions[v], mesh.normals[v]);
            let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
            let bind_occlusion = occlusion_at(&balls, p, n);
            Vertex {
                position: p.into(),
                normal: [n.x, n.y, n.z, 0.0].map(|x| (x * 32767.0).round() as i16),
                joints,
                weights,
                shade: [byte(open[v]), byte(bind_occlusion), byte(seams[v]), 0],
            }
        })
        .collect();
    let mut reach_m = vec![0.0f32; skeleton.len()];
    for (p, influences) in mesh.positions.iter().zip(vertex_influences) {
        let joint = usize::from(influences[0].0);
        let distance = (pose.joints()[joint].translation - *p).length();
        reach_m[joint] = reach_m[joint].max(distance);
    }
    Body {
        vertices,
        indices: mesh.indices,
        shadow_vertices: Vec::new(),
        shadow_indices: Vec::new(),
        joint_from_bind: pose.joints().iter().map(|joint| joint.inverse()).collect(),
        occluders,
        reach_m,
        loaded: None,
        hull: hull_of(pose, &mesh.positions, vertex_influences),
        derived: super::derived::Derived::default(),
    }
}

/// A field along the skin that crosses one half where a marked joint begins:
/// each marked joint flips the sign for all below it.
fn seam_field(
    skeleton: &Skeleton,
    marks: Option<&[JointIndex]>,
    ring: &Rings,
    owners: &[(JointIndex, f32)],
) -> Vec<f32> {
    let mut odd = vec![false; skeleton.len()];
    for (joint, &parent) in skeleton.parents().iter().enumerate() {
        let above = parent != NO_PARENT && odd[usize::from(parent)];
        let marked = marks.is_none_or(|marks| marks.contains(&(joint as JointIndex)));
        // Both sides of each seam then differ, whatever is above.
        odd[joint] = above ^ marked;
    }
    let side = |&(joint, _): &(JointIndex, f32)| f32::from(u8::from(odd[usize::from(joint)]));
    let mut field: Vec<f32> = owners.iter().map(side).collect();
    // Owners change from one vertex to the next; smoothed, the line where the
    // field crosses one half no longer follows the triangles.
    for _ in 0..4 {
        let mean = |around: &[u32]| {
            around.iter().map(|&n| field[n as usize]).sum::<f32>() / around.len().max(1) as f32
        };
        field = (0..field.len())
            .map(|v| 0.4 * field[v] + 0.6 * mean(ring.of(v)))
            .collect();
    }
    field
}
