//! Sampling of keyed clips.
//!
//! The cursor holds, for every track, the cubic of the segment it is in. A
//! sample has three passes over the tracks, each of simple, independent work:
//! find the segments that no longer hold the moment, load their cubics,
//! evaluate all. Playing forward finds few; a seek finds most, each through a
//! table of blocks, in time that does not grow with the clip as long as keys
//! are spread, and logarithmically however they cluster.

use glam::{Quat, Vec4};
use wide::f32x4;

use super::{
    CHUNK_SPAN, Chunk, KeyClip, Timing, Track, TrackKeys, TrackKind,
    curve::{Tangents, evaluate},
    layout::{FRAME_BYTES, frame_at},
};
use crate::{
    codec::{
        SampleClip,
        quat48::{Quat48, unpack4},
    },
    skeleton::{LocalPose, Skeleton},
};

/// So few keys are compared one by one.
const FEW: usize = 4;

/// What a player of keyed clips keeps between samples.
#[derive(Clone, Debug, Default)]
pub struct KeyCursor {
    clip_id: u64,
    chunk: usize,
    segments: Vec<Segment>,
    /// Tracks whose segment is over, and the key that starts the new one.
    stale: Vec<(u32, u32)>,
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
}

impl Segment {
    const EMPTY: Self = Self {
        coefficients: [Vec4::ZERO; 4],
        start: 0,
        length: 0,
        per_frame: 0.0,
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
        cursor.find_stale(chunk, &self.bytes, moment.frame);
        cursor.load_stale(chunk, &self.bytes, self.shape.timing);
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
        self.stale.clear();
        self.stale.reserve(tracks);
    }

    fn find_stale(&mut self, chunk: &Chunk, bytes: &[u8], frame: u32) {
        self.stale.clear();
        let tracks = chunk.tracks.iter().zip(&self.segments).enumerate();
        for (index, (track, segment)) in tracks {
            if frame.wrapping_sub(segment.start) >= segment.length {
                let key = track.find(bytes, chunk, frame);
                self.stale.push((index as u32, key));
            }
        }
    }

    fn load_stale(&mut self, chunk: &Chunk, bytes: &[u8], timing: Timing) {
        for &(index, key) in &self.stale {
            let track = &chunk.tracks[index as usize];
            self.segments[index as usize] = track.load(bytes, timing, key as usize);
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
        let single = rest.iter().chain(others);
        let single_segments = segment_rest.iter().chain(other_segments);
        for (track, segment) in single.zip(single_segments) {
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
        let frames = self.frames(bytes);
        let at = |key: u32| u32::from(frame_at(frames, key as usize));
        let block = self.seek_at as usize + (frame >> self.block_bits) as usize;
        let mut low = u32::from(chunk.seek[block]);
        let mut high = u32::from(chunk.seek[block + 1]);
        while high - low > FEW as u32 {
            let middle = (low + high).div_ceil(2);
            if at(middle) <= frame {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        // Few are left: looking at all without a branch beats guessing.
        let first = low;
        for step in 1..=FEW as u32 {
            low += u32::from(first + step <= high && at((first + step).min(high)) <= frame);
        }
        low.min(self.keys.saturating_sub(2))
    }

    /// The cubic from `key` to the next.
    #[inline]
    fn load(&self, bytes: &[u8], timing: Timing, key: usize) -> Segment {
        let keys = self.keys as usize;
        if key == 0 || key + 2 >= keys || self.kind != TrackKind::Rotation {
            return self.load_any(bytes, timing, key);
        }
        // Four keys in a row: nearly always so.
        let before = 2 * (key - 1);
        let times = unpack_row(row(bytes, self.frames_at as usize + before));
        let values = self.values_at as usize + before;
        let points = unpack4([
            row(bytes, values),
            row(bytes, values + 2 * keys),
            row(bytes, values + 4 * keys),
        ]);
        let length = times[2] - times[1];
        let tangents = match timing {
            Timing::Uniform => Tangents::UNIFORM,
            Timing::Knots => Tangents::inner(times[1] - times[0], length, times[3] - times[2]),
        };
        Segment {
            coefficients: tangents.coefficients(&points),
            start: times[1] as u32,
            length: length as u32,
            per_frame: 1.0 / length,
        }
    }

    /// The same at the ends of a track, and for vectors.
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
    match bytes[at..].first_chunk::<8>() {
        Some(row) => u64::from_le_bytes(*row),
        None => 0, // never: the row lies inside the track
    }
}

#[inline(always)]
fn unpack_row(row: u64) -> [f32; 4] {
    let word = |shift: u32| f32::from((row >> shift) as u16);
    [word(0), word(16), word(32), word(48)]
}
