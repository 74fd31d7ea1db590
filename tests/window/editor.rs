//! The animator's editor in the real window.

use std::{thread, time::Duration};

use crate::stage::{PATIENCE, Viewer, can_run};

/// Waits until a control is there, or is not.
fn wait_for(viewer: &Viewer, label: &str, there: bool) {
    let started = std::time::Instant::now();
    while viewer.find(label).is_some() != there {
        assert!(started.elapsed() < PATIENCE, "{label:?}: {there}");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn states_and_keys_are_made_by_hand_and_quitting_asks_for_what_is_not_saved() {
    if !can_run() {
        return;
    }
    let mut viewer = Viewer::start(&[]);
    viewer.wait("the idle performer", |line| line["mode"] == "drive");
    viewer.press("Edit");
    let ground = viewer.place_of("Graph of the layer");
    viewer.move_to(ground);
    viewer.tool(&["click", "--repeat", "2", "--delay", "60", "1"]);
    wait_for(&viewer, "State STATE", true);

    // A key is bound by pressing it, and drives nobody meanwhile.
    viewer.press("Keys");
    viewer.press("Key 1");
    wait_for(&viewer, "Esc: cancel", true);
    let drawn = viewer.drawn();
    viewer.key("w");
    wait_for(&viewer, "Esc: cancel", false);
    let states = viewer.lines_from(drawn);
    let stood = states.iter().all(|it| it["layers"][0]["state"] == "IDLE");
    assert!(stood, "W drove while it was bound");

    // Ctrl+Q asks, Esc goes on.
    viewer.key("ctrl+q");
    wait_for(&viewer, "Discard the edits", true);
    viewer.key("Escape");
    wait_for(&viewer, "Discard the edits", false);
    assert!(viewer.is_alive());
    let drawn = viewer.drawn();
    viewer.wait_from(drawn, "Drive still", |line| line["mode"] == "drive");
    viewer.key("ctrl+q");
    viewer.press("Discard the edits");
    let started = std::time::Instant::now();
    while viewer.is_alive() {
        assert!(started.elapsed() < PATIENCE, "it does not end");
        thread::sleep(Duration::from_millis(50));
    }
}
