//! Solids as lines, to be looked at.

use glam::{Vec3, Vec3A};

use super::LocalShape;
use crate::math::Transform;

/// Segments of a quarter turn.
const QUARTER: usize = 6;

/// Calls `line` with the ends of every segment of a solid's wireframe: its
/// outline in each of its three middle planes. A half-space has none.
pub fn wireframe(
    local_shape: &LocalShape,
    world_from_local: Transform,
    mut line: impl FnMut(Vec3, Vec3),
) {
    let LocalShape::RoundedBox {
        half_extents_m,
        radius_m,
    } = *local_shape
    else {
        return;
    };
    for [u, v] in [
        [Vec3A::X, Vec3A::Y],
        [Vec3A::Y, Vec3A::Z],
        [Vec3A::Z, Vec3A::X],
    ] {
        let (half_u, half_v) = (half_extents_m.dot(u), half_extents_m.dot(v));
        let point = |index: usize| {
            // Two points share an angle where one quarter ends and the next begins.
            let (quarter, step) = (index / (QUARTER + 1) % 4, index % (QUARTER + 1));
            let fraction = (quarter * QUARTER + step) as f32 / (4 * QUARTER) as f32;
            let (sin, cos) = (fraction * std::f32::consts::TAU).sin_cos();
            let corner_u = if matches!(quarter, 0 | 3) {
                half_u
            } else {
                -half_u
            };
            let corner_v = if quarter < 2 { half_v } else { -half_v };
            let local = u * (corner_u + radius_m * cos) + v * (corner_v + radius_m * sin);
            Vec3::from(world_from_local.transform_point(local))
        };
        let count = 4 * (QUARTER + 1);
        for index in 0..count {
            line(point(index), point((index + 1) % count));
        }
    }
}
