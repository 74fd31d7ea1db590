//! Elements of any size, byte lane by byte lane, as differences.
//!
//! ```text
//! 0xa0 │ block │ block │ … │ tail
//! block: for each byte of an element: a lane of up to 256 elements
//! lane:  2 bits for each group of 16, then the groups
//! group: 0 = all zero │ 1 = 2 bits each │ 2 = 4 bits each │ 3 = bytes;
//!        of 2 and 4 bits all ones mean "a byte of its own, behind"
//! tail:  what the first element differs from, at the end of at least 32 bytes
//! ```

use super::UnpackError;

const HEADER: u8 = 0xa0;
/// Elements of a group.
const GROUP: usize = 16;
/// The tail is never shorter.
const LEAST_TAIL: usize = 32;
/// Bytes of a block, and elements of it, at most.
const BLOCK_BYTES: usize = 8192;
const BLOCK_ELEMENTS: usize = 256;

fn block_elements(stride: usize) -> usize {
    ((BLOCK_BYTES / stride) & !(GROUP - 1)).min(BLOCK_ELEMENTS)
}

/// A difference of either sign as one that is small when it is small.
fn zigzag(difference: u8) -> u8 {
    match difference & 0x80 {
        0 => difference << 1,
        _ => !(difference << 1),
    }
}

fn unzigzag(code: u8) -> u8 {
    match code & 1 {
        0 => code >> 1,
        _ => !(code >> 1),
    }
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], UnpackError> {
        let Some((taken, rest)) = self.0.split_at_checked(count) else {
            return Err(UnpackError::Truncated(what));
        };
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, UnpackError> {
        self.take(1, "differences").map(|it| it[0])
    }
}

/// `count` elements of `stride` bytes, before any filter.
pub fn decode(packed: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, UnpackError> {
    let mut reader = Reader(packed);
    let found = reader.take(1, "header")?[0];
    if found != HEADER {
        let expected = HEADER;
        return Err(UnpackError::Header { found, expected });
    }
    let tail = stride.max(LEAST_TAIL);
    let Some(body) = reader.0.len().checked_sub(tail) else {
        return Err(UnpackError::Truncated("tail"));
    };
    let mut before = reader.0[reader.0.len() - stride..].to_vec();
    reader.0 = &reader.0[..body];
    // No more than the bytes can account for: a lane of a block costs one at least.
    let blocks = count.div_ceil(block_elements(stride));
    if blocks.saturating_mul(stride) > body {
        return Err(UnpackError::Truncated("blocks"));
    }
    let mut bytes = vec![0; count * stride];
    for block in bytes.chunks_mut(block_elements(stride) * stride) {
        for (lane, before) in before.iter_mut().enumerate() {
            decode_lane(&mut reader, block, lane, stride, before)?;
        }
    }
    match reader.0.len() {
        0 => Ok(bytes),
        left => Err(UnpackError::Leftover(left)),
    }
}

fn decode_lane(
    reader: &mut Reader<'_>,
    block: &mut [u8],
    lane: usize,
    stride: usize,
    before: &mut u8,
) -> Result<(), UnpackError> {
    let groups = (block.len() / stride).div_ceil(GROUP);
    let headers = reader.take(groups.div_ceil(4), "group headers")?;
    for group in 0..groups {
        let codes = match headers[group / 4] >> (2 * (group % 4)) & 3 {
            0 => [0; GROUP],
            1 => decode_group(reader, 2)?,
            2 => decode_group(reader, 4)?,
            _ => {
                let mut codes = [0; GROUP];
                codes.copy_from_slice(reader.take(GROUP, "differences")?);
                codes
            }
        };
        let elements = block[group * GROUP * stride..].chunks_mut(stride);
        for (element, code) in elements.zip(codes) {
            *before = before.wrapping_add(unzigzag(code));
            element[lane] = *before;
        }
    }
    Ok(())
}

/// Differences of 2 or 4 bits, those that come first in the high bits.
fn decode_group(reader: &mut Reader<'_>, bits: usize) -> Result<[u8; GROUP], UnpackError> {
    let packed = reader.take(GROUP * bits / 8, "differences")?;
    let (per_byte, own_byte) = (8 / bits, (1u8 << bits) - 1);
    let mut codes = [0; GROUP];
    for (index, code) in codes.iter_mut().enumerate() {
        let shift = bits * (per_byte - 1 - index % per_byte);
        *code = packed[index / per_byte] >> shift & own_byte;
        if *code == own_byte {
            *code = reader.byte()?;
        }
    }
    Ok(codes)
}

/// Packs elements of `stride` bytes.
#[must_use]
pub fn encode(bytes: &[u8], stride: usize) -> Vec<u8> {
    let mut packed = vec![HEADER];
    let first = bytes.get(..stride).unwrap_or(&[]);
    let mut before = first.to_vec();
    before.resize(stride, 0);
    let tail = before.clone();
    for block in bytes.chunks(block_elements(stride) * stride) {
        for (lane, before) in before.iter_mut().enumerate() {
            encode_lane(&mut packed, block, lane, stride, before);
        }
    }
    packed.resize(packed.len() + LEAST_TAIL.saturating_sub(stride), 0);
    packed.extend(tail);
    packed
}

fn encode_lane(packed: &mut Vec<u8>, block: &[u8], lane: usize, stride: usize, before: &mut u8) {
    let groups: Vec<&[u8]> = block.chunks(GROUP * stride).collect();
    let headers_at = packed.len();
    packed.resize(headers_at + groups.len().div_ceil(4), 0);
    for (index, group) in groups.into_iter().enumerate() {
        let mut codes = [0; GROUP];
        for (element, code) in group.chunks(stride).zip(&mut codes) {
            *code = zigzag(element[lane].wrapping_sub(*before));
            *before = element[lane];
        }
        let mode = cheapest_mode(&codes);
        packed[headers_at + index / 4] |= mode << (2 * (index % 4));
        match mode {
            0 => {}
            1 => encode_group(packed, &codes, 2),
            2 => encode_group(packed, &codes, 4),
            _ => packed.extend(codes),
        }
    }
}

/// 0 to 3, as headers have it.
fn cheapest_mode(codes: &[u8; GROUP]) -> u8 {
    if codes.iter().all(|&code| code == 0) {
        return 0;
    }
    let size = |bits: usize| {
        let own_byte = (1u8 << bits) - 1;
        GROUP * bits / 8 + codes.iter().filter(|&&code| code >= own_byte).count()
    };
    let sizes = [(size(2), 1), (size(4), 2), (GROUP, 3)];
    sizes.into_iter().min().map_or(3, |it| it.1)
}

fn encode_group(packed: &mut Vec<u8>, codes: &[u8; GROUP], bits: usize) {
    let own_byte = (1u8 << bits) - 1;
    for part in codes.chunks(8 / bits) {
        let byte = part.iter();
        packed.push(byte.fold(0, |byte, &code| byte << bits | code.min(own_byte)));
    }
    packed.extend(codes.iter().filter(|&&code| code >= own_byte));
}
