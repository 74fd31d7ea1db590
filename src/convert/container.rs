//! Motions in a `.kin` container, with what it says of their origin.

use std::path::Path;

use super::{ConvertError, ConvertOptions, Converted, ExportItem};
use crate::{
    codec::{
        CodecSettings, CompressedClip,
        kin::{ClipOrigin, Kin, KinClip, KinSkeleton, KinTracks},
        metric::ErrorTable,
    },
    import::RateSource,
    load::LoadedMotion,
};

/// One motion in a container: its own keys where that is asked for and it has
/// any, else compressed.
pub fn container(item: &ExportItem, options: &ConvertOptions) -> Result<Converted, ConvertError> {
    let Some(motion) = &item.motion else {
        return Err(ConvertError::NoMotion("kin"));
    };
    if motion.compressed().is_some() {
        return Err(ConvertError::Compressed);
    }
    let mut kin = Kin::default();
    let index = kin.add_skeleton(stored_skeleton(motion));
    let tracks = kin_tracks(motion, index).filter(|_| options.keys);
    match tracks {
        Some(tracks) => kin.tracks.push(tracks),
        None => kin.clips.push(KinClip {
            skeleton: index,
            ..compressed(motion, options.codec())?
        }),
    }
    Ok(Converted {
        bytes: kin.to_bytes(),
        skeleton: None,
        notes: Vec::new(),
    })
}

fn compressed(motion: &LoadedMotion, settings: CodecSettings) -> Result<KinClip, ConvertError> {
    let (skeleton, raw) = (motion.skeleton(), motion.raw());
    let clip = settings.compress(skeleton, raw)?;
    let errors = ErrorTable::measure_clip(skeleton, raw, &clip);
    let max_cm = errors.summary().max_cm;
    Ok(kin_clip(motion, settings, clip, max_cm))
}

/// A compressed motion with its origin.
#[must_use]
pub fn kin_clip(
    motion: &LoadedMotion,
    settings: CodecSettings,
    clip: CompressedClip,
    max_error_cm: f64,
) -> KinClip {
    let origin = ClipOrigin {
        name: motion.name.clone(),
        source: file_name(&motion.path),
        fps_assumed: motion.rate == RateSource::Assumed,
        animated: motion.raw().animated.len(),
    };
    KinClip {
        events: motion.events.clone(),
        ..KinClip::new(origin, settings, clip, max_error_cm)
    }
}

/// A motion's own keys with their origin; `skeleton` as the container counts.
#[must_use]
pub fn kin_tracks(motion: &LoadedMotion, skeleton: usize) -> Option<KinTracks> {
    motion.own_keys().map(|keys| KinTracks {
        source: file_name(&motion.path),
        fps_assumed: motion.rate == RateSource::Assumed,
        skeleton,
        clip: (**keys).clone(),
        events: motion.events.clone(),
    })
}

/// A motion's skeleton with its origin.
#[must_use]
pub fn stored_skeleton(motion: &LoadedMotion) -> KinSkeleton {
    let imported = &motion.skeleton.imported;
    KinSkeleton {
        skeleton: imported.skeleton.clone(),
        source: file_name(&motion.skeleton.path),
        length: imported.length,
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
