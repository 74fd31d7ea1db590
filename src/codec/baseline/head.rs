//! What all baselines store alike: what the clip is, and the tracks that never
//! change.
//!
//! ```text
//! u16 joints    u32 frames    f64 fps    varint tracks
//! for each track:
//!   varint joint × 8 + kind    u8 1 where it stands still
//!   where it does: f32 × numbers, its value
//! ```

use glam::Vec4;

use crate::{
    clip::{ClipShape, RawClip},
    codec::{
        CompressError, DecodeError, Stop, bad_field,
        bytes::{ByteReader, put_varint},
        check_input,
        keys::{
            TrackKind,
            source::{self, SourceTrack},
        },
    },
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// As in keyed clips: 38 hours at 120 frames a second.
const MAX_FRAMES: usize = 1 << 24;

/// What a track moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackId {
    pub kind: TrackKind,
    pub of: JointIndex,
}

/// What a clip is, and what stands still in it.
#[derive(Clone, Debug)]
pub struct Head {
    pub shape: ClipShape,
    /// With the values they keep.
    pub still: Vec<(TrackId, Vec4)>,
    /// The others: their values are the codec's business.
    pub moving: Vec<TrackId>,
}

impl Head {
    /// Checks the input and parts what moves from what does not.
    pub fn split(
        skeleton: &Skeleton,
        clip: &RawClip,
        setting: f64,
        stop: Stop<'_>,
    ) -> Result<(Self, Vec<SourceTrack>), CompressError> {
        check_input(skeleton, clip, setting)?;
        stop.check()?;
        let (still, moving): (Vec<_>, Vec<_>) = one_root(source::whole(clip))
            .into_iter()
            .partition(SourceTrack::is_constant);
        let id = |track: &SourceTrack| TrackId {
            kind: track.kind,
            of: track.joint,
        };
        let head = Self {
            shape: ClipShape {
                frames: clip.frames(),
                fps: clip.fps,
                joints: clip.joints,
            },
            still: { still.iter() }.map(|it| (id(it), it.samples[0])).collect(),
            moving: moving.iter().map(id).collect(),
        };
        Ok((head, moving))
    }

    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend((self.shape.joints as u16).to_le_bytes());
        out.extend((self.shape.frames as u32).to_le_bytes());
        out.extend(self.shape.fps.to_le_bytes());
        put_varint(&mut out, (self.still.len() + self.moving.len()) as u32);
        for (track, value) in &self.still {
            track.write(true, &mut out);
            put_numbers(*value, track.kind, &mut out);
        }
        for track in &self.moving {
            track.write(false, &mut out);
        }
        out
    }

    pub fn read(reader: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let joints = usize::from(reader.u16("joint count")?);
        let frames = reader.u32("frame count")? as usize;
        let fps = reader.f64("frame rate")?;
        if !(1..=MAX_FRAMES).contains(&frames) {
            return Err(bad_field("frame count", frames as u64, "1 to 16777216"));
        }
        if fps <= 0.0 {
            return Err(bad_field("frame rate", fps.to_bits(), "positive"));
        }
        let (mut still, mut moving) = (Vec::new(), Vec::new());
        for _ in 0..reader.varint("track count")? {
            let track = TrackId::read(reader, joints)?;
            match reader.u8("mark of a track")? {
                0 => moving.push(track),
                1 => still.push((track, numbers(reader, track.kind)?)),
                other => return Err(bad_field("mark of a track", other, "0 or 1")),
            }
        }
        let shape = ClipShape {
            frames,
            fps,
            joints,
        };
        Ok(Self {
            shape,
            still,
            moving,
        })
    }

    /// Where a moment lies, in frames from the first.
    pub fn position(&self, time_secs: f64) -> f64 {
        let last = self.shape.frames - 1;
        // `max` before `min`: a NaN becomes 0.
        (time_secs * self.shape.fps).max(0.0).min(last as f64)
    }

    /// The pose without what moves.
    pub fn begin(&self, skeleton: &Skeleton, pose: &mut LocalPose) {
        assert_eq!(skeleton.len(), self.shape.joints, "another skeleton");
        pose.copy_from(skeleton.rest());
        for &(track, value) in &self.still {
            track.kind.apply(track.of, value, skeleton, pose);
        }
    }
}

impl TrackId {
    fn write(self, still: bool, out: &mut Vec<u8>) {
        put_varint(out, u32::from(self.of) * 8 + self.kind as u32);
        out.push(u8::from(still));
    }

    fn read(reader: &mut ByteReader<'_>, joints: usize) -> Result<Self, DecodeError> {
        let tag = reader.varint("track tag")?;
        let kind = TrackKind::ALL.get((tag & 7) as usize);
        let Some(&kind) = kind else {
            return Err(bad_field("track kind", tag & 7, "a known one"));
        };
        kind.check(tag >> 3, joints).map(|of| Self { kind, of })
    }
}

/// The root's own translation and a further one of it as one track: a single
/// value says both.
fn one_root(mut tracks: Vec<SourceTrack>) -> Vec<SourceTrack> {
    let is_further = |it: &SourceTrack| it.kind == TrackKind::Translation && it.joint == 0;
    let Some(at) = tracks.iter().position(is_further) else {
        return tracks;
    };
    let further = tracks.remove(at);
    let root = { tracks.iter_mut() }.find(|it| it.kind == TrackKind::RootTranslation);
    for (value, more) in root
        .into_iter()
        .flat_map(|it| it.samples.iter_mut().zip(&further.samples))
    {
        *value += *more;
    }
    tracks
}

/// As many numbers as a track of the kind has.
pub fn put_numbers(value: Vec4, kind: TrackKind, out: &mut Vec<u8>) {
    for number in &value.to_array()[..kind.numbers()] {
        out.extend(number.to_le_bytes());
    }
}

/// What [`put_numbers`] wrote.
pub fn numbers(reader: &mut ByteReader<'_>, kind: TrackKind) -> Result<Vec4, DecodeError> {
    let mut value = [0.0; 4];
    for number in &mut value[..kind.numbers()] {
        *number = reader.f32("a track's numbers")?;
        if number.abs() > 1e9 {
            return Err(bad_field(
                "a track's number",
                number.to_bits(),
                "within 1e9",
            ));
        }
    }
    Ok(Vec4::from_array(value))
}

/// A value between two, as the runtime shows it.
#[inline]
pub fn between(kind: TrackKind, from: Vec4, to: Vec4, weight: f32) -> Vec4 {
    match kind {
        TrackKind::Rotation => {
            // q and −q are one rotation: the short way is to the nearer.
            let to = if from.dot(to) < 0.0 { -to } else { to };
            shown(kind, from + (to - from) * weight)
        }
        _ => from + (to - from) * weight,
    }
}

/// Rotations are made unit length; what has no direction is no rotation.
#[inline]
pub fn shown(kind: TrackKind, value: Vec4) -> Vec4 {
    match kind {
        TrackKind::Rotation => value.try_normalize().unwrap_or(Vec4::W),
        _ => value,
    }
}

/// The measure of thresholds.
pub fn difference(kind: TrackKind, found: Vec4, source: Vec4) -> f32 {
    (shown(kind, found) - source).abs().element_sum()
}

/// The span of a track's numbers, for grids of few bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    low: Vec4,
    size: Vec4,
}

impl Span {
    pub fn around(values: impl Iterator<Item = Vec4> + Clone) -> Self {
        let low = values.clone().fold(Vec4::INFINITY, Vec4::min);
        let high = values.fold(Vec4::NEG_INFINITY, Vec4::max);
        Self {
            low,
            size: high - low,
        }
    }

    /// The nearest points of a grid of `most` + 1 on each axis.
    pub fn words(&self, value: Vec4, most: u32) -> [u32; 4] {
        let share = (value - self.low) / self.size;
        // An axis without extent gives no number, which becomes 0.
        share
            .to_array()
            .map(|it| (it * most as f32).round() as u32)
            .map(|it| it.min(most))
    }

    #[inline]
    pub fn value(&self, words: [u32; 4], most: u32) -> Vec4 {
        self.low + self.size * (Vec4::from_array(words.map(|it| it as f32)) / most as f32)
    }

    pub fn write(&self, kind: TrackKind, out: &mut Vec<u8>) {
        put_numbers(self.low, kind, out);
        put_numbers(self.size, kind, out);
    }

    pub fn read(reader: &mut ByteReader<'_>, kind: TrackKind) -> Result<Self, DecodeError> {
        Ok(Self {
            low: numbers(reader, kind)?,
            size: numbers(reader, kind)?,
        })
    }
}
