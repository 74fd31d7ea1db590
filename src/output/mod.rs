//! Files that are written: whole or not at all.
//!
//! Everything goes under another name first and is renamed when it is complete,
//! so that a reader never sees half a file and a failure leaves the old one
//! alone. Files that belong together are [`Staged`]: all of them are complete
//! before the first is renamed.

mod lock;
mod names;
mod part;
#[cfg(feature = "viewer")]
mod picture;
mod stamp;
#[cfg(feature = "viewer")]
mod tick;
#[cfg(feature = "viewer")]
mod video;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

pub use lock::lock;
pub use names::safe_stem;
pub use part::{PartFile, clean_up_on_signals, remove_parts};
#[cfg(feature = "viewer")]
pub use picture::{GifWriter, png_bytes, write_png};
pub use stamp::Stamp;
#[cfg(feature = "viewer")]
pub use tick::TickPlayer;
#[cfg(feature = "viewer")]
pub use video::{VideoEncoder, VideoFormat, VideoWriter};

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
#[error("writing {}: {source}", path.display())]
pub struct OutputError {
    /// Which file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

impl OutputError {
    fn of(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self { path, source }
    }
}

/// Writes a whole file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    complete(path, bytes, None)?.commit()
}

fn complete(path: &Path, bytes: &[u8], stamp: Option<Stamp>) -> Result<PartFile, OutputError> {
    let mut part = PartFile::create(path)?;
    part.stamp = stamp;
    let written = part.write_all(bytes);
    written.map_err(OutputError::of(path))?;
    part.complete()?;
    Ok(part)
}

/// Files that are complete and take their places together, once everything
/// that was asked for has succeeded.
#[derive(Debug, Default)]
pub struct Staged {
    parts: Vec<PartFile>,
}

impl Staged {
    /// Adds a file.
    pub fn add(&mut self, path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
        self.parts.push(complete(path, bytes, None)?);
        Ok(())
    }

    /// Adds a file that says what it was made from.
    pub fn add_stamped(
        &mut self,
        path: &Path,
        bytes: &[u8],
        stamp: Stamp,
    ) -> Result<(), OutputError> {
        self.parts.push(complete(path, bytes, Some(stamp))?);
        Ok(())
    }

    /// Adds one that was written piece by piece.
    pub fn add_part(&mut self, mut part: PartFile) -> Result<(), OutputError> {
        part.complete()?;
        self.parts.push(part);
        Ok(())
    }

    /// Puts all of them in their places.
    pub fn commit(self) -> Result<(), OutputError> {
        self.parts.into_iter().try_for_each(PartFile::commit)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |it: io::Result<fs::DirEntry>| it.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.kin");
        write(&path, b"old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["a.kin"]);
        let missing = write(&folder.path().join("no/such/folder.kin"), b"x");
        assert!(missing.unwrap_err().to_string().contains("folder.kin"));
        let taken = write(folder.path(), b"x");
        assert!(taken.unwrap_err().to_string().contains("directory"));
    }

    #[test]
    fn what_is_not_committed_leaves_the_old_file_and_no_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        write(&path, b"old").unwrap();
        let mut part = PartFile::create(&path).unwrap();
        part.write_all(b"half").unwrap();
        drop(part);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a.gif"]);
    }

    #[test]
    fn no_two_parts_share_a_name_and_none_can_be_foreseen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        let parts = [(); 8].map(|()| PartFile::create(&path).unwrap());
        let names = names(folder.path());
        assert_eq!(names.len(), parts.len());
        let process = std::process::id().to_string();
        assert!(
            names
                .iter()
                .all(|it| it.len() > 20 && !it.contains(&process))
        );
    }

    #[test]
    fn staged_files_appear_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        write(&a, b"old").unwrap();
        let mut staged = Staged::default();
        staged.add(&a, b"new").unwrap();
        assert!(staged.add(&folder.path().join("no/b"), b"new").is_err());
        drop(staged);
        assert_eq!(fs::read(&a).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a"]);
        let mut staged = Staged::default();
        staged.add(&a, b"new").unwrap();
        staged.add(&b, b"new").unwrap();
        assert_eq!(fs::read(&a).unwrap(), b"old");
        staged.commit().unwrap();
        assert_eq!(names(folder.path()), ["a", "b"]);
        assert_eq!(fs::read(&a).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn links_modes_and_devices_stay_what_they_are() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        write(&real, b"old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        let mode = fs::metadata(&real).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        let plain = folder.path().join("plain");
        fs::write(&plain, "x").unwrap();
        let ours = folder.path().join("ours");
        write(&ours, b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain), "as any file is made");
        write(Path::new("/dev/null"), b"x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let full = write(Path::new("/dev/full"), b"x").unwrap_err().to_string();
        assert!(full.contains("/dev/full"), "{full}");
    }
}
