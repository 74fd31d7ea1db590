//! Keys that the interface does not want.

use super::Viewer;
use crate::ui::{
    self, Command, Mode,
    keys::{self, KeyAction},
};

impl Viewer {
    /// Keys that the interface does not want.
    pub(super) fn take_keys(&mut self, from: usize) {
        let Some(surface) = &mut self.surface else {
            return;
        };
        let context = surface.egui.egui_ctx().clone();
        let wanted_there = context.egui_wants_keyboard_input();
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
                let Some(binding) = keys::find(key, modifiers, self.session.mode) else {
                    return;
                };
                match binding.action {
                    KeyAction::Act(action) if pressed && (!repeat || repeats(action)) => {
                        self.session.apply(Command::Do(action));
                    }
                    KeyAction::Drive(name) if !repeat => self.session.drive_key(name, pressed),
                    _ => return,
                }
            }
            _ => return,
        }
        self.touch();
    }

    pub(super) fn set_modifiers(&mut self, state: winit::keyboard::ModifiersState) {
        let shift = state.shift_key();
        // To egui Shift is a modifier and never a key.
        if shift != self.modifiers.shift && self.session.mode == Mode::Drive {
            self.session.drive_key("Shift", shift);
        }
        self.modifiers.shift = shift;
        self.modifiers.ctrl = state.control_key();
        self.touch();
    }
}

/// Whether holding the key does it again.
fn repeats(action: ui::Action) -> bool {
    matches!(action, ui::Action::Step(_) | ui::Action::SkipSeconds(_))
}
