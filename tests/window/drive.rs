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

/// A place of the picture at which the pointer is on a joint: rows through the
/// middle, where the figure is.
fn on_a_joint(viewer: &Viewer) -> ([i32; 2], String) {
    for y in (220..620).step_by(12) {
        for x in (400..560).step_by(12) {
            let drawn = viewer.drawn();
            viewer.move_to([x, y]);
            let line = viewer.wait_from(drawn, "a frame", |_| true);
            if let Some(joint) = line["hovered"].as_str() {
                return ([x, y], joint.to_owned());
            }
        }
    }
    panic!("no joint under the pointer")
}

#[test]
fn a_drag_on_a_joint_pulls_at_it_and_elsewhere_orbits() {
    if !can_run() {
        return;
    }
    let viewer = Viewer::start(&[]);
    viewer.wait("the idle performer", |line| base_state(line) == "IDLE");
    let (at, joint) = on_a_joint(&viewer);
    let drawn = viewer.drawn();
    viewer.tool(&["mousedown", "1"]);
    let line = viewer.wait_from(drawn, "the hold", |line| !line["held"].is_null());
    assert_eq!(line["held"], joint.as_str());
    viewer.move_to([at[0] + 30, at[1] - 20]);
    viewer.move_to([at[0] + 60, at[1] - 40]);
    viewer.wait("the pull", |line| {
        line["pulled_cm"].as_f64().is_some_and(|cm| cm > 3.0)
    });
    viewer.tool(&["mouseup", "1"]);
    viewer.wait("the release", |line| line["held"].is_null());
    assert_eq!(base_state(&viewer.last()), "IDLE", "a drag does not strike");

    // A click on a joint strikes.
    viewer.click(on_a_joint(&viewer).0, "1");
    viewer.wait("ATTACK", |line| base_state(line) == "ATTACK");

    // In View it chooses the joint, and a drag pulls there too.
    viewer.key("Escape");
    viewer.wait("View", |line| line["mode"] == "view");
    let (at, _) = on_a_joint(&viewer);
    viewer.tool(&["mousedown", "1"]);
    viewer.move_to([at[0] + 40, at[1] - 20]);
    viewer.move_to([at[0] + 60, at[1] - 30]);
    viewer.wait("the pull in View", |line| {
        line["pulled_cm"].as_f64().is_some_and(|cm| cm > 3.0)
    });
    viewer.tool(&["mouseup", "1"]);
    viewer.wait("the release", |line| line["held"].is_null());
    // Beside the figure nothing is held.
    viewer.drag([120, 500], [200, 520], "1");
    assert!(viewer.lines_from(drawn).last().unwrap()["held"].is_null());
}
