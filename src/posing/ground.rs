//! What is stood on: the height of the ground at any place.
//!
//! A ground begins where a motion begins and rises ahead of it, so that any
//! capture walks up it whichever way it was taken.

use glam::{Quat, Vec2, Vec3};

use super::GroundKind;
use crate::{
    collide::{HeightField, Obb, PlacedField, Plane, Shape, Terrain},
    math::Transform,
};

/// Metres of flat ground before the first step of a stair.
pub const RUN_UP_M: f32 = 1.0;
/// Metres of landing at the top of a stair.
pub const LANDING_M: f32 = 1.5;
/// Stairs are as wide as this for what falls on them, and the floor before and
/// behind them as long, metres.
const FAR_M: f32 = 200.0;
/// How far steps reach below the lowest of them, metres.
const DEPTH_M: f32 = 2.0;

/// A ground, and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    /// What it is.
    pub kind: GroundKind,
    /// World X and Z of where it begins.
    pub origin: Vec2,
    /// Radians about Y of the way ahead; 0 is +Z.
    pub heading_rad: f32,
    /// Height of the flat ground that a motion knows, world, metres.
    pub level_m: f32,
    /// Of a file.
    pub field: Option<HeightField>,
}

impl Ground {
    /// Height at world X and Z, metres.
    #[must_use]
    pub fn height_m(&self, x: f32, z: f32) -> f32 {
        self.level_m + self.rise_m(x, z)
    }

    /// The same above the flat ground.
    #[must_use]
    pub fn rise_m(&self, x: f32, z: f32) -> f32 {
        let from = Vec2::new(x, z) - self.origin;
        let (sin, cos) = self.heading_rad.sin_cos();
        let ahead_m = from.x * sin + from.y * cos;
        match self.kind {
            GroundKind::Flat => 0.0,
            GroundKind::Slope { degrees } => ahead_m * degrees.to_radians().tan(),
            GroundKind::Stairs {
                rise_m,
                tread_m,
                steps,
            } => rise_m * steps_at(ahead_m, tread_m, steps) as f32,
            GroundKind::File { .. } => {
                let aside_m = from.x * cos - from.y * sin;
                let at = Vec2::new(aside_m, ahead_m);
                // Where the motion begins stays at its height.
                let field = self.field.as_ref();
                field.map_or(0.0, |it| it.height_m(at) - it.height_m(Vec2::ZERO))
            }
        }
    }
}

impl Ground {
    /// As captured.
    #[must_use]
    pub fn flat() -> Self {
        Self {
            kind: GroundKind::Flat,
            origin: Vec2::ZERO,
            heading_rad: 0.0,
            level_m: 0.0,
            field: None,
        }
    }

    /// Whether the flat floor is part of it.
    #[must_use]
    pub fn has_floor(&self) -> bool {
        match self.kind {
            GroundKind::Flat => true,
            GroundKind::Stairs { rise_m, .. } => rise_m > 0.0,
            GroundKind::Slope { .. } | GroundKind::File { .. } => false,
        }
    }

    /// The same as solids and heights, for what falls on it.
    #[must_use]
    pub fn terrain(&self) -> Terrain {
        let turn = Quat::from_rotation_y(self.heading_rad);
        let origin = Vec3::new(self.origin.x, self.level_m, self.origin.y);
        let plane = |normal: Vec3| {
            let offset_m = normal.dot(origin);
            vec![Shape::Plane(Plane { normal, offset_m })]
        };
        let level = Terrain {
            solids: plane(Vec3::Y),
            field: None,
        };
        match self.kind {
            GroundKind::Flat => level,
            GroundKind::Slope { degrees } => {
                let (sin, cos) = degrees.to_radians().sin_cos();
                Terrain {
                    solids: plane(turn * Vec3::new(0.0, cos, -sin)),
                    ..level
                }
            }
            GroundKind::Stairs { .. } => Terrain {
                solids: self.steps(Transform::new(turn, origin)),
                ..level
            },
            GroundKind::File { .. } => match &self.field {
                Some(field) if field.is_surface() => {
                    let down = Vec3::Y * field.height_m(Vec2::ZERO);
                    // Beyond its border nobody falls for ever.
                    let lowest_m = field.heights_m.iter().copied().fold(f32::MAX, f32::min);
                    let floor = Plane {
                        normal: Vec3::Y,
                        offset_m: (origin - down).y + lowest_m,
                    };
                    Terrain {
                        solids: vec![Shape::Plane(floor)],
                        field: Some(PlacedField {
                            field: field.clone(),
                            world_from_field: Transform::new(turn, origin - down),
                        }),
                    }
                }
                _ => level,
            },
        }
    }

    /// A box from every edge of a stair to the next, as high as its tread.
    fn steps(&self, world_from_ground: Transform) -> Vec<Shape> {
        let edges = self.edges_m();
        let ends = [
            edges.first().map_or(0.0, |first| first - FAR_M),
            edges.last().map_or(0.0, |last| last + FAR_M),
        ];
        let (sin, cos) = self.heading_rad.sin_cos();
        let rise_m = |ahead_m: f32| {
            let at = self.origin + Vec2::new(sin, cos) * ahead_m;
            self.rise_m(at.x, at.y)
        };
        let all: Vec<f32> = { [ends[0]].into_iter() }
            .chain(edges)
            .chain([ends[1]])
            .collect();
        let treads = all.windows(2).map(|pair| {
            let middle_m = 0.5 * (pair[0] + pair[1]);
            (middle_m, 0.5 * (pair[1] - pair[0]), rise_m(middle_m))
        });
        let treads: Vec<(f32, f32, f32)> = treads.collect();
        let lowest_m = treads.iter().map(|it| it.2).fold(0.0, f32::min) - DEPTH_M;
        let step = |(ahead_m, half_m, top_m): (f32, f32, f32)| {
            let centre = Vec3::new(0.0, 0.5 * (top_m + lowest_m), ahead_m);
            let half = Vec3::new(FAR_M, 0.5 * (top_m - lowest_m), half_m);
            let place = world_from_ground * Transform::from_translation(centre);
            Shape::Obb(Obb::new(place, half))
        };
        treads.into_iter().map(step).collect()
    }

    /// Of a stair: metres ahead at which its height changes, ascending.
    #[must_use]
    pub fn edges_m(&self) -> Vec<f32> {
        let GroundKind::Stairs { tread_m, steps, .. } = self.kind else {
            return Vec::new();
        };
        let top_m = RUN_UP_M + tread_m * steps.saturating_sub(1) as f32;
        let edge = |step: u32| tread_m * step as f32;
        let up = (0..steps).map(|step| RUN_UP_M + edge(step));
        let down = (0..steps).map(|step| top_m + LANDING_M + edge(step));
        up.chain(down).collect()
    }
}

/// How many steps are below a place so far ahead.
fn steps_at(ahead_m: f32, tread_m: f32, steps: u32) -> u32 {
    let up_m = RUN_UP_M + tread_m * steps.saturating_sub(1) as f32;
    let down_m = up_m + LANDING_M;
    let climbed = |metres: f32| (metres / tread_m).floor() as i64 + 1;
    let count = match ahead_m {
        before if before < RUN_UP_M => 0,
        up if up < down_m => climbed(up - RUN_UP_M).min(steps.into()),
        down => i64::from(steps) - climbed(down - down_m),
    };
    count.max(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stairs() -> Ground {
        Ground {
            kind: GroundKind::Stairs {
                rise_m: 0.18,
                tread_m: 0.3,
                steps: 3,
            },
            origin: Vec2::new(2.0, 1.0),
            heading_rad: std::f32::consts::FRAC_PI_2,
            level_m: 0.0,
            field: None,
        }
    }

    #[test]
    fn stairs_lead_up_over_a_landing_and_down_again() {
        // Ahead is +X here.
        let height = |ahead_m: f32| stairs().height_m(2.0 + ahead_m, 7.0);
        for (ahead_m, steps) in [
            (-5.0, 0),
            (0.99, 0),
            (1.01, 1),
            (1.29, 1),
            (1.31, 2),
            (1.61, 3),
            (3.09, 3),
            (3.11, 2),
            (3.41, 1),
            (3.71, 0),
            (90.0, 0),
        ] {
            assert_close!(height(ahead_m), steps as f32 * 0.18, 1e-5, "{ahead_m}");
        }
    }

    #[test]
    fn solids_of_a_ground_are_as_high_as_the_ground() {
        let mut random = crate::testing::Random::new(3);
        let heights: Vec<f32> = (0..12).map(|index| (index % 5) as f32 * 0.1).collect();
        let field = HeightField {
            size: [4, 3],
            step_m: 1.5,
            heights_m: heights.into(),
        };
        let of_file = GroundKind::File {
            path: String::new(),
            width_m: 1.0,
            height_m: 1.0,
        };
        let down = GroundKind::Stairs {
            rise_m: -0.1,
            tread_m: 0.4,
            steps: 2,
        };
        for kind in [
            GroundKind::Flat,
            GroundKind::Slope { degrees: 15.0 },
            GroundKind::Slope { degrees: -30.0 },
            stairs().kind,
            down,
            of_file,
        ] {
            let ground = Ground {
                kind,
                level_m: 0.3,
                heading_rad: 0.7,
                field: Some(field.clone()),
                ..stairs()
            };
            let terrain = ground.terrain();
            for _ in 0..100 {
                let [x, z] = [0; 2].map(|_| 4.0 * random.signed());
                let (own, solid) = (ground.height_m(x, z), terrain.height_m(x, z));
                assert_close!(own, solid, 1e-3, "{:?} at {x} {z}", ground.kind);
            }
        }
    }
}
