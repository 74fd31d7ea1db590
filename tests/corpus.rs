//! Every capture of the corpus loads, or fails for the reason its list gives;
//! joint positions agree with an independent reader's.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use kinetoscope::assert_close;
use std::{collections::BTreeMap, path::PathBuf};

use common::{corpus, kinetoscope, manifest};
use serde_json::Value;

fn json(args: &[&str]) -> Value {
    let output = kinetoscope().args(args).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn poses_agree_with_the_reference_to_a_thousandth_of_a_unit() {
    let Some(corpus) = corpus() else { return };
    let text = std::fs::read(corpus.join("reference/bone_ends.json")).unwrap();
    let reference: Value = serde_json::from_slice(&text).unwrap();
    let mut compared = 0;
    let mut worst = 0f64;
    for clip in reference["clips"].as_array().unwrap() {
        let path = |key: &str| {
            corpus
                .join(clip[key].as_str().unwrap())
                .display()
                .to_string()
        };
        let frames = clip["frames"].as_array().unwrap();
        let list: Vec<_> = frames
            .iter()
            .map(|frame| frame["frame"].to_string())
            .collect();
        let (asf, amc, list) = (path("asf"), path("amc"), list.join(","));
        let ours = json(&["pose", &amc, &asf, "--frames", &list, "--unit", "file"]);
        for (frame, ours) in frames.iter().zip(ours["frames"].as_array().unwrap()) {
            assert_eq!(frame["frame"], ours["frame"]);
            for (name, end) in frame["joints"].as_object().unwrap() {
                for axis in 0..3 {
                    let expected = end[axis].as_f64().unwrap();
                    let found = ours["joints"][name]["end"][axis].as_f64();
                    let found = found.unwrap_or_else(|| panic!("{amc}: no joint {name}"));
                    worst = worst.max((expected - found).abs());
                    assert_close!(expected, found, 1e-3, "{amc} {name}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 10_000, "only {compared} coordinates compared");
    eprintln!("{compared} coordinates, largest difference {worst:.2e} file units");
}

/// What `info` says of each file, by path relative to the corpus. Motions are
/// given the skeleton that the list pairs them with.
fn info_of_all(corpus: &std::path::Path) -> BTreeMap<String, Value> {
    let mut by_skeleton: BTreeMap<Option<String>, Vec<String>> = BTreeMap::new();
    for listed in manifest(corpus) {
        if listed.path.ends_with(".asf") || listed.path.ends_with(".amc") {
            by_skeleton.entry(listed.asf).or_default().push(listed.path);
        }
    }
    let mut all = BTreeMap::new();
    for (skeleton, files) in by_skeleton {
        let absolute = |file: &String| corpus.join(file).into_os_string();
        let mut command = kinetoscope();
        command
            .arg("info")
            .arg("--json")
            .args(files.iter().map(absolute));
        if let Some(skeleton) = &skeleton {
            command.arg(corpus.join(skeleton));
        }
        let output = command.output().unwrap();
        let entries: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        for entry in entries {
            let path = PathBuf::from(entry["path"].as_str().unwrap());
            let path = path.strip_prefix(corpus).unwrap().display().to_string();
            all.insert(path, entry);
        }
    }
    all
}

fn messages(entry: &Value) -> String {
    let notes = entry["warnings"].as_array().unwrap().iter();
    let text = |note: &Value| format!("{} [{}]", note["message"].as_str().unwrap(), note["bone"]);
    notes.map(text).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_file_loads_or_fails_for_its_stated_reason() {
    let Some(corpus) = corpus() else { return };
    let infos = info_of_all(&corpus);
    for listed in manifest(&corpus) {
        let Some(entry) = infos.get(&listed.path) else {
            let empty = listed.oddities.contains("EMPTY FILE");
            let other = !listed.path.ends_with(".asf") && !listed.path.ends_with(".amc");
            assert!(empty || other, "{} did not load", listed.path);
            continue;
        };
        if let Some(bones) = listed.bones {
            let dropped = usize::from(listed.oddities.contains("absent from hierarchy"));
            assert_eq!(entry["bones"], bones + 1 - dropped, "{}", listed.path);
        }
        if let Some(frames) = listed.frames {
            // A last frame that is cut short is dropped.
            let cut = usize::from(listed.oddities.contains("last frame yes"));
            assert_eq!(entry["frames"], frames - cut, "{}", listed.path);
        }
        if listed.bones == Some(30) {
            let height = entry["height_m"].as_f64().unwrap();
            assert!((1.4..=1.9).contains(&height), "{}: {height} m", listed.path);
        }
    }
}

#[test]
fn info_reports_the_listed_oddities() {
    let Some(corpus) = corpus() else { return };
    let infos = info_of_all(&corpus);
    // What the list calls it, and what we say.
    let words = [
        ("exponent numbers", "numbers with an exponent"),
        ("CRLF ", "CRLF"),
        ("mixed EOL", "mixed line ends"),
        ("NOT VALID UTF-8", "not valid UTF-8"),
        ("no final newline", "no final newline"),
        ("comment lines", "comment lines"),
        ("no #! header", "no #! header"),
        (
            "frame-number gaps, first (1, 101)",
            "frame-number gap: 1 is followed by 101",
        ),
        ("first frame 100", "first frame is numbered 100"),
        ("last frame yes", "dropped"),
        (
            "NONFINITE ltibia",
            "not finite; the last good one is kept [\"ltibia\"]",
        ),
        ("extra section :namespace", "unknown section \":namespace\""),
        (
            "bones absent from hierarchy: lhipjoint",
            "absent from the hierarchy, dropped [\"lhipjoint\"]",
        ),
        (
            "24 unknown bones: lowerback,upperback",
            "24 bones that the skeleton lacks are ignored: ",
        ),
        ("ids not 1..n in order", "bone ids do not run 1..n in order"),
        (
            "extra keywords :FORCE-ALL-JOINTS",
            ":FORCE-ALL-JOINTS-BE-3DOF announces",
        ),
        ("value count != dof", "value count differs from the dofs"),
    ];
    let mut seen = [0; 17];
    for listed in manifest(&corpus) {
        let Some(entry) = infos.get(&listed.path) else {
            continue;
        };
        for (index, (oddity, said)) in words.into_iter().enumerate() {
            if (listed.oddities.clone() + " ").contains(oddity) {
                let messages = messages(entry);
                assert!(
                    messages.contains(said),
                    "{}: {oddity}: {messages}",
                    listed.path
                );
                seen[index] += 1;
            }
        }
    }
    for (count, (oddity, _)) in seen.iter().zip(words) {
        assert!(*count > 0, "no file of the corpus has {oddity:?} any more");
    }
}

#[test]
fn fingers_that_are_ignored_stay_at_rest_and_all_else_moves_as_before() {
    let Some(corpus) = corpus() else { return };
    let path = |name: &str| corpus.join(name).display().to_string();
    let (asf, amc) = (path("cmu-original/01.asf"), path("cmu-original/01_01.amc"));
    let call = |more: &[&str]| {
        let words = ["pose", asf.as_str(), amc.as_str(), "--frames", "0,300,900"];
        json(&[&words[..], more].concat())
    };
    let (as_is, ignored) = (call(&[]), call(&["--ignore-fingers"]));
    let joint =
        |pose: &Value, frame: usize, name: &str| pose["frames"][frame]["joints"][name].clone();
    let joints = as_is["frames"][0]["joints"].as_object().unwrap();
    let point = |pose: &Value, frame: usize, name: &str, of: &str| {
        let at = joint(pose, frame, name)[of].clone();
        [0, 1, 2].map(|axis| at[axis].as_f64().unwrap())
    };
    // A finger that does not turn keeps its tip at one distance from where the
    // bone before it begins.
    let reach = |pose: &Value, frame: usize, name: &str, before: &str| {
        let tip = point(pose, frame, name, "end");
        let from = point(pose, frame, before, "start");
        let apart = tip.iter().zip(from).map(|(a, b)| (a - b).powi(2));
        apart.sum::<f64>().sqrt()
    };
    let fingers = [
        ("lthumb", "lwrist"),
        ("rthumb", "rwrist"),
        ("lfingers", "lhand"),
        ("rfingers", "rhand"),
    ];
    for frame in 0..3 {
        for name in joints.keys() {
            if !fingers.iter().any(|(finger, _)| finger == name) {
                let [a, b] = [&ignored, &as_is].map(|pose| joint(pose, frame, name));
                assert_eq!(a, b, "{name} at {frame}");
            }
        }
        for (finger, before) in fingers {
            let [now, first] = [frame, 0].map(|frame| reach(&ignored, frame, finger, before));
            assert_close!(now, first, 1e-5, "{finger} at {frame}");
        }
    }
    assert_ne!(joint(&as_is, 1, "lthumb"), joint(&ignored, 1, "lthumb"));
}
