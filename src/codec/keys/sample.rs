//! Sampling of keyed clips.
//!
//! The cursor holds, for every track, the cubic of the segment it is in.
//! Playing forward evaluates cubics and loads a new segment only when one
//! ends; a seek finds the segment through a table of blocks, in time that does
//! not grow with the clip as long as keys are spread, and logarithmically
//! however they cluster.

use glam::{Quat, Vec4};

use super::{
    CHUNK_SPAN, Chunk, KeyClip, Timing, Track, TrackKeys, TrackKind,
    curve::{Tangents, evaluate},
    layout::frame_at,
};
use crate::{
    codec::{
        SampleClip,
        quat48::{QUAT48_BYTES, Quat48, unpack4},
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
        let bytes: &[u8] = &self.bytes;
        for (track, segment) in chunk.tracks.iter().zip(&mut cursor.segments) {
            if moment.frame.wrapping_sub(segment.start) >= segment.length {
                track.load(bytes, chunk, self.shape.timing, moment.frame, segment);
            }
            track.apply(segment.at(moment), skeleton, pose);
        }
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
}

impl Track {
    fn to_keys(self, bytes: &[u8]) -> TrackKeys {
        let frames = &bytes[self.frames_at as usize..];
        let values = &bytes[self.values_at as usize..];
        let keys = 0..self.keys as usize;
        TrackKeys {
            kind: self.kind,
            joint: self.joint,
            frames: keys.clone().map(|key| frame_at(frames, key)).collect(),
            values: keys.map(|key| self.values(values, [key; 4])[0]).collect(),
            grid: self.vectors,
        }
    }

    #[inline]
    fn apply(&self, value: Vec4, skeleton: &Skeleton, pose: &mut LocalPose) {
        let joint = usize::from(self.joint);
        match self.kind {
            TrackKind::Rotation => {
                // A curve through the origin comes only from damaged keys; the
                // floor keeps even that finite.
                let scale = 1.0 / value.length_squared().max(1e-20).sqrt();
                pose.joints_mut()[joint].rotation = Quat::from_vec4(value * scale);
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

    /// Loads the segment that holds `frame`.
    fn load(&self, bytes: &[u8], chunk: &Chunk, timing: Timing, frame: u32, segment: &mut Segment) {
        let last = self.keys as usize - 1;
        let values = &bytes[self.values_at as usize..][..(last + 1) * QUAT48_BYTES];
        if last == 0 {
            let value = self.values(values, [0; 4])[0];
            *segment = Segment {
                coefficients: [value, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO],
                length: u32::MAX,
                ..Segment::EMPTY
            };
            return;
        }
        let frames = &bytes[self.frames_at as usize..][..(last + 1) * 2];
        let key = self.find(frames, chunk, frame, segment.key as usize);
        let keys = [key.saturating_sub(1), key, key + 1, (key + 2).min(last)];
        let times = keys.map(|key| frame_at(frames, key));
        let tangents = Tangents::new(timing, times.map(f32::from));
        let length = u32::from(times[2] - times[1]);
        *segment = Segment {
            coefficients: tangents.coefficients(&self.values(values, keys)),
            start: u32::from(times[1]),
            length,
            per_frame: 1.0 / length as f32,
            key: key as u32,
        };
    }

    /// The key that starts the segment of `frame`; `near` is tried first.
    fn find(&self, frames: &[u8], chunk: &Chunk, frame: u32, near: usize) -> usize {
        let last_start = self.keys as usize - 2;
        let at = |key: usize| u32::from(frame_at(frames, key));
        let next = near + 1;
        if next <= last_start && at(next) <= frame && frame < at(next + 1) {
            return next;
        }
        let block = self.seek_at as usize + (frame >> self.block_bits) as usize;
        let mut low = usize::from(chunk.seek[block]);
        let mut high = usize::from(chunk.seek[block + 1]);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if at(middle) <= frame {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low.min(last_start)
    }

    #[inline]
    fn values(&self, values: &[u8], keys: [usize; 4]) -> [Vec4; 4] {
        let packed = keys.map(|key| {
            let mut packed = [0; QUAT48_BYTES];
            packed.copy_from_slice(&values[key * QUAT48_BYTES..][..QUAT48_BYTES]);
            packed
        });
        match self.kind {
            TrackKind::Rotation => unpack4(packed.map(Quat48::from_bytes)),
            _ => packed.map(|packed| self.vectors.unpack(packed)),
        }
    }
}
