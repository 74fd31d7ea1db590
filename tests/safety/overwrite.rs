//! What a call reads it does not write over, unless it is told to.

use std::fs;

use super::{files_below, fixture, run, text};

fn folder_with(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        fs::copy(fixture(name), folder.path().join(name)).unwrap();
    }
    folder
}

#[test]
fn an_input_is_written_over_only_by_force() {
    let folder = folder_with(&["tiny.asf", "tiny.amc", "odd.bvh"]);
    let path = |name: &str| text(&folder.path().join(name));
    let (amc, asf, bvh) = (path("tiny.amc"), path("tiny.asf"), path("odd.bvh"));
    fs::create_dir(folder.path().join("deep")).unwrap();
    let roundabout = path("deep/../tiny.amc");
    #[cfg(unix)]
    std::os::unix::fs::symlink("tiny.amc", folder.path().join("link.amc")).unwrap();
    let all = text(folder.path());
    let before: Vec<Vec<u8>> = files_below(folder.path())
        .iter()
        .map(|it| fs::read(it).unwrap())
        .collect();
    let mut calls = vec![
        vec!["convert", &amc, "-o", &amc],
        vec!["convert", &amc, "-o", &roundabout],
        // Found beside the motion, not named.
        vec!["convert", &amc, "-o", &asf],
        vec!["convert", &bvh, "-o", &bvh],
        vec!["convert", &all, "--to", "bvh", "-o", &all],
        vec!["compress", &amc, "--csv", &asf],
        vec!["compress", &amc, "-o", &amc],
        vec!["pose", &amc, "--onto", &bvh, "--save-map", &bvh],
        vec![
            "convert",
            &amc,
            "--onto",
            "performer",
            "--save-map",
            &amc,
            "-o",
            "x.bvh",
        ],
    ];
    if cfg!(feature = "viewer") {
        calls.push(vec!["render", &amc, "--trace", &amc, "-o", "x.png"]);
        calls.push(vec![&amc, "--trace", &amc]);
    }
    let link = path("link.amc");
    if cfg!(unix) {
        calls.push(vec!["convert", &amc, "-o", &link]);
        calls.push(vec!["convert", &link, "-o", &amc]);
    }
    for call in calls {
        let ran = run(&call);
        ran.ends_with(2, "--force");
        let now: Vec<Vec<u8>> = files_below(folder.path())
            .iter()
            .map(|it| fs::read(it).unwrap())
            .collect();
        assert_eq!(now, before, "{call:?}");
    }
    run(&["convert", &amc, &asf, "-o", &amc, "--force"]).ends_with(0, "");
    run(&["info", &amc]).ends_with(0, "");
}

#[test]
fn another_skeleton_beside_a_motion_stays() {
    let folder = folder_with(&["odd.bvh", "tiny.gltf"]);
    let path = |name: &str| text(&folder.path().join(name));
    let (from, motion, skeleton) = (path("tiny.gltf"), path("w.amc"), path("w.asf"));
    fs::write(&skeleton, "somebody's own").unwrap();
    let ran = run(&["convert", &from, "-o", &motion]);
    ran.ends_with(2, "--force");
    assert!(ran.stderr.contains("w.asf"), "{}", ran.stderr);
    assert_eq!(fs::read(&skeleton).unwrap(), b"somebody's own");
    assert!(!fs::exists(&motion).unwrap());
    run(&["convert", &from, "-o", &motion, "--force"]).ends_with(0, "its skeleton is");
    let written = fs::read(&skeleton).unwrap();
    // The same once more changes nothing and needs no force.
    run(&["convert", &from, "-o", &motion]).ends_with(0, "");
    assert_eq!(fs::read(&skeleton).unwrap(), written);
}

#[test]
fn two_outputs_have_two_names() {
    let folder = folder_with(&["tiny.asf", "tiny.amc"]);
    let path = |name: &str| text(&folder.path().join(name));
    let (amc, out) = (path("tiny.amc"), path("out.kin"));
    let ran = run(&["compress", &amc, "-o", &out, "--csv", &out]);
    ran.ends_with(2, "two outputs");
    assert!(!fs::exists(&out).unwrap());
    // A device takes both.
    if cfg!(unix) {
        let ran = run(&["compress", &amc, "-o", "/dev/null", "--csv", "/dev/null"]);
        ran.ends_with(0, "");
    }
}

#[test]
fn what_a_model_names_is_an_input_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut model: serde_json::Value =
        serde_json::from_slice(&fs::read(fixture("tiny.gltf")).unwrap()).unwrap();
    model["images"] = serde_json::json!([{ "uri": "my%20skin.csv" }]);
    fs::write(path("model.gltf"), model.to_string()).unwrap();
    fs::write(path("my skin.csv"), "a picture").unwrap();
    let (model, picture) = (text(&path("model.gltf")), text(&path("my skin.csv")));
    run(&["convert", &model, "-o", &picture]).ends_with(2, "--force");
    assert_eq!(fs::read(path("my skin.csv")).unwrap(), b"a picture");
}
