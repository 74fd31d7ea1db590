//! Motions that go together: all on the skeleton of the first.

use clap::Args;
use serde::Serialize;

use super::{Failure, message, overwrite::ForceArgs, print_json};
use crate::{
    load::{Loaded, LoadedMotion, Retargeter},
    register::RegisterError,
};

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

/// What blends, transitions and graphs take beside their files.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct ResultArgs {
    /// What was found, as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub force: ForceArgs,
}

impl ResultArgs {
    /// JSON, or else a message.
    pub fn tell<T: Serialize>(
        self,
        output: &T,
        told: impl Fn(&T) -> String,
    ) -> Result<(), Failure> {
        match self.json {
            true => print_json(output),
            false => {
                message(&told(output));
                Ok(())
            }
        }
    }
}

/// A refusal that names the files.
pub(super) fn refused(error: &RegisterError, motions: &[LoadedMotion]) -> Failure {
    let names: Vec<String> = motions.iter().map(LoadedMotion::label).collect();
    Failure::Usage(error.told(&names))
}

/// Fewer frames are a pose: nothing leads over there.
const LEAST_FRAMES: usize = 4;

/// Motions for a library: what cannot be retargeted or is there already is told
/// and left out.
pub(super) fn library(loaded: Vec<Loaded>) -> Result<Vec<LoadedMotion>, Failure> {
    let motions = loaded.into_iter().filter_map(Loaded::into_motion);
    let mut kept: Vec<LoadedMotion> = Vec::new();
    let mut onto: Option<Retargeter> = None;
    for motion in motions {
        let frames = motion.raw().frames();
        if frames < LEAST_FRAMES {
            let path = motion.label();
            message(&format!(
                "{path}: {frames} frame(s) are no motion; left out"
            ));
            continue;
        }
        let onto = onto.get_or_insert_with(|| Retargeter::onto(&motion.skeleton));
        let is_foreign = kept
            .first()
            .is_some_and(|it| it.skeleton() != motion.skeleton());
        let outcome = match is_foreign {
            true => onto.motion(&motion),
            false => Ok(motion),
        };
        match outcome {
            Ok(motion) => match kept.iter().find(|it| it.raw().is_same_motion(motion.raw())) {
                Some(other) => {
                    let (own, other) = (motion.path.display(), other.path.display());
                    message(&format!("{own}: the same as {other}, left out"));
                }
                None => kept.push(motion),
            },
            Err(error) => message(&format!("{error}; left out")),
        }
    }
    match kept.is_empty() {
        true => Err(Failure::Usage("there is no motion among the files".into())),
        false => Ok(kept),
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
