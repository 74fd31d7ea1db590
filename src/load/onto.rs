//! Motions onto another character: the character's file, a user's map, and the
//! files that come out of it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{KinFile, LoadError, LoadOptions, Loaded, MotionFile, SkeletonFile, load, read, stem};
use crate::{
    clip::RawClip,
    import::{self, ImportedMotion, RateSource, builtin, pairing::Pairing},
    mocap::asf,
    retarget::{Map, retarget},
    skeleton::Skeleton,
};

/// The name that stands for the built-in character.
pub const PERFORMER: &str = "performer";

/// What the user asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct OntoFiles<'a> {
    /// Who shall move: any file with a skeleton, or [`PERFORMER`]; the motion's
    /// own skeleton when left out.
    pub character: Option<&'a Path>,
    /// Left and right in each other's place.
    pub mirror: bool,
    /// The map; found when left out.
    pub map: Option<&'a Path>,
}

/// Carries motions over.
#[derive(Clone, Debug)]
pub struct Onto {
    character: Option<Arc<SkeletonFile>>,
    mirror: bool,
    map: Option<MapFile>,
}

#[derive(Clone, Debug)]
struct MapFile {
    path: PathBuf,
    text: String,
    map: Map,
}

impl Onto {
    /// Reads character and map; `None` when nothing is asked for.
    pub fn load(from: OntoFiles<'_>) -> Result<Option<Self>, LoadError> {
        if from.character.is_none() && !from.mirror && from.map.is_none() {
            return Ok(None);
        }
        Ok(Some(Self {
            character: from.character.map(character).transpose()?,
            mirror: from.mirror,
            map: from.map.map(MapFile::load).transpose()?,
        }))
    }

    /// Who shall move; `None` where everybody stays themselves.
    #[must_use]
    pub fn character(&self) -> Option<&Arc<SkeletonFile>> {
        self.character.as_ref()
    }

    /// The map from a skeleton to the character.
    pub fn map(&self, source: &Skeleton) -> Result<Map, LoadError> {
        let target = self
            .character
            .as_ref()
            .map_or(source, |it| &it.imported.skeleton);
        let mut map = match &self.map {
            Some(file) => file.checked(source, target)?,
            None => Map::between(source, target),
        };
        map.mirror |= self.mirror;
        Ok(map)
    }

    /// A motion on the character.
    pub fn motion(&self, motion: &MotionFile) -> Result<MotionFile, LoadError> {
        let source = &motion.skeleton.imported.skeleton;
        let onto = self.character.as_ref().unwrap_or(&motion.skeleton);
        let map = self.map(source)?;
        let clip = retarget(source, &motion.imported.clip, &onto.imported.skeleton, &map);
        let clip = clip.map_err(|error| LoadError::Retarget {
            path: motion.path.clone(),
            message: error.to_string(),
        })?;
        Ok(MotionFile {
            path: motion.path.clone(),
            imported: ImportedMotion {
                clip,
                rate: motion.imported.rate,
                source_asf: None,
                notes: motion.imported.notes.clone(),
            },
            skeleton: Arc::clone(onto),
            pairing: Pairing::Given,
            tracks: None,
        })
    }

    /// All motions of what was loaded, on the character.
    pub fn loaded(&self, loaded: Loaded) -> Result<Vec<MotionFile>, LoadError> {
        let motions = motions(loaded);
        motions.iter().map(|motion| self.motion(motion)).collect()
    }
}

impl MapFile {
    fn load(path: &Path) -> Result<Self, LoadError> {
        let text = String::from_utf8_lossy(&read(path)?).into_owned();
        let map = Map::parse(&text).map_err(|error| LoadError::Retarget {
            path: path.to_path_buf(),
            message: error.to_string(),
        })?;
        Ok(Self {
            path: path.to_path_buf(),
            text,
            map,
        })
    }

    fn checked(&self, source: &Skeleton, target: &Skeleton) -> Result<Map, LoadError> {
        match self.map.check(&self.text, source, target) {
            Ok(()) => Ok(self.map.clone()),
            Err(error) => Err(LoadError::Retarget {
                path: self.path.clone(),
                message: error.to_string(),
            }),
        }
    }
}

/// The motions of a file, those of a container decoded.
#[must_use]
pub fn motions(loaded: Loaded) -> Vec<MotionFile> {
    match loaded {
        Loaded::Skeleton(_) => Vec::new(),
        Loaded::Motion(motion) => vec![*motion],
        Loaded::Compressed(file) => decoded(&file),
    }
}

fn decoded(file: &KinFile) -> Vec<MotionFile> {
    let clips = file.kin.clips.iter().map(|clip| {
        let on = &file.kin.skeletons[clip.skeleton];
        MotionFile {
            path: file.path.clone(),
            imported: ImportedMotion {
                clip: RawClip::sampled_from(&clip.name, &on.skeleton, &clip.clip),
                rate: match clip.fps_assumed {
                    true => RateSource::Assumed,
                    false => RateSource::Header,
                },
                source_asf: None,
                notes: Vec::new(),
            },
            skeleton: Arc::new(SkeletonFile::of_container(&file.path, on)),
            pairing: Pairing::SameFile,
            tracks: None,
        }
    });
    clips.collect()
}

/// The skeleton of any file, or the performer's.
pub fn character(path: &Path) -> Result<Arc<SkeletonFile>, LoadError> {
    if path == Path::new(PERFORMER) && !path.exists() {
        return performer().map(Arc::new);
    }
    let mut error = None;
    for (_, outcome) in load(&[path.to_path_buf()], LoadOptions::default()) {
        match outcome {
            Ok(Loaded::Skeleton(file)) => return Ok(file),
            Ok(Loaded::Motion(motion)) => return Ok(motion.skeleton),
            Ok(Loaded::Compressed(file)) => {
                if let Some(first) = file.kin.skeletons.first() {
                    return Ok(Arc::new(SkeletonFile::of_container(&file.path, first)));
                }
            }
            Err(own) => error = Some(own),
        }
    }
    Err(error.unwrap_or_else(|| LoadError::Retarget {
        path: path.to_path_buf(),
        message: "holds no skeleton to play on".into(),
    }))
}

/// The built-in character.
pub fn performer() -> Result<SkeletonFile, LoadError> {
    let file = builtin::SKELETON_FILE;
    let document = asf::parse(file, builtin::SKELETON_ASF.as_bytes())?;
    let options = LoadOptions::default().skeleton;
    Ok(SkeletonFile {
        // No ending: whoever writes its motion writes its skeleton too.
        path: PERFORMER.into(),
        imported: import::skeleton(file, &stem(Path::new(file)), document, options)?,
        model: None,
    })
}

/// A clip of the built-in character; `None` when it has none of that name.
pub fn performance(name: &str, options: LoadOptions) -> Result<Option<MotionFile>, LoadError> {
    let Some(text) = builtin::clip(name) else {
        return Ok(None);
    };
    let skeleton = performer()?;
    let imported = import::motion(
        name,
        name,
        text.as_bytes(),
        &skeleton.imported,
        options.motion,
    )?;
    Ok(Some(MotionFile {
        path: format!("{name}.amc").into(),
        imported,
        skeleton: Arc::new(skeleton),
        pairing: Pairing::SameFile,
        tracks: None,
    }))
}
