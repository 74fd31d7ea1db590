//! The performer's clips that lead from the ground to standing, for whoever fell.

use std::sync::Arc;

use super::{LoadOptions, LoadedMotion, performer_clip};
use crate::{
    clip::SampleClip,
    retarget::{JointMap, retarget},
    skeleton::Skeleton,
};

/// Clips in which the performer gets up: from the back, from the front.
const GET_UPS: [&str; 2] = ["get_up_supine", "get_up_prone"];

/// Ways up for a skeleton: the performer's, brought onto it. None for what is no
/// human.
#[must_use]
pub fn ways_up(skeleton: &Skeleton) -> Vec<Arc<dyn SampleClip>> {
    let clips = GET_UPS.iter().filter_map(|name| {
        let motion = performer_clip(name, LoadOptions::default()).ok()??;
        onto(skeleton, &motion)
    });
    clips.collect()
}

fn onto(skeleton: &Skeleton, motion: &LoadedMotion) -> Option<Arc<dyn SampleClip>> {
    let own = motion.skeleton();
    if own == skeleton {
        return Some(motion.sampler());
    }
    let map = JointMap::between(own, skeleton);
    let clip = retarget(own, motion.raw(), skeleton, &map).ok()?;
    Some(Arc::new(clip))
}
