//! The `.kin` container: skeletons, compressed clips, and where they came from.
//!
//! ```text
//! header   8 bytes "KINETO" 0x1A 0x0A    u16 version    u16 0
//!          u32 number of sections        u32 CRC-32 of the 16 bytes before
//! section  u32 kind    u32 size of body    u32 CRC-32 of kind, size and body    body
//! ```
//!
//! Little-endian throughout. Kinds: 1 a skeleton, 2 a compressed clip, 3 a clip
//! of tracks; clips name their skeleton by its number. A kind from 0x8000_0000 on
//! may be skipped by readers that do not know it; any other unknown kind is
//! refused. 0x8000_0001 is the events of a clip. Bodies are described in
//! [`skeleton`], [`clip`], [`tracks`] and [`events`].
//!
//! Clips decode straight from the file's bytes, which they keep alive; only
//! headers are copied. Whatever the bytes, reading ends with a clip or with an
//! error that says which check failed: sizes are checked before anything is
//! allocated for them.

mod clip;
mod events;
mod skeleton;
#[cfg(test)]
mod tests;
mod tracks;

use std::sync::Arc;

use super::{
    CodecSettings, CompressedClip, DecodeError, bad_field,
    bytes::{ByteReader, SharedBytes},
    metric::ErrorMeasure,
};
use crate::{
    clip::{ClipCursor, ClipShape, EventTrack, SampleClip, TrackClip},
    skeleton::{LocalPose, Skeleton, SkeletonError},
    units::LengthScale,
};

/// The newest version this reader knows, and the one it writes.
pub const VERSION: u16 = 1;

/// The first bytes of a container.
pub const MAGIC: [u8; 8] = *b"KINETO\x1a\n";
const HEADER_BYTES: usize = 20;
const SECTION_HEADER_BYTES: usize = 12;
const SKELETON: u32 = 1;
const CLIP: u32 = 2;
const TRACKS: u32 = 3;
// As in PNG, a section says itself whether a reader may do without it.
const MAY_BE_SKIPPED: u32 = 0x8000_0000;
const EVENTS: u32 = MAY_BE_SKIPPED + 1;

/// A skeleton and how its file's numbers became metres.
#[derive(Clone, Debug, PartialEq)]
pub struct KinSkeleton {
    /// In metres.
    pub skeleton: Skeleton,
    /// Name of the file it came from; empty when it had none.
    pub source: String,
    /// Scale of that file.
    pub length: LengthScale,
}

/// Where a compressed clip came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClipOrigin {
    /// Usually the source file's stem.
    pub name: String,
    /// Name of the file.
    pub source: String,
    /// True when that file did not state its frame rate.
    pub fps_assumed: bool,
    /// Joints with a rotation track in the source.
    pub animated: usize,
}

/// A compressed clip and where it came from.
#[derive(Clone, Debug)]
pub struct KinClip {
    /// Usually the source file's stem.
    pub name: String,
    /// Name of the file it came from.
    pub source: String,
    /// True when that file did not state its frame rate.
    pub fps_assumed: bool,
    /// Joints with a rotation track in the source; sets the raw size.
    pub animated: usize,
    /// Codec and its setting.
    pub settings: CodecSettings,
    /// Largest error measured when it was compressed.
    pub max_error_cm: f32,
    /// Over which points.
    pub measure: ErrorMeasure,
    /// Which skeleton of the container it is for.
    pub skeleton: usize,
    /// The motion.
    pub clip: CompressedClip,
    /// What happens in it; `None` where nobody has said.
    pub events: Option<EventTrack>,
}

impl SampleClip for KinClip {
    fn shape(&self) -> ClipShape {
        self.clip.shape()
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        self.clip.sample(skeleton, time_secs, cursor, pose);
    }
}

/// A clip of tracks and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct KinTracks {
    /// Name of the file it came from.
    pub source: String,
    /// True when that file did not state its frame rate.
    pub fps_assumed: bool,
    /// Which skeleton of the container it is for.
    pub skeleton: usize,
    /// The motion.
    pub clip: TrackClip,
    /// What happens in it; `None` where nobody has said.
    pub events: Option<EventTrack>,
}

/// The content of a container.
#[derive(Clone, Debug, Default)]
pub struct Kin {
    /// At least one.
    pub skeletons: Vec<Arc<KinSkeleton>>,
    /// Any number.
    pub clips: Vec<KinClip>,
    /// Any number of clips as keys of their own times.
    pub tracks: Vec<KinTracks>,
}

/// Why bytes are not a container.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KinError {
    /// The first bytes are others.
    #[error("not a .kin container: the first bytes are not its signature")]
    Signature,
    /// Made by a later version of the program.
    #[error("version {found} of the container is newer than {VERSION}, the newest known here")]
    Newer {
        /// What the file says.
        found: u16,
    },
    /// The header's checksum is wrong.
    #[error("the header is damaged: checksum {found:08x}, {expected:08x} was stored")]
    HeaderChecksum {
        /// Stored.
        expected: u32,
        /// Computed.
        found: u32,
    },
    /// A section's checksum is wrong.
    #[error("section {section} is damaged: checksum {found:08x}, {expected:08x} was stored")]
    SectionChecksum {
        /// Counted from 1.
        section: usize,
        /// Stored.
        expected: u32,
        /// Computed.
        found: u32,
    },
    /// A section that cannot be skipped.
    #[error("section {section} is of unknown kind {kind}")]
    UnknownKind {
        /// Counted from 1.
        section: usize,
        /// Stored.
        kind: u32,
    },
    /// The header is cut short or wrong.
    #[error("header: {0}")]
    Header(DecodeError),
    /// A section is cut short or wrong.
    #[error("section {section}: {error}")]
    Section {
        /// Counted from 1.
        section: usize,
        /// What is wrong.
        error: DecodeError,
    },
    /// A skeleton section is sound but its content is no skeleton.
    #[error("section {section}: {error}")]
    Skeleton {
        /// Counted from 1.
        section: usize,
        /// What is wrong.
        error: SkeletonError,
    },
}

impl Kin {
    /// The number of an equal skeleton; adds it when there is none.
    pub fn add_skeleton(&mut self, skeleton: KinSkeleton) -> usize {
        // Clips of one performer share a skeleton; files of a folder repeat
        // it.
        let same = self.skeletons.iter().position(|known| **known == skeleton);
        same.unwrap_or_else(|| {
            self.skeletons.push(Arc::new(skeleton));
            self.skeletons.len() - 1
        })
    }

    /// Adds a clip for a skeleton, which is added when it is new.
    pub fn add_clip(&mut self, skeleton: KinSkeleton, mut clip: KinClip) {
        clip.skeleton = self.add_skeleton(skeleton);
        self.clips.push(clip);
    }

    /// The file's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let skeletons = self
            .skeletons
            .iter()
            .map(|it| (SKELETON, skeleton::write(it)));
        let clips = self.clips.iter().map(|it| (CLIP, clip::write(it)));
        let tracks = self.tracks.iter().map(|it| (TRACKS, tracks::write(it)));
        let events = events::write_all(self);
        let count = self.skeletons.len() + self.clips.len() + self.tracks.len() + events.len();
        // Behind the clips that they belong to.
        let events = events.into_iter().map(|body| (EVENTS, body));
        let mut out = Vec::from(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([0; 2]);
        out.extend((count as u32).to_le_bytes());
        // The header has a sum of its own: the number of sections is trusted
        // before any of them is read.
        out.extend(crc32fast::hash(&out).to_le_bytes());
        for (kind, body) in skeletons.chain(clips).chain(tracks).chain(events) {
            write_section(kind, &body, &mut out);
        }
        out
    }

    /// Reads a file's bytes.
    pub fn from_bytes(bytes: impl Into<SharedBytes>) -> Result<Self, KinError> {
        let bytes = bytes.into();
        let mut reader = ByteReader::new(&bytes);
        let count = read_header(&mut reader)?;
        let mut kin = Self::default();
        for section in 1..=count as usize {
            let (kind, range) = read_section(&mut reader, section)?;
            let body = bytes.slice(range);
            let wrong = |error| KinError::Section { section, error };
            match kind {
                SKELETON => kin
                    .skeletons
                    .push(Arc::new(skeleton::read(&body, section)?)),
                CLIP => kin
                    .clips
                    .push(clip::read(&body, &kin.skeletons).map_err(wrong)?),
                TRACKS => kin
                    .tracks
                    .push(tracks::read(&body, &kin.skeletons).map_err(wrong)?),
                EVENTS => events::read(&body, &mut kin).map_err(wrong)?,
                kind if kind >= MAY_BE_SKIPPED => {}
                kind => return Err(KinError::UnknownKind { section, kind }),
            }
        }
        reader.finish().map_err(KinError::Header)?;
        Ok(kin)
    }
}

impl KinClip {
    /// What compression made of a clip, and the largest error measured. It is for
    /// the container's first skeleton until [`Kin::add_clip`] finds the right one.
    #[must_use]
    pub fn new(
        origin: ClipOrigin,
        settings: CodecSettings,
        clip: CompressedClip,
        max_error_cm: f64,
    ) -> Self {
        Self {
            name: origin.name,
            source: origin.source,
            fps_assumed: origin.fps_assumed,
            animated: origin.animated,
            settings,
            max_error_cm: max_error_cm as f32,
            measure: ErrorMeasure::Ball,
            skeleton: 0,
            clip,
            events: None,
        }
    }

    /// The motion's share of the container, headers included; its events are
    /// apart.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        (SECTION_HEADER_BYTES + clip::write(self).len()) as u64
    }
}

fn checksum(head: &[u8], body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(body);
    hasher.finalize()
}

fn write_section(kind: u32, body: &[u8], out: &mut Vec<u8>) {
    let head = [kind.to_le_bytes(), (body.len() as u32).to_le_bytes()].concat();
    out.extend(&head);
    out.extend(checksum(&head, body).to_le_bytes());
    out.extend(body);
}

fn read_header(reader: &mut ByteReader<'_>) -> Result<u32, KinError> {
    let mut head = reader.clone();
    if reader.take("signature", MAGIC.len()) != Ok(&MAGIC) {
        return Err(KinError::Signature);
    }
    let version = reader.u16("version").map_err(KinError::Header)?;
    if version > VERSION {
        return Err(KinError::Newer { found: version });
    }
    reader.u16("reserved field").map_err(KinError::Header)?;
    let count = reader.u32("section count").map_err(KinError::Header)?;
    let expected = reader.u32("header checksum").map_err(KinError::Header)?;
    let summed = head
        .take("header", HEADER_BYTES - 4)
        .map_err(KinError::Header)?;
    let found = crc32fast::hash(summed);
    if found != expected {
        return Err(KinError::HeaderChecksum { expected, found });
    }
    Ok(count)
}

/// A section's kind and where its body lies.
fn read_section(
    reader: &mut ByteReader<'_>,
    section: usize,
) -> Result<(u32, std::ops::Range<usize>), KinError> {
    let wrong = |error| KinError::Section { section, error };
    let mut head = reader.clone();
    let kind = reader.u32("section kind").map_err(wrong)?;
    let size = reader.u32("section size").map_err(wrong)? as usize;
    let expected = reader.u32("section checksum").map_err(wrong)?;
    let start = reader.position();
    let body = reader.take("section body", size).map_err(wrong)?;
    let summed = head.take("section head", 8).map_err(wrong)?;
    let found = checksum(summed, body);
    if found != expected {
        return Err(KinError::SectionChecksum {
            section,
            expected,
            found,
        });
    }
    Ok((kind, start..start + size))
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    super::bytes::put_varint(out, text.len() as u32);
    out.extend(text.as_bytes());
}

fn read_text(reader: &mut ByteReader<'_>, what: &'static str) -> Result<String, DecodeError> {
    let size = reader.varint(what)? as usize;
    let bytes = reader.take(what, size)?;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let expected = "UTF-8 (the first wrong byte is given)";
        bad_field(what, error.valid_up_to() as u64, expected)
    })?;
    Ok(text.to_owned())
}
