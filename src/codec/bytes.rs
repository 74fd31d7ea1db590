//! Little-endian reading with a name for everything that can be missing, and
//! byte ranges that share their file.

use std::{ops::Deref, ops::Range, sync::Arc};

use super::{DecodeError, bad_field};

/// A range of a file's bytes that keeps the file alive, so that a clip decodes
/// straight from where it was loaded.
#[derive(Clone, Debug)]
pub struct SharedBytes {
    file: Arc<[u8]>,
    range: Range<usize>,
}

impl SharedBytes {
    /// A part of these bytes; what lies outside is cut off.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let end = (self.range.start + range.end).min(self.range.end);
        let start = (self.range.start + range.start).min(end);
        Self {
            file: self.file.clone(),
            range: start..end,
        }
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.file[self.range.clone()]
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        Self {
            file: bytes.into(),
            range,
        }
    }
}

/// Reads fields one after the other.
#[derive(Clone, Debug)]
pub struct ByteReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ByteReader<'a> {
    /// Starts at the first byte.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Bytes not read yet.
    #[must_use]
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `size` bytes.
    pub fn take(&mut self, what: &'static str, size: usize) -> Result<&'a [u8], DecodeError> {
        let left = self.left();
        if size > left {
            return Err(DecodeError::Truncated {
                what,
                needed: size as u64,
                left: left as u64,
            });
        }
        let bytes = &self.bytes[self.at..self.at + size];
        self.at += size;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], DecodeError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(what, N)?);
        Ok(array)
    }

    /// One byte.
    pub fn u8(&mut self, what: &'static str) -> Result<u8, DecodeError> {
        self.array(what).map(|[byte]| byte)
    }

    /// Two bytes.
    pub fn u16(&mut self, what: &'static str) -> Result<u16, DecodeError> {
        self.array(what).map(u16::from_le_bytes)
    }

    /// Four bytes.
    pub fn u32(&mut self, what: &'static str) -> Result<u32, DecodeError> {
        self.array(what).map(u32::from_le_bytes)
    }

    /// Eight bytes.
    pub fn u64(&mut self, what: &'static str) -> Result<u64, DecodeError> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// A finite number of four bytes.
    pub fn f32(&mut self, what: &'static str) -> Result<f32, DecodeError> {
        let value = f32::from_bits(self.u32(what)?);
        finite(what, f64::from(value)).map(|_| value)
    }

    /// A number of four bytes that may be infinite, but not NaN.
    pub fn f32_or_infinite(&mut self, what: &'static str) -> Result<f32, DecodeError> {
        let value = f32::from_bits(self.u32(what)?);
        if value.is_nan() {
            return Err(bad_field(what, value.to_bits(), "a number"));
        }
        Ok(value)
    }

    /// A finite number of eight bytes.
    pub fn f64(&mut self, what: &'static str) -> Result<f64, DecodeError> {
        finite(what, f64::from_bits(self.u64(what)?))
    }

    /// An integer in groups of seven bits, low group first; the top bit of a
    /// byte says that another follows.
    pub fn varint(&mut self, what: &'static str) -> Result<u32, DecodeError> {
        let mut value = 0u64;
        // Five groups hold 35 bits: what exceeds 32 is refused below.
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.u8(what)?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(value).map_err(|_| too_long(what, value));
            }
        }
        Err(too_long(what, value))
    }

    /// Fails when bytes are left.
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.left() {
            0 => Ok(()),
            left => Err(DecodeError::Leftover(left as u64)),
        }
    }
}

fn finite(what: &'static str, value: f64) -> Result<f64, DecodeError> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(bad_field(what, value.to_bits(), "a finite number"))
}

fn too_long(what: &'static str, found: u64) -> DecodeError {
    bad_field(what, found, "a number of at most 32 bits")
}

/// Appends what [`ByteReader::varint`] reads.
pub fn put_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_round_trip_and_stop_at_32_bits() {
        for value in [0, 1, 127, 128, 300, 1 << 21, u32::MAX] {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            let mut reader = ByteReader::new(&bytes);
            assert_eq!(reader.varint("x"), Ok(value));
            assert_eq!(reader.finish(), Ok(()));
        }
        let endless = [0xff; 9];
        assert!(ByteReader::new(&endless).varint("x").is_err());
        assert!(
            ByteReader::new(&[0xff, 0xff, 0xff, 0xff, 0x1f])
                .varint("x")
                .is_err()
        );
    }

    #[test]
    fn a_short_read_says_what_is_missing() {
        let found = ByteReader::new(&[1, 2, 3]).u32("frame count");
        let expected = DecodeError::Truncated {
            what: "frame count",
            needed: 4,
            left: 3,
        };
        assert_eq!(found, Err(expected));
    }

    #[test]
    fn slices_stay_inside_their_parent() {
        let all = SharedBytes::from((0..10).collect::<Vec<u8>>());
        let part = all.slice(2..6);
        assert_eq!(&*part, &[2, 3, 4, 5]);
        assert_eq!(&*part.slice(1..99), &[3, 4, 5]);
        assert!(part.slice(9..12).is_empty());
    }
}
