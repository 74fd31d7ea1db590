//! The last look of a substep: particles that went further beside the mesh than
//! they keep from it are held to their path. Who crossed a triangle on it is put
//! back before that triangle; thin limbs and sharp corners are passed through by
//! no one, whatever threads and other contacts asked for.

use glam::Vec3A;
use rayon::prelude::*;

use super::{PORTION, Place, SkinContact, SkinTouch, point, shift};
use crate::{
    cloth::{particles::Particles, parting::normal_of},
    collide::{Bounds, MovingMesh, NO_TRIANGLE, line_through_triangle},
};

/// Share of the distance kept that may be gone unwatched.
const UNWATCHED: f32 = 0.5;
/// Least of it: nobody is nearer than rounding.
const LEAST_M: f32 = 2e-4;
/// How far beside a triangle, in its own shares, a path still meets it: there
/// are no cracks.
const CRACK: f32 = -1e-3;

/// Where a particle is put back to.
struct Held {
    slot: u32,
    by: Vec3A,
    place: Place,
}

impl SkinContact {
    /// Puts back who passed through.
    pub fn guard(&mut self, p: &mut Particles, mesh: &MovingMesh, touch: SkinTouch) {
        let own = &*self;
        let portions = own.active.par_chunks(PORTION);
        let held = portions.flat_map_iter(|slots| {
            let slots = slots.iter().copied();
            slots.filter_map(|slot| own.held(p, mesh, touch, slot))
        });
        let held: Vec<Held> = held.collect();
        for it in held {
            let slot = it.slot as usize;
            shift(&mut p.x, slot, it.by);
            p.touched[slot] = 1.0;
            let places = &mut self.places[slot];
            let known = places
                .iter()
                .any(|other| other.triangle == it.place.triangle);
            if !known {
                let free = places
                    .iter()
                    .position(|other| other.triangle == NO_TRIANGLE);
                places[free.unwrap_or(places.len() - 1)] = it.place;
            }
        }
    }

    fn held(&self, p: &Particles, mesh: &MovingMesh, touch: SkinTouch, slot: u32) -> Option<Held> {
        let index = slot as usize;
        if p.inverse_mass[index] == 0.0 {
            return None;
        }
        let (from, to) = (point(&self.path_start, index), point(&p.x, index));
        let near = self.places[index][0].triangle;
        if near == NO_TRIANGLE {
            return None;
        }
        let corners = mesh.shape().triangles()[near as usize].map(|v| v as usize);
        let carried = corners.map(|v| self.now[v] - self.before[v]);
        let carried = (carried[0] + carried[1] + carried[2]) / 3.0;
        let room_m = corners.map(|v| self.room_m[v].abs());
        let kept_m = room_m.into_iter().fold(touch.thickness_m, f32::min);
        let unwatched_m = (UNWATCHED * kept_m).max(LEAST_M);
        if (to - from - carried).length_squared() < unwatched_m * unwatched_m {
            return None;
        }
        let (triangle, side) = self.first_crossed(mesh, from, to)?;
        let corners = mesh.shape().corners(triangle, &self.now);
        let normal = normal_of(corners).normalize_or_zero() * side;
        let (_, shares) = line_through_triangle(corners, to, normal)?;
        // Beside the triangle it may have come; then it stays over its rim.
        let shares = shares.map(|share| share.clamp(0.0, 1.0));
        let sum: f32 = shares.iter().sum();
        let on_it: Vec3A = corners
            .iter()
            .zip(shares)
            .map(|(&at, s)| at * (s / sum))
            .sum();
        let at = on_it + normal * kept_m.max(LEAST_M);
        Some(Held {
            slot,
            by: at - to,
            place: Place { triangle, side },
        })
    }

    /// The triangle that a path crosses first, and from which side: both ends
    /// move straight on from the substep's begin to its end.
    fn first_crossed(&self, mesh: &MovingMesh, from: Vec3A, to: Vec3A) -> Option<(u32, f32)> {
        let bounds = Bounds {
            low: from.min(to),
            high: from.max(to),
        };
        let mut first: Option<(f32, u32, f32)> = None;
        let shape = mesh.shape();
        mesh.query(&bounds, |triangle| {
            let (begun, ended) = (
                shape.corners(triangle, &self.before),
                shape.corners(triangle, &self.now),
            );
            let height = |t: [Vec3A; 3], at: Vec3A| normal_of(t).dot(at - t[0]);
            let (before, after) = (height(begun, from), height(ended, to));
            // Out of a closed part goes who will.
            if before * after >= 0.0 || (before < 0.0 && shape.is_closed(triangle)) {
                return;
            }
            let folded = { shape.triangles()[triangle as usize].iter() }
                .any(|&v| self.room_m[v as usize] < 0.0);
            // Heights are in twice the area: about the same at both ends.
            let share = before / (before - after);
            if folded || first.is_some_and(|(known, ..)| known <= share) {
                return;
            }
            let then = [0, 1, 2].map(|k| begun[k].lerp(ended[k], share));
            let met = line_through_triangle(then, from.lerp(to, share), normal_of(then));
            if met.is_some_and(|(_, shares)| shares.iter().all(|&it| it >= CRACK)) {
                first = Some((share, triangle, before.signum()));
            }
        });
        first.map(|(_, triangle, side)| (triangle, side))
    }
}
