//! Anatomy: hinges bend one way, channels keep their limits, limbs stay out
//! of the trunk.

use glam::DVec3;

use super::{
    super::{
        clip::Kind,
        rig::{LOWERBACK, LOWERNECK, ROOT, Side, World},
    },
    Film, Measure, largest, smallest,
};

/// Measures of joints and bones.
pub fn measure(film: &Film<'_>) -> Vec<Measure> {
    let hinge = |bone: usize| {
        smallest(
            film.clip
                .frames
                .iter()
                .map(|frame| frame.angles_deg[bone][0]),
        )
    };
    let knees = smallest(Side::BOTH.map(|side| hinge(side.leg() + 2)).into_iter());
    let elbows = smallest(Side::BOTH.map(|side| hinge(side.arm() + 2)).into_iter());
    let deepest = largest(film.worlds.iter().map(deepest_in_trunk));
    let thighs = largest(film.worlds.iter().map(deepest_in_thighs));
    let mut measures = vec![
        film.at_least("least bend of a knee, degrees", knees, 0.0),
        film.at_least("least bend of an elbow, degrees", elbows, 0.0),
        film.at_most(
            "furthest beyond a channel's limits, degrees",
            beyond_limits(film),
            0.0,
        ),
        film.at_most("deepest an arm is in the trunk, cm", deepest * 100.0, 1.0),
        film.at_most("deepest an arm is in a thigh, cm", thighs * 100.0, 1.0),
    ];
    if matches!(film.clip.kind, Kind::Standing | Kind::Walking) {
        measures.extend(carriage(film));
    }
    measures
}

/// Upright adults carry the head over the shoulders and the shoulders over the
/// sacrum; walking they lean 1 to 3 degrees (Thorstensson et al. 1984).
fn carriage(film: &Film<'_>) -> [Measure; 2] {
    let mean = |of: &dyn Fn(&World) -> f64| {
        film.worlds.iter().map(of).sum::<f64>() / film.worlds.len() as f64
    };
    let lean = mean(&|world| {
        let up = world.start[LOWERNECK] - world.start[ROOT];
        ahead(world).dot(up).atan2(up.y).to_degrees()
    });
    let head = mean(&|world| {
        let shoulders = Side::BOTH.map(|side| world.start[side.arm() + 1]);
        let from_shoulders = world.start[LOWERNECK + 2] - shoulders[0].lerp(shoulders[1], 0.5);
        ahead(world).dot(from_shoulders) * 100.0
    });
    [
        film.measure("mean lean of the trunk ahead, degrees", lean, [-2.0, 3.0]),
        film.measure("head ahead of the shoulders, cm", head, [-1.0, 2.5]),
    ]
}

/// Where the pelvis looks, along the floor.
fn ahead(world: &World) -> DVec3 {
    let ahead = world.rotation[ROOT] * DVec3::Z;
    DVec3::new(ahead.x, 0.0, ahead.z).normalize_or_zero()
}

fn beyond_limits(film: &Film<'_>) -> f64 {
    let bones = film.rig.bones.iter().enumerate();
    let channels = bones.flat_map(|(index, bone)| {
        bone.dofs
            .iter()
            .enumerate()
            .map(move |(dof, &(_, limits))| (index, dof, limits))
    });
    largest(channels.map(|(index, dof, [low, high])| {
        let values = film
            .clip
            .frames
            .iter()
            .map(|frame| frame.angles_deg[index][dof]);
        largest(values.map(|value| (low - value).max(value - high)))
    }))
}

type Capsule = (DVec3, DVec3, f64);

/// Trunk radii, metres: chest depth and breadth averaged, less soft tissue.
const TRUNK_RADII: [f64; 3] = [0.115, 0.12, 0.125];
const PELVIS_RADIUS: f64 = 0.10;
const THIGH_RADIUS: f64 = 0.065;

fn trunk(world: &World) -> Vec<Capsule> {
    let mut capsules = vec![(
        world.end[Side::Left.leg()],
        world.end[Side::Right.leg()],
        PELVIS_RADIUS,
    )];
    for (i, radius) in TRUNK_RADII.into_iter().enumerate() {
        let bone = LOWERBACK + i;
        capsules.push((world.start[bone], world.end[bone], radius));
    }
    capsules.push((world.start[ROOT], world.start[ROOT], PELVIS_RADIUS));
    capsules
}

/// The arm from the middle of the humerus to the finger tips.
fn arm(world: &World, side: Side) -> Vec<Capsule> {
    let first = side.arm();
    let middle = world.start[first + 1].lerp(world.end[first + 1], 0.5);
    let mut capsules = vec![(middle, world.end[first + 1], 0.045)];
    for (bone, radius) in [(2, 0.04), (3, 0.03), (4, 0.03), (5, 0.018), (6, 0.012)] {
        capsules.push((world.start[first + bone], world.end[first + bone], radius));
    }
    capsules
}

fn deepest_in_trunk(world: &World) -> f64 {
    deepest(world, &trunk(world))
}

fn deepest_in_thighs(world: &World) -> f64 {
    let thigh = |side: Side| {
        let femur = side.leg() + 1;
        (world.start[femur], world.end[femur], THIGH_RADIUS)
    };
    deepest(world, &Side::BOTH.map(thigh))
}

fn deepest(world: &World, others: &[Capsule]) -> f64 {
    let arms = Side::BOTH.into_iter().flat_map(|side| arm(world, side));
    largest(arms.flat_map(|a| others.iter().map(move |b| a.2 + b.2 - distance(&a, b))))
}

/// Distance of two segments: alternating projections, which converge on convex
/// sets; forty rounds are far more than millimetres need.
fn distance(a: &Capsule, b: &Capsule) -> f64 {
    let mut on_a = a.0.lerp(a.1, 0.5);
    let mut on_b = on_a;
    for _ in 0..40 {
        on_b = nearest(b, on_a);
        on_a = nearest(a, on_b);
    }
    on_a.distance(on_b)
}

fn nearest(segment: &Capsule, point: DVec3) -> DVec3 {
    let along = segment.1 - segment.0;
    let length_squared = along.length_squared();
    if length_squared < 1e-12 {
        return segment.0;
    }
    let t = ((point - segment.0).dot(along) / length_squared).clamp(0.0, 1.0);
    segment.0 + along * t
}
