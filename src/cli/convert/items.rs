//! What is written: motions, or skeletons where there is nothing else.

use std::path::{Path, PathBuf};

use super::{ConvertArgs, Format};
use crate::{
    cli::{
        Failure,
        folder::{self, below},
    },
    convert::{ConvertError, ExportItem},
    load::{Loaded, LoadedSkeleton},
};

/// One file to write.
pub(super) struct NamedItem {
    pub item: ExportItem,
    /// Below the folder of the output, without an ending.
    pub name: PathBuf,
}

fn named((item, name): (ExportItem, PathBuf)) -> NamedItem {
    NamedItem { item, name }
}

/// Motions, or skeletons when there is nothing else.
pub(super) fn export_items(
    loaded: Vec<Loaded>,
    args: &ConvertArgs,
    format: Format,
) -> Result<Vec<NamedItem>, Failure> {
    let given = &args.read.files;
    let (mut motions, mut skeletons) = (Vec::new(), Vec::new());
    for item in loaded {
        match item {
            Loaded::Skeleton(file) => skeletons.push(file),
            Loaded::Motion(motion) => motions.push(*motion),
        }
    }
    if motions.is_empty() {
        return skeleton_items(skeletons, given, format);
    }
    let names = folder::names(&motions, given)?;
    let items = motions.into_iter().map(ExportItem::of_motion);
    Ok(items.zip(names).map(named).collect())
}

fn skeleton_items(
    skeletons: Vec<std::sync::Arc<LoadedSkeleton>>,
    given: &[PathBuf],
    format: Format,
) -> Result<Vec<NamedItem>, Failure> {
    if skeletons.is_empty() || format.needs_motion() {
        let problem = ConvertError::NoMotion(format.ending());
        return Err(Failure::Usage(problem.to_string()));
    }
    let names = skeletons.iter().map(|it| below(&it.path, given));
    let mut names: Vec<PathBuf> = names.collect();
    let paths: Vec<&Path> = skeletons.iter().map(|it| it.path.as_path()).collect();
    folder::number_namesakes(&mut names, &paths)?;
    let items = skeletons.into_iter().map(ExportItem::of_skeleton);
    Ok(items.zip(names).map(named).collect())
}
