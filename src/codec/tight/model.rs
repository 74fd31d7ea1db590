//! How likely a residual is: static tables chosen by the residuals before it.
//!
//! Every channel keeps a running mean of its residuals' magnitudes. That mean,
//! with a little of the magnitude just coded for the channel next to it, picks
//! one of [`ROWS`] frequency tables, half an octave apart; past the last one the
//! low bits of a residual are as good as random and are stored raw. Nothing is
//! learnt and nothing is transmitted, so that a block of frames can start
//! anywhere at no cost.
//!
//! The tables were counted over CMU and HDM05 captures at tolerances of 0.01,
//! 0.1 and 1 cm. They describe how
//! residuals spread once their size is known; other motion, other noise and
//! other tolerances use other rows, not other tables.

use std::sync::LazyLock;

use super::rans::{Decoder, Encoder, MAX_RAW_BITS, PROBABILITY_BITS};

/// Number of tables.
pub(super) const ROWS: usize = 21;
/// Symbols of a table: magnitudes 0 to 14 as far as they are likely, and 15 for
/// "more follows".
const SYMBOLS: usize = 16;
const ESCAPE: usize = SYMBOLS - 1;
/// Bits of the field that holds the length of an escaped magnitude.
const ESCAPE_LENGTH_BITS: u32 = 5;
const MAX_ESCAPE_LENGTH: u32 = 24;
/// Low bits stored raw at most; a row beyond uses the last table.
const MAX_SHIFT: usize = 6;
const CONTEXTS: usize = ROWS + 2 * MAX_SHIFT;

/// Largest magnitude a residual may have; the decoder holds to it.
pub(super) const MAX_MAGNITUDE: i32 = 1 << 24;

#[rustfmt::skip]
const FREQUENCIES: [[u16; SYMBOLS]; ROWS] = [
    [4075, 19, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [3993, 90, 5, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1],
    [3936, 149, 8, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [3916, 158, 14, 6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [3917, 161, 13, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [3857, 222, 12, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [3821, 255, 15, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [3766, 304, 19, 3, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [3603, 443, 38, 6, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1],
    [3518, 513, 45, 10, 4, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1],
    [3368, 625, 73, 16, 7, 3, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1],
    [3127, 811, 111, 24, 8, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    [2943, 941, 141, 38, 13, 6, 3, 2, 1, 1, 1, 1, 1, 1, 1, 2],
    [2507, 1199, 258, 73, 26, 12, 7, 3, 3, 2, 1, 1, 1, 1, 0, 2],
    [2117, 1339, 393, 130, 54, 24, 13, 7, 4, 3, 2, 2, 1, 1, 1, 5],
    [1729, 1383, 544, 215, 98, 52, 25, 14, 9, 6, 4, 3, 2, 2, 2, 8],
    [1376, 1309, 670, 328, 171, 87, 49, 28, 20, 13, 8, 6, 5, 5, 3, 18],
    [1074, 1126, 709, 422, 257, 159, 97, 61, 40, 29, 20, 17, 13, 8, 7, 57],
    [821, 946, 680, 476, 326, 225, 158, 109, 80, 59, 39, 31, 24, 19, 15, 88],
    [889, 755, 557, 415, 314, 238, 180, 139, 109, 83, 65, 53, 40, 34, 27, 198],
    [639, 582, 477, 386, 308, 255, 211, 174, 143, 119, 99, 82, 68, 58, 49, 446],
];

/// A running mean of magnitudes in 1/256.
pub(super) type Mean = i32;

/// 1 in the units of [`Mean`].
pub(super) const MEAN_ONE: Mean = 256;

/// The mean after one more magnitude.
#[inline]
pub(super) fn updated(mean: Mean, magnitude: i32) -> Mean {
    mean + ((magnitude.min(1 << 16) * MEAN_ONE - mean) * 3 >> 3)
}

/// Which distribution the next residual of a channel comes from: its mean, and
/// the magnitude just coded for the channel before it in the same frame.
#[inline]
pub(super) fn context(mean: Mean, neighbour: i32) -> usize {
    let activity = (mean + neighbour.min(1 << 16) * 22) as u32;
    if activity < 2 {
        return 0;
    }
    let octave = activity.ilog2();
    let upper_half = activity >> (octave - 1) & 1;
    ((2 * octave + upper_half) as usize - 1).min(CONTEXTS - 1)
}

/// A frequency table made ready for both directions.
struct Row {
    /// Symbol of every slot.
    symbols: [u8; 1 << PROBABILITY_BITS],
    /// First slot and number of slots of every symbol.
    spans: [(u16, u16); SYMBOLS],
    /// Bits that a symbol costs.
    costs: [f32; SYMBOLS],
    /// Magnitudes below this have a symbol of their own.
    direct: u32,
}

impl Row {
    /// Symbol of a magnitude, and what an escape has to add.
    #[inline]
    fn symbol(&self, token: u32) -> (usize, Option<u32>) {
        match token.checked_sub(self.direct) {
            None => (token as usize, None),
            Some(above) => (ESCAPE, Some(above + 1)),
        }
    }

    fn new(frequencies: &[u16; SYMBOLS]) -> Self {
        let mut row = Self {
            symbols: [0; 1 << PROBABILITY_BITS],
            spans: [(0, 0); SYMBOLS],
            costs: [0.0; SYMBOLS],
            direct: frequencies[..ESCAPE].iter().take_while(|&&f| f > 0).count() as u32,
        };
        let mut start = 0;
        for (symbol, &frequency) in frequencies.iter().enumerate() {
            row.spans[symbol] = (start, frequency);
            row.costs[symbol] = PROBABILITY_BITS as f32 - f32::from(frequency).log2();
            let end = start + frequency;
            row.symbols[usize::from(start)..usize::from(end)].fill(symbol as u8);
            start = end;
        }
        row
    }
}

/// All tables; made once and shared.
pub(super) struct Tables {
    rows: Vec<Row>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
    rows: FREQUENCIES.iter().map(Row::new).collect(),
});

/// Row and number of raw low bits of a context.
#[inline]
fn row_and_shift(context: usize) -> (usize, u32) {
    if context < ROWS {
        return (context, 0);
    }
    let shift = (context - ROWS) / 2 + 1;
    (context - 2 * shift, shift as u32)
}

impl Tables {
    /// The tables.
    pub fn get() -> &'static Self {
        &TABLES
    }

    /// Writes a residual; [`Self::decode`] mirrors it.
    pub fn encode(&self, encoder: &mut Encoder, context: usize, residual: i32) {
        let (row, shift) = row_and_shift(context);
        let magnitude = residual.unsigned_abs();
        let (symbol, escaped) = self.rows[row].symbol(magnitude >> shift);
        let (start, frequency) = self.rows[row].spans[symbol];
        encoder.symbol(start, frequency);
        if let Some(escaped) = escaped {
            write_escape(encoder, escaped);
        }
        encoder.bits(magnitude & ((1 << shift) - 1), shift);
        if magnitude != 0 {
            encoder.bits(u32::from(residual < 0), 1);
        }
    }

    /// Reads a residual.
    #[inline]
    pub fn decode(&self, decoder: &mut Decoder<'_>, context: usize) -> i32 {
        let (row, shift) = row_and_shift(context);
        let row = &self.rows[row];
        let symbol = row.symbols[usize::from(decoder.slot())];
        let (start, frequency) = row.spans[usize::from(symbol)];
        decoder.advance(start, frequency);
        let mut magnitude = u32::from(symbol);
        if usize::from(symbol) == ESCAPE {
            magnitude = row.direct + read_escape(decoder) - 1;
        }
        if shift > 0 {
            magnitude = magnitude << shift | decoder.bits(shift);
        }
        if magnitude == 0 {
            return 0;
        }
        let magnitude = magnitude.min(MAX_MAGNITUDE as u32) as i32;
        if decoder.bits(1) == 1 {
            -magnitude
        } else {
            magnitude
        }
    }

    /// What [`Self::encode`] would spend, in bits.
    #[inline]
    pub fn cost_bits(&self, context: usize, residual: i32) -> f32 {
        let (row, shift) = row_and_shift(context);
        let magnitude = residual.unsigned_abs();
        let (symbol, escaped) = self.rows[row].symbol(magnitude >> shift);
        let mut bits = self.rows[row].costs[symbol] + shift as f32;
        if let Some(escaped) = escaped {
            bits += (ESCAPE_LENGTH_BITS + escaped.ilog2()) as f32;
        }
        bits + f32::from(u8::from(magnitude != 0))
    }
}

/// A number from 1 on: the length of what follows its leading one bit, then
/// that.
fn write_escape(encoder: &mut Encoder, value: u32) {
    let length = value.ilog2();
    encoder.bits(length, ESCAPE_LENGTH_BITS);
    let low = length.min(MAX_RAW_BITS);
    encoder.bits(value & ((1 << low) - 1), low);
    encoder.bits((value & ((1 << length) - 1)) >> low, length - low);
}

#[cold]
fn read_escape(decoder: &mut Decoder<'_>) -> u32 {
    let length = decoder.bits(ESCAPE_LENGTH_BITS).min(MAX_ESCAPE_LENGTH);
    let low = length.min(MAX_RAW_BITS);
    let value = decoder.bits(low);
    1 << length | value | decoder.bits(length - low) << low
}

/// Frequency of the usual answer to a [`write_flag`], out of 2¹².
const USUAL: u16 = 3840;

/// A yes or no that is nearly always no.
pub(super) fn write_flag(encoder: &mut Encoder, unusual: bool) {
    if unusual {
        encoder.symbol(USUAL, (1 << PROBABILITY_BITS) - USUAL);
    } else {
        encoder.symbol(0, USUAL);
    }
}

/// Reads what [`write_flag`] wrote.
pub(super) fn read_flag(decoder: &mut Decoder<'_>) -> bool {
    let unusual = decoder.slot() >= USUAL;
    if unusual {
        decoder.advance(USUAL, (1 << PROBABILITY_BITS) - USUAL);
    } else {
        decoder.advance(0, USUAL);
    }
    unusual
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_a_distribution() {
        for (row, frequencies) in FREQUENCIES.iter().enumerate() {
            let sum: u32 = frequencies.iter().map(|&f| u32::from(f)).sum();
            assert_eq!(sum, 1 << PROBABILITY_BITS, "row {row}");
            let direct = frequencies.iter().take_while(|&&f| f > 0).count();
            let rest = &frequencies[direct..];
            let escape_alone = rest.iter().rev().skip(1).all(|&f| f == 0);
            assert!(direct > 0 && frequencies[ESCAPE] > 0 && escape_alone, "row {row}");
        }
    }

    #[test]
    fn residuals_of_every_size_survive_every_context() {
        let tables = Tables::get();
        let sizes = [0, 1, 2, 14, 15, 16, 17, 1000, 65_535, 1 << 20, MAX_MAGNITUDE];
        let residuals = || sizes.iter().flat_map(|&size| [size, -size]);
        let mut encoder = Encoder::default();
        for context in 0..CONTEXTS {
            residuals().for_each(|residual| tables.encode(&mut encoder, context, residual));
        }
        let bytes = encoder.finish();
        let mut decoder = Decoder::new(&bytes);
        for context in 0..CONTEXTS {
            for residual in residuals() {
                let found = tables.decode(&mut decoder, context);
                assert_eq!(found, residual, "context {context}");
            }
        }
    }

    #[test]
    fn estimated_and_real_cost_agree() {
        let tables = Tables::get();
        let mut encoder = Encoder::default();
        let (mut mean, mut neighbour, mut bits) = (0, 0, 0.0);
        for i in 0..5000i32 {
            let residual = (i * i % 31 - 15) * (i % 7) / 4 * (1 + i / 1000);
            let context = context(mean, neighbour);
            tables.encode(&mut encoder, context, residual);
            bits += tables.cost_bits(context, residual);
            mean = updated(mean, residual.abs());
            neighbour = residual.abs();
        }
        let found = encoder.finish().len() as f32 * 8.0;
        assert!((found / bits - 1.0).abs() < 0.002, "{found} is not {bits}");
    }

    #[test]
    fn flags_survive() {
        let flags = [false, true, false, false, true, true];
        let mut encoder = Encoder::default();
        flags.iter().for_each(|&flag| write_flag(&mut encoder, flag));
        let bytes = encoder.finish();
        let mut decoder = Decoder::new(&bytes);
        assert!(flags.iter().all(|&flag| read_flag(&mut decoder) == flag));
    }
}
