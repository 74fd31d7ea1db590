//! What is stood on: the height of the ground at any place.
//!
//! A ground begins where a motion begins and rises ahead of it, so that any
//! capture walks up it whichever way it was taken.

use std::sync::Arc;

use glam::Vec2;

use super::GroundKind;

/// Metres of flat ground before the first step of a stair.
pub const RUN_UP_M: f32 = 1.0;
/// Metres of landing at the top of a stair.
pub const LANDING_M: f32 = 1.5;

/// Heights on a square grid, row by row along Z, and how far its points are
/// apart.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    /// Points along X, then along Z.
    pub size: [usize; 2],
    /// Metres between neighbours.
    pub step_m: f32,
    /// Metres, `size[0]` a row.
    pub heights_m: Arc<[f32]>,
}

impl HeightField {
    /// Between the points; beyond the border as at it. Its middle is the origin.
    #[must_use]
    pub fn height_m(&self, at: Vec2) -> f32 {
        let [columns, rows] = self.size;
        if columns < 2 || rows < 2 || self.heights_m.len() < columns * rows {
            return self.heights_m.first().copied().unwrap_or(0.0);
        }
        let cell = |metres: f32, count: usize| {
            let last = (count - 1) as f32;
            let place = (metres / self.step_m + last / 2.0).clamp(0.0, last);
            let below = (place as usize).min(count - 2);
            (below, place - below as f32)
        };
        let ((x, along_x), (z, along_z)) = (cell(at.x, columns), cell(at.y, rows));
        let height = |x: usize, z: usize| self.heights_m[z * columns + x];
        let row = |z: usize| height(x, z) + (height(x + 1, z) - height(x, z)) * along_x;
        row(z) + (row(z + 1) - row(z)) * along_z
    }
}

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
    fn a_field_is_met_between_its_points_and_beyond_its_border() {
        let field = HeightField {
            size: [3, 2],
            step_m: 2.0,
            heights_m: [0.0, 1.0, 4.0, 0.0, 1.0, 4.0].into(),
        };
        for (x, height) in [
            (-9.0, 0.0),
            (-2.0, 0.0),
            (-1.0, 0.5),
            (1.0, 2.5),
            (9.0, 4.0),
        ] {
            assert_close!(field.height_m(Vec2::new(x, 0.3)), height, 1e-6);
        }
        let empty = HeightField {
            size: [0, 0],
            step_m: 1.0,
            heights_m: [].into(),
        };
        assert_eq!(empty.height_m(Vec2::ZERO), 0.0);
    }
}
