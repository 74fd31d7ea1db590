//! A virtual screen, the program on it, and hands to work it with.

use std::{
    cell::RefCell,
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

/// A slow machine gets this long for anything.
pub const PATIENCE: Duration = Duration::from_secs(60);

fn has(tool: &str) -> bool {
    let asked = Command::new("which").arg(tool).output();
    asked.is_ok_and(|output| output.status.success())
}

/// True when the tools are there; otherwise says so, or fails in CI.
pub fn can_run() -> bool {
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

/// A file that comes with the program.
pub fn asset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("assets")
        .join(name)
}

/// A virtual screen that ends with the test.
struct Screen {
    server: Child,
    display: String,
}

impl Screen {
    fn start() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24"])
            .args(["-nolisten", "tcp"])
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

/// The trace as far as it is written.
#[derive(Default)]
struct Log {
    file: Option<File>,
    /// A line that is not whole yet.
    rest: String,
    lines: Vec<Value>,
    controls: Value,
}

impl Log {
    fn read(&mut self, path: &Path) {
        if self.file.is_none() {
            self.file = File::open(path).ok();
        }
        let Some(file) = &mut self.file else {
            return;
        };
        file.read_to_string(&mut self.rest).unwrap();
        while let Some(end) = self.rest.find('\n') {
            let line: String = self.rest.drain(..=end).collect();
            let mut line: Value = serde_json::from_str(&line).unwrap();
            if let Some(controls) = line.as_object_mut().unwrap().remove("controls") {
                self.controls = controls;
            }
            self.lines.push(line);
        }
    }
}

/// The program under test.
pub struct Viewer {
    screen: Screen,
    pub process: Child,
    pub folder: tempfile::TempDir,
    trace: PathBuf,
    log: RefCell<Log>,
    window: String,
}

impl Viewer {
    pub fn start(files: &[&Path]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::start_in(folder, &[], files)
    }

    /// Starts with a home of its own, a window of 1280 × 800 and `flags`.
    pub fn start_in(folder: tempfile::TempDir, flags: &[&str], files: &[&Path]) -> Self {
        let screen = Screen::start();
        let trace = folder.path().join("trace.jsonl");
        let process = Command::new(env!("CARGO_BIN_EXE_kinetoscope"))
            .arg("--trace")
            .arg(&trace)
            .args(flags)
            .args(files)
            .current_dir(folder.path())
            .env("DISPLAY", &screen.display)
            .env_remove("WAYLAND_DISPLAY")
            .env("HOME", folder.path())
            .env("XDG_CONFIG_HOME", folder.path().join("config"))
            .env("KINETOSCOPE_TRACE_CONTROLS", "1")
            .stdout(Stdio::null())
            .spawn()
            .expect("the viewer starts");
        let mut viewer = Self {
            screen,
            process,
            folder,
            trace,
            log: RefCell::default(),
            window: String::new(),
        };
        viewer.wait("the first pose", |line| !line["clip"].is_null());
        let search = viewer.tool(&["search", "--sync", "--onlyvisible", "--name", "Kinetoscope"]);
        viewer.window = search.lines().last().unwrap_or_default().to_owned();
        viewer.focus();
        viewer
    }

    pub fn display(&self) -> &str {
        &self.screen.display
    }

    pub fn window(&self) -> &str {
        &self.window
    }

    pub fn focus(&self) {
        self.tool(&["windowfocus", "--sync", &self.window]);
    }

    pub fn tool(&self, arguments: &[&str]) -> String {
        let output = Command::new("xdotool")
            .args(arguments)
            .env("DISPLAY", &self.screen.display)
            .output()
            .expect("xdotool runs");
        assert!(output.status.success(), "xdotool {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn key(&self, key: &str) {
        self.tool(&["key", key]);
    }

    pub fn move_to(&self, [x, y]: [i32; 2]) {
        self.tool(&["mousemove", "--sync", &x.to_string(), &y.to_string()]);
    }

    pub fn click(&self, at: [i32; 2], button: &str) {
        self.move_to(at);
        self.tool(&["click", button]);
    }

    /// Presses at one place, lets go at another.
    pub fn drag(&self, from: [i32; 2], to: [i32; 2], button: &str) {
        self.move_to(from);
        let drawn = self.drawn();
        self.tool(&["mousedown", button]);
        // Seen before it goes on: press and release in one slow frame, far
        // apart, are neither a click nor a drag.
        self.wait_from(drawn, "the press", |line| line["inputs"] != 0);
        let middle = [0, 1].map(|axis| (from[axis] + to[axis]) / 2);
        self.move_to(middle);
        self.move_to(to);
        self.tool(&["mouseup", button]);
    }

    /// Where a control is, by the name that accessibility tools read.
    pub fn find(&self, label: &str) -> Option<[i32; 2]> {
        self.read();
        let log = self.log.borrow();
        let place = log.controls.get(label)?;
        let at = |axis: usize| place[axis].as_f64().map(|at| at.round() as i32);
        Some([at(0)?, at(1)?])
    }

    /// Waits for a control to stand still somewhere: longer than a section
    /// that was just opened waits before it is scrolled to.
    pub fn place_of(&self, label: &str) -> [i32; 2] {
        let started = Instant::now();
        let mut before = [None; 2];
        loop {
            let now = self.find(label);
            if let (Some(place), true) = (now, before == [now; 2]) {
                return place;
            }
            before = [before[1], now];
            let known = self.log.borrow().controls.to_string();
            assert!(
                started.elapsed() < PATIENCE,
                "no control {label:?}: {known}"
            );
            // A few frames: sections open and close over some. One more is drawn
            // where the pointer moves: the last of a scroll tells where things were
            // before it.
            let way = if before[1].is_some() { "1" } else { "-1" };
            self.tool(&["mousemove_relative", "--", way, "0"]);
            thread::sleep(Duration::from_millis(250));
        }
    }

    /// Clicks a control.
    pub fn press(&self, label: &str) {
        self.click(self.place_of(label), "1");
    }

    fn read(&self) {
        self.log.borrow_mut().read(&self.trace);
    }

    /// How many frames were drawn.
    pub fn drawn(&self) -> usize {
        self.read();
        self.log.borrow().lines.len()
    }

    /// What the trace says from a frame on.
    pub fn lines_from(&self, first: usize) -> Vec<Value> {
        self.read();
        let log = self.log.borrow();
        log.lines.get(first..).unwrap_or_default().to_vec()
    }

    pub fn last(&self) -> Value {
        self.read();
        self.log.borrow().lines.last().cloned().unwrap_or_default()
    }

    /// Waits for a line of the trace, the last one or a new one, on which
    /// `holds`.
    pub fn wait(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        self.wait_from(self.drawn().saturating_sub(1), what, holds)
    }

    /// Waits for a line of the trace from a frame on.
    pub fn wait_from(&self, first: usize, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        loop {
            if let Some(line) = self.lines_from(first).into_iter().find(&holds) {
                return line;
            }
            let last = self.last();
            assert!(started.elapsed() < PATIENCE, "no sign of {what}: {last}");
            thread::sleep(Duration::from_millis(25));
        }
    }

    /// Waits until no frame is drawn for as long as is asked.
    pub fn wait_for_rest(&self, stillness: Duration) {
        let started = Instant::now();
        let mut known = self.drawn();
        loop {
            thread::sleep(stillness);
            let now = self.drawn();
            if now == known {
                return;
            }
            known = now;
            assert!(started.elapsed() < PATIENCE, "it never comes to rest");
        }
    }

    /// Files with an ending that the program wrote, as soon as there are
    /// `count`.
    pub fn wait_for_files(&self, ending: &str, count: usize) -> Vec<PathBuf> {
        let started = Instant::now();
        loop {
            let entries = fs::read_dir(self.folder.path()).unwrap().flatten();
            let mut paths: Vec<PathBuf> = entries
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|known| known == ending))
                .collect();
            if paths.len() >= count {
                paths.sort();
                return paths;
            }
            assert!(started.elapsed() < PATIENCE, "no .{ending} was saved");
            thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Ends it as a user does.
    pub fn quit(&mut self) {
        self.key("ctrl+q");
        let started = Instant::now();
        while self.is_alive() {
            assert!(started.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(50));
        }
        let status = self.process.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
