//! `--onto` and its companions: motions retargeted to another character.

use std::path::PathBuf;

use clap::Args;

use super::{Failure, message};
use crate::{
    load::{Loaded, LoadedMotion, RetargetFiles, Retargeter},
    output,
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

    /// Character and map, where they are asked for.
    pub fn load(&self) -> Result<Option<Retargeter>, Failure> {
        Ok(Retargeter::load(RetargetFiles {
            character: self.onto.as_deref(),
            mirror: self.mirror,
            map: self.map.as_deref(),
        })?)
    }

    /// The motions retargeted, or everything as it was.
    pub fn apply(&self, loaded: Vec<Loaded>) -> Result<Vec<Loaded>, Failure> {
        if !self.is_given() {
            return Ok(loaded);
        }
        let motions = loaded.into_iter().filter_map(Loaded::into_motion);
        let retargeted = self.motions(motions.collect())?;
        let wrap = |motion| Loaded::Motion(Box::new(motion));
        Ok(retargeted.into_iter().map(wrap).collect())
    }

    /// The same for motions alone.
    pub fn motions(&self, motions: Vec<LoadedMotion>) -> Result<Vec<LoadedMotion>, Failure> {
        let (Some(onto), Some(first)) = (self.load()?, motions.first()) else {
            return Ok(motions);
        };
        // Gaps are told by the first motion's map: files given together mostly
        // share a skeleton, and nobody reads the same list a hundred times.
        let map = onto.map(first.skeleton())?;
        if let Some(path) = &self.save_map {
            output::write(path, map.to_ron().as_bytes())?;
        }
        let gaps: Vec<String> = map.gaps().iter().map(ToString::to_string).collect();
        if !gaps.is_empty() {
            message(&format!("{}: {}", map.target, gaps.join("; ")));
        }
        let retargeted = motions.iter().map(|motion| onto.motion(motion));
        Ok(retargeted.collect::<Result<_, _>>()?)
    }
}
