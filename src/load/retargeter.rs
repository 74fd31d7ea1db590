//! Motions onto another character: the character's file, a user's map, and the
//! motions that come out of it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    LoadError, LoadOptions, Loaded, LoadedMotion, LoadedSkeleton, PERFORMER, load, performer,
    read_text,
};
use crate::{
    retarget::{JointMap, retarget},
    skeleton::Skeleton,
};

/// What the user asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct RetargetFiles<'a> {
    /// Who shall move: any file with a skeleton, or [`PERFORMER`]; the motion's
    /// own skeleton when left out.
    pub character: Option<&'a Path>,
    /// Left and right in each other's place.
    pub mirror: bool,
    /// The map; found when left out.
    pub map: Option<&'a Path>,
}

/// Retargets motions.
#[derive(Clone, Debug)]
pub struct Retargeter {
    character: Option<Arc<LoadedSkeleton>>,
    mirror: bool,
    map: Option<MapFile>,
}

#[derive(Clone, Debug)]
struct MapFile {
    path: PathBuf,
    text: String,
    map: JointMap,
}

impl Retargeter {
    /// Reads character and map; `None` when nothing is asked for.
    pub fn load(from: RetargetFiles<'_>) -> Result<Option<Self>, LoadError> {
        if from.character.is_none() && !from.mirror && from.map.is_none() {
            return Ok(None);
        }
        Ok(Some(Self {
            character: from.character.map(character).transpose()?,
            mirror: from.mirror,
            map: from.map.map(MapFile::load).transpose()?,
        }))
    }

    /// Retargets to one character, by what names and shape tell.
    #[must_use]
    pub fn onto(character: &Arc<LoadedSkeleton>) -> Self {
        Self {
            character: Some(Arc::clone(character)),
            mirror: false,
            map: None,
        }
    }

    /// Who shall move; `None` where everybody stays themselves.
    #[must_use]
    pub fn character(&self) -> Option<&Arc<LoadedSkeleton>> {
        self.character.as_ref()
    }

    /// The map from a skeleton to the character.
    pub fn map(&self, source: &Skeleton) -> Result<JointMap, LoadError> {
        let target = self
            .character
            .as_ref()
            .map_or(source, |it| &it.imported.skeleton);
        let mut map = match &self.map {
            Some(file) => file.checked(source, target)?,
            None => JointMap::between(source, target),
        };
        // A map may mirror of its own accord; the option only adds.
        map.mirror |= self.mirror;
        Ok(map)
    }

    /// A motion on the character.
    pub fn motion(&self, motion: &LoadedMotion) -> Result<LoadedMotion, LoadError> {
        let onto = self.character.as_ref().unwrap_or(&motion.skeleton);
        let map = self.map(motion.skeleton())?;
        let clip = retarget(
            motion.skeleton(),
            motion.raw(),
            &onto.imported.skeleton,
            &map,
        );
        let clip = clip.map_err(|error| LoadError::Retarget {
            path: motion.path.clone(),
            message: error.to_string(),
        })?;
        Ok(motion.retargeted(clip, onto))
    }
}

impl MapFile {
    fn load(path: &Path) -> Result<Self, LoadError> {
        let text = read_text(path)?;
        let map = JointMap::parse(&text).map_err(|error| LoadError::Retarget {
            path: path.to_path_buf(),
            message: error.to_string(),
        })?;
        Ok(Self {
            path: path.to_path_buf(),
            text,
            map,
        })
    }

    fn checked(&self, source: &Skeleton, target: &Skeleton) -> Result<JointMap, LoadError> {
        match self.map.check(&self.text, source, target) {
            Ok(()) => Ok(self.map.clone()),
            Err(error) => Err(LoadError::Retarget {
                path: self.path.clone(),
                message: error.to_string(),
            }),
        }
    }
}

/// The skeleton of any file, or the performer's.
pub fn character(path: &Path) -> Result<Arc<LoadedSkeleton>, LoadError> {
    // A file that is called just so comes first.
    if path == Path::new(PERFORMER) && !path.exists() {
        return performer().map(Arc::new);
    }
    let mut error = None;
    for (_, outcome) in load(&[path.to_path_buf()], LoadOptions::default()) {
        match outcome {
            Ok(Loaded::Skeleton(skeleton)) => return Ok(skeleton),
            Ok(Loaded::Motion(motion)) => return Ok(motion.skeleton),
            Err(own) => error = Some(own),
        }
    }
    Err(error.unwrap_or_else(|| LoadError::Retarget {
        path: path.to_path_buf(),
        message: "holds no skeleton to play on".into(),
    }))
}
