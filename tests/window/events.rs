//! Events edited by hand, and others beside the lead.

use serde_json::Value;

use crate::stage::{Viewer, asset, can_run};

fn came(line: &Value, name: &str) -> bool {
    let events = line["events"].as_array().unwrap();
    events.iter().any(|it| it == name)
}

/// Whether an event comes while the clip plays through twice.
fn comes(viewer: &Viewer, name: &str) -> bool {
    let from = viewer.drawn();
    let round = |from: usize| {
        viewer.wait_from(from, "the end", |line| line["phase"].as_f64() > Some(0.8));
        let late = viewer.drawn();
        viewer.wait_from(late, "the start", |line| line["phase"].as_f64() < Some(0.2));
        viewer.drawn()
    };
    let once = round(from);
    round(once);
    viewer.lines_from(from).iter().any(|line| came(line, name))
}

#[test]
fn events_are_added_named_taken_back_and_come_when_they_are_passed() {
    if !can_run() {
        return;
    }
    let motion = asset("clips/forward.amc");
    let mut viewer = Viewer::start(&[&asset("performer.asf"), &motion]);
    viewer.wait("the capture", |line| {
        line["clip"] == "forward.amc" && line["mode"] == "view"
    });
    assert!(!comes(&viewer, "event"));
    // Between two strikes of feet, whose marks would lie over it.
    viewer.key("space");
    viewer.wait("a pause", |line| line["playing"] == false);
    viewer.key("Home");
    for _ in 0..20 {
        viewer.key("Right");
    }
    viewer.wait("frame 200", |line| line["frame"] == 200);
    viewer.key("e");
    viewer.place_of("Event name");
    // The new event's name is being typed.
    viewer.key("Return");
    let [x, y] = viewer.place_of("Timeline");
    viewer.move_to([x, y - 300]);
    viewer.key("space");
    viewer.wait("the event", |line| came(line, "event"));
    let [x, y] = viewer.place_of("Event name");
    viewer.click([x, y], "1");
    viewer.key("ctrl+a");
    viewer.tool(&["type", "clap"]);
    viewer.key("Return");
    viewer.wait("its new name", |line| came(line, "clap"));
    viewer.press("Event clap");
    viewer.key("Delete");
    assert!(!comes(&viewer, "clap"));
    viewer.key("ctrl+z");
    viewer.wait("the event again", |line| came(line, "clap"));
    assert_eq!(viewer.last()["errors"], 0);
    viewer.quit();
}

#[test]
fn somebody_is_added_driven_by_the_arrows_and_taken_away() {
    if !can_run() {
        return;
    }
    let mut viewer = Viewer::start(&[]);
    viewer.wait("Drive", |line| line["mode"] == "drive");
    viewer.press("Add character");
    viewer.press("Arrow keys");
    let line = viewer.wait("another", |line| {
        line["characters"]
            .as_array()
            .is_some_and(|it| it.len() == 1)
    });
    let other = |line: &Value| line["characters"][0].clone();
    let before = other(&line)["root"].clone();
    viewer.tool(&["keydown", "Up"]);
    viewer.wait("it walks", |line| {
        other(line)["layers"][0]["state"] == "FORWARD"
    });
    viewer.wait("it goes", |line| {
        let now = &other(line)["root"];
        let way = |axis: usize| now[axis].as_f64().unwrap() - before[axis].as_f64().unwrap();
        way(0).hypot(way(2)) > 0.3
    });
    assert_eq!(
        viewer.last()["layers"][0]["state"],
        "IDLE",
        "the lead stays"
    );
    viewer.tool(&["keyup", "Up"]);
    let name = other(&viewer.last())["name"].as_str().unwrap().to_owned();
    viewer.press(&format!("Remove {name}"));
    viewer.wait("alone", |line| line["characters"].is_null());
    assert_eq!(viewer.last()["errors"], 0);
    viewer.quit();
}

/// Gamepads and sound are looked for at run time, so neither has to be there.
#[test]
fn no_library_of_gamepads_or_sound_is_needed_to_start() {
    let program = env!("CARGO_BIN_EXE_kinetoscope");
    let Ok(listed) = std::process::Command::new("ldd").arg(program).output() else {
        return;
    };
    let listed = String::from_utf8_lossy(&listed.stdout);
    assert!(listed.contains("libc.so"), "{listed}");
    for library in ["libudev", "libasound", "libpulse"] {
        assert!(!listed.contains(library), "{library} in {listed}");
    }
}
