//! The entropy coder: asymmetric numeral systems, tabled (tANS; J. Duda,
//! "Asymmetric numeral systems", 2013).
//!
//! A coder is in one of [`STATES`] states, and a [`Table`] shares them out to
//! symbols, to each as many as it is likely. To read a symbol is to look up the
//! state: the table names the symbol and where among the symbol's own states
//! this one lies, a number `position` from the symbol's frequency f up to 2f. As
//! many raw bits as bring that number back into the range of states are
//! appended to it, and that is the next state. Nothing is multiplied or divided,
//! and unlikely symbols simply take more bits.
//!
//! Symbols that do not wait for each other may use different states of one
//! stream, its lanes: the processor then reads several at once.
//!
//! The encoder works backwards, so it collects what is to be coded first. A
//! stream is the lanes' first states, then bits as the decoder wants them, low
//! ones first; zeros at the end are not stored. Decoding never fails: bytes that
//! no encoder wrote give some symbols too.

/// Frequencies of a table sum to 2 to this power. More states would follow the
/// frequencies closer, fewer bytes by one in a hundred; but these tables stay in
/// the nearest cache.
pub(super) const STATE_BITS: u32 = 9;
/// Number of states.
pub(super) const STATES: usize = 1 << STATE_BITS;

/// Bits of a symbol, which is a signed number.
const SYMBOL_BITS: u32 = 5;
/// Symbols run from minus this to one less than this.
pub(super) const SYMBOL_LIMIT: i32 = 1 << (SYMBOL_BITS - 1);

/// Most bits that one [`Encoder::bits`] takes.
pub(super) const MAX_RAW_BITS: u32 = 16;

/// Most lanes of a stream.
pub(super) const MAX_LANES: usize = 4;

/// How the states are shared out to symbols.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Of every state: its position among its symbol's and the symbol (5 bits).
    slots: [u16; STATES],
    /// States of every symbol in ascending order, symbol after symbol.
    states: Vec<u16>,
    /// Where the states of each symbol begin, from −[`SYMBOL_LIMIT`] on.
    starts: [u16; 2 * SYMBOL_LIMIT as usize + 1],
}

impl Table {
    /// From symbols and how many states each gets, [`STATES`] in all.
    pub fn new(frequencies: &[(i8, u16)]) -> Self {
        let mut counts = [0u16; 2 * SYMBOL_LIMIT as usize];
        for &(symbol, frequency) in frequencies {
            counts[index(symbol)] = frequency;
        }
        // Prefix sums: the states of a symbol stand together in `states`.
        let mut starts = [0; 2 * SYMBOL_LIMIT as usize + 1];
        for (at, count) in counts.into_iter().enumerate() {
            starts[at + 1] = starts[at] + count;
        }
        debug_assert_eq!(usize::from(starts[starts.len() - 1]), STATES);
        // A stride without a common divisor visits every state once and spreads
        // each symbol evenly: 5/8 of the states plus 3, as in zstd's tables, is
        // odd and far from simple fractions.
        const STRIDE: usize = STATES * 5 / 8 + 3;
        let mut owner = [0u8; STATES];
        let mut state = 0;
        for (at, count) in counts.into_iter().enumerate() {
            for _ in 0..count {
                owner[state] = at as u8;
                state = (state + STRIDE) % STATES;
            }
        }
        let mut table = Self {
            slots: [0; STATES],
            states: vec![0; STATES],
            starts,
        };
        let mut seen = [0u16; 2 * SYMBOL_LIMIT as usize];
        for (state, owner) in owner.into_iter().map(usize::from).enumerate() {
            // A symbol of f states has the positions f to 2f − 1, in the order
            // of its states: whatever f, appended bits bring these back to the
            // range of states.
            let position = counts[owner] + seen[owner];
            table.states[usize::from(starts[owner] + seen[owner])] = state as u16;
            seen[owner] += 1;
            let symbol = owner as u16 ^ (1 << (SYMBOL_BITS - 1)); // two's complement
            table.slots[state] = position << SYMBOL_BITS | symbol;
        }
        table
    }

    /// How many states a symbol has.
    pub fn frequency(&self, symbol: i8) -> u16 {
        let at = index(symbol);
        self.starts[at + 1] - self.starts[at]
    }

    /// What coding `symbol` leads to from a state: bits to write, how many, and
    /// the state before.
    fn encode(&self, state: u32, symbol: i8) -> (u32, u32, u32) {
        let frequency = u32::from(self.frequency(symbol));
        // The state gives away its low bits until what is left lies in f..2f.
        // With as many bits as f it is below 2f; if below f too, one bit less.
        let mut count = state.ilog2() - frequency.ilog2();
        if state >> count < frequency {
            count -= 1;
        }
        let position = (state >> count) - frequency;
        let before = self.states[usize::from(self.starts[index(symbol)]) + position as usize];
        (
            state & ((1 << count) - 1),
            count,
            STATES as u32 + u32::from(before),
        )
    }
}

fn index(symbol: i8) -> usize {
    (i32::from(symbol) + SYMBOL_LIMIT) as usize
}

/// A symbol of a table on a lane, or raw bits.
#[derive(Clone, Copy)]
enum Item {
    Symbol(&'static Table, i8, u8),
    Bits(u16, u8),
}

/// Collects symbols, then writes the stream.
#[derive(Clone, Default)]
pub(super) struct Encoder {
    items: Vec<Item>,
}

impl Encoder {
    /// A symbol of a table, by a lane.
    pub fn symbol(&mut self, table: &'static Table, symbol: i8, lane: usize) {
        self.items.push(Item::Symbol(table, symbol, lane as u8));
    }

    /// `count` bits (at most [`MAX_RAW_BITS`]) that nothing is known about.
    pub fn bits(&mut self, value: u32, count: u32) {
        debug_assert!(count <= MAX_RAW_BITS && value >> count == 0);
        self.items.push(Item::Bits(value as u16, count as u8));
    }

    /// The stream of everything collected; the encoder is empty afterwards.
    pub fn finish(&mut self, lanes: usize) -> Vec<u8> {
        // The state the decoder ends in is nobody's business. This one makes
        // the last bits zeros.
        let mut states = [STATES as u32; MAX_LANES];
        let mut pieces = Vec::with_capacity(self.items.len() + lanes);
        // Backwards, since a decoder undoes the last step first: the state it
        // starts from is the one the encoder ends in.
        for item in self.items.drain(..).rev() {
            pieces.push(match item {
                Item::Bits(value, count) => (u32::from(value), u32::from(count)),
                Item::Symbol(table, symbol, lane) => {
                    let state = &mut states[usize::from(lane)];
                    let (value, count, before) = table.encode(*state, symbol);
                    *state = before;
                    (value, count)
                }
            });
        }
        // The pieces are turned round as well: lane 0 comes first.
        let first = states[..lanes].iter().rev();
        pieces.extend(first.map(|state| (state - STATES as u32, STATE_BITS)));
        joined(pieces.into_iter().rev())
    }
}

/// Pieces of (value, bits) one after the other, low bits first; at least a byte.
fn joined(pieces: impl Iterator<Item = (u32, u32)>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut held, mut count) = (0u64, 0);
    for (value, bits) in pieces {
        // At most 7 bits wait for a full byte, and a piece has 16.
        held |= u64::from(value) << count;
        count += bits;
        while count >= 8 {
            bytes.push(held as u8);
            held >>= 8;
            count -= 8;
        }
    }
    bytes.push(held as u8);
    // A decoder reads zeros beyond the end, so zeros need no bytes.
    let used = bytes.iter().rposition(|&byte| byte != 0).unwrap_or(0) + 1;
    bytes.truncate(used);
    bytes
}

/// Reads a stream symbol by symbol.
#[derive(Clone, Debug)]
pub(super) struct Decoder<'a> {
    bytes: &'a [u8],
    /// Bits read so far.
    at: usize,
    states: [u32; MAX_LANES],
}

impl<'a> Decoder<'a> {
    /// Takes the whole of `bytes` as one stream.
    pub fn new(bytes: &'a [u8], lanes: usize) -> Self {
        let mut decoder = Self {
            bytes,
            at: 0,
            states: [STATES as u32; MAX_LANES],
        };
        for lane in 0..lanes {
            decoder.states[lane] = STATES as u32 + decoder.bits(STATE_BITS);
        }
        decoder
    }

    /// The next bits, low ones first: at least 57, zeros after the end.
    #[inline(always)]
    fn window(&self) -> u64 {
        let first = self.at / 8;
        let bytes = match self.bytes.get(first..first + 8) {
            Some(&[a, b, c, d, e, f, g, h]) => [a, b, c, d, e, f, g, h],
            _ => self.last_bytes(first),
        };
        u64::from_le_bytes(bytes) >> (self.at % 8)
    }

    #[cold]
    #[inline(never)]
    fn last_bytes(&self, first: usize) -> [u8; 8] {
        let left = self.bytes.get(first..).unwrap_or_default();
        std::array::from_fn(|i| left.get(i).copied().unwrap_or(0))
    }

    /// The next `count` raw bits, at most [`MAX_RAW_BITS`].
    #[inline(always)]
    pub fn bits(&mut self, count: u32) -> u32 {
        let value = self.window() & ((1 << count) - 1);
        self.at += count as usize;
        value as u32
    }

    /// The next symbols, one by each of the first lanes.
    #[inline(always)]
    pub fn symbols<const N: usize>(&mut self, tables: [&Table; N]) -> [i8; N] {
        const { assert!(N <= MAX_LANES && N as u32 * STATE_BITS <= 57) };
        // One look at the bytes serves all lanes: no symbol takes more than
        // STATE_BITS, and 57 bits are there.
        let mut window = self.window();
        let mut symbols = [0; N];
        for lane in 0..N {
            // States run from STATES to 2·STATES; the remainder also tells the
            // compiler that no bounds need checking.
            let slot = tables[lane].slots[self.states[lane] as usize % STATES];
            let position = u32::from(slot >> SYMBOL_BITS);
            // A position has one bit less than a state for every bit it lacks.
            // (No position is 0: with | 1 the compiler knows it too.)
            let lacks = (position | 1).leading_zeros() - (u32::BITS - 1 - STATE_BITS);
            let added = window as u32 & ((1 << lacks) - 1);
            self.states[lane] = position << lacks | added;
            window >>= lacks;
            self.at += lacks as usize;
            // The symbol is signed: its 5 bits go to the top and come back
            // with their sign.
            symbols[lane] = ((slot << (16 - SYMBOL_BITS)) as i16 >> (16 - SYMBOL_BITS)) as i8;
        }
        symbols
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use std::sync::LazyLock;

    static UNEQUAL: LazyLock<Table> =
        LazyLock::new(|| Table::new(&[(0, 488), (3, 19), (-16, 4), (15, 1)]));
    static EVEN: LazyLock<Table> = LazyLock::new(|| Table::new(&[(-1, 256), (1, 256)]));
    static CERTAIN: LazyLock<Table> = LazyLock::new(|| Table::new(&[(7, 512)]));

    #[test]
    fn what_goes_in_comes_out_for_every_length() {
        let mut random = Random::new(7);
        for length in 0..300 {
            let draws: Vec<u32> = (0..length).map(|_| random.bits() as u32).collect();
            let choice = |draw: u32| [0, 3, -16, 15][draw as usize % 4];
            let mut encoder = Encoder::default();
            for &draw in &draws {
                encoder.symbol(&UNEQUAL, choice(draw), 0);
                encoder.symbol(&EVEN, if draw & 64 == 0 { 1 } else { -1 }, 1);
                encoder.symbol(&CERTAIN, 7, 2);
                let count = draw >> 8 & 15;
                encoder.bits((draw >> 12) & ((1 << count) - 1), count);
            }
            let bytes = encoder.finish(3);
            let mut decoder = Decoder::new(&bytes, 3);
            for &draw in &draws {
                let [a, b, c] = decoder.symbols([&*UNEQUAL, &*EVEN, &*CERTAIN]);
                assert_eq!(a, choice(draw), "length {length}");
                assert_eq!(b, if draw & 64 == 0 { 1 } else { -1 });
                assert_eq!(c, 7);
                let count = draw >> 8 & 15;
                assert_eq!(decoder.bits(count), (draw >> 12) & ((1 << count) - 1));
            }
        }
    }

    #[test]
    fn a_stream_costs_what_its_symbols_carry() {
        let mut encoder = Encoder::default();
        assert_eq!(encoder.finish(1).len(), 1, "nothing costs one byte");
        for _ in 0..1000 {
            encoder.symbol(&UNEQUAL, 0, 0); // 0.069 bits each
        }
        let length = encoder.finish(1).len();
        assert!((8..=11).contains(&length), "{length} bytes for 69 bits");
        for i in 0..1000 {
            encoder.bits(i & 7, 3);
        }
        let length = encoder.finish(1).len();
        assert!((375..=377).contains(&length), "{length} bytes");
    }

    #[test]
    fn symbols_take_the_share_of_states_they_are_given() {
        for (symbol, frequency) in [(0, 488), (3, 19), (-16, 4), (15, 1), (5, 0)] {
            assert_eq!(UNEQUAL.frequency(symbol), frequency);
        }
    }
}
