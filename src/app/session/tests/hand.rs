//! A hand on the window's own panels: clicks, drags and keys, with a session
//! behind them that does what they ask for.

use egui::{Key, Modifiers, Pos2, Vec2};
use egui_kittest::{Harness, Node, kittest::Queryable};

use super::*;
use crate::app::drive::CharacterSource;

/// A session, and what its panels asked for.
struct Stage {
    rehearsal: Rehearsal,
    commands: Vec<Command>,
}

impl Stage {
    fn show(&mut self, ui: &mut egui::Ui) {
        let session = &mut self.rehearsal.session;
        let mut panels = std::mem::take(&mut session.panels);
        let view = session.panel_view();
        crate::ui::show(ui, &mut panels, &view, &mut self.commands);
        session.panels = panels;
    }
}

/// A hand on the panels.
pub(super) struct Hand(Harness<'static, Stage>);

impl Hand {
    /// Driving the performer, or by a file, with the editor open.
    pub fn new(animator: Option<PathBuf>) -> Self {
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

    pub fn session(&mut self) -> &mut Session {
        &mut self.0.state_mut().rehearsal.session
    }

    /// Frames, with what they asked for done after each.
    pub fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.0.step();
            let commands = std::mem::take(&mut self.0.state_mut().commands);
            commands.into_iter().for_each(|it| self.session().apply(it));
        }
    }

    pub fn last<'a>(&'a self, label: &'a str) -> Node<'a> {
        let found = self.0.get_all_by_label(label).last();
        found.unwrap_or_else(|| panic!("there is no {label:?}"))
    }

    pub fn click(&mut self, label: &str) {
        self.last(label).scroll_to_me();
        self.steps(2);
        // A page that was just opened takes some frames to know its size.
        self.steps(4);
        self.last(label).click();
        self.steps(3);
    }

    pub fn write(&mut self, field: &str, text: &str) {
        self.click(field);
        self.0.key_press_modifiers(Modifiers::COMMAND, Key::A);
        self.steps(1);
        self.0.event(egui::Event::Text(text.to_owned()));
        self.steps(1);
        self.0.key_press(Key::Enter);
        self.steps(3);
    }

    /// Whether something that says so is seen.
    pub fn shows(&self, text: &str) -> bool {
        self.0.query_all_by_label_contains(text).count() > 0
    }

    /// Chooses an entry of a list.
    pub fn choose(&mut self, list: &str, entry: &str) {
        self.click(list);
        self.click(entry);
    }

    pub fn key(&mut self, key: Key) {
        self.0.key_press(key);
        self.steps(3);
    }

    fn button(&self, pos: Pos2, pressed: bool) {
        self.0.event(egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
    }

    /// Twice, a frame an event.
    pub fn double_click(&mut self, at: Pos2) {
        self.0.event(egui::Event::PointerMoved(at));
        for pressed in [true, false, true, false] {
            self.button(at, pressed);
        }
        self.steps(3);
    }

    pub fn drag(&mut self, from: &str, to: &str) {
        let [from, to] = [from, to].map(|label| self.last(label).rect().center());
        self.0.event(egui::Event::PointerMoved(from));
        self.button(from, true);
        for share in [0.3, 0.6, 1.0] {
            self.0
                .event(egui::Event::PointerMoved(from.lerp(to, share)));
        }
        self.button(to, false);
        self.steps(3);
    }

    /// Waits until what runs is what was edited.
    pub fn wait_for_graph(&mut self) {
        let rehearsal = &mut self.0.state_mut().rehearsal;
        rehearsal.until(|session| !session.is_building());
    }

    pub fn text(&mut self) -> String {
        self.session().edited_text().to_owned()
    }
}
