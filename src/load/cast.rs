//! A character to drive: an animator's description and the clips its states
//! play, from files or built in.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{LoadError, LoadOptions, Loaded, Onto, load, read};
use crate::{
    animator::{self, ClipSet, DEFAULT_GRAPH, Description, Graph},
    clip::RawClip,
    import::{self, builtin},
    mocap::asf,
    model::Model,
    retarget::{Map, retarget},
    skeleton::Skeleton,
};

/// What a character is made from.
#[derive(Clone, Copy, Debug)]
pub struct CastFiles<'a> {
    /// The animator's description; the built-in one when left out.
    pub animator: Option<&'a Path>,
    /// A skeleton and motions for its states, which go by file stem or as
    /// `STATE=FILE`; the performer when there is none.
    pub files: &'a [PathBuf],
    /// Who plays them, instead of the one they were made for.
    pub onto: Option<&'a Onto>,
}

/// The clip a character stands in, where it has one.
const IDLE: &str = "idle";

/// A graph ready to run.
#[derive(Debug)]
pub struct Cast {
    /// What drives; holds the skeleton.
    pub graph: Arc<Graph>,
    /// One of its clips: how it stands and how much room it takes.
    pub shown: RawClip,
    /// Names of clips that no state plays.
    pub unused: Vec<String>,
    /// The character's own meshes, where its file has them.
    pub model: Option<Arc<Model>>,
}

/// Reads everything and builds the graph.
pub fn cast(from: CastFiles<'_>, options: LoadOptions) -> Result<Cast, LoadError> {
    let source = from.animator.unwrap_or(Path::new("the built-in animator"));
    let mut description = describe(from.animator)?;
    let wrong = |message: String| LoadError::Animator {
        path: source.to_path_buf(),
        message,
    };
    let mut model = None;
    let (skeleton, clips, unused) = if from.files.is_empty() {
        let (skeleton, clips) = performer(options)?;
        (skeleton, clips, Vec::new())
    } else {
        own_clips(&description, from.files, options, &mut model)?
    };
    let (skeleton, clips) = match from.onto {
        Some(onto) => {
            let map = onto.map(&skeleton)?;
            let (target, own) = match onto.character() {
                Some(file) => (file.imported.skeleton.clone(), file.model.clone()),
                None => (skeleton.clone(), model.take()),
            };
            model = own;
            let carried = clips.into_iter().map(|(name, clip)| {
                let clip = retarget(&skeleton, &clip, &target, &map);
                let clip = clip.map_err(|error| wrong(format!("{name}: {error}")))?;
                Ok((name, clip))
            });
            let carried = carried.collect::<Result<ClipSet, LoadError>>()?;
            (target, carried)
        }
        None => (skeleton, clips),
    };
    find_parts(&mut description, &skeleton, options)?;
    let graph = animator::build(&description, &Arc::new(skeleton), &clips)
        .map_err(|error| wrong(error.to_string()))?;
    let mut clips = clips;
    let idle = clips.remove(IDLE);
    let shown = idle.or_else(|| clips.into_values().next());
    Ok(Cast {
        graph: Arc::new(graph),
        shown: shown.ok_or_else(|| wrong("there is no motion for a state to play".into()))?,
        unused,
        model,
    })
}

fn describe(path: Option<&Path>) -> Result<Description, LoadError> {
    let Some(path) = path else {
        return animator::parse(DEFAULT_GRAPH).map_err(|error| LoadError::Animator {
            path: "the built-in animator".into(),
            message: error.to_string(),
        });
    };
    let text = String::from_utf8_lossy(&read(path)?).into_owned();
    animator::parse(&text).map_err(|error| LoadError::Animator {
        path: path.to_path_buf(),
        message: error.to_string(),
    })
}

fn performer(options: LoadOptions) -> Result<(Skeleton, ClipSet), LoadError> {
    let file = builtin::SKELETON_FILE;
    let document = asf::parse(file, builtin::SKELETON_ASF.as_bytes())?;
    let imported = import::skeleton(file, "performer", document, options.skeleton)?;
    let mut clips = ClipSet::new();
    for (name, text) in builtin::CLIPS {
        let motion = import::motion(name, name, text.as_bytes(), &imported, options.motion)?;
        clips.insert((*name).to_owned(), motion.clip);
    }
    Ok((imported.skeleton, clips))
}

/// A description names joints; where a skeleton calls them otherwise, the part
/// of the body that the performer's joint plays is meant.
fn find_parts(
    description: &mut Description,
    skeleton: &Skeleton,
    options: LoadOptions,
) -> Result<(), LoadError> {
    let mut unknown = false;
    description.rename_joints(|names| {
        unknown |= animator::find_joint(skeleton, names).is_none();
        None
    });
    if !unknown {
        return Ok(());
    }
    let (performer, _) = performer(options)?;
    let map = Map::between(&performer, skeleton);
    description.rename_joints(|names| {
        if animator::find_joint(skeleton, names).is_some() {
            return None;
        }
        let known = animator::find_joint(&performer, names)?;
        let known = &performer.joints()[usize::from(known)].name;
        let link = map.links.iter().find(|link| link.from.contains(known))?;
        link.to.first().cloned()
    });
    Ok(())
}

/// What a state is to play.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Assignment {
    state: String,
    file: PathBuf,
    /// Which clip, where the file holds several.
    clip: Option<String>,
}

impl Assignment {
    /// `STATE=FILE` or `STATE=FILE#CLIP`, unless a file is called just so.
    fn of(path: &Path) -> Option<Self> {
        let text = path.to_str()?;
        let (state, file) = text.split_once('=')?;
        let names_a_state = !state.is_empty() && !state.contains(['/', '\\']);
        if !names_a_state || file.is_empty() || path.exists() {
            return None;
        }
        let (file, clip) = match file.rsplit_once('#') {
            Some((file, clip)) if !clip.is_empty() => (file, Some(clip.to_owned())),
            _ => (file, None),
        };
        Some(Self {
            state: state.to_owned(),
            file: PathBuf::from(file),
            clip,
        })
    }

    fn means(&self, path: &Path, clip: &RawClip) -> bool {
        let wanted = self.clip.as_ref();
        self.file == path && wanted.is_none_or(|it| it.eq_ignore_ascii_case(&clip.name))
    }
}

/// Whether any of the paths is `STATE=FILE`.
#[must_use]
pub fn names_states(files: &[PathBuf]) -> bool {
    files.iter().any(|path| Assignment::of(path).is_some())
}

/// The files alone, once each, whatever states they are given to.
#[must_use]
pub fn without_states(files: &[PathBuf]) -> Vec<PathBuf> {
    let mut known = Vec::new();
    for path in files {
        let file = Assignment::of(path).map_or_else(|| path.clone(), |it| it.file);
        if !known.contains(&file) {
            known.push(file);
        }
    }
    known
}

/// The clips of one skeleton in the places that names and assignments give
/// them, and the names of those left over.
fn own_clips(
    description: &Description,
    files: &[PathBuf],
    options: LoadOptions,
    model: &mut Option<Arc<Model>>,
) -> Result<(Skeleton, ClipSet, Vec<String>), LoadError> {
    let assigned: Vec<Assignment> = files.iter().filter_map(|it| Assignment::of(it)).collect();
    let mut left = assigned.clone();
    let paths = without_states(files);
    let mut skeleton: Option<(Skeleton, PathBuf)> = None;
    let (mut by_name, mut by_state) = (Vec::new(), Vec::new());
    for (path, outcome) in load(&paths, options) {
        let outcome = outcome?;
        if let (None, Loaded::Motion(motion)) = (&skeleton, &outcome) {
            model.clone_from(&motion.skeleton.model);
        }
        for (own, clip) in motions(outcome) {
            match &skeleton {
                Some((first, other)) if first.len() != own.len() => {
                    return Err(LoadError::Animator {
                        path,
                        message: format!(
                            "plays on another skeleton than {}; one character has one",
                            other.display()
                        ),
                    });
                }
                Some(_) => {}
                None => skeleton = Some((own, path.clone())),
            }
            let meant = assigned.iter().filter(|it| it.means(&path, &clip));
            let states: Vec<&String> = meant.map(|it| &it.state).collect();
            left.retain(|it| !it.means(&path, &clip));
            match states.is_empty() {
                true => by_name.push(clip),
                false => by_state.extend(states.into_iter().map(|it| (it.clone(), clip.clone()))),
            }
        }
    }
    if let Some(Assignment {
        file,
        clip: Some(clip),
        ..
    }) = left.first()
    {
        let names: Vec<&str> = by_name
            .iter()
            .map(|it: &RawClip| it.name.as_str())
            .collect();
        return Err(LoadError::Animator {
            path: file.clone(),
            message: format!("there is no clip {clip:?}; there are {}", names.join(", ")),
        });
    }
    let Some((skeleton, _)) = skeleton else {
        return Err(LoadError::Animator {
            path: files[0].clone(),
            message: "there is no motion for a state to play".into(),
        });
    };
    let (set, left) = animator::fill_states(description, by_name, by_state).map_err(|error| {
        LoadError::Animator {
            path: files[0].clone(),
            message: error.to_string(),
        }
    })?;
    let unused = left.into_iter().map(|clip| clip.name).collect();
    Ok((skeleton, set, unused))
}

/// All clips of a file, each with its skeleton.
fn motions(loaded: Loaded) -> Vec<(Skeleton, RawClip)> {
    match loaded {
        Loaded::Skeleton(_) => Vec::new(),
        Loaded::Motion(file) => {
            let skeleton = file.skeleton.imported.skeleton.clone();
            vec![(skeleton, file.imported.clip)]
        }
        Loaded::Compressed(file) => {
            let clips = file.kin.clips.iter().map(|clip| {
                let skeleton = &file.kin.skeletons[clip.skeleton].skeleton;
                let raw = RawClip::sampled_from(&clip.name, skeleton, &clip.clip);
                (skeleton.clone(), raw)
            });
            clips.collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_assigned_by_name_and_not_by_folder() {
        let is = |text: &str| {
            let found = Assignment::of(Path::new(text))?;
            Some((found.state, found.file, found.clip))
        };
        let own = ("RUN".to_owned(), PathBuf::from("a/b=c.amc"), None);
        assert_eq!(is("RUN=a/b=c.amc"), Some(own));
        let one = ("RUN".into(), "r.glb".into(), Some("Running".to_owned()));
        assert_eq!(is("RUN=r.glb#Running"), Some(one));
        for path in ["run.amc", "a/RUN=b.amc", "=b.amc", "RUN="] {
            assert_eq!(is(path), None, "{path}");
        }
        let files = ["IDLE=r.glb#Idle", "RUN=r.glb#Running", "a.asf"].map(PathBuf::from);
        let alone = ["r.glb", "a.asf"].map(PathBuf::from);
        assert_eq!(without_states(&files), alone);
    }

    #[test]
    fn the_performer_is_cast_without_files() {
        let from = CastFiles {
            animator: None,
            files: &[],
            onto: None,
        };
        let cast = cast(from, LoadOptions::default()).unwrap();
        assert_eq!(cast.graph.skeleton.len(), 31);
        assert!(cast.unused.is_empty());
    }

    #[test]
    fn a_wrong_description_names_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.ron");
        std::fs::write(&path, "(\n  layers: [(nam: \"base\")],\n)").unwrap();
        let from = CastFiles {
            animator: Some(&path),
            files: &[],
            onto: None,
        };
        let error = cast(from, LoadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("mine.ron") && error.contains('2'), "{error}");
    }
}
