//! A particle at its places, once a round.

use glam::Vec3A;

use super::{LAWFUL_M, NO_PLACE, PLACES, Place, Places, SkinTouch, point};
use crate::{
    cloth::particles::Particles,
    collide::{MeshShape, NO_TRIANGLE, Nearest},
};

/// Depth that nothing explains and that is taken back in one round: a sheet
/// that begins within a body is drawn out of it, not torn.
const SUDDEN_M: f32 = 0.003;

/// Cosine below which two places face each other.
const FACING: f32 = -0.3;

/// Half of what lies between a place and one that faces it: what each of the two
/// may claim of the other's room, so that nothing between them is trapped.
fn between_m(all: &[Option<Nearest>; PLACES], index: usize) -> f32 {
    let Some(own) = all[index] else {
        return f32::INFINITY;
    };
    let facing = all.iter().flatten();
    let facing = facing.filter(|other| {
        // Before it, and not the far side of something thin.
        let ahead = (other.point - own.point).dot(own.normal) > 0.0;
        ahead && other.normal.dot(own.normal) < FACING
    });
    let halves = facing.map(|other| 0.5 * (own.distance_m + other.distance_m));
    halves.fold(f32::INFINITY, f32::min)
}

/// What became of a particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub places: Places,
    pub push: Vec3A,
    /// The part of it that leaves no velocity.
    pub forgiven: Vec3A,
    pub depth_m: f32,
}

impl Default for Found {
    fn default() -> Self {
        Self {
            places: [NO_PLACE; PLACES],
            push: Vec3A::ZERO,
            forgiven: Vec3A::ZERO,
            depth_m: 0.0,
        }
    }
}

/// What particles meet.
pub(super) struct Meeting<'a> {
    pub p: &'a Particles,
    pub shape: &'a MeshShape,
    pub now: &'a [Vec3A],
    pub before: &'a [Vec3A],
    pub room_m: &'a [f32],
    pub touch: SkinTouch,
}

impl Meeting<'_> {
    /// Walks with the places of a slot, and out of those it is too deep in.
    pub fn of(&self, slot: usize, places: Places) -> Found {
        let mut found = Found {
            places,
            ..Found::default()
        };
        let at = point(&self.p.x, slot);
        let mut nearest: [Option<Nearest>; PLACES] = [None; PLACES];
        for (index, place) in places.into_iter().enumerate() {
            if place.triangle == NO_TRIANGLE {
                break;
            }
            nearest[index] = Some(self.walk(place, at, &mut found.places[index]));
        }
        for index in 0..PLACES {
            let Some(mut own) = nearest[index] else {
                break;
            };
            let between_m = between_m(&nearest, index);
            // A push since may have brought it elsewhere.
            if found.depth_m > 0.0 {
                let here = at + found.push;
                own = self.walk(found.places[index], here, &mut found.places[index]);
            }
            let thickness_m = self.thickness_m(&own).min(between_m);
            let depth_m = thickness_m - own.distance_m;
            if depth_m > 0.0 {
                // Squeezed between two skins it may slip out.
                let friction = match thickness_m < self.touch.thickness_m {
                    true => 0.0,
                    false => self.touch.friction,
                };
                self.push(slot, &own, (depth_m, friction), &mut found);
            }
        }
        found
    }

    /// Along with a place over the mesh; its own side counts as outside.
    fn walk(&self, place: Place, at: Vec3A, walked: &mut Place) -> Nearest {
        let mut nearest = self.shape.walk_to_nearest(place.triangle, self.now, at);
        walked.triangle = nearest.triangle;
        nearest.normal *= place.side;
        nearest.distance_m *= place.side;
        nearest
    }

    /// What the sheet may claim there; nothing within other skin.
    fn thickness_m(&self, nearest: &Nearest) -> f32 {
        let corners = self.shape.triangles()[nearest.triangle as usize];
        let rooms = corners.map(|vertex| self.room_m[vertex as usize]);
        if rooms.iter().any(|&room_m| room_m < 0.0) {
            return f32::NEG_INFINITY;
        }
        let shares = rooms.iter().zip(nearest.weights);
        let room_m: f32 = shares.map(|(room_m, share)| room_m * share).sum();
        self.touch.thickness_m.min(room_m)
    }

    fn push(
        &self,
        slot: usize,
        nearest: &Nearest,
        (depth_m, friction): (f32, f32),
        found: &mut Found,
    ) {
        let corners = self.shape.triangles()[nearest.triangle as usize];
        let carried: Vec3A = corners
            .iter()
            .zip(nearest.weights)
            .map(|(&v, share)| (self.now[v as usize] - self.before[v as usize]) * share)
            .sum();
        let moved = point(&self.p.x, slot) + found.push - point(&self.p.start, slot) - carried;
        let lawful_m = moved.length() + LAWFUL_M;
        let sudden_m = (depth_m - lawful_m).max(0.0);
        let taken_m = depth_m.min(lawful_m + SUDDEN_M);
        let normal = nearest.normal;
        let slid = moved + normal * taken_m;
        let slid = slid - normal * slid.dot(normal);
        // Coulomb's cone on positions, as against solids.
        let held = (friction * depth_m.min(lawful_m) / (slid.length() + 1e-12)).min(1.0);
        found.push += normal * taken_m - slid * held;
        found.forgiven += normal * sudden_m.min(SUDDEN_M);
        found.depth_m = found.depth_m.max(taken_m);
    }
}
