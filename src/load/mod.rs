//! Files: the one place that opens them for reading.
//!
//! Paths in, skeletons and motions out: folders are expanded, motions find
//! their skeleton, several files are read in parallel. A fault in one file
//! never touches another.

mod cast;
mod clip_memory;
mod driven;
mod error;
mod expand;
mod filled;
mod given;
mod gltf;
mod motion;
mod performer;
mod plain_file;
mod pose_files;
mod range;
mod reach;
mod retargeter;
mod skeletons;
mod ways_up;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;

use crate::{
    codec::kin::Kin,
    import::{
        self, ImportedBvh, ImportedMotion, MotionOptions, SkeletonOptions,
        pairing::{self, Pairing},
    },
    mocap::{Note, TextFacts, amc, asf},
};

pub use cast::{beside, bind_last, join_cast, playing};
pub use clip_memory::ClipMemory;
pub use driven::{
    CharacterFiles, DrivenCharacter, is_animator, motion_of_scene, names_states, recorded_motion,
    without_states,
};
pub use error::LoadError;
pub use expand::{Kind, expand};
pub use gltf::{clip_names, files_named_by, load_gltf};
pub use motion::{ClipData, Loaded, LoadedMotion, LoadedSkeleton};
pub use performer::{PERFORMER, performer, performer_clip, performer_clips};
pub use plain_file::{read, read_text};
pub use pose_files::PoseFile;
pub use range::{MotionRange, split_range, without_range};
pub use retargeter::{RetargetFiles, Retargeter, carried_face, character, face_map};
use skeletons::GivenSkeletons;
pub use skeletons::{best_skeleton, skeletons_for};
pub use ways_up::ways_up;

/// What the user may override, and how much to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoadOptions {
    /// For skeletons.
    pub skeleton: SkeletonOptions,
    /// For motions.
    pub motion: MotionOptions,
    /// Hold the fingers at rest.
    pub ignore_fingers: bool,
    /// Also report line ends, encoding and the like: one more pass.
    pub text_facts: bool,
    /// Where the rules of pairing leave it open, take the skeleton that fits
    /// best ([`Pairing::BestFit`]) instead of asking.
    pub guess_skeleton: bool,
}

/// The outcome for one path; a file of several motions has several.
pub type LoadOutcome = (PathBuf, Result<Loaded, LoadError>);

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Loads files and folders, in the order given, folders in order of name.
#[must_use]
pub fn load(paths: &[PathBuf], options: LoadOptions) -> Vec<LoadOutcome> {
    load_within(paths, paths, options)
}

/// The same for some of the files that were `named`, be it by their folders:
/// motions find their skeletons in those.
#[must_use]
pub fn load_within(paths: &[PathBuf], named: &[PathBuf], options: LoadOptions) -> Vec<LoadOutcome> {
    let (files, failed) = expand(paths);
    // Skeletons that the user named count for every motion; those met in a
    // folder only for their neighbours.
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
        .map(|(path, _)| {
            let given = GivenSkeletons::to(path, paths, &given);
            pair(&without_range(path), named, &given, options)
        })
        .collect();
    let skeletons = load_skeletons(&files, &motions, options);

    let mut motions = motions.into_iter();
    let jobs: Vec<(PathBuf, Kind, Option<Paired>)> = files
        .into_iter()
        .map(|(path, kind)| {
            // Both lists are in the order of the files, so the next pairing is
            // this file's.
            let paired = (kind == Kind::Motion).then(|| motions.next()).flatten();
            (path, kind, paired)
        })
        .collect();
    // Read in parallel, but told in the order given: collecting keeps it.
    let mut outcomes: Vec<LoadOutcome> = jobs
        .into_par_iter()
        .flat_map_iter(|(path, kind, paired)| {
            let (path, range) = match split_range(&path) {
                Some((file, range)) => (file, Some((path, range))),
                None => (path, None),
            };
            let loaded = match (kind, paired) {
                (Kind::Gltf, _) => load_gltf(&path, options),
                (Kind::Compressed, _) => load_kin(&path, options),
                (Kind::Bvh, _) => load_bvh(&path, options).map(|it| vec![it]),
                (_, None) => skeleton_outcome(&path, &skeletons).map(|it| vec![it]),
                (_, Some(paired)) => load_motion(paired, &skeletons, options).map(|it| vec![it]),
            };
            match loaded {
                Ok(all) => {
                    let cut = |it| match &range {
                        Some((named, range)) => range::cut(named, *range, it),
                        None => Ok(it),
                    };
                    let checked = |it| (path.clone(), reach::check(&path, it).and_then(cut));
                    let all = all.into_iter().map(|it| it.with_options(options));
                    all.map(checked).collect()
                }
                Err(error) => vec![(path, Err(error))],
            }
        })
        .collect();
    outcomes.extend(failed.into_iter().map(|(path, error)| (path, Err(error))));
    outcomes
}

type Skeletons = BTreeMap<PathBuf, Result<Arc<LoadedSkeleton>, LoadError>>;

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
    // Dozens of motions may share one skeleton.
    paths.dedup();
    let load = |path: &PathBuf| (path.clone(), load_skeleton(path, options).map(Arc::new));
    paths
        .into_par_iter()
        .map(load)
        .collect::<Vec<_>>()
        .into_iter()
        .collect()
}

/// Loads one container: its clips, or its skeletons where it has none.
pub fn load_kin(path: &Path, options: LoadOptions) -> Result<Vec<Loaded>, LoadError> {
    let kin = Kin::from_bytes(read(path)?).map_err(|source| LoadError::Container {
        path: path.to_path_buf(),
        source,
    })?;
    Ok(motion::of_container(path, kin, options.motion))
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
    let skeleton = Arc::new(LoadedSkeleton {
        path: path.clone(),
        imported: skeleton,
        model: None,
    });
    let Some(mut imported) = motion else {
        return Ok(Loaded::Skeleton(skeleton));
    };
    imported.notes.extend(facts);
    let motion = LoadedMotion::of_frames(path, imported, skeleton, Pairing::SameFile);
    Ok(Loaded::Motion(Box::new(motion)))
}

/// Loads one skeleton.
pub fn load_skeleton(path: &Path, options: LoadOptions) -> Result<LoadedSkeleton, LoadError> {
    let bytes = read(path)?;
    let file = path.display().to_string();
    let document = asf::parse(&file, &bytes)?;
    let mut imported = import::skeleton(&file, &stem(path), &document, options.skeleton)?;
    if options.text_facts {
        imported.notes.extend(TextFacts::of(&bytes).notes());
    }
    Ok(LoadedSkeleton {
        path: path.to_path_buf(),
        imported,
        model: None,
    })
}

fn skeleton_outcome(path: &Path, skeletons: &Skeletons) -> Result<Loaded, LoadError> {
    match skeletons.get(path) {
        Some(Ok(skeleton)) => Ok(Loaded::Skeleton(Arc::clone(skeleton))),
        Some(Err(error)) => Err(error.clone()),
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

/// The folder that was named for a file to be found in.
fn folder_of<'a>(path: &Path, named: &'a [PathBuf]) -> Option<&'a Path> {
    let mut folders = named
        .iter()
        .filter(|it| path.starts_with(it) && *it != path);
    folders.next().map(PathBuf::as_path)
}

/// Applies the pairing rules: skeletons on the command line first, then those
/// beside the motion, then those in the folders above.
fn pair(path: &Path, named: &[PathBuf], given: &GivenSkeletons, options: LoadOptions) -> Paired {
    let bytes = read(path);
    let text = bytes.as_deref().unwrap_or_default();
    // A motion that cannot be opened names no skeleton here and says why in
    // `load_motion`.
    let asf_file = amc::open("", text)
        .ok()
        .and_then(|(header, _)| header.asf_file);
    let mut skeleton = choose_skeleton(path, asf_file.as_deref(), folder_of(path, named), given);
    if options.guess_skeleton && matches!(skeleton, Err(LoadError::NoSkeleton { .. })) {
        let known = skeletons_for(path, named);
        let best = best_skeleton(path, &known, options);
        skeleton = best.map_or(skeleton, |best| Ok((best, Pairing::BestFit)));
    }
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
    named: Option<&Path>,
    given: &GivenSkeletons,
) -> Result<(PathBuf, Pairing), LoadError> {
    // A single skeleton is meant for every motion, whatever it is called.
    if let [only] = given.all.as_slice() {
        return Ok((only.clone(), Pairing::Given));
    }
    if let Some((skeleton, pairing)) = pairing::choose(path, asf_file, &given.all) {
        return Ok((skeleton.to_path_buf(), pairing));
    }
    if let Some(skeleton) = &given.before {
        return Ok((skeleton.clone(), Pairing::Given));
    }
    let mut seen = given.all.len();
    for (folder, inside) in folders_above(path, named) {
        let candidates = expand::skeletons_in(&folder);
        // What a motion says leads to no file outside the folder it is in.
        let asf_file = asf_file.filter(|_| inside);
        let chosen = pairing::choose(path, asf_file, &candidates);
        // Where others are nearer, being the only one says nothing.
        let chosen = chosen.filter(|it| it.1 != Pairing::OnlyOne || seen == 0);
        if let Some((skeleton, pairing)) = chosen {
            return Ok((skeleton.to_path_buf(), pairing));
        }
        let is_new = |it: &&PathBuf| !given.all.iter().any(|other| is_same_file(it, other));
        seen += candidates.iter().filter(is_new).count();
    }
    let cure = match seen {
        0 => "give its .asf file too, or put it in the same folder".to_owned(),
        count => format!("{count} skeletons come into question; give the right .asf file"),
    };
    let path = path.to_path_buf();
    Err(LoadError::NoSkeleton { path, cure })
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    let [a, b] = [a, b].map(|path| path.canonicalize().ok());
    a.is_some() && a == b
}

/// The folder of a motion; where a folder was named, those between and the one
/// above it, too. And whether each is still inside what was named.
fn folders_above(path: &Path, named: Option<&Path>) -> Vec<(PathBuf, bool)> {
    let own = path.parent().filter(|it| !it.as_os_str().is_empty());
    let own = own.unwrap_or(Path::new("."));
    let Some(named) = named else {
        return vec![(own.to_path_buf(), true)];
    };
    let inside = own.ancestors().take_while(|it| it.starts_with(named));
    let mut folders: Vec<_> = inside.map(|it| (it.to_path_buf(), true)).collect();
    // Where links lead is what `..` means, and a name like `.` has no parent.
    let above = named.canonicalize().ok();
    let above = above.as_deref().and_then(Path::parent);
    folders.extend(above.map(|it| (it.to_path_buf(), false)));
    folders
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
    let motion = LoadedMotion::of_frames(path, imported, skeleton, pairing);
    Ok(Loaded::Motion(Box::new(motion)))
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
