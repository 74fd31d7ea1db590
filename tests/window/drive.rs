//! Drive mode: keys move the performer.

use serde_json::Value;

use crate::stage::{Viewer, can_run};

fn base_state(line: &Value) -> &str {
    line["layers"][0]["state"].as_str().unwrap_or_default()
}

fn upper_state(line: &Value) -> &str {
    line["layers"][1]["state"].as_str().unwrap_or_default()
}

#[test]
fn keys_drive_the_performer() {
    if !can_run() {
        return;
    }
    let mut viewer = Viewer::start(&[]);
    viewer.wait("the idle performer", |line| {
        line["mode"] == "drive" && base_state(line) == "IDLE"
    });
    let before = viewer.last()["root"][2].as_f64().unwrap();
    viewer.tool(&["keydown", "w"]);
    viewer.wait("FORWARD", |line| base_state(line) == "FORWARD");
    viewer.wait("root motion", |line| {
        line["root"][2].as_f64().unwrap() > before + 0.3
    });
    viewer.click([480, 400], "1");
    let line = viewer.wait("ATTACK above the waist", |line| {
        upper_state(line) == "ATTACK"
    });
    assert_eq!(base_state(&line), "FORWARD", "the legs go on");
    viewer.tool(&["keydown", "shift"]);
    viewer.wait("RUN", |line| base_state(line) == "RUN");
    viewer.tool(&["keyup", "shift", "keyup", "w"]);
    viewer.wait("IDLE again", |line| base_state(line) == "IDLE");
    viewer.key("space");
    viewer.wait("JUMP", |line| base_state(line) == "JUMP");
    viewer.wait("IDLE after the jump", |line| base_state(line) == "IDLE");

    // Esc leaves Drive and never quits; Tab toggles, and badges choose.
    viewer.key("Escape");
    viewer.wait("View", |line| line["mode"] == "view");
    let drawn = viewer.drawn();
    viewer.key("Escape");
    viewer.wait_from(drawn, "a frame after Esc", |_| true);
    assert!(viewer.is_alive(), "Esc never quits");
    viewer.key("Tab");
    viewer.wait("Drive", |line| line["mode"] == "drive");
    viewer.press("Mode: VIEW");
    viewer.wait("View again", |line| line["mode"] == "view");
}

#[test]
fn a_window_that_loses_the_focus_releases_its_keys() {
    if !can_run() {
        return;
    }
    let viewer = Viewer::start(&[]);
    viewer.tool(&["keydown", "w"]);
    viewer.wait("FORWARD", |line| base_state(line) == "FORWARD");
    let root = viewer.tool(&["search", "--maxdepth", "0", "--name", ".*"]);
    let root = root.lines().next().unwrap_or("0").to_owned();
    viewer.tool(&["windowfocus", &root]);
    viewer.wait("IDLE while W is still down", |line| {
        base_state(line) == "IDLE"
    });
    viewer.tool(&["keyup", "w"]);
}
