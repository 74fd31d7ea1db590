//! Solids as meshes: boxes, poles, balls and capsules.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::picture::{ClothVertex, SheetMesh};
use crate::{collide::Obb, math::Transform};

/// Linear colour of the tumbled box.
pub(super) const WOOD: [f32; 3] = [0.30, 0.19, 0.10];
/// Linear colour of a pole.
pub(super) const METAL: [f32; 3] = [0.26, 0.27, 0.29];
/// Sides of a pole.
const SIDES: usize = 16;

fn vertex(position: Vec3, normal: Vec3, colour: [f32; 3]) -> ClothVertex {
    ClothVertex {
        position: position.to_array(),
        normal: normal.to_array(),
        colour,
        weave_m: [0.0; 2],
    }
}

/// Six faces with an edge each, so that corners are sharp.
pub(super) fn cuboid(shape: &Obb, colour: [f32; 3]) -> SheetMesh {
    let place = shape.world_from_box;
    let mut vertices = Vec::with_capacity(24);
    let mut indices = Vec::with_capacity(36);
    for axis in 0..3 {
        for side in [-1.0f32, 1.0] {
            let [n, u, v] = [0, 1, 2].map(|turn| Vec3::AXES[(axis + turn) % 3]);
            let first = vertices.len() as u32;
            for [a, b] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
                let local = (n * side + u * a + v * b) * shape.half_extents_m;
                let world = place.transform_point(local.into()).into();
                let normal = Vec3::from(place.transform_vector((n * side).into()));
                vertices.push(vertex(world, normal, colour));
            }
            indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        }
    }
    SheetMesh {
        vertices,
        indices: Arc::from(indices),
    }
}

/// A round bar from one point to another, its upper end closed by a flat cap.
pub(super) fn pole([from, to]: [Vec3; 2], radius_m: f32, colour: [f32; 3]) -> SheetMesh {
    let along = (to - from).normalize_or(Vec3::Y);
    let turn = Quat::from_rotation_arc(Vec3::Y, along);
    let mut vertices = Vec::new();
    let mut indices = Vec::new();
    for side in 0..=SIDES {
        let angle = side as f32 / SIDES as f32 * std::f32::consts::TAU;
        let out = turn * Vec3::new(angle.sin(), 0.0, angle.cos());
        for end in [from, to] {
            vertices.push(vertex(end + out * radius_m, out, colour));
        }
        vertices.push(vertex(to + out * radius_m, along, colour));
        if side > 0 {
            let here = 3 * side as u32;
            let before = here - 3;
            indices.extend([before, here, here + 1, before, here + 1, before + 1]);
            indices.extend([2, before + 2, here + 2]);
        }
    }
    SheetMesh {
        vertices,
        indices: Arc::from(indices),
    }
}

/// Sides of a ball, and rings of each of its halves.
const ROUND: [usize; 2] = [32, 8];

/// All points near a box: a ball where it has no extent, a capsule where it has
/// one along y.
pub(super) fn round(place: Transform, half: Vec3, radius_m: f32, colour: [f32; 3]) -> SheetMesh {
    let [sides, rings] = ROUND;
    let rows = 2 * (rings + 1);
    let mut vertices = Vec::with_capacity(rows * (sides + 1));
    for row in 0..rows {
        // The middle ring twice: one for either half.
        let up = row <= rings;
        let ring = if up { row } else { row - 1 };
        let down = ring as f32 / (2 * rings) as f32 * std::f32::consts::PI;
        for side in 0..=sides {
            let around = side as f32 / sides as f32 * std::f32::consts::TAU;
            let (sin, cos) = around.sin_cos();
            let out = Vec3::new(down.sin() * sin, down.cos(), down.sin() * cos);
            let corner = Vec3::new(
                half.x * out.x.signum(),
                if up { half.y } else { -half.y },
                half.z * out.z.signum(),
            );
            let at = place.transform_point((corner + out * radius_m).into());
            let normal = place.transform_vector(out.into());
            vertices.push(vertex(at.into(), normal.into(), colour));
        }
    }
    let at = |row: usize, side: usize| (row * (sides + 1) + side) as u32;
    let cells = (1..rows).flat_map(|row| (0..sides).map(move |side| (row, side)));
    let indices = cells.flat_map(|(row, side)| {
        let (a, b) = (at(row - 1, side), at(row - 1, side + 1));
        let (c, d) = (at(row, side), at(row, side + 1));
        [a, c, b, b, c, d]
    });
    SheetMesh {
        vertices,
        indices: indices.collect(),
    }
}
