//! The cheapest way through a grid of distances, by dynamic programming.

use super::grid::DistanceGrid;

/// What the search may do.
#[derive(Clone, Debug, PartialEq)]
pub struct PathOptions {
    /// The share of each motion that may be left out at either end.
    pub free_ends: f64,
    /// Pairs of seconds that are to correspond.
    pub pins: Vec<[f64; 2]>,
}

/// The share of each motion that may be left out at either end.
pub const FREE_ENDS: f64 = 0.4;

impl Default for PathOptions {
    fn default() -> Self {
        Self {
            free_ends: FREE_ENDS,
            pins: Vec::new(),
        }
    }
}

/// Steps through the grid. No motion runs more than three times as fast as the
/// other: the slope limit.
const STEPS: [[usize; 2]; 5] = [[1, 1], [1, 2], [2, 1], [1, 3], [3, 1]];
/// No step leads here: the path begins.
const BEGIN: u8 = STEPS.len() as u8;
/// A frame that is left out costs this many times what the best match of a
/// frame costs on average: more than a fair match, less than a wrong one.
const LEFT_OUT: f32 = 2.0;
/// … and at least this, metres, or motions that agree would be cut at will.
const LEAST_LEFT_OUT_M: f32 = 0.01;
/// Metres for each frame of difference in speed: where nothing moves, both
/// motions run on evenly.
const UNEVEN_M: f32 = 5e-4;

/// Cells of the cheapest path, in order; `None` where no path keeps to the
/// slope limit.
#[must_use]
pub fn cheapest_path(grid: &DistanceGrid, options: &PathOptions) -> Option<Vec<[usize; 2]>> {
    let search = Search::new(grid, options);
    let (from, end) = search.run()?;
    let mut path = vec![end];
    let mut cell = end;
    loop {
        let step = from[cell[0] * grid.columns + cell[1]];
        if step == BEGIN {
            break;
        }
        let [rows, columns] = STEPS[usize::from(step)];
        cell = [cell[0] - rows, cell[1] - columns];
        path.push(cell);
    }
    path.reverse();
    Some(path)
}

struct Search<'a> {
    grid: &'a DistanceGrid,
    left_out_m: f32,
    /// How many rows and columns may be left out at either end.
    free: [usize; 2],
    pins: Vec<[usize; 2]>,
}

impl<'a> Search<'a> {
    fn new(grid: &'a DistanceGrid, options: &PathOptions) -> Self {
        let best = (0..grid.rows).map(|row| {
            let row = grid.row(row).iter().copied();
            row.fold(f32::INFINITY, f32::min)
        });
        let mean = best.sum::<f32>() / grid.rows.max(1) as f32;
        let cell = |secs: f64, count: usize| {
            ((secs * grid.rate_hz).round().max(0.0) as usize).min(count.saturating_sub(1))
        };
        let pins = options.pins.iter();
        let sides = [grid.rows, grid.columns];
        Self {
            grid,
            left_out_m: (LEFT_OUT * mean).max(LEAST_LEFT_OUT_M),
            free: sides.map(|count| (count as f64 * options.free_ends) as usize),
            pins: pins
                .map(|pin| [cell(pin[0], grid.rows), cell(pin[1], grid.columns)])
                .collect(),
        }
    }

    /// Which step leads to each cell, and the cell that the best path ends in.
    fn run(&self) -> Option<(Vec<u8>, [usize; 2])> {
        let (rows, columns) = (self.grid.rows, self.grid.columns);
        let mut from = vec![BEGIN; rows * columns];
        // The three rows above are all that a step reaches.
        let mut sums = vec![vec![f32::INFINITY; columns]; 4];
        let mut best = (f32::INFINITY, None);
        for row in 0..rows {
            for column in 0..columns {
                let (sum, step) = match self.is_open(row, column) {
                    true => self.cheapest_step(&sums, row, column),
                    false => (f32::INFINITY, BEGIN),
                };
                sums[row % 4][column] = sum;
                from[row * columns + column] = step;
                let all = sum + self.end_cost(row, column);
                if all < best.0 {
                    best = (all, Some([row, column]));
                }
            }
        }
        Some((from, best.1?))
    }

    fn cheapest_step(&self, sums: &[Vec<f32>], row: usize, column: usize) -> (f32, u8) {
        let mut best = (self.start_cost(row, column), BEGIN);
        // What is passed on the way up, and on the way to the left: the cell
        // itself, with the one before, with the two before.
        let here = self.grid.at(row, column);
        let (mut up, mut left) = ([here; 3], [here; 3]);
        for k in 1..3 {
            if k <= row {
                up[k] = up[k - 1] + self.grid.at(row - k, column);
            }
            if k <= column {
                left[k] = left[k - 1] + self.grid.at(row, column - k);
            }
        }
        for (step, &[rows, columns]) in STEPS.iter().enumerate() {
            if rows > row || columns > column {
                continue;
            }
            let cells = rows.max(columns);
            let passed = if rows > columns { up } else { left };
            // The mean of the cells a step passes, for each frame that it takes of
            // either motion, half a frame each.
            let mean = passed[cells - 1] / cells as f32;
            let cost = mean * (rows + columns) as f32 / 2.0 + UNEVEN_M * (cells - 1) as f32;
            let sum = sums[(row - rows) % 4][column - columns] + cost;
            if sum < best.0 {
                best = (sum, step as u8);
            }
        }
        best
    }

    fn start_cost(&self, row: usize, column: usize) -> f32 {
        match row == 0 || column == 0 {
            true => self.left_out(row, column) + self.grid.at(row, column),
            false => f32::INFINITY,
        }
    }

    fn end_cost(&self, row: usize, column: usize) -> f32 {
        let left = [self.grid.rows - 1 - row, self.grid.columns - 1 - column];
        match left[0] == 0 || left[1] == 0 {
            true => self.left_out(left[0], left[1]),
            false => f32::INFINITY,
        }
    }

    fn left_out(&self, rows: usize, columns: usize) -> f32 {
        match rows <= self.free[0] && columns <= self.free[1] {
            true => self.left_out_m * (rows + columns) as f32 / 2.0,
            false => f32::INFINITY,
        }
    }

    /// Near a pin the path has to pass through it. Steps of three could leap
    /// over its own row, so the two beside it are narrow too.
    fn is_open(&self, row: usize, column: usize) -> bool {
        self.pins.iter().all(|&[pin_row, pin_column]| {
            let (off, aside) = (row.abs_diff(pin_row), column.abs_diff(pin_column));
            let near = |off: usize, aside: usize| off > 1 || aside <= 3 * off + 1;
            near(off, aside) && near(aside, off)
        })
    }
}
