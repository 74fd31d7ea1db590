//! Files under the animator's editor: what is kept, told and asked.

use super::{hand::Hand, *};

const BY_HAND: &str = "// by hand\n(\n  parameters: { \"go\": Bool(false), },   // odd   spacing\n  layers: [ ( name: \"base\", states: [\n    (name: \"A\", motion: Clip(\"idle\")), // first\n    (name: \"B\", motion: Clip(\"forward\")),\n  ], transitions: [ (from: Any, to: \"B\", when: [On(\"go\")]) ] ), ],\n)\n";

#[test]
fn a_file_by_hand_keeps_every_byte_outside_the_edit_and_conflicts_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hand.ron");
    std::fs::write(&path, BY_HAND).unwrap();
    let mut hand = Hand::new(Some(path.clone()));
    hand.click("State A");
    hand.write("Name of the state", "STAND");
    hand.click("Save");
    let renamed = BY_HAND.replace("\"A\"", "\"STAND\"");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), renamed);

    // What would break it is told, and nothing changes.
    hand.write("Name of the state", "B");
    assert_eq!(hand.text(), renamed);
    assert!(hand.shows("already"));

    // Saved elsewhere without edits here: it is taken.
    let theirs = renamed.replace("// first", "// theirs");
    std::fs::write(&path, &theirs).unwrap();
    hand.session().receive(Message::AnimatorChanged);
    assert_eq!(hand.text(), theirs);

    // With edits here: the hand decides.
    hand.click("State B");
    hand.write("Name of the state", "WALK");
    let mine = hand.text();
    std::fs::write(&path, &renamed).unwrap();
    hand.session().receive(Message::AnimatorChanged);
    hand.steps(3);
    assert_eq!(hand.text(), mine);
    hand.click("Save");
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        renamed,
        "not over theirs"
    );
    hand.click("Keep mine");
    hand.click("Save");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), mine);

    hand.write("Name of the state", "GO");
    let edited = hand.text();
    std::fs::write(&path, &theirs).unwrap();
    hand.session().receive(Message::AnimatorChanged);
    hand.steps(3);
    hand.click("Take the file's");
    assert_eq!(hand.text(), theirs);
    hand.click("Undo");
    assert_eq!(hand.text(), edited);
}

/// Tunes the first fade out of A, as the Animator panel does.
fn tune_fade(hand: &mut Hand, secs: f64) {
    let view = &hand.session().driven().unwrap().view;
    let mut fade = view.layers[0].transitions[0].fade;
    fade.secs = secs;
    let tuning = crate::ui::Tuning::Fade {
        layer: 0,
        transition: 0,
        fade,
    };
    hand.session().apply(Command::Tune(tuning));
    hand.steps(3);
}

#[test]
fn what_is_tuned_reaches_the_file_as_a_splice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hand.ron");
    std::fs::write(&path, BY_HAND).unwrap();
    let mut hand = Hand::new(Some(path.clone()));
    hand.click("Edit");
    for secs in [0.3, 0.5, 0.75] {
        tune_fade(&mut hand, secs);
    }
    hand.click("Save the animator");
    let saved = std::fs::read_to_string(&path).unwrap();
    let tuned = BY_HAND.replace(
        "[On(\"go\")])",
        "[On(\"go\")], fade: (kind: Inertial, secs: 0.75))",
    );
    assert_eq!(saved, tuned);
    assert!(!hand.shows("Save the animator"));

    // A row of tunings is one step back.
    hand.click("Edit");
    hand.click("Undo");
    assert_eq!(hand.text(), BY_HAND);
}

#[test]
fn weights_and_masks_that_are_tuned_are_saved_too() {
    use crate::ui::Tuning;
    let mut hand = Hand::new(None);
    let tune = |hand: &mut Hand, tuning| {
        hand.session().apply(Command::Tune(tuning));
        hand.steps(1);
    };
    let layers = hand.session().driven().unwrap().view.layers.clone();
    let layer = layers.iter().position(|it| it.name == "upper").unwrap();
    tune(&mut hand, Tuning::Weight { layer, weight: 0.5 });
    let head = hand
        .session()
        .driving
        .joints
        .iter()
        .position(|it| it == "head");
    tune(
        &mut hand,
        Tuning::Mask {
            layer,
            joint: head.unwrap() as u16,
            weight: 0.25,
            below: false,
        },
    );
    let live = hand.session().driven().unwrap().view.layers[layer].clone();
    let fault = hand.session().editor_view().unwrap().fault;
    assert_eq!(fault, None);
    // The file says what runs: read again, nothing changes.
    hand.session().take_edited(true);
    hand.wait_for_graph();
    let view = hand.session().driven().unwrap().view.layers[layer].clone();
    assert_eq!((view.full_weight, &view.mask), (0.5, &live.mask));
    assert!(hand.text().contains("\"head\": 0.25"));
}

#[test]
fn nothing_that_is_not_saved_is_left_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hand.ron");
    let other = folder.path().join("other.ron");
    std::fs::write(&path, BY_HAND).unwrap();
    std::fs::write(&other, BY_HAND).unwrap();
    let mut hand = Hand::new(Some(path.clone()));
    assert!(hand.session().may_quit(), "without edits nobody is asked");
    hand.session().requests.clear();
    hand.click("State A");
    hand.write("Name of the state", "STAND");
    let edited = hand.text();

    // Quitting asks; Cancel goes on.
    assert!(!hand.session().may_quit());
    hand.steps(2);
    hand.click("Cancel");
    assert!(hand.session().requests.is_empty());
    // So does another file, and so does a new animator.
    hand.session().open(vec![other.clone()]);
    hand.steps(2);
    assert!(hand.shows("other.ron takes its place"));
    hand.key(egui::Key::Escape);
    hand.click("New animator…");
    assert!(hand.shows("A new animator takes"));
    hand.click("Cancel");
    assert_eq!(hand.text(), edited);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), BY_HAND);

    // Closing the editor loses nothing, and says so.
    hand.click("Edit");
    let told = hand.session().notices.list().last().unwrap().text.clone();
    assert!(told.contains("no file has them"), "{told}");
    assert_eq!(hand.text(), edited);

    // Saved, and then it goes on to what was asked for.
    hand.session().act(Action::Quit);
    hand.steps(2);
    hand.click("Write");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), edited);
    assert_eq!(hand.session().requests, [WindowRequest::Quit]);
    hand.session().requests.clear();

    // Or let go.
    hand.session().open(vec![other.clone()]);
    hand.click("Edit");
    hand.click("State A");
    hand.write("Name of the state", "STAND");
    hand.click("New animator…");
    hand.click("Discard the edits");
    assert_eq!(hand.text(), crate::animator::NEW_ANIMATOR);
    assert_eq!(std::fs::read_to_string(&other).unwrap(), BY_HAND);
}

#[test]
fn a_gamepad_s_control_is_bound_by_moving_it() {
    use crate::app::gamepad::PadEvent;
    let mut hand = Hand::new(None);
    let count = |hand: &mut Hand| {
        let view = hand.session().editor_view().unwrap();
        view.editor.description().bindings.clone()
    };
    let before = count(&mut hand).len();
    hand.click("Keys");
    hand.click("Add key…");
    // On its way it does not count, and drives nobody.
    hand.session()
        .receive_pad(PadEvent::Held("LeftStickUp", 0.3));
    hand.session()
        .receive_pad(PadEvent::Held("LeftStickUp", 0.8));
    hand.steps(2);
    let bindings = count(&mut hand);
    assert_eq!(bindings.len(), before + 1);
    assert_eq!(bindings[before].key, "LeftStickUp");
    assert_eq!(hand.session().panels.editor.listening, None);
    assert!(!hand.session().driven().unwrap().holds("LeftStickUp"));
}
