//! `blend`, `transition` and ranges of motions on the command line, with files of our own.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

fn call(folder: &Path, line: &str) -> std::process::Output {
    let mut command: Command = common::kinetoscope();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let words = line
        .split(' ')
        .map(|word| match word.strip_prefix("assets/") {
            Some(rest) => root.join("assets").join(rest).display().to_string(),
            None => word.to_owned(),
        });
    command.current_dir(folder).args(words).output().unwrap()
}

fn json(folder: &Path, line: &str) -> Value {
    let output = call(folder, line);
    assert!(output.status.success(), "{line}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

const WALK_AND_RUN: &str =
    "blend assets/performer.asf assets/clips/forward.amc assets/clips/run.amc";

#[test]
fn a_blend_is_written_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let told = json(
        folder.path(),
        &format!("{WALK_AND_RUN} --weights 1,1 --json -o jog.bvh"),
    );
    let frames = told["frames"].as_u64().unwrap() as usize;
    for list in ["warp", "align"] {
        let rows = told[list].as_array().unwrap();
        assert_eq!(rows.len(), frames, "{list}");
        assert!(
            rows.iter().all(|row| row.as_array().unwrap().len() == 2),
            "{list}"
        );
    }
    let times = told["warp"].as_array().unwrap().windows(2);
    for pair in times.map(|pair| [&pair[0], &pair[1]]) {
        for motion in 0..2 {
            assert!(
                pair[0][motion].as_f64() < pair[1][motion].as_f64(),
                "{pair:?}"
            );
        }
    }
    let slide = |field: &str| told[field].as_f64().unwrap();
    assert!(slide("slide_cm") < 1.5 && slide("plain_slide_cm") > 3.0 * slide("slide_cm"));
    let written = json(folder.path(), "info jog.bvh --json");
    assert_eq!(written[0]["frames"].as_u64().unwrap() as usize, frames);
}

#[test]
fn the_first_motion_alone_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let told = json(
        folder.path(),
        &format!("{WALK_AND_RUN} --weights 1,0 --json -o same.csv"),
    );
    let first = told["warp"][0][0].as_f64().unwrap();
    let frames = told["frames"].as_u64().unwrap();
    let from = (first * told["fps"].as_f64().unwrap()).round() as u64;
    let range = format!("{from}..{}", from + frames);
    let convert =
        format!("convert assets/performer.asf assets/clips/forward.amc@{range} -o own.csv");
    assert!(call(folder.path(), &convert).status.success());
    let rows = |name: &str| -> Vec<Vec<f64>> {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let row = |line: &str| {
            line.split(',')
                .skip(2)
                .map(|it| it.parse().unwrap())
                .collect()
        };
        text.lines().skip(1).map(row).collect()
    };
    let (blended, own) = (rows("same.csv"), rows("own.csv"));
    assert_eq!(blended.len(), own.len());
    for (a, b) in blended.iter().flatten().zip(own.iter().flatten()) {
        assert!((a - b).abs() < 1e-3, "{a} against {b}");
    }
}

#[test]
fn a_left_and_a_right_turn_walk_straight() {
    let folder = tempfile::tempdir().unwrap();
    let turns = "blend assets/performer.asf assets/clips/turn_left.amc assets/clips/turn_right.amc";
    // Where the hips' left and right lie, over the ground: the heading, degrees.
    let turned_deg = |weights: &str| {
        let name = weights.replace(['.', ','], "_");
        let line = format!("{turns} --weights {weights} -o {name}.bvh");
        let output = call(folder.path(), &line);
        assert!(output.status.success(), "{output:?}");
        let poses = json(folder.path(), &format!("pose {name}.bvh --unit m"));
        let frames = poses["frames"].as_array().unwrap();
        let heading = |frame: &Value| {
            let hip =
                |joint: &str, axis: usize| frame["joints"][joint]["start"][axis].as_f64().unwrap();
            let across = [0, 2].map(|axis| hip("lfemur", axis) - hip("rfemur", axis));
            across[0].atan2(across[1]).to_degrees()
        };
        let steps = frames.windows(2).map(|pair| {
            let step = heading(&pair[1]) - heading(&pair[0]);
            (step + 180.0).rem_euclid(360.0) - 180.0
        });
        steps.sum::<f64>()
    };
    let [left, both, right] = ["1,0", "0.5,0.5", "0,1"].map(turned_deg);
    assert!(left > 45.0 && right < -45.0, "{left} {right}");
    let mean = 0.5 * (left + right);
    assert!((both - mean).abs() < 2.0, "{both} of {left} {right}");
    // One turns further than the other: weighted so that they make up for each
    // other, they walk straight on.
    let share = right / (right - left);
    let straight = turned_deg(&format!("{share:.3},{:.3}", 1.0 - share));
    assert!(straight.abs() < 2.0, "{straight} of {left} {right}");
}

#[test]
fn a_transition_joins_two_motions() {
    let folder = tempfile::tempdir().unwrap();
    let line = "transition assets/performer.asf assets/clips/forward.amc assets/clips/run.amc";
    let told = json(
        folder.path(),
        &format!("{line} --seconds 0.3 --json -o away.bvh"),
    );
    for field in ["from_s", "to_s", "seconds", "cost_cm", "frames", "slide_cm"] {
        assert!(told[field].is_number(), "{field}");
    }
    let written = json(folder.path(), "info away.bvh --json");
    assert_eq!(written[0]["frames"], told["frames"]);
}

#[test]
fn what_is_asked_wrongly_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (line, code, words) in [
        (
            "blend assets/performer.asf assets/clips/run.amc -o x.bvh",
            2,
            "at least two",
        ),
        (
            &format!("{WALK_AND_RUN} --weights 1,2,3 -o x.bvh"),
            2,
            "weights",
        ),
        (
            &format!("{WALK_AND_RUN} --weights 1,-1 -o x.bvh"),
            2,
            "weights",
        ),
        (
            &format!("{WALK_AND_RUN} --weights 1,x -o x.bvh"),
            2,
            "not a number",
        ),
        (&format!("{WALK_AND_RUN} -o x.txt"), 2, "names no format"),
        (
            "blend assets/performer.asf assets/clips/run.amc@0..1 assets/clips/run.amc -o x.bvh",
            2,
            "1 frame",
        ),
        (
            "info assets/performer.asf assets/clips/run.amc@50..99999",
            3,
            "no such range",
        ),
        (
            "transition assets/performer.asf assets/clips/run.amc -o x.bvh",
            2,
            "two motions",
        ),
        (
            "transition assets/performer.asf assets/clips/run.amc assets/clips/run.amc --seconds 30 -o x.bvh",
            2,
            "does not fit",
        ),
    ] {
        let output = call(folder.path(), line);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{line}: {told}");
        assert!(told.contains(words), "{line}: {told}");
        assert!(!folder.path().join("x.bvh").exists(), "{line}");
    }
}

#[test]
fn hostile_motions_are_answered_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    // A pendulum: no legs, no contact; and more than an hour of it.
    let pendulum = |frames: usize, frame_secs: f64| {
        let swing = |k: usize| format!("0 1 0 {:.3} 0 0 {:.3} 0 0\n", k % 60, k % 40);
        let rows: String = (0..frames).map(swing).collect();
        format!(
            "HIERARCHY\nROOT beam\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition \
             Zrotation Xrotation Yrotation\nJOINT bob\n{{\nOFFSET 0 -1 0\nCHANNELS 3 Zrotation \
             Xrotation Yrotation\nEnd Site\n{{\nOFFSET 0 -1 0\n}}\n}}\n}}\nMOTION\n\
             Frames: {frames}\nFrame Time: {frame_secs}\n{rows}"
        )
    };
    for (name, frames, secs) in [("short", 90, 0.02), ("hour", 60_000, 0.066_667)] {
        let path = folder.path().join(format!("{name}.bvh"));
        std::fs::write(path, pendulum(frames, secs)).unwrap();
    }
    let run = "assets/performer.asf assets/clips/run.amc";
    let forward = "assets/clips/forward.amc";
    for (line, code, words) in [
        (
            format!("blend {run}@0..1 {forward} -o x.bvh"),
            2,
            "run.amc@0..1: 1 frame",
        ),
        (
            format!("transition {run}@0..1 {forward} -o x.bvh"),
            2,
            "run.amc@0..1",
        ),
        (
            format!("graph {run}@0..1 {forward} --json"),
            0,
            "run.amc@0..1: 1 frame",
        ),
        (format!("blend {run} short.bvh -o x.bvh"), 3, "short.bvh"),
        (
            format!("transition {run} short.bvh -o x.bvh"),
            3,
            "short.bvh",
        ),
        (
            "blend hour.bvh hour.bvh@0.. -o x.bvh".to_owned(),
            2,
            "hour.bvh, hour.bvh@0..: 4000 s",
        ),
        (
            "transition hour.bvh hour.bvh@0.. --seconds 9 -o x.bvh".to_owned(),
            2,
            "hour.bvh",
        ),
        ("graph hour.bvh --json".to_owned(), 2, "hour.bvh: 4000 s"),
        (
            "blend short.bvh short.bvh@10.. -o swing.bvh".to_owned(),
            0,
            "0 stances",
        ),
        (
            "transition short.bvh short.bvh@10.. -o joined.bvh".to_owned(),
            0,
            "slide 0.0 cm",
        ),
    ] {
        let output = call(folder.path(), &line);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{line}: {told}");
        assert!(told.contains(words), "{line}: {told}");
        assert!(
            !told.contains("motion 1") && !told.contains("motion 2"),
            "{line}: {told}"
        );
        assert!(!folder.path().join("x.bvh").exists(), "{line}");
    }
}

#[test]
fn many_skeletons_and_motions_find_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    for (from, to) in [
        ("performer.asf", "one.asf"),
        ("performer.asf", "two.asf"),
        ("clips/forward.amc", "walk.amc"),
        ("clips/run.amc", "run.amc"),
    ] {
        std::fs::copy(assets.join(from), folder.path().join(to)).unwrap();
    }
    // No name tells; a skeleton alone before its motions does.
    let told = json(
        folder.path(),
        "info one.asf walk.amc two.asf run.amc --json",
    );
    let rows = told.as_array().unwrap().iter();
    let motions = rows.filter(|it| it["kind"] == "motion");
    let skeletons: Vec<_> = motions.filter_map(|it| it["skeleton"].as_str()).collect();
    assert_eq!(skeletons, ["one.asf", "two.asf"]);
    for command in ["graph", "blend -o x.bvh", "transition -o x.bvh"] {
        let (name, rest) = command.split_once(' ').unwrap_or((command, ""));
        let line = format!("{name} one.asf two.asf walk.amc run.amc {rest} --force");
        let output = call(folder.path(), line.replace("  ", " ").trim());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{line}: {told}");
        assert_eq!(
            told.matches("fits best of several").count(),
            2,
            "{line}: {told}"
        );
    }
    // Whoever shows or writes a motion as it is has to be told.
    let output = call(folder.path(), "pose one.asf two.asf walk.amc");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("2 skeletons come into question"), "{told}");
}

#[test]
fn every_command_understands_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let run = "assets/performer.asf assets/clips/run.amc@0.1s..0.4s";
    let told = json(folder.path(), &format!("info {run} --json"));
    let motion = told
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["kind"] == "motion")
        .unwrap();
    let frames = motion["frames"].as_u64().unwrap() as usize;
    assert_eq!(
        frames,
        (0.3 * motion["fps"].as_f64().unwrap()).round() as usize
    );
    let poses = json(folder.path(), &format!("pose {run}"));
    assert_eq!(poses["frames"].as_array().unwrap().len(), frames);
    let more = "assets/clips/run.amc@20.. assets/clips/forward.amc@..90";
    for line in [
        format!("compress {run} -o x.kin"),
        format!("convert {run} -o x.bvh"),
        format!("blend {run} assets/clips/run.amc@0.2s..0.5s -o blend.bvh"),
        format!("transition {run} {more} --seconds 0.1 -o joined.bvh")
            .replace(" assets/clips/forward.amc@..90", ""),
        format!("graph {run} {more} --json"),
    ] {
        let output = call(folder.path(), &line);
        assert!(output.status.success(), "{line}: {output:?}");
    }
    let graph = json(folder.path(), &format!("graph {run} {more} --json"));
    let of = |index: usize| graph["motions"][index]["frames"].as_u64().unwrap() as usize;
    assert_eq!((of(0), of(2)), (frames, 90));
    // A folder has no frames of its own.
    let output = call(folder.path(), "info assets/clips@0..10");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(
        told.contains("clips@0..10") && told.contains("folder"),
        "{told}"
    );
}

#[cfg(feature = "viewer")]
#[test]
fn a_range_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let run = "assets/performer.asf assets/clips/run.amc@10..20";
    let line = format!("render {run} --frame 9 --size 64x64 -o x.png");
    let output = call(folder.path(), &line);
    match output.status.code() {
        // No graphics here.
        Some(4) => {}
        code => assert_eq!(code, Some(0), "{output:?}"),
    }
    let beyond = call(folder.path(), &line.replace("--frame 9", "--frame 10"));
    assert!(!beyond.status.success(), "{beyond:?}");
}
