//! What is written: a motion, or a skeleton of its own.

use std::{path::PathBuf, sync::Arc};

use crate::{
    clip::RawClip,
    load::{LoadedMotion, LoadedSkeleton},
};

/// One file's content before it has a format.
#[derive(Clone, Debug)]
pub struct ExportItem {
    /// Where it comes from, for messages and for what a file says of itself.
    pub path: PathBuf,
    /// Who moves.
    pub skeleton: Arc<LoadedSkeleton>,
    /// `None` for a skeleton of its own.
    pub motion: Option<LoadedMotion>,
}

impl ExportItem {
    /// A motion with its skeleton.
    #[must_use]
    pub fn of_motion(motion: LoadedMotion) -> Self {
        Self {
            path: motion.path.clone(),
            skeleton: Arc::clone(&motion.skeleton),
            motion: Some(motion),
        }
    }

    /// A skeleton of its own.
    #[must_use]
    pub fn of_skeleton(skeleton: Arc<LoadedSkeleton>) -> Self {
        Self {
            path: skeleton.path.clone(),
            skeleton,
            motion: None,
        }
    }

    /// Every frame; for a skeleton its rest pose as the only one.
    #[must_use]
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
    #[must_use]
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

/// Motions that one .glb file can hold.
pub fn of_one_character<'a>(items: impl IntoIterator<Item = &'a ExportItem>) -> bool {
    let mut items = items.into_iter().map(|item| &item.skeleton);
    let Some(first) = items.next() else {
        return false;
    };
    let skeleton = &first.imported.skeleton;
    items.all(|other| Arc::ptr_eq(first, other) || *skeleton == other.imported.skeleton)
}
