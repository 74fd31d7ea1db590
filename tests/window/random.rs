//! Random hands on the real window.

use std::{
    fmt::Write as _,
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use kinetoscope::testing::Random;

use crate::stage::{Viewer, asset, can_run};

/// Keys that neither end the program nor leave the screen.
const KEYS: [&str; 46] = [
    "Tab",
    "Escape",
    "F1",
    "F2",
    "F3",
    "space",
    "comma",
    "period",
    "Left",
    "Right",
    "Up",
    "Down",
    "Home",
    "End",
    "bracketleft",
    "bracketright",
    "backslash",
    "minus",
    "equal",
    "r",
    "l",
    "Prior",
    "Next",
    "w",
    "s",
    "a",
    "d",
    "q",
    "e",
    "j",
    "f",
    "1",
    "3",
    "5",
    "7",
    "9",
    "c",
    "k",
    "b",
    "n",
    "x",
    "t",
    "g",
    "m",
    "z",
    "ctrl+v",
];

/// Anywhere, but more often where controls are.
fn point(random: &mut Random) -> (usize, usize) {
    match random.below(4) {
        0 => (random.below(1280), random.below(800)),
        1 => (random.below(1280), 700 + random.below(100)),
        2 => (random.below(1280), random.below(32)),
        _ => (976 + random.below(304), random.below(800)),
    }
}

/// One action in xdotool's words.
fn action(random: &mut Random, window: &str) -> String {
    let (x, y) = point(random);
    match random.below(20) {
        0..9 => format!("mousemove {x} {y} click 1\n"),
        9 => format!("mousemove {x} {y} click {}\n", 2 + random.below(4)),
        10..13 => {
            let ((u, v), button) = (point(random), 1 + random.below(3));
            format!(
                "mousemove {x} {y} mousedown {button}\nmousemove {} {}\n\
                 mousemove {u} {v} mouseup {button}\n",
                (x + u) / 2,
                (y + v) / 2
            )
        }
        13 => {
            let (width, height) = (640 + random.below(640), 400 + random.below(400));
            format!("windowsize {window} {width} {height}\n")
        }
        14 => format!("windowsize {window} 1280 800\n"),
        _ => format!("key {}\n", KEYS[random.below(KEYS.len())]),
    }
}

/// Works the window; the program is looked at after every fifty actions, and
/// its animator saved, half of the times broken.
fn work(viewer: &mut Viewer, random: &mut Random, actions: u32) {
    let mut left = actions;
    while left > 0 {
        let now = left.min(50);
        let mut script = String::new();
        for _ in 0..now {
            script.push_str(&action(random, viewer.window()));
            let _ = writeln!(script, "sleep 0.01");
        }
        let mut tool = Command::new("xdotool")
            .arg("-")
            .env("DISPLAY", viewer.display())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        tool.stdin
            .take()
            .unwrap()
            .write_all(script.as_bytes())
            .unwrap();
        assert!(tool.wait().unwrap().success());
        assert!(viewer.is_alive(), "{left} actions from the end");
        save_animator(viewer.folder.path(), left.is_multiple_of(100));
        left -= now;
    }
}

/// Megabytes once all that was asked for is done: the same picture each time.
fn settled_mb(viewer: &Viewer) -> f64 {
    viewer.tool(&["windowsize", "--sync", viewer.window(), "1280", "800"]);
    viewer.focus();
    let drawn = viewer.drawn();
    // Closes what is open, leaves Drive, frames the figure.
    for key in ["Escape"; 5].into_iter().chain(["5", "f"]) {
        viewer.key(key);
    }
    viewer.wait_from(drawn, "the whole window", |line| {
        line["size"][0] == 1280 && line["size"][1] == 800
    });
    viewer.last()["rss_mb"].as_f64().unwrap()
}

/// As an editor does it, whole or cut short.
fn save_animator(folder: &Path, whole: bool) {
    let text = fs::read_to_string(asset("animator.ron")).unwrap();
    let end = if whole { text.len() } else { text.len() / 2 };
    fs::write(folder.join("animator.ron"), &text[..end]).unwrap();
}

fn fill(folder: &Path) {
    let copy = |from: &str, to: &str| fs::copy(asset(from), folder.join(to)).unwrap();
    copy("performer.asf", "performer.asf");
    for name in ["attack", "idle", "jump", "wave"] {
        copy(&format!("clips/{name}.amc"), &format!("{name}.amc"));
    }
    fs::write(folder.join("odd.amc"), ":DEGREES\n1\nroot 0 0 zero\n").unwrap();
    fs::write(folder.join("none.amc"), "").unwrap();
    fs::write(folder.join("noise.amc"), [0x5a; 3000]).unwrap();
    for size_cm in [90, 110, 130, 150] {
        let path = folder.join(format!("figure_{size_cm}.bvh"));
        fs::write(path, figure(size_cm)).unwrap();
    }
}

/// How many rounds of a thousand actions; a storm of an hour has about sixty.
fn rounds() -> usize {
    let asked = std::env::var("KINETOSCOPE_STORM_ROUNDS").ok();
    asked.map_or(1, |rounds| rounds.parse().expect("a number of rounds"))
}

/// Whether what was measured grew by less than a tenth over the second half of
/// the last rounds: what is made on first use levels off, a leak does not.
fn levels_off(megabytes: &[f64]) -> bool {
    let before = megabytes.len().checked_sub(1 + rounds().div_ceil(2));
    let (before, last) = (before.map(|at| megabytes[at]), megabytes.last());
    before
        .zip(last)
        .is_some_and(|(before, &last)| last <= 1.1 * before)
}

#[test]
fn a_thousand_random_actions_leave_the_window_sound() {
    if !can_run() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let home = tempfile::tempdir().unwrap();
    save_animator(home.path(), true);
    let animator = home.path().join("animator.ron");
    let flags = ["--animator", animator.to_str().unwrap()];
    let mut viewer = Viewer::start_in(home, &flags, &[&folder.path().join("attack.amc")]);
    let mut random = Random::new(2026);
    // Everything has been open once before memory is looked at.
    work(&mut viewer, &mut random, 800);
    let first = viewer.drawn();
    let mut megabytes = vec![settled_mb(&viewer)];
    // Again where that grew: what has not been used before (six characters, a
    // dozen sets of shaders, a blend) is made once, a leak goes on.
    for _ in 0..4 {
        for _ in 0..rounds() {
            work(&mut viewer, &mut random, 1000);
            megabytes.push(settled_mb(&viewer));
            eprintln!("after 1,000 actions more: {megabytes:.0?} MB");
        }
        if levels_off(&megabytes) {
            break;
        }
    }
    assert!(levels_off(&megabytes), "{megabytes:.0?} MB");
    let lines = viewer.lines_from(first);
    eprintln!("{} frames", lines.len());
    for line in &lines {
        let root = line["root"].as_array().unwrap();
        // What is not a number is written as null.
        assert!(root.iter().all(serde_json::Value::is_number), "{line}");
        assert!(
            line["heading"].is_number() && line["phase"].is_number(),
            "{line}"
        );
    }
    assert!(viewer.is_alive());
}

/// A figure of ten bones, each of its size alone.
fn figure(size_cm: usize) -> String {
    let bone = size_cm / 5;
    let mut text = format!(
        "HIERARCHY\nROOT Hips\n{{\nOFFSET 0 {size_cm} 0\nCHANNELS 6 Xposition Yposition Zposition \
         Zrotation Xrotation Yrotation\n"
    );
    for (limb, x, y) in [("Left", 1, -2), ("Right", -1, -2), ("Spine", 0, 2)] {
        let (x, y) = (x * bone as i64, y * bone as i64);
        let _ = write!(
            text,
            "JOINT {limb}A\n{{\nOFFSET {x} 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n\
             JOINT {limb}B\n{{\nOFFSET 0 {y} 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n\
             JOINT {limb}C\n{{\nOFFSET 0 {y} 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n\
             End Site\n{{\nOFFSET 0 0 {bone}\n}}\n}}\n}}\n}}\n"
        );
    }
    let row = "0 ".repeat(6 + 9 * 3);
    text + &format!("}}\nMOTION\nFrames: 2\nFrame Time: 0.01\n{row}\n{row}\n")
}

#[test]
fn characters_that_were_left_are_let_go() {
    if !can_run() {
        return;
    }
    const FIGURES: usize = 36;
    let folder = tempfile::tempdir().unwrap();
    for index in 0..FIGURES {
        let path = folder.path().join(format!("figure_{index:02}.bvh"));
        fs::write(path, figure(90 + index)).unwrap();
    }
    let viewer = Viewer::start(&[folder.path()]);
    let turn_to = |index: usize| {
        let (drawn, name) = (viewer.drawn(), format!("figure_{index:02}.bvh"));
        viewer.key("Next");
        let line = viewer.wait_from(drawn, &name, |line| line["clip"] == *name);
        line["rss_mb"].as_f64().unwrap()
    };
    // A dozen fill every list that keeps what was shown last.
    let before = (1..13).map(turn_to).last().unwrap();
    let after = (13..FIGURES).map(turn_to).last().unwrap();
    eprintln!("{before:.0} MB after 13 figures, {after:.0} MB after {FIGURES}");
    assert!(after <= 1.1 * before, "{before:.0} MB became {after:.0} MB");
}
