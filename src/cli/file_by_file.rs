//! Folders of any size, file by file: each is read, made into what was asked
//! for, written and let go before its thread takes the next, so that memory
//! follows the largest files and not their number.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use rayon::prelude::*;

use super::{
    Failure,
    folder::{self, Folder, Target, below, make_folder, progress_bar},
    inputs::{Inputs, is_readable},
    message,
    overwrite::ForceArgs,
};
use crate::{
    load::{self, Kind, LoadOptions, Loaded, LoadedMotion},
    output,
};

/// What is done with a motion; `None` where it is passed over.
type Make<'a, D> = dyn Fn(LoadedMotion, &Target) -> Result<Option<D>, Failure> + 'a;

/// Inputs that can be taken one by one.
pub(super) struct FileByFile<'a> {
    given: &'a [PathBuf],
    options: LoadOptions,
    /// The skeleton that was named for all.
    skeleton: Option<PathBuf>,
    motions: Vec<(PathBuf, Kind)>,
    /// Everything that is read.
    paths: Vec<PathBuf>,
}

/// What came of them, in their order.
pub(super) struct Made<D> {
    pub done: Vec<D>,
    /// Files and motions that failed, each told.
    pub failed: usize,
    /// Of how many.
    pub all: usize,
    /// There was nothing to do at all.
    pub nothing: bool,
}

/// Counts and names that threads share.
#[derive(Default)]
struct Shared {
    failed: AtomicUsize,
    all: AtomicUsize,
    kept: AtomicUsize,
    /// Names that are taken, and by whom.
    names: Mutex<HashMap<String, PathBuf>>,
}

impl<'a> FileByFile<'a> {
    /// `None` where files have to be seen together: several skeletons were
    /// named, or nothing but skeletons.
    pub fn of(given: &'a [PathBuf], options: LoadOptions) -> Option<Self> {
        let (files, _) = load::expand(given);
        let is_skeleton = |it: &&(PathBuf, Kind)| it.1 == Kind::Skeleton;
        let named: Vec<&(PathBuf, Kind)> = { files.iter() }
            .filter(|it| is_skeleton(it) && given.contains(&it.0))
            .collect();
        let skeleton = named.first().map(|it| it.0.clone());
        if named.len() > 1 {
            return None;
        }
        let paths = files.iter().map(|it| it.0.clone()).collect();
        let motions: Vec<(PathBuf, Kind)> = { files.into_iter() }
            .filter(|it| it.1 != Kind::Skeleton)
            .collect();
        let any = !motions.is_empty();
        any.then_some(Self {
            given,
            options,
            skeleton,
            motions,
            paths,
        })
    }

    /// Makes every file of the folder, in parallel. A failure is told at once
    /// and does not stop the others; `None` is a motion that is passed over.
    pub fn make<D: Send>(
        &self,
        folder: &Folder<'_>,
        force: ForceArgs,
        make: impl Fn(LoadedMotion, &Target) -> Result<Option<D>, Failure> + Sync,
    ) -> Result<Made<D>, Failure> {
        let names = self.names()?;
        let outputs = names.values().map(|name| folder.target(name, []).path);
        let outputs: Vec<PathBuf> = outputs.collect();
        force.check(&self.paths, outputs.iter().map(PathBuf::as_path))?;
        if folder.resume {
            let folders: BTreeSet<&Path> = outputs.iter().filter_map(|it| it.parent()).collect();
            folders.into_iter().for_each(output::remove_parts);
        }
        let shared = self.begin(&names);
        let progress = progress_bar(self.motions.len());
        let tell = |text: &str| progress.suspend(|| message(text));
        let each = |(path, _): &(PathBuf, Kind)| {
            let done = self.make_file(path, &names, folder, &shared, &|motion, target| {
                let skeleton = std::slice::from_ref(&motion.skeleton.path);
                force.check(skeleton, [target.path.as_path()])?;
                make_folder(&target.path)?;
                make(motion, target).inspect_err(|failure| tell(&format!("error: {failure:#}")))
            });
            progress.inc(1);
            done.inspect_err(|failure| tell(&format!("error: {failure:#}")))
                .unwrap_or_default()
        };
        let done: Vec<Vec<D>> = self.motions.par_iter().map(each).collect();
        progress.finish_and_clear();
        let (kept, all) = (shared.kept.into_inner(), shared.all.into_inner());
        if kept > 0 {
            message(&format!("{kept} of {all} files are finished and kept"));
        }
        let done: Vec<D> = done.into_iter().flatten().collect();
        let failed = shared.failed.into_inner();
        let nothing = done.is_empty() && failed + kept == 0;
        Ok(Made {
            done,
            failed,
            all,
            nothing,
        })
    }

    /// Tells what could not be opened at all.
    fn begin(&self, names: &HashMap<PathBuf, PathBuf>) -> Shared {
        let (_, unknown) = load::expand(self.given);
        unknown
            .iter()
            .for_each(|(_, error)| message(&format!("error: {error}")));
        let taken = names.iter().map(|(path, name)| (key(name), path.clone()));
        Shared {
            failed: unknown.len().into(),
            all: unknown.len().into(),
            names: Mutex::new(taken.collect()),
            ..Shared::default()
        }
    }

    /// Names of the files that hold one motion, known without reading them.
    fn names(&self) -> Result<HashMap<PathBuf, PathBuf>, Failure> {
        let single = |it: &&(PathBuf, Kind)| matches!(it.1, Kind::Motion | Kind::Bvh);
        let name = |file: &Path| below(&load::without_range(file), self.given);
        let mut files: Vec<&PathBuf> = self.motions.iter().filter(single).map(|it| &it.0).collect();
        let mut of_name: HashMap<String, usize> = HashMap::new();
        for file in &files {
            *of_name.entry(key(&name(file))).or_default() += 1;
        }
        // Of namesakes those that cannot be read take no name from the others.
        files.retain(|file| of_name[&key(&name(file))] == 1 || self.is_readable(file));
        let whole: Vec<PathBuf> = files.iter().map(|it| load::without_range(it)).collect();
        let mut names: Vec<PathBuf> = whole.iter().map(|it| below(it, self.given)).collect();
        let from: Vec<&Path> = whole.iter().map(PathBuf::as_path).collect();
        folder::number_namesakes(&mut names, &from)?;
        Ok(files.into_iter().cloned().zip(names).collect())
    }

    fn is_readable(&self, file: &Path) -> bool {
        is_readable(file, self.skeleton.as_deref(), self.given, self.options)
    }

    /// What comes of the motions of one file; an error where the file is one.
    fn make_file<D>(
        &self,
        path: &Path,
        names: &HashMap<PathBuf, PathBuf>,
        folder: &Folder<'_>,
        shared: &Shared,
        make: &Make<'_, D>,
    ) -> Result<Vec<D>, Failure> {
        let mut inputs = Inputs::of_file(path, self.skeleton.as_deref(), self.given, self.options);
        let failed = inputs.failed();
        shared.failed.fetch_add(failed, Ordering::Relaxed);
        shared.all.fetch_add(failed, Ordering::Relaxed);
        let loaded = std::mem::take(&mut inputs.loaded).into_iter();
        let motions: Vec<LoadedMotion> = loaded.filter_map(Loaded::into_motion).collect();
        let own = match names.get(path) {
            Some(name) => vec![name.clone(); motions.len()],
            None => self.names_of(&motions, shared)?,
        };
        let mut done = Vec::new();
        for (motion, name) in motions.into_iter().zip(own) {
            shared.all.fetch_add(1, Ordering::Relaxed);
            let target = folder.target(
                &name,
                [motion.path.as_path(), motion.skeleton.path.as_path()],
            );
            if folder.resume && target.stamp.marks(&target.path) {
                shared.kept.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            match make(motion, &target) {
                Ok(made) => done.extend(made),
                // Told by whoever made it.
                Err(_) => {
                    shared.failed.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        Ok(done)
    }

    /// Names of a file that may hold several motions; none that is taken.
    fn names_of(&self, motions: &[LoadedMotion], shared: &Shared) -> Result<Vec<PathBuf>, Failure> {
        let names = folder::names(motions, self.given)?;
        let mut taken = shared.names.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, motion) in names.iter().zip(motions) {
            let before = taken.insert(key(name), motion.path.clone());
            if before.is_some_and(|it| it != motion.path) {
                shared.failed.fetch_add(1, Ordering::Relaxed);
                shared.all.fetch_add(1, Ordering::Relaxed);
                return Err(Failure::Usage(format!(
                    "two motions would be written as {}: convert them apart",
                    name.display()
                )));
            }
        }
        Ok(names)
    }
}

/// Some systems do not tell capitals from small letters.
fn key(name: &Path) -> String {
    name.to_string_lossy().to_lowercase()
}
