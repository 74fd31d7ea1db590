//! Moments that look like another: every row of a library is compared.
//!
//! A scan of 64 bytes a row runs at the speed of memory and finds the true
//! nearest; a tree over 61 numbers would look at most of them all the same. A
//! range is compared by a few rows of it, spread evenly, and one that already
//! differs more than its clip's best so far is given up.

use std::{ops::Range, sync::Arc};

use rayon::prelude::*;

use super::{Entries, FileEntry, MotionRow, ROWS_A_SECOND, RowStore};

/// Rows of a range that are compared.
const ANCHORS: usize = 6;
/// Numbers of a row that count.
const CELLS: f64 = 61.0;

/// All rows of a library in memory.
#[derive(Debug, Default)]
pub struct AllRows {
    rows: Vec<MotionRow>,
    clips: Vec<(Arc<FileEntry>, usize, Range<usize>)>,
}

/// A moment that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Likeness {
    /// The file.
    pub entry: Arc<FileEntry>,
    /// Which of its clips.
    pub clip: usize,
    /// When the moment, or the range, begins.
    pub start_s: f64,
    /// How far the landmarks are from each other, root mean square; a metre a
    /// second of their velocities counts as 20 cm.
    pub apart_cm: f64,
}

impl AllRows {
    /// Reads them; files whose rows are damaged are named.
    #[must_use]
    pub fn read(entries: &Entries, store: &RowStore) -> (Self, Vec<String>) {
        let (mut all, mut damaged) = (Self::default(), Vec::new());
        for (path, entry) in entries {
            let Some(rows) = store.read(entry) else {
                damaged.push(path.clone());
                continue;
            };
            all.add(entry, &rows);
        }
        (all, damaged)
    }

    /// Adds the rows of a file.
    pub fn add(&mut self, entry: &Arc<FileEntry>, rows: &[MotionRow]) {
        let first = self.rows.len();
        self.rows.extend(rows);
        for (clip, facts) in entry.clips.iter().enumerate() {
            let at = first + facts.first_row as usize;
            let range = at..at + facts.rows as usize;
            if !range.is_empty() && range.end <= self.rows.len() {
                self.clips.push((Arc::clone(entry), clip, range));
            }
        }
    }

    /// Those of one clip.
    #[must_use]
    pub fn rows_of(&self, entry: &FileEntry, clip: usize) -> Option<&[MotionRow]> {
        let is =
            |it: &&(Arc<FileEntry>, usize, Range<usize>)| it.0.path == entry.path && it.1 == clip;
        self.clips
            .iter()
            .find(is)
            .map(|it| &self.rows[it.2.clone()])
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// No person moves in this library.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// The best moment of every clip, the most alike first, `most` of them.
#[must_use]
pub fn similar(all: &AllRows, wanted: &[MotionRow], most: usize) -> Vec<Likeness> {
    let anchors = anchors_of(wanted);
    let best = |(entry, clip, range): &(Arc<FileEntry>, usize, Range<usize>)| {
        let (unlike, row) = best_of(&all.rows[range.clone()], &anchors)?;
        Some(Likeness {
            entry: Arc::clone(entry),
            clip: *clip,
            start_s: row as f64 / ROWS_A_SECOND,
            apart_cm: (f64::from(unlike) * 3.0 / (CELLS * anchors.len() as f64)).sqrt(),
        })
    };
    let mut found: Vec<Likeness> = all.clips.par_iter().filter_map(best).collect();
    found.sort_by(|a, b| {
        a.apart_cm
            .total_cmp(&b.apart_cm)
            .then_with(|| a.entry.path.cmp(&b.entry.path))
    });
    found.truncate(most);
    found
}

/// Rows of a range with how far each is from its first.
fn anchors_of(wanted: &[MotionRow]) -> Vec<(usize, MotionRow)> {
    let count = wanted.len().min(ANCHORS);
    let at = |index: usize| match count {
        0 | 1 => 0,
        _ => index * (wanted.len() - 1) / (count - 1),
    };
    (0..count)
        .map(|index| (at(index), wanted[at(index)]))
        .collect()
}

/// The least difference in a clip, and the row it begins at; `None` where the
/// range is longer than the clip.
fn best_of(rows: &[MotionRow], anchors: &[(usize, MotionRow)]) -> Option<(u32, usize)> {
    let length = anchors.last()?.0 + 1;
    let mut best: Option<(u32, usize)> = None;
    for (start, window) in rows.windows(length).enumerate() {
        let least = best.map_or(u32::MAX, |it| it.0);
        let mut sum = 0u32;
        for (offset, row) in anchors {
            sum = sum.saturating_add(window[*offset].unlike(row));
            if sum >= least {
                break;
            }
        }
        if sum < least {
            best = Some((sum, start));
        }
    }
    best
}
