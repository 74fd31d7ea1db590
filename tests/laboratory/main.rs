//! The laboratory: motions made anew, compared, checked, mended and measured.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod check;
#[path = "../common/mod.rs"]
mod common;
mod exercise;
mod plant;
mod report;

use std::path::{Path, PathBuf};

use common::kinetoscope;

/// A path inside the repository.
fn own(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(name)
        .to_string_lossy()
        .into_owned()
}

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(args: &[&str]) -> Ran {
    let output = kinetoscope().args(args).output().unwrap();
    Ran {
        code: output.status.code().expect("ended by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A call that has to succeed.
#[track_caller]
fn done(args: &[&str]) -> Ran {
    let ran = run(args);
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
    ran
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

/// A file in a folder that goes away with the test.
fn within(folder: &tempfile::TempDir, name: &str) -> (PathBuf, String) {
    let path = folder.path().join(name);
    let text = path.to_string_lossy().into_owned();
    (path, text)
}
