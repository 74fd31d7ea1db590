//! Rows of residuals, one per coded channel of a frame, to and from a stream.

use super::{
    couple::Coupling,
    model::{self, MEAN_ONE, Mean, Tables},
    rans::{Decoder, Encoder},
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
        Tables::get().encode(encoder, model::context(self.mean, 0), value);
        self.mean = model::updated(self.mean, value.abs());
    }

    pub fn read(&mut self, decoder: &mut Decoder<'_>) -> i32 {
        let value = Tables::get().decode(decoder, model::context(self.mean, 0));
        self.mean = model::updated(self.mean, value.abs());
        value
    }
}

/// Means with which the first knot, far from zero, is coded.
const FIRST_KNOT: Mean = 32 * MEAN_ONE;
/// Means with which the second knot is coded.
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
        if self.rows == 1 {
            self.means.fill(SECOND_KNOT);
        }
        self.rows += 1;
    }

    /// Bits of a row, which is also written when there is an encoder.
    pub fn write(&mut self, residuals: &[i32], encoder: Option<&mut Encoder>) -> f32 {
        self.begin();
        write_row(&mut self.means, residuals, encoder)
    }

    pub fn read(
        &mut self,
        decoder: &mut Decoder<'_>,
        tools: &RowTools<'_>,
        missed: &mut [f32],
        row: &mut [f32],
    ) {
        self.begin();
        read_row(&mut self.means, decoder, tools, missed, row);
    }
}

/// Bits of a row of residuals, which is also written when there is an encoder.
pub(super) fn write_row(
    means: &mut [Mean],
    residuals: &[i32],
    mut encoder: Option<&mut Encoder>,
) -> f32 {
    let tables = Tables::get();
    let (mut neighbour, mut last) = (0, 0);
    let mut bits = 0.0;
    for (mean, &residual) in means.iter_mut().zip(residuals) {
        let context = model::context(*mean, neighbour);
        bits += tables.cost_bits(context, residual);
        if let Some(encoder) = &mut encoder {
            tables.encode(encoder, context, residual);
        }
        neighbour = last;
        last = residual.abs();
        *mean = model::updated(*mean, last);
    }
    bits
}

/// What turns residuals into values.
#[derive(Clone, Copy)]
pub(super) struct RowTools<'a> {
    /// One step per channel.
    pub steps: &'a [f32],
    /// What all steps are multiplied by.
    pub boost: f32,
    pub coupling: &'a Coupling,
}

impl RowTools<'_> {
    /// What channel `at` misses of its prediction from other frames, given its
    /// residual and what the channels before it missed.
    #[inline]
    pub fn missed(&self, at: usize, residual: i32, missed: &[f32]) -> f32 {
        self.coupling.expected(at, missed) + residual as f32 * (self.steps[at] * self.boost)
    }
}

/// Adds a row of residuals, as [`write_row`] wrote it, to a predicted row.
/// `missed` is memory as long as a row.
#[inline]
pub(super) fn read_row(
    means: &mut [Mean],
    decoder: &mut Decoder<'_>,
    tools: &RowTools<'_>,
    missed: &mut [f32],
    row: &mut [f32],
) {
    let tables = Tables::get();
    let mut local = decoder.clone();
    let (mut neighbour, mut last) = (0, 0);
    for (at, (mean, value)) in means.iter_mut().zip(row).enumerate() {
        let residual = tables.decode(&mut local, model::context(*mean, neighbour));
        missed[at] = tools.missed(at, residual, missed);
        *value += missed[at];
        neighbour = last;
        last = residual.abs();
        *mean = model::updated(*mean, last);
    }
    *decoder = local;
}
