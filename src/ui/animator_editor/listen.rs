//! A binding takes the next control that is pressed: a key, a mouse button, or
//! what a gamepad has, which the application hears.

use egui::{Event, Key, Modifiers, RichText, Ui};

use super::Desk;
use crate::{
    animator::Edit,
    ui::{EditorPanel, Listening, keys, theme, widgets},
};

/// Ways of the pointer, which cannot be pressed.
const POINTER: [&str; 4] = ["PointerLeft", "PointerRight", "PointerUp", "PointerDown"];

/// What was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Heard {
    /// A control by the name that files use.
    Control(String),
    /// Esc.
    GivenUp,
    /// A key that no file can have, and why.
    Refused(String),
}

impl Listening {
    /// For a binding by its place; a new one behind the last.
    #[must_use]
    pub fn to(binding: usize) -> Self {
        Self {
            binding,
            held: None,
            refused: None,
        }
    }

    /// The first event that says something.
    fn hear(&mut self, events: &[Event]) -> Option<Heard> {
        events.iter().find_map(|event| match event {
            Event::Key {
                key: Key::Escape,
                pressed: true,
                ..
            } => Some(Heard::GivenUp),
            Event::Key {
                key,
                pressed: true,
                repeat: false,
                modifiers,
                ..
            } => Some(key_heard(*key, *modifiers)),
            Event::ModifiersChanged(now) => self.modifier_heard(*now),
            Event::PointerButton {
                button,
                pressed: true,
                ..
            } => Some(Heard::Control(keys::button_name(*button).to_owned())),
            _ => None,
        })
    }

    /// Shift, Ctrl or Alt counts when it comes up: until then it may belong to
    /// a key.
    fn modifier_heard(&mut self, now: Modifiers) -> Option<Heard> {
        let down = [("Shift", now.shift), ("Ctrl", now.ctrl), ("Alt", now.alt)];
        match down.iter().find(|(_, down)| *down) {
            Some((name, _)) => {
                self.held = Some(name);
                None
            }
            None => { self.held.take() }.map(|name| Heard::Control(name.to_owned())),
        }
    }
}

fn key_heard(key: Key, modifiers: Modifiers) -> Heard {
    match keys::drives(key, modifiers) {
        Some(name) => Heard::Control(name.to_owned()),
        None if modifiers.command => {
            Heard::Refused("What goes with Ctrl stays the program's: press another.".to_owned())
        }
        None => Heard::Refused(format!(
            "{} stays the program's: press another.",
            key.name()
        )),
    }
}

/// Over everything else: whatever is pressed is meant for it.
pub fn dialog_ui(ui: &Ui, panel: &mut EditorPanel, desk: &mut Desk<'_>) {
    let Some(listening) = &mut panel.listening else {
        return;
    };
    let modal = egui::Modal::new(egui::Id::unique("listen"));
    let shown = modal.show(ui.ctx(), |ui| {
        ui.set_width(440.0);
        contents_ui(ui, listening)
    });
    // A click on one of its buttons means that button.
    let events = match shown.inner.over_buttons {
        true => Vec::new(),
        false => ui.input(|input| input.events.clone()),
    };
    let heard = shown.inner.pressed.or_else(|| listening.hear(&events));
    match heard {
        None => return,
        Some(Heard::Refused(why)) => {
            listening.refused = Some(why);
            return;
        }
        Some(Heard::GivenUp) => {}
        Some(Heard::Control(control)) => {
            let edit = Edit::bind(desk.description(), listening.binding, &control);
            edit.into_iter().for_each(|edit| desk.edit(edit));
        }
    }
    panel.listening = None;
}

/// What became of the buttons of the dialog.
#[derive(Default)]
struct Buttons {
    pressed: Option<Heard>,
    over_buttons: bool,
}

fn contents_ui(ui: &mut Ui, listening: &Listening) -> Buttons {
    let mut buttons = Buttons::default();
    ui.vertical_centered(|ui| {
        ui.heading("Press a key …");
        ui.label("or a mouse button, or move a stick or press a button of a gamepad.");
        if let Some(why) = &listening.refused {
            widgets::note(ui, why, theme::palette(ui.style()).warning);
        }
    });
    ui.add_space(8.0);
    let mut button_ui = |ui: &mut Ui, word: &str, heard: Heard| {
        let response = ui.button(word);
        buttons.over_buttons |= response.contains_pointer();
        if response.clicked() {
            buttons.pressed = Some(heard);
        }
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new("The pointer's way").weak());
        for control in POINTER {
            let word = control.trim_start_matches("Pointer").to_lowercase();
            button_ui(ui, &word, Heard::Control(control.to_owned()));
        }
        ui.add_space(16.0);
        button_ui(ui, "Esc: cancel", Heard::GivenUp);
    });
    buttons
}

#[cfg(test)]
mod tests {
    use egui::PointerButton;

    use super::*;

    fn key(key: Key, modifiers: Modifiers) -> Event {
        Event::Key {
            key,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers,
        }
    }

    fn heard(events: &[Event]) -> Option<Heard> {
        Listening::to(0).hear(events)
    }

    #[test]
    fn keys_buttons_and_modifiers_are_heard_by_the_names_of_files() {
        let control = |name: &str| Some(Heard::Control(name.to_owned()));
        assert_eq!(heard(&[key(Key::W, Modifiers::NONE)]), control("W"));
        assert_eq!(heard(&[key(Key::Num1, Modifiers::SHIFT)]), control("1"));
        let shift = Event::ModifiersChanged(Modifiers::SHIFT);
        let none = Event::ModifiersChanged(Modifiers::NONE);
        assert_eq!(
            heard(std::slice::from_ref(&shift)),
            None,
            "it may belong to a key"
        );
        assert_eq!(heard(&[shift.clone(), none]), control("Shift"));
        assert_eq!(heard(&[shift, key(Key::W, Modifiers::SHIFT)]), control("W"));
        let press = |button, pressed| Event::PointerButton {
            pos: egui::Pos2::ZERO,
            button,
            pressed,
            modifiers: Modifiers::NONE,
        };
        assert_eq!(
            heard(&[press(PointerButton::Extra1, true)]),
            control("BackClick")
        );
        assert_eq!(heard(&[press(PointerButton::Extra1, false)]), None);
    }

    #[test]
    fn esc_gives_up_and_what_is_the_programs_stays_so() {
        assert_eq!(
            heard(&[key(Key::Escape, Modifiers::NONE)]),
            Some(Heard::GivenUp)
        );
        for (pressed, modifiers) in [(Key::Tab, Modifiers::NONE), (Key::S, Modifiers::COMMAND)] {
            let answer = heard(&[key(pressed, modifiers)]);
            assert!(matches!(answer, Some(Heard::Refused(_))), "{answer:?}");
        }
    }
}
