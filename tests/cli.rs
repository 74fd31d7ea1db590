//! The command line: exit codes, messages that name the file, line and cure,
//! and what goes to which stream.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use kinetoscope::assert_close;
use std::{fs, path::PathBuf};

use common::kinetoscope;
use serde_json::Value;
use tempfile::TempDir;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Ran {
    let output = kinetoscope().args(args).output().unwrap();
    Ran {
        code: output.status.code().expect("ended by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn in_folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn tiny_asf() -> Vec<u8> {
    fs::read(fixture("tiny.asf")).unwrap()
}

fn tiny_amc() -> Vec<u8> {
    fs::read(fixture("tiny.amc")).unwrap()
}

#[test]
fn pose_prints_the_contract() {
    let asf = fixture("tiny.asf");
    let amc = fixture("tiny.amc");
    let ran = run(&[
        "pose".as_ref(),
        amc.as_os_str(),
        asf.as_os_str(),
        "--frames".as_ref(),
        "0,1".as_ref(),
        "--unit".as_ref(),
        "file".as_ref(),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["unit"], "file");
    assert_eq!(json["frames"][1]["frame"], 1);
    let root = &json["frames"][0]["joints"]["root"];
    assert_eq!(root["start"], root["end"]);
    assert_eq!(root["start"], serde_json::json!([1.0, 2.0, 3.0]));
    // Frame 1: the root turned a quarter about y, the spine a quarter about z.
    let spine = &json["frames"][1]["joints"]["spine"]["end"];
    let found: Vec<f64> = spine
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect();
    for (found, expected) in found.iter().zip([1.0, 2.0, 43.0]) {
        assert_close!(*found, expected, 1e-5, "{spine}");
    }
    let metres = run(&[
        "pose".as_ref(),
        amc.as_os_str(),
        "--frames".as_ref(),
        "0".as_ref(),
    ]);
    let json: Value = serde_json::from_str(&metres.stdout).unwrap();
    assert_eq!(json["unit"], "m");
    assert_close!(
        json["frames"][0]["joints"]["root"]["start"][1]
            .as_f64()
            .unwrap(),
        0.0508,
        1e-6
    );
}

#[test]
fn pose_tells_joints_in_their_parent_and_in_the_model() {
    let joints = |space: &str| {
        let amc = fixture("tiny.amc");
        let tail = ["--frames", "1", "--unit", "file", "--space", space];
        let mut args = vec!["pose".as_ref(), amc.as_os_str()];
        args.extend(tail.iter().map(AsRef::<std::ffi::OsStr>::as_ref));
        let ran = run(&args);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let json: Value = serde_json::from_str(&ran.stdout).unwrap();
        json["frames"][0]["joints"].clone()
    };
    let numbers = |value: &Value| -> Vec<f64> {
        let list = value.as_array().unwrap().iter();
        list.map(|it| it.as_f64().unwrap()).collect()
    };
    let rotation =
        |joints: &Value, name: &str| glam::DQuat::from_slice(&numbers(&joints[name]["rotation"]));
    let (local, model) = (joints("local"), joints("model"));
    // The root turned a quarter about y, the spine a quarter about z.
    let quarter = std::f64::consts::FRAC_PI_2;
    let root = glam::DQuat::from_rotation_y(quarter);
    assert!(rotation(&local, "root").angle_between(root) < 1e-4);
    let product = rotation(&local, "root") * rotation(&local, "spine");
    assert!(rotation(&model, "spine").angle_between(product) < 1e-4);
    assert_eq!(model["spine"]["position"], model["spine"]["start"]);
    assert_eq!(numbers(&local["spine"]["scale"]), [1.0; 3]);
    let there = glam::DVec3::from_slice(&numbers(&local["spine"]["position"]));
    let placed = glam::DVec3::from_slice(&numbers(&model["root"]["position"]))
        + rotation(&local, "root") * there;
    let found = glam::DVec3::from_slice(&numbers(&model["spine"]["position"]));
    assert!(placed.distance(found) < 1e-4, "{placed} and {found}");
}

/// The fixture's file says the same in its own words: accessors 8 to 12.
#[test]
fn keys_prints_every_track_with_its_tangents() {
    let ran = run(&[
        "keys".as_ref(),
        fixture("tiny.gltf").as_os_str(),
        "--json".as_ref(),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let clips: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(clips[0]["clip"], "bend");
    let tracks = clips[0]["tracks"].as_array().unwrap();
    let track = |component: &str| {
        let found = tracks.iter().find(|track| track["component"] == component);
        found.unwrap_or_else(|| panic!("no {component} in {tracks:?}"))
    };
    assert_eq!(track("rotation")["curve"], "linear");
    assert_eq!(track("scale")["curve"], "step");
    assert_eq!(track("weight")["morph"], 0);
    let cubic = track("translation");
    assert_eq!(cubic["curve"], "cubic");
    for key in cubic["keys"].as_array().unwrap() {
        for part in ["value", "tangent_in", "tangent_out"] {
            assert_eq!(key[part].as_array().unwrap().len(), 3, "{key}");
        }
    }
    assert!(track("rotation")["keys"][0].get("tangent_in").is_none());
    let keys = tracks.iter().map(|it| it["keys"].as_array().unwrap().len());
    assert_eq!(clips[0]["keys"].as_u64(), Some(keys.sum::<usize>() as u64));
    let people = run(&["keys".as_ref(), fixture("tiny.gltf").as_os_str()]);
    assert!(
        people.stdout.contains("translation, cubic"),
        "{}",
        people.stdout
    );
    let absent = [
        fixture("tiny.gltf").into_os_string(),
        "--joint".into(),
        "tail".into(),
    ];
    let ran = run(&[&["keys".into()], &absent[..]].concat());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

/// What `compress` chose is printed; what holds frames is refused with the cure.
#[test]
fn keys_of_a_container_are_those_that_compress_counts() {
    let folder = in_folder(&[("a.asf", &tiny_asf()), ("a.amc", &tiny_amc())]);
    let path = |name: &str| folder.path().join(name).into_os_string();
    let ran = run(&["keys".into(), path("a.amc")]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("holds frames, no keys"),
        "{}",
        ran.stderr
    );
    let (out, json) = (path("a.kin"), "--json".into());
    let ran = run(&[
        "compress".into(),
        path("a.amc"),
        "-o".into(),
        out.clone(),
        json,
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = run(&["keys".into(), out, "--json".into()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let clips: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    let tracks = clips[0]["tracks"].as_array().unwrap();
    assert!(
        tracks.iter().any(|track| track["joint"] == "spine"),
        "{tracks:?}"
    );
    assert_close!(clips[0]["end_s"].as_f64().unwrap(), 2.0 / 120.0, 1e-5);
}

#[test]
fn info_prints_the_contract() {
    let ran = run(&[
        "info".as_ref(),
        fixture("tiny.amc").as_os_str(),
        fixture("tiny.asf").as_os_str(),
        "--json".as_ref(),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let list: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    let (motion, skeleton) = (&list[0], &list[1]);
    assert_eq!(motion["kind"], "motion");
    assert_eq!(
        (motion["frames"].as_u64(), motion["bones"].as_u64()),
        (Some(3), Some(3))
    );
    assert_eq!(
        (motion["fps"].as_f64(), motion["fps_assumed"].as_bool()),
        (Some(120.0), Some(true))
    );
    assert_close!(motion["duration_s"].as_f64().unwrap(), 2.0 / 120.0, 1e-5);
    assert_eq!(
        (skeleton["kind"].as_str(), skeleton["format"].as_str()),
        (Some("skeleton"), Some("asf"))
    );
    assert_eq!(
        (
            skeleton["unit"].as_str(),
            skeleton["unit_assumed"].as_bool()
        ),
        (Some("inch"), Some(true))
    );
    assert_close!(skeleton["height_m"].as_f64().unwrap(), 1.016, 1e-3);
    assert!(
        skeleton.get("frames").is_none(),
        "left out where it does not apply"
    );
    let people = run(&["info".as_ref(), fixture("tiny.amc").as_os_str()]);
    assert!(
        people.stdout.contains("120 fps (assumed)") && people.stdout.contains("inch (assumed)")
    );
    assert!(people.stdout.contains("(same name)"), "{}", people.stdout);
}

#[test]
fn wrong_usage_is_two() {
    let amc = fixture("tiny.amc").display().to_string();
    for args in [
        vec!["info"],
        vec!["pose"],
        vec!["info", "--no-such-option", &amc],
        vec!["pose", &amc, "--frames", "3"],
        vec!["pose", &amc, "--frames", "x"],
        vec!["pose", &amc, "--unit", "parsec"],
        vec!["info", &amc, "--fps", "0"],
        vec!["info", &amc, "--file-unit", "parsec"],
        vec!["info", &amc, "--up", "w"],
    ] {
        let ran = run(&args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{args:?}");
    }
    assert_eq!(run(&["--help"]).code, 0);
    assert_eq!(run(&["--version"]).code, 0);
}

/// Writes one bad file beside a good skeleton and expects exit code 3 and the
/// words.
#[track_caller]
fn refused(name: &str, content: &[u8], words: &str) {
    let folder = in_folder(&[("tiny.asf", &tiny_asf()), (name, content)]);
    let path = folder.path().join(name);
    for command in ["info", "pose"] {
        let ran = run(&[command.as_ref(), path.as_os_str()]);
        assert_eq!(ran.code, 3, "{command} {name}: {}", ran.stderr);
        assert!(
            ran.stderr.contains(words),
            "{command} {name}: {}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains(name),
            "{command} {name}: {}",
            ran.stderr
        );
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
}

#[test]
fn bad_files_are_three_with_place_and_reason() {
    refused("e.amc", b"", "e.amc:1:1: the file is empty");
    refused(
        "e.asf",
        b"# only a comment\n",
        "e.asf:1:1: the file is empty",
    );
    refused(
        "b.amc",
        b"\x7fELF\x02\x01\x01\0\0\0",
        "b.amc:1:1: this is not an AMC motion",
    );
    refused(
        "b.asf",
        &[0u8, 159, 146, 150, 0, 1, 2],
        "b.asf:1:1: this is not an ASF skeleton",
    );
    refused("w.amc", &tiny_asf(), "belongs to an ASF skeleton");
    refused("w.asf", &tiny_amc(), "belongs to an AMC motion");
    refused(
        "p.txt",
        b"hello",
        "not a kind of file that can be read here",
    );
    refused(
        "n.amc",
        b"1\nhips 1 2 3\n",
        "n.amc:2:1: no bone of this motion is in the skeleton",
    );
    refused(
        "v.amc",
        b"1\nroot 0 0 0 0 0 0\nspine 1 2\narm 0\n2\nroot 0 0 0 0 0 0\n",
        "v.amc:3:1: frame 1, bone \"spine\": expected 3 values, found 2",
    );
    refused(
        "t.amc",
        b"1\nroot 0 0 zero 0 0 0\n",
        "t.amc:2:10: expected a number, found \"zero\"",
    );
    refused(
        "f.amc",
        b"1\nroot 0 0 0 0 0 0\n12 13\n",
        "f.amc:3:4: expected the end of the line after a frame number",
    );
    let text = String::from_utf8(tiny_asf()).unwrap();
    refused(
        "c.asf",
        text.replace("root spine", "arm spine").as_bytes(),
        "runs in a circle",
    );
    refused(
        "l.asf",
        text.replace("length 40", "length 1e999").as_bytes(),
        "l.asf:21:12: 1e999 is out of range",
    );
    refused(
        "u.asf",
        text.split_at(text.find("limits").unwrap()).0.as_bytes(),
        "expected end of the bone, found the end of the file",
    );
    refused(
        "h.asf",
        text.split_at(text.find(":bonedata").unwrap()).0.as_bytes(),
        "expected a :bonedata section",
    );
}

#[test]
fn unreadable_paths_are_three() {
    let folder = TempDir::new().unwrap();
    let ran = run(&["info".as_ref(), folder.path().join("gone.amc").as_os_str()]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("gone.amc"), "{}", ran.stderr);
    let ran = run(&["info".as_ref(), folder.path().as_os_str()]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stderr.contains("no motion capture in this folder"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_million_bones_and_a_long_line_end_quickly() {
    let mut bones = String::from(":root\n:bonedata\n");
    for bone in 0..200_000 {
        bones += &format!("begin\nname b{bone}\ndirection 0 1 0\nlength 1\nend\n");
    }
    refused("many.asf", bones.as_bytes(), "more than 65534 bones");
    let mut line = b"1\nroot ".to_vec();
    line.resize(20_000_000, b'1');
    line.extend_from_slice(b" 0 0 0 0 0\n");
    let folder = in_folder(&[("tiny.asf", &tiny_asf()), ("long.amc", &line)]);
    let ran = run(&[
        "info".as_ref(),
        folder.path().join("long.amc").as_os_str(),
        "--json".as_ref(),
    ]);
    assert_eq!(
        ran.code, 0,
        "a number of 20 million digits is not finite: {}",
        ran.stderr
    );
    assert!(ran.stdout.contains("not finite"), "{}", ran.stdout);
    let children = format!(
        "{}\n:hierarchy\nroot {}\n",
        "x ".repeat(10),
        "x ".repeat(500_000)
    );
    refused(
        "wide.asf",
        format!(":bonedata\n:hierarchy\nroot {children}").as_bytes(),
        "wide.asf:",
    );
}

#[test]
fn one_bad_file_does_not_hide_the_others() {
    let folder = in_folder(&[
        ("tiny.asf", &tiny_asf()),
        ("tiny_01.amc", &tiny_amc()),
        ("tiny_02.amc", b"1\nroot x\n"),
        ("notes.txt", b"not ours"),
    ]);
    let ran = run(&[
        "info".as_ref(),
        folder.path().as_os_str(),
        "--json".as_ref(),
    ]);
    assert_eq!(ran.code, 3);
    let list: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(list.len(), 2);
    assert!(
        ran.stderr.contains("tiny_02.amc:2:6") && ran.stderr.contains("1 of 3 files"),
        "{}",
        ran.stderr
    );
}

#[test]
fn skeletons_are_found_by_the_rules() {
    let tiny = tiny_asf();
    let folder = in_folder(&[
        ("a.asf", &tiny),
        ("b.asf", &tiny),
        ("a_07.amc", &tiny_amc()),
        ("c.amc", &tiny_amc()),
    ]);
    let path = |name: &str| folder.path().join(name).into_os_string();
    let ran = run(&["info".as_ref(), path("a_07.amc").as_os_str()]);
    assert!(
        ran.stdout.contains("a.asf (its name starts the motion's)"),
        "{}",
        ran.stdout
    );
    let ran = run(&["pose".as_ref(), path("c.amc").as_os_str()]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stderr
            .contains("2 skeletons come into question; give the right .asf file"),
        "{}",
        ran.stderr
    );
    let ran = run(&["info".as_ref(), path("c.amc").as_os_str()]);
    assert_eq!(ran.code, 0, "a motion can be counted without a skeleton");
    assert!(ran.stdout.contains("no skeleton found"), "{}", ran.stdout);
    let ran = run(&[
        "pose".as_ref(),
        path("b.asf").as_os_str(),
        path("c.amc").as_os_str(),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}
