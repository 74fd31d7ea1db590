//! Vertices of the mesh against triangles of the sheet: a triangle that the
//! normal of a vertex pierces too near to it is carried out along that normal.

use glam::Vec3A;
use rayon::prelude::*;

use super::{LAWFUL_M, SLACK_M, SkinContact, SkinTouch, point, shift};
use crate::{
    cloth::{particles::Particles, settings::STEP_SECS},
    collide::{Bounds, MovingMesh, line_through_triangle},
};

/// What is carried keeps this share of the thickness: particles keep it whole.
const SHARE: f32 = 0.6;
/// How far beside a triangle, in its own shares, a normal still may come to
/// pierce it within the step.
const BESIDE: f32 = -0.4;
/// And how far beside it counts as piercing, against cracks between triangles.
const CRACK: f32 = -0.01;
/// Depth that nothing explains and that is taken back in one round.
const SUDDEN_M: f32 = 0.003;

/// A vertex of the mesh and a triangle of the sheet that it may meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    pub vertex: u32,
    pub triangle: u32,
}

/// Finds all pairs for this step.
pub(super) fn cast(skin: &mut SkinContact, p: &Particles, mesh: &MovingMesh, touch: SkinTouch) {
    let (tree, triangles, inner_m) = (&skin.tree, &skin.triangles, &skin.inner_m);
    let found = (0..mesh.end.len() as u32).into_par_iter().with_min_len(512);
    let found = found.flat_map_iter(|vertex| {
        let index = vertex as usize;
        let (start, end, normal) = (mesh.start[index], mesh.end[index], mesh.normals[index]);
        let (inner, outer) = (inner_m[index], touch.thickness_m + SLACK_M);
        let mut bounds = Bounds::EMPTY;
        for at in [start, end] {
            for tip in [at - normal * inner, at + normal * outer] {
                bounds.low = bounds.low.min(tip);
                bounds.high = bounds.high.max(tip);
            }
        }
        let mut rays = Vec::new();
        tree.query(&bounds, |triangle| {
            let slots = triangles[triangle as usize].map(|slot| slot as usize);
            if slots.iter().all(|&slot| p.inverse_mass[slot] == 0.0) {
                return;
            }
            let corners = slots.map(|slot| point(&p.x, slot));
            let then = slots.map(|slot| point(&p.x, slot) + point(&p.v, slot) * STEP_SECS);
            let near = [(corners, start), (then, end)]
                .into_iter()
                .any(|(corners, at)| {
                    line_through_triangle(corners, at, normal).is_some_and(|(along, shares)| {
                        shares.iter().all(|&share| share > BESIDE)
                            && along > -inner - SLACK_M
                            && along < outer
                    })
                });
            if near {
                rays.push(Ray { vertex, triangle });
            }
        });
        rays
    });
    skin.rays.clear();
    skin.rays.par_extend(found);
}

/// Carries what is pierced too near; how deep the deepest was.
pub(super) fn carry(
    skin: &SkinContact,
    p: &mut Particles,
    mesh: &MovingMesh,
    touch: SkinTouch,
) -> f32 {
    let mut deepest_m = 0.0f32;
    for ray in &skin.rays {
        let index = ray.vertex as usize;
        let room_m = skin.room_m[index];
        if room_m < 0.0 {
            continue;
        }
        let (at, normal) = (skin.now[index], mesh.normals[index]);
        let slots = skin.triangles[ray.triangle as usize].map(|slot| slot as usize);
        let corners = slots.map(|slot| point(&p.x, slot));
        let Some((along_m, shares)) = line_through_triangle(corners, at, normal) else {
            continue;
        };
        let kept_m = SHARE * touch.thickness_m.min(room_m);
        let pierced = shares.iter().all(|&share| share >= CRACK);
        if !pierced || along_m >= kept_m || along_m < -skin.inner_m[index] {
            continue;
        }
        let weights = [0, 1, 2].map(|k| p.inverse_mass[slots[k]] * shares[k].max(0.0));
        let give: f32 = weights
            .iter()
            .zip(shares)
            .map(|(w, share)| w * share.max(0.0))
            .sum();
        if give <= 0.0 {
            continue;
        }
        let carried = at - skin.before[index];
        let moved: Vec3A = slots
            .iter()
            .zip(shares)
            .map(|(&slot, share)| (point(&p.x, slot) - point(&p.start, slot)) * share)
            .sum::<Vec3A>()
            - carried;
        let depth_m = kept_m - along_m;
        let lawful_m = moved.length() + LAWFUL_M;
        let taken_m = depth_m.min(lawful_m + SUDDEN_M);
        let slid = moved - normal * moved.dot(normal);
        let friction = match room_m < touch.thickness_m {
            true => 0.0,
            false => touch.friction,
        };
        let held = (friction * depth_m.min(lawful_m) / (slid.length() + 1e-12)).min(1.0);
        let push = normal * taken_m - slid * held;
        let forgiven = normal * (taken_m - lawful_m).max(0.0);
        for (slot, weight) in slots.into_iter().zip(weights) {
            shift(&mut p.x, slot, push * (weight / give));
            shift(&mut p.predicted, slot, forgiven * (weight / give));
            if weight > 0.0 {
                p.touched[slot] = 1.0;
            }
        }
        deepest_m = deepest_m.max(taken_m);
    }
    deepest_m
}
