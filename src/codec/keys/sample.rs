//! Sampling of keyed clips.
//!
//! The cursor holds, for every track, the cubic of the segment it is in. A
//! sample first loads the segments that no longer hold the moment, then
//! evaluates all cubics. Playing forward loads few; a seek loads most, each
//! found by counting bits in a map of the keys, or by bisection where keys are
//! few.

use glam::{Quat, Vec4};
use wide::{f32x4, i32x4, u32x4, u64x2};

use super::{
    CHUNK_SPAN, Chunk, KeyClip, NO_MAP, Packing, Timing, Track, TrackKeys, TrackKind,
    curve::{Inner, Tangents, evaluate},
    layout::{FRAME_BYTES, frame_at},
};
use crate::{
    codec::{
        SampleClip,
        quat48::{Quat48, unpack4, unpack4_largest_w},
    },
    skeleton::{LocalPose, Skeleton},
};

/// What a player of keyed clips keeps between samples.
#[derive(Clone, Debug, Default)]
pub struct KeyCursor {
    clip_id: u64,
    chunk: usize,
    segments: Vec<Segment>,
}

/// The cubic of one track between two of its keys.
#[derive(Clone, Copy, Debug)]
struct Segment {
    coefficients: [Vec4; 4],
    /// Frame of the key it starts at.
    start: u32,
    /// Frames to the next key; 0 marks a segment not loaded yet.
    length: u32,
    per_frame: f32,
    /// Its first key.
    key: u32,
}

impl Segment {
    const EMPTY: Self = Self {
        coefficients: [Vec4::ZERO; 4],
        start: 0,
        length: 0,
        per_frame: 0.0,
        key: 0,
    };

    #[inline]
    fn at(&self, moment: Moment) -> Vec4 {
        // Whole frames subtract exactly, however late in the clip.
        let frames_in = (moment.frame - self.start) as f32 + moment.fraction;
        evaluate(&self.coefficients, frames_in * self.per_frame)
    }
}

/// A time as a whole frame of a chunk and a fraction in 0..=1.
#[derive(Clone, Copy, Debug)]
struct Moment {
    chunk: usize,
    frame: u32,
    fraction: f32,
}

impl SampleClip for KeyClip {
    type Cursor = KeyCursor;

    fn frames(&self) -> usize {
        self.shape.frames
    }

    fn fps(&self) -> f64 {
        self.shape.fps
    }

    fn joints(&self) -> usize {
        self.shape.joints
    }

    fn keys(&self) -> usize {
        self.keys
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut KeyCursor,
        pose: &mut LocalPose,
    ) {
        assert_eq!(skeleton.len(), self.shape.joints, "another skeleton");
        pose.copy_from(skeleton.rest());
        let moment = self.moment(time_secs);
        let chunk = &self.chunks[moment.chunk];
        if cursor.clip_id != self.id || cursor.chunk != moment.chunk {
            cursor.restart(self.id, moment.chunk, chunk.tracks.len());
        }
        cursor.seek(chunk, &self.bytes, self.shape.timing, moment.frame);
        cursor.evaluate(chunk, moment, skeleton, pose);
    }
}

impl KeyClip {
    /// The keys in their editable form, chunk after chunk, with the values
    /// that sampling decodes: for curve editors and for those who check us.
    #[must_use]
    pub fn tracks(&self) -> Vec<Vec<TrackKeys>> {
        let bytes: &[u8] = &self.bytes;
        let chunk = |chunk: &Chunk| {
            let tracks = chunk.tracks.iter();
            tracks.map(|track| track.to_keys(bytes)).collect::<Vec<_>>()
        };
        self.chunks.iter().map(chunk).collect()
    }

    fn moment(&self, time_secs: f64) -> Moment {
        let last = self.shape.frames - 1;
        // `max` before `min`: a NaN becomes 0.
        let position = (time_secs * self.shape.fps).max(0.0).min(last as f64);
        let frame = (position as usize).min(last.saturating_sub(1));
        let chunk = (frame / CHUNK_SPAN).min(self.chunks.len() - 1);
        Moment {
            chunk,
            frame: (frame - chunk * CHUNK_SPAN) as u32,
            fraction: (position - frame as f64) as f32,
        }
    }
}

impl KeyCursor {
    fn restart(&mut self, clip_id: u64, chunk: usize, tracks: usize) {
        self.clip_id = clip_id;
        self.chunk = chunk;
        self.segments.clear();
        self.segments.resize(tracks, Segment::EMPTY);
    }

    /// Brings every segment to the one that holds `frame`. Two passes, as the
    /// processor overlaps the work of several tracks the better the less each
    /// waits for: first find the keys of segments that are over, then load.
    fn seek(&mut self, chunk: &Chunk, bytes: &[u8], timing: Timing, frame: u32) {
        let blocks = chunk.tracks.chunks(64).zip(self.segments.chunks_mut(64));
        for (tracks, segments) in blocks {
            let mut over = 0u64;
            for (i, (track, segment)) in tracks.iter().zip(&mut *segments).enumerate() {
                if frame.wrapping_sub(segment.start) >= segment.length {
                    segment.key = track.find(bytes, chunk, frame);
                    over |= 1 << i;
                }
            }
            for (track, segment) in tracks.iter().zip(&mut *segments) {
                if over & 1 != 0 {
                    track.load(bytes, timing, segment);
                }
                over >>= 1;
                if over == 0 {
                    break;
                }
            }
        }
    }

    fn evaluate(&self, chunk: &Chunk, moment: Moment, skeleton: &Skeleton, pose: &mut LocalPose) {
        let (rotations, others) = chunk.tracks.split_at(chunk.rotations);
        let (segments, other_segments) = self.segments.split_at(chunk.rotations);
        let (fours, rest) = rotations.as_chunks::<4>();
        let (segment_fours, segment_rest) = segments.as_chunks::<4>();
        let joints = pose.joints_mut();
        for (tracks, segments) in fours.iter().zip(segment_fours) {
            let values = normalised(segments.each_ref().map(|segment| segment.at(moment)));
            for (track, value) in tracks.iter().zip(values) {
                joints[usize::from(track.joint)].rotation = Quat::from_vec4(value);
            }
        }
        if let [first, ..] = segment_rest {
            let at = |i: usize| segment_rest.get(i).unwrap_or(first).at(moment);
            let values = normalised([at(0), at(1), at(2), at(3)]);
            for (track, value) in rest.iter().zip(values) {
                joints[usize::from(track.joint)].rotation = Quat::from_vec4(value);
            }
        }
        for (track, segment) in others.iter().zip(other_segments) {
            track.apply(segment.at(moment), skeleton, pose);
        }
    }
}

/// The shortest value taken for a rotation. A curve through the origin comes
/// only from damaged keys; the floor keeps even that finite.
const LEAST_SQUARE: f32 = 1e-20;

/// Four values brought to unit length at once.
#[inline]
fn normalised(values: [Vec4; 4]) -> [Vec4; 4] {
    let [x, y, z, w] = f32x4::transpose(values.map(|v| f32x4::new((v * v).to_array())));
    let square = ((x + y) + (z + w)).fast_max(f32x4::splat(LEAST_SQUARE));
    let scale = (f32x4::splat(1.0) / square.sqrt()).to_array();
    let [a, b, c, d] = values;
    [a * scale[0], b * scale[1], c * scale[2], d * scale[3]]
}

impl Track {
    fn to_keys(self, bytes: &[u8]) -> TrackKeys {
        let keys = 0..self.keys as usize;
        let frames = self.frames(bytes);
        TrackKeys {
            kind: self.kind,
            joint: self.joint,
            frames: keys.clone().map(|key| frame_at(frames, key)).collect(),
            values: keys.map(|key| self.value(bytes, key)).collect(),
            grid: self.vectors,
        }
    }

    #[inline]
    fn apply(&self, value: Vec4, skeleton: &Skeleton, pose: &mut LocalPose) {
        let joint = usize::from(self.joint);
        match self.kind {
            TrackKind::Rotation => {
                let [value, ..] = normalised([value; 4]);
                pose.joints_mut()[joint].rotation = Quat::from_vec4(value);
            }
            TrackKind::RootTranslation => {
                pose.joints_mut()[0].translation = value.truncate().into();
            }
            TrackKind::Translation => {
                pose.joints_mut()[joint].translation += glam::Vec3A::from(value.truncate());
            }
            TrackKind::Stretch => pose.stretch_bone(skeleton, self.joint, value.x),
        }
    }

    #[inline]
    fn frames<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.frames_at as usize..][..self.keys as usize * FRAME_BYTES]
    }

    /// The key that starts the segment of `frame`.
    #[inline]
    fn find(&self, bytes: &[u8], chunk: &Chunk, frame: u32) -> u32 {
        // The first frame has a key, and the last one starts nothing.
        let up_to_frame = if self.maps_at == NO_MAP {
            self.count_up_to(bytes, frame)
        } else {
            let map = chunk.maps[(self.maps_at + frame / 32) as usize];
            map.keys_before + (map.has_key << (31 - frame % 32)).count_ones()
        };
        (up_to_frame - 1).min(self.keys.saturating_sub(2))
    }

    /// Keys at or before a frame, of a track with few.
    fn count_up_to(&self, bytes: &[u8], frame: u32) -> u32 {
        let (frames, _) = self.frames(bytes).as_chunks::<FRAME_BYTES>();
        let count = frames.partition_point(|at| u32::from(u16::from_le_bytes(*at)) <= frame);
        count as u32
    }

    /// The cubic from the segment's key to the next.
    #[inline]
    fn load(&self, bytes: &[u8], timing: Timing, segment: &mut Segment) {
        let (keys, key) = (self.keys as usize, segment.key as usize);
        if key == 0 || key + 2 >= keys {
            *segment = self.load_any(bytes, timing, key);
            return;
        }
        // Four keys in a row: nearly always so.
        let before = 2 * (key - 1);
        let frames = row(bytes, self.frames_at as usize + before);
        let values = self.values_at as usize + before;
        let [a, b, c, times] = numbers([
            row(bytes, values),
            row(bytes, values + 2 * keys),
            row(bytes, values + 4 * keys),
            frames,
        ]);
        let points = match self.packing {
            Packing::LargestW => unpack4_largest_w([a, b, c]),
            Packing::Any => unpack4([a, b, c]),
            Packing::Vector => self.vectors.unpack4([a, b, c]),
        };
        let times = times.to_array();
        let length = times[2] - times[1];
        let tangents = match timing {
            Timing::Uniform => Inner::UNIFORM,
            Timing::Knots => Inner::new(times[1] - times[0], length, times[3] - times[2]),
        };
        let [start, end] = [frames >> 16, frames >> 32].map(|word| u32::from(word as u16));
        // Field by field: a whole one would take a detour through the stack.
        segment.coefficients = tangents.coefficients(points);
        segment.start = start;
        segment.length = end - start;
        segment.per_frame = 1.0 / length;
    }

    /// The same at the ends of a track.
    fn load_any(&self, bytes: &[u8], timing: Timing, key: usize) -> Segment {
        let last = self.keys as usize - 1;
        if last == 0 {
            let value = self.value(bytes, 0);
            return Segment {
                coefficients: [value, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO],
                length: u32::MAX,
                ..Segment::EMPTY
            };
        }
        let keys = [key.saturating_sub(1), key, key + 1, (key + 2).min(last)];
        let frames = self.frames(bytes);
        let times = keys.map(|key| frame_at(frames, key));
        let tangents = Tangents::new(timing, times.map(f32::from));
        let length = u32::from(times[2] - times[1]);
        Segment {
            coefficients: tangents.coefficients(&keys.map(|key| self.value(bytes, key))),
            start: u32::from(times[1]),
            length,
            per_frame: 1.0 / length as f32,
            key: key as u32,
        }
    }

    fn value(&self, bytes: &[u8], key: usize) -> Vec4 {
        let plane = self.keys as usize * 2;
        let values = &bytes[self.values_at as usize..][..3 * plane];
        let words = [0, 1, 2].map(|i| frame_at(&values[i * plane..], key));
        match self.kind {
            TrackKind::Rotation => Quat48(words).unpack().into(),
            _ => self.vectors.unpack(words),
        }
    }
}

/// Four words in a row, as one number.
#[inline(always)]
fn row(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + 8) {
        Some(&[a, b, c, d, e, f, g, h]) => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => 0, // never: the row lies inside the track
    }
}

/// The words of four rows as numbers.
#[inline(always)]
fn numbers(rows: [u64; 4]) -> [f32x4; 4] {
    let [a, b, c, d] = rows;
    let pair = |a: u64, b: u64| {
        let halves: u32x4 = bytemuck::cast(u64x2::new([a, b]));
        let number = |words: u32x4| bytemuck::cast::<_, i32x4>(words).round_float();
        let even = number(halves & u32x4::splat(0xffff));
        let odd = number(halves >> 16);
        (even.unpack_lo(odd), even.unpack_hi(odd))
    };
    let ((a, b), (c, d)) = (pair(a, b), pair(c, d));
    [a, b, c, d]
}
