//! Contact with a mesh that moves: the skin of a body.
//!
//! Once a step every particle looks for the places of the mesh that it may meet
//! (up to [`PLACES`], in different directions) and every vertex of the mesh for
//! the triangles of the sheet that its normal may pierce. In each substep a
//! particle walks along with its places over neighbouring triangles, and stays
//! on the side of each that it was on: that memory, not the nearest surface,
//! says where out is, so that a thin finger is not passed through. Normals
//! that pierce the sheet carry it, which is how what is thinner than the gap
//! between particles does not come through between them. Skin that lies within
//! other skin (an arm pressed into the trunk) holds nothing, and where two skins
//! face each other the sheet between them gets half the gap each: it cannot be
//! trapped. Who went far in a substep is held to its path. Edges that still cross as the step ends are found exactly and carried
//! out. Limits: motion within a substep is taken as small beside limbs.

mod crossings;
mod guard;
mod mend;
mod near;
mod places;
mod rays;
mod room;
#[cfg(test)]
mod trials;

use glam::Vec3A;
use rayon::prelude::*;

pub use crossings::{Crossing, crossings};

use super::{Cloth, lanes::Soa, particles::Particles, parting::Sums, settings::STEP_SECS};
use crate::collide::{Bounds, BoxTree, MovingMesh, NO_TRIANGLE};
use places::{Found, Meeting};
use rays::Ray;

/// Places of the mesh that a particle may meet in a step.
const PLACES: usize = 3;
/// How much further than its thickness and its own way a particle looks.
const SLACK_M: f32 = 0.01;
/// How far from where it was going a particle looks around again.
const ASTRAY_M: f32 = 0.5 * SLACK_M;
/// Slots that a thread takes at a time.
const PORTION: usize = 256;
/// Depth beyond what motion explains from which a push leaves no velocity.
const LAWFUL_M: f32 = 5e-4;

/// A place of the mesh that a particle may meet.
#[derive(Clone, Copy, Debug)]
struct Place {
    triangle: u32,
    /// 1 before the triangle, -1 behind it, where the mesh is open.
    side: f32,
}

const NO_PLACE: Place = Place {
    triangle: NO_TRIANGLE,
    side: 1.0,
};

type Places = [Place; PLACES];

/// What a sheet knows of the mesh that it meets.
#[derive(Clone, Debug, Default)]
pub(super) struct SkinContact {
    /// Of every slot.
    places: Vec<Places>,
    /// Likewise, what it is expected to do: where it would have begun, and its way
    /// in the whole step. Who does otherwise looks around again.
    expected: Vec<(Vec3A, Vec3A)>,
    astray: Vec<u32>,
    /// Slots that have any.
    active: Vec<u32>,
    found: Vec<Found>,
    /// Vertices of the mesh, now and as the substep began.
    now: Vec<Vec3A>,
    before: Vec<Vec3A>,
    /// Where the paths of all slots begin that nobody may cross the mesh on.
    path_start: Soa,
    /// Thickness that the sheet may claim over each vertex of the mesh;
    /// negative where that lies within other skin.
    room_m: Vec<f32>,
    wanted: Vec<u32>,
    /// How far behind each vertex of the mesh the sheet is still brought back.
    inner_m: Vec<f32>,
    rays: Vec<Ray>,
    /// Corners of the sheet's triangles, as slots.
    triangles: Vec<[u32; 3]>,
    tree: BoxTree,
    sums: Sums,
    /// Furthest way in the step of what is near a particle, beside its own.
    travel_m: f32,
}

/// How the sheet meets a mesh.
#[derive(Clone, Copy)]
pub(super) struct SkinTouch {
    pub thickness_m: f32,
    pub friction: f32,
}

fn point(soa: &Soa, slot: usize) -> Vec3A {
    Vec3A::new(soa[0][slot], soa[1][slot], soa[2][slot])
}

fn shift(soa: &mut Soa, slot: usize, by: Vec3A) {
    for (array, by) in soa.iter_mut().zip(by.to_array()) {
        array[slot] += by;
    }
}

impl SkinContact {
    pub fn new(cloth: &Cloth) -> Self {
        let corners = |t: [u32; 3]| t.map(|vertex| cloth.slot_of[vertex as usize]);
        let triangles: Vec<[u32; 3]> = cloth.sheet.triangles().into_iter().map(corners).collect();
        let centre = |t: &[u32; 3]| -> Vec3A {
            t.iter()
                .map(|&slot| point(&cloth.particles.x, slot as usize))
                .sum::<Vec3A>()
                / 3.0
        };
        let centres: Vec<Vec3A> = triangles.iter().map(centre).collect();
        Self {
            places: vec![[NO_PLACE; PLACES]; cloth.particles.inverse_mass.len()],
            expected: vec![(Vec3A::ZERO, Vec3A::ZERO); cloth.particles.inverse_mass.len()],
            tree: BoxTree::over(&centres),
            triangles,
            ..Self::default()
        }
    }

    /// Forgets what it lay on: the mesh or the sheet is elsewhere.
    pub fn forget(&mut self) {
        self.places.fill([NO_PLACE; PLACES]);
    }

    /// Looks around as a step begins.
    pub fn begin(&mut self, p: &Particles, mesh: &MovingMesh, touch: SkinTouch) {
        if self.inner_m.len() != mesh.end.len() {
            self.inner_m = room::inner_m(mesh);
            self.forget();
        }
        self.now.clone_from(&mesh.start);
        self.before.clone_from(&mesh.start);
        let look = near::Look {
            p,
            mesh,
            positions: &mesh.start,
            left: 1.0,
            touch,
        };
        let travel = |(portion, (places, expected)): (usize, (&mut [Places], &mut [_]))| {
            let mut seen = near::Seen::default();
            let slots = portion * PORTION..;
            let ways = slots.zip(places).zip(expected);
            let ways = ways.map(|((slot, places), expected)| {
                *expected = (point(&p.x, slot), look.way(slot));
                look.around(slot, places, &mut seen)
            });
            ways.fold(0.0, f32::max)
        };
        let own = { self.places.par_chunks_mut(PORTION) }
            .zip(self.expected.par_chunks_mut(PORTION))
            .enumerate();
        self.travel_m = own.map(travel).reduce(|| 0.0, f32::max);
        self.active.clear();
        let any = |places: &Places| places.iter().any(|it| it.triangle != NO_TRIANGLE);
        let slots = (0u32..).zip(&self.places).filter(|(_, places)| any(places));
        self.active.extend(slots.map(|(slot, _)| slot));
        self.refit(p);
        rays::cast(self, p, mesh, touch);
        room::measure(self, mesh, touch.thickness_m);
    }

    /// Furthest way in this step of what is near a particle, beside its own.
    pub fn travel_m(&self) -> f32 {
        self.travel_m
    }

    /// The tree around the ways of the sheet's triangles in this step.
    fn refit(&mut self, p: &Particles) {
        let triangles = &self.triangles;
        self.tree.refit(|triangle| {
            let mut bounds = Bounds::EMPTY;
            for slot in triangles[triangle as usize] {
                let at = point(&p.x, slot as usize);
                let then = at + point(&p.v, slot as usize) * STEP_SECS;
                bounds.low = bounds.low.min(at.min(then));
                bounds.high = bounds.high.max(at.max(then));
            }
            bounds
        });
    }

    /// Brings the mesh to the end of a substep, a share of the step.
    pub fn enter(&mut self, p: &Particles, mesh: &MovingMesh, touch: SkinTouch, to: f32) {
        std::mem::swap(&mut self.now, &mut self.before);
        mesh.positions_at(to, &mut self.now);
        self.path_start.clone_from(&p.start);
        self.look_again(p, mesh, touch, to);
    }

    /// What follows is no motion: paths begin here, and the mesh has arrived.
    pub fn stand_still(&mut self, p: &Particles) {
        self.path_start.clone_from(&p.x);
        self.before.clone_from(&self.now);
    }

    /// Who was drawn elsewhere than it was going looks around again.
    fn look_again(&mut self, p: &Particles, mesh: &MovingMesh, touch: SkinTouch, to: f32) {
        let astray = |slot: usize, &(begun, way): &(Vec3A, Vec3A)| {
            let off = point(&p.x, slot) - begun - way * to;
            off.length_squared() > ASTRAY_M * ASTRAY_M && p.inverse_mass[slot] > 0.0
        };
        self.astray.clear();
        let portions = self.expected.par_chunks(PORTION).enumerate();
        let found = portions.flat_map_iter(|(portion, expected)| {
            let slots = portion * PORTION..;
            let slots = slots.zip(expected);
            slots.filter_map(|(slot, own)| astray(slot, own).then_some(slot as u32))
        });
        self.astray.par_extend(found);
        let look = near::Look {
            p,
            mesh,
            positions: &self.now,
            left: 1.0 - to,
            touch,
        };
        let mut seen = near::Seen::default();
        for &slot in &self.astray {
            let index = slot as usize;
            let way = point(&p.v, index) * STEP_SECS;
            self.expected[index] = (point(&p.x, index) - way * to, way);
            let places = &mut self.places[index];
            let before = places[0].triangle;
            look.around(index, places, &mut seen);
            if before == NO_TRIANGLE && places[0].triangle != NO_TRIANGLE {
                self.active.push(slot);
            }
        }
    }

    /// Puts the sheet before the mesh, in as many rounds.
    pub fn resolve(
        &mut self,
        p: &mut Particles,
        mesh: &MovingMesh,
        touch: SkinTouch,
        rounds: usize,
    ) {
        for _ in 0..rounds {
            let deepest_m = rays::carry(self, p, mesh, touch);
            let deepest_m = self.meet(p, mesh, touch).max(deepest_m);
            if deepest_m <= 1e-4 {
                break;
            }
        }
        self.guard(p, mesh, touch);
    }

    /// All particles at their places; how deep the deepest was.
    fn meet(&mut self, p: &mut Particles, mesh: &MovingMesh, touch: SkinTouch) -> f32 {
        let meeting = Meeting {
            p,
            shape: mesh.shape(),
            now: &self.now,
            before: &self.before,
            room_m: &self.room_m,
            touch,
        };
        self.found.clear();
        self.found.resize(self.active.len(), Found::default());
        let (active, places) = (&self.active, &self.places);
        let portions = self
            .found
            .par_chunks_mut(PORTION)
            .zip(active.par_chunks(PORTION));
        portions.for_each(|(found, slots)| {
            for (found, &slot) in found.iter_mut().zip(slots) {
                *found = meeting.of(slot as usize, places[slot as usize]);
            }
        });
        let mut deepest_m = 0.0f32;
        for (found, &slot) in self.found.iter().zip(&self.active) {
            let slot = slot as usize;
            self.places[slot] = found.places;
            if found.depth_m > 0.0 {
                deepest_m = deepest_m.max(found.depth_m);
                shift(&mut p.x, slot, found.push);
                shift(&mut p.predicted, slot, found.forgiven);
                p.touched[slot] = 1.0;
            }
        }
        deepest_m
    }
}
