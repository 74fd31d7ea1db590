//! `uniform` and `resampled`: rows of numbers at even times, straight between.
//!
//! ```text
//! what all baselines have    u8 bits    u32 rows
//! for each track that moves and is no rotation: f32 × numbers low, f32 × numbers size
//! rows, bit by bit: of each track that moves
//!   rotation: 2 bits, which component is largest (and positive); the others, n bits each
//!   else: n bits a number, on a grid over the track's span
//! ```
//!
//! A row has one length, so any row is found at once: no cursor.

use glam::Vec4;

use super::{
    bits::{BitWriter, bits_at},
    head::{Head, Span, between},
};
use crate::{
    clip::{ClipCursor, ClipShape, RawClip, SampleClip},
    codec::{
        CompressError, DecodeError, Stop, bad_field,
        bytes::{ByteReader, SharedBytes},
        keys::{TrackKind, source::SourceTrack},
    },
    skeleton::{LocalPose, Skeleton},
};

/// Bits a number may have: two give 0 and both ends, single precision ends at
/// 24.
pub const BITS: std::ops::RangeInclusive<u32> = 2..=24;
/// Bits of `resampled`, whose error is that of the missing samples.
const FINE: u32 = 16;
/// Which of four components is largest.
const LARGEST_BITS: u32 = 2;

/// A clip of rows.
#[derive(Clone, Debug)]
pub struct RowClip {
    head: Head,
    bits: u32,
    rows: usize,
    columns: Vec<Column>,
    row_bits: u64,
    rows_at: usize,
    bytes: SharedBytes,
}

/// Where a track's numbers are in a row, and what they stand for.
#[derive(Clone, Copy, Debug)]
struct Column {
    first_bit: u64,
    span: Span,
}

impl RowClip {
    /// Every frame, `bits` a number.
    pub fn uniform(
        skeleton: &Skeleton,
        clip: &RawClip,
        bits: u32,
        stop: Stop<'_>,
    ) -> Result<Self, CompressError> {
        if !BITS.contains(&bits) {
            return Err(CompressError::BadBits(bits));
        }
        let (head, tracks) = Head::split(skeleton, clip, f64::from(bits), stop)?;
        Self::build(&head, &tracks, bits, clip.frames(), stop)
    }

    /// `rate_hz` samples a second or a few more: the first and the last frame
    /// are always among them, and never more than there are frames.
    pub fn resampled(
        skeleton: &Skeleton,
        clip: &RawClip,
        rate_hz: f64,
        stop: Stop<'_>,
    ) -> Result<Self, CompressError> {
        let (head, tracks) = Head::split(skeleton, clip, rate_hz, stop)?;
        let rows = (clip.duration_secs() * rate_hz).ceil() as usize;
        let rows = rows.saturating_add(1).min(clip.frames());
        Self::build(&head, &tracks, FINE, rows, stop)
    }

    fn build(
        head: &Head,
        tracks: &[SourceTrack],
        bits: u32,
        rows: usize,
        stop: Stop<'_>,
    ) -> Result<Self, CompressError> {
        let mut out = head.write();
        out.push(bits as u8);
        out.extend((rows as u32).to_le_bytes());
        let span = |track: &SourceTrack| Span::around(track.samples.iter().copied());
        let spans: Vec<Span> = tracks.iter().map(span).collect();
        for (track, span) in tracks.iter().zip(&spans) {
            if track.kind != TrackKind::Rotation {
                span.write(track.kind, &mut out);
            }
        }
        let mut row_bits = BitWriter::default();
        for row in 0..rows {
            if row.is_multiple_of(1024) {
                stop.check()?;
            }
            for (track, span) in tracks.iter().zip(&spans) {
                put(
                    track.kind,
                    span,
                    sample(track, row, rows),
                    bits,
                    &mut row_bits,
                );
            }
        }
        out.extend(row_bits.finish());
        Ok(Self::from_bytes(out.into())?)
    }

    /// Checks stored bytes.
    pub fn from_bytes(bytes: SharedBytes) -> Result<Self, DecodeError> {
        let mut reader = ByteReader::new(&bytes);
        let head = Head::read(&mut reader)?;
        let bits = u32::from(reader.u8("bits a number")?);
        if !BITS.contains(&bits) {
            return Err(bad_field("bits a number", bits, "2 to 24"));
        }
        let rows = reader.u32("rows")? as usize;
        if !(1..=head.shape.frames).contains(&rows) {
            return Err(bad_field("rows", rows as u64, "1 to the frames"));
        }
        let (mut columns, mut row_bits) = (Vec::new(), 0);
        for track in &head.moving {
            let (span, size) = match track.kind {
                TrackKind::Rotation => (Span::default(), LARGEST_BITS + 3 * bits),
                kind => (Span::read(&mut reader, kind)?, kind.numbers() as u32 * bits),
            };
            columns.push(Column {
                first_bit: row_bits,
                span,
            });
            row_bits += u64::from(size);
        }
        let rows_at = reader.position();
        let size = (rows as u64 * row_bits).div_ceil(8);
        reader.take("rows", usize::try_from(size).unwrap_or(usize::MAX))?;
        reader.finish()?;
        Ok(Self {
            head,
            bits,
            rows,
            columns,
            row_bits,
            rows_at,
            bytes,
        })
    }

    /// The bytes to store.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Rows of all rotations that move.
    #[must_use]
    pub fn keys(&self) -> usize {
        let rotations = self.head.moving.iter();
        rotations
            .filter(|it| it.kind == TrackKind::Rotation)
            .count()
            * self.rows
    }

    #[inline]
    fn value(&self, kind: TrackKind, column: &Column, row: usize) -> Vec4 {
        let bytes = &self.bytes[self.rows_at..];
        let mut bit = row as u64 * self.row_bits + column.first_bit;
        let mut next = |bits: u32| {
            let number = bits_at(bytes, bit, bits);
            bit += u64::from(bits);
            number
        };
        if kind == TrackKind::Rotation {
            let largest = next(LARGEST_BITS) as usize;
            return rotation(largest, [(); 3].map(|()| next(self.bits)), self.bits);
        }
        let mut words = [0; 4];
        for word in &mut words[..kind.numbers()] {
            *word = next(self.bits);
        }
        column.span.value(words, (1 << self.bits) - 1)
    }
}

/// The source at a row's time, straight between frames.
fn sample(track: &SourceTrack, row: usize, rows: usize) -> Vec4 {
    let last = track.samples.len() - 1;
    let position = row as f64 * last as f64 / (rows.max(2) - 1) as f64;
    let frame = (position as usize).min(last);
    let next = track.samples[(frame + 1).min(last)];
    let weight = (position - frame as f64) as f32;
    between(track.kind, track.samples[frame], next, weight)
}

/// The field that stands for 0, which is exact.
fn zero_field(bits: u32) -> u32 {
    (1 << (bits - 1)) - 1
}

fn put(kind: TrackKind, span: &Span, value: Vec4, bits: u32, out: &mut BitWriter) {
    if kind != TrackKind::Rotation {
        let words = span.words(value, (1 << bits) - 1);
        { words[..kind.numbers()].iter() }.for_each(|&word| out.put(word, bits));
        return;
    }
    let q = value.to_array();
    let larger = |best: usize, i: usize| if q[i].abs() > q[best].abs() { i } else { best };
    let largest = (1..4).fold(0, larger);
    out.put(largest as u32, LARGEST_BITS);
    let zero = zero_field(bits) as f32;
    for i in 1..4 {
        // q and −q are one rotation: the one whose largest component is positive.
        let component = q[(largest + i) % 4] * q[largest].signum();
        // The others reach 1/√2 at most.
        let field = (component * std::f32::consts::SQRT_2 + 1.0) * zero;
        out.put(field.round().clamp(0.0, 2.0 * zero) as u32, bits);
    }
}

#[inline]
fn rotation(largest: usize, fields: [u32; 3], bits: u32) -> Vec4 {
    let zero = zero_field(bits) as f32;
    let [a, b, c] = fields.map(|it| (it as f32 / zero - 1.0) * std::f32::consts::FRAC_1_SQRT_2);
    let mut q = [0.0; 4];
    q[largest] = (1.0 - a * a - b * b - c * c).max(0.0).sqrt();
    for (i, component) in [a, b, c].into_iter().enumerate() {
        q[(largest + 1 + i) % 4] = component;
    }
    Vec4::from_array(q)
}

impl SampleClip for RowClip {
    fn shape(&self) -> ClipShape {
        self.head.shape
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        _: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        self.head.begin(skeleton, pose);
        // Rows are even from the first frame to the last.
        let rows_a_frame = (self.rows - 1) as f64 / (self.head.shape.frames.max(2) - 1) as f64;
        let position = self.head.position(time_secs) * rows_a_frame;
        let row = (position as usize).min(self.rows - 1);
        let weight = (position - row as f64) as f32;
        for (track, column) in self.head.moving.iter().zip(&self.columns) {
            let from = self.value(track.kind, column, row);
            let to = match row + 1 < self.rows && weight > 0.0 {
                true => self.value(track.kind, column, row + 1),
                false => from,
            };
            let value = between(track.kind, from, to, weight);
            track.kind.apply(track.of, value, skeleton, pose);
        }
    }
}
