//! What still passes through the mesh as a step ends: found exactly, triangle
//! by triangle, and carried out.
//!
//! Particles and vertices are kept apart by the other files here; what is left
//! are edges that pass through each other, and corners that came between. Out is
//! the mesh's own outside, for what is left is never deep. Each pair goes as far
//! as it must for one of its two triangles to lie wholly on one side of the
//! other, and a particle goes the mean of what its triangles ask for.

use glam::Vec3A;
use rayon::prelude::*;

use super::{SkinContact, point};
use crate::{
    cloth::{
        particles::Particles,
        parting::{MOST_M, bounds_of, normal_of, on_one_side, shares_met},
    },
    collide::{MovingMesh, triangles_cross},
};

/// Kept between the two, so that the next round finds them apart.
const MARGIN_M: f32 = 3e-4;
/// Least cosine between the two triangles at which the sheet's own plane is
/// asked: one that stands on the mesh says nothing of how deep it is.
const LEAST_COSINE: f32 = 0.1;

/// What a triangle of the sheet is to be carried by.
#[derive(Clone, Copy, Debug)]
struct Carried {
    triangle: u32,
    by: Vec3A,
    /// Of its corners.
    shares: [f32; 3],
}

impl SkinContact {
    /// Carries out what passes through the mesh, once; whether anything did.
    pub fn mend(&mut self, p: &mut Particles, mesh: &MovingMesh) -> bool {
        let carried = self.carried(p, mesh);
        self.sums.clear(p.inverse_mass.len());
        for it in &carried {
            let slots = self.triangles[it.triangle as usize];
            self.sums.carry(p, slots, it.shares, it.by);
        }
        self.sums.apply(p);
        self.sums.any()
    }

    fn carried(&self, p: &Particles, mesh: &MovingMesh) -> Vec<Carried> {
        let triangles = (0..self.triangles.len() as u32).into_par_iter();
        let carried = triangles.with_min_len(128).filter_map(|triangle| {
            let slots = self.triangles[triangle as usize];
            let own = slots.map(|slot| point(&p.x, slot as usize));
            let (mut by, mut shares, mut count) = (Vec3A::ZERO, [0.0f32; 3], 0.0f32);
            mesh.query(&bounds_of(own), |other| {
                let skin = mesh.shape().corners(other, &mesh.end);
                // Most of what is near lies on one side.
                if on_one_side(own, skin) || !triangles_cross(own, skin) {
                    return;
                }
                let corners = mesh.shape().triangles()[other as usize];
                let folded = corners.iter().any(|&v| self.room_m[v as usize] < 0.0);
                if folded {
                    return;
                }
                let closed = mesh.shape().is_closed(other);
                by += way_out(own, skin, closed);
                let met = shares_met(own, skin);
                shares.iter_mut().zip(met).for_each(|(sum, it)| *sum += it);
                count += 1.0;
            });
            (count > 0.0).then(|| Carried {
                triangle,
                by: (by / count).clamp_length_max(MOST_M),
                shares: shares.map(|share| share / count),
            })
        });
        carried.collect()
    }
}

/// Out of the mesh, as far as it takes for the two to come apart.
fn way_out(sheet: [Vec3A; 3], skin: [Vec3A; 3], closed: bool) -> Vec3A {
    let mut normal = normal_of(skin).normalize_or_zero();
    let heights = sheet.map(|at| (at - skin[0]).dot(normal));
    let mean: f32 = heights.iter().sum::<f32>();
    if !closed && mean < 0.0 {
        normal = -normal;
    }
    let side = if !closed && mean < 0.0 { -1.0 } else { 1.0 };
    let sunk_m = heights.iter().map(|h| -h * side).fold(0.0, f32::max);
    let own = normal_of(sheet).normalize_or_zero();
    let cosine = own.dot(normal);
    let raised_m = match cosine.abs() > LEAST_COSINE {
        true => skin
            .iter()
            .map(|&at| (at - sheet[0]).dot(own) / cosine)
            .fold(0.0, f32::max),
        false => f32::INFINITY,
    };
    normal * (sunk_m.min(raised_m) + MARGIN_M)
}
