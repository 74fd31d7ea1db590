//! Feet and floor: no sliding, no sinking, no floating, and real flight.

use glam::DVec3;

use super::{
    super::{
        anthropometry::{HALF_SOLE_BREADTH, SOLE_THICKNESS},
        clip::Kind,
        foot::HEEL_FROM_ANKLE,
        rig::{Side, World},
    },
    Film, Measure, largest, smallest,
};

/// A sole point this near to the floor bears on it, metres.
const TOUCHING: f64 = 0.005;

/// Heel, ball and toe tip of a foot where they meet the floor.
pub fn sole(film: &Film<'_>, world: &World, side: Side) -> [DVec3; 3] {
    let ankle = side.leg() + 3;
    let (foot, toes) = (ankle, ankle + 1);
    // The foot's own frame: forward along its sole, as the leg solver has it.
    let axes = film.rig.axes(foot) * glam::DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let heel = world.start[foot] + world.rotation[foot] * axes * HEEL_FROM_ANKLE;
    let below = DVec3::Y * SOLE_THICKNESS;
    [heel, world.start[toes] - below, world.end[toes] - below]
}

/// Measures of the feet.
pub fn measure(film: &Film<'_>) -> Vec<Measure> {
    let paths = Side::BOTH.map(|side| {
        let soles = film.worlds.iter().map(|world| sole(film, world, side));
        soles.collect::<Vec<_>>()
    });
    let lowest = |frame: usize| smallest(paths.iter().flat_map(|path| path[frame].map(|p| p.y)));
    let frames = || 0..film.clip.frames.len();
    let slide = largest(paths.iter().map(|path| longest_slide(path)));
    let edge = smallest(film.worlds.iter().map(|world| lowest_edge(film, world)));
    let airborne = |frame: &usize| film.clip.airborne[*frame];
    let mut measures = vec![
        film.at_most(
            "slide of a sole point while it bears, cm",
            slide * 100.0,
            1.0,
        ),
        film.at_least(
            "lowest sole point, cm",
            smallest(frames().map(lowest)) * 100.0,
            -0.5,
        ),
    ];
    measures.push(film.at_least("lowest edge of a sole, cm", edge * 100.0, -0.5));
    let grounded = frames().filter(|frame| !airborne(frame)).map(lowest);
    measures.push(film.at_most(
        "highest both feet float while one should bear, cm",
        largest(grounded) * 100.0,
        0.5,
    ));
    if matches!(film.clip.kind, Kind::Running | Kind::Jump) {
        let flights = frames().filter(airborne);
        let secs = flights.clone().count() as f64 / super::super::clip::FRAMES_PER_SECOND;
        measures.push(film.at_least("time in flight, s", secs, 0.3));
        // The frames next to take-off and landing have just left the floor.
        let inner = flights.filter(|&f| film.clip.airborne[f - 1] && film.clip.airborne[f + 1]);
        measures.push(film.at_least(
            "lowest sole point in flight, cm",
            smallest(inner.map(lowest)) * 100.0,
            0.5,
        ));
    }
    measures
}

/// Height of the lower side of the sole under the ball of either foot.
fn lowest_edge(film: &Film<'_>, world: &World) -> f64 {
    smallest(Side::BOTH.into_iter().map(|side| {
        let foot = side.leg() + 3;
        let across = world.rotation[foot] * film.rig.axes(foot) * DVec3::X;
        sole(film, world, side)[1].y - HALF_SOLE_BREADTH * across.y.abs()
    }))
}

/// The furthest that one sole point moves along the floor between touching it
/// and leaving it.
fn longest_slide(path: &[[DVec3; 3]]) -> f64 {
    let mut longest = 0f64;
    for point in 0..3 {
        let mut first: Option<DVec3> = None;
        for soles in path {
            let here = soles[point] * DVec3::new(1.0, 0.0, 1.0);
            if soles[point].y > TOUCHING {
                first = None;
                continue;
            }
            let start = *first.get_or_insert(here);
            longest = longest.max(here.distance(start));
        }
    }
    longest
}

/// What of a body on the ground is in it: joints have some flesh around them.
pub fn out_of_ground(film: &Film<'_>) -> Measure {
    let joints = film.worlds.iter().flat_map(|world| world.end);
    let lowest = smallest(joints.map(|joint| joint.y));
    film.at_least("lowest joint, cm", lowest * 100.0, 0.0)
}
