//! The bytes of a keyed clip.
//!
//! ```text
//! u8  timing: 0 uniform, 1 knots, 2 straight; 128 more: tags are × 8      u16 joints      u32 frames      f64 fps
//! for each chunk of 65,535 frames (the last may be shorter; at least one):
//!   varint tracks
//!   for each track:
//!     varint joint × 4 + kind (0 rotation, 1 root translation, 2 translation, 3 stretch; with
//!     tags × 8 also 4 scale, 5 morph weight)
//!     varint keys
//!     unless a rotation: f32 × 4, the vectors' origin and step
//!   for each track: keys × (u16 frame, u16 × 3 value)
//! ```
//!
//! A key thus takes 8 bytes, and the four keys around a segment lie in one or
//! two cache lines.
//!
//! Every field is checked here, so that sampling needs no checks: kinds and
//! joints exist, frames ascend from 0 to the chunk's last one.

use super::{
    Chunk, KeyClipShape, Timing, Track, TrackKeys, TrackKind, VectorBox, chunk_ranges,
    lanes::{Group, KeyMap, MAP_FRAMES},
};
use crate::codec::{
    DecodeError, bad_field,
    bytes::{ByteReader, put_varint},
    lanes::LANES,
    quat48::{QUAT48_BYTES, Quat48},
};
use glam::{Quat, Vec3};

/// A frame and three words.
pub(super) const KEY_BYTES: usize = 2 + QUAT48_BYTES;
/// Marks tags with room for eight kinds.
const WIDE_MARK: u8 = 128;
/// What a joint's number is multiplied by, with kinds up to that.
const WIDE_TAGS: u32 = 8;
const NARROW_TAGS: u32 = 4;
/// 38 hours at 120 frames a second: a few bytes must not claim more.
const MAX_FRAMES: usize = 1 << 24;

pub(super) fn write(shape: KeyClipShape, chunks: &[Vec<TrackKeys>]) -> Vec<u8> {
    let timing = match shape.timing {
        Timing::Uniform => 0,
        Timing::Knots => 1,
        Timing::Straight => 2,
    };
    // Readers before scales and weights were kept know narrow tags alone.
    let is_wide = { chunks.iter().flatten() }.any(|track| track.kind.is_beside());
    let tags = if is_wide { WIDE_TAGS } else { NARROW_TAGS };
    let mut out = vec![if is_wide { timing | WIDE_MARK } else { timing }];
    out.extend((shape.joints as u16).to_le_bytes());
    out.extend((shape.frames as u32).to_le_bytes());
    out.extend(shape.fps.to_le_bytes());
    for tracks in chunks {
        write_chunk(tracks, tags, &mut out);
    }
    out
}

fn write_chunk(tracks: &[TrackKeys], tags: u32, out: &mut Vec<u8>) {
    put_varint(out, tracks.len() as u32);
    for track in tracks {
        // Kind and joint in one number: a byte for the first 32 joints.
        put_varint(out, u32::from(track.joint) * tags + track.kind as u32);
        put_varint(out, track.frames.len() as u32);
        if track.kind != TrackKind::Rotation {
            let grid = track.grid;
            for number in grid.origin.to_array().into_iter().chain([grid.step_m]) {
                out.extend(number.to_le_bytes());
            }
        }
    }
    for track in tracks {
        for (&frame, &value) in track.frames.iter().zip(&track.values) {
            // Frame and value side by side: what one segment needs lies
            // together.
            let [a, b, c] = match track.kind {
                TrackKind::Rotation => Quat48::pack(Quat::from_vec4(value)).0,
                _ => track.grid.pack(value),
            };
            out.extend([frame, a, b, c].into_iter().flat_map(u16::to_le_bytes));
        }
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<(KeyClipShape, Vec<Chunk>), DecodeError> {
    let mut reader = ByteReader::new(bytes);
    let timing = reader.u8("timing")?;
    let is_wide = timing & WIDE_MARK != 0;
    let tags = if is_wide { WIDE_TAGS } else { NARROW_TAGS };
    let timing = match timing & !WIDE_MARK {
        0 => Timing::Uniform,
        1 => Timing::Knots,
        2 => Timing::Straight,
        other => return Err(bad_field("timing", other, "0, 1 or 2")),
    };
    let joints = usize::from(reader.u16("joint count")?);
    let frames = reader.u32("frame count")? as usize;
    let fps = reader.f64("frame rate")?;
    if !(1..=MAX_FRAMES).contains(&frames) {
        return Err(bad_field("frame count", frames as u64, "1 to 16777216"));
    }
    if fps <= 0.0 {
        return Err(bad_field("frame rate", fps.to_bits(), "positive"));
    }
    let shape = KeyClipShape {
        joints,
        frames,
        fps,
        timing,
    };
    let mut chunks = Vec::new();
    for (first, last) in chunk_ranges(frames) {
        let last_frame = (last - first) as u16;
        chunks.push(read_chunk(bytes, &mut reader, (joints, tags), last_frame)?);
    }
    reader.finish()?;
    Ok((shape, chunks))
}

fn read_chunk(
    bytes: &[u8],
    reader: &mut ByteReader<'_>,
    (joints, tags): (usize, u32),
    last_frame: u16,
) -> Result<Chunk, DecodeError> {
    let count = reader.varint("track count")? as usize;
    // Each track takes 10 bytes at least: no allocation before they are there.
    let least = count.saturating_mul(2 + KEY_BYTES);
    reader.clone().take("tracks", least)?;
    let mut tracks = Vec::with_capacity(count);
    for _ in 0..count {
        tracks.push(read_track(reader, joints, tags)?);
    }
    for track in &mut tracks {
        track.keys_at = offset(reader)?;
        let keys = reader.take("keys", track.keys as usize * KEY_BYTES)?;
        check_frames(keys, last_frame)?;
    }
    Ok(chunk(bytes, tracks, last_frame))
}

/// Makes tracks ready for sampling.
fn chunk(bytes: &[u8], tracks: Vec<Track>, last_frame: u16) -> Chunk {
    let rotates = |track: &&Track| track.kind == TrackKind::Rotation;
    let rotations = tracks.iter().filter(rotates).copied();
    // A constant needs no curve: its value is decoded once, here.
    let (still, moving): (Vec<Track>, Vec<Track>) = rotations.partition(|track| track.keys == 1);
    let groups: Vec<Group> = moving.chunks(LANES).map(group).collect();
    // A group's empty lanes repeat its last track, so that no lane is a
    // special case.
    let repeated = groups.len() * LANES - moving.len();
    let mut lanes = moving;
    let last = lanes.last().copied();
    lanes.extend(last.into_iter().cycle().take(repeated));
    lanes.extend(tracks.iter().filter(|track| !rotates(track)));
    let constant = |track: &Track| {
        let value = track.key(bytes, 0).1;
        (track.joint, Quat::from_vec4(value))
    };
    Chunk {
        constants: still.iter().map(constant).collect(),
        groups,
        maps: map_keys(bytes, &lanes, last_frame),
        lanes,
        tracks,
    }
}

fn group(tracks: &[Track]) -> Group {
    let lane = |lane: usize| &tracks[lane.min(tracks.len() - 1)];
    Group {
        keys_at: std::array::from_fn(|i| lane(i).keys_at as i32),
        last_keys: std::array::from_fn(|i| lane(i).keys as i32 - 1),
        joints: std::array::from_fn(|i| lane(i).joint),
        count: tracks.len(),
    }
}

fn read_track(reader: &mut ByteReader<'_>, joints: usize, tags: u32) -> Result<Track, DecodeError> {
    let tag = reader.varint("track tag")?;
    let keys = reader.varint("key count")?;
    let Some(&kind) = TrackKind::ALL.get((tag % tags) as usize) else {
        return Err(bad_field("track kind", tag % tags, "0 to 5"));
    };
    let joint = kind.check(tag / tags, joints)?;
    if !(1..=1 << 16).contains(&keys) {
        return Err(bad_field("key count", keys, "1 to 65536"));
    }
    let vectors = match kind {
        TrackKind::Rotation => VectorBox::default(),
        _ => read_box(reader)?,
    };
    Ok(Track {
        kind,
        joint,
        keys,
        keys_at: 0,
        vectors,
    })
}

fn read_box(reader: &mut ByteReader<'_>) -> Result<VectorBox, DecodeError> {
    let mut number = || reader.f32("vector box");
    let origin = Vec3::new(number()?, number()?, number()?);
    let step_m = number()?;
    let far = origin.abs().max_element() + step_m.abs() * f32::from(u16::MAX);
    if step_m < 0.0 || far > 1e9 {
        return Err(bad_field(
            "vector box",
            u64::from(step_m.to_bits()),
            "within 1e9 m",
        ));
    }
    Ok(VectorBox { origin, step_m })
}

fn check_frames(keys: &[u8], last_frame: u16) -> Result<(), DecodeError> {
    let mut before = None;
    for frame in key_frames(keys) {
        match before {
            None if frame != 0 => {
                return Err(bad_field("first key's frame", frame, "0"));
            }
            Some(before) if frame <= before => {
                return Err(bad_field("key frame", frame, "ascending"));
            }
            _ => before = Some(frame),
        }
    }
    match before {
        Some(end) if end != last_frame && keys.len() > KEY_BYTES => Err(bad_field(
            "last key's frame",
            u64::from(end),
            "the chunk's last",
        )),
        _ => Ok(()),
    }
}

/// Maps take at most so many times the bytes of the keys they are for.
const MAPS_TO_KEYS: usize = 4;

/// Where the frames of the lanes lie among their keys; empty when keys are too
/// rare for it to be worth its memory.
fn map_keys(bytes: &[u8], lanes: &[Track], last_frame: u16) -> Vec<KeyMap> {
    let groups = lanes.len().div_ceil(LANES);
    let count = (usize::from(last_frame) / MAP_FRAMES + 1) * groups;
    let key_bytes: usize = lanes.iter().map(|lane| lane.keys(bytes).len()).sum();
    // A map takes 64 bytes for 32 frames of eight tracks, a key 8.
    if count * size_of::<KeyMap>() > MAPS_TO_KEYS * key_bytes {
        return Vec::new();
    }
    let mut maps = vec![KeyMap::default(); count];
    for (index, track) in lanes.iter().enumerate() {
        let maps = maps[index / LANES..].iter_mut().step_by(groups);
        mark_keys(track.keys(bytes), index % LANES, maps);
    }
    maps
}

fn mark_keys<'a>(keys: &[u8], lane: usize, maps: impl Iterator<Item = &'a mut KeyMap>) {
    let mut frames = key_frames(keys).map(usize::from).peekable();
    let mut keys_before = 0;
    for (map, first) in maps.zip((0..).step_by(MAP_FRAMES)) {
        map.keys_before[lane] = keys_before;
        while let Some(frame) = frames.next_if(|&frame| frame < first + MAP_FRAMES) {
            // Rank by population count: keys before the map, plus bits set
            // below.
            map.has_key[lane] |= 1 << (frame - first);
            keys_before += 1;
        }
    }
}

/// Frames of a track's keys.
pub(super) fn key_frames(keys: &[u8]) -> impl Iterator<Item = u16> {
    let (keys, _) = keys.as_chunks::<KEY_BYTES>();
    keys.iter().map(|key| u16::from_le_bytes([key[0], key[1]]))
}

fn offset(reader: &ByteReader<'_>) -> Result<u32, DecodeError> {
    let at = reader.position();
    // The sampler computes offsets in vectors of i32.
    match i32::try_from(at) {
        Ok(_) => Ok(at as u32),
        Err(_) => Err(bad_field("clip size", at as u64, "less than 2 GiB")),
    }
}
