//! Nothing lost and nothing leaked: what hostile files and failing commands
//! must not do.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

#[path = "../common/mod.rs"]
mod common;
mod kept;
mod leftovers;
mod overwrite;
mod resume;
mod text_that_bites;
mod traversal;

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use common::kinetoscope;

/// How a call ended.
#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: String,
}

impl Ran {
    #[track_caller]
    fn ends_with(&self, code: i32, words: &str) {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        assert!(self.stderr.contains(words), "{words:?}: {}", self.stderr);
    }
}

fn run<S: AsRef<OsStr>>(args: &[S]) -> Ran {
    let output = kinetoscope().args(args).output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// A path as an argument.
fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Every file below a folder, in order of name.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() && !path.is_symlink() {
            true => files.extend(files_below(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}
