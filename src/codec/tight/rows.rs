//! Rows of residuals, one per coded channel of a frame, to and from streams.
//!
//! Four channels after another go by the four lanes of the block's stream:
//! reading a symbol is a chain of steps that wait for one another, and four
//! chains run in little more than the time of one.

use super::{
    cross_channel::CrossPredictor,
    model::{self, MEAN_ONE, Mean, Tables},
    tans::{Decoder, Encoder, MAX_LANES},
};

/// Signed numbers of unknown but similar size, one after another.
pub(super) struct Series {
    mean: Mean,
}

impl Series {
    pub fn new(expected: i32) -> Self {
        Self {
            mean: expected * MEAN_ONE,
        }
    }

    pub fn write(&mut self, encoder: &mut Encoder, value: i32) {
        Tables::get().encode(encoder, &[(model::context(self.mean), value)]);
        self.mean = model::updated(self.mean, value.abs());
    }

    pub fn read(&mut self, decoder: &mut Decoder<'_>) -> i32 {
        let [value] = Tables::get().decode(decoder, [model::context(self.mean)]);
        self.mean = model::updated(self.mean, value.abs());
        value
    }
}

/// Means with which the first knot is coded. It is predicted as zero, so its
/// residuals are the values themselves, many steps each.
const FIRST_KNOT: Mean = 32 * MEAN_ONE;
/// Means with which the second knot is coded: its residuals are only what moved
/// since the first.
const SECOND_KNOT: Mean = 2 * MEAN_ONE;

/// The running state in which knots are coded, one row of residuals each.
pub(super) struct KnotModel {
    means: Vec<Mean>,
    rows: usize,
}

impl KnotModel {
    pub fn new(width: usize) -> Self {
        Self {
            means: vec![FIRST_KNOT; width],
            rows: 0,
        }
    }

    fn begin(&mut self) {
        self.next_means();
        self.rows += 1;
    }

    /// What the next row's residuals are expected to be like.
    pub fn next_means(&mut self) -> &[Mean] {
        if self.rows == 1 {
            self.means.fill(SECOND_KNOT);
        }
        &self.means
    }

    /// Bits of a row, which is also written when there is an encoder.
    pub fn write(&mut self, residuals: &[i32], encoder: Option<&mut Encoder>) -> f32 {
        self.begin();
        write_channels::<1>(&mut self.means, residuals, encoder)
    }

    /// Adds a row to its prediction; `corrections` is memory as long as a row.
    pub fn read(
        &mut self,
        decoder: &mut Decoder<'_>,
        dequantiser: &Dequantiser<'_>,
        corrections: &mut [f32],
        row: &mut [f32],
    ) {
        self.begin();
        for (mean, correction) in self.means.iter_mut().zip(&mut *corrections) {
            let [residual] = Tables::get().decode(decoder, [model::context(*mean)]);
            *mean = model::updated(*mean, residual.abs());
            *correction = residual as f32;
        }
        dequantiser.add(corrections, row);
    }
}

/// Lanes of a block's stream.
pub(super) const LANES: usize = MAX_LANES;

/// Bits of a row of a block, which is also written when there is an encoder.
pub(super) fn write_row(
    means: &mut [Mean],
    residuals: &[i32],
    encoder: Option<&mut Encoder>,
) -> f32 {
    write_channels::<LANES>(means, residuals, encoder)
}

fn write_channels<const N: usize>(
    means: &mut [Mean],
    residuals: &[i32],
    mut encoder: Option<&mut Encoder>,
) -> f32 {
    let tables = Tables::get();
    let mut bits = 0.0;
    for (means, residuals) in means.chunks_mut(N).zip(residuals.chunks(N)) {
        let mut coded = [(0, 0); N];
        for ((coded, mean), &residual) in coded.iter_mut().zip(means).zip(residuals) {
            // The context is the mean before this residual: the decoder knows
            // no more.
            *coded = (model::context(*mean), residual);
            bits += tables.cost_bits(coded.0, residual);
            *mean = model::updated(*mean, residual.abs());
        }
        if let Some(encoder) = &mut encoder {
            tables.encode(encoder, &coded[..residuals.len()]);
        }
    }
    bits
}

/// What turns residuals into values.
#[derive(Clone, Copy)]
pub(super) struct Dequantiser<'a> {
    /// One step per channel.
    pub steps: &'a [f32],
    /// What all steps are multiplied by.
    pub boost: f32,
    pub cross_predictor: &'a CrossPredictor,
}

impl Dequantiser<'_> {
    /// Correction of channel `at`'s prediction from other frames, given its
    /// residual and the corrections of the channels before it.
    #[inline]
    pub fn correction(&self, at: usize, residual: i32, corrections: &[f32]) -> f32 {
        // In this order, as in `block.rs`: encoder and decoder must round
        // alike.
        let own = residual as f32 * (self.steps[at] * self.boost);
        self.cross_predictor.correction(at, own, corrections)
    }

    /// Turns a row of residuals into corrections, and adds them.
    fn add(&self, residuals: &mut [f32], row: &mut [f32]) {
        for (residual, step) in residuals.iter_mut().zip(self.steps) {
            *residual *= step * self.boost;
        }
        self.cross_predictor.apply_to_row(residuals);
        for (value, correction) in row.iter_mut().zip(residuals) {
            *value += *correction;
        }
    }
}

/// Channels that are read in one go: enough for a vector loop before and after
/// the symbols, few enough for their contexts to stay on the stack.
const STRETCH: usize = 64;

/// Reads a row of residuals, as [`write_row`] wrote it. What needs no symbol is
/// done for many channels at once, before and after.
#[inline(always)]
pub(super) fn read_row(means: &mut [Mean], decoder: &mut Decoder<'_>, residuals: &mut [i32]) {
    let tables = Tables::get();
    // A copy that nobody else can see stays in registers through the loop.
    let mut own = decoder.clone();
    let stretches = means.chunks_mut(STRETCH).zip(residuals.chunks_mut(STRETCH));
    for (means, residuals) in stretches {
        let mut contexts = [0; STRETCH];
        for (context, mean) in contexts.iter_mut().zip(&*means) {
            *context = model::context(*mean);
        }
        let (contexts, rest_contexts) = contexts[..means.len()].as_chunks::<LANES>();
        let (fours, rest) = residuals.as_chunks_mut::<LANES>();
        for (contexts, four) in contexts.iter().zip(fours) {
            *four = tables.decode(&mut own, *contexts);
        }
        // The last one to three channels go by the first lanes; `decode` wants
        // their number at compile time.
        match (rest_contexts, rest) {
            (&[a], [one]) => [*one] = tables.decode(&mut own, [a]),
            (&[a, b], [one, two]) => [*one, *two] = tables.decode(&mut own, [a, b]),
            (&[a, b, c], [one, two, three]) => {
                [*one, *two, *three] = tables.decode(&mut own, [a, b, c]);
            }
            _ => {}
        }
        for (mean, residual) in means.iter_mut().zip(residuals) {
            *mean = model::updated(*mean, residual.abs());
        }
    }
    *decoder = own;
}
