//! A raw clip as encoders of keyed clips want it: track by track, chunk by
//! chunk, four numbers a frame, constant tracks marked.

use glam::{Quat, Vec3, Vec4};

use super::{
    KeyClip, KeyClipShape, Timing, TrackKeys, TrackKind, VectorBox, chunk_ranges,
    curve::{Tangents, evaluate},
};
use crate::{
    clip::RawClip,
    codec::{CompressError, Stop, quat48::Quat48},
    math::quat::align_sign,
    skeleton::JointIndex,
};

/// The samples of one track over one chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceTrack {
    /// What it moves.
    pub kind: TrackKind,
    /// Whose.
    pub joint: JointIndex,
    /// One value a frame; quaternions with no flip of sign between neighbours.
    pub samples: Vec<Vec4>,
}

/// All tracks of all chunks, rotations first.
#[must_use]
pub fn split(clip: &RawClip) -> Vec<Vec<SourceTrack>> {
    chunk_ranges(clip.frames())
        .map(|(first, last)| chunk_tracks(clip, first, last))
        .collect()
}

/// Every track of every chunk as the keys that `keys` makes of it, if any, unless
/// it is stopped between two.
pub fn encode(
    clip: &RawClip,
    timing: Timing,
    stop: Stop<'_>,
    keys: impl Fn(&SourceTrack) -> Option<TrackKeys>,
) -> Result<KeyClip, CompressError> {
    let keyed = |tracks: &Vec<SourceTrack>| {
        let keyed = tracks.iter().map(|track| {
            stop.check()?;
            Ok(keys(track))
        });
        keyed
            .filter_map(Result::transpose)
            .collect::<Result<Vec<_>, CompressError>>()
    };
    let chunks = split(clip);
    let chunks = chunks.iter().map(keyed).collect::<Result<Vec<_>, _>>()?;
    Ok(KeyClip::build(shape(clip, timing), &chunks)?)
}

/// All tracks from the first frame to the last.
#[must_use]
pub fn whole(clip: &RawClip) -> Vec<SourceTrack> {
    chunk_tracks(clip, 0, clip.frames() - 1)
}

fn chunk_tracks(clip: &RawClip, first: usize, last: usize) -> Vec<SourceTrack> {
    let track = |kind, joint, samples| SourceTrack {
        kind,
        joint,
        samples,
    };
    let vectors = |values: &[Vec3]| values[first..=last].iter().map(|v| v.extend(0.0)).collect();
    let mut tracks = Vec::new();
    for (column, &joint) in clip.animated.iter().enumerate() {
        // Border frames are in both chunks.
        let samples = (first..=last).map(|frame| clip.frame_rotations(frame)[column]);
        tracks.push(track(TrackKind::Rotation, joint, continuous(samples)));
    }
    let root = vectors(&clip.root_translations);
    tracks.push(track(TrackKind::RootTranslation, 0, root));
    for source in &clip.translations {
        let samples = vectors(&source.values);
        tracks.push(track(TrackKind::Translation, source.joint, samples));
    }
    for source in &clip.stretches {
        let samples = source.values[first..=last].iter().map(|&m| Vec4::X * m);
        tracks.push(track(TrackKind::Stretch, source.joint, samples.collect()));
    }
    for source in &clip.scales {
        let samples = vectors(&source.values);
        tracks.push(track(TrackKind::Scale, source.joint, samples));
    }
    for source in &clip.morphs {
        let samples = source.values[first..=last].iter().map(|&it| Vec4::X * it);
        tracks.push(track(TrackKind::Morph, source.morph, samples.collect()));
    }
    tracks
}

/// q and −q are one rotation: takes the one nearer to the frame before, so
/// that a curve through neighbours does not cross the sphere.
fn continuous(rotations: impl Iterator<Item = Quat>) -> Vec<Vec4> {
    let mut before = None;
    let aligned = rotations.map(|q| {
        let q = align_sign(q, before.unwrap_or(q));
        before = Some(q);
        Vec4::from(q)
    });
    aligned.collect()
}

/// The shape of the clip that will hold the keys.
#[must_use]
pub fn shape(clip: &RawClip, timing: Timing) -> KeyClipShape {
    KeyClipShape {
        joints: clip.joints,
        frames: clip.frames(),
        fps: clip.fps,
        timing,
    }
}

impl SourceTrack {
    /// True when one key says it all, bit for bit.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        // Bit for bit: what only seems to stand still is the encoder's
        // business.
        self.samples.iter().all(|value| *value == self.samples[0])
    }

    /// Keys on the data at the given frames.
    #[must_use]
    pub fn keys_at(&self, frames: Vec<u16>) -> TrackKeys {
        let values = frames.iter().map(|&frame| self.samples[usize::from(frame)]);
        let values: Vec<_> = values.collect();
        TrackKeys {
            kind: self.kind,
            joint: self.joint,
            grid: VectorBox::around(&values),
            values,
            frames,
        }
    }
}

/// What the runtime will decode from a key.
#[must_use]
pub fn decoded(kind: TrackKind, value: Vec4, grid: &VectorBox) -> Vec4 {
    match kind {
        TrackKind::Rotation => Quat48::pack(Quat::from_vec4(value)).unpack().into(),
        _ => grid.unpack(grid.pack(value)),
    }
}

/// What the runtime shows at whole frames strictly inside the segment that
/// starts at key `key`. `frames` and `values` are those of the track's keys.
pub fn segment_frames<'a>(
    kind: TrackKind,
    timing: Timing,
    frames: &'a [u16],
    values: &'a [Vec4],
    key: usize,
) -> impl Iterator<Item = (usize, Vec4)> + use<> {
    let keys = [
        key.saturating_sub(1),
        key,
        key + 1,
        (key + 2).min(frames.len() - 1),
    ];
    // At the ends the outer key repeats: equal times mark it as missing.
    let times = keys.map(|key| frames[key]);
    let coefficients =
        Tangents::new(timing, times.map(f32::from)).coefficients(&keys.map(|key| values[key]));
    let per_frame = 1.0 / f32::from(times[2] - times[1]);
    (times[1] + 1..times[2]).map(move |frame| {
        let value = evaluate(&coefficients, f32::from(frame - times[1]) * per_frame);
        let shown = match kind {
            TrackKind::Rotation => value.normalize_or_zero(),
            _ => value,
        };
        (usize::from(frame), shown)
    })
}
