//! Entries of the clip list: where each comes from, and what files and folders
//! bring into it.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;

use crate::load::{self, Kind};

/// Where an entry of the list comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A clip of the performer.
    BuiltIn(&'static str),
    /// A file, and the skeletons that were named with it.
    File {
        /// The motion or skeleton.
        path: PathBuf,
        /// Skeletons to look at first.
        skeletons: Arc<[PathBuf]>,
        /// What was opened: this file, others, or their folders.
        named: Arc<[PathBuf]>,
    },
    /// One of several clips of a container.
    Contained {
        /// The container.
        path: PathBuf,
        /// Which clip.
        index: usize,
        /// Its name.
        name: String,
    },
}

impl Source {
    /// What the list calls it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn(name) => (*name).to_owned(),
            Self::Contained { name, .. } => name.clone(),
            Self::File { path, .. } => path
                .file_name()
                .unwrap_or(path.as_os_str())
                .to_string_lossy()
                .into_owned(),
        }
    }

    /// The file it is in.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::BuiltIn(_) => None,
            Self::File { path, .. } | Self::Contained { path, .. } => Some(path),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::BuiltIn(_) => "built in".to_owned(),
            Self::File { path, .. } => path.display().to_string(),
            Self::Contained { path, index, .. } => {
                format!("{}, clip {}", path.display(), index + 1)
            }
        }
    }
}

/// An entry a file, and one a clip of files that hold several.
pub fn listed(paths: Vec<PathBuf>, file: impl Fn(PathBuf) -> Source) -> Vec<Source> {
    let names: Vec<Vec<String>> = paths.par_iter().map(|it| load::clip_names(it)).collect();
    let alone = paths.len() == 1;
    let twins = twins(&paths);
    let mut sources = Vec::with_capacity(paths.len());
    for (path, names) in paths.into_iter().zip(names) {
        if names.len() < 2 {
            sources.push(file(path));
            continue;
        }
        let file_name = match twins.contains(&path) {
            true => path.file_name(),
            false => path.file_stem(),
        };
        let file_name = file_name.unwrap_or_default().to_string_lossy();
        let names = names.iter().map(|name| match alone {
            true => name.clone(),
            false => format!("{file_name} · {name}"),
        });
        let contained = names.enumerate().map(|(index, name)| Source::Contained {
            path: path.clone(),
            index,
            name,
        });
        sources.extend(contained);
    }
    sources
}

/// Files that only their endings tell apart, such as a model's `.glb` and `.gltf`.
fn twins(paths: &[PathBuf]) -> HashSet<PathBuf> {
    let mut by_stem: HashMap<&OsStr, Vec<&PathBuf>> = HashMap::new();
    for path in paths {
        let stem = path.file_stem().unwrap_or_default();
        by_stem.entry(stem).or_default().push(path);
    }
    let several = by_stem.into_values().filter(|them| them.len() > 1);
    several.flatten().cloned().collect()
}

/// Where each file begins.
#[must_use]
pub fn firsts(sources: &[Source]) -> Vec<usize> {
    let begins = |&index: &usize| index == 0 || sources[index].path() != sources[index - 1].path();
    (0..sources.len()).filter(begins).collect()
}

/// The files of the same kind in the folder of a file, in order of name.
#[must_use]
pub fn neighbours(path: &Path) -> Vec<PathBuf> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let kind = Kind::of_name(&load::without_range(path));
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
    let mut found: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| match folder {
            Some(_) => entry.path(),
            // As the user spelt it: with "./" before it the file would not be
            // found in its own folder.
            None => PathBuf::from(entry.file_name()),
        })
        .filter(|other| Kind::of_name(other).is_some() && Kind::of_name(other) == kind)
        .collect();
    if !found.iter().any(|other| other == path) {
        found.push(path.to_path_buf());
    }
    found.sort();
    found
}
