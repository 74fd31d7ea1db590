//! Sampling of keyed clips.
//!
//! The cursor holds, for every track, the cubic of the segment it is in. A
//! sample first loads the cubics that no longer hold the moment, then evaluates
//! all. Rotations are done eight at a time (`lanes.rs`), the root's translation
//! and the rare further tracks one by one. Keys are found by counting bits in a
//! map of the keys, or by bisection where keys are rare.

use fearless_simd::{Simd, dispatch};
use glam::Vec4;

use super::{
    CHUNK_SPAN, Chunk, KeyClip, Timing, Track, TrackKeys, TrackKind, chunk_ranges,
    curve::{Tangents, evaluate},
    lanes::{Cubics, MAP_FRAMES, first_keys},
    layout::{KEY_BYTES, key_frames},
};
use crate::{
    clip::{ClipCursor, ClipShape, SampleClip},
    codec::{lanes::LANES, quat48::Quat48},
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// What a player of keyed clips keeps between samples.
#[derive(Clone, Debug, Default)]
pub struct KeyCursor {
    clip_id: u64,
    chunk: usize,
    /// Of every group with rotations.
    cubics: Vec<Cubics>,
    /// Of the tracks after the rotations.
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
}

impl Segment {
    const EMPTY: Self = Self {
        coefficients: [Vec4::ZERO; 4],
        start: 0,
        length: 0,
        per_frame: 0.0,
    };

    #[inline]
    fn holds(&self, moment: Moment) -> bool {
        // One comparison for both ends: before the start the difference wraps.
        moment.frame.wrapping_sub(self.start) < self.length
    }

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

impl KeyClip {
    /// Keys of all rotations.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.keys
    }
}

impl SampleClip for KeyClip {
    fn shape(&self) -> ClipShape {
        ClipShape {
            frames: self.shape.frames,
            fps: self.shape.fps,
            joints: self.shape.joints,
        }
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        assert_eq!(skeleton.len(), self.shape.joints, "another skeleton");
        let cursor = cursor.of::<KeyCursor>();
        pose.copy_from(skeleton.rest());
        let moment = self.moment(time_secs);
        let chunk = &self.chunks[moment.chunk];
        if cursor.clip_id != self.id || cursor.chunk != moment.chunk {
            cursor.restart(self.id, moment.chunk, chunk);
        }
        let level = self.level;
        dispatch!(level, simd => self.rotations(simd, chunk, moment, &mut cursor.cubics, pose));
        self.others(chunk, moment, &mut cursor.segments, skeleton, pose);
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

    /// Source frames at which a joint's rotation has a key.
    #[must_use]
    pub fn rotation_key_frames(&self, joint: JointIndex) -> Vec<u32> {
        let starts = chunk_ranges(self.shape.frames).map(|(start, _)| start as u32);
        let mut frames: Vec<u32> = { self.chunks.iter().zip(starts) }
            .flat_map(|(chunk, start)| {
                let own = { chunk.tracks.iter() }
                    .filter(move |it| it.kind == TrackKind::Rotation && it.joint == joint);
                let frames = own.flat_map(|track| key_frames(track.keys(&self.bytes)));
                frames.map(move |frame| start + u32::from(frame))
            })
            .collect();
        // Chunks share their border frame.
        frames.dedup();
        frames
    }

    fn moment(&self, time_secs: f64) -> Moment {
        let last = self.shape.frames - 1;
        // `max` before `min`: a NaN becomes 0.
        let position = (time_secs * self.shape.fps).max(0.0).min(last as f64);
        // The last frame is the end of the last segment, not the start of one.
        let frame = (position as usize).min(last.saturating_sub(1));
        // A border frame is the first of its later chunk.
        let chunk = (frame / CHUNK_SPAN).min(self.chunks.len() - 1);
        Moment {
            chunk,
            frame: (frame - chunk * CHUNK_SPAN) as u32,
            fraction: (position - frame as f64) as f32,
        }
    }

    #[inline(always)]
    fn rotations<S: Simd>(
        &self,
        simd: S,
        chunk: &Chunk,
        moment: Moment,
        cubics: &mut [Cubics],
        pose: &mut LocalPose,
    ) {
        let bytes: &[u8] = &self.bytes;
        let joints = pose.joints_mut();
        for &(joint, rotation) in &chunk.constants {
            joints[usize::from(joint)].rotation = rotation;
        }
        for (index, (group, cubics)) in chunk.groups.iter().zip(cubics).enumerate() {
            if !cubics.hold(simd, moment.frame) {
                let keys = match chunk.map(index, moment.frame) {
                    Some(map) => first_keys(simd, group, map, moment.frame),
                    None => simd.load_array_i32x8(chunk.bisect(bytes, index, moment.frame)),
                };
                cubics.load(simd, bytes, group, keys, self.shape.timing);
            }
            cubics.write(simd, group, (moment.frame, moment.fraction), joints);
        }
    }

    /// Applies the tracks that are no rotations.
    #[inline]
    fn others(
        &self,
        chunk: &Chunk,
        moment: Moment,
        segments: &mut [Segment],
        skeleton: &Skeleton,
        pose: &mut LocalPose,
    ) {
        let bytes: &[u8] = &self.bytes;
        let first = chunk.groups.len() * LANES;
        for (index, segment) in (first..).zip(segments) {
            let track = &chunk.lanes[index];
            if !segment.holds(moment) {
                let key = chunk.first_key(bytes, index, moment.frame);
                *segment = track.segment(bytes, self.shape.timing, key);
            }
            track
                .kind
                .apply(track.joint, segment.at(moment), skeleton, pose);
        }
    }
}

impl KeyCursor {
    fn restart(&mut self, clip_id: u64, index: usize, chunk: &Chunk) {
        self.clip_id = clip_id;
        self.chunk = index;
        self.cubics.clear();
        self.cubics.resize(chunk.groups.len(), Cubics::EMPTY);
        self.segments.clear();
        let others = chunk.lanes.len() - chunk.groups.len() * LANES;
        self.segments.resize(others, Segment::EMPTY);
    }
}

impl Chunk {
    #[inline(always)]
    fn map(&self, group: usize, frame: u32) -> Option<&super::KeyMap> {
        let row = frame as usize / MAP_FRAMES;
        self.maps
            .get(row * self.lanes.len().div_ceil(LANES) + group)
    }

    /// The key that starts a lane's segment of `frame`.
    fn first_key(&self, bytes: &[u8], lane: usize, frame: u32) -> usize {
        let track = &self.lanes[lane];
        let up_to_frame = match self.map(lane / LANES, frame) {
            Some(map) => {
                let later = MAP_FRAMES as u32 - 1 - frame % MAP_FRAMES as u32;
                let up_to_frame = map.has_key[lane % LANES] << later;
                map.keys_before[lane % LANES] as usize + up_to_frame.count_ones() as usize
            }
            None => {
                let (keys, _) = track.keys(bytes).as_chunks::<KEY_BYTES>();
                keys.partition_point(|key| u32::from(u16::from_le_bytes([key[0], key[1]])) <= frame)
            }
        };
        // The first frame has a key, and the last key starts nothing.
        (up_to_frame - 1).min((track.keys as usize).saturating_sub(2))
    }

    /// The same for all lanes of a group, where there is no map.
    #[inline(never)]
    fn bisect(&self, bytes: &[u8], group: usize, frame: u32) -> [i32; LANES] {
        std::array::from_fn(|lane| self.first_key(bytes, group * LANES + lane, frame) as i32)
    }
}

impl Track {
    fn to_keys(self, bytes: &[u8]) -> TrackKeys {
        TrackKeys {
            kind: self.kind,
            joint: self.joint,
            frames: key_frames(self.keys(bytes)).collect(),
            values: (0..self.keys as usize)
                .map(|key| self.key(bytes, key).1)
                .collect(),
            grid: self.vectors,
        }
    }

    #[inline]
    pub(super) fn keys<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.keys_at as usize..][..self.keys as usize * KEY_BYTES]
    }

    /// Frame and value of a key.
    #[inline]
    pub(super) fn key(&self, bytes: &[u8], key: usize) -> (u16, Vec4) {
        let (keys, _) = self.keys(bytes).as_chunks::<KEY_BYTES>();
        let (words, _) = keys[key].as_chunks::<2>();
        let word = |i: usize| u16::from_le_bytes(words[i]);
        let words = [word(1), word(2), word(3)];
        let value = match self.kind {
            TrackKind::Rotation => Quat48(words).unpack().into(),
            _ => self.vectors.unpack(words),
        };
        (word(0), value)
    }

    /// The cubic from key `first` to the next.
    #[inline]
    fn segment(&self, bytes: &[u8], timing: Timing, first: usize) -> Segment {
        let last = self.keys as usize - 1;
        if last == 0 {
            return Segment {
                coefficients: [self.key(bytes, 0).1, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO],
                // Good for every frame: never loaded again.
                length: u32::MAX,
                ..Segment::EMPTY
            };
        }
        let around = [first.saturating_sub(1), first, first + 1, first + 2];
        let keys = around.map(|key| self.key(bytes, key.min(last)));
        let frames = keys.map(|key| key.0);
        let tangents = Tangents::new(timing, frames.map(f32::from));
        let length = u32::from(frames[2] - frames[1]);
        Segment {
            coefficients: tangents.coefficients(&keys.map(|key| key.1)),
            start: u32::from(frames[1]),
            length,
            per_frame: 1.0 / length as f32,
        }
    }
}
