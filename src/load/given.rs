//! Files that the user gives to states by hand: carried onto whoever is driven.

use std::path::Path;

use super::{LoadError, LoadOptions, LoadedMotion, load};
use crate::{
    animator::AnimatorClip,
    retarget::{JointMap, retarget},
    skeleton::Skeleton,
};

/// The first motion of a file, on a skeleton: as it is where the joints are the
/// same, else carried over.
pub(super) fn clip_on(
    skeleton: &Skeleton,
    file: &Path,
    options: LoadOptions,
) -> Result<AnimatorClip, LoadError> {
    let wrong = |message: String| LoadError::Animator {
        path: file.to_path_buf(),
        message,
    };
    let motion = first_motion(file, options)?;
    let motion = motion.ok_or_else(|| wrong("there is no motion for a state to play".into()))?;
    if super::driven::same_joints(motion.skeleton(), skeleton) {
        return Ok(motion.driven());
    }
    let map = JointMap::between(motion.skeleton(), skeleton);
    let clip = retarget(motion.skeleton(), motion.raw(), skeleton, &map);
    let clip = clip.map_err(|error| wrong(error.to_string()))?;
    Ok(clip.into())
}

fn first_motion(file: &Path, options: LoadOptions) -> Result<Option<LoadedMotion>, LoadError> {
    let options = LoadOptions {
        guess_skeleton: true,
        ..options
    };
    for (_, outcome) in load(&[file.to_path_buf()], options) {
        if let Some(motion) = outcome?.into_motion() {
            return Ok(Some(motion));
        }
    }
    Ok(None)
}
