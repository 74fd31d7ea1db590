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
    clip::{MorphTrack, RawClip},
    retarget::{FaceMap, JointMap, retarget},
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
        let mut clip = clip.map_err(|error| LoadError::Retarget {
            path: motion.path.clone(),
            message: error.to_string(),
        })?;
        clip.morphs = carried_face((&motion.skeleton, onto), motion.raw());
        Ok(motion.retargeted(clip, onto))
    }
}

/// Which morph targets of a skin move which of another, by their names.
#[must_use]
pub fn face_map(source: &LoadedSkeleton, target: &LoadedSkeleton) -> FaceMap {
    let names = |of: &LoadedSkeleton| of.model.as_ref().map(|it| it.morph_names.clone());
    let [source, target] = [source, target].map(|of| names(of).unwrap_or_default());
    FaceMap::between(&source, &target)
}

/// The face of a clip on another skin; on its own it stays as it is.
#[must_use]
pub fn carried_face(
    (source, target): (&Arc<LoadedSkeleton>, &Arc<LoadedSkeleton>),
    clip: &RawClip,
) -> Vec<MorphTrack> {
    match Arc::ptr_eq(source, target) {
        true => clip.morphs.clone(),
        false => face_map(source, target).carry(&clip.morphs),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::CharacterMesh;

    /// The performer with a face of its own: a name a target.
    fn with_face(names: &[&str]) -> Arc<LoadedSkeleton> {
        let plain = performer().unwrap();
        let model = CharacterMesh {
            morphs: names.len(),
            morph_names: names.iter().map(|it| (*it).to_owned()).collect(),
            ..CharacterMesh::default()
        };
        Arc::new(LoadedSkeleton {
            model: Some(Arc::new(model)),
            ..plain
        })
    }

    #[test]
    fn a_face_goes_along_by_its_names_and_what_has_no_namesake_is_known() {
        let motion = crate::load::performer_clip("wave", LoadOptions::default());
        let motion = motion.unwrap().unwrap();
        let speaker = with_face(&["jawOpen", "tongueOut"]);
        let mut clip = motion.raw().as_ref().clone();
        let track = |morph: u16| MorphTrack {
            morph,
            values: (0..clip.frames()).map(|it| it as f32 / 1000.0).collect(),
        };
        clip.morphs = vec![track(0), track(1)];
        let motion = motion.retargeted(clip, &speaker);
        let listener = with_face(&["surprised", "A"]);
        let carried = Retargeter::onto(&listener).motion(&motion).unwrap();
        assert_eq!(carried.raw().morphs.len(), 1);
        assert_eq!(carried.raw().morphs[0].morph, 1);
        assert_eq!(
            carried.raw().morphs[0].values,
            motion.raw().morphs[0].values
        );
        let map = face_map(&speaker, &listener);
        assert_eq!(map.unmatched, ["tongueOut"]);
        assert_eq!(map.unmoved, ["surprised"]);
        // On its own skin it stays as it is.
        let same = Retargeter::onto(&speaker).motion(&motion).unwrap();
        assert_eq!(same.raw().morphs, motion.raw().morphs);
    }
}
