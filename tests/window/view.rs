//! View mode: a capture is opened, scrubbed, compressed, pictured.

use std::fs;

use crate::stage::{Viewer, asset, can_run};

/// Titles of the side panel in View mode.
const SECTIONS: [&str; 4] = ["Clip", "Compression", "Skeleton", "Display"];

pub fn is_open(line: &serde_json::Value, title: &str) -> bool {
    let open = line["open"].as_array().unwrap();
    open.iter().any(|known| known == title)
}

/// Different colours of a picture, coarsely: an empty one has few.
fn colours(path: &std::path::Path) -> usize {
    let picture = image::open(path).unwrap().to_rgb8();
    let coarse = picture.pixels().map(|pixel| pixel.0.map(|byte| byte / 8));
    coarse.collect::<std::collections::HashSet<_>>().len()
}

#[test]
fn a_capture_is_viewed_scrubbed_and_compressed() {
    if !can_run() {
        return;
    }
    let motion = asset("clips/forward.amc");
    let mut viewer = Viewer::start(&[&asset("performer.asf"), &motion]);
    let line = viewer.wait("the capture", |line| line["clip"] == "forward.amc");
    assert_eq!(line["mode"], "view");
    assert_eq!(line["playing"], true);
    let first = viewer.last()["frame"].as_u64();
    viewer.wait("playback", |line| line["frame"].as_u64() != first);

    viewer.key("space");
    viewer.wait("the pause", |line| line["playing"] == false);
    // A paused picture is not redrawn.
    viewer.wait_for_rest(std::time::Duration::from_secs(3));
    assert_eq!(viewer.last()["full_quality"], true);

    viewer.key("Home");
    viewer.wait("frame 0", |line| line["frame"] == 0);
    viewer.key("period");
    viewer.wait("frame 1", |line| line["frame"] == 1);
    scrub(&viewer);
    viewer.key("minus");
    viewer.wait("half speed", |line| line["speed"] == 0.5);
    take_pictures(&viewer);
    compress(&viewer);
    toggle_panels(&viewer);
    viewer.tool(&["windowsize", "--sync", viewer.window(), "900", "640"]);
    viewer.wait("the new size", |line| {
        line["size"][0] == 900 && line["size"][1] == 640
    });

    assert_eq!(viewer.last()["errors"], 0);
    assert!(viewer.is_alive());
    viewer.quit();
    let remembered = viewer.folder.path().join("config/kinetoscope/settings.ron");
    let text = fs::read_to_string(remembered).unwrap();
    assert!(text.contains("forward.amc"), "recent files are remembered");
}

/// A drag along the timeline; every place shows within two frames.
fn scrub(viewer: &Viewer) {
    let [middle, y] = viewer.place_of("Timeline");
    let drawn = viewer.drawn();
    viewer.drag([middle - 300, y], [middle + 100, y], "1");
    let line = viewer.wait_from(drawn, "the end of the scrub", |line| {
        let share = line["phase"].as_f64().unwrap();
        (share - (0.5 + 100.0 / 1248.0)).abs() < 0.01
    });
    assert_eq!(line["playing"], false, "scrubbing leaves it paused");
    let lines = viewer.lines_from(drawn);
    let touched = lines.iter().position(|line| line["inputs"] != 0);
    let moved = lines.iter().position(|line| line["frame"] != 1);
    let (touched, moved) = (touched.unwrap(), moved.unwrap());
    assert!(
        moved <= touched + 1,
        "touched in frame {touched}, shown in {moved}"
    );
}

fn take_pictures(viewer: &Viewer) {
    viewer.key("p");
    let bare = viewer.wait_for_files("png", 1).remove(0);
    viewer.key("p");
    viewer.wait_for_files("png", 2);
    viewer.key("shift+p");
    let all = viewer.wait_for_files("png", 3);
    let (with_panels, bare_colours) = (
        all.iter().map(|path| colours(path)).max().unwrap(),
        colours(&bare),
    );
    assert!(bare_colours > 60, "the figure is in it: {bare_colours}");
    assert!(with_panels > bare_colours, "{with_panels} with panels");
    let size = image::image_dimensions(&bare).unwrap();
    let shown = &viewer.last()["size"];
    assert_eq!(size, (as_u32(&shown[0]), as_u32(&shown[1])));
}

fn as_u32(value: &serde_json::Value) -> u32 {
    value.as_u64().unwrap() as u32
}

fn compress(viewer: &Viewer) {
    // Sections stay open: this one makes room.
    viewer.press("Clip");
    viewer.wait("room", |line| !is_open(line, "Clip"));
    viewer.press("Compression");
    viewer.wait("the panel", |line| is_open(line, "Compression"));
    for codec in ["Spline", "Tight", "Every", "Classic"] {
        if ["Every", "Classic"].contains(&codec) {
            viewer.press("More codecs");
        }
        viewer.press(codec);
        viewer.wait("the codec", |line| line["codec"] == codec);
        viewer.wait("a compressed clip", |line| line["compressed"] == true);
    }
    let before = viewer.last()["setting"].as_f64().unwrap();
    let [x, y] = viewer.place_of("threshold");
    viewer.drag([x, y], [x + 30, y], "1");
    viewer.wait("another threshold", |line| {
        line["setting"].as_f64() != Some(before) && line["compressed"] == true
    });
    viewer.press("Off");
    viewer.wait("the original", |line| line["codec"] == "off");
}

/// Every section of the side panel, the panel itself, and what floats.
fn toggle_panels(viewer: &Viewer) {
    for title in SECTIONS {
        let was = is_open(&viewer.last(), title);
        viewer.press(title);
        viewer.wait(title, |line| is_open(line, title) != was);
        viewer.press(title);
        viewer.wait(title, |line| is_open(line, title) == was);
    }
    for shown in [false, true] {
        viewer.key("F2");
        viewer.wait("the side panel", |line| line["side"] == shown);
    }
    for (key, title) in [("F1", "Shortcuts"), ("F3", "Messages")] {
        viewer.key(key);
        viewer.wait(title, |line| is_open(line, title));
        viewer.key("Escape");
        viewer.wait(title, |line| !is_open(line, title));
    }
    let drawn = viewer.drawn();
    for key in ["b", "n", "x", "t", "g", "m", "1", "7", "f", "c"] {
        viewer.key(key);
    }
    viewer.wait_from(drawn, "frames after keys", |_| true);
}

#[test]
fn a_malformed_file_is_told_and_the_old_clip_plays_on() {
    if !can_run() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let copy = |from: &str, to: &str| fs::copy(asset(from), folder.path().join(to)).unwrap();
    copy("performer.asf", "performer.asf");
    copy("clips/attack.amc", "a.amc");
    fs::write(folder.path().join("b.amc"), ":DEGREES\n1\nroot 0 0 zero\n").unwrap();
    let mut viewer = Viewer::start(&[&folder.path().join("a.amc")]);
    viewer.wait("the capture", |line| line["clip"] == "a.amc");
    viewer.key("Next");
    let line = viewer.wait("a notice", |line| line["errors"].as_u64() > Some(0));
    assert_eq!(line["clip"], "a.amc", "what was there stays");
    assert_eq!(line["playing"], true);
    let frame = line["frame"].as_u64();
    let line = viewer.wait("playback", |line| line["frame"].as_u64() != frame);
    assert_eq!(line["clip"], "a.amc");
    assert!(viewer.is_alive());
}
