//! The animator's editor under a hand: clicks, drags and keys on the window's
//! own panels.

use egui::{Key, Modifiers, Vec2};
use egui_kittest::{Harness, Node, kittest::Queryable};

use super::*;
use crate::{app::drive::CharacterSource, ui::Mode};

/// A session, and what its panels asked for.
struct Stage {
    rehearsal: Rehearsal,
    commands: Vec<Command>,
    /// How many there were before this frame.
    before: usize,
}

impl Stage {
    fn show(&mut self, ui: &mut egui::Ui) {
        let session = &mut self.rehearsal.session;
        let mut panels = std::mem::take(&mut session.panels);
        // A step may be several frames, one an event; of the passes of a frame
        // the last counts.
        match ui.ctx().current_pass_index() {
            0 => self.before = self.commands.len(),
            _ => self.commands.truncate(self.before),
        }
        let view = session.panel_view();
        crate::ui::show(ui, &mut panels, &view, &mut self.commands);
        session.panels = panels;
    }
}

/// A hand on the panels.
struct Hand(Harness<'static, Stage>);

impl Hand {
    /// Driving the performer, or by a file, with the editor open.
    fn new(animator: Option<PathBuf>) -> Self {
        let mut rehearsal = Rehearsal::new(Vec::new());
        let source = CharacterSource {
            animator,
            ..CharacterSource::default()
        };
        let outbox = rehearsal.outbox();
        rehearsal.session.load_animator(source, &outbox);
        rehearsal.until(|session| session.driving.drive.is_some());
        rehearsal
            .session
            .apply(Command::Do(Action::Enter(Mode::Drive)));
        let stage = Stage {
            rehearsal,
            commands: Vec::new(),
            before: 0,
        };
        let harness = Harness::builder()
            .with_size(Vec2::new(1280.0, 800.0))
            // As fast as a screen: a double click is a matter of time.
            .with_step_dt(1.0 / 60.0)
            .build_ui_state(|ui, stage: &mut Stage| stage.show(ui), stage);
        crate::ui::theme::install(&harness.ctx);
        harness.ctx.all_styles_mut(|style| {
            style.scroll_animation = egui::style::ScrollAnimation::none();
        });
        let mut hand = Self(harness);
        hand.steps(3);
        hand.click("Edit");
        hand
    }

    fn session(&mut self) -> &mut Session {
        &mut self.0.state_mut().rehearsal.session
    }

    /// Frames, with what they asked for done after each.
    fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.0.step();
            let commands = std::mem::take(&mut self.0.state_mut().commands);
            commands.into_iter().for_each(|it| self.session().apply(it));
        }
    }

    fn last<'a>(&'a self, label: &'a str) -> Node<'a> {
        let found = self.0.get_all_by_label(label).last();
        found.unwrap_or_else(|| panic!("there is no {label:?}"))
    }

    fn click(&mut self, label: &str) {
        self.last(label).scroll_to_me();
        self.steps(2);
        self.last(label).click();
        self.steps(3);
    }

    fn write(&mut self, field: &str, text: &str) {
        self.click(field);
        self.0.key_press_modifiers(Modifiers::COMMAND, Key::A);
        self.steps(1);
        self.0.event(egui::Event::Text(text.to_owned()));
        self.steps(1);
        self.0.key_press(Key::Enter);
        self.steps(3);
    }

    fn text(&mut self) -> String {
        self.session().edited_text().to_owned()
    }
}

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
    assert!(hand.0.query_by_label_contains("already").is_some());

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
