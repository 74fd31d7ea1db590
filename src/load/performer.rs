//! The built-in character: its skeleton and clips, read like any file's.

use std::{path::Path, sync::Arc};

use super::{LoadError, LoadOptions, LoadedMotion, LoadedSkeleton, stem};
use crate::{
    clip::{Event, EventTrack},
    import::{self, builtin, pairing::Pairing},
    mocap::asf,
};

/// The name that stands for the built-in character.
pub const PERFORMER: &str = "performer";

/// The built-in character.
pub fn performer() -> Result<LoadedSkeleton, LoadError> {
    let file = builtin::SKELETON_FILE;
    let document = asf::parse(file, builtin::SKELETON_ASF.as_bytes())?;
    let options = LoadOptions::default().skeleton;
    Ok(LoadedSkeleton {
        // No ending: whoever writes its motion writes its skeleton too.
        path: PERFORMER.into(),
        imported: import::skeleton(file, &stem(Path::new(file)), &document, options)?,
        model: None,
    })
}

/// A clip of the built-in character; `None` when it has none of that name.
pub fn performer_clip(name: &str, options: LoadOptions) -> Result<Option<LoadedMotion>, LoadError> {
    let Some(text) = builtin::clip(name) else {
        return Ok(None);
    };
    let skeleton = Arc::new(performer()?);
    performed(name, text, &skeleton, options).map(Some)
}

/// All clips of the built-in character.
pub fn performer_clips(options: LoadOptions) -> Result<Vec<LoadedMotion>, LoadError> {
    let skeleton = Arc::new(performer()?);
    let clips = builtin::CLIPS.iter();
    clips
        .map(|(name, text)| performed(name, text, &skeleton, options))
        .collect()
}

fn performed(
    name: &str,
    text: &str,
    skeleton: &Arc<LoadedSkeleton>,
    options: LoadOptions,
) -> Result<LoadedMotion, LoadError> {
    let motion = import::motion(
        name,
        name,
        text.as_bytes(),
        &skeleton.imported,
        options.motion,
    )?;
    let path = format!("{name}.amc").into();
    let skeleton = Arc::clone(skeleton);
    let mut loaded = LoadedMotion::of_frames(path, motion, skeleton, Pairing::SameFile);
    loaded.events = named_events(name, &loaded);
    Ok(loaded)
}

/// Strikes of feet and what the clip is known for.
fn named_events(name: &str, motion: &LoadedMotion) -> Option<EventTrack> {
    let named = builtin::EVENTS.iter().filter(|it| it.0 == name);
    let mut named = named.map(|&(_, time_secs, name)| Event {
        time_secs,
        name: name.to_owned(),
    });
    let first = named.next()?;
    let found = motion.events().events().to_vec();
    let all = found.into_iter().chain([first]).chain(named);
    Some(EventTrack::new(all.collect()))
}
