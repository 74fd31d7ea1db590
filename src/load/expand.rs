//! From what the user named to a list of files and their kinds.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use super::{LoadError, plain_file, without_range};
use crate::{codec::kin, mocap::gltf};

/// Kinds of file that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.asf`
    Skeleton,
    /// `.amc`
    Motion,
    /// `.bvh`
    Bvh,
    /// `.glb` and `.gltf`
    Gltf,
    /// `.kin`
    Compressed,
}

impl Kind {
    /// By the ending of the name.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "asf" => Some(Self::Skeleton),
            "amc" => Some(Self::Motion),
            "bvh" => Some(Self::Bvh),
            "glb" | "gltf" => Some(Self::Gltf),
            "kin" => Some(Self::Compressed),
            _ => None,
        }
    }

    /// By the first keywords of the content.
    fn of_content(path: &Path) -> Option<Self> {
        let mut head = Vec::new();
        let file = fs::File::open(path).ok()?;
        // Room for the comments that may come before the first keyword; a
        // capture of any size is not read twice.
        file.take(16 * 1024).read_to_end(&mut head).ok()?;
        if head.starts_with(&kin::MAGIC) {
            return Some(Self::Compressed);
        }
        if gltf::is_binary(&head) {
            return Some(Self::Gltf);
        }
        let head = head.to_ascii_lowercase();
        if head.trim_ascii_start().starts_with(b"hierarchy") {
            return Some(Self::Bvh);
        }
        let has = |keyword: &[u8]| head.windows(keyword.len()).any(|window| window == keyword);
        if has(b":bonedata") || has(b":hierarchy") {
            Some(Self::Skeleton)
        } else if has(b":fully-specified") || has(b":degrees") || has(b":radians") {
            Some(Self::Motion)
        } else {
            None
        }
    }
}

/// Files that can be read, with their kinds.
pub type Files = Vec<(PathBuf, Kind)>;

/// Paths that cannot, with the reason.
pub type Failed = Vec<(PathBuf, LoadError)>;

/// Folders become the files in and below them, in order of name; files are
/// taken as they are. What cannot be read comes back with its reason.
#[must_use]
pub fn expand(paths: &[PathBuf]) -> (Files, Failed) {
    let mut files = Vec::new();
    let mut failed = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = (files.len(), failed.len());
            walk(path, &mut files, &mut failed);
            if (files.len(), failed.len()) == before {
                failed.push((path.clone(), LoadError::EmptyFolder { path: path.clone() }));
            }
        } else {
            match ranged_kind(path) {
                Ok(kind) => files.push((path.clone(), kind)),
                Err(error) => failed.push((path.clone(), error)),
            }
        }
    }
    (files, failed)
}

fn ranged_kind(path: &Path) -> Result<Kind, LoadError> {
    let file = without_range(path);
    if file.is_dir() {
        return Err(LoadError::NoSuchRange {
            path: path.to_path_buf(),
            message: "a folder has no frames of its own: name a motion in it".to_owned(),
        });
    }
    file_kind(&file)
}

fn file_kind(path: &Path) -> Result<Kind, LoadError> {
    // A file that is not there, or is no file, shall be told as such, not as
    // one of an unknown kind.
    plain_file::metadata(path)?;
    Kind::of_name(path)
        .or_else(|| Kind::of_content(path))
        .ok_or_else(|| LoadError::UnknownKind {
            path: path.to_path_buf(),
        })
}

fn walk(folder: &Path, files: &mut Files, failed: &mut Failed) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(source) => {
            let error = LoadError::unreadable(folder, source);
            failed.push((folder.to_path_buf(), error));
            return;
        }
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        // A link to a folder may lead in a circle.
        if path.is_dir() && !path.is_symlink() {
            walk(&path, files, failed);
        // By name alone: in a folder of thousands no file is opened just to see
        // what it is.
        } else if let Some(kind) = Kind::of_name(&path) {
            files.push((path, kind));
        }
    }
}

/// The skeletons directly in a folder, in order of name.
pub(super) fn skeletons_in(folder: &Path) -> Vec<PathBuf> {
    // A folder that cannot be listed offers no skeleton; the motion then says
    // that it lacks one.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| Kind::of_name(path) == Some(Kind::Skeleton))
        .collect();
    paths.sort();
    paths
}
