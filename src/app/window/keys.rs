//! Keys that the interface does not want.

use super::Viewer;
use crate::ui::{
    self, Command,
    keys::{self, KeyAction},
};

impl Viewer {
    /// Keys that the interface does not want.
    pub(super) fn take_keys(&mut self, from: usize) {
        let Some(surface) = &mut self.surface else {
            return;
        };
        let context = surface.egui.egui_ctx().clone();
        let wanted_there = context.egui_wants_keyboard_input() || keys::dialog_is_open(&context);
        let editing = self.session.panels.editor.open;
        let events = &mut surface.egui.egui_input_mut().events;
        let fresh = events.split_off(from.min(events.len()));
        let mut ours = Vec::new();
        for event in fresh {
            let is_ours = match &event {
                // A release goes to both. A key that came up in a text field
                // would otherwise be held for ever.
                egui::Event::Key { pressed: false, .. } => {
                    ours.push(event.clone());
                    false
                }
                // Undo and redo belong to the editor while it is open.
                egui::Event::Key { key, modifiers, .. }
                    if editing
                        && modifiers.command
                        && matches!(key, egui::Key::Z | egui::Key::Y) =>
                {
                    false
                }
                egui::Event::Key { key, .. } => {
                    !wanted_there && !keys::closes_popup(&context, *key)
                }
                egui::Event::Paste(_) => !wanted_there,
                _ => false,
            };
            if is_ours {
                ours.push(event);
            } else {
                events.push(event);
            }
        }
        for event in ours {
            self.take_key(event);
        }
    }

    pub(super) fn take_key(&mut self, event: egui::Event) {
        match event {
            egui::Event::Paste(text) => self.session.open_text(&text),
            egui::Event::Key {
                key,
                pressed,
                repeat,
                modifiers,
                ..
            } => {
                if let Some(name) = keys::drives(key, modifiers)
                    && self.session.drives(name, pressed)
                {
                    if !repeat {
                        self.session.drive_key(name, pressed);
                    }
                } else if !self.act(key, modifiers, (pressed, repeat)) {
                    return;
                }
            }
            _ => return,
        }
        self.touch();
    }

    /// What the table of keys says; whether it says anything.
    fn act(
        &mut self,
        key: egui::Key,
        modifiers: egui::Modifiers,
        (pressed, repeat): (bool, bool),
    ) -> bool {
        let binding = keys::find(key, modifiers, self.session.mode);
        match binding.map(|binding| binding.action) {
            Some(KeyAction::Act(action)) if pressed && (!repeat || repeats(action)) => {
                self.session.apply(Command::Do(action));
                true
            }
            _ => false,
        }
    }

    pub(super) fn set_modifiers(&mut self, state: winit::keyboard::ModifiersState) {
        let context = self.surface.as_ref().map(|it| it.egui.egui_ctx());
        let drives = !context.is_some_and(keys::dialog_is_open);
        // To egui these are modifiers and never keys.
        for (name, was, is) in [
            ("Shift", self.modifiers.shift, state.shift_key()),
            ("Ctrl", self.modifiers.ctrl, state.control_key()),
            ("Alt", self.modifiers.alt, state.alt_key()),
        ] {
            // A release counts always.
            if was != is && (drives || !is) {
                self.session.drive_key(name, is);
            }
        }
        self.modifiers.shift = state.shift_key();
        self.modifiers.ctrl = state.control_key();
        self.modifiers.alt = state.alt_key();
        self.touch();
    }
}

/// Whether holding the key does it again.
fn repeats(action: ui::Action) -> bool {
    matches!(action, ui::Action::Step(_) | ui::Action::SkipSeconds(_))
}
