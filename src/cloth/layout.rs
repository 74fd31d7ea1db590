//! Where vertices lie in memory, and which vectors of them a constraint joins.
//!
//! A row of a grid is cut into eight strips of equal length; lane `l` of the
//! row's vector `j` is the `j`-th vertex of strip `l`. Neighbours along the row
//! are then neighbouring vectors, neighbours down a column the same vector of
//! the next row, and eight constraints are two loads without a gather. Where a
//! strip meets the next the second load starts one lane further. Slots beyond
//! the last column are ghosts: nothing moves them.
//!
//! A large sheet is cut into bands of rows that threads work on side by side;
//! what joins two bands is a seam and comes after both. Where the cuts are
//! depends on the size alone, so that any number of threads gives the same.

use std::ops::Range;

use super::lanes::LANES;

/// Fewest vectors in a row: with less, a vector would meet itself shifted.
const LEAST_VECTORS: usize = 3;
/// Slots from which on a sheet is cut: smaller ones are done before a second
/// thread has begun.
const LARGE: usize = 12_288;
/// Slots of a band, about.
const BAND: usize = 6_144;
/// Fewest rows of a band: a seam takes two rows of either side.
const LEAST_ROWS: usize = 8;

/// Rows of a sheet in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub columns: usize,
    pub rows: usize,
    /// Vectors in a row.
    pub vectors: usize,
    /// Rows of a band; all of them unless the sheet is large.
    pub band_rows: usize,
}

/// What a constraint is for; each has its own compliance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Weft,
    Warp,
    Shear,
    BendWeft,
    BendWarp,
}

impl Kind {
    /// Over two cells.
    pub fn is_bend(self) -> bool {
        matches!(self, Self::BendWeft | Self::BendWarp)
    }
}

/// Eight constraints between vectors that start at slots `a` and `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub a: u32,
    pub b: u32,
    pub kind: Kind,
    /// Lanes that exist, as an index into [`Blocks::masks`].
    pub mask: u8,
}

/// Blocks in the order they are solved: those of every band, then of every
/// seam; and masks.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub blocks: Vec<Block>,
    pub masks: Vec<[f32; LANES]>,
    /// Of each band, one after the other.
    pub bands: Vec<Range<usize>>,
    /// Between each band and the next.
    pub seams: Vec<Range<usize>>,
    /// Slots of half the rows of a band.
    pub half_band_slots: usize,
}

impl Layout {
    pub fn grid(columns: usize, rows: usize) -> Self {
        let vectors = columns.div_ceil(LANES).max(LEAST_VECTORS);
        let row_slots = vectors * LANES;
        let large = rows * row_slots >= LARGE;
        let band_rows = if large {
            BAND.div_ceil(row_slots).max(LEAST_ROWS)
        } else {
            rows
        };
        Self {
            columns,
            rows,
            vectors,
            band_rows,
        }
    }

    /// A mesh lies in its own order, in rows of 64.
    pub fn list(count: usize) -> Self {
        let rows = count.div_ceil(LANES * LANES);
        Self {
            columns: LANES * LANES,
            rows,
            vectors: LANES,
            band_rows: rows,
        }
    }

    pub fn row_slots(&self) -> usize {
        self.vectors * LANES
    }

    pub fn band_slots(&self) -> usize {
        self.band_rows * self.row_slots()
    }

    pub fn slots(&self) -> usize {
        self.rows * self.row_slots()
    }

    pub fn grid_slot(&self, row: usize, column: usize) -> usize {
        let (strip, j) = (column / self.vectors, column % self.vectors);
        row * self.row_slots() + j * LANES + strip
    }

    /// Column of a slot of a row; beyond the last for a ghost.
    fn column(&self, vector: usize, lane: usize) -> usize {
        lane * self.vectors + vector
    }

    /// Vector and lane shift `ahead` columns to the right of vector `j`.
    fn ahead(&self, j: usize, ahead: usize) -> (usize, usize) {
        let to = j + ahead;
        (to % self.vectors, to / self.vectors)
    }

    /// Every constraint of a grid. In a band those along rows come first, then
    /// row by row from the top. Neighbours in the list share no particle where
    /// it can be had, so that the machine works on several at once.
    pub fn blocks(&self) -> Blocks {
        let mut found = Blocks {
            half_band_slots: self.band_rows / 2 * self.row_slots(),
            ..Blocks::default()
        };
        let firsts = (0..self.rows).step_by(self.band_rows);
        let bands: Vec<Range<usize>> = firsts
            .map(|first| first..(first + self.band_rows).min(self.rows))
            .collect();
        for band in &bands {
            let begun = found.blocks.len();
            self.along_rows(band, 1, Kind::Weft, &mut found);
            self.along_rows(band, 2, Kind::BendWeft, &mut found);
            for row in band.clone() {
                self.down_from(row, |to| band.contains(&to), &mut found);
            }
            found.bands.push(begun..found.blocks.len());
        }
        for band in &bands[1..] {
            let begun = found.blocks.len();
            for row in band.start.saturating_sub(2)..band.start {
                self.down_from(row, |to| to >= band.start, &mut found);
            }
            found.seams.push(begun..found.blocks.len());
        }
        found
    }

    /// Every other vector of all rows, then those between, then where strips
    /// meet.
    fn along_rows(&self, rows: &Range<usize>, ahead: usize, kind: Kind, found: &mut Blocks) {
        let seam = self.vectors - ahead;
        let phase = |j: usize| if j >= seam { 2 } else { (j / ahead) % 2 };
        for wanted in 0..3 {
            for row in rows.clone() {
                for j in (0..self.vectors).filter(|&j| phase(j) == wanted) {
                    let (to, shift) = self.ahead(j, ahead);
                    self.push(found, kind, (row, j), (row, to, shift), ahead);
                }
            }
        }
    }

    /// What joins a row with those below it that are wanted.
    fn down_from(&self, row: usize, wanted: impl Fn(usize) -> bool, found: &mut Blocks) {
        if wanted(row + 1) {
            self.between_rows(row, 1, 0, Kind::Warp, found);
            self.between_rows(row, 1, 1, Kind::Shear, found);
            self.rising_diagonals(row, found);
        }
        if wanted(row + 2) {
            self.between_rows(row, 2, 0, Kind::BendWarp, found);
        }
    }

    fn between_rows(&self, row: usize, down: usize, ahead: usize, kind: Kind, found: &mut Blocks) {
        if row + down >= self.rows {
            return;
        }
        for j in 0..self.vectors {
            let (to, shift) = self.ahead(j, ahead);
            self.push(found, kind, (row, j), (row + down, to, shift), ahead);
        }
    }

    /// The other diagonal: from the next row up to the right.
    fn rising_diagonals(&self, row: usize, found: &mut Blocks) {
        if row + 1 >= self.rows {
            return;
        }
        for j in 0..self.vectors {
            let (to, shift) = self.ahead(j, 1);
            self.push(found, Kind::Shear, (row + 1, j), (row, to, shift), 1);
        }
    }

    fn push(
        &self,
        found: &mut Blocks,
        kind: Kind,
        (row_a, a): (usize, usize),
        (row_b, b, shift): (usize, usize, usize),
        ahead: usize,
    ) {
        let exists = |lane: usize| {
            let beyond = lane + shift >= LANES;
            let column = self.column(a, lane);
            !beyond && column + ahead < self.columns
        };
        let mask: [f32; LANES] = std::array::from_fn(|l| f32::from(u8::from(exists(l))));
        if mask == [0.0; LANES] {
            return;
        }
        let known = found.masks.iter().position(|other| *other == mask);
        let index = known.unwrap_or_else(|| {
            found.masks.push(mask);
            found.masks.len() - 1
        });
        found.blocks.push(Block {
            a: (row_a * self.row_slots() + a * LANES) as u32,
            b: (row_b * self.row_slots() + b * LANES + shift) as u32,
            kind,
            mask: index as u8,
        });
    }
}
