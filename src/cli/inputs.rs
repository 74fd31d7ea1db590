//! The files a command was given: what loads, and how many do not.

use std::path::PathBuf;

use super::{Failure, message};
use crate::load::{self, LoadOptions, Loaded, LoadedMotion};

/// What was loaded.
pub(super) struct Inputs {
    pub loaded: Vec<Loaded>,
    failed: usize,
    all: usize,
}

impl Inputs {
    /// Loads everything; what does not load is told at once.
    pub fn load(files: &[PathBuf], options: LoadOptions) -> Self {
        let outcomes = load::load(files, options);
        let all = outcomes.len();
        let told = |error: &load::LoadError| message(&format!("error: {error}"));
        let loaded = outcomes.into_iter();
        let loaded = loaded.filter_map(|(_, outcome)| outcome.inspect_err(told).ok());
        let loaded: Vec<Loaded> = loaded.collect();
        Self {
            failed: all - loaded.len(),
            loaded,
            all,
        }
    }

    /// A failure when any file failed.
    pub fn complete(&self) -> Result<(), Failure> {
        let (failed, all) = (self.failed, self.all);
        match failed {
            0 => Ok(()),
            _ => Err(Failure::SomeFiles { failed, all }),
        }
    }
}

/// The motions that no codec has compressed yet; the others are told.
pub(super) fn uncompressed(loaded: Vec<Loaded>) -> Vec<LoadedMotion> {
    let mut passed_over: Option<PathBuf> = None;
    let mut keep = |motion: &LoadedMotion| {
        if motion.compressed().is_none() {
            return true;
        }
        // A container is told once, however many clips it holds.
        if passed_over.as_ref() != Some(&motion.path) {
            let path = motion.path.display();
            message(&format!("{path}: already compressed, passed over"));
            passed_over = Some(motion.path.clone());
        }
        false
    };
    let motions = loaded.into_iter().filter_map(Loaded::into_motion);
    motions.filter(|motion| keep(motion)).collect()
}
