//! Lengths in metres, once units and scales are applied: whatever the format,
//! a skeleton or a motion that reaches beyond all measure is refused, with the
//! joint and the frame. What joints add up to in a pose is the picture's
//! concern ([`crate::scene::FrameData::push_character`]).

use std::path::Path;

use super::{LoadError, Loaded, LoadedMotion};
use crate::{
    clip::{RawClip, TrackClip},
    mocap::MAX_MAGNITUDE,
    skeleton::Skeleton,
};

/// Metres.
const MOST_M: f32 = MAX_MAGNITUDE as f32;

fn is_wild(length_m: f32) -> bool {
    length_m.is_nan() || length_m.abs() >= MOST_M
}

/// Refuses what no scene could hold.
pub(super) fn check(path: &Path, loaded: Loaded) -> Result<Loaded, LoadError> {
    let wild = match &loaded {
        Loaded::Skeleton(skeleton) => wild_joint(&skeleton.imported.skeleton),
        Loaded::Motion(motion) => wild_joint(motion.skeleton()).or_else(|| wild_moment(motion)),
    };
    match wild {
        None => Ok(loaded),
        Some(place) => Err(LoadError::OutOfReach {
            path: path.to_path_buf(),
            place,
        }),
    }
}

/// The first joint whose rest pose or bone ends nowhere.
fn wild_joint(skeleton: &Skeleton) -> Option<String> {
    let rest = skeleton.rest_model();
    let index = (0..skeleton.len()).find(|&joint| {
        let end = rest.bone_end(skeleton, joint);
        let start = rest.joints()[joint].translation;
        !rest.joints()[joint].is_finite()
            || is_wild(start.abs().max_element())
            || is_wild(end.abs().max_element())
    })?;
    Some(format!("bone {:?} at rest", skeleton.joints()[index].name))
}

fn wild_moment(motion: &LoadedMotion) -> Option<String> {
    match motion.own_keys() {
        Some(keys) => wild_key(keys),
        // What a codec holds is decoded when it is asked for.
        None if motion.compressed().is_some() => None,
        None => wild_frame(motion.raw()),
    }
}

fn wild_frame(clip: &RawClip) -> Option<String> {
    let far = |it: &glam::Vec3| is_wild(it.abs().max_element());
    let root = clip.root_translations.iter().position(far);
    let mut moved = clip.translations.iter();
    let moved = moved.find_map(|track| track.values.iter().position(far));
    let mut stretched = clip.stretches.iter();
    let stretched = stretched.find_map(|it| it.values.iter().position(|&it| is_wild(it)));
    let frame = root.or(moved).or(stretched)?;
    Some(format!("frame {frame}"))
}

fn wild_key(clip: &TrackClip) -> Option<String> {
    let far = |it: &glam::Vec3| is_wild(it.abs().max_element());
    let mut tracks = clip.translations.iter();
    let track = tracks.find(|it| it.keys.values().iter().any(far))?;
    Some(format!("a key of joint {} in {:?}", track.of, clip.name))
}
