//! A scarf: a strip that comes up on the left of the chest, goes around the nape
//! and hangs down on the right.

use std::f32::consts::TAU;

use glam::{Vec3, Vec3A};

use super::{Cut, Region, Ring, Tailor};
use crate::{cloth::SheetError, humanoid::Limb};

/// Of a person, metres: half the width, how far the ends hang, how far beside
/// the middle.
const HALF_WIDTH_M: f32 = 0.042;
const HANGS_M: f32 = 0.42;
const BESIDE_M: f32 = 0.08;
/// Between the skin and what lies on it.
const LAYER_M: f32 = 0.016;
/// Angle from straight ahead at which it comes up to the neck.
const BEGINS: f32 = 1.15;
/// Points of the middle line before it is cut into cells.
const FINE: usize = 400;

/// Where the scarf lies, in the body's own space.
struct Neck {
    ring: Ring,
    /// Height of the middle line around it.
    y: f32,
}

impl Tailor {
    /// Columns across, rows along.
    pub fn scarf(&self, [columns, rows]: [usize; 2]) -> Result<Cut, SheetError> {
        let shoulder = self.limb_at(Limb::UpperArm, "shoulders")?;
        let (ring, neck_m) = self.neck(shoulder);
        let neck = Neck {
            ring,
            y: neck_m + 0.05 * self.scale,
        };
        let (columns, rows) = (columns.max(3), rows.max(12));
        let line = even(&self.middle_line(&neck), rows);
        let mut positions = Vec::with_capacity(columns * rows);
        let mut ease_m = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            let across = self.across(&line, row, &neck);
            for column in 0..columns {
                let off = (column as f32 / (columns - 1) as f32 - 0.5) * 2.0;
                positions.push(Vec3::from(line[row] + across * off));
                ease_m.push(LAYER_M * self.scale);
            }
        }
        let nape = nape(&line, &neck) * columns;
        let at = |row: usize, column: usize| (row * columns + column) as u32;
        let cells = (1..rows).flat_map(|row| (1..columns).map(move |column| (row, column)));
        let quads = cells.map(|(row, column)| {
            let (above, before) = (row - 1, column - 1);
            // Outward is away from the neck.
            [
                at(above, before),
                at(above, column),
                at(row, column),
                at(row, before),
            ]
        });
        Ok(Cut {
            quads: quads.collect(),
            positions: self.to_world(positions),
            pins: (nape + columns / 3..nape + columns - columns / 3)
                .map(|pin| pin as u32)
                .collect(),
            ease_m,
            density_kg_m2: 0.2,
        })
    }

    /// Up, around and down.
    fn middle_line(&self, neck: &Neck) -> Vec<Vec3A> {
        let throat_m = neck.y - 0.09 * self.scale;
        let end_m = throat_m - HANGS_M * self.scale;
        let hang = |share: f32, side: f32| {
            let y = throat_m + share * (end_m - throat_m);
            let x = side * BESIDE_M * self.scale;
            Vec3A::new(x, y, self.chest_m(x, y, neck))
        };
        let turn = TAU - 2.0 * BEGINS;
        let around = |share: f32| {
            let angle = BEGINS + share * turn;
            // Rises to the neck at first, and falls at last.
            let near_end = share.min(1.0 - share) * 5.0;
            let rise = near_end.min(1.0);
            let rise = rise * rise * (3.0 - 2.0 * rise);
            let y = throat_m + (neck.y - throat_m) * rise;
            let half = neck.ring.half + LAYER_M * self.scale;
            let x = neck.ring.centre.x + half.x * angle.sin();
            let z = neck.ring.centre.y + half.y * angle.cos();
            let chest = Vec3A::new(x, y, self.chest_m(x, y, neck).max(z));
            chest.lerp(Vec3A::new(x, y, z), rise)
        };
        let shares = (0..FINE).map(|k| k as f32 / FINE as f32);
        let up = shares.clone().map(|share| hang(1.0 - share, 1.0));
        let round = shares.clone().map(around);
        let down = shares.map(|share| hang(share, -1.0));
        let mut line: Vec<Vec3A> = up.chain(round).chain(down).collect();
        for _ in 0..3000 {
            let before = line.clone();
            for at in 1..line.len() - 1 {
                line[at] = (before[at - 1] + before[at] * 2.0 + before[at + 1]) * 0.25;
            }
        }
        line
    }

    /// How far ahead the chest is, as what hangs down before it meets it.
    fn chest_m(&self, x: f32, y: f32, neck: &Neck) -> f32 {
        let reach_m = 0.03 * self.scale;
        let above = self.skin_of(&[Region::Trunk, Region::Neck]).filter(|at| {
            (at.x - x).abs() < reach_m && at.y > y - reach_m && at.y < neck.y - reach_m
        });
        let ahead = above.map(|at| at.z).fold(neck.ring.centre.y, f32::max);
        ahead + 2.0 * LAYER_M * self.scale
    }

    /// Half the width as a vector: across the line, flat on what it lies on.
    fn across(&self, line: &[Vec3A], row: usize, neck: &Neck) -> Vec3A {
        let (before, after) = (row.saturating_sub(1), (row + 1).min(line.len() - 1));
        let along = (line[after] - line[before]).normalize_or(Vec3A::Y);
        let at = line[row];
        let centre = Vec3A::new(neck.ring.centre.x, at.y, neck.ring.centre.y);
        let hanging = ((neck.y - at.y) / (0.1 * self.scale)).clamp(0.0, 1.0);
        // It lies flat on the shoulders, and falls from there before the chest.
        let out = (at - centre).normalize_or(Vec3A::Z) * 0.5 + Vec3A::Y * (1.0 - hanging);
        let out = out.lerp(Vec3A::Z, hanging).normalize_or(Vec3A::Z);
        out.cross(along).normalize_or(Vec3A::X) * HALF_WIDTH_M * self.scale
    }
}

/// The row at the back of the neck.
fn nape(line: &[Vec3A], neck: &Neck) -> usize {
    let near = |at: &Vec3A| at.z + (at.y - neck.y).abs();
    let rows = (0..line.len()).min_by(|&a, &b| near(&line[a]).total_cmp(&near(&line[b])));
    rows.unwrap_or(0)
}

/// As many points as far apart from each other along a line.
fn even(line: &[Vec3A], count: usize) -> Vec<Vec3A> {
    let ways: Vec<f32> = line
        .windows(2)
        .map(|pair| pair[0].distance(pair[1]))
        .collect();
    let gap_m = ways.iter().sum::<f32>() / (count - 1) as f32;
    let (mut at, mut gone_m, mut points) = (0, 0.0, Vec::with_capacity(count));
    for k in 0..count {
        let wanted_m = k as f32 * gap_m;
        while at + 1 < ways.len() && gone_m + ways[at] < wanted_m {
            gone_m += ways[at];
            at += 1;
        }
        let share = ((wanted_m - gone_m) / ways[at].max(1e-9)).clamp(0.0, 1.0);
        points.push(line[at].lerp(line[at + 1], share));
    }
    points
}
