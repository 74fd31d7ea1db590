//! Files that the viewer writes: never over one that exists.

use std::path::{Path, PathBuf};

use super::{SessionError, compress_worker::CompressedResult, opened_clip::OpenedClip};
use crate::{
    codec::{
        CompressedClip,
        kin::{ClipOrigin, Kin, KinClip, KinSkeleton},
    },
    export::{ErrorCsvClip, error_csv},
    output,
};

/// Where pictures and exports go: the user's pictures, or the working folder.
#[must_use]
pub fn folder() -> PathBuf {
    let pictures = directories::UserDirs::new()
        .and_then(|dirs| dirs.picture_dir().map(Path::to_path_buf))
        .filter(|folder| folder.is_dir());
    pictures
        .or_else(|| std::env::current_dir().ok())
        .unwrap_or_else(|| PathBuf::from("."))
}

/// A name in `folder` that nobody has: `stem.ending`, `stem-2.ending`, …
#[must_use]
pub fn free_name(folder: &Path, stem: &str, ending: &str) -> PathBuf {
    // A clip's name may hold slashes or what a file system refuses.
    let safe: String = stem
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    let first = folder.join(format!("{safe}.{ending}"));
    let numbered = (2u32..).map(|number| folder.join(format!("{safe}-{number}.{ending}")));
    std::iter::once(first)
        .chain(numbered)
        .find(|path| !path.exists())
        .unwrap_or_else(|| folder.join(safe))
}

pub(super) fn stem_of(clip: &OpenedClip) -> &str {
    clip.name
        .rsplit_once('.')
        .map_or(&clip.name, |(stem, _)| stem)
}

pub(super) fn save(stem: &str, ending: &str, bytes: &[u8]) -> Result<PathBuf, SessionError> {
    let path = free_name(&folder(), stem, ending);
    output::write(&path, bytes)?;
    Ok(path)
}

/// The compressed clip with its skeleton.
pub fn kin(clip: &OpenedClip, compressed: &CompressedResult) -> Result<PathBuf, SessionError> {
    let origin = ClipOrigin {
        name: stem_of(clip).to_owned(),
        source: clip.name.clone(),
        fps_assumed: clip.fps_assumed(),
        animated: clip.raw().map_or(0, |raw| raw.animated.len()),
    };
    let skeleton = KinSkeleton {
        skeleton: (*clip.skeleton).clone(),
        source: clip.skeleton.name().to_owned(),
        length: clip.length(),
    };
    let (settings, max_cm) = (compressed.result.settings, compressed.result.errors.max_cm);
    let stored = CompressedClip::clone(&compressed.clip);
    let mut container = Kin::default();
    container.add_clip(skeleton, KinClip::new(origin, settings, stored, max_cm));
    save(stem_of(clip), "kin", &container.to_bytes())
}

/// Errors of every frame and joint in cm, as comma-separated values.
pub fn errors(clip: &OpenedClip, compressed: &CompressedResult) -> Result<PathBuf, SessionError> {
    let measured = ErrorCsvClip {
        path: &clip.name,
        codec: compressed.result.settings.codec_name(),
        skeleton: &clip.skeleton,
    };
    let text = error_csv([(measured, compressed.table.errors_m())]);
    save(&format!("{}-errors", stem_of(clip)), "csv", text.as_bytes())
}

/// A picture, rows from the top, four bytes a pixel.
pub fn picture(
    stem: &str,
    path: Option<PathBuf>,
    size: [u32; 2],
    rgba: &[u8],
) -> Result<PathBuf, SessionError> {
    let path = path.unwrap_or_else(|| free_name(&folder(), stem, "png"));
    output::write_png(&path, size, rgba)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_free_and_harmless() {
        let folder = tempfile::tempdir().unwrap();
        let first = free_name(folder.path(), "a/b c", "png");
        assert_eq!(first.file_name().unwrap(), "a_b_c.png");
        std::fs::write(&first, "x").unwrap();
        let second = free_name(folder.path(), "a/b c", "png");
        assert_eq!(second.file_name().unwrap(), "a_b_c-2.png");
    }
}
