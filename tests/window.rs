//! The real program on a real (virtual) screen: started under Xvfb, driven by
//! xdotool, judged by its trace and by pictures of the screen.
//!
//! Without Xvfb or xdotool the test says that it was skipped; with `CI` set it
//! fails instead.
#![cfg(all(feature = "viewer", target_os = "linux"))]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

/// A slow machine gets this long for anything.
const PATIENCE: Duration = Duration::from_secs(40);

fn has(tool: &str) -> bool {
    let asked = Command::new("which").arg(tool).output();
    asked.is_ok_and(|output| output.status.success())
}

/// A virtual screen that ends with the test.
struct Screen {
    server: Child,
    display: String,
}

impl Screen {
    fn start() -> Self {
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1280x800x24",
                "-nolisten",
                "tcp",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts");
        let mut number = String::new();
        let out = server.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut number).unwrap();
        let display = format!(":{}", number.trim());
        Self { server, display }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The program under test.
struct Viewer {
    screen: Screen,
    process: Child,
    folder: tempfile::TempDir,
    trace: PathBuf,
    window: String,
}

impl Viewer {
    fn start(files: &[&Path]) -> Self {
        let screen = Screen::start();
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace.jsonl");
        let process = Command::new(env!("CARGO_BIN_EXE_kinetoscope"))
            .arg("--trace")
            .arg(&trace)
            .args(files)
            .current_dir(folder.path())
            .env("DISPLAY", &screen.display)
            .env_remove("WAYLAND_DISPLAY")
            .env("HOME", folder.path())
            .env("XDG_CONFIG_HOME", folder.path().join("config"))
            .stdout(Stdio::null())
            .spawn()
            .expect("the viewer starts");
        let mut viewer = Self {
            screen,
            process,
            folder,
            trace,
            window: String::new(),
        };
        viewer.wait("the first pose", |line| !line["clip"].is_null());
        let search = viewer.tool(&["search", "--name", "Kinetoscope"]);
        viewer.window = search.lines().last().unwrap_or_default().to_owned();
        viewer.tool(&["windowfocus", "--sync", &viewer.window]);
        viewer
    }

    fn tool(&self, arguments: &[&str]) -> String {
        let output = Command::new("xdotool")
            .args(arguments)
            .env("DISPLAY", &self.screen.display)
            .output()
            .expect("xdotool runs");
        assert!(output.status.success(), "xdotool {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn key(&self, key: &str) {
        self.tool(&["key", key]);
    }

    fn click(&self, x: u32, y: u32, button: &str) {
        self.tool(&["mousemove", &x.to_string(), &y.to_string()]);
        thread::sleep(Duration::from_millis(150));
        self.tool(&["click", button]);
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.trace).unwrap_or_default();
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        lines.collect()
    }

    fn last(&self) -> Value {
        self.lines().pop().unwrap_or_default()
    }

    /// Waits for a new line of the trace on which `holds`.
    fn wait(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        let known = self.lines().len().saturating_sub(1);
        loop {
            let lines = self.lines();
            if let Some(line) = lines.into_iter().skip(known).find(&holds) {
                return line;
            }
            let last = self.last();
            assert!(started.elapsed() < PATIENCE, "no sign of {what}: {last}");
            thread::sleep(Duration::from_millis(40));
        }
    }

    /// Waits until no frame is drawn for half a second; returns their number.
    fn wait_for_rest(&self) -> usize {
        let started = Instant::now();
        let mut known = self.lines().len();
        loop {
            thread::sleep(Duration::from_millis(1500));
            let now = self.lines().len();
            if now == known {
                return now;
            }
            known = now;
            assert!(started.elapsed() < PATIENCE, "it never comes to rest");
        }
    }

    fn pictures(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path()).unwrap().flatten();
        let paths = entries.map(|entry| entry.path());
        paths
            .filter(|path| path.extension().is_some_and(|ending| ending == "png"))
            .collect()
    }

    fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// True when the tools are there; otherwise says so, or fails in CI.
fn can_run() -> bool {
    let missing: Vec<&str> = ["Xvfb", "xdotool"]
        .into_iter()
        .filter(|tool| !has(tool))
        .collect();
    if missing.is_empty() {
        return true;
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "the window test needs {missing:?}"
    );
    eprintln!("skipped: the window test needs {missing:?}");
    false
}

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
    viewer.click(480, 400, "1");
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
    viewer.key("Escape");
    viewer.wait("View", |line| line["mode"] == "view");
    viewer.key("Escape");
    thread::sleep(Duration::from_millis(300));
    assert!(viewer.is_alive(), "Esc never quits");
}

#[test]
fn a_capture_is_viewed_scrubbed_and_compressed() {
    if !can_run() {
        return;
    }
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let motion = assets.join("clips/forward.amc");
    let mut viewer = Viewer::start(&[&assets.join("performer.asf"), &motion]);
    let line = viewer.wait("the capture", |line| line["clip"] == "forward.amc");
    assert_eq!(line["mode"], "view");
    assert_eq!(line["playing"], true);
    let first = viewer.last()["frame"].as_u64();
    viewer.wait("playback", |line| line["frame"].as_u64() != first);

    viewer.key("space");
    viewer.wait("the pause", |line| line["playing"] == false);
    let drawn = viewer.wait_for_rest();
    thread::sleep(Duration::from_secs(1));
    assert_eq!(
        viewer.lines().len(),
        drawn,
        "a paused picture is not redrawn"
    );
    assert_eq!(viewer.last()["full_quality"], true);

    viewer.key("Home");
    viewer.wait("frame 0", |line| line["frame"] == 0);
    viewer.key("period");
    viewer.wait("frame 1", |line| line["frame"] == 1);
    let middle = 640;
    viewer.click(middle, 756, "1");
    let line = viewer.wait("a scrub", |line| line["frame"].as_u64().unwrap() > 10);
    let end = 480.0; // frames of the clip, about
    assert!(line["frame"].as_f64().unwrap() < end);
    viewer.key("minus");
    viewer.wait("half speed", |line| line["speed"] == 0.5);

    viewer.key("p");
    let started = Instant::now();
    while viewer.pictures().is_empty() {
        assert!(started.elapsed() < PATIENCE, "no picture was saved");
        thread::sleep(Duration::from_millis(100));
    }

    // Folds the clip section, unfolds compression, chooses a codec.
    viewer.click(1128, 50, "1");
    viewer.click(1128, 82, "1");
    viewer.click(1125, 116, "1");
    let line = viewer.wait("a compressed clip", |line| line["compressed"] == true);
    assert_eq!(line["codec"], "Spline");

    for _ in 0..2 {
        viewer.key("F2");
        thread::sleep(Duration::from_millis(200));
    }
    for key in [
        "F1", "Escape", "F3", "Escape", "b", "n", "x", "t", "g", "m", "1", "7", "f",
    ] {
        viewer.key(key);
    }
    viewer.tool(&["windowsize", "--sync", &viewer.window, "900", "640"]);
    viewer.wait("the new size", |line| line["size"][0] == 900);

    assert_eq!(viewer.last()["errors"], 0);
    assert!(viewer.is_alive());
    viewer.key("ctrl+q");
    let status = viewer.process.wait().unwrap();
    assert!(status.success(), "{status}");
    let remembered = viewer.folder.path().join("config/kinetoscope/settings.ron");
    let text = fs::read_to_string(remembered).unwrap();
    assert!(text.contains("forward.amc"), "recent files are remembered");
}

#[test]
fn a_malformed_file_is_told_and_the_next_one_shown() {
    if !can_run() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let copy = |from: &str, to: &str| fs::copy(assets.join(from), folder.path().join(to)).unwrap();
    copy("performer.asf", "performer.asf");
    copy("clips/attack.amc", "a.amc");
    fs::write(folder.path().join("b.amc"), ":DEGREES\n1\nroot 0 0 zero\n").unwrap();
    let mut viewer = Viewer::start(&[&folder.path().join("a.amc")]);
    viewer.wait("the capture", |line| line["clip"] == "a.amc");
    viewer.key("Next");
    let line = viewer.wait("a notice", |line| line["errors"].as_u64() > Some(0));
    assert_eq!(line["clip"], "a.amc", "what was there stays");
    assert_eq!(line["playing"], true);
    assert!(viewer.is_alive());
}

#[test]
fn without_a_display_it_says_what_to_do() {
    let output = Command::new(env!("CARGO_BIN_EXE_kinetoscope"))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("Xvfb") && message.contains("render"),
        "{message}"
    );
}
