//! An animator built from nothing, by clicks, drags and keys alone.

use super::{hand::Hand, *};
use crate::{
    animator::{Driver, Script, TICK_RATE},
    app::drive::CharacterSource,
    load::{CharacterFiles, DrivenCharacter, LoadOptions},
};
use egui::{Key, Vec2};

/// Stand, walk over a plane of gaits, jump; arms that wave.
const TOUR: &str = "0.5 press W\n1.5 press D\n2.5 press F\n3.0 release F\n3.5 release D\n\
    4.0 press Space\n4.1 release Space\n6.5 release W\n";
const SECS: f64 = 8.0;

fn add_parameter(hand: &mut Hand, button: &str, made: &str, name: &str) {
    hand.click(button);
    hand.write(&format!("Name of parameter {made}"), name);
}

fn parameters(hand: &mut Hand) {
    hand.click("Parameters");
    add_parameter(hand, "Add switch", "switch", "go");
    add_parameter(hand, "Add number", "number", "side");
    add_parameter(hand, "Add number", "number", "ahead");
    add_parameter(hand, "Add trigger", "trigger", "hop");
    add_parameter(hand, "Add trigger", "trigger", "greet");
}

/// By a double click beside the states, as in the graph.
fn add_state(hand: &mut Hand, at: Vec2, name: &str) {
    let ground = hand.last("Graph of the layer").rect();
    hand.double_click(ground.min + at);
    hand.write("Name of the state", name);
}

fn gaits(hand: &mut Hand) {
    hand.choose("What it plays", "clips on a plane");
    hand.choose("Across: parameter", "side");
    hand.choose("Upwards: parameter", "ahead");
    for (number, clip, across, upwards) in [
        (1, "forward", "0", "1"),
        (2, "strafe_left", "1", "0"),
        (3, "strafe_right", "-1", "0"),
    ] {
        if number > 1 {
            hand.click("Add clip");
        }
        hand.choose(&format!("Clip {number}"), clip);
        hand.write(&format!("Across of clip {number}"), across);
        hand.write(&format!("Upwards of clip {number}"), upwards);
    }
}

fn connect(hand: &mut Hand, from: &str, to: &str, kind: &str, about: Option<&str>) {
    hand.drag(&format!("Transition from {from}"), &format!("State {to}"));
    if kind != "at its end" {
        hand.choose("Condition 1", kind);
    }
    if let Some(about) = about {
        hand.choose("Subject of condition 1", about);
    }
}

fn base_layer(hand: &mut Hand) {
    add_state(hand, Vec2::new(420.0, 240.0), "WALK");
    gaits(hand);
    add_state(hand, Vec2::new(60.0, 360.0), "JUMP");
    hand.choose("Clip of the state", "jump");
    hand.choose("At the end", "once");
    connect(hand, "IDLE", "WALK", "is on", None);
    connect(hand, "WALK", "IDLE", "is off", None);
    connect(hand, "IDLE", "JUMP", "has fired", Some("hop"));
    connect(hand, "WALK", "JUMP", "has fired", Some("hop"));
    connect(hand, "JUMP", "IDLE", "at its end", None);
}

fn arms(hand: &mut Hand) {
    hand.click("Layers");
    hand.click("Add layer");
    hand.write("Name of layer layer", "arms");
    hand.choose("Mask of arms", "upper");
    add_state(hand, Vec2::new(320.0, 320.0), "WAVE");
    hand.choose("What it plays", "one clip");
    hand.choose("Clip of the state", "wave");
    hand.choose("At the end", "once");
    connect(hand, "NONE", "WAVE", "has fired", Some("greet"));
    connect(hand, "WAVE", "NONE", "at its end", None);
}

/// By pressing them.
fn bind(hand: &mut Hand, number: usize, key: Key, parameter: &str) {
    hand.click("Add key…");
    assert!(hand.shows("Press a key …"));
    hand.key(key);
    hand.choose(&format!("Parameter of key {number}"), parameter);
}

fn keys(hand: &mut Hand) {
    hand.click("Keys");
    bind(hand, 1, Key::W, "go");
    bind(hand, 2, Key::W, "ahead");
    bind(hand, 3, Key::D, "side");
    hand.write("Push of key 3", "-0.5");
    bind(hand, 4, Key::Space, "hop");
    bind(hand, 5, Key::F, "greet");
    hand.write("Words of key 5", "Say hello");
}

/// Joints in the world at every tick, as `drive --script` writes them.
fn scripted(path: &Path) -> Vec<Vec<glam::Vec3>> {
    let files = CharacterFiles {
        animator: Some(path),
        files: &[],
        onto: None,
        fill: false,
    };
    let driven = DrivenCharacter::load(files, LoadOptions::default()).unwrap();
    let script = Script::parse(TOUR).unwrap();
    let mut driver = Driver::new(Arc::clone(&driven.graph), &script, TICK_RATE);
    let frame = |_| {
        let frame = driver.step();
        let world = frame.world_from_model;
        let joints = frame.model.joints().iter();
        joints.map(|it| (world * *it).translation.into()).collect()
    };
    (0..(SECS * TICK_RATE) as usize).map(frame).collect()
}

/// The same under a hand in the window that opened it.
fn by_hand(path: &Path) -> Vec<Vec<glam::Vec3>> {
    let mut rehearsal = Rehearsal::new(Vec::new());
    let outbox = rehearsal.outbox();
    rehearsal.session.set_mode(Mode::Drive);
    let source = CharacterSource {
        animator: Some(path.to_owned()),
        ..CharacterSource::default()
    };
    rehearsal.session.load_animator(source, &outbox);
    rehearsal.until(|session| session.driven().is_some());
    let mut lines = TOUR.lines().map(|line| line.split(' ')).peekable();
    let mut frames = Vec::new();
    for tick in 0..(SECS * TICK_RATE) as usize {
        let now = tick as f64 / TICK_RATE;
        while let Some(mut words) = lines.next_if(|line| {
            let at = line.clone().next().unwrap().parse::<f64>().unwrap();
            at <= now + 1e-9
        }) {
            let (verb, key) = (words.nth(1).unwrap(), words.next().unwrap());
            rehearsal.session.drive_key(key, verb == "press");
        }
        rehearsal.tick(1.0 / TICK_RATE);
        let lead = rehearsal.session.scene().lead().unwrap();
        let joints = lead.world_pose().joints().iter();
        frames.push(joints.map(|it| it.position()).collect());
    }
    frames
}

#[test]
fn an_animator_from_nothing_drives_as_its_saved_file_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.ron");
    let mut hand = Hand::new(None);
    hand.click("New animator…");
    hand.wait_for_graph();
    parameters(&mut hand);
    base_layer(&mut hand);
    arms(&mut hand);
    keys(&mut hand);
    hand.wait_for_graph();
    let fault = hand.session().editor_view().unwrap().fault;
    assert_eq!(fault, None);
    hand.click("Save as…");
    hand.write("File of the animator", path.to_str().unwrap());
    hand.click("Write");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(hand.text(), text);

    // Reopened it is the same, and plays the same by hand and by script.
    let mut again = Hand::new(Some(path.clone()));
    assert_eq!(again.text(), text);
    let view = again.session().editor_view().unwrap();
    let description = view.editor.description();
    let sizes = description.layers.iter().map(|it| it.states.len());
    assert_eq!(sizes.collect::<Vec<_>>(), [3, 2], "{text}");
    let bindings = &description.bindings;
    assert_eq!(bindings.len(), 5);
    assert_eq!(
        (bindings[4].key.as_str(), bindings[4].words()),
        ("F", "Say hello")
    );
    let (script, hand) = (scripted(&path), by_hand(&path));
    let mut furthest_m = 0f32;
    // A frame of the window shows the moment after its tick.
    for (ours, theirs) in hand.iter().zip(&script[1..]) {
        for (a, b) in ours.iter().zip(theirs) {
            furthest_m = furthest_m.max(a.distance(*b));
        }
    }
    assert!(furthest_m < 1e-4, "{furthest_m} m apart");
    let way = |frames: &[Vec<glam::Vec3>]| frames[frames.len() - 1][0].distance(frames[0][0]);
    assert!(way(&script) > 2.0, "{}", way(&script));
}
