//! The last resort: a rounded bone for every bone, each stiff. Nothing joins
//! them, so nothing can tear.

use std::f32::consts::{PI, TAU};

use glam::Vec3A;

use super::{
    Body, dress::dress_stiff, field::Part, guess::guessed_parts, polygonise::RawMesh, shape::Shape,
};
use crate::skeleton::{JointIndex, Skeleton};

/// Vertices of all capsules together.
const VERTICES: usize = 8_000;

/// A body of capsules around the rest pose.
pub(super) fn capsules(skeleton: &Skeleton) -> Body {
    let pose = skeleton.rest_model();
    let parts = guessed_parts(skeleton, &pose);
    let each = (VERTICES / parts.len().max(1)).clamp(40, 1_500);
    let built = |each: usize| {
        let (mut mesh, mut owners) = (RawMesh::default(), Vec::new());
        for part in &parts {
            add_capsule(&mut mesh, part, each);
            let joint = part.joints.first().copied().unwrap_or_default();
            owners.resize(mesh.positions.len(), joint);
        }
        (mesh, owners)
    };
    let (mesh, owners): (RawMesh, Vec<JointIndex>) = built(each);
    let body = dress_stiff(skeleton, &pose, &parts, mesh, &owners);
    let (mesh, owners) = built((each / 4).max(40));
    let coarse = dress_stiff(skeleton, &pose, &parts, mesh, &owners);
    Body {
        shadow_vertices: coarse.vertices,
        shadow_indices: coarse.indices,
        ..body
    }
}

/// Rings from pole to pole around a tapered bone.
fn add_capsule(mesh: &mut RawMesh, part: &Part, vertices: usize) {
    let Shape::Cone {
        length_m,
        low_m,
        high_m,
    } = part.shape
    else {
        return;
    };
    let around = ((vertices as f32).sqrt() as usize).max(6);
    let rings = (vertices / around).max(6) & !1;
    let first = mesh.positions.len() as u32;
    for ring in 0..rings {
        let half = ring * 2 / rings; // the ball at the start, then the one at the end
        let latitude = PI * ring as f32 / (rings - 1) as f32 - PI / 2.0;
        let (centre, radius) = [(0.0, low_m), (length_m, high_m)][half];
        for step in 0..around {
            let (sin, cos) = (TAU * step as f32 / around as f32).sin_cos();
            // Not quite to the poles: a ring there would have no extent.
            let (height, out) = (0.98 * latitude).sin_cos();
            let normal = Vec3A::new(out * cos, height, out * sin);
            let at = normal * radius + Vec3A::Y * centre;
            mesh.positions.push(part.origin + part.rotation * at);
            mesh.normals.push(part.rotation * normal);
        }
    }
    let (around, rings) = (around as u32, rings as u32);
    for ring in 0..rings - 1 {
        for step in 0..around {
            let next = (step + 1) % around;
            let [a, b] = [step, next].map(|it| first + ring * around + it);
            let [c, d] = [a, b].map(|it| it + around);
            mesh.indices.extend([a, c, b, b, c, d]);
        }
    }
    for (ring, turn) in [(0, false), (rings - 1, true)] {
        let at = |step: u32| first + ring * around + step;
        for step in 1..around - 1 {
            let [a, b] = [at(step), at(step + 1)];
            mesh.indices.extend(match turn {
                true => [at(0), b, a],
                false => [at(0), a, b],
            });
        }
    }
}
