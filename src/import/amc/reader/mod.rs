//! Turns frame after frame into clip data, and mends what can be mended.

mod mend;

use super::{
    super::{channels::to_metres, rotations::Rotations},
    plan::{Plan, Target},
};
use crate::{
    clip::{RawClip, Track},
    mocap::{
        MAX_MAGNITUDE, MocapError, Note, Notes, Problem,
        amc::{AmcFrame, BoneLine, Frames},
        lossy,
    },
    skeleton::Skeleton,
};

/// How reading ended.
pub(super) enum Outcome {
    Done,
    /// A bone turned up that the plan does not know to move.
    NewBone,
}

/// Turns frame after frame into clip data.
pub(super) struct Reader<'a> {
    file: &'a str,
    plan: Plan<'a>,
    degrees_per_unit: f64,
    pub metres_per_unit: f64,
    pub clip: RawClip,
    pub notes: Notes,
    /// The last good value of every column, and a zero.
    values: Vec<f64>,
    rotations: Rotations,
    /// The bones of the frame before, in its order: what the next will hold.
    sequence: Vec<(&'a [u8], Target)>,
    /// The frame (counted from 1) that last set each joint's channels.
    seen_in: Vec<usize>,
    values_given: u64,
}

impl<'a> Reader<'a> {
    pub fn new(file: &'a str, skeleton: &Skeleton, plan: Plan<'a>, degrees_per_unit: f64) -> Self {
        let channels = &plan.channels;
        let track = |joint| Track {
            joint,
            values: Vec::new(),
        };
        let further = channels.iter().filter(|c| c.translates && c.joint != 0);
        let stretched = channels.iter().filter(|c| c.stretches && c.joint != 0);
        let clip = RawClip {
            joints: skeleton.len(),
            animated: channels
                .iter()
                .filter(|c| c.rotates())
                .map(|c| c.joint)
                .collect(),
            translations: further.map(|c| track(c.joint)).collect(),
            stretches: stretched
                .map(|c| Track {
                    joint: c.joint,
                    values: Vec::new(),
                })
                .collect(),
            ..RawClip::default()
        };
        Self {
            file,
            degrees_per_unit,
            metres_per_unit: 1.0,
            clip,
            notes: Notes::default(),
            values: vec![0.0; plan.columns + 1],
            rotations: Rotations::new(channels, skeleton.joints(), plan.columns),
            sequence: Vec::new(),
            seen_in: vec![0; plan.channels.len()],
            values_given: 0,
            plan,
        }
    }

    pub fn read(&mut self, mut frames: Frames<'a>) -> Result<Outcome, MocapError> {
        let mut frame = AmcFrame::default();
        let all_bytes = frames.bytes_left();
        let mut number_before = None;
        while frames.next_into(&mut frame)? {
            self.note_numbering(&frame, number_before);
            number_before = Some(frame.number);
            // Only the last frame can have been cut by a copy that ended early;
            // a short one before it is a mistake in the file.
            if frames.at_end() && self.drop_if_cut(&frame)? {
                break;
            }
            if let Outcome::NewBone = self.take_values(&frame)? {
                return Ok(Outcome::NewBone);
            }
            self.refuse_mostly_missing(&frame)?;
            self.reserve(all_bytes, frames.bytes_left());
            self.push_frame();
        }
        self.clip.rotations.shrink_to_fit();
        self.clip.root_translations.shrink_to_fit();
        Ok(Outcome::Done)
    }

    fn frames_done(&self) -> usize {
        self.clip.root_translations.len()
    }

    fn take_values(&mut self, frame: &AmcFrame<'a>) -> Result<Outcome, MocapError> {
        let this_frame = self.frames_done() + 1;
        let mut as_before = frame.bones.len() == self.sequence.len();
        for (position, line) in frame.bones.iter().enumerate() {
            let target = match self.sequence.get(position) {
                // Bones come in the same order nearly always: then no name is
                // looked up.
                Some(&(_, target)) if line.as_before => target,
                _ => {
                    as_before = false;
                    match self.target(line) {
                        Some(target) => target,
                        None => return Ok(Outcome::NewBone),
                    }
                }
            };
            if let Target::Channels(channels) = target {
                self.take_line(frame, line, channels, this_frame)?;
            }
        }
        if !as_before {
            self.settle_sequence(frame, this_frame);
        }
        Ok(Outcome::Done)
    }

    /// `None` for a joint that the plan does not know to move.
    fn target(&mut self, line: &BoneLine<'_>) -> Option<Target> {
        match self.plan.find(line.name) {
            Some(joint) => self.plan.channels_of_joint[usize::from(joint)].map(Target::Channels),
            None => Some(Target::Stranger),
        }
    }

    #[inline]
    fn take_line(
        &mut self,
        frame: &AmcFrame<'a>,
        line: &BoneLine<'_>,
        channels: usize,
        this_frame: usize,
    ) -> Result<(), MocapError> {
        let (first, width) = (
            self.plan.channels[channels].first,
            self.plan.channels[channels].dofs.len(),
        );
        if line.value_count != width {
            return Err(self.value_count_error(frame, line));
        }
        // The number of the frame instead of a flag: nothing has to be cleared
        // between frames.
        if self.seen_in[channels] == this_frame {
            let problem = Problem::BoneTwice {
                frame: frame.number,
                bone: lossy(line.name),
            };
            return Err(self.error(line.line, problem));
        }
        self.seen_in[channels] = this_frame;
        self.values_given += width as u64;
        let given = &frame.values[line.first_value..line.first_value + width];
        let columns = &mut self.values[first..first + width];
        for (column, &value) in columns.iter_mut().zip(given) {
            if value.abs() < MAX_MAGNITUDE {
                *column = value;
            } else {
                self.notes.add_counted("values that are not finite", || {
                    let note = Note::warning("value is not finite; the last good one is kept");
                    note.at_line(line.line)
                        .in_frame(frame.number)
                        .of_bone(lossy(line.name))
                });
            }
        }
        Ok(())
    }

    /// Room for as many frames as the bytes left will hold at the rate so far,
    /// so that the clip is neither copied while it grows nor over-allocated.
    fn reserve(&mut self, all_bytes: usize, bytes_left: usize) {
        let count = self.plan.channels.len();
        if self.clip.rotations.len() + count <= self.clip.rotations.capacity()
            && self.frames_done() < self.clip.root_translations.capacity()
        {
            return;
        }
        let frames = self.frames_done() + 1;
        let bytes_per_frame = ((all_bytes - bytes_left) / frames).max(1);
        let more = bytes_left / bytes_per_frame;
        let more = more + more / 32 + 2;
        // Later frames may be far shorter than the first; never more than double.
        let more = if frames > 1 { more.min(frames) } else { more };
        self.clip
            .rotations
            .reserve_exact(more * self.clip.animated.len());
        self.clip.root_translations.reserve_exact(more);
    }

    fn push_frame(&mut self) {
        self.rotations.push_frame(
            &self.values,
            self.degrees_per_unit,
            &mut self.clip.rotations,
        );
        let rest = self.plan.skeleton.joints()[0].rest.position();
        let mut root = rest;
        let mut further = self.clip.translations.iter_mut();
        let mut stretches = self.clip.stretches.iter_mut();
        for channels in &self.plan.channels {
            if channels.translates {
                let metres = to_metres(channels.translation(&self.values), self.metres_per_unit);
                if channels.joint == 0 {
                    // Motion shifts the preset position of the skeleton.
                    root = rest + metres;
                } else if let Some(track) = further.next() {
                    track.values.push(metres);
                }
            }
            if channels.stretches
                && channels.joint != 0
                && let Some(track) = stretches.next()
            {
                let metres = channels.stretch(&self.values) * self.metres_per_unit;
                track.values.push(metres as f32);
            }
        }
        self.clip.root_translations.push(root);
    }
}
