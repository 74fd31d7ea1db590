//! The search, once a step: which places of the mesh a particle may meet.

use glam::Vec3A;

use super::{NO_PLACE, PLACES, Place, Places, SLACK_M, SkinTouch, point};
use crate::{
    cloth::{particles::Particles, settings::STEP_SECS},
    collide::{Bounds, MovingMesh, NO_TRIANGLE, Nearest, nearest_on_triangle},
};

/// Places whose directions lie closer together than this are one.
const SAME_DIRECTION: f32 = 0.7;
/// Depth from which what is known of the way out is given up.
const LOST_M: f32 = 0.08;
/// Depth to which a particle that begins within a closed part is put out.
const SUNK_M: f32 = 0.05;

/// What to look at.
pub(super) struct Look<'a> {
    pub p: &'a Particles,
    pub mesh: &'a MovingMesh,
    /// Where its vertices are at this moment.
    pub positions: &'a [Vec3A],
    /// Share of the step that is still to come.
    pub left: f32,
    pub touch: SkinTouch,
}

/// Triangles that one particle sees; memory kept from one to the next.
#[derive(Default)]
pub(super) struct Seen {
    /// Distance and triangle.
    triangles: Vec<(f32, u32)>,
}

impl Look<'_> {
    /// How far a slot goes by itself in what is left of the step.
    pub fn way(&self, slot: usize) -> Vec3A {
        point(&self.p.v, slot) * (self.left * STEP_SECS)
    }

    /// Brings the places of a slot up to date; the furthest way of any of them
    /// beside the particle's own.
    pub fn around(&self, slot: usize, places: &mut Places, seen: &mut Seen) -> f32 {
        if self.p.inverse_mass[slot] == 0.0 {
            *places = [NO_PLACE; PLACES];
            return 0.0;
        }
        let at = point(&self.p.x, slot);
        let way = self.way(slot);
        self.see(at, way, seen);
        self.choose(at, way, places, seen);
        let ways = places.iter().filter(|it| it.triangle != NO_TRIANGLE);
        let ways = ways.map(|it| (self.mesh.way(it.triangle) * self.left - way).length());
        ways.fold(0.0, f32::max)
    }

    fn see(&self, at: Vec3A, way: Vec3A, seen: &mut Seen) {
        let reach_m = self.touch.thickness_m + SLACK_M;
        let bounds = Bounds {
            low: at.min(at + way) - reach_m,
            high: at.max(at + way) + reach_m,
        };
        seen.triangles.clear();
        let (mesh, start) = (self.mesh, self.positions);
        mesh.query(&bounds, |triangle| {
            let nearest = nearest_on_triangle(mesh.shape().corners(triangle, start), at);
            let distance_m = nearest.point.distance(at);
            if distance_m < reach_m + (way - mesh.way(triangle) * self.left).length() {
                seen.triangles.push((distance_m, triangle));
            }
        });
        seen.triangles
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }

    fn choose(&self, at: Vec3A, way: Vec3A, places: &mut Places, seen: &Seen) {
        let (shape, start) = (self.mesh.shape(), self.positions);
        let mut kept: [Option<(Place, Nearest)>; PLACES] = [None; PLACES];
        let mut count = 0;
        let reach_m = self.touch.thickness_m + 2.0 * SLACK_M + way.length();
        // What it lay on comes first: that memory is the side it is on.
        for place in places.iter().filter(|it| it.triangle != NO_TRIANGLE) {
            let nearest = shape.nearest_of(place.triangle, start, at);
            let distance_m = nearest.distance_m * place.side;
            let known = |it: &Option<(Place, Nearest)>| {
                it.is_some_and(|(_, other)| other.triangle == nearest.triangle)
            };
            if distance_m < reach_m && distance_m > -LOST_M && !kept.iter().any(known) {
                kept[count] = Some((*place, nearest));
                count += 1;
            }
        }
        let within = |it: &Option<(Place, Nearest)>| {
            it.is_some_and(|(place, nearest)| nearest.distance_m * place.side < 0.0)
        };
        let inside = kept.iter().any(within);
        for (rank, &(_, triangle)) in seen.triangles.iter().enumerate() {
            if count == PLACES {
                break;
            }
            let nearest = shape.nearest_of(triangle, start, at);
            let Some(place) = self.place_of(&nearest, rank, inside || count > 0) else {
                continue;
            };
            let normal = nearest.normal * place.side;
            let distance_m = nearest.distance_m * place.side;
            let hidden = kept.iter().flatten().any(|(other, it)| {
                let known = it.normal * other.side;
                normal.dot(known) > SAME_DIRECTION
                    && (distance_m >= it.distance_m * other.side - 1e-3 || distance_m < 0.0)
            });
            if !hidden {
                kept[count] = Some((place, nearest));
                count += 1;
            }
        }
        *places = kept.map(|it| it.map_or(NO_PLACE, |(place, _)| place));
    }

    /// The side of a place that was not known before.
    fn place_of(&self, nearest: &Nearest, rank: usize, others: bool) -> Option<Place> {
        let triangle = nearest.triangle;
        let place = |side| Some(Place { triangle, side });
        if nearest.distance_m >= 0.0 {
            return place(1.0);
        }
        if !self.mesh.shape().is_closed(triangle) {
            return place(-1.0);
        }
        // Behind a closed surface: the far side of something, unless it is the
        // very nearest there is, and nothing else is known.
        let sunk = rank == 0 && !others && nearest.distance_m > -SUNK_M;
        if sunk { place(1.0) } else { None }
    }
}
