//! Inputs made to break the program, through the command line: each is refused
//! with the file's name, the reason and exit code 3, at once and in little
//! memory, or drawn without what is wrong in it.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    time::Duration,
};

use common::kinetoscope;

/// Exit code and standard error.
fn run<S: AsRef<OsStr>>(args: &[S]) -> (i32, String) {
    // What waits for a pipe would wait for ever.
    let patience = Duration::from_secs(60);
    let output = kinetoscope().args(args).timeout(patience).output().unwrap();
    let code = output.status.code().expect("it never ends");
    (code, String::from_utf8(output.stderr).unwrap())
}

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    folder.join(name)
}

#[cfg(unix)]
mod special_files {
    use std::{
        fs,
        os::unix::{fs::symlink, net::UnixListener},
        process::Command,
    };

    use super::*;

    /// What a path may name besides a file, and how messages call it.
    const SPECIAL: [&str; 4] = ["pipe", "socket", "folder", "device"];

    /// A folder with one of each, under every ending: `pipe.amc` …
    fn special_files() -> (tempfile::TempDir, UnixListener) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let made = Command::new("mkfifo").arg(at("pipe")).status();
        assert!(made.unwrap().success());
        let socket = UnixListener::bind(at("socket")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        symlink("/dev/zero", at("device")).unwrap();
        for special in SPECIAL {
            for ending in ["asf", "amc", "bvh", "glb", "gltf", "kin", "ron", "txt"] {
                symlink(at(special), at(&format!("{special}.{ending}"))).unwrap();
            }
        }
        (folder, socket)
    }

    fn refused(args: &[&OsStr], special: &str) {
        let (code, told) = run(args);
        assert_eq!(code, 3, "{args:?}: {told}");
        let what = format!("this is a {special}, not a file");
        assert!(told.contains(&what), "{args:?}: {told}");
    }

    #[test]
    fn models_and_motions_are_plain_files() {
        let (folder, _socket) = special_files();
        // Of a folder the files inside are meant.
        for special in SPECIAL.iter().filter(|&&it| it != "folder") {
            for ending in ["asf", "bvh", "glb", "gltf", "kin", "txt"] {
                let path = folder.path().join(format!("{special}.{ending}"));
                refused(&["info".as_ref(), path.as_ref()], special);
            }
            let path = folder.path().join(format!("{special}.amc"));
            let skeleton = fixture("tiny.asf");
            refused(
                &["info".as_ref(), skeleton.as_ref(), path.as_ref()],
                special,
            );
        }
    }

    #[test]
    fn maps_are_plain_files() {
        let (folder, _socket) = special_files();
        let out = folder.path().join("out.bvh");
        for special in SPECIAL {
            let map = folder.path().join(format!("{special}.ron"));
            let mut args = vec![OsStr::new("convert")];
            let files = [fixture("tiny.asf"), fixture("tiny.amc")];
            args.extend(files.iter().map(|it| it.as_os_str()));
            args.extend(["--onto", "performer", "--map"].map(OsStr::new));
            args.extend([map.as_os_str(), OsStr::new("-o"), out.as_os_str()]);
            refused(&args, special);
        }
    }

    #[cfg(feature = "viewer")]
    #[test]
    fn animators_and_scripts_are_plain_files() {
        let (folder, _socket) = special_files();
        let out = folder.path().join("out.png");
        let script = folder.path().join("script.txt");
        fs::write(&script, "0 press W\n").unwrap();
        for special in SPECIAL {
            let path = folder.path().join(format!("{special}.ron"));
            let args = ["render", "--script"].map(OsStr::new);
            let with_script = [&args[..], &[path.as_ref(), "-o".as_ref(), out.as_ref()]];
            refused(&with_script.concat(), special);
            let driven = [script.as_os_str(), OsStr::new("--animator"), path.as_ref()];
            let with_animator = [&args[..], &driven, &["-o".as_ref(), out.as_ref()]];
            refused(&with_animator.concat(), special);
        }
        assert!(!out.exists());
    }
}
