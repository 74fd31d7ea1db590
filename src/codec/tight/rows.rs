//! Rows of residuals, one per coded channel of a frame, to and from streams.
//!
//! Even and odd channels of a row are two lanes that know nothing of each
//! other. In a block each has a stream of its own: reading a symbol is a chain
//! of steps that wait for one another, and two chains run in the time of one.

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
        Tables::get().encode(encoder, model::context(self.mean), value);
        self.mean = model::updated(self.mean, value.abs());
    }

    pub fn read(&mut self, decoder: &mut Decoder<'_>) -> i32 {
        let value = Tables::get().decode(decoder, model::context(self.mean));
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
    pub fn write(&mut self, residuals: &[i32], mut encoder: Option<&mut Encoder>) -> f32 {
        self.begin();
        (0..LANES)
            .map(|lane| write_lane(lane, &mut self.means, residuals, encoder.as_deref_mut()))
            .sum()
    }

    pub fn read(
        &mut self,
        decoder: &mut Decoder<'_>,
        tools: &RowTools<'_>,
        missed: &mut [f32],
        row: &mut [f32],
    ) {
        self.begin();
        for lane in 0..LANES {
            read_lane(lane, &mut self.means, decoder, missed);
        }
        tools.add(missed, row);
    }
}

/// Streams of a block, and lanes of a row.
pub(super) const LANES: usize = 2;

/// Bits of a row of residuals, which is also written when there are encoders.
pub(super) fn write_row(
    means: &mut [Mean],
    residuals: &[i32],
    encoders: Option<&mut [Encoder; LANES]>,
) -> f32 {
    let [even, odd] = match encoders {
        Some(encoders) => encoders.each_mut().map(Some),
        None => [None, None],
    };
    write_lane(0, means, residuals, even) + write_lane(1, means, residuals, odd)
}

fn write_lane(
    lane: usize,
    means: &mut [Mean],
    residuals: &[i32],
    mut encoder: Option<&mut Encoder>,
) -> f32 {
    let tables = Tables::get();
    let mut bits = 0.0;
    let channels = means.iter_mut().zip(residuals).skip(lane);
    for (mean, &residual) in channels.step_by(LANES) {
        let context = model::context(*mean);
        bits += tables.cost_bits(context, residual);
        if let Some(encoder) = &mut encoder {
            tables.encode(encoder, context, residual);
        }
        *mean = model::updated(*mean, residual.abs());
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
        let own = residual as f32 * (self.steps[at] * self.boost);
        self.coupling.missed(at, own, missed)
    }

    /// Turns a row of residuals into what the prediction missed, and adds it.
    fn add(&self, residuals: &mut [f32], row: &mut [f32]) {
        for (residual, step) in residuals.iter_mut().zip(self.steps) {
            *residual *= step * self.boost;
        }
        self.coupling.spread(residuals);
        for (value, missed) in row.iter_mut().zip(residuals) {
            *value += *missed;
        }
    }
}

/// Adds a row of residuals, as [`write_row`] wrote it, to a predicted row.
/// `missed` is memory as long as a row.
pub(super) fn read_row(
    means: &mut [Mean],
    decoders: &mut [Decoder<'_>; LANES],
    tools: &RowTools<'_>,
    missed: &mut [f32],
    row: &mut [f32],
) {
    read_lanes(means, decoders, missed);
    tools.add(missed, row);
}

/// The residuals of a lane.
fn read_lane(lane: usize, means: &mut [Mean], decoder: &mut Decoder<'_>, residuals: &mut [f32]) {
    let channels = means.iter_mut().zip(residuals).skip(lane);
    for (mean, found) in channels.step_by(LANES) {
        let residual = Tables::get().decode(decoder, model::context(*mean));
        *mean = model::updated(*mean, residual.abs());
        *found = residual as f32;
    }
}

/// Channels that are read in one go; even, so that lanes stay in step.
const STRETCH: usize = 64;

/// The residuals of both lanes, side by side. What needs no symbol is done for
/// many channels at once, before and after.
fn read_lanes(means: &mut [Mean], decoders: &mut [Decoder<'_>; LANES], found: &mut [f32]) {
    let tables = Tables::get();
    let [mut even, mut odd] = decoders.clone();
    for (means, found) in means.chunks_mut(STRETCH).zip(found.chunks_mut(STRETCH)) {
        let mut contexts = [0; STRETCH];
        for (context, mean) in contexts.iter_mut().zip(&*means) {
            *context = model::context(*mean);
        }
        let mut residuals = [0; STRETCH];
        let pairs = means.len() / LANES;
        let channels = contexts.as_chunks::<LANES>().0.iter();
        let channels = channels.zip(residuals.as_chunks_mut::<LANES>().0);
        for (contexts, residuals) in channels.take(pairs) {
            residuals[0] = tables.decode(&mut even, contexts[0]);
            residuals[1] = tables.decode(&mut odd, contexts[1]);
        }
        if !means.len().is_multiple_of(LANES) {
            residuals[LANES * pairs] = tables.decode(&mut even, contexts[LANES * pairs]);
        }
        for ((mean, found), &residual) in means.iter_mut().zip(found).zip(&residuals) {
            *mean = model::updated(*mean, residual.abs());
            *found = residual as f32;
        }
    }
    *decoders = [even, odd];
}
