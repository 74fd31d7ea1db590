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

/// A chain of nodes, one of them moved or scaled by an animation to `value` at
/// its second key.
fn animated_gltf(nodes: usize, node: usize, path: &str, value: [f32; 3]) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let keys = [0.0, 1.0, 1.0, 1.0, 1.0, value[0], value[1], value[2]];
    let bytes: Vec<u8> = keys.iter().flat_map(|it: &f32| it.to_le_bytes()).collect();
    let uri = format!(
        "data:application/octet-stream;base64,{}",
        STANDARD.encode(&bytes)
    );
    let chain = (0..nodes).map(|index| match index + 1 < nodes {
        true => serde_json::json!({"translation": [0, 1, 0], "children": [index + 1]}),
        false => serde_json::json!({"translation": [0, 1, 0]}),
    });
    let chain: Vec<_> = chain.collect();
    let targets = match path {
        // All of them: factors multiply along the chain.
        "scale" => (0..nodes).collect(),
        _ => vec![node],
    };
    let channels = targets
        .iter()
        .map(|node| serde_json::json!({"sampler": 0, "target": {"node": node, "path": path}}));
    serde_json::json!({
        "asset": {"version": "2.0"},
        "scene": 0, "scenes": [{"nodes": [0]}], "nodes": chain,
        "animations": [{"samplers": [{"input": 0, "output": 1}], "channels": channels.collect::<Vec<_>>()}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR"},
            {"bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC3"},
        ],
        "bufferViews": [{"buffer": 0, "byteLength": bytes.len()}],
        "buffers": [{"byteLength": bytes.len(), "uri": uri}],
    })
    .to_string()
}

#[test]
fn numbers_beyond_all_measure_are_refused_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let gltf = folder.path().join("far.gltf");
    for (node, path) in [(0, "translation"), (1, "translation"), (0, "scale")] {
        for wild in [1e20, -3e38, 1e9] {
            let text = animated_gltf(2, node, path, [wild, 0.0, 0.0]);
            std::fs::write(&gltf, text).unwrap();
            let (code, told) = run(&["info".as_ref(), gltf.as_os_str()]);
            assert_eq!(code, 3, "{told}");
            let place = "far.gltf: accessors[1]: expected numbers below 1,000,000,000, found";
            assert!(told.contains(place), "{told}");
        }
    }
    // 1e9 / 1e-9 inches: each number is sound, the two together are not.
    let asf = folder.path().join("far.asf");
    let text = ":units\nlength 1e-8\n:root\nposition 0 0 0\n:bonedata\nbegin\nname a\n\
                direction 0 1 0\nlength 1e8\nend\n:hierarchy\nbegin\nroot a\nend\n";
    std::fs::write(&asf, text).unwrap();
    let (code, told) = run(&["info".as_ref(), asf.as_os_str()]);
    assert_eq!(code, 3, "{told}");
    assert!(
        told.contains("far.asf: bone \"a\" at rest lies beyond 1,000,000,000 m"),
        "{told}"
    );
}

#[cfg(feature = "viewer")]
mod drawn {
    use super::*;

    fn rendered(text: &str) -> (i32, String, bool) {
        let folder = tempfile::tempdir().unwrap();
        let (gltf, out) = (
            folder.path().join("far.gltf"),
            folder.path().join("out.png"),
        );
        std::fs::write(&gltf, text).unwrap();
        let mut args = vec![OsStr::new("render"), gltf.as_os_str()];
        let options = "--frame 12 --size 64x64 --skeleton --axes --names --trajectory --ghosts 2";
        args.extend(options.split(' ').map(OsStr::new));
        args.extend([OsStr::new("-o"), out.as_os_str()]);
        let (code, told) = run(&args);
        (code, told, out.exists())
    }

    #[test]
    fn whatever_is_just_within_measure_is_drawn() {
        for node in [0, 1] {
            for far in [1e3, 1e7, 9.9e8] {
                let text = animated_gltf(3, node, "translation", [far, -far, far]);
                let (code, told, there) = rendered(&text);
                assert!(code == 0 && there, "{node} {far}: {told}");
            }
        }
    }

    #[test]
    fn factors_that_multiply_beyond_all_measure_are_left_out_and_told() {
        // 1e8 along twelve joints is 1e96, which no float holds.
        let text = animated_gltf(12, 0, "scale", [1e8; 3]);
        let (code, told, there) = rendered(&text);
        assert!(code == 0 && there, "{told}");
        assert!(told.contains("frame 12: "), "{told}");
        assert!(told.contains("left out of the picture"), "{told}");
    }

    #[test]
    fn a_picture_beyond_all_memory_is_refused_before_anything_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out.png");
        // The file is not there, which would be told if it came to that.
        let args = [
            "render",
            "none.bvh",
            "--size",
            "4000000000x4000000000",
            "-o",
        ];
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let (code, told) = run(&[&args[..], &[out.as_os_str()]].concat());
        assert_eq!(code, 2, "{told}");
        assert!(told.contains("MB of memory"), "{told}");
        assert!(!out.exists());
    }
}
