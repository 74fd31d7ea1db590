//! The window's way to a picture and this one's lead to the same pixels.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use clap::Parser;

use super::{RenderArgs, Show};
use crate::{
    app::{CharacterSource, Message, Outbox, Session, ViewerSettings},
    output::Staged,
    render::{Gpu, Offscreen, Picture, Quality},
    scene::{ClothKnobs, ClothLook, ClothPreset, FrameData, Scene},
    ui::{Command, Mode},
};

const SIZE: [u32; 2] = [320, 240];
/// Seconds of a step of the window: not the clock's ticks, and exact in binary.
const DT_SECS: f64 = 1.0 / 64.0;

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    render: RenderArgs,
}

fn args(line: &[&str]) -> RenderArgs {
    let words = ["render", "-o", "picture.png"].iter().chain(line);
    Args::try_parse_from(words).unwrap().render
}

/// What `render` draws of its one moment, and the scene it draws.
fn rendered(gpu: &Gpu, line: &[&str]) -> (Picture, Scene) {
    let args = args(line);
    let mut show = Show::load(&args, &mut Staged::default()).unwrap();
    let moments = show.moments();
    assert_eq!(moments.len(), 1);
    show.aim(&args, SIZE).unwrap();
    show.go_to(moments[0], &args);
    let picture = drawn(gpu, |frame| show.scene.compose(frame));
    (picture, show.scene)
}

/// At full quality, without panels.
fn drawn(gpu: &Gpu, compose: impl FnOnce(&mut FrameData)) -> Picture {
    let quality = Quality::for_adapter(gpu);
    let mut offscreen = Offscreen::new(gpu, SIZE, quality).unwrap();
    let mut frame = FrameData::default();
    compose(&mut frame);
    offscreen.render(gpu, &frame).unwrap()
}

/// The viewer without its window.
struct Viewer {
    session: Session,
    outbox: Outbox,
    inbox: mpsc::Receiver<Message>,
}

impl Viewer {
    fn open(files: Vec<PathBuf>) -> Self {
        let (sender, inbox) = mpsc::channel();
        let sender = Mutex::new(sender);
        let outbox: Outbox = Arc::new(move |message| {
            let _ = sender.lock().unwrap().send(message);
        });
        let mut settings = ViewerSettings::default();
        // Pictures tell events only where they are asked to.
        settings.display.event_labels = false;
        Self {
            session: Session::new(settings, &outbox, files, Default::default()),
            outbox,
            inbox,
        }
    }

    fn until(&mut self, holds: impl Fn(&Session) -> bool) {
        while !holds(&self.session) {
            let message = self.inbox.recv_timeout(Duration::from_secs(60)).unwrap();
            self.session.receive(message);
        }
    }

    fn run(&mut self, steps: u32) {
        (0..steps).for_each(|_| self.session.advance(DT_SECS));
    }

    /// What the window draws when its camera is where `scene` has it.
    fn drawn_like(&mut self, gpu: &Gpu, scene: &Scene) -> Picture {
        self.session.scene_mut().camera = scene.camera;
        self.session.advance(0.0);
        drawn(gpu, |frame| self.session.compose(frame))
    }
}

fn walk() -> [PathBuf; 2] {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    [
        assets.join("performer.asf"),
        assets.join("clips/forward.amc"),
    ]
}

#[track_caller]
fn assert_same(window: &Picture, command: &Picture) {
    let pairs = window
        .rgba
        .chunks_exact(4)
        .zip(command.rgba.chunks_exact(4));
    let other = pairs.filter(|(a, b)| a != b).count();
    assert_eq!(other, 0, "pixels differ of {}", SIZE[0] * SIZE[1]);
    let first = &window.rgba[..4];
    assert!(
        window.rgba.chunks_exact(4).any(|pixel| pixel != first),
        "there is something to see"
    );
}

#[test]
fn a_capture_looks_the_same_in_the_window_and_here() {
    let gpu = Gpu::offscreen().unwrap();
    let files = walk();
    let line = [
        files[0].to_str().unwrap(),
        files[1].to_str().unwrap(),
        "--frame",
        "60",
        "--skeleton",
        "--ghosts",
        "--trajectory",
    ];
    // `--trajectory` takes names: the files come first.
    let (command, scene) = rendered(&gpu, &line);
    let mut viewer = Viewer::open(files.to_vec());
    viewer.until(|session| session.clip_name().is_some());
    let display = &mut viewer.session.options.display;
    (display.bones, display.trajectory) = (true, true);
    (display.ghosts, display.ghost_step_secs) = (3, 0.2);
    viewer.session.clock_mut().playing = false;
    viewer.session.apply(Command::Seek(0.5));
    assert_same(&viewer.drawn_like(&gpu, &scene), &command);
}

#[test]
fn a_driven_script_looks_the_same_in_the_window_and_here() {
    let gpu = Gpu::offscreen().unwrap();
    let script = tempfile::NamedTempFile::new().unwrap();
    let text = "0.25 press W\n0.75 press Shift\n1.25 click\n1.5 press A\n";
    std::fs::write(script.path(), text).unwrap();
    let path = script.path().to_str().unwrap();
    let (command, scene) = rendered(&gpu, &["--script", path, "--frame", "240"]);
    let mut viewer = Viewer::open(Vec::new());
    let outbox = Arc::clone(&viewer.outbox);
    viewer
        .session
        .load_animator(CharacterSource::default(), &outbox);
    viewer.session.set_mode(Mode::Drive);
    viewer.until(|session| session.driven().is_some());
    for (steps, key) in [(16, "W"), (32, "Shift"), (32, "Click"), (16, "A")] {
        viewer.run(steps);
        viewer.session.drive_key(key, true);
        if key == "Click" {
            viewer.session.drive_key(key, false);
        }
    }
    viewer.run(32);
    assert_same(&viewer.drawn_like(&gpu, &scene), &command);
}

#[test]
fn a_cloth_preset_looks_the_same_in_the_window_and_here() {
    let gpu = Gpu::offscreen().unwrap();
    let files = walk();
    let line = [
        files[0].to_str().unwrap(),
        files[1].to_str().unwrap(),
        "--cloth",
        "cape",
        "--frame",
        "120",
    ];
    let (command, scene) = rendered(&gpu, &line);
    let mut viewer = Viewer::open(files.to_vec());
    viewer.until(|session| session.clip_name().is_some());
    viewer.session.apply(Command::Seek(0.0));
    // On its own clock the window would leave out steps on a busy machine.
    viewer.session.scene_mut().cloth.stopwatch = None;
    let knobs = ClothKnobs::of(Some(ClothPreset::Cape), ClothLook::default());
    viewer.session.apply(Command::Cloth(knobs));
    viewer.run(64);
    assert_same(&viewer.drawn_like(&gpu, &scene), &command);
}
