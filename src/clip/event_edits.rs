//! Events under the pen: one change at a time, and every one can be taken back.

use super::{Event, EventTrack};

/// Steps that can be taken back.
const REMEMBERED: usize = 200;
/// Letters of a name at most: a label has to fit a timeline.
const LONGEST_NAME: usize = 64;

/// One change. Events go by their place in order of time.
#[derive(Clone, Debug, PartialEq)]
pub enum EventEdit {
    /// At a moment, by a name.
    Add(Event),
    /// To another moment, seconds.
    Move(usize, f64),
    /// What it is called.
    Rename(usize, String),
    /// Gone.
    Delete(usize),
}

impl EventTrack {
    /// With a change made, inside a clip of `duration_secs`; `None` where there
    /// is nothing to change.
    #[must_use]
    pub fn edited(&self, edit: &EventEdit, duration_secs: f64) -> Option<Self> {
        let within = |secs: f64| {
            let duration = duration_secs.max(0.0);
            secs.is_finite().then(|| secs.clamp(0.0, duration))
        };
        let mut events = self.events().to_vec();
        match edit {
            EventEdit::Add(event) => events.push(Event {
                time_secs: within(event.time_secs)?,
                name: sound_name(&event.name)?,
            }),
            EventEdit::Move(index, secs) => events.get_mut(*index)?.time_secs = within(*secs)?,
            EventEdit::Rename(index, name) => events.get_mut(*index)?.name = sound_name(name)?,
            EventEdit::Delete(index) => {
                events.get(*index)?;
                events.remove(*index);
            }
        }
        Some(Self::new(events)).filter(|edited| edited != self)
    }
}

/// A name that can be read on a line.
fn sound_name(name: &str) -> Option<String> {
    let name: String = { name.trim().chars() }
        .filter(|letter| !letter.is_control())
        .take(LONGEST_NAME)
        .collect();
    (!name.is_empty()).then_some(name)
}

/// The events of a clip, and those it had before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventHistory {
    now: EventTrack,
    before: Vec<EventTrack>,
    after: Vec<EventTrack>,
}

impl EventHistory {
    /// Begins with what there is.
    #[must_use]
    pub fn new(now: EventTrack) -> Self {
        Self {
            now,
            before: Vec::new(),
            after: Vec::new(),
        }
    }

    /// As they are.
    #[must_use]
    pub fn now(&self) -> &EventTrack {
        &self.now
    }

    /// Whether they are others than those it began with.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        self.before.first().is_some_and(|first| *first != self.now)
    }

    /// Makes a change; whether it changed anything.
    pub fn apply(&mut self, edit: &EventEdit, duration_secs: f64) -> bool {
        let Some(edited) = self.now.edited(edit, duration_secs) else {
            return false;
        };
        self.before.push(std::mem::replace(&mut self.now, edited));
        if self.before.len() > REMEMBERED {
            // The second goes: the first says what the file holds.
            self.before.remove(1);
        }
        self.after.clear();
        true
    }

    /// One step back; whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(old) = self.before.pop() else {
            return false;
        };
        self.after.push(std::mem::replace(&mut self.now, old));
        true
    }

    /// One step forward; whether there was one.
    pub fn redo(&mut self) -> bool {
        let Some(new) = self.after.pop() else {
            return false;
        };
        self.before.push(std::mem::replace(&mut self.now, new));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn event(time_secs: f64, name: &str) -> Event {
        let name = name.to_owned();
        Event { time_secs, name }
    }

    #[test]
    fn each_edit_does_what_it_says_and_stays_in_the_clip() {
        let track = EventTrack::new(vec![event(0.5, "a"), event(1.0, "b")]);
        let edited = |edit| track.edited(&edit, 2.0);
        let added = edited(EventEdit::Add(event(9.0, " c\n "))).unwrap();
        assert_eq!(added.events()[2], event(2.0, "c"));
        let moved = edited(EventEdit::Move(0, 1.5)).unwrap();
        assert_eq!(moved.events(), [event(1.0, "b"), event(1.5, "a")]);
        let renamed = edited(EventEdit::Rename(1, "hit".into())).unwrap();
        assert_eq!(renamed.find("hit"), Some(1.0));
        assert_eq!(edited(EventEdit::Delete(0)).unwrap().events().len(), 1);
    }

    #[test]
    fn what_makes_no_sense_changes_nothing() {
        let track = EventTrack::new(vec![event(0.5, "a")]);
        for edit in [
            EventEdit::Add(event(f64::NAN, "x")),
            EventEdit::Add(event(1.0, " \t")),
            EventEdit::Move(3, 1.0),
            EventEdit::Move(0, f64::INFINITY),
            EventEdit::Move(0, 0.5),
            EventEdit::Rename(0, String::new()),
            EventEdit::Delete(1),
        ] {
            assert_eq!(track.edited(&edit, 2.0), None, "{edit:?}");
        }
    }

    #[test]
    fn every_step_can_be_taken_back_and_made_again() {
        let mut random = Random::new(90);
        let mut history = EventHistory::new(EventTrack::new(vec![event(0.5, "a")]));
        let mut known = vec![history.now().clone()];
        for step in 0..100 {
            let index = random.below(4);
            let secs = f64::from(random.signed());
            let edit = match random.below(4) {
                0 => EventEdit::Delete(index),
                1 => EventEdit::Move(index, secs),
                2 => EventEdit::Rename(index, format!("n{step}")),
                _ => EventEdit::Add(event(secs, "more")),
            };
            if history.apply(&edit, 2.0) {
                known.push(history.now().clone());
            }
        }
        assert!(known.len() > 30);
        for before in known.iter().rev().skip(1) {
            assert!(history.undo());
            assert_eq!(history.now(), before);
        }
        assert!(!history.undo() && !history.is_edited());
        for after in &known[1..] {
            assert!(history.redo());
            assert_eq!(history.now(), after);
        }
        assert!(!history.redo());
    }
}
