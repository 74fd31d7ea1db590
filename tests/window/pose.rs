//! The Pose section by mouse: every page's actions reach the character.

use serde_json::Value;

use crate::stage::{Viewer, asset, can_run};

fn posing(line: &Value) -> &Value {
    &line["posing"]
}

#[test]
fn the_pose_section_does_what_scripts_do() {
    if !can_run() {
        return;
    }
    let motion = asset("clips/forward.amc");
    let mut viewer = Viewer::start(&[&asset("performer.asf"), &motion]);
    viewer.wait("the capture", |line| line["clip"] == "forward.amc");
    // The clip's own section makes room.
    viewer.press("Clip");
    viewer.press("Pose");
    viewer.wait("the section", |line| {
        line["open"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it == "Pose")
    });
    viewer.press("Pointer");
    let [x, y] = viewer.place_of("Timeline");
    viewer.move_to([x - 200, y - 300]);
    viewer.wait("a look at the pointer", |line| {
        posing(line)["look"].as_f64().is_some_and(|look| look > 0.5)
    });
    viewer.press("Props");
    viewer.press("Stick");
    viewer.wait("a stick in the hand", |line| {
        posing(line)["props"][0]["held"] == true
    });
    viewer.press("Throw");
    viewer.wait("it flies", |line| posing(line)["props"][0]["held"] == false);
    viewer.wait("it is caught", |line| {
        posing(line)["props"][0]["held"] == true
    });
    viewer.press("Down");
    viewer.wait("it is let go", |line| {
        posing(line)["props"][0]["joint"].is_null()
    });
    viewer.press("Ground");
    viewer.press("Stairs");
    viewer.wait("stairs", |line| {
        let ground = posing(line)["ground"].as_str();
        ground.is_some_and(|it| it.starts_with("stairs 0.18"))
    });
    viewer.press("Foot lock");
    viewer.wait("the foot lock", |line| posing(line)["foot_lock"] == true);
    viewer.press("In place");
    viewer.wait("on the spot", |line| posing(line)["in_place"] == true);
    viewer.press("Flat");
    viewer.wait("flat ground", |line| posing(line)["ground"].is_null());
    assert_eq!(viewer.last()["errors"], 0);
    assert!(viewer.is_alive());
    viewer.quit();
}

/// Whoever meets a place, rests, goes limp, is pushed and gets up does so by buttons.
#[test]
fn a_body_meets_a_place_falls_and_gets_up_by_mouse() {
    if !can_run() {
        return;
    }
    let motion = asset("clips/idle.amc");
    let mut viewer = Viewer::start(&[&asset("performer.asf"), &motion]);
    viewer.wait("the capture", |line| line["clip"] == "idle.amc");
    viewer.press("Clip");
    viewer.press("Pose");
    viewer.press("Meet");
    viewer.press("Ahead");
    viewer.press("Send there");
    viewer.wait("the hand there", |line| {
        posing(line)["meets"][0][1]
            .as_f64()
            .is_some_and(|far_m| far_m < 0.02)
    });
    viewer.press("Rest pose");
    viewer.press("Rest pose");
    viewer.press("Ragdoll");
    viewer.press("Go limp");
    viewer.wait("a limp body", |line| {
        let word = posing(line)["ragdoll"].as_str();
        word.is_some_and(|word| ["limp", "falling", "lying"].contains(&word))
    });
    viewer.press("forward");
    viewer.wait("it lies", |line| posing(line)["ragdoll"] == "lying");
    viewer.press("Get up");
    viewer.wait("on its way up", |line| posing(line)["ragdoll"] == "rising");
    viewer.wait("it stands", |line| posing(line)["ragdoll"].is_null());
    assert_eq!(viewer.last()["errors"], 0);
    assert!(viewer.is_alive());
    viewer.quit();
}
