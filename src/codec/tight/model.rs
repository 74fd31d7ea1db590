//! How likely a residual is: static tables chosen by the residuals before it.
//!
//! Every channel keeps a running mean of its residuals' magnitudes. That mean
//! picks one of [`ROWS`] frequency tables, half an octave apart; past the last one
//! the low bits of a residual are as good as random and are stored raw. Nothing is
//! learnt and nothing is transmitted, so that a block of frames can start
//! anywhere at no cost.
//!
//! The tables were counted over CMU and HDM05 captures at tolerances of 0.01,
//! 0.1 and 1 cm. They describe how
//! residuals spread once their size is known; other motion, other noise and
//! other tolerances use other rows, not other tables.

use std::sync::LazyLock;

use super::tans::{
    Decoder, Encoder, MAX_LANES, MAX_RAW_BITS, STATE_BITS, STATES, SYMBOL_LIMIT, Table,
};

/// Number of tables: contexts 0 to 20 have one each, the last two serve all
/// means from 8 on.
pub(super) const ROWS: usize = 23;
/// Symbols of a table: magnitudes 0 to 14 as far as they are likely, and 15 for
/// "more follows".
const SYMBOLS: usize = 16;
/// The symbol of values that have none of their own.
const ESCAPE: i8 = -SYMBOL_LIMIT as i8;
/// Bits of the field that holds the length of an escaped magnitude.
const ESCAPE_LENGTH_BITS: u32 = 5;
/// An excess of 2²⁴ with its sign has 25 bits after the first; what a damaged
/// stream claims stays within an `i32`.
const MAX_ESCAPE_LENGTH: u32 = 26;
/// Low bits stored raw at most; a row beyond uses the last table.
const MAX_SHIFT: usize = 6;
const CONTEXTS: usize = FIRST_SHIFTED + 2 * MAX_SHIFT;
/// The first context in which low bits are stored raw.
const FIRST_SHIFTED: usize = ROWS - 2;

/// Largest magnitude a residual may have; the decoder holds to it.
pub(super) const MAX_MAGNITUDE: i32 = 1 << 24;

/// The counts are kept finer than [`STATES`] can follow, so that the number of
/// states can change without counting anew.
const PARTS_BITS: u32 = 12;

/// In parts of 2 to the [`PARTS_BITS`].
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
    // An exponential moving average of weight 3/8, in integers so that all
    // machines agree. The cap keeps 3 · 2¹⁵ · 256 within 32 bits; contexts end
    // long before it.
    mean + (((magnitude.min(1 << 15) * MEAN_ONE - mean) * 3) >> 3)
}

/// Which distribution the next residual of a channel comes from: two to an
/// octave of its mean. The number's floating-point form has both the octave
/// and the half of it on top, so that many are found at once without a branch.
#[inline]
pub(super) fn context(mean: Mean) -> usize {
    // Exponent and first bit of the fraction, so two steps an octave: means 0
    // and 1 are context 0, then 2, 3, 4–5, 6–7, 8–11 are 1 to 5.
    const TWO: i32 = (2.0f32.to_bits() >> 22) as i32;
    let halves_of_octaves = ((mean as f32).to_bits() >> 22) as i32;
    (halves_of_octaves - TWO + 1).clamp(0, CONTEXTS as i32 - 1) as usize
}

/// A frequency table made ready for both directions. Each likely value has a
/// symbol of its own; the frequency of a magnitude is shared by its two signs,
/// or is that of the magnitude alone where signs are stored apart.
struct Row {
    table: Table,
    /// Magnitudes below this have symbols of their own.
    direct: i32,
    /// Low bits that are stored raw, with the sign.
    shift: u32,
}

/// Frequencies below this, for both signs, get no symbol of their own.
const LEAST_FREQUENCY: u16 = 2;

impl Row {
    fn new(frequencies: &[u16; SYMBOLS], shift: u32) -> Self {
        let magnitudes = &frequencies[..SYMBOLS - 1];
        // Frequencies fade out towards large magnitudes: the likely ones are a
        // prefix.
        let direct = magnitudes
            .iter()
            .take_while(|&&frequency| frequency >= LEAST_FREQUENCY)
            .count();
        let states = |frequency: u16, sharing: u16| {
            // 8 parts make a state, 16 where two signs share a frequency;
            // rounded, but nothing that may occur is left without a state.
            let whole = sharing * (1 << PARTS_BITS >> STATE_BITS);
            ((frequency + whole / 2) / whole).max(1)
        };
        let mut symbols = Vec::new();
        for (magnitude, &frequency) in (1..).zip(&frequencies[1..direct]) {
            if shift == 0 {
                // Residuals are as often negative as positive: both signs get
                // the same and need no bit of their own.
                let each = states(frequency, 2);
                symbols.extend([(magnitude, each), (-magnitude, each)]);
            } else {
                symbols.push((magnitude, states(frequency, 1)));
            }
        }
        symbols.push((ESCAPE, states(frequencies[direct..].iter().sum(), 1)));
        // The zero, always frequent, pays for what was rounded up.
        let taken: u16 = symbols.iter().map(|symbol| symbol.1).sum();
        symbols.push((0, STATES as u16 - taken));
        Self {
            table: Table::new(&symbols),
            direct: direct as i32,
            shift,
        }
    }

    /// Symbol of a residual.
    fn symbol(&self, residual: i32) -> i8 {
        let value = self.value(residual);
        if value.abs() < self.direct {
            value as i8
        } else {
            ESCAPE
        }
    }

    /// What of a residual the symbol has to tell.
    fn value(&self, residual: i32) -> i32 {
        if self.shift > 0 {
            folded(residual) >> self.shift
        } else {
            residual
        }
    }

    /// What an escape has to add: the excess and the sign in one number from
    /// 1 on.
    fn escaped(&self, value: i32) -> Option<u32> {
        let above = u32::try_from(value.abs() - self.direct).ok()?;
        Some(2 * above + u32::from(value < 0) + 1)
    }

    /// Writes what the symbol of a residual leaves open.
    fn write_rest(&self, encoder: &mut Encoder, residual: i32) {
        // Order as in `read_rest`: the excess first, then the low bits.
        if let Some(escaped) = self.escaped(self.value(residual)) {
            write_escape(encoder, escaped);
        }
        if self.shift > 0 {
            let low = folded(residual) as u32 & ((1 << self.shift) - 1);
            encoder.bits(low << 1 | u32::from(residual < 0), self.shift + 1);
        }
    }

    /// The residual, given its symbol.
    #[inline(always)]
    fn read_rest(&self, decoder: &mut Decoder<'_>, symbol: i8) -> i32 {
        let mut value = i32::from(symbol);
        if symbol == ESCAPE {
            value = read_escaped(self, decoder);
        }
        if self.shift > 0 {
            value = read_low_bits(self.shift, value, decoder);
        }
        value
    }

    fn bits(&self, residual: i32) -> f32 {
        let frequency = self.table.frequency(self.symbol(residual));
        // A symbol of f of the STATES states takes log₂(STATES / f) bits.
        let mut bits = STATE_BITS as f32 - f32::from(frequency).log2();
        if let Some(escaped) = self.escaped(self.value(residual)) {
            bits += (ESCAPE_LENGTH_BITS + escaped.ilog2()) as f32;
        }
        if self.shift > 0 {
            bits += (self.shift + 1) as f32;
        }
        bits
    }
}

/// All tables; made once and shared.
pub(super) struct Tables {
    /// One per context.
    rows: Vec<Row>,
    flag: Table,
    /// Bits of small values in every context: value + [`PRICED`], row-wise.
    prices: Vec<[f32; 2 * PRICED as usize + 1]>,
}

/// Values up to this size have their cost looked up.
const PRICED: i32 = 16;

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let row = |context| Row::new(&FREQUENCIES[row_of(context)], shift_of(context));
    let rows: Vec<Row> = (0..CONTEXTS).map(row).collect();
    let prices = |row: &Row| std::array::from_fn(|at| row.bits(at as i32 - PRICED));
    Tables {
        prices: rows.iter().map(prices).collect(),
        rows,
        flag: Table::new(&[(0, USUAL), (1, STATES as u16 - USUAL)]),
    }
});

impl Tables {
    /// The tables.
    pub fn get() -> &'static Self {
        &TABLES
    }

    /// Writes residuals that do not depend on each other, one by each lane: all
    /// symbols, then what those leave open. [`Self::decode`] mirrors it.
    pub fn encode(&'static self, encoder: &mut Encoder, residuals: &[(usize, i32)]) {
        debug_assert!(residuals.len() <= MAX_LANES);
        for (lane, &(context, residual)) in residuals.iter().enumerate() {
            let row = &self.rows[context];
            encoder.symbol(&row.table, row.symbol(residual), lane);
        }
        for &(context, residual) in residuals {
            self.rows[context].write_rest(encoder, residual);
        }
    }

    /// Reads one residual by each of the first `N` lanes.
    #[inline(always)]
    pub fn decode<const N: usize>(
        &self,
        decoder: &mut Decoder<'_>,
        contexts: [usize; N],
    ) -> [i32; N] {
        let rows = contexts.map(|context| &self.rows[context]);
        let symbols = decoder.symbols(rows.map(|row| &row.table));
        // Nearly always no lane has an escape or raw bits, and the symbols are
        // the residuals: one branch for all lanes.
        let mut complete = true;
        for (&context, &symbol) in contexts.iter().zip(&symbols) {
            complete &= symbol != ESCAPE && context < FIRST_SHIFTED;
        }
        if complete {
            return symbols.map(i32::from);
        }
        let mut residuals = [0; N];
        for lane in 0..N {
            residuals[lane] = rows[lane].read_rest(decoder, symbols[lane]);
        }
        residuals
    }

    /// What [`Self::encode`] would spend on a residual, in bits.
    #[inline]
    pub fn cost_bits(&self, context: usize, residual: i32) -> f32 {
        // Negative sums wrap to huge indices, which are not in the table.
        match self.prices[context].get((residual + PRICED) as usize) {
            Some(&bits) => bits,
            None => self.rows[context].bits(residual),
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
    // Excess and sign in one number: even ones are positive.
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
    // Elias gamma with the length in binary, in two pieces where it is longer
    // than one call takes.
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

/// Frequency of the usual answer to a [`write_flag`], out of [`STATES`]: the usual
/// one takes 0.09 bits, the other 4.
const USUAL: u16 = 480;

/// A yes or no that is nearly always no.
pub(super) fn write_flag(encoder: &mut Encoder, unusual: bool) {
    encoder.symbol(&Tables::get().flag, i8::from(unusual), 0);
}

/// Reads what [`write_flag`] wrote.
pub(super) fn read_flag(decoder: &mut Decoder<'_>) -> bool {
    decoder.symbols([&Tables::get().flag]) == [1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_a_distribution() {
        for (row, frequencies) in FREQUENCIES.iter().enumerate() {
            let sum: u32 = frequencies.iter().map(|&f| u32::from(f)).sum();
            assert_eq!(sum, 1 << PARTS_BITS, "row {row}");
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
            for residual in residuals() {
                tables.encode(&mut encoder, &[(context, residual), (7, 1)]);
            }
        }
        let bytes = encoder.finish(2);
        let mut decoder = Decoder::new(&bytes, 2);
        for context in 0..CONTEXTS {
            for residual in residuals() {
                let found = tables.decode(&mut decoder, [context, 7]);
                assert_eq!(found, [residual, 1], "context {context}");
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
            tables.encode(&mut encoder, &[(context, residual)]);
            bits += tables.cost_bits(context, residual);
            mean = updated(mean, residual.abs());
        }
        let found = encoder.finish(1).len() as f32 * 8.0;
        assert_close!(found / bits, 1.0, 0.005, "{found} is not {bits}");
    }

    #[test]
    fn flags_survive() {
        let flags = [false, true, false, false, true, true];
        let mut encoder = Encoder::default();
        flags
            .iter()
            .for_each(|&flag| write_flag(&mut encoder, flag));
        let bytes = encoder.finish(1);
        let mut decoder = Decoder::new(&bytes, 1);
        assert!(flags.iter().all(|&flag| read_flag(&mut decoder) == flag));
    }
}
