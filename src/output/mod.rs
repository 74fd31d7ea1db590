//! Files that are written: whole or not at all.
//!
//! Everything goes under another name first and is renamed when it is complete,
//! so that a reader never sees half a file and a failure leaves the old one
//! alone.

mod names;
#[cfg(feature = "viewer")]
mod picture;

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

pub use names::safe_stem;
#[cfg(feature = "viewer")]
pub use picture::{GifWriter, png_bytes, write_png};

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
    let mut file = PartFile::create(path)?;
    let written = file.write_all(bytes);
    written.map_err(OutputError::of(path))?;
    file.commit()
}

/// A file under way; what is not committed is removed.
#[derive(Debug)]
pub struct PartFile {
    path: PathBuf,
    part: PathBuf,
    file: Option<BufWriter<File>>,
}

impl PartFile {
    /// Begins a file that shall be at `path`.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let part = part_name(path);
        let file = File::create(&part).map_err(OutputError::of(path))?;
        Ok(Self {
            path: path.to_path_buf(),
            part,
            file: Some(BufWriter::new(file)),
        })
    }

    /// Ends the file and puts it in its place.
    pub fn commit(self) -> Result<(), OutputError> {
        let path = self.path.clone();
        self.commit_as(&path)
    }

    /// The same in another place of the same folder.
    pub fn commit_as(mut self, path: &Path) -> Result<(), OutputError> {
        // A buffer that is merely dropped swallows the error of its last bytes,
        // and some systems do not rename a file that is open.
        let flushed = self.flush();
        self.file = None;
        let renamed = flushed.and_then(|()| fs::rename(&self.part, path));
        renamed.map_err(OutputError::of(path))
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        self.file = None;
        // Gone already when it was committed.
        let _ = fs::remove_file(&self.part);
    }
}

/// Beside the file, so that renaming never crosses a file system; with the
/// process number, so that two runs do not share it.
fn part_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.kin");
        write(&path, b"old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let missing = write(&folder.path().join("no/such/folder.kin"), b"x");
        assert!(missing.unwrap_err().to_string().contains("folder.kin"));
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
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
