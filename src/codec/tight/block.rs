//! Decoding of a block: all frames from a knot to the next.
//!
//! Residuals are read row by row. What they say of one another
//! ([`super::cross_channel`]) needs no other frame, so it is worked out for all rows at
//! once, eight to a vector, with the numbers transposed to stand channel by channel
//! meanwhile. Predictions follow, coarse frames first.

use fearless_simd::{Level, Simd, SimdBase, dispatch, f32x8};

use super::{
    cross_channel::CrossPredictor,
    frame_order::{self, BLOCK, LEVELS, Neighbours},
    grid::{BOOSTS, Grid},
    model::{self, Mean},
    rows::{self, LANES as STREAM_LANES},
    tans::{Decoder, Encoder},
};
use crate::codec::lanes::{LANES, transpose8};

/// Rows of a block besides its knots, and one that stays empty so that every
/// level but the first three starts a new eight.
pub(super) const SLOTS: usize = BLOCK;

/// The zeros that follow a stream, stored with it so that the decoder seldom
/// meets its end.
const STREAM_END: [u8; 8] = [0; 8];

/// What is added to one channel's predictions, in every row.
pub(super) type Corrections = [f32; SLOTS];

/// The grid's steps in the order of a block's slots, shared by all blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotSteps {
    width: usize,
    /// Steps of level 1.
    first_steps: Vec<f32>,
    /// Of every channel; channels by eights.
    scales: Vec<Scales>,
}

/// Steps of a channel in every slot: the first eight, which are of several
/// levels, and the other eights, each of one.
#[derive(Clone, Copy, Debug, Default)]
struct Scales {
    first: [f32; LANES],
    others: [f32; SLOTS / LANES - 1],
}

/// Decodes blocks, and holds the rows of the last one.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockDecoder {
    /// BLOCK + 1 frames of coded channels.
    rows: Vec<f32>,
    /// Slot after slot, channels by eights.
    residuals: Vec<f32>,
    corrections: Vec<Corrections>,
    predicted: Vec<f32>,
    means: Vec<Mean>,
    read: Vec<i32>,
    stream: Vec<u8>,
}

/// A block to be decoded.
pub(super) struct CodedBlock<'a> {
    pub stream: &'a [u8],
    /// The knots around it and its own.
    pub knots: [&'a [f32]; 2],
    pub neighbours: Neighbours<'a>,
    /// Frames of the clip from its first knot on.
    pub frames_left: usize,
    pub grid: &'a Grid,
    pub cross_predictor: &'a CrossPredictor,
}

/// The slot of the row that is coded as number `index`, with level and frame.
fn slots() -> impl Iterator<Item = (usize, (usize, usize))> {
    // Levels have 1, 2, 4, 8 and 16 rows: with slot 7 left empty, 4 and 5
    // start at slots 8 and 16, and each of their eights has one step.
    let slot = |index: usize| if index < LANES - 1 { index } else { index + 1 };
    frame_order::order()
        .enumerate()
        .map(move |(index, coded)| (slot(index), coded))
}

impl SlotSteps {
    pub fn new(grid: &Grid) -> Self {
        let width = grid.width();
        let steps = grid.steps();
        let mut scales = vec![Scales::default(); width.next_multiple_of(LANES)];
        for (slot, (level, _)) in slots() {
            let steps = &steps[level * width..(level + 1) * width];
            for (scales, &step) in scales.iter_mut().zip(steps) {
                // All slots of a later eight write the same step here.
                match slot.checked_sub(LANES) {
                    None => scales.first[slot] = step,
                    Some(beyond) => scales.others[beyond / LANES] = step,
                }
            }
        }
        Self {
            width,
            first_steps: steps[width..2 * width].to_vec(),
            scales,
        }
    }
}

impl BlockDecoder {
    /// For blocks of at most `longest` bytes.
    pub fn new(slot_steps: &SlotSteps, longest: usize) -> Self {
        let (width, padded) = (slot_steps.width, slot_steps.scales.len());
        Self {
            rows: vec![0.0; (BLOCK + 1) * width],
            residuals: vec![0.0; SLOTS * padded],
            corrections: vec![[0.0; SLOTS]; padded],
            predicted: vec![0.0; width],
            means: vec![0; width],
            read: vec![0; width],
            stream: Vec::with_capacity(longest + STREAM_END.len()),
        }
    }

    /// A decoded frame, counted from the block's first knot.
    pub fn row(&self, frame: usize) -> &[f32] {
        let width = self.predicted.len();
        &self.rows[frame * width..(frame + 1) * width]
    }

    /// Decodes all frames of a block.
    pub fn decode(&mut self, level: Level, slot_steps: &SlotSteps, block: &CodedBlock<'_>) {
        dispatch!(level, simd => self.decode_with(simd, slot_steps, block));
    }

    #[inline(always)]
    fn decode_with<S: Simd>(&mut self, simd: S, slot_steps: &SlotSteps, block: &CodedBlock<'_>) {
        let boost = self.read_residuals(slot_steps, block);
        self.transpose_to_channels(simd, slot_steps, boost);
        block
            .cross_predictor
            .apply_to_block(simd, &mut self.corrections);
        self.transpose_to_rows(simd);
        self.predict(block);
    }

    /// Fills `self.residuals`; returns the block's boost.
    #[inline(always)]
    fn read_residuals(&mut self, slot_steps: &SlotSteps, block: &CodedBlock<'_>) -> f32 {
        let padded = slot_steps.scales.len();
        self.stream.clear();
        self.stream.extend_from_slice(block.stream);
        // Copied, so that eight bytes can be read at once up to the end.
        self.stream.extend(STREAM_END);
        let mut decoder = Decoder::new(&self.stream, STREAM_LANES);
        let boost = read_boost(&mut decoder);
        block
            .grid
            .start_means(block.knots, &slot_steps.first_steps, &mut self.means);
        let mut last_level = 1;
        for (slot, (level, at)) in slots() {
            if level != last_level {
                block.grid.next_level(&mut self.means);
                last_level = level;
            }
            let residuals = &mut self.residuals[slot * padded..(slot + 1) * padded];
            // Rows past the clip's end were not coded.
            if at < block.frames_left {
                rows::read_row(&mut self.means, &mut decoder, &mut self.read);
                for (residual, read) in residuals.iter_mut().zip(&self.read) {
                    *residual = *read as f32;
                }
            } else {
                residuals.fill(0.0);
            }
        }
        boost
    }

    /// Residuals to corrections of the predictions, channel by channel.
    #[inline(always)]
    fn transpose_to_channels<S: Simd>(&mut self, simd: S, slot_steps: &SlotSteps, boost: f32) {
        let padded = slot_steps.scales.len();
        let channels = self.corrections.as_chunks_mut::<LANES>().0.iter_mut();
        let scales = slot_steps.scales.as_chunks::<LANES>().0.iter();
        for (eight, (corrections, scales)) in channels.zip(scales).enumerate() {
            // Eight channels by eight rows: in by rows, out by channels.
            for first in (0..SLOTS).step_by(LANES) {
                let row = |i: usize| {
                    let at = (first + i) * padded + eight * LANES;
                    f32x8::from_slice(simd, &self.residuals[at..at + LANES])
                };
                let columns = transpose8([
                    row(0),
                    row(1),
                    row(2),
                    row(3),
                    row(4),
                    row(5),
                    row(6),
                    row(7),
                ]);
                for (lane, column) in columns.into_iter().enumerate() {
                    let steps = match (first / LANES).checked_sub(1) {
                        None => simd.load_array_ref_f32x8(&scales[lane].first),
                        Some(eight) => simd.splat_f32x8(scales[lane].others[eight]),
                    };
                    let own = column * (steps * boost);
                    own.store_slice(&mut corrections[lane][first..first + LANES]);
                }
            }
        }
    }

    /// Corrections, row by row, to where the rows will be.
    #[inline(always)]
    fn transpose_to_rows<S: Simd>(&mut self, simd: S) {
        let width = self.predicted.len();
        let mut frames = [0; SLOTS];
        for (slot, (_, at)) in slots() {
            frames[slot] = at;
        }
        for (eight, corrections) in self.corrections.as_chunks::<LANES>().0.iter().enumerate() {
            for (first, frames) in (0..SLOTS).step_by(LANES).zip(frames.chunks(LANES)) {
                let channel =
                    |i: usize| f32x8::from_slice(simd, &corrections[i][first..first + LANES]);
                let columns = transpose8([
                    channel(0),
                    channel(1),
                    channel(2),
                    channel(3),
                    channel(4),
                    channel(5),
                    channel(6),
                    channel(7),
                ]);
                for (column, &frame) in columns.into_iter().zip(frames) {
                    // Frame 0 is a knot and in no slot: this is the empty one.
                    if frame == 0 {
                        continue;
                    }
                    let row = &mut self.rows[frame * width..(frame + 1) * width];
                    // Channels are padded to eights in slots, but not in rows.
                    match row[eight * LANES..].first_chunk_mut::<LANES>() {
                        Some(row) => column.store_slice(row),
                        None => {
                            let row = &mut row[eight * LANES..];
                            let count = row.len();
                            row.copy_from_slice(&column.as_slice()[..count]);
                        }
                    }
                }
            }
        }
    }

    /// Adds the predictions, coarse levels first.
    #[inline(always)]
    fn predict(&mut self, block: &CodedBlock<'_>) {
        let width = self.predicted.len();
        // Rows hold corrections by now; each prediction wants the rows around
        // it finished, which the order by levels gives.
        let [first, last] = block.knots;
        self.rows[..width].copy_from_slice(first);
        self.rows[BLOCK * width..].copy_from_slice(last);
        for (level, at) in frame_order::order() {
            frame_order::predict(
                &self.rows,
                block.neighbours,
                (level, at),
                &mut self.predicted,
            );
            let row = &mut self.rows[at * width..(at + 1) * width];
            for (value, predicted) in row.iter_mut().zip(&self.predicted) {
                *value += *predicted;
            }
        }
    }
}

/// How much finer than usual the steps of a block are.
pub(super) fn write_boost(encoder: &mut Encoder, boost: usize) {
    model::write_flag(encoder, boost > 0);
    if boost > 0 {
        encoder.bits(boost as u32, 2);
    }
}

fn read_boost(decoder: &mut Decoder<'_>) -> f32 {
    if model::read_flag(decoder) {
        BOOSTS[decoder.bits(2) as usize]
    } else {
        BOOSTS[0]
    }
}

const _: () = assert!(LEVELS == 5 && SLOTS.is_multiple_of(LANES));
