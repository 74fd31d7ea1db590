//! The files a command was given: what loads, and how many do not.

use std::path::{Path, PathBuf};

use super::{Failure, message};
use crate::{
    import::pairing::Pairing,
    load::{self, LoadError, LoadOptions, LoadOutcome, Loaded, LoadedMotion},
};

/// What was loaded.
pub(super) struct Inputs {
    pub loaded: Vec<Loaded>,
    /// Every file that was opened, or was to be.
    pub paths: Vec<PathBuf>,
    failed: usize,
    all: usize,
}

impl Inputs {
    /// Loads everything; what does not load is told at once.
    pub fn load(files: &[PathBuf], options: LoadOptions) -> Self {
        Self::of_outcomes(load::load(files, options))
    }

    /// One file of those that were `named`, on a skeleton that was named or one
    /// that it finds.
    pub fn of_file(
        file: &Path,
        skeleton: Option<&Path>,
        named: &[PathBuf],
        options: LoadOptions,
    ) -> Self {
        Self::of_outcomes(outcomes_of_file(file, skeleton, named, options))
    }

    fn of_outcomes(outcomes: Vec<LoadOutcome>) -> Self {
        let mut inputs = Self {
            loaded: Vec::with_capacity(outcomes.len()),
            paths: Vec::with_capacity(outcomes.len()),
            failed: 0,
            all: outcomes.len(),
        };
        for (path, outcome) in outcomes {
            inputs.paths.push(path);
            match outcome {
                Ok(loaded) => inputs.take(loaded),
                Err(error) => inputs.fail(&error),
            }
        }
        inputs
    }

    fn take(&mut self, loaded: Loaded) {
        if let Loaded::Motion(motion) = &loaded {
            // Found beside the motion, and not to be written over either.
            self.paths.push(motion.skeleton.path.clone());
            if motion.pairing == Pairing::BestFit {
                let (path, skeleton) = (motion.path.display(), motion.skeleton.path.display());
                message(&format!(
                    "{path}: on {skeleton}, which fits best of several"
                ));
            }
        }
        self.loaded.push(loaded);
    }

    /// Tells and counts what came to nothing.
    pub fn fail(&mut self, error: &LoadError) {
        self.failed += 1;
        message(&format!("error: {error}"));
    }

    /// How many files failed.
    pub fn failed(&self) -> usize {
        self.failed
    }

    /// A failure when any file failed.
    pub fn complete(&self) -> Result<(), Failure> {
        self.complete_or("")
    }

    /// The same for a command that then leaves its output alone.
    pub fn complete_to_write(&self) -> Result<(), Failure> {
        self.complete_or("; nothing is written")
    }

    fn complete_or(&self, rest: &'static str) -> Result<(), Failure> {
        let (failed, all) = (self.failed, self.all);
        match failed {
            0 => Ok(()),
            _ => Err(Failure::SomeFiles { failed, all, rest }),
        }
    }
}

/// Whether anything comes of a file; nothing is told of it.
pub(super) fn is_readable(
    file: &Path,
    skeleton: Option<&Path>,
    named: &[PathBuf],
    options: LoadOptions,
) -> bool {
    let outcomes = outcomes_of_file(file, skeleton, named, options);
    outcomes.iter().any(|(_, outcome)| outcome.is_ok())
}

fn outcomes_of_file(
    file: &Path,
    skeleton: Option<&Path>,
    named: &[PathBuf],
    options: LoadOptions,
) -> Vec<LoadOutcome> {
    let paths = skeleton.into_iter().chain([file]);
    let paths: Vec<PathBuf> = paths.map(Path::to_path_buf).collect();
    let mut outcomes = load::load_within(&paths, named, options);
    // It is told by the motions that need it.
    outcomes.retain(|(path, _)| Some(path.as_path()) != skeleton);
    outcomes
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
