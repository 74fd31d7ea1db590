//! Numbers of few bits, one after the other, low bit first.

/// The most bits of one number: with a shift of seven they lie in eight bytes.
pub const MOST_BITS: u32 = 32;

/// Appends numbers.
#[derive(Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    count: u32,
}

impl BitWriter {
    /// The lowest `bits` of a number.
    pub fn put(&mut self, number: u32, bits: u32) {
        debug_assert!(bits <= MOST_BITS && u64::from(number) < 1 << bits);
        self.pending |= u64::from(number) << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    /// All bytes, the last one filled up with zeros.
    pub fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes
    }
}

/// The number of `bits` that begins at a bit; bits beyond the end are 0.
#[inline]
pub fn bits_at(bytes: &[u8], bit: u64, bits: u32) -> u32 {
    let at = (bit / 8) as usize;
    let mut eight = [0; 8];
    let left = bytes.get(at..).unwrap_or_default();
    let left = &left[..left.len().min(8)];
    eight[..left.len()].copy_from_slice(left);
    let window = u64::from_le_bytes(eight);
    ((window >> (bit % 8)) & ((1 << bits) - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn numbers_come_back_wherever_they_begin() {
        let mut random = Random::new(1);
        let (mut writer, mut numbers, mut at) = (BitWriter::default(), Vec::new(), 0u64);
        for _ in 0..2000 {
            let bits = 1 + random.below(MOST_BITS as usize) as u32;
            let number = (random.bits() & ((1 << bits) - 1)) as u32;
            writer.put(number, bits);
            numbers.push((at, bits, number));
            at += u64::from(bits);
        }
        let bytes = writer.finish();
        assert_eq!(bytes.len() as u64, at.div_ceil(8));
        for (at, bits, number) in numbers {
            assert_eq!(bits_at(&bytes, at, bits), number);
        }
        assert_eq!(bits_at(&bytes, at + 100, 8), 0);
    }
}
