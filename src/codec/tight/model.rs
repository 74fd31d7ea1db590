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
pub(super) const ROWS: usize = 23;
/// Symbols of a table: magnitudes 0 to 14 as far as they are likely, and 15 for
/// "more follows".
const SYMBOLS: usize = 16;
/// The symbol of values that have none of their own.
const ESCAPE: i8 = -(SYMBOLS as i8);
/// Bits of the field that holds the length of an escaped magnitude.
const ESCAPE_LENGTH_BITS: u32 = 5;
const MAX_ESCAPE_LENGTH: u32 = 26;
/// Low bits stored raw at most; a row beyond uses the last table.
const MAX_SHIFT: usize = 6;
const CONTEXTS: usize = ROWS - 2 + 2 * MAX_SHIFT;

/// Largest magnitude a residual may have; the decoder holds to it.
pub(super) const MAX_MAGNITUDE: i32 = 1 << 24;

#[rustfmt::skip]
const FREQUENCIES: [[u16; SYMBOLS]; ROWS] = [
    [4067, 25, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [3978, 99, 7, 6, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1],
    [3948, 125, 7, 8, 3, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1],
    [3935, 136, 9, 7, 3, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1],
    [3924, 143, 9, 10, 4, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1],
    [3885, 175, 13, 12, 4, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1],
    [3855, 200, 16, 13, 5, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1],
    [3820, 229, 19, 14, 5, 3, 2, 1, 1, 1, 0, 0, 0, 0, 0, 1],
    [3709, 310, 31, 24, 9, 4, 2, 1, 1, 1, 1, 1, 1, 0, 0, 1],
    [3641, 364, 38, 27, 10, 5, 3, 2, 1, 1, 1, 1, 1, 0, 0, 1],
    [3528, 444, 51, 36, 15, 8, 4, 2, 2, 1, 1, 1, 1, 1, 0, 1],
    [3413, 519, 69, 49, 19, 9, 5, 3, 2, 1, 1, 1, 1, 1, 1, 2],
    [3210, 663, 95, 65, 27, 13, 7, 4, 2, 2, 1, 1, 1, 1, 1, 3],
    [2914, 828, 155, 100, 42, 21, 12, 7, 4, 3, 2, 1, 1, 1, 1, 4],
    [2608, 949, 236, 147, 66, 33, 18, 11, 7, 5, 3, 2, 2, 1, 1, 7],
    [2274, 1015, 319, 225, 106, 56, 33, 19, 12, 8, 6, 4, 3, 2, 2, 12],
    [1950, 1007, 389, 317, 167, 94, 54, 34, 21, 15, 10, 7, 5, 4, 2, 20],
    [1646, 945, 413, 398, 234, 147, 89, 58, 40, 26, 19, 14, 11, 8, 6, 42],
    [1365, 843, 406, 449, 299, 202, 140, 96, 68, 48, 34, 27, 19, 15, 12, 73],
    [1122, 730, 365, 455, 339, 249, 182, 138, 101, 77, 61, 49, 37, 29, 23, 139],
    [906, 615, 310, 436, 339, 278, 217, 174, 139, 108, 88, 72, 60, 48, 41, 265],
    [1267, 737, 520, 371, 263, 188, 138, 103, 79, 63, 50, 40, 32, 26, 21, 198],
    [878, 559, 442, 343, 271, 217, 174, 140, 113, 92, 77, 66, 55, 48, 42, 579],
];

/// A running mean of magnitudes in 1/256.
pub(super) type Mean = i32;

/// 1 in the units of [`Mean`].
pub(super) const MEAN_ONE: Mean = 256;

/// The mean after one more magnitude.
#[inline]
pub(super) fn updated(mean: Mean, magnitude: i32) -> Mean {
    mean + (((magnitude.min(1 << 15) * MEAN_ONE - mean) * 3) >> 3)
}

/// Which distribution the next residual of a channel comes from: two to an
/// octave of its mean. The number's floating-point form has both the octave
/// and the half of it on top, so that many are found at once without a branch.
#[inline]
pub(super) fn context(mean: Mean) -> usize {
    const TWO: i32 = (2.0f32.to_bits() >> 22) as i32;
    let halves_of_octaves = ((mean as f32).to_bits() >> 22) as i32;
    (halves_of_octaves - TWO + 1).clamp(0, CONTEXTS as i32 - 1) as usize
}

/// A frequency table made ready for both directions. Each likely value has a
/// symbol of its own; the frequency of a magnitude is shared by its two signs,
/// or is that of the magnitude alone where signs are stored apart.
struct Row {
    /// Symbol of every slot: a value, or [`ESCAPE`].
    symbols: [i8; 1 << PROBABILITY_BITS],
    /// The first slot of the zero, which has all slots from there on. Looking
    /// no further keeps the tables in the nearest cache.
    first_of_zero: u16,
    /// First slot and number of slots of every symbol, counted from
    /// −[`SYMBOLS`].
    spans: [(u16, u16); 2 * SYMBOLS],
    /// Magnitudes below this have symbols of their own.
    direct: i32,
    /// Low bits that are stored raw, with the sign.
    shift: u32,
}

impl Row {
    fn new(frequencies: &[u16; SYMBOLS], shift: u32) -> Self {
        let direct = frequencies[..SYMBOLS - 1]
            .iter()
            .take_while(|&&f| f > 0)
            .count();
        let mut row = Self {
            symbols: [0; 1 << PROBABILITY_BITS],
            first_of_zero: 0,
            spans: [(0, 0); 2 * SYMBOLS],
            direct: direct as i32,
            shift,
        };
        let mut start = 0;
        for (magnitude, &frequency) in (1..).zip(&frequencies[1..direct]) {
            if shift == 0 {
                // Both signs need a slot; the zero, always frequent, pays.
                row.fill(magnitude, frequency.div_ceil(2), &mut start);
                row.fill(-magnitude, frequency.div_ceil(2), &mut start);
            } else {
                row.fill(magnitude, frequency, &mut start);
            }
        }
        row.fill(ESCAPE, frequencies[SYMBOLS - 1], &mut start);
        row.first_of_zero = start;
        let rest = (1 << PROBABILITY_BITS) - start;
        row.fill(0, rest, &mut start);
        row
    }

    fn fill(&mut self, symbol: i8, frequency: u16, start: &mut u16) {
        self.spans[span_index(symbol)] = (*start, frequency);
        let end = *start + frequency;
        self.symbols[usize::from(*start)..usize::from(end)].fill(symbol);
        *start = end;
    }

    /// Symbol of a value, and what an escape has to add: the excess and the
    /// sign in one number from 1 on.
    fn symbol(&self, value: i32) -> (i8, Option<u32>) {
        match value.abs() - self.direct {
            ..0 => (value as i8, None),
            above => (ESCAPE, Some(2 * above as u32 + u32::from(value < 0) + 1)),
        }
    }
}

#[inline]
fn span_index(symbol: i8) -> usize {
    (i32::from(symbol) + SYMBOLS as i32) as usize & (2 * SYMBOLS - 1)
}

/// All tables; made once and shared.
pub(super) struct Tables {
    /// One per context.
    rows: Vec<Row>,
    /// Bits of small values in every context: value + [`PRICED`], row-wise.
    prices: Vec<[f32; 2 * PRICED as usize + 1]>,
}

/// Values up to this size have their cost looked up.
const PRICED: i32 = 16;

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let row = |context| Row::new(&FREQUENCIES[row_of(context)], shift_of(context));
    let mut tables = Tables {
        rows: (0..CONTEXTS).map(row).collect(),
        prices: Vec::new(),
    };
    tables.prices = (0..CONTEXTS)
        .map(|context| std::array::from_fn(|at| tables.work_out_bits(context, at as i32 - PRICED)))
        .collect();
    tables
});

impl Tables {
    /// The tables.
    pub fn get() -> &'static Self {
        &TABLES
    }

    /// Writes a residual; [`Self::decode`] mirrors it.
    pub fn encode(&self, encoder: &mut Encoder, context: usize, residual: i32) {
        let row = &self.rows[context];
        let shift = row.shift;
        let value = if shift > 0 {
            folded(residual) >> shift
        } else {
            residual
        };
        let (symbol, escaped) = row.symbol(value);
        let (start, frequency) = row.spans[span_index(symbol)];
        encoder.symbol(start, frequency);
        if let Some(escaped) = escaped {
            write_escape(encoder, escaped);
        }
        if shift > 0 {
            let low = folded(residual) as u32 & ((1 << shift) - 1);
            encoder.bits(low << 1 | u32::from(residual < 0), shift + 1);
        }
    }

    /// Reads a residual.
    #[inline(always)]
    pub fn decode(&self, decoder: &mut Decoder<'_>, context: usize) -> i32 {
        let row = &self.rows[context];
        let symbol = row.symbols[usize::from(decoder.slot().min(row.first_of_zero))];
        let (start, frequency) = row.spans[span_index(symbol)];
        decoder.advance(start, frequency);
        let mut value = i32::from(symbol);
        if symbol == ESCAPE {
            value = read_escaped(row, decoder);
        }
        if row.shift > 0 {
            value = read_low_bits(row.shift, value, decoder);
        }
        value
    }

    /// What [`Self::encode`] would spend, in bits.
    #[inline]
    pub fn cost_bits(&self, context: usize, residual: i32) -> f32 {
        match self.prices[context].get((residual + PRICED) as usize) {
            Some(&bits) => bits,
            None => self.work_out_bits(context, residual),
        }
    }

    fn work_out_bits(&self, context: usize, residual: i32) -> f32 {
        let row = &self.rows[context];
        let shift = row.shift;
        let value = if shift > 0 {
            folded(residual) >> shift
        } else {
            residual
        };
        let (symbol, escaped) = row.symbol(value);
        let frequency = row.spans[span_index(symbol)].1;
        let mut bits = PROBABILITY_BITS as f32 - f32::from(frequency).log2();
        if let Some(escaped) = escaped {
            bits += (ESCAPE_LENGTH_BITS + escaped.ilog2()) as f32;
        }
        if shift > 0 {
            bits + (shift + 1) as f32
        } else {
            bits
        }
    }
}

/// Magnitude of a residual when its sign is stored apart: there is no −0, so
/// negative ones start from −1.
fn folded(residual: i32) -> i32 {
    residual ^ (residual >> 31)
}

/// The table of a context. The last two serve all contexts beyond the others.
fn row_of(context: usize) -> usize {
    if context < ROWS - 2 {
        context
    } else {
        ROWS - 2 + (context - (ROWS - 2)) % 2
    }
}

/// Number of low bits that are stored raw in a context.
fn shift_of(context: usize) -> u32 {
    if context < ROWS - 2 {
        0
    } else {
        ((context - (ROWS - 2)) / 2 + 1) as u32
    }
}

/// A large residual from what its symbol says of it.
#[inline]
fn read_low_bits(shift: u32, value: i32, decoder: &mut Decoder<'_>) -> i32 {
    let raw = decoder.bits(shift + 1) as i32;
    let magnitude = (value.wrapping_abs() << shift | raw >> 1).min(MAX_MAGNITUDE);
    if raw & 1 == 1 {
        -magnitude - 1
    } else {
        magnitude
    }
}

#[cold]
fn read_escaped(row: &Row, decoder: &mut Decoder<'_>) -> i32 {
    let number = read_escape(decoder) - 1;
    let magnitude = row.direct + (number >> 1) as i32;
    let magnitude = magnitude.min(MAX_MAGNITUDE);
    if number & 1 == 1 {
        -magnitude
    } else {
        magnitude
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
            assert!(
                direct > 0 && frequencies[SYMBOLS - 1] > 0 && escape_alone,
                "row {row}"
            );
        }
    }

    #[test]
    fn residuals_of_every_size_survive_every_context() {
        let tables = Tables::get();
        let sizes = [
            0,
            1,
            2,
            14,
            15,
            16,
            17,
            1000,
            65_535,
            1 << 20,
            MAX_MAGNITUDE,
        ];
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
        let (mut mean, mut bits) = (0, 0.0);
        for i in 0..5000i32 {
            let residual = (i * i % 31 - 15) * (i % 7) / 4 * (1 + i / 1000);
            let context = context(mean);
            tables.encode(&mut encoder, context, residual);
            bits += tables.cost_bits(context, residual);
            mean = updated(mean, residual.abs());
        }
        let found = encoder.finish().len() as f32 * 8.0;
        assert!((found / bits - 1.0).abs() < 0.002, "{found} is not {bits}");
    }

    #[test]
    fn flags_survive() {
        let flags = [false, true, false, false, true, true];
        let mut encoder = Encoder::default();
        flags
            .iter()
            .for_each(|&flag| write_flag(&mut encoder, flag));
        let bytes = encoder.finish();
        let mut decoder = Decoder::new(&bytes);
        assert!(flags.iter().all(|&flag| read_flag(&mut decoder) == flag));
    }
}
