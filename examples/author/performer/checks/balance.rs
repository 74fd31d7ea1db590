//! Mass: over the feet when standing, between them when walking, and falling
//! at g when nothing bears.

use glam::{DVec2, DVec3};

use super::{
    super::{
        anthropometry::HALF_SOLE_BREADTH,
        balance::centre_of_mass,
        clip::{FRAMES_PER_SECOND, Kind},
        rig::{Side, World},
        run::GRAVITY,
    },
    Film, Measure, contact, largest,
};

const SUPPORT: &str = "centre of mass outside the support polygon, cm";

/// Measures of the centre of mass.
pub fn measure(film: &Film<'_>) -> Vec<Measure> {
    let path = film
        .worlds
        .iter()
        .map(|world| centre_of_mass(film.rig, world))
        .collect::<Vec<_>>();
    match film.clip.kind {
        Kind::Standing => {
            let outside = film
                .worlds
                .iter()
                .zip(&path)
                .map(|(world, com)| outside_support(film, world, *com));
            vec![film.at_most(SUPPORT, largest(outside) * 100.0, 0.0)]
        }
        Kind::Walking => {
            let outside = film
                .worlds
                .iter()
                .zip(&path)
                .map(|(world, com)| outside_feet(film, world, *com));
            vec![film.at_most(
                "centre of mass outside the span of the feet, cm",
                largest(outside) * 100.0,
                0.0,
            )]
        }
        Kind::Running | Kind::Jump => vec![free_fall(film, &path)],
        Kind::Difference | Kind::GetUp => Vec::new(),
        Kind::Action => {
            let still = film
                .worlds
                .iter()
                .zip(&path)
                .filter(|(world, _)| stands_flat(film, world));
            let outside = still.map(|(world, com)| outside_support(film, world, *com));
            vec![film.at_most(SUPPORT, largest(outside) * 100.0, 0.0)]
        }
    }
}

/// True when both soles lie on the floor.
fn stands_flat(film: &Film<'_>, world: &World) -> bool {
    let mut soles = Side::BOTH
        .into_iter()
        .flat_map(|side| contact::sole(film, world, side));
    soles.all(|point| point.y < 0.005)
}

/// How far the centre of mass is outside the hull of the sole points that
/// touch the floor; negative inside.
fn outside_support(film: &Film<'_>, world: &World, com: DVec3) -> f64 {
    let mut points = Vec::new();
    for side in Side::BOTH {
        let across = (world.rotation[side.leg() + 3] * film.rig.axes(side.leg() + 3) * DVec3::X)
            * HALF_SOLE_BREADTH;
        for point in contact::sole(film, world, side)
            .into_iter()
            .filter(|point| point.y < 0.005)
        {
            points.extend([point + across, point - across].map(|p| DVec2::new(p.x, p.z)));
        }
    }
    let com = DVec2::new(com.x, com.z);
    // Outside a convex hull by the largest, over directions, of how far the
    // point is beyond all others.
    let beyond = |step: u32| {
        let direction = DVec2::from_angle(f64::from(step) / 180.0 * std::f64::consts::PI);
        com.dot(direction) - largest(points.iter().map(|p| p.dot(direction)))
    };
    largest((0..360).map(beyond))
}

/// How far the centre of mass is outside the rectangle of both feet, in the
/// air or not.
fn outside_feet(film: &Film<'_>, world: &World, com: DVec3) -> f64 {
    let points = Side::BOTH.map(|side| contact::sole(film, world, side));
    let beyond = |axis: DVec3, margin: f64| {
        let most = largest(points.iter().flatten().map(|p| p.dot(axis)));
        com.dot(axis) - most - margin
    };
    let sides = [DVec3::X, DVec3::NEG_X].map(|axis| beyond(axis, HALF_SOLE_BREADTH));
    let ends = [DVec3::Z, DVec3::NEG_Z].map(|axis| beyond(axis, 0.0));
    largest(sides.into_iter().chain(ends))
}

/// Acceleration of a parabola fitted to every flight, against gravity: the
/// flight that is furthest off, as a ratio.
fn free_fall(film: &Film<'_>, path: &[DVec3]) -> Measure {
    let mut worst = 1f64;
    let mut flight = Vec::new();
    for (frame, com) in path.iter().enumerate() {
        if film.clip.airborne[frame] {
            flight.push(com.y);
        } else if !flight.is_empty() {
            let ratio = -fitted_acceleration(&flight) / GRAVITY;
            if flight.len() >= 5 && (ratio - 1.0).abs() > (worst - 1.0).abs() {
                worst = ratio;
            }
            flight.clear();
        }
    }
    film.measure(
        "fall of the centre of mass in flight, of g",
        worst,
        [0.97, 1.03],
    )
}

/// Least squares of a parabola through evenly spaced heights.
fn fitted_acceleration(heights: &[f64]) -> f64 {
    let n = heights.len() as f64;
    let centre = 0.5 * (n - 1.0);
    let at = |i: usize| (i as f64 - centre) / FRAMES_PER_SECOND;
    let mean_square = (0..heights.len()).map(|i| at(i) * at(i)).sum::<f64>() / n;
    let weight = |i: usize| at(i) * at(i) - mean_square;
    let above = heights
        .iter()
        .enumerate()
        .map(|(i, y)| weight(i) * y)
        .sum::<f64>();
    let below = (0..heights.len())
        .map(|i| weight(i) * weight(i))
        .sum::<f64>();
    2.0 * above / below
}
