//! The one table of keys. Input handling, the menus and the shortcut overlay
//! all read it, so that none of them can disagree with another.

use egui::{Key, Modifiers, PointerButton};

use super::{
    Mode,
    command::{Action, Switch},
};
use crate::{animator::LEFT_BUTTON, scene::ViewPreset};

/// A key with the modifiers it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chord {
    /// The key.
    pub key: Key,
    /// Ctrl, or Cmd on a Mac.
    pub ctrl: bool,
    /// Shift; `None` when it does not matter.
    pub shift: Option<bool>,
}

/// What a row of the table does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAction {
    /// Once, when pressed (and on every repeat while held).
    Act(Action),
    /// Done by the pointer; listed for the reader.
    Pointer,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The modes it is for.
    pub modes: &'static [Mode],
    /// Any of these.
    pub chords: &'static [Chord],
    /// How the keys are written.
    pub label: &'static str,
    /// What happens.
    pub action: KeyAction,
    /// What the overlay and the menus say.
    pub says: &'static str,
    /// Heading in the overlay.
    pub group: &'static str,
}

/// Shift does not matter: it is held to run, and some keyboards need it to
/// type `?` or `+`.
const fn plain(key: Key) -> Chord {
    Chord {
        key,
        ctrl: false,
        shift: None,
    }
}

const fn ctrl(key: Key) -> Chord {
    Chord {
        key,
        ctrl: true,
        shift: None,
    }
}

const fn ctrl_shift(key: Key, shift: bool) -> Chord {
    Chord {
        key,
        ctrl: true,
        shift: Some(shift),
    }
}

const fn shifted(key: Key, shift: bool) -> Chord {
    Chord {
        key,
        ctrl: false,
        shift: Some(shift),
    }
}

macro_rules! table {
    ($($group:literal: $modes:expr => { $($label:literal [$($chord:expr),*] $action:expr, $says:literal;)* })*) => {
        /// All keys, in the order of the overlay.
        pub static TABLE: &[Binding] = &[$($(Binding {
            modes: $modes,
            chords: &[$($chord),*],
            label: $label,
            action: $action,
            says: $says,
            group: $group,
        }),*),*];
    };
}

const EVERY: &[Mode] = &Mode::ALL;
/// Where there is a timeline.
const CLIPS: &[Mode] = &[Mode::View, Mode::Blend];

use Action as A;
use KeyAction::{Act, Pointer};

table! {
    "General": EVERY => {
        "Tab" [plain(Key::Tab)] Act(A::ToggleMode), "Drive or View";
        "Ctrl+B" [ctrl(Key::B)] Act(A::Enter(Mode::Blend)), "Blend clips";
        "Esc" [plain(Key::Escape)] Act(A::Back), "Close what is open; then View";
        "F1  ?" [plain(Key::F1), plain(Key::Questionmark)] Act(A::Shortcuts), "All shortcuts";
        "F2" [plain(Key::F2)] Act(A::SidePanel), "Side panel";
        "F3" [plain(Key::F3)] Act(A::Log), "Messages";
        "F4" [plain(Key::F4)] Act(A::Learn), "Learn: concepts to try";
        "F5" [plain(Key::F5)] Act(A::Library), "Library: browse a folder";
        "F11" [plain(Key::F11)] Act(A::Fullscreen), "Full screen";
        "Ctrl+O" [ctrl(Key::O)] Act(A::Open), "Open files…";
        "Ctrl+V" [ctrl(Key::V)] Act(A::Paste), "Open the copied path";
        "Ctrl+E" [ctrl(Key::E)] Act(A::Export), "Export…";
        "P" [shifted(Key::P, false)] Act(A::Screenshot), "Save a picture";
        "Shift+P" [shifted(Key::P, true)] Act(A::ScreenshotWindow), "Save the whole window";
        "Ctrl+R" [ctrl_shift(Key::R, false)] Act(A::RecordGif), "Record a GIF, or stop";
        "Ctrl+Shift+R" [ctrl_shift(Key::R, true)] Act(A::RecordPictures), "Record pictures, or stop";
        "Ctrl+Q" [ctrl(Key::Q)] Act(A::Quit), "Quit";
    }
    "Playback": CLIPS => {
        "Space" [plain(Key::Space)] Act(A::TogglePlay), "Play or pause";
        "," [plain(Key::Comma)] Act(A::Step(-1)), "One frame back";
        "." [plain(Key::Period)] Act(A::Step(1)), "One frame on";
        "Left" [plain(Key::ArrowLeft)] Act(A::Step(-10)), "Ten frames back";
        "Right" [plain(Key::ArrowRight)] Act(A::Step(10)), "Ten frames on";
        "Down" [plain(Key::ArrowDown)] Act(A::SkipSeconds(-1)), "One second back";
        "Up" [plain(Key::ArrowUp)] Act(A::SkipSeconds(1)), "One second on";
        "Home" [plain(Key::Home)] Act(A::ToStart), "Start of the range";
        "End" [plain(Key::End)] Act(A::ToEnd), "End of the range";
        "[" [plain(Key::OpenBracket)] Act(A::RangeIn), "Range starts here";
        "]" [plain(Key::CloseBracket)] Act(A::RangeOut), "Range ends here";
        "\\" [plain(Key::Backslash)] Act(A::RangeClear), "Whole clip again";
        "-" [plain(Key::Minus)] Act(A::Slower), "Half speed";
        "=" [plain(Key::Equals), plain(Key::Plus)] Act(A::Faster), "Double speed";
        "R" [plain(Key::R)] Act(A::Reverse), "Backwards";
        "L" [plain(Key::L)] Act(A::NextWrap), "Loop, ping-pong, once";
    }
    "Playback": &[Mode::View] => {
        "E" [plain(Key::E)] Act(A::AddEvent), "Event at the play head";
        "Del" [plain(Key::Delete)] Act(A::DeleteEvent), "Delete the chosen event";
        "Ctrl+Z" [ctrl_shift(Key::Z, false)] Act(A::UndoEvents), "Undo an edit of events";
        "Ctrl+Y" [ctrl(Key::Y), ctrl_shift(Key::Z, true)] Act(A::RedoEvents), "Redo it (Ctrl+Shift+Z)";
        "PgUp" [plain(Key::PageUp)] Act(A::PreviousClip), "Previous clip";
        "PgDn" [plain(Key::PageDown)] Act(A::NextClip), "Next clip";
    }
    "Drive": &[Mode::Drive] => {
        "PgUp" [plain(Key::PageUp)] Act(A::Faster), "Time runs faster";
        "PgDn" [plain(Key::PageDown)] Act(A::Slower), "Time runs slower";
        "Z" [plain(Key::Z)] Act(A::HoldTime), "Time stands still";
        "Ctrl+M" [ctrl(Key::M)] Act(A::RecordMotion), "Record the motion, or stop";
        "Ctrl+Z" [] Pointer, "Editor: undo; with Shift redo";
    }
    "Camera": EVERY => {
        "Drag" [] Pointer, "Orbit; pull at a joint or cloth";
        "Shift+drag" [] Pointer, "Pan (or middle button)";
        "Wheel" [] Pointer, "Zoom";
        "1" [plain(Key::Num1)] Act(A::LookFrom(ViewPreset::Front)), "From the front";
        "3" [plain(Key::Num3)] Act(A::LookFrom(ViewPreset::Left)), "From its left";
        "5" [plain(Key::Num5)] Act(A::LookFrom(ViewPreset::ThreeQuarter)), "Three-quarter view";
        "7" [plain(Key::Num7)] Act(A::LookFrom(ViewPreset::Top)), "From above";
        "9" [plain(Key::Num9)] Act(A::LookFrom(ViewPreset::Back)), "From behind";
        "C" [plain(Key::C)] Act(A::Toggle(Switch::Follow)), "Camera: follow, turn, still";
    }
    "Camera": CLIPS => {
        "F" [plain(Key::F)] Act(A::FrameAll), "Frame everything";
    }
    "Display": EVERY => {
        "K" [plain(Key::K)] Act(A::Toggle(Switch::Skin)), "Skin";
        "B" [plain(Key::B)] Act(A::Toggle(Switch::Bones)), "Bones";
        "N" [plain(Key::N)] Act(A::Toggle(Switch::Names)), "Joint names";
        "X" [plain(Key::X)] Act(A::Toggle(Switch::Axes)), "Joint axes";
        "T" [plain(Key::T)] Act(A::Toggle(Switch::Trajectory)), "Path of the joint";
        "G" [plain(Key::G)] Act(A::Toggle(Switch::Ghosts)), "Ghosts before and after";
        "M" [plain(Key::M)] Act(A::NextTheme), "Dark, light, system";
    }
}

/// The row that a key press belongs to.
#[must_use]
pub fn find(key: Key, modifiers: Modifiers, mode: Mode) -> Option<&'static Binding> {
    TABLE.iter().find(|binding| {
        binding.modes.contains(&mode)
            && binding.chords.iter().any(|chord| {
                chord.key == key
                    && chord.ctrl == modifiers.command
                    // Alt belongs to the desktop, and AltGr types other letters.
                    && !modifiers.alt
                    && chord.shift.is_none_or(|shift| shift == modifiers.shift)
            })
    })
}

/// What an animator calls a key; none for those that are never its own: what
/// leads out of Drive, and what tells of it, works whatever a file binds.
#[must_use]
pub fn drives(key: Key, modifiers: Modifiers) -> Option<&'static str> {
    let ours = [Key::Tab, Key::Escape, Key::F1, Key::F2, Key::F3, Key::F11];
    (!ours.contains(&key) && !modifiers.command).then(|| key.name())
}

/// What an animator calls a click with a button.
#[must_use]
pub fn button_name(button: PointerButton) -> &'static str {
    match button {
        PointerButton::Primary => LEFT_BUTTON,
        PointerButton::Secondary => "RightClick",
        PointerButton::Middle => "MiddleClick",
        PointerButton::Extra1 => "BackClick",
        PointerButton::Extra2 => "ForwardClick",
    }
}

/// What the table has a control do in a mode, by the name that animators use;
/// a file that binds it takes that away.
#[must_use]
pub fn of_control(control: &str, mode: Mode) -> Option<&'static Binding> {
    let is = |chord: &Chord| !chord.ctrl && chord.key.name().eq_ignore_ascii_case(control);
    let mut rows = TABLE.iter().filter(|row| row.modes.contains(&mode));
    rows.find(|row| row.chords.iter().any(is))
}

/// Whether a dialog lies over everything: all keys are meant for it.
#[must_use]
pub fn dialog_is_open(context: &egui::Context) -> bool {
    context.memory(|memory| memory.top_modal_layer().is_some())
}

/// Whether a key closes a menu or a list that hangs open: the innermost thing
/// comes first, before anything that the table has to say.
#[must_use]
pub fn closes_popup(context: &egui::Context, key: Key) -> bool {
    key == Key::Escape && egui::Popup::is_any_open(context)
}

/// The row of an action: how menus know its key.
#[must_use]
pub fn of_action(action: Action) -> Option<&'static Binding> {
    TABLE.iter().find(|binding| binding.action == Act(action))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_mode() {
        for mode in Mode::ALL {
            let mut seen: Vec<Chord> = Vec::new();
            let rows = TABLE.iter().filter(|row| row.modes.contains(&mode));
            for chord in rows.flat_map(|row| row.chords) {
                let clash = seen.iter().find(|other| {
                    let shifts_differ =
                        matches!((other.shift, chord.shift), (Some(a), Some(b)) if a != b);
                    other.key == chord.key && other.ctrl == chord.ctrl && !shifts_differ
                });
                assert_eq!(clash, None, "{mode:?}");
                seen.push(*chord);
            }
        }
    }

    #[test]
    fn modes_and_modifiers_decide() {
        let none = Modifiers::NONE;
        let space = |mode| find(Key::Space, none, mode).unwrap().action;
        assert_eq!(space(Mode::View), Act(A::TogglePlay));
        let p = |modifiers| find(Key::P, modifiers, Mode::View).unwrap().action;
        assert_eq!(p(none), Act(A::Screenshot));
        assert_eq!(p(Modifiers::SHIFT), Act(A::ScreenshotWindow));
    }

    #[test]
    fn any_key_may_drive_but_those_that_lead_out() {
        assert_eq!(drives(Key::W, Modifiers::SHIFT), Some("W"));
        assert_eq!(drives(Key::Num1, Modifiers::NONE), Some("1"));
        assert_eq!(drives(Key::W, Modifiers::COMMAND), None);
        for key in [Key::Tab, Key::Escape, Key::F1] {
            assert_eq!(drives(key, Modifiers::NONE), None, "{key:?}");
        }
    }

    #[test]
    fn every_row_says_what_it_does_in_one_line() {
        for row in TABLE {
            assert!(!row.label.is_empty() && !row.says.is_empty());
            assert!(row.says.len() <= 32, "{}", row.says);
        }
    }
}
