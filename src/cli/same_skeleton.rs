//! Motions that go together: all on the skeleton of the first.

use serde::Serialize;

use super::{Failure, message};
use crate::load::{Loaded, LoadedMotion, Retargeter};

/// A motion as JSON names it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct MotionEntry {
    path: String,
    frames: usize,
}

impl MotionEntry {
    pub fn of(motion: &LoadedMotion) -> Self {
        Self {
            path: motion.label(),
            frames: motion.raw().frames(),
        }
    }
}

/// The motions among what was loaded, those of other skeletons retargeted.
pub(super) fn motions(loaded: Vec<Loaded>) -> Result<Vec<LoadedMotion>, Failure> {
    let mut motions: Vec<LoadedMotion> =
        loaded.into_iter().filter_map(Loaded::into_motion).collect();
    let Some(first) = motions.first().cloned() else {
        return Err(Failure::Usage("there is no motion among the files".into()));
    };
    let onto = Retargeter::onto(&first.skeleton);
    for motion in &mut motions[1..] {
        if motion.skeleton() != first.skeleton() {
            *motion = onto.motion(motion)?;
            let (path, name) = (motion.path.display(), first.skeleton().name());
            message(&format!("{path}: retargeted to {name}"));
        }
    }
    Ok(motions)
}
