//! Files that version 0.1 wrote are still read, and still mean the same.
//!
//! `fixtures/compat/0.1/README.md` says how each was made. They are never made
//! anew: a test that fails here has broken a user's file.
#![allow(clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stderr, clippy::unwrap_used)]

mod common;

use std::{fs, path::PathBuf};

use common::{
    drive::{performance, performer_with},
    kinetoscope,
};
use glam::Vec3;
use kinetoscope::{
    clip::{ClipCursor, SampleClip},
    load::{self, LoadOptions, Loaded},
    skeleton::LocalPose,
};
use serde_json::{Value, json};

/// `pose` prints micrometres; decoders may round otherwise in the last bit of
/// an `f32`, which at 4 m is half a micrometre a joint down the chain.
const STORED_M: f64 = 1e-5;
/// Retargeting and the animator may be improved; the file must still mean the
/// same motion.
const PLAYED_M: f64 = 0.01;
/// The performer's own clips may be improved too: since 0.1 it stands and steps
/// aside more upright, which brings its hands nearer.
const PERFORMED_M: f64 = 0.03;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/compat/0.1")
}

fn expected(name: &str) -> Value {
    let path = folder().join("expected").join(name).with_extension("json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// What a command prints when run beside the fixtures.
fn run(args: &[&str]) -> Value {
    let output = kinetoscope()
        .current_dir(folder())
        .args(args)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Everything that is expected is there, numbers within the tolerance; there
/// may be more.
fn check(expected: &Value, found: &Value, tolerance: f64, at: &str) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            // People's heights are told by their bones since, not by how their
            // rest pose happens to stand.
            for (key, value) in expected.iter().filter(|(key, _)| *key != "height_m") {
                let at = format!("{at}.{key}");
                let found = found.get(key).unwrap_or_else(|| panic!("{at} is missing"));
                check(value, found, tolerance, &at);
            }
        }
        (Value::Array(expected), Value::Array(found)) => {
            assert_eq!(expected.len(), found.len(), "{at}");
            for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
                check(expected, found, tolerance, &format!("{at}[{index}]"));
            }
        }
        (Value::Number(expected), Value::Number(found)) => {
            let (expected, found) = (expected.as_f64().unwrap(), found.as_f64().unwrap());
            let apart = (expected - found).abs();
            assert!(
                apart <= tolerance,
                "{at}: {found} is {apart:.2e} from {expected}, allowed {tolerance:.2e}"
            );
        }
        _ => assert_eq!(expected, found, "{at}"),
    }
}

#[test]
fn containers_of_every_codec_hold_the_poses_they_held() {
    for name in [
        "classic",
        "spline",
        "tight",
        "every",
        "several",
        "mixed",
        "keys",
        "keys_twice",
        "every_dof",
    ] {
        let expected = expected(name);
        let file = format!("{name}.kin");
        let info = run(&["info", "--json", &file]);
        check(&expected["info"], &info, STORED_M, &file);
        let frames = expected["frames"].as_str().unwrap();
        let pose = run(&["pose", &file, "--frames", frames]);
        check(&expected["pose"], &pose, STORED_M, &file);
    }
}

/// Morph weights and scales are not in what `pose` prints.
#[test]
fn keys_of_a_container_carry_scales_and_morph_weights() {
    let loaded = load::load(&[folder().join("keys.kin")], LoadOptions::default());
    let motion = loaded.into_iter().find_map(|(_, loaded)| match loaded {
        Ok(Loaded::Motion(motion)) => Some(motion),
        _ => None,
    });
    let motion = motion.expect("a motion");
    let skeleton = &motion.skeleton.imported.skeleton;
    let tracks = motion.own_keys().expect("keys");
    let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
    let mut found = Vec::new();
    for secs in [0.0, 0.25, 0.6, 1.0] {
        tracks.sample(skeleton, secs, &mut cursor, &mut pose);
        let one = Vec3::ONE;
        let scale = |joint: usize| pose.scales().get(joint).unwrap_or(&one).to_array();
        let scales: Vec<[f32; 3]> = (0..skeleton.len()).map(scale).collect();
        found.push(json!({
            "secs": secs, "morphs": pose.morphs(), "scales": scales,
        }));
    }
    check(&expected("keys_tracks"), &json!(found), 1e-6, "keys.kin");
}

#[test]
fn a_saved_map_leads_to_the_same_poses() {
    let pose = [
        "pose",
        "source.bvh",
        "--onto",
        "target.bvh",
        "--frames",
        "0,2",
    ];
    let found = run(&[&pose[..], &["--map", "map.ron"]].concat());
    check(&expected("map"), &found, PLAYED_M, "map.ron");
}

/// Fingers and thumbs, which the other map has not.
#[test]
fn a_saved_map_of_the_performer_onto_itself_changes_nothing() {
    let plain = [
        "pose",
        "../../../../assets/performer.asf",
        "../../../../assets/clips/attack.amc",
        "--frames",
        "0,125",
    ];
    let mapped = ["--onto", "performer", "--map", "map_performer.ron"];
    let found = run(&[&plain[..], &mapped].concat());
    check(&run(&plain), &found, PLAYED_M, "map_performer.ron");
}

/// A file with every word of the format, driven by a script with every verb.
#[test]
fn an_animator_file_and_a_script_drive_as_they_did() {
    let text = |name: &str| fs::read_to_string(folder().join(name)).unwrap();
    let graph = performer_with(&text("animator.ron"));
    assert!(graph.notes.is_empty(), "{:?}", graph.notes);
    let hand = usize::from(graph.skeleton.find("lwrist").unwrap());
    let script = text("script.txt") + "\n0 look 1 1.5 3\n0 reach left_hand 0.3 1.2 0.4";
    let mut performance = performance(&graph, &script, 60.0);
    let mut found = Vec::new();
    let mut events = Vec::new();
    for frame in 0..=480 {
        let trace = performance.step();
        events.extend(trace.events.clone());
        if frame % 15 == 0 {
            let layers = trace.layers.iter().map(|it| &it.state);
            let hand = performance.character.world_pose().joints()[hand].translation;
            found.push(json!({
                "t": trace.t,
                "layers": layers.collect::<Vec<_>>(),
                "root": trace.root,
                "heading": trace.heading,
                "hand": hand.to_array(),
                "events": std::mem::take(&mut events),
            }));
        }
    }
    check(
        &expected("animator"),
        &json!(found),
        PERFORMED_M,
        "animator.ron",
    );
}
