//! One file a motion, in a folder: their names, and what an interrupted run
//! has left to do.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::{Failure, message, on_terminal};
use crate::{
    load::{ClipData, LoadedMotion},
    output::{self, Stamp},
};

/// Whether a name that is no file's means a folder: one that is there, or is
/// yet to be made. A device is neither.
pub(super) fn names_folder(path: &Path, names_file: bool) -> bool {
    match fs::metadata(path) {
        Ok(there) => there.is_dir() || (there.is_file() && !names_file),
        Err(_) => !names_file,
    }
}

/// What a folder is filled with.
pub(super) struct Folder<'a> {
    pub root: &'a Path,
    /// Of every file, without a dot.
    pub ending: &'static str,
    /// Keeps what an earlier run of the same call has finished.
    pub resume: bool,
    /// Everything that the bytes of a file depend on but its inputs.
    pub options: String,
}

/// A file of the folder.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub path: PathBuf,
    pub stamp: Stamp,
}

impl Folder<'_> {
    /// Where a motion goes, by its name below the folder and the files that it
    /// comes from.
    pub fn target<'p>(&self, name: &Path, from: impl IntoIterator<Item = &'p Path>) -> Target {
        let version = env!("CARGO_PKG_VERSION");
        let mut text = format!("{version}\n{}\n{}", self.options, name.display());
        for path in from {
            let metadata = fs::metadata(path).ok();
            let size = metadata.as_ref().map_or(0, fs::Metadata::len);
            let changed = metadata.and_then(|it| it.modified().ok());
            let changed = changed.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{} {size} {changed:?}", path.display());
        }
        Target {
            // Not `with_extension`: a name may hold dots.
            path: append(&self.root.join(name), &format!(".{}", self.ending)),
            stamp: Stamp::of(&text),
        }
    }

    /// Makes every file that is not there yet, in parallel. A failure is told
    /// at once and does not stop the others; what was made comes back with
    /// their number.
    pub fn make<'i, T: Sync, D: Send>(
        &self,
        items: &'i [(T, Target)],
        make: impl Fn(&'i T, &Target) -> Result<D, Failure> + Sync,
    ) -> (Vec<D>, usize) {
        let is_left =
            |(_, target): &&(T, Target)| !(self.resume && target.stamp.marks(&target.path));
        let left: Vec<&'i (T, Target)> = items.iter().filter(is_left).collect();
        if self.resume {
            let folders: BTreeSet<&Path> =
                items.iter().filter_map(|it| it.1.path.parent()).collect();
            folders.into_iter().for_each(output::remove_parts);
        }
        if left.len() < items.len() {
            let (kept, all) = (items.len() - left.len(), items.len());
            message(&format!("{kept} of {all} files are finished and kept"));
        }
        let progress = progress_bar(left.len());
        let made: Vec<Option<D>> = left
            .par_iter()
            .map(|(item, target)| {
                let made = make_folder(&target.path).and_then(|()| make(item, target));
                progress.inc(1);
                // A line written over the bar would be overwritten by its next
                // stroke.
                let tell = |failure: &Failure| {
                    progress.suspend(|| message(&format!("error: {failure:#}")));
                };
                made.inspect_err(tell).ok()
            })
            .collect();
        progress.finish_and_clear();
        let made: Vec<D> = made.into_iter().flatten().collect();
        let failed = left.len() - made.len();
        (made, failed)
    }
}

/// The end of a run over a folder: what failed was told, the rest is there.
pub(super) fn outcome(failed: usize, all: usize) -> Result<(), Failure> {
    let rest = "; the others are written";
    match failed {
        0 => Ok(()),
        _ => Err(Failure::SomeFiles { failed, all, rest }),
    }
}

/// Makes the folder that a file shall be in.
pub(super) fn make_folder(path: &Path) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        let made = fs::create_dir_all(folder);
        made.with_context(|| format!("making the folder {}", folder.display()))?;
    }
    Ok(())
}

/// Names below the folder, without an ending: a file's own, and a folder of
/// that name where it holds several motions.
pub(super) fn names(motions: &[LoadedMotion], given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut of_file: HashMap<&Path, usize> = HashMap::new();
    for motion in motions {
        *of_file.entry(&motion.path).or_default() += 1;
    }
    let name = |motion: &LoadedMotion| {
        let mut name = below(&motion.path, given);
        if of_file[&*motion.path] > 1 && !matches!(motion.clip, ClipData::Raw(_)) {
            name.push(output::safe_stem(&motion.name));
        }
        name
    };
    let mut names: Vec<PathBuf> = motions.iter().map(name).collect();
    let paths: Vec<&Path> = motions.iter().map(|it| it.path.as_path()).collect();
    number_namesakes(&mut names, &paths)?;
    Ok(names)
}

/// A path without its ending, below the folder that the user named.
pub(super) fn below(path: &Path, given: &[PathBuf]) -> PathBuf {
    // Below the folder that was named, so that `a/walk` and `b/walk` do not
    // meet.
    let mut inside = given.iter().filter(|it| *it != path);
    let inside = inside.find_map(|folder| path.strip_prefix(folder).ok());
    let name = inside.map(Path::to_path_buf);
    let name = name.unwrap_or_else(|| path.file_name().unwrap_or_default().into());
    name.with_extension("")
}

/// Clips of one file may share a name and get numbers; files cannot, and are
/// told. Found before anything is written: in parallel the last one would win.
pub(super) fn number_namesakes(names: &mut [PathBuf], from: &[&Path]) -> Result<(), Failure> {
    // Some systems do not tell capitals from small letters.
    let key = |name: &Path| name.to_string_lossy().to_lowercase();
    let mut taken: HashMap<String, &Path> = HashMap::with_capacity(names.len());
    for (name, from) in names.iter_mut().zip(from) {
        let (first, mut number) = (name.clone(), 1);
        while let Some(other) = taken.get(&key(name)) {
            if other != from {
                let name = name.display();
                return Err(Failure::Usage(format!(
                    "two motions would be written as {name}: convert them apart"
                )));
            }
            number += 1;
            *name = append(&first, &format!("-{number}"));
        }
        taken.insert(key(name), from);
    }
    Ok(())
}

fn append(path: &Path, text: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(text);
    name.into()
}

/// On a terminal alone.
pub(super) fn progress_bar(length: usize) -> ProgressBar {
    if !on_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} clips, {eta} left");
    let bar = ProgressBar::new(length as u64);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
