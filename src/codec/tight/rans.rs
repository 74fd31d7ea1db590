//! The entropy coder: range asymmetric numeral systems over a 32-bit state.
//!
//! Symbols come from static frequency tables that sum to 2¹² (`model.rs`), raw
//! bits are symbols of a flat distribution. The encoder works backwards, so it
//! collects what is to be coded first and turns it into bytes at the end.
//!
//! A stream is the final state in little-endian bytes (at most four; three
//! when they suffice) followed by 16-bit words. Encoding starts from state 1,
//! not from the lower bound of the state's range: the decoder then simply runs
//! out of words while the state falls below that bound, and a stream costs no
//! more than the information in it, rounded up to whole bytes. Short blocks
//! would otherwise pay two bytes each for nothing.
//!
//! Decoding never fails: bytes that no encoder wrote give some symbols too.

/// Frequencies of a table sum to 2 to this power.
pub(super) const PROBABILITY_BITS: u32 = 12;

/// Most bits that one [`Encoder::bits`] takes.
pub(super) const MAX_RAW_BITS: u32 = 16;

/// States below this are filled up with the next word.
const LOWER_BOUND: u32 = 1 << 16;

/// A share of the probability range: `frequency` slots from `start` on, out of
/// 2 to the `total_bits`.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u16,
    /// 0 stands for 2¹⁶, which only a raw "symbol" of zero bits has.
    frequency: u16,
    total_bits: u8,
}

/// Collects symbols, then writes the stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Encoder {
    spans: Vec<Span>,
}

impl Encoder {
    /// A symbol of a table whose frequencies sum to 2¹².
    pub fn symbol(&mut self, start: u16, frequency: u16) {
        self.spans.push(Span {
            start,
            frequency,
            total_bits: PROBABILITY_BITS as u8,
        });
    }

    /// `count` bits (at most [`MAX_RAW_BITS`]) that nothing is known about.
    pub fn bits(&mut self, value: u32, count: u32) {
        debug_assert!(count <= MAX_RAW_BITS && value >> count == 0);
        if count > 0 {
            self.spans.push(Span {
                start: value as u16,
                frequency: 1,
                total_bits: count as u8,
            });
        }
    }

    /// The stream of everything collected; the encoder is empty afterwards.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut state = 1u32;
        let mut words = Vec::new();
        for span in self.spans.drain(..).rev() {
            let (frequency, total_bits) = (u32::from(span.frequency), u32::from(span.total_bits));
            if u64::from(state) >= u64::from(frequency) << (32 - total_bits) {
                words.push(state as u16);
                state >>= 16;
            }
            let (turns, rest) = (state / frequency, state % frequency);
            state = (turns << total_bits) + rest + u32::from(span.start);
        }
        let mut bytes = state.to_le_bytes().to_vec();
        let used = 4 - state.leading_zeros() as usize / 8;
        bytes.truncate(if words.is_empty() { used } else { used.max(3) });
        bytes.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
        bytes
    }
}

/// Reads a stream symbol by symbol.
#[derive(Clone, Debug)]
pub(super) struct Decoder<'a> {
    state: u32,
    words: &'a [u8],
}

impl<'a> Decoder<'a> {
    /// Takes the whole of `bytes` as one stream.
    pub fn new(bytes: &'a [u8]) -> Self {
        let size = match bytes.len() {
            0..=4 => bytes.len(),
            odd if odd % 2 == 1 => 3,
            _ => 4,
        };
        let (head, words) = bytes.split_at(size);
        let state = head
            .iter()
            .rev()
            .fold(0, |state, &byte| state << 8 | u32::from(byte));
        Self { state, words }
    }

    /// The slot, below 2¹², that names the next symbol.
    #[inline]
    pub fn slot(&self) -> u16 {
        (self.state & ((1 << PROBABILITY_BITS) - 1)) as u16
    }

    /// Steps over the symbol that [`Self::slot`] was found to belong to.
    #[inline]
    pub fn advance(&mut self, start: u16, frequency: u16) {
        let above_start = u32::from(self.slot().wrapping_sub(start));
        self.state = (self.state >> PROBABILITY_BITS)
            .wrapping_mul(u32::from(frequency))
            .wrapping_add(above_start);
        self.refill();
    }

    /// The next `count` raw bits, at most [`MAX_RAW_BITS`].
    #[inline]
    pub fn bits(&mut self, count: u32) -> u32 {
        let value = self.state & ((1 << count) - 1);
        self.state >>= count;
        self.refill();
        value
    }

    #[inline]
    fn refill(&mut self) {
        // Whether a word is due is as random as the data, so no branch decides
        // it; only the end of the stream is foreseeable.
        if let Some(word) = self.words.first_chunk::<2>() {
            let due = usize::from(self.state < LOWER_BOUND);
            let filled = self.state << 16 | u32::from(u16::from_le_bytes(*word));
            self.state = if due == 1 { filled } else { self.state };
            self.words = &self.words[2 * due..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator, so that tests need no dependency and repeat exactly.
    fn random(state: &mut u64) -> u32 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as u32
    }

    #[test]
    fn what_goes_in_comes_out_for_every_length() {
        // Three symbols of very unequal probability, raw bits in between.
        let table = [(0u16, 4000u16), (4000, 95), (4095, 1)];
        let mut seed = 7;
        for length in 0..300 {
            let draws: Vec<u32> = (0..length).map(|_| random(&mut seed)).collect();
            let mut encoder = Encoder::default();
            for &draw in &draws {
                let (start, frequency) = table[draw as usize % 3];
                encoder.symbol(start, frequency);
                let count = draw >> 8 & 15;
                encoder.bits((draw >> 12) & ((1 << count) - 1), count);
            }
            let bytes = encoder.finish();
            let mut decoder = Decoder::new(&bytes);
            for &draw in &draws {
                let slot = decoder.slot();
                let found = table
                    .iter()
                    .position(|&(start, frequency)| (start..start + frequency).contains(&slot));
                assert_eq!(found, Some(draw as usize % 3), "length {length}");
                let (start, frequency) = table[draw as usize % 3];
                decoder.advance(start, frequency);
                let count = draw >> 8 & 15;
                assert_eq!(decoder.bits(count), (draw >> 12) & ((1 << count) - 1));
            }
        }
    }

    #[test]
    fn a_stream_costs_what_its_symbols_carry() {
        let mut encoder = Encoder::default();
        assert_eq!(encoder.finish(), [1], "nothing costs one byte");
        for _ in 0..1000 {
            encoder.symbol(0, 4080); // 0.0056 bits each
        }
        assert!(encoder.finish().len() <= 2);
        for i in 0..1000 {
            encoder.bits(i & 7, 3);
        }
        let length = encoder.finish().len();
        assert!(
            (375..=376).contains(&length),
            "{length} bytes for 3000 bits"
        );
    }
}
