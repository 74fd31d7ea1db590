//! Files that the viewer writes: never over one that exists.

use std::path::{Path, PathBuf};

use super::{compress_worker::CompressedResult, settings::write_atomically, take::Take};
use crate::{
    codec::kin::{ClipOrigin, Kin, KinClip, KinSkeleton},
    export::{ErrorCsvClip, error_csv},
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

fn stem_of(take: &Take) -> &str {
    take.name
        .rsplit_once('.')
        .map_or(&take.name, |(stem, _)| stem)
}

pub(super) fn save(stem: &str, ending: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    let path = free_name(&folder(), stem, ending);
    write_atomically(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// The compressed clip with its skeleton.
pub fn kin(take: &Take, compressed: &CompressedResult) -> Result<PathBuf, String> {
    let origin = ClipOrigin {
        name: stem_of(take).to_owned(),
        source: take.name.clone(),
        fps_assumed: take.fps_assumed,
        animated: take.clip.as_ref().map_or(0, |clip| clip.animated.len()),
    };
    let skeleton = KinSkeleton {
        skeleton: (*take.skeleton).clone(),
        source: take.skeleton.name().to_owned(),
        length: take.length,
    };
    let (settings, max_cm) = (compressed.result.settings, compressed.result.errors.max_cm);
    let clip = KinClip::new(origin, settings, compressed.clip.clone(), max_cm);
    let mut container = Kin::default();
    container.add_clip(skeleton, clip);
    save(stem_of(take), "kin", &container.to_bytes())
}

/// Errors of every frame and joint in cm, as comma-separated values.
pub fn errors(take: &Take, compressed: &CompressedResult) -> Result<PathBuf, String> {
    let clip = ErrorCsvClip {
        path: &take.name,
        codec: compressed.result.settings.codec_name(),
        skeleton: &take.skeleton,
    };
    let text = error_csv([(clip, compressed.table.errors_m())]);
    save(&format!("{}-errors", stem_of(take)), "csv", text.as_bytes())
}

/// A picture, rows from the top, four bytes a pixel.
pub fn picture(stem: &str, size: [u32; 2], rgba: Vec<u8>) -> Result<PathBuf, String> {
    save(stem, "png", &png(size, rgba)?)
}

/// The bytes of a PNG file.
pub fn png(size: [u32; 2], rgba: Vec<u8>) -> Result<Vec<u8>, String> {
    let image = image::RgbaImage::from_raw(size[0], size[1], rgba).ok_or("the picture is torn")?;
    let mut bytes = std::io::Cursor::new(Vec::new());
    image
        .write_to(&mut bytes, image::ImageFormat::Png)
        .map_err(|error| error.to_string())?;
    Ok(bytes.into_inner())
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
