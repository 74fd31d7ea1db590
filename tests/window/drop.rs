//! Files dragged onto the window as a file manager does it: the XDND protocol
//! (freedesktop.org, version 5), spoken by the test.

use std::{
    cell::Cell,
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use x11rb::{
    CURRENT_TIME, NONE,
    connection::Connection,
    protocol::{
        Event,
        xproto::{
            Atom, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, GrabMode,
            PropMode, SelectionNotifyEvent, SelectionRequestEvent, Window, WindowClass,
        },
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

use super::stage::{PATIENCE, Viewer, asset, can_run};

/// Whoever drags files.
struct FileManager {
    connection: RustConnection,
    root: Window,
    own: Window,
    target: Window,
    uris: String,
}

impl FileManager {
    fn new(viewer: &Viewer, paths: &[PathBuf]) -> Self {
        let (connection, screen) = RustConnection::connect(Some(viewer.display())).unwrap();
        let root = connection.setup().roots[screen].root;
        let own = connection.generate_id().unwrap();
        let (class, looks) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
        connection
            .create_window(0, own, root, 0, 0, 1, 1, 0, class, 0, &looks)
            .unwrap();
        let uris = paths
            .iter()
            .map(|path| format!("file://{}\r\n", path.display()));
        Self {
            connection,
            root,
            own,
            target: viewer.window().parse().unwrap(),
            uris: uris.collect(),
        }
    }

    fn atom(&self, name: &str) -> Atom {
        let asked = self.connection.intern_atom(false, name.as_bytes());
        asked.unwrap().reply().unwrap().atom
    }

    fn tell(&self, what: &str, data: [u32; 5]) {
        let message = ClientMessageEvent::new(32, self.target, self.atom(what), data);
        let sent = self
            .connection
            .send_event(false, self.target, EventMask::NO_EVENT, message);
        sent.unwrap();
        self.connection.flush().unwrap();
    }

    /// What comes next from the window.
    fn next(&self, wanted: &str) -> Event {
        let started = Instant::now();
        loop {
            if let Some(event) = self.connection.poll_for_event().unwrap() {
                return event;
            }
            assert!(started.elapsed() < PATIENCE, "no {wanted}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Serves what the window asks for until something has come of it.
    fn until(&self, what: &str, holds: impl Fn(&Event) -> bool) {
        loop {
            let event = self.next(what);
            if let Event::SelectionRequest(request) = &event {
                self.hand_over(request);
            }
            if holds(&event) {
                return;
            }
        }
    }

    fn until_told(&self, what: &str) {
        let answer = self.atom(what);
        self.until(
            what,
            |event| matches!(event, Event::ClientMessage(it) if it.type_ == answer),
        );
    }

    fn hand_over(&self, request: &SelectionRequestEvent) {
        let (window, property) = (request.requestor, request.property);
        let bytes = self.uris.as_bytes();
        self.connection
            .change_property8(PropMode::REPLACE, window, property, request.target, bytes)
            .unwrap();
        let ready = SelectionNotifyEvent {
            response_type: x11rb::protocol::xproto::SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: window,
            selection: request.selection,
            target: request.target,
            property,
        };
        let sent = self
            .connection
            .send_event(false, window, EventMask::NO_EVENT, ready);
        sent.unwrap();
        self.connection.flush().unwrap();
    }

    /// Takes the pointer, as every file manager does while it drags: the window
    /// below hears nothing of it.
    fn drag_to(&self, viewer: &Viewer, at: [i32; 2]) {
        let (mode, mask) = (GrabMode::ASYNC, EventMask::POINTER_MOTION);
        let grabbed = self.connection.grab_pointer(
            false,
            self.root,
            mask,
            mode,
            mode,
            NONE,
            NONE,
            CURRENT_TIME,
        );
        grabbed.unwrap().reply().unwrap();
        viewer.move_to(at);
        let selection = self.atom("XdndSelection");
        self.connection
            .set_selection_owner(self.own, selection, CURRENT_TIME)
            .unwrap();
        let files = self.atom("text/uri-list");
        self.tell("XdndEnter", [self.own, 5 << 24, files, 0, 0]);
        let place = (at[0] as u32) << 16 | at[1] as u32;
        let copy = self.atom("XdndActionCopy");
        self.tell("XdndPosition", [self.own, 0, place, CURRENT_TIME, copy]);
        // It asks for the files and says that it takes them, in either order.
        let (asked, taken) = (Cell::new(false), Cell::new(false));
        let status = self.atom("XdndStatus");
        self.until("answer", |event| {
            asked.set(asked.get() || matches!(event, Event::SelectionRequest(_)));
            let told = matches!(event, Event::ClientMessage(it) if it.type_ == status);
            taken.set(taken.get() || told);
            asked.get() && taken.get()
        });
    }

    fn let_go(&self) {
        self.tell("XdndDrop", [self.own, 0, CURRENT_TIME, 0, 0]);
        self.until_told("XdndFinished");
        self.connection.ungrab_pointer(CURRENT_TIME).unwrap();
        self.connection.flush().unwrap();
    }
}

fn drop_at(viewer: &Viewer, paths: &[PathBuf], at: [i32; 2]) {
    let manager = FileManager::new(viewer, paths);
    manager.drag_to(viewer, at);
    manager.let_go();
}

fn captures(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
    fs::create_dir_all(folder).unwrap();
    let put = |from: &str, name: &str| {
        let path = folder.join(name);
        fs::copy(asset(from), &path).unwrap();
        path
    };
    let mut paths = vec![put("performer.asf", "person.asf")];
    paths.extend(names.iter().map(|name| put("clips/forward.amc", name)));
    paths
}

#[test]
fn dropped_files_and_folders_open_and_a_state_takes_what_falls_on_it() {
    if !can_run() {
        return;
    }
    let viewer = Viewer::start(&[]);
    let folder = viewer.folder.path().join("captures");
    const SCENE: [i32; 2] = [400, 400];
    // A skeleton and two motions in one drop stand side by side.
    let paths = captures(&folder, &["one.amc", "two.amc"]);
    drop_at(&viewer, &paths, SCENE);
    viewer.wait("what was dropped", |line| line["clip"] == "one.amc");
    viewer.place_of("two.amc");
    // A folder.
    captures(&folder, &["a.amc", "three.amc"]);
    drop_at(&viewer, std::slice::from_ref(&folder), SCENE);
    viewer.wait("the folder", |line| line["clip"] == "a.amc");
    viewer.place_of("three.amc");
    // A state of the graph: found below the pointer, which the window heard
    // nothing of while the file was dragged.
    viewer.key("Tab");
    viewer.wait("driving", |line| {
        line["mode"] == "drive" && !line["layers"].is_null()
    });
    let run = viewer.place_of("RUN");
    let dropped_secs = viewer.last()["t"].as_f64();
    drop_at(&viewer, &[folder.join("three.amc")], run);
    // Opened, it would be looked at instead of driven.
    let later = viewer.wait("two seconds", |line| {
        line["t"].as_f64() > dropped_secs.map(|secs| secs + 2.0)
    });
    assert_eq!(later["mode"], "drive");
    assert_eq!(viewer.last()["errors"], 0);
}
