//! The distances of all moments of one motion to all of another.

use glam::DVec2;
use rayon::prelude::*;

use super::{alignment::PairSums, cloud::Cloud};

/// Half of the time around a moment that is compared, seconds: where limbs go
/// counts with where they are.
pub const HALF_WINDOW_SECS: f64 = 1.0 / 6.0;

/// Moments a side of a tile: its sums stay in a core's own cache.
const TILE: usize = 128;

/// Distances in metres, a row for each moment of the first motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DistanceGrid {
    /// Moments a second, of both motions.
    pub rate_hz: f64,
    /// Moments of the first motion.
    pub rows: usize,
    /// Moments of the second.
    pub columns: usize,
    /// Root mean square distance of the points, row after row.
    pub distances_m: Vec<f32>,
}

impl DistanceGrid {
    /// Compares two clouds of one rate and skeleton.
    ///
    /// The sums of a pair of frames do not depend on the window they are in,
    /// so a window is the sum of such pairs along a diagonal: each cell costs
    /// one pair of frames, however long the window.
    #[must_use]
    pub fn compute(a: &Cloud, b: &Cloud, half_window_secs: f64) -> Self {
        let half = (half_window_secs * a.rate_hz()).round() as usize;
        let (rows, columns) = (a.frames(), b.frames());
        let mut distances_m = vec![0.0; rows * columns];
        let bands = distances_m.par_chunks_mut((TILE * columns).max(1));
        bands.enumerate().for_each(|(band, out)| {
            let mut tile = Tile::default();
            let first_row = band * TILE;
            for first_column in (0..columns).step_by(TILE) {
                let corner = [first_row, first_column];
                tile.fill([a, b], corner, half);
                tile.write([a, b], out);
            }
        });
        Self {
            rate_hz: a.rate_hz(),
            rows,
            columns,
            distances_m,
        }
    }

    /// One distance.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> f32 {
        self.distances_m[row * self.columns + column]
    }

    /// One row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f32] {
        &self.distances_m[row * self.columns..(row + 1) * self.columns]
    }
}

/// Part of the grid, with a border of half a window.
#[derive(Default)]
struct Tile {
    corner: [usize; 2],
    half: usize,
    /// Cells without the border.
    size: [usize; 2],
    /// Dot, cross and heights of single pairs of frames, border included.
    pairs: [Vec<f64>; 3],
    /// Their sums along the diagonal, without the border.
    windows: [Vec<f64>; 3],
}

impl Tile {
    fn fill(&mut self, [a, b]: [&Cloud; 2], corner: [usize; 2], half: usize) {
        self.corner = corner;
        self.half = half;
        let frames = [a.frames(), b.frames()];
        self.size = [0, 1].map(|i| TILE.min(frames[i] - corner[i]));
        let [height, width] = self.size.map(|side| side + 2 * half);
        for plane in &mut self.pairs {
            plane.clear();
            plane.resize(height * width, 0.0);
        }
        for row in 0..height {
            // Above the first frame or below the last there is nothing.
            let Some(frame) = (corner[0] + row).checked_sub(half) else {
                continue;
            };
            if frame < frames[0] {
                self.fill_row([a, b], row * width, frame, width);
            }
        }
        self.sum_windows();
    }

    fn fill_row(&mut self, [a, b]: [&Cloud; 2], start: usize, frame: usize, width: usize) {
        let left = self.corner[1] as isize - self.half as isize;
        let skip = (-left).max(0) as usize;
        let first = left.max(0) as usize;
        let count = (width - skip).min(b.frames() - first);
        let range = start + skip..start + skip + count;
        let [dot, cross, heights] = &mut self.pairs;
        let out = [
            &mut dot[range.clone()],
            &mut cross[range.clone()],
            &mut heights[range],
        ];
        multiply([a, b], frame, first, out);
    }

    /// Along a diagonal each window has one pair more and one less than the
    /// one before.
    fn sum_windows(&mut self) {
        let [height, width] = self.size;
        let (wide, span) = (width + 2 * self.half, 2 * self.half + 1);
        for (plane, sums) in self.pairs.iter().zip(&mut self.windows) {
            sums.clear();
            sums.resize(height * width, 0.0);
            let whole = |row: usize, column: usize| -> f64 {
                (0..span)
                    .map(|k| plane[(row + k) * wide + column + k])
                    .sum()
            };
            for (column, sum) in sums[..width].iter_mut().enumerate() {
                *sum = whole(0, column);
            }
            for row in 1..height {
                let (above, below) = sums.split_at_mut(row * width);
                let above = &above[(row - 1) * width..];
                below[0] = whole(row, 0);
                let gone = &plane[(row - 1) * wide..];
                let new = &plane[(row + span - 1) * wide + span - 1..];
                for column in 1..width {
                    below[column] = above[column - 1] + new[column] - gone[column - 1];
                }
            }
        }
    }

    fn write(&self, [a, b]: [&Cloud; 2], band: &mut [f32]) {
        let [height, width] = self.size;
        for row in 0..height {
            for column in 0..width {
                let cell = row * width + column;
                let [i, j] = [self.corner[0] + row, self.corner[1] + column];
                // Both windows end where either motion does.
                let before = self.half.min(i).min(j);
                let after = (a.frames() - 1 - i).min(b.frames() - 1 - j).min(self.half);
                let [ax, az, asq] = a.sums(i - before..i + after + 1);
                let [bx, bz, bsq] = b.sums(j - before..j + after + 1);
                let sums = PairSums {
                    weight: (before + after + 1) as f64,
                    a: DVec2::new(ax, az),
                    b: DVec2::new(bx, bz),
                    squares: asq + bsq,
                    dot: self.windows[0][cell],
                    cross: self.windows[1][cell],
                    heights: self.windows[2][cell],
                };
                band[row * b.frames() + j] = sums.square_m2().sqrt() as f32;
            }
        }
    }
}

/// Frames that are multiplied at once: their sums stay in registers.
const LANES: usize = 8;

/// Products of a frame of one motion with frames of the other from `first` on,
/// summed over the points.
fn multiply([a, b]: [&Cloud; 2], frame: usize, first: usize, out: [&mut [f64]; 3]) {
    let points: Vec<[f64; 3]> = (0..a.points())
        .map(|point| [0, 1, 2].map(|axis| a.row(axis, point)[frame]))
        .collect();
    let [dot, cross, heights] = out;
    let count = dot.len();
    let whole = count - count % LANES;
    for column in (0..whole).step_by(LANES) {
        let sums = products::<LANES>(&points, b, first + column);
        dot[column..column + LANES].copy_from_slice(&sums[0]);
        cross[column..column + LANES].copy_from_slice(&sums[1]);
        heights[column..column + LANES].copy_from_slice(&sums[2]);
    }
    for column in whole..count {
        let [[d], [c], [h]] = products::<1>(&points, b, first + column);
        (dot[column], cross[column], heights[column]) = (d, c, h);
    }
}

#[inline]
fn products<const N: usize>(points: &[[f64; 3]], b: &Cloud, from: usize) -> [[f64; N]; 3] {
    let [mut dot, mut cross, mut heights] = [[0.0; N]; 3];
    for (point, &[x, y, z]) in points.iter().enumerate() {
        let row = |axis: usize| b.row(axis, point)[from..].first_chunk::<N>();
        if let (Some(bx), Some(by), Some(bz)) = (row(0), row(1), row(2)) {
            for lane in 0..N {
                dot[lane] += x * bx[lane] + z * bz[lane];
                cross[lane] += x * bz[lane] - z * bx[lane];
                heights[lane] += y * by[lane];
            }
        }
    }
    [dot, cross, heights]
}
