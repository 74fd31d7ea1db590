//! Particles against solids that move.
//!
//! Once a substep, after the constraints: every particle nearer to a solid
//! than the sheet's thickness is put onto its nearest face, and what it slid
//! there is taken back as far as friction reaches. Rows that cannot meet a
//! solid are left out by boxes around both, kept until something has moved
//! further than they allow. A solid that is thin for the way gone in a substep
//! is met along the path instead, so that nothing passes through it.

use fearless_simd::{Level, Select, Simd, SimdFloat, SimdMask, dispatch, f32x8};
use glam::{Mat3A, Vec3A};

use super::{
    lanes::{LANES, V3, load, splat},
    particle_rows::ParticleRows,
    particles::Particles,
};
use crate::{
    collide::{Bounds, Collider, LocalShape},
    math::Transform,
};

/// How far anything may move before boxes are made anew: more means rows that
/// are looked at in vain, less means more looking for them.
const SLACK_M: f32 = 0.03;

/// Way gone in a substep, as a share of half a solid's thickness, from which
/// the path is looked at and not its end alone.
const PATH_FRACTION: f32 = 0.4;

/// Depth beyond what motion explains from which a push leaves no velocity: a
/// sheet that begins inside a solid is put out of it, not shot.
const LAWFUL_M: f32 = 5e-4;

/// A row near a solid.
#[derive(Clone, Copy, Debug)]
struct Pair {
    collider: u32,
    first_slot: u32,
}

/// A solid at both ends of a substep.
#[derive(Clone, Copy, Debug)]
struct Frame {
    start: Transform,
    end: Transform,
    travel_m: f32,
}

/// Scratch memory of contact.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    pairs: Vec<Pair>,
    frames: Vec<Frame>,
    reaches: Vec<Bounds>,
    slack_m: f32,
    /// Furthest that a particle and a solid have come in this substep.
    moved_m: f32,
    travel_m: f32,
}

/// How the sheet meets solids.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    pub thickness_m: f32,
    pub friction: f32,
    pub row_slots: usize,
}

impl Contacts {
    /// Makes room, so that no step allocates, and forgets the last step.
    pub fn begin(&mut self, colliders: usize, rows: usize) {
        self.pairs.clear();
        self.pairs.reserve(colliders * rows);
        self.frames.clear();
        self.frames.reserve(colliders);
        self.reaches.clear();
        self.reaches.reserve(colliders);
        self.slack_m = -1.0;
    }

    /// Furthest that a solid near the sheet moves in the step.
    pub fn fastest_travel_m(
        &mut self,
        level: Level,
        p: &Particles,
        touch: Touch,
        colliders: &[Collider],
    ) -> f32 {
        self.find_pairs(level, p, touch, colliders, 0.0);
        let near = self.pairs.iter().map(|pair| pair.collider as usize);
        near.map(|index| colliders[index].travel_m())
            .fold(0.0, f32::max)
    }

    /// Brings the solids to a substep, given as shares of the step.
    pub fn enter(&mut self, colliders: &[Collider], from: f32, to: f32) {
        self.frames.clear();
        self.frames.extend(colliders.iter().map(|collider| {
            // Between the step's two poses, as `Collider::at` has them: the solid
            // moves evenly through all substeps.
            let part = Collider {
                local_shape: collider.local_shape,
                start: collider.at(from),
                end: collider.at(to),
            };
            Frame {
                start: part.start,
                end: part.end,
                travel_m: part.travel_m(),
            }
        }));
        let travels = self.frames.iter().map(|frame| frame.travel_m);
        self.travel_m = travels.fold(0.0, f32::max);
    }

    /// Lists the rows near solids from `from` to the end of the step.
    fn find_pairs(
        &mut self,
        level: Level,
        p: &Particles,
        touch: Touch,
        colliders: &[Collider],
        from: f32,
    ) {
        self.pairs.clear();
        self.slack_m = SLACK_M;
        // Until the end of the step, not of the substep: the list then holds
        // until the slack is used up.
        let margin_m = touch.thickness_m + SLACK_M;
        self.reaches.clear();
        let reaches = colliders
            .iter()
            .map(|c| c.swept_bounds(from, 1.0, margin_m));
        self.reaches.extend(reaches);
        for first_slot in (0..p.x[0].len()).step_by(touch.row_slots) {
            let slots = first_slot..first_slot + touch.row_slots;
            let around = dispatch!(level, simd => bounds_in(simd, p, slots));
            for (collider, reach) in (0u32..).zip(&self.reaches) {
                if reach.overlaps(&around) {
                    self.pairs.push(Pair {
                        collider,
                        first_slot: first_slot as u32,
                    });
                }
            }
        }
    }

    /// Makes ready for [`Contacts::resolve`]: `moved_m` is the furthest that a
    /// particle has gone since the substep began, at `from`.
    pub fn look_around(
        &mut self,
        level: Level,
        p: &Particles,
        touch: Touch,
        colliders: &[Collider],
        (moved_m, from): (f32, f32),
    ) {
        self.moved_m = moved_m;
        if self.slack_m < moved_m {
            self.find_pairs(level, p, touch, colliders, from);
        }
        // What is pushed goes no further than it came, and the solid.
        self.slack_m -= 2.0 * moved_m + self.travel_m;
    }

    /// Puts every particle of a band outside all solids, in `rounds` rounds
    /// because one solid may push into another.
    pub fn resolve(
        &self,
        level: Level,
        band: &mut ParticleRows<'_>,
        touch: Touch,
        colliders: &[Collider],
        rounds: usize,
    ) {
        let end = band.first + band.len();
        let at = |slot: usize| {
            // Pairs were found row by row and so are sorted by slot.
            let before = |pair: &Pair| (pair.first_slot as usize) < slot;
            self.pairs.partition_point(before)
        };
        let pairs = &self.pairs[at(band.first)..at(end)];
        for _ in 0..rounds {
            let mut moved = 0.0f32;
            for pair in pairs {
                let index = pair.collider as usize;
                let local_shape = &colliders[index].local_shape;
                let frame = &self.frames[index];
                let first = pair.first_slot as usize - band.first;
                let slots = first..first + touch.row_slots;
                let moved_m = self.moved_m + frame.travel_m;
                // Beyond half its thickness the nearest face of a solid is the far one,
                // and a push would take the particle through.
                if moved_m > PATH_FRACTION * local_shape.half_thickness_m() {
                    stop_on_path(band, touch, local_shape, frame, slots.clone());
                }
                let push = Push {
                    before: Local::new(frame.start),
                    after: Local::new(frame.end),
                    touch,
                    lawful_m: moved_m + LAWFUL_M,
                };
                let depth_m =
                    dispatch!(level, simd => push_in(simd, band, &push, local_shape, slots));
                moved = moved.max(depth_m);
            }
            if moved <= 1e-4 {
                break;
            }
        }
    }
}

/// A box around the free particles of a row, as they are and as the substep
/// began.
#[inline(always)]
fn bounds_in<S: Simd>(simd: S, p: &Particles, slots: std::ops::Range<usize>) -> Bounds {
    let infinite = V3::splat(simd, [f32::INFINITY; 3]);
    let (mut low, mut high) = (infinite, infinite.times(splat(simd, -1.0)));
    for at in slots.step_by(LANES) {
        let free = load(simd, &p.inverse_mass, at).simd_gt(splat(simd, 0.0));
        // Both ends of the way, so that a path between them is in the box.
        for positions in [&p.x, &p.start] {
            let here = V3::load(simd, positions, at);
            low = low.map2(here, |low, x| free.select(low.min(x), low));
            high = high.map2(here, |high, x| free.select(high.max(x), high));
        }
    }
    let least = |v: f32x8<S>| -super::lanes::largest(-v);
    Bounds {
        low: Vec3A::new(least(low.x), least(low.y), least(low.z)),
        high: Vec3A::from_array([high.x, high.y, high.z].map(super::lanes::largest)),
    }
}

/// Longest way of a particle since the substep began, squared.
#[inline(always)]
pub(super) fn furthest_in<S: Simd>(simd: S, p: &ParticleRows<'_>) -> f32 {
    let mut most = splat(simd, 0.0);
    for at in (0..p.len()).step_by(LANES) {
        let displacement = V3::load(simd, &p.x, at).minus(V3::load(simd, &p.start, at));
        most = most.max(displacement.dot(displacement));
    }
    super::lanes::largest(most)
}

/// Takes particles whose path in the solid's own space enters it back to the
/// plane where it entered, beyond which nothing of a convex solid lies;
/// [`push_in`] does the rest.
fn stop_on_path(
    band: &mut ParticleRows<'_>,
    touch: Touch,
    local_shape: &LocalShape,
    frame: &Frame,
    slots: std::ops::Range<usize>,
) {
    let (local_from_start, local_from_end) = (frame.start.inverse(), frame.end.inverse());
    for slot in slots.filter(|&slot| band.inverse_mass[band.first + slot] > 0.0) {
        let now = Vec3A::from_array(band.x.each_ref().map(|x| x[slot]));
        let before = Vec3A::from_array(band.start.each_ref().map(|x| x[slot]));
        let from = local_from_start.transform_point(before);
        let to = local_from_end.transform_point(now);
        // What began inside has no path to be stopped on.
        let clear_m = local_shape.signed_distance_m(from);
        if clear_m <= 0.0 {
            continue;
        }
        // Less than it is clear by: a path that starts within the margin would
        // be a hit at once.
        let margin_m = 0.5 * touch.thickness_m.min(clear_m);
        if let Some(hit) = local_shape.sweep(from, to, margin_m) {
            let met = from.lerp(to, hit.fraction);
            // Onto the plane it met, so that it may slide along.
            let beyond = (to - met).dot(hit.normal).min(0.0);
            let world = frame.end.transform_point(to - hit.normal * beyond);
            for (axis, value) in world.to_array().into_iter().enumerate() {
                band.x[axis][slot] = value;
            }
        }
    }
}

/// A solid's pose as rows of a matrix, for vectors of points.
struct Local {
    rows: [[f32; 3]; 3],
    origin: [f32; 3],
}

impl Local {
    fn new(world_from_local: Transform) -> Self {
        let rotation = Mat3A::from_quat(world_from_local.rotation);
        Self {
            // Columns of the rotation are rows of its inverse.
            rows: [
                rotation.x_axis.to_array(),
                rotation.y_axis.to_array(),
                rotation.z_axis.to_array(),
            ],
            origin: world_from_local.translation.to_array(),
        }
    }

    #[inline(always)]
    fn to_local<S: Simd>(&self, simd: S, world: V3<S>) -> V3<S> {
        let off = world.minus(V3::splat(simd, self.origin));
        V3 {
            x: off.dot(V3::splat(simd, self.rows[0])),
            y: off.dot(V3::splat(simd, self.rows[1])),
            z: off.dot(V3::splat(simd, self.rows[2])),
        }
    }

    #[inline(always)]
    fn rotated<S: Simd>(&self, simd: S, local: V3<S>) -> V3<S> {
        let [x, y, z] = self.rows.map(|row| V3::splat(simd, row));
        x.times(local.x)
            .plus(y.times(local.y))
            .plus(z.times(local.z))
    }

    #[inline(always)]
    fn to_world<S: Simd>(&self, simd: S, local: V3<S>) -> V3<S> {
        self.rotated(simd, local).plus(V3::splat(simd, self.origin))
    }
}

/// How particles are put out of one solid.
struct Push {
    before: Local,
    after: Local,
    touch: Touch,
    /// Depth that motion explains.
    lawful_m: f32,
}

/// Deepest particle before the push, in metres within the thickness.
#[inline(always)]
fn push_in<S: Simd>(
    simd: S,
    p: &mut ParticleRows<'_>,
    job: &Push,
    local_shape: &LocalShape,
    slots: std::ops::Range<usize>,
) -> f32 {
    let Touch {
        thickness_m,
        friction,
        ..
    } = job.touch;
    let mut deepest = splat(simd, 0.0);
    for at in slots.step_by(LANES) {
        let was = V3::load(simd, &p.x, at);
        let local = job.after.to_local(simd, was);
        let Some((normal, distance)) = nearest(simd, local_shape, local, thickness_m) else {
            continue;
        };
        // The sheet is as thick as `thickness_m`: contact begins that far out.
        let depth = splat(simd, thickness_m) - distance;
        let free = load(simd, p.inverse_mass, p.first + at).simd_gt(splat(simd, 0.0));
        let zero = splat(simd, 0.0);
        let depth = free.select(depth.max(zero), zero);
        let hit = depth.simd_gt(zero);
        if hit.all_false() {
            continue;
        }
        deepest = deepest.max(depth);
        let out = local.plus(normal.times(depth));
        // What it slid along the surface since the substep began.
        // In the solid's own space at both moments: a solid that moves under
        // the sheet takes it along.
        let came = job.before.to_local(simd, V3::load(simd, &p.start, at));
        let displacement = out.minus(came);
        let slid = displacement.minus(normal.times(displacement.dot(normal)));
        let length = slid.length() + splat(simd, 1e-12);
        // Coulomb's cone on positions (Macklin et al. 2014, section 6.1): the push
        // stands for the normal force, so up to μ·depth of sliding is undone.
        let held = (splat(simd, friction) * depth / length).min(splat(simd, 1.0));
        let out = out.minus(slid.times(held));
        let excess = depth - splat(simd, job.lawful_m);
        if excess.simd_gt(zero).any_true() {
            // The prediction goes along, so that this part leaves no impulse.
            let forgiven = job
                .after
                .rotated(simd, normal.times(excess.max(zero)))
                .plus(V3::load(simd, &p.predicted, at));
            forgiven.store(&mut p.predicted, at);
        }
        let world = job.after.to_world(simd, out);
        let world = world.map2(was, |new, old| hit.select(new, old));
        world.store(&mut p.x, at);
        // Once touched, touched for the whole step.
        let flag = hit.select(splat(simd, 1.0), load(simd, p.touched, at));
        super::lanes::store(flag, p.touched, at);
    }
    super::lanes::largest(deepest)
}

/// Outward normals and signed distances of eight points in the solid's space;
/// `None` when all are further than `margin_m`.
#[inline(always)]
fn nearest<S: Simd>(
    simd: S,
    local_shape: &LocalShape,
    local: V3<S>,
    margin_m: f32,
) -> Option<(V3<S>, f32x8<S>)> {
    let (half, radius) = match local_shape {
        LocalShape::RoundedBox {
            half_extents_m,
            radius_m,
        } => (V3::splat(simd, half_extents_m.to_array()), *radius_m),
        LocalShape::HalfSpace => {
            let near = local.y.simd_lt(splat(simd, margin_m)).any_true();
            let up = V3::splat(simd, [0.0, 1.0, 0.0]);
            return near.then_some((up, local.y));
        }
    };
    let zero = splat(simd, 0.0);
    let size = V3 {
        x: local.x.abs(),
        y: local.y.abs(),
        z: local.z.abs(),
    };
    // Distance to a box in one octant, q = |p| − h: |max(q, 0)| outside,
    // the largest of q inside, less the rounding. Signs come back last.
    let beyond = size.minus(half);
    let outside = beyond.map2(V3::splat(simd, [0.0; 3]), |b, z| b.max(z));
    let outside2 = outside.dot(outside);
    let reach = radius + margin_m;
    if outside2.simd_le(splat(simd, reach * reach)).all_false() {
        return None;
    }
    let length = outside2.sqrt();
    let inner = beyond.x.max(beyond.y).max(beyond.z);
    let distance = length + inner.min(zero) - splat(simd, radius);
    // Beyond an edge the normal leads away from it; within the box it is the
    // axis of the nearest face.
    let one = splat(simd, 1.0);
    let is_x = beyond.x.simd_ge(inner);
    let is_y = beyond.y.simd_ge(inner);
    let face_x = is_x.select(one, zero);
    let face_y = is_x.select(zero, is_y.select(one, zero));
    let face_z = one - face_x - face_y;
    let edge = length.simd_gt(splat(simd, 1e-9));
    let inverse = one / length.max(splat(simd, 1e-9));
    let normal = V3 {
        x: edge.select(outside.x * inverse, face_x).copysign(local.x),
        y: edge.select(outside.y * inverse, face_y).copysign(local.y),
        z: edge.select(outside.z * inverse, face_z).copysign(local.z),
    };
    Some((normal, distance))
}
