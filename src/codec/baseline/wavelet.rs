//! `wavelet`: coefficients below a threshold dropped, the others rounded to it.
//!
//! Every number of every track, 256 frames at a time, is split into a coarse
//! curve and details of ever shorter times ([`lifting`]). Most details of a
//! smooth motion are nearly nothing. What is left is stored in steps of the
//! threshold, runs of zeros by their length.
//!
//! ```text
//! what all baselines have    f32 step
//! for each block of 256 frames (and the first frame of the next): varint bytes
//! for each block, track that moves, number: coefficients, coarsest first
//!   varint zeros    varint coefficient in steps (0, −1, 1, −2, …), until all are told
//! ```
//!
//! A block decodes on its own; the cursor keeps the one last asked for.

use glam::Vec4;

use super::{
    head::{Head, between, shown},
    lifting,
};
use crate::{
    clip::{ClipCursor, ClipShape, RawClip, SampleClip},
    codec::{
        CompressError, DecodeError, Stop, bad_field,
        bytes::{ByteReader, SharedBytes, put_varint},
        keys::{TrackKind, source::SourceTrack},
        next_clip_id,
    },
    skeleton::{LocalPose, Skeleton},
};

/// Frames from one block to the next.
const BLOCK: usize = 256;
/// Coarser than any motion is; times the most steps it stays a number.
const MOST_STEP: f32 = 1e3;

/// A clip of coefficients.
#[derive(Clone, Debug)]
pub struct WaveletClip {
    id: u64,
    head: Head,
    step: f32,
    keys: usize,
    /// Where each block begins, and where the last one ends.
    blocks_at: Vec<usize>,
    bytes: SharedBytes,
}

/// The block last asked for.
#[derive(Default)]
struct WaveletCursor {
    clip_id: u64,
    block: usize,
    /// Number after number of track after track, all frames of each.
    values: Vec<f32>,
    scratch: Vec<f32>,
}

/// First and last frame of a block; neighbours share a frame.
fn block_frames(block: usize, frames: usize) -> (usize, usize) {
    (block * BLOCK, ((block + 1) * BLOCK).min(frames - 1))
}

fn block_count(frames: usize) -> usize {
    (frames - 1).div_ceil(BLOCK).max(1)
}

/// First and last frame of all blocks.
pub(super) fn blocks(frames: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
    (0..block_count(frames)).map(move |block| block_frames(block, frames))
}

/// The coefficients of one number over a block.
pub(super) fn coefficients(track: &SourceTrack, number: usize, block: usize) -> Vec<f32> {
    let (first, last) = block_frames(block, track.samples.len());
    let mut signal: Vec<f32> = { track.samples[first..=last].iter() }
        .map(|it| it[number])
        .collect();
    lifting::forward(&mut signal, &mut Vec::new());
    signal
}

/// In steps: towards nothing, so that all below one step is dropped.
fn steps(coefficient: f32, step: f32, means: bool) -> i32 {
    // Far beyond any motion, and below what doubling would wrap.
    let most = 1e9;
    let steps = (coefficient / step).clamp(-most, most);
    // The coarse curve is not dropped but rounded.
    (if means { steps.round() } else { steps.trunc() }) as i32
}

/// What so many steps stand for: the middle of those that gave them.
fn value(steps: i32, step: f32, means: bool) -> f32 {
    let middle = if means {
        0.0
    } else {
        0.5 * steps.signum() as f32
    };
    (steps as f32 + middle) * step
}

impl WaveletClip {
    /// Compresses a clip; `threshold` is in quaternion components and metres.
    pub fn compress_until(
        skeleton: &Skeleton,
        clip: &RawClip,
        threshold: f64,
        stop: Stop<'_>,
    ) -> Result<Self, CompressError> {
        let (head, tracks) = Head::split(skeleton, clip, threshold, stop)?;
        // What the file says is what is used.
        let step = (threshold as f32).clamp(f32::MIN_POSITIVE, MOST_STEP);
        let mut out = head.write();
        out.extend(step.to_le_bytes());
        let mut blocks = Vec::new();
        for block in 0..block_count(clip.frames()) {
            stop.check()?;
            let mut bytes = Vec::new();
            for track in &tracks {
                for number in 0..track.kind.numbers() {
                    put(&coefficients(track, number, block), step, &mut bytes);
                }
            }
            put_varint(&mut out, bytes.len() as u32);
            blocks.extend(bytes);
        }
        out.extend(blocks);
        Ok(Self::from_bytes(out.into())?)
    }

    /// Checks stored bytes, all blocks among them.
    pub fn from_bytes(bytes: SharedBytes) -> Result<Self, DecodeError> {
        let mut reader = ByteReader::new(&bytes);
        let head = Head::read(&mut reader)?;
        let step = reader.f32("step")?;
        if !(step > 0.0 && step <= MOST_STEP) {
            return Err(bad_field("step", step.to_bits(), "positive, 1000 at most"));
        }
        let count = block_count(head.shape.frames);
        // A byte each at least: no allocation before they are there.
        reader.clone().take("sizes of blocks", count)?;
        let sizes = (0..count).map(|_| Ok(reader.varint("size of a block")? as usize));
        let sizes = sizes.collect::<Result<Vec<_>, DecodeError>>()?;
        let (mut blocks_at, mut keys) = (vec![reader.position()], 0);
        for (block, size) in sizes.into_iter().enumerate() {
            let body = reader.take("block", size)?;
            keys += check_block(body, &head, block)?;
            blocks_at.push(reader.position());
        }
        reader.finish()?;
        Ok(Self {
            id: next_clip_id(),
            head,
            step,
            keys,
            blocks_at,
            bytes,
        })
    }

    /// The bytes to store.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Coefficients of rotations that were not dropped.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.keys
    }

    fn decode(&self, block: usize, values: &mut Vec<f32>, scratch: &mut Vec<f32>) {
        let (first, last) = block_frames(block, self.head.shape.frames);
        let count = last - first + 1;
        values.clear();
        let body = &self.bytes[self.blocks_at[block]..self.blocks_at[block + 1]];
        let mut reader = ByteReader::new(body);
        for track in &self.head.moving {
            for _ in 0..track.kind.numbers() {
                let from = values.len();
                values.resize(from + count, 0.0);
                let signal = &mut values[from..];
                let means = lifting::levels(count).get(1).copied().unwrap_or(count);
                let known = tokens(&mut reader, count, |at, steps| {
                    signal[at] = value(steps, self.step, at < means);
                });
                debug_assert!(known.is_ok(), "checked when it was read");
                lifting::inverse(signal, scratch);
            }
        }
    }
}

/// Coefficients as runs of zeros and what ends them.
fn put(coefficients: &[f32], step: f32, out: &mut Vec<u8>) {
    let means = lifting::levels(coefficients.len()).get(1).copied();
    let means = means.unwrap_or(coefficients.len());
    let mut zeros = 0;
    for (at, &coefficient) in coefficients.iter().enumerate() {
        match steps(coefficient, step, at < means) {
            0 => zeros += 1,
            steps => {
                put_varint(out, zeros);
                put_varint(out, ((steps << 1) ^ (steps >> 31)) as u32);
                zeros = 0;
            }
        }
    }
    if zeros > 0 {
        put_varint(out, zeros);
    }
}

/// Reads what [`put`] wrote.
fn tokens(
    reader: &mut ByteReader<'_>,
    count: usize,
    mut each: impl FnMut(usize, i32),
) -> Result<(), DecodeError> {
    let mut at = 0;
    while at < count {
        let zeros = reader.varint("zeros")? as usize;
        at += zeros;
        if at > count {
            return Err(bad_field("zeros", zeros as u64, "within the block"));
        }
        if at < count {
            let folded = reader.varint("coefficient")?;
            each(at, (folded >> 1) as i32 ^ -((folded & 1) as i32));
            at += 1;
        }
    }
    Ok(())
}

/// How many coefficients of rotations a block holds.
fn check_block(body: &[u8], head: &Head, block: usize) -> Result<usize, DecodeError> {
    let (first, last) = block_frames(block, head.shape.frames);
    let (mut reader, mut keys) = (ByteReader::new(body), 0);
    for track in &head.moving {
        let rotates = usize::from(track.kind == TrackKind::Rotation);
        for _ in 0..track.kind.numbers() {
            tokens(&mut reader, last - first + 1, |_, _| keys += rotates)?;
        }
    }
    reader.finish()?;
    Ok(keys)
}

impl SampleClip for WaveletClip {
    fn shape(&self) -> ClipShape {
        self.head.shape
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        self.head.begin(skeleton, pose);
        let position = self.head.position(time_secs);
        let frame = position as usize;
        let block = (frame / BLOCK).min(self.blocks_at.len() - 2);
        let cursor = cursor.of::<WaveletCursor>();
        if (cursor.clip_id, cursor.block) != (self.id, block) {
            self.decode(block, &mut cursor.values, &mut cursor.scratch);
            (cursor.clip_id, cursor.block) = (self.id, block);
        }
        let (first, last) = block_frames(block, self.head.shape.frames);
        let (at, count) = (frame - first, last - first + 1);
        let weight = (position - frame as f64) as f32;
        let mut values = cursor.values.chunks_exact(count);
        for track in &self.head.moving {
            let (mut from, mut to) = (Vec4::ZERO, Vec4::ZERO);
            for number in 0..track.kind.numbers() {
                let Some(signal) = values.next() else { return };
                from[number] = signal[at];
                to[number] = signal[(at + 1).min(count - 1)];
            }
            let kind = track.kind;
            let value = between(kind, shown(kind, from), shown(kind, to), weight);
            kind.apply(track.of, value, skeleton, pose);
        }
    }
}
