//! Output files: written under another name and renamed, so that a reader
//! never sees half of one and a failure leaves the old one alone.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;

use super::Failure;

/// Writes a whole file.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let temporary = temporary_name(path);
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    let named = written.with_context(|| format!("writing {}", path.display()));
    named.map_err(Failure::Other)
}

/// Beside the file, so that renaming never crosses a file system; with the
/// process number, so that two runs do not share it.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// True when standard error is a terminal.
pub(super) fn on_terminal() -> bool {
    io::IsTerminal::is_terminal(&io::stderr())
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
        assert!(write(&folder.path().join("no/such/folder.kin"), b"x").is_err());
    }
}
