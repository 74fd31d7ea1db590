//! Blend mode: two clips are taken, weighed and left.

use crate::stage::{Viewer, asset, can_run};

#[test]
fn two_clips_are_blended_by_hand() {
    if !can_run() {
        return;
    }
    let motion = asset("clips/forward.amc");
    let mut viewer = Viewer::start(&[&asset("performer.asf"), &motion]);
    viewer.wait("the capture", |line| line["clip"] == "forward.amc");
    viewer.key("ctrl+b");
    viewer.wait("Blend", |line| line["mode"] == "blend");
    // What was shown is taken; the list is long, so the other one is looked for.
    viewer.press("Search clips");
    viewer.tool(&["type", "run"]);
    viewer.press("Blend: run.amc");
    viewer.wait("the blend", |line| line["clip"] == "forward + run");
    let first = viewer.last()["frame"].as_u64();
    viewer.wait("playback", |line| line["frame"].as_u64() != first);

    // To the left is all of the first clip: the weight tells.
    let [x, y] = viewer.place_of("Weights");
    viewer.drag([x, y], [x - 200, y], "1");
    viewer.wait("all of the first", |line| line["weights"][0] == 1.0);
    viewer.press("Send to state");
    viewer.press("FORWARD");
    viewer.wait_for_files("bvh", 1);
    viewer.press("Plain");
    viewer.press("Aligned");
    viewer.press("Registration");
    viewer.place_of("Distance grid");

    viewer.key("Escape");
    let line = viewer.wait("View", |line| line["mode"] == "view");
    assert_eq!(line["clip"], "forward.amc");
    assert_eq!(viewer.last()["errors"], 0);
    viewer.quit();
}

#[test]
fn a_path_drawn_on_the_ground_is_walked_along() {
    if !can_run() {
        return;
    }
    // Two clips: the graph of all that come with the program takes a while.
    let folder = tempfile::tempdir().unwrap();
    for name in ["performer.asf", "clips/forward.amc", "clips/run.amc"] {
        let from = asset(name);
        let to = folder.path().join(from.file_name().unwrap());
        std::fs::copy(from, to).unwrap();
    }
    let mut viewer = Viewer::start(&[folder.path()]);
    viewer.wait("the capture", |line| line["clip"] == "forward.amc");
    viewer.key("ctrl+b");
    viewer.wait("Blend", |line| line["mode"] == "blend");
    viewer.press("Draw a path");
    let drawn = viewer.drawn();
    viewer.move_to([250, 620]);
    viewer.tool(&["mousedown", "1"]);
    viewer.wait_from(drawn, "the press", |line| line["inputs"] != 0);
    for step in 1..=20 {
        let across = f64::from(step) / 20.0;
        let y = 620.0 - 110.0 * (3.0 * across).sin();
        viewer.move_to([250 + (400.0 * across) as i32, y as i32]);
    }
    viewer.tool(&["mouseup", "1"]);
    viewer.wait("the walk", |line| line["clip"] == "walk");
    let first = viewer.last()["frame"].as_u64();
    viewer.wait("playback", |line| line["frame"].as_u64() != first);
    assert_eq!(viewer.last()["errors"], 0);
    viewer.press("Clear path");
    viewer.wait("the clip again", |line| line["clip"] == "forward.amc");
    viewer.quit();
}
