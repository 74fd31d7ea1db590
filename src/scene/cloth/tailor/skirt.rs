//! A skirt: a tube around hips and legs.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3, Vec3A};

use super::{EASE_M, Region, Ring, Tailor};
use crate::{
    cloth::{Sheet, SheetError},
    humanoid::Limb,
};

/// How much wider a skirt gets for each metre down.
const FLARE: f32 = 0.4;

impl Tailor {
    /// A tube from the waist to above the knees, wider towards the hem; its
    /// first row is the waistband.
    pub fn skirt(&self, [columns, rows]: [usize; 2]) -> Result<Sheet, SheetError> {
        let hip_m = self.height_m(Limb::Thigh, "hips")?;
        let knee_m = self.height_m(Limb::Shin, "knees")?;
        let leg_m = (hip_m - knee_m).max(0.05 * self.scale);
        let (waist_m, hem_m) = (hip_m + 0.28 * leg_m, knee_m + 0.12 * leg_m);
        let (columns, rows) = (columns.max(8), rows.max(3));
        let step_m = (waist_m - hem_m) / (rows - 1) as f32;
        let below = |at: &Vec3A, y: f32| (at.y - y).abs() < 1.5 * step_m.max(0.01 * self.scale);
        let mut positions = Vec::with_capacity(columns * rows);
        let mut last: Option<Ring> = None;
        for row in 0..rows {
            let y = waist_m - row as f32 * step_m;
            let slice = self.skin_of(&[Region::Trunk, Region::Leg]);
            let slice = slice.filter(|at| below(at, y));
            let own = Ring::around(slice.map(|at| Vec2::new(at.x, at.z)));
            let Some(mut ring) = own.or(last) else {
                return Err(SheetError::NoBody("waist"));
            };
            ring.half += EASE_M * self.scale;
            if let Some(above) = last {
                ring.centre = above.centre.lerp(ring.centre, 0.3);
                ring.half = ring.half.max(above.half + FLARE * step_m);
            }
            last = Some(ring);
            positions.extend((0..columns).map(|column| {
                let angle = column as f32 / columns as f32 * TAU;
                let at = ring.centre + ring.half * Vec2::new(angle.sin(), angle.cos());
                Vec3::new(at.x, y, at.y)
            }));
        }
        let at = |row: usize, column: usize| (row * columns + column % columns) as u32;
        let quads: Vec<[u32; 4]> = (1..rows)
            .flat_map(|row| (0..columns).map(move |column| (row, column)))
            .map(|(row, column)| {
                [
                    at(row - 1, column),
                    at(row, column),
                    at(row, column + 1),
                    at(row - 1, column + 1),
                ]
            })
            .collect();
        let mut sheet = Sheet::net(self.to_world(positions), &quads);
        sheet.pins = (0..columns as u32).collect();
        sheet.density_kg_m2 = 0.2;
        Ok(sheet)
    }
}
