//! Events under the pen, as panels keep and show them.

use crate::clip::Event;

/// Which event is chosen, dragged or named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventPanel {
    /// By its place in order of time.
    pub chosen: Option<usize>,
    /// One on its way, and where the pointer has it, seconds.
    pub dragged: Option<(usize, f64)>,
    /// What is typed as its name.
    pub name: String,
    /// A new one: its name is asked for.
    pub asks_name: bool,
}

impl EventPanel {
    /// Chooses an event.
    pub fn choose(&mut self, index: usize, name: &str) {
        self.chosen = Some(index);
        name.clone_into(&mut self.name);
    }

    /// Chooses whatever an edit left of an event, found again by its moment.
    pub fn follow(&mut self, events: &[Event], edit: &crate::clip::EventEdit) {
        use crate::clip::EventEdit;
        let at = |secs: f64, name: Option<&str>| {
            let near = |it: &Event| (it.time_secs - secs).abs() < 1e-9;
            let same = |it: &Event| name.is_none_or(|name| it.name == name.trim());
            events.iter().position(|it| near(it) && same(it))
        };
        self.dragged = None;
        self.chosen = match edit {
            EventEdit::Add(event) => at(event.time_secs, Some(&event.name)),
            EventEdit::Move(_, secs) => at(*secs, None),
            EventEdit::Rename(index, _) => Some(*index),
            EventEdit::Delete(_) => None,
        };
        self.asks_name = matches!(edit, EventEdit::Add(_));
        if let Some(event) = self.chosen.and_then(|index| events.get(index)) {
            self.name.clone_from(&event.name);
        }
    }
}

/// The clip that a state plays, with what happens in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventLaneView {
    /// What the animator's file calls it.
    pub clip: String,
    /// Its length.
    pub duration_secs: f64,
    /// Where it is, seconds.
    pub now_secs: f64,
    /// What the animator's file names, to be edited.
    pub events: Vec<Event>,
    /// Strikes of feet and what the clip's own file names.
    pub found: Vec<Event>,
}
