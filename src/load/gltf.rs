//! glTF files with the files they name.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Kind, LoadError, LoadOptions, Loaded, LoadedMotion, LoadedSkeleton, read, stem};
use crate::{
    import::{self, ImportedModel},
    mocap::gltf,
};

/// Loads one glTF file: a motion for each of its animations, all of one
/// skeleton and model; the skeleton alone where it has none.
pub fn load_gltf(path: &Path, options: LoadOptions) -> Result<Vec<Loaded>, LoadError> {
    let bytes = read(path)?;
    let file = path.display().to_string();
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let document = gltf::parse(&file, &bytes)?.resolve(|uri, most| beside(folder, uri, most))?;
    // Meshes and pictures can be large: what has been taken over is not kept
    // twice.
    drop(bytes);
    let ImportedModel {
        mut skeleton,
        mut model,
        clips,
    } = import::gltf(&stem(path), &document, options.skeleton, options.motion)?;
    drop(document);
    if let Some(model) = &mut model {
        skeleton.notes.extend(pictures::decode(model));
    }
    let skeleton = Arc::new(LoadedSkeleton {
        path: path.to_path_buf(),
        imported: skeleton,
        model: model.map(Arc::new),
    });
    if clips.is_empty() {
        return Ok(vec![Loaded::Skeleton(skeleton)]);
    }
    let motion = |clip: import::ImportedClip| {
        let on = Arc::clone(&skeleton);
        let mut motion =
            LoadedMotion::of_keys(path.to_path_buf(), clip.tracks, on, clip.motion.rate);
        motion.notes = clip.motion.notes;
        motion.events = clip.events;
        Loaded::Motion(Box::new(motion))
    };
    Ok(clips.into_iter().map(motion).collect())
}

/// Names of the clips that a file may hold several of, `.glb`, `.gltf` or `.kin`,
/// without reading its numbers; empty for any other, and for one that cannot be
/// read, which says why when it is shown.
#[must_use]
pub fn clip_names(path: &Path) -> Vec<String> {
    let read_all = || -> Option<Vec<String>> {
        match Kind::of_name(path)? {
            Kind::Gltf => Some(
                gltf::parse("", &read(path).ok()?)
                    .ok()?
                    .clip_names(&stem(path)),
            ),
            Kind::Compressed => {
                let loaded = super::load_kin(path, LoadOptions::default()).ok()?;
                let motions = loaded.into_iter().filter_map(Loaded::into_motion);
                Some(motions.map(|it| it.name).collect())
            }
            Kind::Skeleton | Kind::Motion | Kind::Bvh => None,
        }
    };
    read_all().unwrap_or_default()
}

/// The files that a glTF file names; none of a file that cannot be read.
#[must_use]
pub fn files_named_by(path: &Path) -> Vec<PathBuf> {
    if Kind::of_name(path) != Some(Kind::Gltf) {
        return Vec::new();
    }
    let bytes = read(path).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let parsed = gltf::parse("", &bytes).ok();
    let files = parsed.map(|it| it.files()).unwrap_or_default();
    files.iter().map(|file| folder.join(file)).collect()
}

/// A file inside the folder of the glTF file that names it, up to a number of
/// bytes.
fn beside(folder: &Path, uri: &str, most: u64) -> Result<Vec<u8>, String> {
    let path: PathBuf = folder.join(uri);
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    // Where it really is: a link inside the folder may lead out of it.
    let real = path.canonicalize().map_err(told)?;
    if !real.starts_with(folder.canonicalize().map_err(told)?) {
        return Err(gltf::OUTSIDE.to_owned());
    }
    // Anything but a plain file might never end.
    if !fs::metadata(&real).map_err(told)?.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(&real).map_err(told)?;
    file.take(most).read_to_end(&mut bytes).map_err(told)?;
    Ok(bytes)
}

#[cfg(feature = "viewer")]
mod pictures;

#[cfg(not(feature = "viewer"))]
mod pictures {
    //! Without a viewer pictures stay as they are in the file.

    use crate::{mesh::CharacterMesh, mocap::Note};

    pub fn decode(_: &mut CharacterMesh) -> Vec<Note> {
        Vec::new()
    }
}
