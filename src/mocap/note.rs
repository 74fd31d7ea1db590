//! What a reader assumed, skipped or mended on the way.

use serde::Serialize;

/// How much a note matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing; nothing was changed.
    Info,
    /// Something was mended, guessed or left out.
    Warning,
}

/// One remark about a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Note {
    /// How much it matters.
    pub level: Level,
    /// Line in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Frame as numbered in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<u64>,
    /// Bone as spelt in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bone: Option<String>,
    /// The remark.
    pub message: String,
}

impl Note {
    /// A warning.
    #[must_use]
    pub fn warning(message: impl Into<String>) -> Self {
        Self {
            level: Level::Warning,
            line: None,
            frame: None,
            bone: None,
            message: message.into(),
        }
    }

    /// A remark that changed nothing.
    #[must_use]
    pub fn info(message: impl Into<String>) -> Self {
        Self {
            level: Level::Info,
            ..Self::warning(message)
        }
    }

    /// Adds the line.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Adds the frame.
    #[must_use]
    pub fn in_frame(mut self, frame: u64) -> Self {
        self.frame = Some(frame);
        self
    }

    /// Adds the bone.
    #[must_use]
    pub fn of_bone(mut self, bone: impl Into<String>) -> Self {
        self.bone = Some(bone.into());
        self
    }
}

/// Notes of one kind are listed up to this many; the rest are counted.
const LISTED_PER_KIND: usize = 50;

/// A list of notes that stays short however broken the file is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    list: Vec<Note>,
    counts: Vec<(&'static str, usize)>,
}

impl Notes {
    /// Adds a note that can occur once or a few times.
    pub fn add(&mut self, note: Note) {
        self.list.push(note);
    }

    /// Adds a note of a kind that may occur very often. The note is only made
    /// while the list still takes it.
    pub fn add_counted(&mut self, kind: &'static str, note: impl FnOnce() -> Note) {
        // Kinds are a handful, and their order is that of the closing counts.
        let index = match self.counts.iter().position(|&(known, _)| known == kind) {
            Some(index) => index,
            None => {
                self.counts.push((kind, 0));
                self.counts.len() - 1
            }
        };
        self.counts[index].1 += 1;
        if self.counts[index].1 <= LISTED_PER_KIND {
            self.list.push(note());
        }
    }

    /// The notes, closed by a count for every kind that was cut short.
    #[must_use]
    pub fn into_list(mut self) -> Vec<Note> {
        for (kind, count) in self.counts {
            if count > LISTED_PER_KIND {
                let more = count - LISTED_PER_KIND;
                self.list
                    .push(Note::warning(format!("and {more} more: {kind}")));
            }
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_faults_stay_a_short_list() {
        let mut notes = Notes::default();
        for frame in 0..1_000_000 {
            notes.add_counted("bad value", || Note::warning("bad").in_frame(frame));
        }
        let list = notes.into_list();
        assert_eq!(list.len(), LISTED_PER_KIND + 1);
        assert_eq!(list[LISTED_PER_KIND].message, "and 999950 more: bad value");
    }
}
