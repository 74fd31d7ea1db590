//! The one way a named file is opened: a plain file of a size that memory can
//! hold. A device or a pipe might never end, and opening a pipe may wait for
//! ever, so what a path is gets asked before it is opened.

use std::{
    fs::{self, FileType, Metadata},
    io::{self, Read},
    path::Path,
};

use super::LoadError;

/// Captures and models beyond this are refused: no capture comes near, and a
/// file of holes takes no room on a disk, but all of it in memory.
const MOST_BYTES: u64 = 4 << 30;
/// Animators, scripts, maps and settings are written by hand.
const MOST_TEXT_BYTES: u64 = 16 << 20;

/// Reads a file whole.
pub fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    read_up_to(path, MOST_BYTES)
}

/// Reads a text that a user may edit; what is not UTF-8 in it is replaced.
pub fn read_text(path: &Path) -> Result<String, LoadError> {
    let bytes = read_up_to(path, MOST_TEXT_BYTES)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What the system knows of a plain file; anything else is refused without
/// opening it.
pub(super) fn metadata(path: &Path) -> Result<Metadata, LoadError> {
    let metadata = fs::metadata(path).map_err(|source| LoadError::unreadable(path, source))?;
    if metadata.is_file() {
        return Ok(metadata);
    }
    Err(LoadError::NotAFile {
        path: path.to_path_buf(),
        what: name_of(metadata.file_type()),
    })
}

fn read_up_to(path: &Path, most: u64) -> Result<Vec<u8>, LoadError> {
    let too_large = || LoadError::TooLarge {
        path: path.to_path_buf(),
        most_mib: most >> 20,
    };
    let size = metadata(path)?.len();
    if size > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let reserved = bytes.try_reserve_exact(size as usize);
    reserved
        .map_err(io::Error::from)
        .and_then(|()| fs::File::open(path))
        // One more than allowed: the file may have grown since, or state no
        // size, as those of /proc do.
        .and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
        .map_err(|source| LoadError::unreadable(path, source))?;
    match bytes.len() as u64 > most {
        true => Err(too_large()),
        false => Ok(bytes),
    }
}

#[cfg(unix)]
fn name_of(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn name_of(kind: FileType) -> &'static str {
    match kind.is_dir() {
        true => "a folder",
        false => "a device",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.amc");
        fs::write(&path, "seven b").unwrap();
        assert_eq!(read_up_to(&path, 7).unwrap(), b"seven b");
        let error = read_up_to(&path, 6).unwrap_err();
        assert!(matches!(error, LoadError::TooLarge { .. }), "{error}");
    }

    #[test]
    fn a_file_of_holes_is_refused_by_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("holes.bvh");
        let file = fs::File::create(&path).unwrap();
        file.set_len(MOST_BYTES + 1).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("holes.bvh: larger than 4096 MiB"), "{error}");
    }
}
