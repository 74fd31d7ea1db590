//! Clips of a driven character as memory holds them: raw, or as a codec leaves
//! them.

use std::sync::Arc;

use rayon::prelude::*;

use crate::{
    animator::{AnimatorClip, ClipSet},
    codec::{CodecSettings, metric::ErrorTable},
    skeleton::Skeleton,
};

/// What clips take up, and what that costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClipMemory {
    /// How many.
    pub clips: usize,
    /// As frames.
    pub raw_bytes: u64,
    /// As they are held.
    pub bytes: u64,
    /// Largest error of any, against its frames.
    pub max_error_cm: f64,
}

impl ClipMemory {
    fn of_frames(clip: &AnimatorClip) -> Self {
        let raw_bytes = clip.frames().raw_bytes();
        Self {
            clips: 1,
            raw_bytes,
            bytes: raw_bytes,
            max_error_cm: 0.0,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            clips: self.clips + other.clips,
            raw_bytes: self.raw_bytes + other.raw_bytes,
            bytes: self.bytes + other.bytes,
            max_error_cm: self.max_error_cm.max(other.max_error_cm),
        }
    }
}

/// Holds all clips as a codec leaves them, or as they are. One that the codec
/// refuses stays as it is.
pub(super) fn hold(
    clips: &mut ClipSet,
    skeleton: &Skeleton,
    held: Option<CodecSettings>,
) -> ClipMemory {
    let clips: Vec<&mut AnimatorClip> = clips.values_mut().collect();
    let each = clips.into_par_iter().map(|clip| {
        let frames = Arc::clone(clip.frames());
        let compressed = held.and_then(|held| held.compress(skeleton, &frames).ok());
        let Some(compressed) = compressed else {
            return ClipMemory::of_frames(clip);
        };
        let errors = ErrorTable::measure_clip(skeleton, &frames, &compressed);
        let memory = ClipMemory {
            bytes: compressed.as_bytes().len() as u64,
            max_error_cm: errors.summary().max_cm,
            ..ClipMemory::of_frames(clip)
        };
        let events = clip.events().clone();
        *clip = AnimatorClip::compressed(frames, Arc::new(compressed)).with_events(events);
        memory
    });
    each.reduce(ClipMemory::default, ClipMemory::and)
}
