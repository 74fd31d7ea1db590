//! The bytes of a keyed clip.
//!
//! ```text
//! u8  timing: 0 uniform, 1 knots      u16 joints      u32 frames      f64 fps
//! for each chunk of 65,535 frames (the last may be shorter; at least one):
//!   varint tracks
//!   for each track:
//!     varint joint × 4 + kind (0 rotation, 1 root translation, 2 translation, 3 stretch)
//!     varint keys
//!     unless a rotation: f32 × 4, the vectors' origin and step
//!   for each track: keys × u16 frame
//!   for each track: keys × u16 word 0 of the values, keys × word 1, keys × word 2
//! ```
//!
//! A key thus takes 8 bytes. Like words lie together so that the four keys of a
//! segment load as three rows.
//!
//! Every field is checked here, so that sampling needs no checks: kinds and
//! joints exist, frames ascend from 0 to the chunk's last one.

use super::{
    Chunk, KeyClipShape, KeyMap, NO_MAP, Packing, Timing, Track, TrackKeys, TrackKind, VectorBox,
    chunk_ranges,
};
use crate::codec::{
    DecodeError,
    bytes::{Reader, put_varint},
    quat48::{QUAT48_BYTES, Quat48},
};
use glam::{Quat, Vec3};

pub(super) const FRAME_BYTES: usize = 2;
/// 38 hours at 120 frames a second: a few bytes must not claim more.
const MAX_FRAMES: usize = 1 << 24;

const KINDS: [TrackKind; 4] = [
    TrackKind::Rotation,
    TrackKind::RootTranslation,
    TrackKind::Translation,
    TrackKind::Stretch,
];

pub(super) fn write(shape: KeyClipShape, chunks: &[Vec<TrackKeys>]) -> Vec<u8> {
    let mut out = vec![match shape.timing {
        Timing::Uniform => 0,
        Timing::Knots => 1,
    }];
    out.extend((shape.joints as u16).to_le_bytes());
    out.extend((shape.frames as u32).to_le_bytes());
    out.extend(shape.fps.to_le_bytes());
    for tracks in chunks {
        write_chunk(tracks, &mut out);
    }
    out
}

fn write_chunk(tracks: &[TrackKeys], out: &mut Vec<u8>) {
    put_varint(out, tracks.len() as u32);
    for track in tracks {
        put_varint(out, u32::from(track.joint) * 4 + track.kind as u32);
        put_varint(out, track.frames.len() as u32);
        if track.kind != TrackKind::Rotation {
            let grid = track.grid;
            for number in grid.origin.to_array().into_iter().chain([grid.step_m]) {
                out.extend(number.to_le_bytes());
            }
        }
    }
    for frame in tracks.iter().flat_map(|track| &track.frames) {
        out.extend(frame.to_le_bytes());
    }
    for track in tracks {
        let words = track.values.iter().map(|&value| match track.kind {
            TrackKind::Rotation => Quat48::pack(Quat::from_vec4(value)).0,
            _ => track.grid.pack(value),
        });
        for plane in 0..3 {
            let plane = words.clone().flat_map(|words| words[plane].to_le_bytes());
            out.extend(plane);
        }
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<(KeyClipShape, Vec<Chunk>), DecodeError> {
    let mut reader = Reader::new(bytes);
    let timing = match reader.u8("timing")? {
        0 => Timing::Uniform,
        1 => Timing::Knots,
        other => return Err(bad("timing", u64::from(other), "0 or 1")),
    };
    let joints = usize::from(reader.u16("joint count")?);
    let frames = reader.u32("frame count")? as usize;
    let fps = reader.f64("frame rate")?;
    if !(1..=MAX_FRAMES).contains(&frames) {
        return Err(bad("frame count", frames as u64, "1 to 16777216"));
    }
    if fps <= 0.0 {
        return Err(bad("frame rate", fps.to_bits(), "positive"));
    }
    let shape = KeyClipShape {
        joints,
        frames,
        fps,
        timing,
    };
    let mut chunks = Vec::new();
    for (first, last) in chunk_ranges(frames) {
        chunks.push(read_chunk(&mut reader, joints, (last - first) as u16)?);
    }
    reader.finish()?;
    Ok((shape, chunks))
}

fn read_chunk(
    reader: &mut Reader<'_>,
    joints: usize,
    last_frame: u16,
) -> Result<Chunk, DecodeError> {
    let count = reader.varint("track count")? as usize;
    // Each track takes 10 bytes at least: no allocation before they are there.
    let least = count.saturating_mul(2 + FRAME_BYTES + QUAT48_BYTES);
    reader.clone().take("tracks", least)?;
    let mut tracks = Vec::with_capacity(count);
    for _ in 0..count {
        tracks.push(read_track(reader, joints)?);
    }
    let mut maps = Vec::new();
    for track in &mut tracks {
        track.frames_at = offset(reader)?;
        let frames = reader.take("key frames", track.keys as usize * FRAME_BYTES)?;
        check_frames(frames, last_frame)?;
        if usize::from(last_frame) / 32 < track.keys as usize {
            track.maps_at = maps.len() as u32;
            map_frames(frames, last_frame, &mut maps);
        }
    }
    for track in &mut tracks {
        track.values_at = offset(reader)?;
        let words = reader.take("key values", track.keys as usize * QUAT48_BYTES)?;
        if track.kind == TrackKind::Rotation && all_largest_w(words) {
            track.packing = Packing::LargestW;
        }
    }
    let rotates = |track: &Track| track.kind == TrackKind::Rotation;
    Ok(Chunk {
        rotations: tracks.iter().take_while(|track| rotates(track)).count(),
        tracks,
        maps,
    })
}

fn read_track(reader: &mut Reader<'_>, joints: usize) -> Result<Track, DecodeError> {
    let tag = reader.varint("track tag")?;
    let keys = reader.varint("key count")?;
    let (kind, joint) = (KINDS[(tag & 3) as usize], (tag >> 2) as usize);
    if joint >= joints {
        return Err(bad(
            "track joint",
            joint as u64,
            "less than the joint count",
        ));
    }
    if kind == TrackKind::RootTranslation && joint != 0 {
        return Err(bad("root track joint", joint as u64, "0"));
    }
    if !(1..=1 << 16).contains(&keys) {
        return Err(bad("key count", u64::from(keys), "1 to 65536"));
    }
    let vectors = match kind {
        TrackKind::Rotation => VectorBox::default(),
        _ => read_box(reader)?,
    };
    Ok(Track {
        kind,
        packing: match kind {
            TrackKind::Rotation => Packing::Any,
            _ => Packing::Vector,
        },
        joint: joint as u16,
        keys,
        frames_at: 0,
        values_at: 0,
        maps_at: NO_MAP,
        vectors,
    })
}

fn read_box(reader: &mut Reader<'_>) -> Result<VectorBox, DecodeError> {
    let mut number = || reader.f32("vector box");
    let origin = Vec3::new(number()?, number()?, number()?);
    let step_m = number()?;
    let far = origin.abs().max_element() + step_m.abs() * f32::from(u16::MAX);
    if step_m < 0.0 || far > 1e9 {
        return Err(bad(
            "vector box",
            u64::from(step_m.to_bits()),
            "within 1e9 m",
        ));
    }
    Ok(VectorBox { origin, step_m })
}

fn check_frames(frames: &[u8], last_frame: u16) -> Result<(), DecodeError> {
    let first = frame_at(frames, 0);
    if first != 0 {
        return Err(bad("first key's frame", u64::from(first), "0"));
    }
    let count = frames.len() / FRAME_BYTES;
    let end = frame_at(frames, count - 1);
    if count > 1 && end != last_frame {
        return Err(bad("last key's frame", u64::from(end), "the chunk's last"));
    }
    let ascending = |i: &usize| frame_at(frames, i - 1) < frame_at(frames, *i);
    match (1..count).find(|i| !ascending(i)) {
        Some(i) => Err(bad(
            "key frame",
            u64::from(frame_at(frames, i)),
            "ascending",
        )),
        None => Ok(()),
    }
}

fn all_largest_w(words: &[u8]) -> bool {
    let keys = words.len() / QUAT48_BYTES;
    let word = |plane: usize, key: usize| frame_at(words, plane * keys + key);
    let key = |key: usize| Quat48([word(0, key), word(1, key), word(2, key)]);
    (0..keys).all(|index| key(index).is_largest_w())
}

/// Only for tracks with a key for every 32 frames, so that a map never takes
/// more bytes than the keys it is for.
fn map_frames(frames: &[u8], last_frame: u16, maps: &mut Vec<KeyMap>) {
    let first = maps.len();
    let empty = KeyMap {
        has_key: 0,
        keys_before: 0,
    };
    maps.resize(first + usize::from(last_frame) / 32 + 1, empty);
    for key in 0..frames.len() / FRAME_BYTES {
        let frame = frame_at(frames, key);
        maps[first + usize::from(frame / 32)].has_key |= 1 << (frame % 32);
    }
    let mut keys_before = 0;
    for map in &mut maps[first..] {
        map.keys_before = keys_before;
        keys_before += map.has_key.count_ones();
    }
}

#[inline]
pub(super) fn frame_at(frames: &[u8], key: usize) -> u16 {
    u16::from_le_bytes([frames[2 * key], frames[2 * key + 1]])
}

fn offset(reader: &Reader<'_>) -> Result<u32, DecodeError> {
    let at = reader.position();
    u32::try_from(at).map_err(|_| bad("clip size", at as u64, "less than 4 GiB"))
}

fn bad(what: &'static str, found: u64, expected: &'static str) -> DecodeError {
    DecodeError::BadField {
        what,
        found,
        expected,
    }
}
