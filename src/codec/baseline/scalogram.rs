//! A track's wavelet coefficients as a picture: a row a level, coarse on top,
//! time along it, and what a threshold drops.

use super::{lifting, wavelet::coefficients};
use crate::{
    clip::RawClip,
    codec::keys::{TrackKind, source},
    skeleton::JointIndex,
};

/// One cell of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// The largest coefficient in it, over all numbers of the track.
    pub largest: f32,
    /// Whether any reaches the threshold.
    pub kept: bool,
}

/// All coefficients of a joint's rotation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scalogram {
    /// Rows from coarse to fine.
    pub rows: Vec<Vec<Cell>>,
    /// How many coefficients there are, and how many are kept.
    pub all: usize,
    /// See above.
    pub kept: usize,
}

impl Scalogram {
    /// Of the rotation of a joint; `None` where it has none.
    #[must_use]
    pub fn of(clip: &RawClip, joint: JointIndex, threshold: f64, columns: usize) -> Option<Self> {
        let is_its = |it: &source::SourceTrack| it.kind == TrackKind::Rotation && it.joint == joint;
        let track = source::whole(clip).into_iter().find(is_its)?;
        let frames = track.samples.len();
        let blocks = super::wavelet::blocks(frames);
        let most = blocks
            .clone()
            .map(|(first, last)| lifting::levels(last - first + 1).len());
        let rows = most.max().unwrap_or(0);
        let mut found = Self {
            rows: vec![vec![Cell::default(); columns]; rows],
            all: 0,
            kept: 0,
        };
        for (block, (first, last)) in blocks.enumerate() {
            let count = last - first + 1;
            let mut ends = lifting::levels(count);
            ends.push(count);
            // A short last block has fewer levels: the finest are the same.
            let above = rows + 1 - ends.len();
            for number in 0..track.kind.numbers() {
                let list = coefficients(&track, number, block);
                for (row, ends) in ends.windows(2).enumerate() {
                    let level = &list[ends[0]..ends[1]];
                    found.add(
                        above + row,
                        level,
                        (first, last),
                        (frames, columns),
                        threshold as f32,
                    );
                }
            }
        }
        Some(found)
    }

    /// One level of one block, spread evenly over its frames.
    fn add(
        &mut self,
        row: usize,
        level: &[f32],
        (first, last): (usize, usize),
        (frames, columns): (usize, usize),
        threshold: f32,
    ) {
        let column = |share: f64| {
            let frame = first as f64 + share * (last - first + 1) as f64;
            ((frame / frames as f64) * columns as f64) as usize
        };
        for (i, coefficient) in level.iter().enumerate() {
            let share = |i: usize| i as f64 / level.len() as f64;
            let (from, to) = (column(share(i)), column(share(i + 1)));
            let kept = coefficient.abs() >= threshold;
            self.all += 1;
            self.kept += usize::from(kept);
            for cell in &mut self.rows[row][from.min(columns - 1)..to.max(from + 1).min(columns)] {
                cell.largest = cell.largest.max(coefficient.abs());
                cell.kept |= kept;
            }
        }
    }
}
