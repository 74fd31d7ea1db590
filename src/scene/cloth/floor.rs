//! What cloth falls upon: the ground that its wearer stands on, as solids.

use glam::{Quat, Vec3};

use crate::{
    collide::{Collider, Obb, Plane},
    math::Transform,
    posing::{Ground, GroundKind},
};

/// How far stairs reach to both sides, and beyond their ends, metres.
const REACH_M: f32 = 20.0;
/// How deep their solids are.
const DEEP_M: f32 = 1.0;

/// Everything below a height.
fn level(height_m: f32) -> Collider {
    Collider::fixed(Plane {
        normal: Vec3::Y,
        offset_m: height_m,
    })
}

/// The solids of a ground; the flat floor where there is none, and at its level
/// where it is that of a file.
pub(super) fn solids(ground: Option<&Ground>) -> Vec<Collider> {
    let Some(ground) = ground else {
        return vec![level(0.0)];
    };
    let (sin, cos) = ground.heading_rad.sin_cos();
    let ahead = Vec3::new(sin, 0.0, cos);
    match &ground.kind {
        GroundKind::Flat | GroundKind::File { .. } => vec![level(ground.level_m)],
        GroundKind::Slope { degrees } => {
            let rise = degrees.to_radians().tan();
            let normal = (Vec3::Y - ahead * rise).normalize_or(Vec3::Y);
            let on_it = Vec3::new(ground.origin.x, ground.level_m, ground.origin.y);
            let offset_m = normal.dot(on_it);
            vec![Collider::fixed(Plane { normal, offset_m })]
        }
        GroundKind::Stairs { .. } => {
            let mut solids = Vec::new();
            if ground.has_floor() {
                solids.push(level(ground.level_m));
            }
            let edges = ground.edges_m();
            let begins = edges.first().map(|first| first - REACH_M);
            let ends = edges.last().map(|last| last + REACH_M);
            let all: Vec<f32> = begins.into_iter().chain(edges).chain(ends).collect();
            let treads = all
                .windows(2)
                .map(|pair| tread(ground, ahead, [pair[0], pair[1]]));
            solids.extend(treads.map(Collider::fixed));
            solids
        }
    }
}

/// What lies below a part of a stair, by how far ahead it begins and ends.
fn tread(ground: &Ground, ahead: Vec3, [from, to]: [f32; 2]) -> Obb {
    let origin = Vec3::new(ground.origin.x, 0.0, ground.origin.y);
    let middle = origin + ahead * (0.5 * (from + to));
    let top_m = ground.height_m(middle.x, middle.z);
    let centre = middle.with_y(top_m - DEEP_M);
    let turn = Quat::from_rotation_y(ground.heading_rad);
    let half = Vec3::new(REACH_M, DEEP_M, 0.5 * (to - from));
    Obb::new(Transform::new(turn, centre), half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Vec2, Vec3A};

    /// Every place is as far above the solids as above the ground.
    #[test]
    fn solids_are_as_high_as_the_ground() {
        let kinds = [
            GroundKind::Slope { degrees: 12.0 },
            GroundKind::Stairs {
                rise_m: 0.17,
                tread_m: 0.3,
                steps: 4,
            },
            GroundKind::Stairs {
                rise_m: -0.2,
                tread_m: 0.3,
                steps: 3,
            },
        ];
        for kind in kinds {
            let ground = Ground {
                kind: kind.clone(),
                origin: Vec2::new(0.4, -0.3),
                heading_rad: 0.7,
                level_m: 0.1,
                field: None,
            };
            let solids = solids(Some(&ground));
            for step in 0..60 {
                let ahead_m = 0.013 + step as f32 * 0.1;
                let (sin, cos) = ground.heading_rad.sin_cos();
                let at = ground.origin + Vec2::new(sin, cos) * ahead_m;
                let above = Vec3A::new(at.x, ground.height_m(at.x, at.y) + 0.005, at.y);
                let gaps = solids.iter().map(|it| it.end_distance_m(above));
                let gap_m = gaps.fold(f32::INFINITY, f32::min);
                let lean = match kind {
                    GroundKind::Slope { degrees } => degrees.to_radians().cos(),
                    _ => 1.0,
                };
                assert_close!(gap_m, 0.005 * lean, 1e-4);
            }
        }
    }
}
