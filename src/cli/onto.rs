//! `--onto` and its companions: motions retargeted to another character.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Failure, inputs::Inputs, message};
use crate::{
    load::{self, Loaded, LoadedMotion, LoadedSkeleton, RetargetFiles, Retargeter},
    output::Staged,
    retarget::JointMap,
};

#[derive(Args, Clone, Debug, Default)]
pub(super) struct OntoArgs {
    /// Plays the motions on another character: any file with a skeleton, or
    /// `performer` for the built-in one
    #[arg(long, value_name = "CHARACTER")]
    pub onto: Option<PathBuf>,
    /// Left and right in each other's place
    #[arg(long)]
    pub mirror: bool,
    /// Which joints move which (RON), instead of what names and shape tell
    #[arg(long, value_name = "FILE", requires = "onto")]
    pub map: Option<PathBuf>,
    /// Writes the map that is used, to be edited
    #[arg(long, value_name = "FILE", requires = "onto")]
    pub save_map: Option<PathBuf>,
}

impl OntoArgs {
    /// True when motions are to be changed at all.
    pub fn is_given(&self) -> bool {
        self.onto.is_some() || self.mirror
    }

    /// Files that it reads.
    pub fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.onto.iter().chain(&self.map)
    }

    /// The file that it writes.
    pub fn output(&self) -> Option<&Path> {
        self.save_map.as_deref()
    }

    /// Character and map, where they are asked for.
    pub fn load(&self) -> Result<Option<Retargeter>, Failure> {
        Ok(Retargeter::load(RetargetFiles {
            character: self.onto.as_deref(),
            mirror: self.mirror,
            map: self.map.as_deref(),
        })?)
    }

    /// The motions retargeted, or everything as it was.
    pub fn apply(&self, inputs: &mut Inputs, staged: &mut Staged) -> Result<(), Failure> {
        if !self.is_given() {
            return Ok(());
        }
        let loaded = std::mem::take(&mut inputs.loaded).into_iter();
        let motions = loaded.filter_map(Loaded::into_motion).collect();
        let motions = self.each(motions, inputs, staged)?.into_iter();
        let wrap = |motion| Loaded::Motion(Box::new(motion));
        inputs.loaded = motions.map(wrap).collect();
        Ok(())
    }

    /// The same for motions alone. Those that cannot be retargeted count as
    /// failed.
    pub fn each(
        &self,
        motions: Vec<LoadedMotion>,
        inputs: &mut Inputs,
        staged: &mut Staged,
    ) -> Result<Vec<LoadedMotion>, Failure> {
        let Some(onto) = self.retargeter(&motions, staged)? else {
            return Ok(motions);
        };
        let mut retarget = |motion: &LoadedMotion| {
            let outcome = onto.motion(motion);
            outcome.inspect_err(|error| inputs.fail(error)).ok()
        };
        Ok(motions.iter().filter_map(&mut retarget).collect())
    }

    /// Motions of which none may fail.
    #[cfg(feature = "viewer")]
    pub fn motions(
        &self,
        motions: Vec<LoadedMotion>,
        staged: &mut Staged,
    ) -> Result<Vec<LoadedMotion>, Failure> {
        let Some(onto) = self.retargeter(&motions, staged)? else {
            return Ok(motions);
        };
        let retargeted = motions.iter().map(|motion| onto.motion(motion));
        Ok(retargeted.collect::<Result<_, _>>()?)
    }

    fn retargeter(
        &self,
        motions: &[LoadedMotion],
        staged: &mut Staged,
    ) -> Result<Option<Retargeter>, Failure> {
        let (Some(onto), Some(first)) = (self.load()?, motions.first()) else {
            return Ok(None);
        };
        // Gaps are told by the first motion's map: files given together mostly
        // share a skeleton, and nobody reads the same list a hundred times.
        let map = onto.map(first.skeleton())?;
        self.keep_map(&map, staged)?;
        if let Some(character) = onto.character() {
            tell_faces(first, character);
        }
        Ok(Some(onto))
    }

    /// Writes the map where that is asked for, and tells what it leaves out.
    pub fn keep_map(&self, map: &JointMap, staged: &mut Staged) -> Result<(), Failure> {
        if let Some(path) = &self.save_map {
            staged.add(path, map.to_ron().as_bytes())?;
        }
        let gaps: Vec<String> = map.gaps().iter().map(ToString::to_string).collect();
        if !gaps.is_empty() {
            message(&format!("{}: {}", map.target, gaps.join("; ")));
        }
        Ok(())
    }
}

/// Which weights of a face find no counterpart, where there are any.
fn tell_faces(motion: &LoadedMotion, character: &LoadedSkeleton) {
    let has_face = |of: &LoadedSkeleton| of.model.as_ref().is_some_and(|it| it.morphs > 0);
    if motion.raw().morphs.is_empty() || !has_face(character) {
        return;
    }
    let map = load::face_map(&motion.skeleton, character);
    let shown = character.path.display();
    for (names, what) in [
        (&map.unmatched, "of the motion's face move nothing"),
        (&map.unmoved, "of the character's face stay at rest"),
    ] {
        if !names.is_empty() {
            message(&format!("{shown}: {what}: {}", names.join(", ")));
        }
    }
}
