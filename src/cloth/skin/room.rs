//! How much room there is before and behind the skin.

use glam::Vec3A;
use rayon::prelude::*;

use super::SkinContact;
use crate::collide::{Bounds, MovingMesh, NO_TRIANGLE, line_through_triangle};

/// How far ahead other skin is looked for: further in does nobody press an arm.
const AHEAD_M: f32 = 0.05;
/// Share of what is behind a vertex up to its far side, within which the sheet
/// belongs to this side.
const OWN_SHARE: f32 = 0.45;
/// Most of that.
const INNER_M: f32 = 0.015;
/// How far behind an open surface the sheet is brought back.
const OPEN_INNER_M: f32 = 0.002;

/// Nearest skin that a straight line out of a vertex meets: metres, and whether
/// it is met from before.
fn meets(
    mesh: &MovingMesh,
    positions: &[Vec3A],
    vertex: u32,
    along: Vec3A,
    length_m: f32,
) -> Option<(f32, bool)> {
    let from = positions[vertex as usize];
    let to = from + along * length_m;
    let bounds = Bounds {
        low: from.min(to),
        high: from.max(to),
    };
    let mut nearest: Option<(f32, bool)> = None;
    let shape = mesh.shape();
    mesh.query(&bounds, |triangle| {
        let corners = shape.triangles()[triangle as usize];
        if corners.contains(&vertex) {
            return;
        }
        let line = line_through_triangle(shape.corners(triangle, positions), from, along);
        let Some((at_m, shares)) = line else { return };
        let hit = at_m > 0.0 && at_m < length_m && shares.iter().all(|&share| share >= 0.0);
        if hit && nearest.is_none_or(|(known_m, _)| at_m < known_m) {
            let before = shape.area_normal(triangle, positions).dot(along) < 0.0;
            nearest = Some((at_m, before));
        }
    });
    nearest
}

/// How far behind each vertex the sheet is brought back to it, by how thick the
/// body is there.
pub(super) fn inner_m(mesh: &MovingMesh) -> Vec<f32> {
    let of = |vertex: u32| {
        let closed = |&triangle: &u32| mesh.shape().is_closed(triangle);
        let fan = mesh.shape().fan(vertex);
        if fan.is_empty() || !fan.iter().all(closed) {
            return OPEN_INNER_M;
        }
        let normal = mesh.normals[vertex as usize];
        let reach_m = INNER_M / OWN_SHARE;
        let through = meets(mesh, &mesh.end, vertex, -normal, reach_m);
        OWN_SHARE * through.map_or(reach_m, |(far_m, _)| far_m)
    };
    let vertices = (0..mesh.end.len() as u32).into_par_iter().with_min_len(512);
    vertices.map(of).collect()
}

/// Thickness that the sheet may claim over each vertex that it is near, as the
/// step ends.
pub(super) fn measure(skin: &mut SkinContact, mesh: &MovingMesh, thickness_m: f32) {
    const UNKNOWN: f32 = f32::INFINITY;
    const WANTED: f32 = f32::NEG_INFINITY;
    skin.room_m.clear();
    skin.room_m.resize(mesh.end.len(), UNKNOWN);
    skin.wanted.clear();
    let triangles = mesh.shape().triangles();
    let active = skin
        .active
        .iter()
        .flat_map(|&slot| skin.places[slot as usize]);
    let on = active.filter(|place| place.triangle != NO_TRIANGLE);
    let corners = on.flat_map(|place| triangles[place.triangle as usize]);
    for vertex in corners.chain(skin.rays.iter().map(|ray| ray.vertex)) {
        let room_m = &mut skin.room_m[vertex as usize];
        if *room_m == UNKNOWN {
            *room_m = WANTED;
            skin.wanted.push(vertex);
        }
    }
    let room = |&vertex: &u32| {
        let normal = mesh.normals[vertex as usize];
        match meets(mesh, &mesh.end, vertex, normal, AHEAD_M) {
            // Out of other skin: the vertex lies within it.
            Some((_, false)) => -1.0,
            Some((gap_m, true)) if gap_m < 2.0 * thickness_m => 0.5 * gap_m,
            _ => UNKNOWN,
        }
    };
    let rooms: Vec<f32> = skin.wanted.par_iter().with_min_len(64).map(room).collect();
    for (&vertex, room_m) in skin.wanted.iter().zip(rooms) {
        skin.room_m[vertex as usize] = room_m;
    }
}
