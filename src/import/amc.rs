//! An AMC motion and the skeleton it belongs to become a [`RawClip`].

use std::collections::{HashMap, HashSet};

use super::{
    asf::ImportedSkeleton,
    channels::{JointChannels, Rotations, to_metres},
};
use crate::{
    clip::{RawClip, Track},
    math::{Axis, Dof},
    mocap::{
        AngleUnit, MAX_MAGNITUDE, MocapError, Note, Notes, Place, Problem,
        amc::{self, BoneLine, Frame, Frames, Header},
        lossy,
    },
    skeleton::{JointIndex, Skeleton},
};

/// What the user may override.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionOptions {
    /// Frames a second, instead of those stated or assumed.
    pub fps: Option<f64>,
}

/// Where the frame rate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateSource {
    /// The user.
    Given,
    /// A line of the file.
    Header,
    /// A suffix such as `_120` of the file's name.
    FileName,
    /// Nothing says; 120 is usual.
    Assumed,
}

/// A clip and how its file's numbers were read.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedMotion {
    /// In metres and quaternions.
    pub clip: RawClip,
    /// Where its frame rate comes from.
    pub rate: RateSource,
    /// The skeleton that the file says it was captured with.
    pub source_asf: Option<String>,
    /// Assumptions and repairs.
    pub notes: Vec<Note>,
}

const ASSUMED_FPS: f64 = 120.0;

/// A file that leaves out more than three values of four is no motion.
const LEAST_GIVEN_SHARE: u64 = 4;
/// Up to this many missing values nobody asks.
const FREELY_MISSING: u64 = 1_000_000;

/// Reads a whole motion. `file` names the bytes in messages, `stem` the clip.
pub fn motion(
    file: &str,
    stem: &str,
    bytes: &[u8],
    skeleton: &ImportedSkeleton,
    options: MotionOptions,
) -> Result<ImportedMotion, MocapError> {
    let (header, frames) = amc::open(file, bytes)?;
    let mut notes = Notes::default();
    header
        .notes
        .iter()
        .cloned()
        .for_each(|note| notes.add(note));
    if header.no_shebang {
        notes.add(Note::info("no #! header line"));
    }
    let angle = angle_unit(&header, skeleton.angle, &mut notes);
    let (fps, rate) = frame_rate(&header, stem, options);

    let mut plan = Plan::new(&skeleton.skeleton, bones_of_first_frame(frames.clone())?);
    let clip = loop {
        plan.refuse_strangers(file)?;
        plan.choose_dofs(&header);
        let mut reader = Reader::new(file, &skeleton.skeleton, plan.clone(), angle.degrees());
        reader.metres_per_unit = skeleton.length.metres_per_unit();
        match reader.read(frames.clone())? {
            Outcome::Done => {
                reader.note_plan(&mut notes);
                reader
                    .notes
                    .into_list()
                    .into_iter()
                    .for_each(|note| notes.add(note));
                break reader.clip;
            }
            // A bone that no frame had so far: look at all frames first.
            Outcome::NewBone => {
                plan = Plan::new(&skeleton.skeleton, bones_of_all_frames(frames.clone())?);
            }
        }
    };
    Ok(ImportedMotion {
        clip: RawClip {
            name: stem.to_owned(),
            fps,
            ..clip
        },
        rate,
        source_asf: header.source_asf,
        notes: notes.into_list(),
    })
}

fn angle_unit(header: &Header, skeleton: Option<AngleUnit>, notes: &mut Notes) -> AngleUnit {
    match (header.angle, skeleton) {
        (Some((motion, line)), Some(skeleton)) if motion != skeleton => {
            let message = format!(
                "the motion counts in {motion}, its skeleton in {skeleton}; the motion's word is taken"
            );
            notes.add(Note::warning(message).at_line(line));
            motion
        }
        (Some((motion, _)), _) => motion,
        (None, Some(skeleton)) => skeleton,
        (None, None) => {
            notes.add(Note::warning(
                "neither motion nor skeleton names the unit of angles; degrees assumed",
            ));
            AngleUnit::Degrees
        }
    }
}

/// The user's word, the header's, the file name's, or the usual 120.
#[must_use]
pub fn frame_rate(header: &Header, stem: &str, options: MotionOptions) -> (f64, RateSource) {
    if let Some(fps) = options.fps {
        (fps, RateSource::Given)
    } else if let Some(fps) = header.samples_per_second {
        (fps, RateSource::Header)
    } else if let Some(fps) = rate_in_name(stem) {
        (fps, RateSource::FileName)
    } else {
        (ASSUMED_FPS, RateSource::Assumed)
    }
}

/// `grab_001_120` → 120. Three digits, and no take number: 24 and up.
fn rate_in_name(stem: &str) -> Option<f64> {
    let (_, suffix) = stem.rsplit_once('_')?;
    let digits = suffix.len() == 3 && suffix.bytes().all(|byte| byte.is_ascii_digit());
    let rate: u16 = if digits {
        suffix.parse().ok()?
    } else {
        return None;
    };
    (rate >= 24).then_some(f64::from(rate))
}

/// A bone as a motion names it.
#[derive(Clone, Copy)]
struct Listed<'a> {
    line: BoneLine<'a>,
    frame: u64,
}

fn bones_of_first_frame<'a>(mut frames: Frames<'a>) -> Result<Vec<Listed<'a>>, MocapError> {
    let mut frame = Frame::default();
    frames.next_into(&mut frame)?;
    let number = frame.number;
    Ok(frame
        .bones
        .iter()
        .map(|&line| Listed {
            line,
            frame: number,
        })
        .collect())
}

fn bones_of_all_frames<'a>(mut frames: Frames<'a>) -> Result<Vec<Listed<'a>>, MocapError> {
    let mut frame = Frame::default();
    let mut known = HashSet::new();
    let mut list = Vec::new();
    while frames.next_into(&mut frame)? {
        for &line in &frame.bones {
            if known.insert(line.name.to_ascii_lowercase()) {
                list.push(Listed {
                    line,
                    frame: frame.number,
                });
            }
        }
    }
    Ok(list)
}

/// Whom a bone line speaks of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    /// The joint with these channels.
    Channels(usize),
    /// A bone that the skeleton lacks.
    Stranger,
}

/// Which joints the motion moves, through which columns.
#[derive(Clone)]
struct Plan<'a> {
    skeleton: &'a Skeleton,
    by_name: HashMap<Vec<u8>, JointIndex>,
    listed: Vec<Listed<'a>>,
    channels: Vec<JointChannels>,
    /// Index into `channels` for every joint.
    channels_of_joint: Vec<Option<usize>>,
    columns: usize,
    strangers: Vec<String>,
    remarks: Vec<Note>,
}

impl<'a> Plan<'a> {
    fn new(skeleton: &'a Skeleton, listed: Vec<Listed<'a>>) -> Self {
        let names = skeleton.joints().iter().enumerate();
        let by_name = names
            .map(|(index, joint)| {
                (
                    joint.name.to_ascii_lowercase().into_bytes(),
                    index as JointIndex,
                )
            })
            .collect();
        Self {
            skeleton,
            by_name,
            listed,
            channels: Vec::new(),
            channels_of_joint: vec![None; skeleton.len()],
            columns: 0,
            strangers: Vec::new(),
            remarks: Vec::new(),
        }
    }

    fn find(&self, name: &[u8]) -> Option<JointIndex> {
        // Nearly all names are lower case already.
        let joint = self.by_name.get(name);
        joint
            .or_else(|| self.by_name.get(&name.to_ascii_lowercase()))
            .copied()
    }

    fn refuse_strangers(&mut self, file: &str) -> Result<(), MocapError> {
        let strangers = self
            .listed
            .iter()
            .filter(|listed| self.find(listed.line.name).is_none());
        let strangers: Vec<_> = strangers.map(|listed| lossy(listed.line.name)).collect();
        if strangers.len() == self.listed.len() {
            let line = self.listed.first().map_or(1, |listed| listed.line.line);
            let problem = Problem::NoCommonBone {
                skeleton: self.skeleton.name().to_owned(),
                motion_bones: name_list(&strangers),
            };
            return Err(MocapError::new(file, Place { line, column: 1 }, problem));
        }
        self.strangers = strangers;
        Ok(())
    }

    /// Every bone but the root carries three values although the skeleton
    /// gives some of them other degrees of freedom.
    fn all_three_values(&self) -> bool {
        let mut known = self.listed.iter().filter_map(|listed| {
            let joint = self.find(listed.line.name).filter(|&joint| joint != 0)?;
            Some((
                listed.line.value_count,
                self.skeleton.joints()[usize::from(joint)].dofs.len(),
            ))
        });
        known.clone().all(|(values, _)| values == 3)
            && known.any(|(_, dofs)| !matches!(dofs, 0 | 3))
    }

    fn choose_dofs(&mut self, header: &Header) {
        let three = [Axis::X, Axis::Y, Axis::Z].map(Dof::Rotate).to_vec();
        let unannounced = !header.force_3dof && self.all_three_values();
        let force_3dof = header.force_3dof || unannounced;
        if header.force_3dof {
            let message = "value count differs from the dofs as :FORCE-ALL-JOINTS-BE-3DOF announces: rx ry rz everywhere";
            self.remarks.push(Note::info(message));
        } else if unannounced {
            let message = "value count differs from the dofs: every bone carries three values, read as rx ry rz";
            self.remarks.push(Note::warning(message));
        }
        let mut moved: Vec<(JointIndex, Listed<'a>)> = self
            .listed
            .iter()
            .filter_map(|&listed| Some((self.find(listed.line.name)?, listed)))
            .collect();
        moved.sort_by_key(|&(joint, _)| joint);
        moved.dedup_by_key(|&mut (joint, _)| joint);
        for (index, listed) in moved {
            let joint = &self.skeleton.joints()[usize::from(index)];
            let mut dofs: Vec<Dof> = joint.dofs.iter().map(|range| range.dof).collect();
            if index != 0 && force_3dof {
                dofs.clone_from(&three);
            } else if dofs.is_empty() && listed.line.value_count > 0 {
                let note = Note::warning(
                    "the skeleton gives this bone no dof; its values are read as rx ry rz",
                );
                let note = note.at_line(listed.line.line).in_frame(listed.frame);
                self.remarks.push(note.of_bone(&joint.name));
                dofs.clone_from(&three);
            }
            let width = dofs.len();
            self.channels_of_joint[usize::from(index)] = Some(self.channels.len());
            self.channels
                .push(JointChannels::new(index, joint, self.columns, dofs));
            self.columns += width;
        }
    }

    /// Joints that could move but have no line in the motion.
    fn silent_joints(&self) -> Vec<String> {
        let joints = self.skeleton.joints().iter().zip(&self.channels_of_joint);
        let silent =
            joints.filter(|(joint, channels)| channels.is_none() && !joint.dofs.is_empty());
        silent.map(|(joint, _)| joint.name.clone()).collect()
    }
}

/// The first few names of a list.
fn name_list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{shown} and {more} more"),
        _ => shown,
    }
}

enum Outcome {
    Done,
    NewBone,
}

/// Turns frame after frame into clip data.
struct Reader<'a> {
    file: &'a str,
    plan: Plan<'a>,
    degrees_per_unit: f64,
    metres_per_unit: f64,
    clip: RawClip,
    notes: Notes,
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
    fn new(file: &'a str, skeleton: &Skeleton, plan: Plan<'a>, degrees_per_unit: f64) -> Self {
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

    fn read(&mut self, mut frames: Frames<'a>) -> Result<Outcome, MocapError> {
        let mut frame = Frame::default();
        let all_bytes = frames.bytes_left();
        let mut number_before = None;
        while frames.next_into(&mut frame)? {
            self.note_numbering(&frame, number_before);
            number_before = Some(frame.number);
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

    fn note_numbering(&mut self, frame: &Frame<'_>, before: Option<u64>) {
        let number = frame.number;
        let note = |message| Note::info(message).at_line(frame.line).in_frame(number);
        match before {
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
    fn drop_if_cut(&mut self, frame: &Frame<'a>) -> Result<bool, MocapError> {
        let expected = self.sequence.len();
        let whole = self.whole_bones(frame);
        if self.frames_done() == 0 {
            return match frame.bones.last() {
                Some(last) if frame.cut => Err(self.value_count_error(frame, last)),
                _ => Ok(false),
            };
        }
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
    fn whole_bones(&self, frame: &Frame<'_>) -> usize {
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

    fn take_values(&mut self, frame: &Frame<'a>) -> Result<Outcome, MocapError> {
        let this_frame = self.frames_done() + 1;
        let mut as_before = frame.bones.len() == self.sequence.len();
        for (position, line) in frame.bones.iter().enumerate() {
            let target = match self.sequence.get(position) {
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
        frame: &Frame<'a>,
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

    /// Remembers another order of bones, and reports those that are missing.
    fn settle_sequence(&mut self, frame: &Frame<'a>, this_frame: usize) {
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

    fn refuse_mostly_missing(&self, frame: &Frame<'_>) -> Result<(), MocapError> {
        let due = (self.frames_done() as u64 + 1) * self.plan.columns as u64;
        let given = self.values_given;
        if due > FREELY_MISSING && given * LEAST_GIVEN_SHARE < due {
            let problem = Problem::MostlyMissing {
                frame: frame.number,
                given,
                due,
            };
            return Err(self.error(frame.line, problem));
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
                    root = rest + metres;
                } else if let Some(track) = further.next() {
                    track.values.push(metres);
                }
            }
            if channels.stretches
                && channels.joint != 0
                && let Some(track) = stretches.next()
            {
                track
                    .values
                    .push((channels.stretch(&self.values) * self.metres_per_unit) as f32);
            }
        }
        self.clip.root_translations.push(root);
    }

    fn error(&self, line: u64, problem: Problem) -> MocapError {
        MocapError::new(self.file, Place { line, column: 1 }, problem)
    }

    fn value_count_error(&self, frame: &Frame<'_>, line: &BoneLine<'_>) -> MocapError {
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

    fn note_plan(&mut self, notes: &mut Notes) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_in_names() {
        assert_eq!(rate_in_name("HDM_bd_grabHighR_001_120"), Some(120.0));
        assert_eq!(rate_in_name("walk_060"), Some(60.0));
        for stem in ["07_01", "take_001", "walk", "walk_120a", "walk_1200", "_"] {
            assert_eq!(rate_in_name(stem), None, "{stem}");
        }
    }
}
