//! A shirt: front and back in the shape of a T, sewn along sides, sleeves and
//! shoulders, open at the neck, the hem and the ends of the sleeves.
//!
//! Columns run from the end of one sleeve to the other. Those of the sleeves go
//! around the arm from its top to the seam below it; those between go from the
//! shoulder to the hem. Front and back share the vertices of the seams.

use std::{collections::HashMap, f32::consts::FRAC_PI_2, f32::consts::PI};

use glam::{Vec2, Vec3, Vec3A};

use super::{Cut, Region, Ring, Tailor};
use crate::{
    cloth::SheetError,
    humanoid::{Limb, Role},
};

/// Between body and shirt, of a person.
const LOOSE_M: f32 = 0.03;
/// Between the skin and any vertex of it.
const CLEAR_M: f32 = 0.012;
/// How far a sleeve reaches from shoulder to elbow.
const SLEEVE: f32 = 0.8;
/// Half the width of what is held at the nape, in shares of the hole's.
const NAPE: f32 = 0.7;
/// Columns over which a sleeve goes over into the trunk.
const YOKE: f32 = 4.0;

/// Lengths in the body's own space.
struct Measures {
    /// Of the trunk at the armpits, seen from above: x and z.
    chest: Ring,
    armpit_m: f32,
    hem_m: f32,
    /// Where sleeves end, from the middle.
    cuff_m: f32,
    shoulder: Vec3A,
    elbow_m: f32,
    /// The hole for the neck, likewise seen from above.
    neck: Ring,
    neck_m: f32,
}

/// How many vertices there are each way.
struct Counts {
    /// Across the front, between the side seams.
    cells: usize,
    sleeve: usize,
    yoke_rows: usize,
    trunk_rows: usize,
}

impl Tailor {
    /// As many columns around the trunk.
    pub fn shirt(&self, [columns, _]: [usize; 2]) -> Result<Cut, SheetError> {
        let measures = self.measures()?;
        let cells = (columns / 2).max(6);
        // The way around an ellipse, near enough.
        let cell_m = PI * (measures.chest.half.x + measures.chest.half.y) / (2 * cells) as f32;
        let count = |length_m: f32, least: usize| {
            ((length_m / cell_m).round() as usize).clamp(least, 4 * cells)
        };
        let sleeve_m = measures.cuff_m - measures.chest.half.x;
        let counts = Counts {
            cells,
            sleeve: count(sleeve_m, 2),
            yoke_rows: count(1.4 * (measures.shoulder.y - measures.armpit_m), 4),
            trunk_rows: count(measures.armpit_m - measures.hem_m, 3),
        };
        let mut sewing = Sewing {
            tailor: self,
            columns: self.columns(&measures, &counts),
            measures,
            counts,
            known: HashMap::new(),
            positions: Vec::new(),
        };
        let (quads, pins) = (sewing.quads(), sewing.nape());
        Ok(Cut {
            ease_m: vec![CLEAR_M * self.scale; sewing.positions.len()],
            positions: self.to_world(sewing.positions),
            quads,
            pins,
            density_kg_m2: 0.15,
        })
    }

    fn measures(&self) -> Result<Measures, SheetError> {
        let shoulder = self.limb_at(Limb::UpperArm, "arms")?;
        let elbow_m = self.limb_at(Limb::Forearm, "elbows")?.x;
        let hip_m = self.height_m(Limb::Thigh, "hips")?;
        let arm_m = (elbow_m - shoulder.x).max(0.05 * self.scale);
        let under = |at: &Vec3A| (at.x.abs() - shoulder.x - 0.35 * arm_m).abs() < 0.15 * arm_m;
        let low = self.skin_of(&[Region::Sleeve]).filter(under).map(|at| at.y);
        let low = low.fold(f32::INFINITY, f32::min).min(shoulder.y);
        let armpit_m = low - 0.05 * self.scale;
        let chest = self.trunk_at(armpit_m, 0.03 * self.scale);
        let mut chest = chest.ok_or(SheetError::NoBody("chest"))?;
        // Sleeves begin where the arms do, or further out.
        chest.half.x = chest.half.x.max(0.9 * shoulder.x);
        let (neck, neck_m) = self.neck(shoulder);
        Ok(Measures {
            chest,
            armpit_m,
            hem_m: hip_m - 0.1 * self.scale,
            cuff_m: (shoulder.x + SLEEVE * arm_m).max(chest.half.x + 0.1 * arm_m),
            shoulder,
            elbow_m,
            neck,
            neck_m,
        })
    }

    /// Trunk and legs at a height, with room.
    fn trunk_at(&self, y: f32, reach_m: f32) -> Option<Ring> {
        let slice = self.skin_of(&[Region::Trunk, Region::Leg]);
        let slice = slice.filter(|at| (at.y - y).abs() < reach_m);
        let mut ring = Ring::around(slice.map(|at| Vec2::new(at.x, at.z)))?;
        ring.half += LOOSE_M * self.scale;
        Some(ring)
    }

    /// The neck where the trunk ends, with room, and how high that is.
    pub(super) fn neck(&self, shoulder: Vec3A) -> (Ring, f32) {
        let joint = self.joint_at(Role::Neck).or(self.joint_at(Role::Head));
        let otherwise = shoulder.with_x(0.0) + Vec3A::Y * 0.05 * self.scale;
        let at = joint.unwrap_or(otherwise);
        let neck_m = at.y.max(shoulder.y);
        let reach_m = 0.025 * self.scale;
        let slice = self.skin_of(&[Region::Neck, Region::Trunk]).filter(|it| {
            (it.y - neck_m - reach_m).abs() < reach_m && it.x.abs() < 0.5 * shoulder.x
        });
        let own = Ring::around(slice.map(|it| Vec2::new(it.x, it.z)));
        let mut ring = own.unwrap_or(Ring {
            centre: Vec2::new(0.0, at.z),
            half: Vec2::splat(0.055 * self.scale),
        });
        ring.half = ring
            .half
            .min(Vec2::splat(0.55 * shoulder.x.max(0.05 * self.scale)));
        (ring, neck_m)
    }

    /// Where each column is: from the right cuff to the left one.
    fn columns(&self, measures: &Measures, counts: &Counts) -> Vec<Column> {
        let (half, cells) = (measures.chest.half.x, counts.cells);
        let sleeve = |k: usize| {
            let share = k as f32 / counts.sleeve as f32;
            half + share * (measures.cuff_m - half)
        };
        let right = (1..=counts.sleeve).rev().map(|k| -sleeve(k));
        let trunk = (0..=cells).map(|k| half * (k as f32 / cells as f32 * PI - FRAC_PI_2).sin());
        let left = (1..=counts.sleeve).map(sleeve);
        let ways = right.chain(trunk).chain(left);
        let middle = measures.chest.centre.x;
        ways.map(|x| self.column(x + middle, x, measures)).collect()
    }

    fn column(&self, x: f32, off: f32, measures: &Measures) -> Column {
        let reach_m = 0.02 * self.scale;
        let near = move |at: &Vec3A| (at.x - x).abs() < reach_m;
        let over = self.skin_of(&[Region::Trunk, Region::Sleeve, Region::Forearm]);
        let top = over.filter(near).max_by(|a, b| a.y.total_cmp(&b.y));
        let top = top.unwrap_or(measures.shoulder);
        // Arms are measured where they have come out of the trunk.
        let arm_m = (measures.elbow_m - measures.shoulder.x).max(0.05 * self.scale);
        let begins_m = measures.shoulder.x + 0.3 * arm_m;
        let arm_x = off.abs().max(begins_m).copysign(off);
        let on_arm = move |at: &Vec3A| (at.x - arm_x).abs() < 0.03;
        let arm = self.skin_of(&[Region::Sleeve, Region::Forearm]);
        let arm = Ring::around(arm.filter(on_arm).map(|at| Vec2::new(at.z, at.y)));
        let mut arm = arm.unwrap_or(Ring {
            centre: Vec2::new(measures.shoulder.z, measures.shoulder.y),
            half: Vec2::splat(0.05 * self.scale),
        });
        arm.half += LOOSE_M * self.scale;
        let from = measures.chest.half.x;
        let share = ((off.abs() - from) / (measures.cuff_m - from).max(1e-4)).clamp(0.0, 1.0);
        let bottom = measures.armpit_m.min(arm.centre.y - arm.half.y);
        let bottom = bottom + share * (arm.centre.y - arm.half.y - bottom);
        Column {
            x,
            top: Vec2::new(top.z, top.y + 0.5 * LOOSE_M * self.scale),
            bottom,
            arm,
        }
    }
}

/// What a column goes over.
struct Column {
    x: f32,
    /// z and y of the highest of the body there, with room.
    top: Vec2,
    /// Height of the seam below the sleeve.
    bottom: f32,
    /// z and y.
    arm: Ring,
}

/// Vertices by side, column and row, those of seams once.
struct Sewing<'a> {
    tailor: &'a Tailor,
    measures: Measures,
    counts: Counts,
    columns: Vec<Column>,
    known: HashMap<(bool, usize, usize), u32>,
    positions: Vec<Vec3>,
}

impl Sewing<'_> {
    /// Whether a column is of a sleeve, or borders on one.
    fn beside(&self, column: usize) -> bool {
        column <= self.counts.sleeve || column >= self.counts.sleeve + self.counts.cells
    }

    fn is_open(&self, column: usize) -> bool {
        let neck = &self.measures.neck;
        (self.columns[column].x - neck.centre.x).abs() < neck.half.x
    }

    fn is_seam(&self, column: usize, row: usize) -> bool {
        match row {
            0 => !self.is_open(column),
            row => row >= self.counts.yoke_rows && self.beside(column),
        }
    }

    fn vertex(&mut self, front: bool, column: usize, row: usize) -> u32 {
        let front = front || self.is_seam(column, row);
        let key = (front, column, row);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let at = self.place(front, column, row);
        self.positions.push(at);
        let index = self.positions.len() as u32 - 1;
        self.known.insert(key, index);
        index
    }

    fn quads(&mut self) -> Vec<[u32; 4]> {
        let mut quads = Vec::new();
        let rows = self.counts.yoke_rows + self.counts.trunk_rows;
        let trunk = self.counts.sleeve..self.counts.sleeve + self.counts.cells;
        for front in [true, false] {
            for column in 0..self.columns.len() - 1 {
                let rows = match trunk.contains(&column) {
                    true => rows,
                    false => self.counts.yoke_rows,
                };
                for row in 0..rows {
                    let [a, d] = [column, column + 1].map(|it| self.vertex(front, it, row));
                    let [b, c] = [column, column + 1].map(|it| self.vertex(front, it, row + 1));
                    // Outward is ahead on the front and back on the back.
                    quads.push(if front { [a, b, c, d] } else { [d, c, b, a] });
                }
            }
        }
        quads
    }

    /// At the nape: there the skin holds it, elsewhere it lies on the shoulders.
    fn nape(&self) -> Vec<u32> {
        let neck = &self.measures.neck;
        let off = |column: usize| (self.columns[column].x - neck.centre.x).abs();
        let rim = self.known.iter().filter(|((front, column, row), _)| {
            *row == 0 && !front && off(*column) < NAPE * neck.half.x
        });
        let mut pins: Vec<u32> = rim.map(|(_, &index)| index).collect();
        pins.sort_unstable();
        pins
    }

    fn place(&self, front: bool, column: usize, row: usize) -> Vec3 {
        let sign = if front { 1.0 } else { -1.0 };
        let yoke = self.counts.yoke_rows;
        if row > yoke {
            return self.on_trunk(sign, column, row - yoke);
        }
        let own = &self.columns[column];
        let share = row as f32 / yoke as f32;
        let arm = around_arm(own, share);
        let sleeve = self.counts.sleeve;
        let inward = column.saturating_sub(sleeve);
        let inward = inward.min((sleeve + self.counts.cells).saturating_sub(column));
        let (z, depth, y) = match inward {
            0 => arm,
            inward => {
                let weight = (inward as f32 / YOKE).min(1.0);
                let weight = weight * weight * (3.0 - 2.0 * weight);
                let over = self.over_shoulder(sign, column, share);
                (
                    arm.0 + weight * (over.0 - arm.0),
                    arm.1 + weight * (over.1 - arm.1),
                    arm.2 + weight * (over.2 - arm.2),
                )
            }
        };
        Vec3::new(own.x, y, z + sign * depth)
    }

    /// From the shoulder to the chest: middle, depth and height.
    fn over_shoulder(&self, sign: f32, column: usize, share: f32) -> (f32, f32, f32) {
        let (own, measures) = (&self.columns[column], &self.measures);
        let (chest, neck) = (&measures.chest, &measures.neck);
        let out = ((own.x - chest.centre.x) / chest.half.x).clamp(-1.0, 1.0);
        let depth = chest.half.y * (1.0 - out * out).max(0.0).sqrt();
        let (sin, cos) = (share * FRAC_PI_2).sin_cos();
        let hole = ((own.x - neck.centre.x) / neck.half.x).clamp(-1.0, 1.0);
        let hole = (1.0 - hole * hole).max(0.0).sqrt();
        let scale = self.tailor.scale;
        let (top_z, top_depth, top_y) = match self.is_open(column) {
            false => (own.top.x, 0.0, own.top.y),
            // Level with the shoulders at the sides, and lower ahead than behind.
            true => (
                own.top.x + (neck.centre.y - own.top.x) * hole,
                (neck.half.y + 0.01 * scale) * hole,
                own.top.y.min(measures.neck_m + 0.01 * scale)
                    - (0.025 + 0.025 * sign) * scale * hole,
            ),
        };
        let z = top_z + (chest.centre.y - top_z) * share;
        let y = measures.armpit_m + (top_y - measures.armpit_m) * cos;
        (z, top_depth + (depth - top_depth) * sin, y)
    }

    fn on_trunk(&self, sign: f32, column: usize, row: usize) -> Vec3 {
        let measures = &self.measures;
        let share = row as f32 / self.counts.trunk_rows as f32;
        let y = measures.armpit_m + share * (measures.hem_m - measures.armpit_m);
        let own = self.tailor.trunk_at(y, 0.03 * self.tailor.scale);
        let mut ring = own.unwrap_or(measures.chest);
        // It hangs from the chest, and never closer than a waist allows.
        ring.half = ring.half.max(measures.chest.half * 0.88);
        ring.centre = ring.centre.lerp(measures.chest.centre, 0.5);
        let angle = (column - self.counts.sleeve) as f32 / self.counts.cells as f32 * PI;
        let (sin, cos) = (angle - FRAC_PI_2).sin_cos();
        Vec3::new(
            ring.centre.x + ring.half.x * sin,
            y,
            ring.centre.y + sign * ring.half.y * cos.max(0.0),
        )
    }
}

/// Around the arm from its top to the seam below: middle, depth and height.
fn around_arm(own: &Column, share: f32) -> (f32, f32, f32) {
    let (sin, cos) = (share * PI).sin_cos();
    let high = own.top.y.max(own.arm.centre.y + own.arm.half.y);
    let (middle, half) = (0.5 * (high + own.bottom), 0.5 * (high - own.bottom));
    (own.arm.centre.x, own.arm.half.x * sin, middle + half * cos)
}
