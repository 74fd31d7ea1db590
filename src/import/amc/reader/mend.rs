//! What is wrong with frames, and what is done about it.

use super::{
    super::plan::{Target, name_list},
    Reader,
};
use crate::mocap::{
    MocapError, Note, Notes, Problem, TextPosition,
    amc::{AmcFrame, BoneLine},
    lossy,
};

/// A file that leaves out more than three values of four is no motion.
const MOST_DUE_PER_GIVEN: u64 = 4;
/// Up to this many missing values nobody asks.
const FREELY_MISSING: u64 = 1_000_000;

impl<'a> Reader<'a> {
    pub(super) fn note_numbering(&mut self, frame: &AmcFrame<'_>, before: Option<u64>) {
        let number = frame.number;
        let note = |message| Note::info(message).at_line(frame.line).in_frame(number);
        match before {
            // Real clips run 1, 101, 102 … over continuous poses: the jump is
            // reported, no frame is dropped.
            None if number != 1 => {
                self.notes
                    .add(note(format!("first frame is numbered {number}")));
            }
            Some(before) if number != before.saturating_add(1) => {
                self.notes.add_counted("gaps in the frame numbers", || {
                    note(format!("frame-number gap: {before} is followed by {number}; order of appearance is time"))
                });
            }
            _ => {}
        }
    }

    /// A last frame that stops early is dropped, unless it is the only one.
    pub(super) fn drop_if_cut(&mut self, frame: &AmcFrame<'a>) -> Result<bool, MocapError> {
        let expected = self.sequence.len();
        let whole = self.whole_bones(frame);
        if self.frames_done() == 0 {
            return match frame.bones.last() {
                // There is no frame before it to go by: half a frame is no
                // motion.
                Some(last) if frame.cut => Err(self.value_count_error(frame, last)),
                _ => Ok(false),
            };
        }
        // Another order of bones is no cut, only another order.
        let same_so_far = frame.bones[..whole]
            .iter()
            .zip(&self.sequence)
            .all(|(line, (name, _))| line.name == *name);
        if whole >= expected || !same_so_far {
            return Ok(false);
        }
        let missing = lossy(self.sequence[whole].0);
        let number = frame.number;
        let message = format!(
            "frame {number} ends after {whole} of {expected} bones (missing {missing:?}); dropped"
        );
        let line = frame.bones.last().map_or(frame.line, |line| line.line);
        self.notes.add(
            Note::warning(message)
                .at_line(line)
                .in_frame(number)
                .of_bone(missing),
        );
        Ok(true)
    }

    /// Bones of a last frame up to a line that is cut short.
    fn whole_bones(&self, frame: &AmcFrame<'_>) -> usize {
        let count = frame.bones.len();
        let Some(last) = frame.bones.last() else {
            return 0;
        };
        let due = self.sequence.get(count - 1);
        let short = match self.plan.find(last.name) {
            Some(joint) => {
                let channels = self.plan.channels_of_joint[usize::from(joint)];
                channels.is_some_and(|c| last.value_count < self.plan.channels[c].dofs.len())
            }
            // "lfo" where "lfoot" is due.
            None => due.is_some_and(|(name, _)| {
                last.name.len() < name.len() && name.starts_with(last.name)
            }),
        };
        if frame.cut || short { count - 1 } else { count }
    }

    /// Remembers another order of bones, and reports those that are missing.
    pub(super) fn settle_sequence(&mut self, frame: &AmcFrame<'a>, this_frame: usize) {
        let targets = frame.bones.iter().filter_map(|line| {
            let joint = self.plan.find(line.name);
            let target = match joint {
                Some(joint) => Target::Channels(self.plan.channels_of_joint[usize::from(joint)]?),
                None => Target::Stranger,
            };
            Some((line.name, target))
        });
        let sequence: Vec<_> = targets.collect();
        for (channels, &seen_in) in self.plan.channels.iter().zip(&self.seen_in) {
            if seen_in != this_frame && !channels.dofs.is_empty() {
                let joint = &self.plan.skeleton.joints()[usize::from(channels.joint)];
                self.notes.add_counted("bones missing in a frame", || {
                    let note = Note::warning("missing in this frame; its last value is held");
                    note.at_line(frame.line)
                        .in_frame(frame.number)
                        .of_bone(&joint.name)
                });
            }
        }
        self.sequence = sequence;
    }

    pub(super) fn refuse_mostly_missing(&self, frame: &AmcFrame<'_>) -> Result<(), MocapError> {
        let due = (self.frames_done() as u64 + 1) * self.plan.columns as u64;
        let given = self.values_given;
        // A few bytes a frame could otherwise ask for any amount of memory:
        // each frame costs what the skeleton has, not what its line holds.
        if due > FREELY_MISSING && given * MOST_DUE_PER_GIVEN < due {
            let problem = Problem::MostlyMissing {
                frame: frame.number,
                given,
                due,
            };
            return Err(self.error(frame.line, problem));
        }
        Ok(())
    }

    pub(super) fn error(&self, line: u64, problem: Problem) -> MocapError {
        MocapError::new(self.file, TextPosition { line, column: 1 }, problem)
    }

    pub(super) fn value_count_error(
        &self,
        frame: &AmcFrame<'_>,
        line: &BoneLine<'_>,
    ) -> MocapError {
        let joint = self.plan.find(line.name);
        let channels = joint.and_then(|joint| self.plan.channels_of_joint[usize::from(joint)]);
        let width = channels.map_or(0, |channels| self.plan.channels[channels].dofs.len());
        let problem = Problem::ValueCount {
            frame: frame.number,
            bone: lossy(line.name),
            expected: width.to_string(),
            found: line.value_count,
        };
        self.error(line.line, problem)
    }

    pub fn note_plan(&mut self, notes: &mut Notes) {
        self.plan.remarks.drain(..).for_each(|note| notes.add(note));
        let strangers = &self.plan.strangers;
        if !strangers.is_empty() {
            let (count, names) = (strangers.len(), name_list(strangers));
            notes.add(Note::warning(format!(
                "{count} bones that the skeleton lacks are ignored: {names}"
            )));
        }
        let silent = self.plan.silent_joints();
        if !silent.is_empty() {
            let (count, names) = (silent.len(), name_list(&silent));
            notes.add(Note::warning(format!(
                "{count} bones of the skeleton have no values and stay at rest: {names}"
            )));
        }
    }
}
