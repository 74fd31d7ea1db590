//! A clip of tracks as a section's body: keys as they are, bit for bit.
//!
//! ```text
//! u16 version of the section, 1    u16 skeleton    u8 frame rate assumed    u8 0
//! f64 frames a second    text name    text source    u16 morph weights
//! four lists: translations, rotations, scales, morph weights; each
//!   varint tracks, for each, ascending by joint or weight:
//!     u16 joint or weight    u8 curve: 0 step, 1 linear, 2 cubic    varint keys
//!     f32 × keys seconds
//!     f32 × 3, 4, 3 or 1 × keys values; of a cubic curve arriving tangent,
//!     value and leaving tangent of each key
//! ```

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::{KinSkeleton, KinTracks, put_text, read_text};
use crate::{
    clip::{Curve, KeyTrack, KeyValue, Keys, TrackClip, TrackError},
    codec::{
        DecodeError, bad_field,
        bytes::{ByteReader, put_varint},
    },
};

/// The version this reader knows, and the one it writes.
const VERSION: u16 = 1;
const CURVES: [Curve; 3] = [Curve::Step, Curve::Linear, Curve::Cubic];

/// A value as numbers.
trait Stored: KeyValue {
    const WIDTH: usize;
    fn put(self, out: &mut Vec<u8>);
    fn get(numbers: &[f32]) -> Self;
}

impl Stored for f32 {
    const WIDTH: usize = 1;
    fn put(self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
    fn get(numbers: &[f32]) -> Self {
        numbers[0]
    }
}

impl Stored for Vec3 {
    const WIDTH: usize = 3;
    fn put(self, out: &mut Vec<u8>) {
        out.extend(self.to_array().iter().flat_map(|it| it.to_le_bytes()));
    }
    fn get(numbers: &[f32]) -> Self {
        Self::from_slice(numbers)
    }
}

impl Stored for Quat {
    const WIDTH: usize = 4;
    fn put(self, out: &mut Vec<u8>) {
        out.extend(self.to_array().iter().flat_map(|it| it.to_le_bytes()));
    }
    fn get(numbers: &[f32]) -> Self {
        Self::from_slice(numbers)
    }
}

pub(super) fn write(kin: &KinTracks) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(VERSION.to_le_bytes());
    out.extend((kin.skeleton as u16).to_le_bytes());
    out.extend([u8::from(kin.fps_assumed), 0]);
    out.extend(kin.clip.fps.to_le_bytes());
    put_text(&mut out, &kin.clip.name);
    put_text(&mut out, &kin.source);
    out.extend((kin.clip.morphs as u16).to_le_bytes());
    put_list(&mut out, &kin.clip.translations);
    put_list(&mut out, &kin.clip.rotations);
    put_list(&mut out, &kin.clip.scales);
    put_list(&mut out, &kin.clip.weights);
    out
}

fn put_list<T: Stored>(out: &mut Vec<u8>, list: &[KeyTrack<T>]) {
    put_varint(out, list.len() as u32);
    for track in list {
        out.extend(track.of.to_le_bytes());
        let curve = CURVES.iter().position(|it| *it == track.keys.curve());
        out.push(curve.unwrap_or(0) as u8);
        put_varint(out, track.keys.len() as u32);
        let times = track.keys.times_secs().iter();
        out.extend(times.flat_map(|it| it.to_le_bytes()));
        track.keys.values().iter().for_each(|it| it.put(out));
    }
}

pub(super) fn read(body: &[u8], skeletons: &[Arc<KinSkeleton>]) -> Result<KinTracks, DecodeError> {
    let mut reader = ByteReader::new(body);
    let version = reader.u16("version of the tracks")?;
    if version != VERSION {
        return Err(bad_field("version of the tracks", version, "1"));
    }
    let skeleton = usize::from(reader.u16("skeleton number")?);
    let Some(on) = skeletons.get(skeleton) else {
        let found = skeleton as u64;
        return Err(bad_field(
            "skeleton number",
            found,
            "of a skeleton before the clip",
        ));
    };
    let fps_assumed = reader.u8("frame rate assumed")? != 0;
    reader.u8("reserved field")?;
    let fps = reader.f64("frame rate")?;
    if !(fps > 0.0 && fps <= 1e6) {
        return Err(bad_field(
            "frame rate",
            fps.to_bits(),
            "above 0 and at most a million",
        ));
    }
    let name = read_text(&mut reader, "clip name")?;
    let source = read_text(&mut reader, "clip source")?;
    let morphs = usize::from(reader.u16("morph weights")?);
    let clip = TrackClip {
        name,
        fps,
        joints: on.skeleton.len(),
        morphs,
        translations: read_list(&mut reader)?,
        rotations: read_list(&mut reader)?,
        scales: read_list(&mut reader)?,
        weights: read_list(&mut reader)?,
    };
    reader.finish()?;
    clip.validate().map_err(|error| match error {
        TrackError::NoSuchJoint(joint) => bad_field(
            "joint of a track",
            joint.parse().unwrap_or(u64::MAX),
            "one of the skeleton's",
        ),
        TrackError::NoSuchMorph { morph, .. } => {
            bad_field("weight of a track", morph as u64, "one of the clip's")
        }
        _ => bad_field(
            "order of the tracks",
            0u64,
            "ascending, one for each joint and weight",
        ),
    })?;
    Ok(KinTracks {
        source,
        fps_assumed,
        skeleton,
        clip,
        events: None,
    })
}

fn read_list<T: Stored>(reader: &mut ByteReader<'_>) -> Result<Vec<KeyTrack<T>>, DecodeError> {
    let count = reader.varint("number of tracks")?;
    let mut list = Vec::new();
    for _ in 0..count {
        let of = reader.u16("joint of a track")?;
        let curve = reader.u8("curve of a track")?;
        let Some(&curve) = CURVES.get(usize::from(curve)) else {
            return Err(bad_field("curve of a track", curve, "0, 1 or 2"));
        };
        let keys = reader.varint("keys of a track")? as usize;
        let times = floats(reader, "key times", keys)?;
        let numbers = keys.saturating_mul(curve.values_per_key() * T::WIDTH);
        let numbers = floats(reader, "key values", numbers)?;
        let values = numbers.chunks_exact(T::WIDTH).map(T::get).collect();
        let keys = Keys::new(curve, times, values)
            .map_err(|_| bad_field("keys of a track", keys as u64, "finite, in order of time"))?;
        list.push(KeyTrack { of, keys });
    }
    Ok(list)
}

/// Taken from the bytes before anything is allocated for them.
fn floats(
    reader: &mut ByteReader<'_>,
    what: &'static str,
    count: usize,
) -> Result<Vec<f32>, DecodeError> {
    let bytes = reader.take(what, count.saturating_mul(4))?;
    let (fours, _) = bytes.as_chunks::<4>();
    Ok(fours.iter().map(|&it| f32::from_le_bytes(it)).collect())
}
