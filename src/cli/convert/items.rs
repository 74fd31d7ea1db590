//! What is written: motions, or skeletons where there is nothing else.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{ConvertArgs, Format};
use crate::{
    cli::{
        Failure,
        folder::{self, below},
    },
    clip::RawClip,
    load::{Loaded, LoadedMotion, LoadedSkeleton},
};

/// One file to write.
pub(super) struct ExportItem {
    /// Where it comes from, for messages.
    pub path: PathBuf,
    /// Below the folder of the output, without an ending.
    pub name: PathBuf,
    pub skeleton: Arc<LoadedSkeleton>,
    /// `None` for a skeleton of its own.
    pub motion: Option<LoadedMotion>,
}

impl ExportItem {
    /// Every frame; for a skeleton its rest pose as the only one.
    pub fn clip(&self) -> Arc<RawClip> {
        match &self.motion {
            Some(motion) => Arc::clone(motion.raw()),
            None => {
                let root = self.skeleton.imported.skeleton.joints()[0].rest;
                let mut still = self.no_clip();
                still.root_translations = vec![root.position()];
                Arc::new(still)
            }
        }
    }

    /// No frame at all.
    pub fn no_clip(&self) -> RawClip {
        let skeleton = &self.skeleton.imported.skeleton;
        RawClip {
            name: skeleton.name().to_owned(),
            fps: 30.0,
            joints: skeleton.len(),
            ..RawClip::default()
        }
    }
}

/// Motions, or skeletons when there is nothing else.
pub(super) fn export_items(
    loaded: Vec<Loaded>,
    args: &ConvertArgs,
    format: Format,
) -> Result<Vec<ExportItem>, Failure> {
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
    let item = |(motion, name): (LoadedMotion, PathBuf)| ExportItem {
        path: motion.path.clone(),
        name,
        skeleton: Arc::clone(&motion.skeleton),
        motion: Some(motion),
    };
    Ok(motions.into_iter().zip(names).map(item).collect())
}

fn skeleton_items(
    skeletons: Vec<Arc<LoadedSkeleton>>,
    given: &[PathBuf],
    format: Format,
) -> Result<Vec<ExportItem>, Failure> {
    if skeletons.is_empty() || matches!(format, Format::Amc | Format::Kin) {
        // A pose is no motion, and these formats hold nothing else.
        let ending = format.ending();
        let problem = format!("there is no motion to write as .{ending}");
        return Err(Failure::Usage(problem));
    }
    let names = skeletons.iter().map(|it| below(&it.path, given));
    let mut names: Vec<PathBuf> = names.collect();
    let paths: Vec<&Path> = skeletons.iter().map(|it| it.path.as_path()).collect();
    folder::number_namesakes(&mut names, &paths)?;
    let item = |(skeleton, name): (Arc<LoadedSkeleton>, PathBuf)| ExportItem {
        path: skeleton.path.clone(),
        name,
        skeleton,
        motion: None,
    };
    Ok(skeletons.into_iter().zip(names).map(item).collect())
}

/// Motions that one .glb file can hold.
pub(super) fn of_one_character(items: &[ExportItem]) -> bool {
    let Some(first) = items.first().map(|item| &item.skeleton) else {
        return false;
    };
    items.iter().all(|item| {
        Arc::ptr_eq(first, &item.skeleton)
            || first.imported.skeleton == item.skeleton.imported.skeleton
    })
}
