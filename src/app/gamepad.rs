//! Gamepads: a thread that waits for them and says what is held, by the names
//! that animators use.
//!
//! The library for them is asked for at run time. Where there is none, or no
//! way to devices, nobody hears of a gamepad, and nothing else changes.

use std::thread;

use gilrs::{Axis, Button, EventType, Gilrs};

use super::{Message, Outbox};

/// What a gamepad tells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PadEvent {
    /// A button or half an axis is held so far, 0 to 1.
    Held(&'static str, f64),
    /// It was plugged in.
    Arrived(String),
    /// It was unplugged, or its battery is empty.
    Left(String),
}

/// Reports whatever gamepads do, for as long as the program runs.
pub(super) fn watch(outbox: Outbox) {
    thread::spawn(move || {
        let Ok(mut pads) = Gilrs::new() else {
            return;
        };
        for (_, pad) in pads.gamepads() {
            outbox(Message::Pad(PadEvent::Arrived(pad.name().to_owned())));
        }
        while let Some(event) = pads.next_event_blocking(None) {
            let name = || pads.gamepad(event.id).name().to_owned();
            for event in told(event.event, name) {
                outbox(Message::Pad(event));
            }
        }
    });
}

/// An event in our words; most are none or one, an axis has two halves.
fn told(event: EventType, name: impl FnOnce() -> String) -> Vec<PadEvent> {
    match event {
        EventType::ButtonChanged(button, share, _) => button_name(button)
            .map(|name| PadEvent::Held(name, f64::from(share).clamp(0.0, 1.0)))
            .into_iter()
            .collect(),
        EventType::AxisChanged(axis, value, _) => halves(axis, f64::from(value)),
        EventType::Connected => vec![PadEvent::Arrived(name())],
        EventType::Disconnected => vec![PadEvent::Left(name())],
        _ => Vec::new(),
    }
}

fn button_name(button: Button) -> Option<&'static str> {
    Some(match button {
        Button::South => "PadSouth",
        Button::East => "PadEast",
        Button::North => "PadNorth",
        Button::West => "PadWest",
        Button::LeftTrigger => "LeftBumper",
        Button::LeftTrigger2 => "LeftTrigger",
        Button::RightTrigger => "RightBumper",
        Button::RightTrigger2 => "RightTrigger",
        Button::Select => "PadSelect",
        Button::Start => "PadStart",
        Button::Mode => "PadMode",
        Button::LeftThumb => "LeftStickPress",
        Button::RightThumb => "RightStickPress",
        Button::DPadUp => "PadUp",
        Button::DPadDown => "PadDown",
        Button::DPadLeft => "PadLeft",
        Button::DPadRight => "PadRight",
        _ => return None,
    })
}

/// Both halves of an axis: what one is held, the other is not.
fn halves(axis: Axis, value: f64) -> Vec<PadEvent> {
    let (less, more) = match axis {
        Axis::LeftStickX => ("LeftStickLeft", "LeftStickRight"),
        Axis::LeftStickY => ("LeftStickDown", "LeftStickUp"),
        Axis::RightStickX => ("RightStickLeft", "RightStickRight"),
        Axis::RightStickY => ("RightStickDown", "RightStickUp"),
        _ => return Vec::new(),
    };
    let share = |value: f64| value.clamp(0.0, 1.0);
    vec![
        PadEvent::Held(less, share(-value)),
        PadEvent::Held(more, share(value)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_is_two_controls_and_never_both() {
        assert_eq!(
            halves(Axis::LeftStickY, 0.6),
            [
                PadEvent::Held("LeftStickDown", 0.0),
                PadEvent::Held("LeftStickUp", 0.6)
            ]
        );
        assert_eq!(
            halves(Axis::RightStickX, -1.5)[0],
            PadEvent::Held("RightStickLeft", 1.0)
        );
        assert!(halves(Axis::Unknown, 1.0).is_empty());
    }

    #[test]
    fn coming_and_going_is_told_by_name() {
        let told = |event| told(event, || "Pad of plastic".to_owned());
        let name = "Pad of plastic".to_owned();
        assert_eq!(
            told(EventType::Connected),
            [PadEvent::Arrived(name.clone())]
        );
        assert_eq!(told(EventType::Disconnected), [PadEvent::Left(name)]);
        assert_eq!(told(EventType::Dropped), []);
    }
}
