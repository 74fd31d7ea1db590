//! What `spline` and `tight` make of a clip that scales or morphs: the rigid
//! motion as ever, and beside it keys of scales and morph weights.
//!
//! ```text
//! u32 bytes of the keys    a keyed clip of scales and weights    the codec's own bytes, to the end
//! ```
//!
//! Scales move what hangs below them, and so count in centimetres: they and the
//! rigid motion share the tolerance, and both are made finer until the promise
//! holds for what the runtime shows of the whole. Weights have a tolerance of
//! their own.

use super::{
    CodecSettings, CompressError, CompressedClip, DecodeError, Stop,
    bytes::{ByteReader, SharedBytes},
    keys::{KeyClip, TrackKind},
    metric::{BALL_RADIUS_M, ErrorTable},
    spline,
};
use crate::{
    clip::{ClipCursor, ClipShape, RawClip, SampleClip},
    skeleton::{JointIndex, LocalPose, NO_PARENT, Skeleton},
};

/// How far a morph target's weight may be off: half a per cent.
pub const WEIGHT_TOLERANCE: f32 = 0.005;
/// Of the tolerance, what the rigid motion may use and what scales may: the
/// rest is room for what the two do to each other.
const RIGID_SHARE: f64 = 0.7;
const SCALE_SHARE: f64 = 0.25;
/// Attempts at ever tighter tolerances within.
const ATTEMPTS: usize = 6;
const MARGIN: f64 = 0.97;

/// A rigid clip with scales and weights beside it.
#[derive(Clone, Debug)]
pub struct SidedClip {
    motion: Box<CompressedClip>,
    beside: KeyClip,
    bytes: SharedBytes,
}

/// Whether a clip needs more than the rigid codecs keep.
pub(super) fn is_needed(skeleton: &Skeleton, clip: &RawClip) -> bool {
    !clip.morphs.is_empty() || scales(skeleton, clip)
}

fn scales(skeleton: &Skeleton, clip: &RawClip) -> bool {
    !clip.scales.is_empty() || !skeleton.rest().scales().is_empty()
}

impl SidedClip {
    /// Compresses a clip under a codec that promises an error.
    pub fn compress_until(
        settings: CodecSettings,
        skeleton: &Skeleton,
        clip: &RawClip,
        stop: Stop<'_>,
    ) -> Result<Self, CompressError> {
        let tolerance_cm = settings.value();
        super::check_input(skeleton, clip, tolerance_cm)?;
        let rigid = RawClip {
            scales: Vec::new(),
            morphs: Vec::new(),
            ..clip.clone()
        };
        let reach_m = reach_m(skeleton);
        let scales = scales(skeleton, clip);
        // 1 is the whole tolerance.
        let (mut share, mut measured_cm) = (1.0, 0.0);
        for _ in 0..ATTEMPTS {
            let rigid_share = if scales { share * RIGID_SHARE } else { 1.0 };
            let motion = settings.with(tolerance_cm * rigid_share);
            let motion = motion
                .compress_rigid(skeleton, &rigid, stop)
                .map_err(|error| outward(error, tolerance_cm, rigid_share))?;
            let scale_m = (tolerance_cm * share * SCALE_SHARE * 0.01) as f32;
            let allowed = |kind: TrackKind, of: JointIndex| match kind {
                TrackKind::Morph => WEIGHT_TOLERANCE,
                _ => scale_m / reach_m[usize::from(of)],
            };
            let beside = spline::fit_beside(clip, allowed, stop)?;
            let sided = Self::build(motion, beside);
            if !scales {
                return Ok(sided);
            }
            let errors = ErrorTable::measure_clip(skeleton, clip, &sided);
            measured_cm = errors.summary().max_cm;
            if measured_cm <= tolerance_cm {
                return Ok(sided);
            }
            share *= MARGIN * tolerance_cm / measured_cm;
        }
        Err(CompressError::too_fine(tolerance_cm, measured_cm))
    }

    fn build(motion: CompressedClip, beside: KeyClip) -> Self {
        let mut bytes = (beside.as_bytes().len() as u32).to_le_bytes().to_vec();
        bytes.extend(beside.as_bytes());
        bytes.extend(motion.as_bytes());
        Self {
            motion: Box::new(motion),
            beside,
            bytes: bytes.into(),
        }
    }

    /// Checks stored bytes; `read` reads those of the rigid motion.
    pub fn from_bytes(
        bytes: SharedBytes,
        read: impl FnOnce(SharedBytes) -> Result<CompressedClip, DecodeError>,
    ) -> Result<Self, DecodeError> {
        let mut reader = ByteReader::new(&bytes);
        let size = reader.u32("size of scales and weights")? as usize;
        let from = reader.position();
        reader.take("scales and weights", size)?;
        let beside = KeyClip::from_bytes(bytes.slice(from..from + size))?;
        let motion = read(bytes.slice(from + size..bytes.len()))?;
        let same = |a: ClipShape, b: ClipShape| (a.frames, a.joints) == (b.frames, b.joints);
        if !same(SampleClip::shape(&beside), motion.shape()) {
            let found = beside.frames() as u64;
            let expected = "those of the motion";
            return Err(super::bad_field(
                "frames of scales and weights",
                found,
                expected,
            ));
        }
        Ok(Self {
            motion: Box::new(motion),
            beside,
            bytes,
        })
    }

    /// The bytes to store.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Values stored for rotations.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.motion.keys()
    }

    /// The rigid motion.
    #[must_use]
    pub fn motion(&self) -> &CompressedClip {
        &self.motion
    }

    /// Scales and weights.
    #[must_use]
    pub fn beside(&self) -> &KeyClip {
        &self.beside
    }
}

/// A refusal of an inner tolerance in figures of the outer one.
fn outward(error: CompressError, tolerance_cm: f64, share: f64) -> CompressError {
    match error {
        CompressError::TooFine { promised_cm, .. } => {
            CompressError::too_fine(tolerance_cm, promised_cm / share)
        }
        other => other,
    }
}

/// How far from each joint the ball of any joint below it reaches, at rest.
fn reach_m(skeleton: &Skeleton) -> Vec<f32> {
    let mut reach_m = vec![BALL_RADIUS_M; skeleton.len()];
    for (joint, &parent) in skeleton.parents().iter().enumerate().rev() {
        if parent != NO_PARENT {
            let bone_m = skeleton.rest().joints()[joint].translation.length();
            let parent = usize::from(parent);
            reach_m[parent] = reach_m[parent].max(bone_m + reach_m[joint]);
        }
    }
    reach_m
}

#[derive(Default)]
struct SidedCursor {
    motion: ClipCursor,
    beside: ClipCursor,
    pose: LocalPose,
}

impl SampleClip for SidedClip {
    fn shape(&self) -> ClipShape {
        self.motion.shape()
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        let cursor = cursor.of::<SidedCursor>();
        self.motion
            .sample(skeleton, time_secs, &mut cursor.motion, pose);
        let beside = &mut cursor.pose;
        self.beside
            .sample(skeleton, time_secs, &mut cursor.beside, beside);
        pose.change_scales(beside.scales().len(), |joint, _| beside.scale(joint));
        pose.change_morphs(beside.morphs().len(), |morph, _| beside.morph(morph));
    }
}
