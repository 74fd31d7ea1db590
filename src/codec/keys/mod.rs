//! Keyed clips: what `classic`, `spline`, `linear` and `every` make.
//!
//! Each track is a Catmull-Rom curve (or a line) through keys of 8 bytes: a 16-bit frame
//! and a 48-bit value. Encoders hand [`TrackKeys`] to [`KeyClip::build`], the
//! only way to make a [`KeyClip`]; sampling reads the stored bytes in place.
//!
//! Limits: a frame number has 16 bits, so a clip of more than 65,536 frames is
//! split into chunks that share their border frame; a track has at most 65,536
//! keys a chunk.

pub mod curve;
mod lanes;
mod layout;
mod sample;
pub mod source;
#[cfg(test)]
mod tests;
mod vectors;

use fearless_simd::Level;
use glam::{Quat, Vec3A, Vec4};

pub use curve::Timing;
use lanes::{Group, KeyMap};
pub use sample::KeyCursor;
pub use vectors::VectorBox;

use super::{DecodeError, bad_field, bytes::SharedBytes};
use crate::skeleton::{JointIndex, LocalPose, Skeleton};

/// Frames from one chunk's first to its last: what 16 bits can number.
pub const CHUNK_SPAN: usize = u16::MAX as usize;

/// What a track moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackKind {
    /// A joint's rotation, as [`super::quat48::Quat48`].
    Rotation,
    /// The root's translation in metres.
    RootTranslation,
    /// Metres added to a joint's rest translation.
    Translation,
    /// Metres added to a bone's length, in the first component.
    Stretch,
    /// Factors along a joint's own axes.
    Scale,
    /// The weight of a morph target, in the first component; its number stands
    /// where others have a joint.
    Morph,
}

impl TrackKind {
    /// In the order of their numbers in files.
    pub(super) const ALL: [Self; 6] = [
        Self::Rotation,
        Self::RootTranslation,
        Self::Translation,
        Self::Stretch,
        Self::Scale,
        Self::Morph,
    ];

    /// What a track of the kind may belong to, for readers of files.
    pub(super) fn check(self, of: u32, joints: usize) -> Result<JointIndex, DecodeError> {
        if self == Self::RootTranslation && of != 0 {
            return Err(bad_field("root track joint", of, "0"));
        }
        match JointIndex::try_from(of) {
            Ok(joint) if usize::from(joint) < joints || self == Self::Morph => Ok(joint),
            _ => Err(bad_field("track joint", of, "less than the joint count")),
        }
    }

    /// How many numbers a value has.
    #[must_use]
    pub fn numbers(self) -> usize {
        match self {
            Self::Rotation => 4,
            Self::RootTranslation | Self::Translation | Self::Scale => 3,
            Self::Stretch | Self::Morph => 1,
        }
    }

    /// Whether it stands beside the rigid motion, which knows nothing of it.
    #[must_use]
    pub fn is_beside(self) -> bool {
        matches!(self, Self::Scale | Self::Morph)
    }

    /// Puts a value into a pose that stood at rest.
    #[inline]
    pub(super) fn apply(
        self,
        of: JointIndex,
        value: Vec4,
        skeleton: &Skeleton,
        pose: &mut LocalPose,
    ) {
        let joint = usize::from(of);
        match self {
            Self::Rotation => pose.joints_mut()[joint].rotation = Quat::from_vec4(value),
            Self::RootTranslation => pose.joints_mut()[0].translation = value.truncate().into(),
            Self::Translation => {
                pose.joints_mut()[joint].translation += Vec3A::from(value.truncate());
            }
            Self::Stretch => pose.stretch_bone(skeleton, of, value.x),
            Self::Scale => pose.set_scale(joint, value.truncate()),
            Self::Morph => pose.set_morph(joint, value.x),
        }
    }
}

/// The editable keys of one track.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackKeys {
    /// What it moves.
    pub kind: TrackKind,
    /// Whose: a joint, or a morph target.
    pub joint: JointIndex,
    /// Frames of the keys within the chunk: ascending from 0 to the chunk's
    /// last frame, or a single 0.
    pub frames: Vec<u16>,
    /// One value a key: a quaternion, or a vector and 0.
    pub values: Vec<Vec4>,
    /// The grid that vectors are rounded to; rotations do without.
    pub grid: VectorBox,
}

/// What a clip is, its motion aside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyClipShape {
    /// Joints of the skeleton.
    pub joints: usize,
    /// Source frames.
    pub frames: usize,
    /// Source frames a second.
    pub fps: f64,
    /// Shape of the curves.
    pub timing: Timing,
}

/// A compact, read-only clip of keys.
#[derive(Clone, Debug)]
pub struct KeyClip {
    /// Tells cursors apart that come from another clip.
    id: u64,
    /// The instructions sampling may use.
    level: Level,
    shape: KeyClipShape,
    keys: usize,
    chunks: Vec<Chunk>,
    bytes: SharedBytes,
}

/// Up to 65,536 frames.
#[derive(Clone, Debug)]
struct Chunk {
    /// As stored.
    tracks: Vec<Track>,
    /// Rotations of a single key.
    constants: Vec<(JointIndex, Quat)>,
    /// The other rotations by eights.
    groups: Vec<Group>,
    /// Tracks in the order in which they are sampled: the lanes of the groups,
    /// then those that are no rotations.
    lanes: Vec<Track>,
    /// Of all lanes by eights for the first 32 frames, then for the next, and so
    /// on. None where keys are so rare that the maps would outgrow them.
    maps: Vec<KeyMap>,
}

/// Where a track's bytes are.
#[derive(Clone, Copy, Debug)]
struct Track {
    kind: TrackKind,
    joint: JointIndex,
    keys: u32,
    /// Offset of the first key in the clip's bytes.
    keys_at: u32,
    /// Only vectors are stored relative to a box.
    vectors: VectorBox,
}

impl KeyClip {
    /// Packs keys, chunk after chunk of [`CHUNK_SPAN`] frames.
    pub fn build(shape: KeyClipShape, chunks: &[Vec<TrackKeys>]) -> Result<Self, DecodeError> {
        Self::from_bytes(layout::write(shape, chunks).into())
    }

    /// Checks stored bytes and makes them ready for sampling.
    pub fn from_bytes(bytes: SharedBytes) -> Result<Self, DecodeError> {
        let (shape, chunks) = layout::read(&bytes)?;
        let tracks = chunks.iter().flat_map(|chunk: &Chunk| &chunk.tracks);
        let rotations = tracks.filter(|track| track.kind == TrackKind::Rotation);
        Ok(Self {
            id: super::next_clip_id(),
            level: Level::new(),
            shape,
            keys: rotations.map(|track| track.keys as usize).sum(),
            chunks,
            bytes,
        })
    }

    /// The bytes to store.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What the clip is.
    #[must_use]
    pub fn shape(&self) -> KeyClipShape {
        self.shape
    }
}

/// First and last frame of every chunk of a clip; neighbours share a frame.
pub fn chunk_ranges(frames: usize) -> impl Iterator<Item = (usize, usize)> {
    let last = frames.saturating_sub(1);
    let count = last.div_ceil(CHUNK_SPAN).max(1);
    (0..count).map(move |i| (i * CHUNK_SPAN, ((i + 1) * CHUNK_SPAN).min(last)))
}
