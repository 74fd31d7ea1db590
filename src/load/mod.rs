//! Files: the one place that opens them for reading.
//!
//! Paths in, skeletons and motions out: folders are expanded, motions find
//! their skeleton, several files are read in parallel. A fault in one file
//! never touches another.

mod cast;
mod expand;
mod gltf;
mod onto;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;

use crate::{
    clip::TrackClip,
    codec::kin::{Kin, KinError, KinSkeleton, KinTracks},
    import::{
        self, ImportedBvh, ImportedMotion, ImportedSkeleton, MotionOptions, RateSource,
        SkeletonOptions,
        pairing::{self, Pairing},
    },
    mocap::{MocapError, Note, TextFacts, amc, asf, gltf::GltfError},
    model::Model,
};

pub use cast::{Cast, CastFiles, cast, names_states, without_states};
pub use expand::{Kind, expand};
pub use gltf::load_gltf;
pub use onto::{Onto, OntoFiles, PERFORMER, character, motions, performance, performer};

/// What the user may override, and how much to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoadOptions {
    /// For skeletons.
    pub skeleton: SkeletonOptions,
    /// For motions.
    pub motion: MotionOptions,
    /// Also report line ends, encoding and the like: one more pass.
    pub text_facts: bool,
}

/// Why a file did not load.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The system says no.
    #[error("{}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Its content is wrong.
    #[error(transparent)]
    Malformed(#[from] MocapError),
    /// A glTF file's content is wrong.
    #[error(transparent)]
    Gltf(#[from] GltfError),
    /// A container fails one of its checks.
    #[error("{}: {source}", path.display())]
    Container {
        /// Which file.
        path: PathBuf,
        /// Which check.
        source: KinError,
    },
    /// Neither name nor content tell what it is.
    #[error("{}: not a kind of file that can be read here (.asf, .amc, .bvh, .glb, .gltf, .kin)", path.display())]
    UnknownKind {
        /// Which file.
        path: PathBuf,
    },
    /// A motion without a skeleton.
    #[error("{}: no skeleton found for this motion: {cure}", path.display())]
    NoSkeleton {
        /// Which motion.
        path: PathBuf,
        /// What the user can do.
        cure: String,
    },
    /// A folder with nothing to read.
    #[error("{}: no motion capture in this folder (.asf, .amc, .bvh, .glb, .gltf, .kin)", path.display())]
    EmptyFolder {
        /// Which folder.
        path: PathBuf,
    },
    /// An animator's description, a script, or a clip that does not go with
    /// them.
    #[error("{}: {message}", path.display())]
    Animator {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A map that does not fit, or a motion that cannot be carried over.
    #[error("{}: {message}", path.display())]
    Retarget {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A motion whose skeleton failed; the skeleton's own error says why.
    #[error("{}: its skeleton {} did not load: {reason}", path.display(), skeleton.display())]
    BrokenSkeleton {
        /// Which motion.
        path: PathBuf,
        /// Which skeleton.
        skeleton: PathBuf,
        /// The skeleton's error.
        reason: String,
    },
}

/// A skeleton and the file it came from.
#[derive(Clone, Debug)]
pub struct SkeletonFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds.
    pub imported: ImportedSkeleton,
    /// The meshes that came with it; a body is grown where there are none.
    pub model: Option<Arc<Model>>,
}

impl SkeletonFile {
    /// A skeleton of a container.
    #[must_use]
    pub fn of_container(path: &Path, skeleton: &KinSkeleton) -> Self {
        Self {
            path: path.to_path_buf(),
            imported: ImportedSkeleton {
                skeleton: skeleton.skeleton.clone(),
                length: skeleton.length,
                angle: None,
                notes: Vec::new(),
            },
            model: None,
        }
    }
}

/// A motion, the file it came from and the skeleton it plays on.
#[derive(Clone, Debug)]
pub struct MotionFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds.
    pub imported: ImportedMotion,
    /// What it plays on.
    pub skeleton: Arc<SkeletonFile>,
    /// How that was found.
    pub pairing: Pairing,
    /// The same motion as keys at times of their own, where its file has it so.
    pub tracks: Option<Arc<TrackClip>>,
}

impl MotionFile {
    /// The path, and which motion of it where a file may hold several.
    #[must_use]
    pub fn label(&self) -> String {
        let path = self.path.display();
        match self.tracks {
            Some(_) => format!("{path}#{}", self.imported.clip.name),
            None => path.to_string(),
        }
    }
}

/// A container of skeletons and compressed clips.
#[derive(Clone, Debug)]
pub struct KinFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds.
    pub kin: Kin,
}

impl KinFile {
    /// The container itself, and its clips of tracks as motions.
    fn into_loaded(mut self: Box<Self>, options: MotionOptions) -> Vec<Loaded> {
        let tracks = std::mem::take(&mut self.kin.tracks);
        let free_values = KIN_FREE_VALUES / tracks.len().max(1) as f64;
        let motion = |mut tracks: KinTracks| {
            let on = &self.kin.skeletons[tracks.skeleton];
            let skeleton = SkeletonFile::of_container(&self.path, on);
            let wanted = options.fps.unwrap_or(tracks.clip.fps);
            let fps = tracks.clip.bearable_rate(wanted, free_values);
            tracks.clip.fps = fps;
            Loaded::Motion(Box::new(MotionFile {
                path: self.path.clone(),
                imported: ImportedMotion {
                    clip: tracks.clip.resample(&on.skeleton, fps),
                    rate: match (options.fps, tracks.fps_assumed) {
                        (Some(_), _) => RateSource::Given,
                        (None, true) => RateSource::Assumed,
                        (None, false) => RateSource::Header,
                    },
                    source_asf: None,
                    notes: Vec::new(),
                },
                skeleton: Arc::new(skeleton),
                pairing: Pairing::SameFile,
                tracks: Some(Arc::new(tracks.clip)),
            }))
        };
        let motions: Vec<Loaded> = tracks.into_iter().map(motion).collect();
        let own = motions.is_empty() || !self.kin.clips.is_empty();
        let own = own.then_some(Loaded::Compressed(self));
        own.into_iter().chain(motions).collect()
    }
}

/// Numbers that the frames of a container's track clips may have beyond what
/// their keys warrant.
const KIN_FREE_VALUES: f64 = 4e6;

/// Anything that can be loaded.
#[derive(Clone, Debug)]
pub enum Loaded {
    /// A skeleton of its own.
    Skeleton(Arc<SkeletonFile>),
    /// A motion on a skeleton.
    Motion(Box<MotionFile>),
    /// Clips with their skeletons.
    Compressed(Box<KinFile>),
}

impl Loaded {
    /// What a motion is called; `None` for anything else.
    #[must_use]
    pub fn into_clip_name(self) -> Option<String> {
        match self {
            Self::Motion(motion) => Some(motion.imported.clip.name),
            Self::Skeleton(_) | Self::Compressed(_) => None,
        }
    }
}

/// The outcome for one path; a file of several motions has several.
pub type Outcome = (PathBuf, Result<Loaded, LoadError>);

/// Reads a file whole.
pub fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    let path_buf = || path.to_path_buf();
    fs::read(path).map_err(|source| LoadError::Read {
        path: path_buf(),
        source,
    })
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Loads files and folders, in the order given, folders in order of name.
#[must_use]
pub fn load(paths: &[PathBuf], options: LoadOptions) -> Vec<Outcome> {
    let (files, failed) = expand(paths);
    let given: Vec<PathBuf> = paths
        .iter()
        .filter(|path| {
            files
                .iter()
                .any(|(file, kind)| file == *path && *kind == Kind::Skeleton)
        })
        .cloned()
        .collect();
    let motions: Vec<Paired> = files
        .par_iter()
        .filter(|(_, kind)| *kind == Kind::Motion)
        .map(|(path, _)| pair(path, &given))
        .collect();
    let skeletons = load_skeletons(&files, &motions, options);

    let mut motions = motions.into_iter();
    let jobs: Vec<(PathBuf, Kind, Option<Paired>)> = files
        .into_iter()
        .map(|(path, kind)| {
            let paired = (kind == Kind::Motion).then(|| motions.next()).flatten();
            (path, kind, paired)
        })
        .collect();
    let mut outcomes: Vec<Outcome> = jobs
        .into_par_iter()
        .flat_map_iter(|(path, kind, paired)| {
            let loaded = match (kind, paired) {
                (Kind::Gltf, _) => match load_gltf(&path, options) {
                    Ok(all) => return all.into_iter().map(|it| (path.clone(), Ok(it))).collect(),
                    Err(error) => Err(error),
                },
                (Kind::Compressed, _) => match load_kin(&path) {
                    Ok(file) => {
                        let all = file.into_loaded(options.motion);
                        return all.into_iter().map(|it| (path.clone(), Ok(it))).collect();
                    }
                    Err(error) => Err(error),
                },
                (Kind::Bvh, _) => load_bvh(&path, options),
                (_, None) => skeleton_outcome(&path, &skeletons),
                (_, Some(paired)) => load_motion(paired, &skeletons, options),
            };
            vec![(path, loaded)]
        })
        .collect();
    outcomes.extend(failed.into_iter().map(|(path, error)| (path, Err(error))));
    outcomes
}

type Skeletons = BTreeMap<PathBuf, Result<Arc<SkeletonFile>, LoadError>>;

fn load_skeletons(
    files: &[(PathBuf, Kind)],
    motions: &[Paired],
    options: LoadOptions,
) -> Skeletons {
    let own = files
        .iter()
        .filter(|(_, kind)| *kind == Kind::Skeleton)
        .map(|(path, _)| path);
    let found = motions
        .iter()
        .filter_map(|motion| Some(&motion.skeleton.as_ref().ok()?.0));
    let mut paths: Vec<&PathBuf> = own.chain(found).collect();
    paths.sort();
    paths.dedup();
    let load = |path: &PathBuf| (path.clone(), load_skeleton(path, options).map(Arc::new));
    paths
        .into_par_iter()
        .map(load)
        .collect::<Vec<_>>()
        .into_iter()
        .collect()
}

/// Loads one container.
pub fn load_kin(path: &Path) -> Result<Box<KinFile>, LoadError> {
    let path_buf = path.to_path_buf();
    let kin = Kin::from_bytes(read(path)?).map_err(|source| LoadError::Container {
        path: path_buf.clone(),
        source,
    })?;
    Ok(Box::new(KinFile {
        path: path_buf,
        kin,
    }))
}

/// Loads one BVH file: a motion with its skeleton, or a skeleton alone where
/// it holds no frame.
pub fn load_bvh(path: &Path, options: LoadOptions) -> Result<Loaded, LoadError> {
    let bytes = read(path)?;
    let file = path.display().to_string();
    let ImportedBvh {
        mut skeleton,
        motion,
    } = import::bvh(&file, &stem(path), &bytes, options.skeleton, options.motion)?;
    let facts = match options.text_facts {
        true => TextFacts::of(&bytes).notes(),
        false => Vec::new(),
    };
    skeleton.notes.extend(facts.iter().cloned());
    let path = path.to_path_buf();
    let skeleton = Arc::new(SkeletonFile {
        path: path.clone(),
        imported: skeleton,
        model: None,
    });
    let Some(mut imported) = motion else {
        return Ok(Loaded::Skeleton(skeleton));
    };
    imported.notes.extend(facts);
    Ok(Loaded::Motion(Box::new(MotionFile {
        path,
        imported,
        skeleton,
        pairing: Pairing::SameFile,
        tracks: None,
    })))
}

/// Loads one skeleton.
pub fn load_skeleton(path: &Path, options: LoadOptions) -> Result<SkeletonFile, LoadError> {
    let bytes = read(path)?;
    let file = path.display().to_string();
    let document = asf::parse(&file, &bytes)?;
    let mut imported = import::skeleton(&file, &stem(path), document, options.skeleton)?;
    if options.text_facts {
        imported.notes.extend(TextFacts::of(&bytes).notes());
    }
    Ok(SkeletonFile {
        path: path.to_path_buf(),
        imported,
        model: None,
    })
}

fn skeleton_outcome(path: &Path, skeletons: &Skeletons) -> Result<Loaded, LoadError> {
    match skeletons.get(path) {
        Some(Ok(skeleton)) => Ok(Loaded::Skeleton(Arc::clone(skeleton))),
        Some(Err(error)) => Err(error.again()),
        None => Err(LoadError::UnknownKind {
            path: path.to_path_buf(),
        }),
    }
}

/// A motion's bytes and the skeleton chosen for it.
struct Paired {
    path: PathBuf,
    bytes: Result<Vec<u8>, LoadError>,
    skeleton: Result<(PathBuf, Pairing), LoadError>,
}

/// Applies the pairing rules: skeletons on the command line first, then those
/// beside the motion.
fn pair(path: &Path, given: &[PathBuf]) -> Paired {
    let bytes = read(path);
    let text = bytes.as_deref().unwrap_or_default();
    let asf_file = amc::open("", text)
        .ok()
        .and_then(|(header, _)| header.asf_file);
    let skeleton = choose_skeleton(path, asf_file.as_deref(), given);
    let path = path.to_path_buf();
    Paired {
        path,
        bytes,
        skeleton,
    }
}

fn choose_skeleton(
    path: &Path,
    asf_file: Option<&str>,
    given: &[PathBuf],
) -> Result<(PathBuf, Pairing), LoadError> {
    if let [only] = given {
        return Ok((only.clone(), Pairing::Given));
    }
    if let Some((skeleton, pairing)) = pairing::choose(path, asf_file, given) {
        return Ok((skeleton.to_path_buf(), pairing));
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let beside = expand::skeletons_in(folder.unwrap_or(Path::new(".")));
    if let Some((skeleton, pairing)) = pairing::choose(path, asf_file, &beside) {
        return Ok((skeleton.to_path_buf(), pairing));
    }
    let cure = match beside.len() + given.len() {
        0 => "give its .asf file too, or put it in the same folder".to_owned(),
        count => format!("{count} skeletons come into question; give the right .asf file"),
    };
    let path = path.to_path_buf();
    Err(LoadError::NoSkeleton { path, cure })
}

fn load_motion(
    paired: Paired,
    skeletons: &Skeletons,
    options: LoadOptions,
) -> Result<Loaded, LoadError> {
    let Paired {
        path,
        bytes,
        skeleton,
    } = paired;
    let bytes = bytes?;
    let file = path.display().to_string();
    // An empty or foreign file says so before anyone asks for a skeleton.
    amc::open(&file, &bytes)?;
    let (skeleton_path, pairing) = skeleton?;
    let skeleton = match skeletons.get(&skeleton_path) {
        Some(Ok(skeleton)) => Arc::clone(skeleton),
        Some(Err(error)) => {
            let (skeleton, reason) = (skeleton_path, error.to_string());
            return Err(LoadError::BrokenSkeleton {
                path,
                skeleton,
                reason,
            });
        }
        None => {
            return Err(LoadError::UnknownKind {
                path: skeleton_path,
            });
        }
    };
    let mut imported = import::motion(
        &file,
        &stem(&path),
        &bytes,
        &skeleton.imported,
        options.motion,
    )?;
    note_foreign_skeleton(&mut imported, &skeleton.path);
    if options.text_facts {
        imported.notes.extend(TextFacts::of(&bytes).notes());
    }
    Ok(Loaded::Motion(Box::new(MotionFile {
        path,
        imported,
        skeleton,
        pairing,
        tracks: None,
    })))
}

/// A clip captured on one subject may be played on another; it is said.
fn note_foreign_skeleton(imported: &mut ImportedMotion, skeleton: &Path) {
    let Some(source) = &imported.source_asf else {
        return;
    };
    let source = source
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(source)
        .to_owned();
    if !stem(Path::new(&source)).eq_ignore_ascii_case(&stem(skeleton)) {
        let skeleton = skeleton.file_name().unwrap_or_default().to_string_lossy();
        let message = format!("captured with {source}, played on {skeleton}");
        imported.notes.push(Note::info(message).at_line(1));
    }
}

impl LoadError {
    /// The same message once more: a skeleton's error is told for the skeleton
    /// and for nothing else, but the map that holds it is shared.
    fn again(&self) -> Self {
        match self {
            Self::Malformed(error) => Self::Malformed(error.clone()),
            Self::Gltf(error) => Self::Gltf(error.clone()),
            Self::Read { path, source } => Self::Read {
                path: path.clone(),
                source: std::io::Error::new(source.kind(), source.to_string()),
            },
            Self::UnknownKind { path }
            | Self::Container { path, .. }
            | Self::NoSkeleton { path, .. }
            | Self::EmptyFolder { path }
            | Self::Animator { path, .. }
            | Self::Retarget { path, .. }
            | Self::BrokenSkeleton { path, .. } => Self::UnknownKind { path: path.clone() },
        }
    }
}
