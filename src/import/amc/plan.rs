//! Which joints a motion moves, through which columns: settled before the
//! first frame is read.

use std::collections::{HashMap, HashSet};

use super::super::channels::JointChannels;
use crate::{
    math::{Axis, Dof},
    mocap::{
        MocapError, Note, Problem, TextPosition,
        amc::{AmcFrame, BoneLine, Frames, Header},
        lossy,
    },
    skeleton::{JointIndex, Skeleton},
};

/// A bone as a motion names it.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    line: BoneLine<'a>,
    frame: u64,
}

pub(super) fn bones_of_first_frame<'a>(
    mut frames: Frames<'a>,
) -> Result<Vec<Listed<'a>>, MocapError> {
    let mut frame = AmcFrame::default();
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

pub(super) fn bones_of_all_frames<'a>(
    mut frames: Frames<'a>,
) -> Result<Vec<Listed<'a>>, MocapError> {
    let mut frame = AmcFrame::default();
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
pub(super) enum Target {
    /// The joint with these channels.
    Channels(usize),
    /// A bone that the skeleton lacks.
    Stranger,
}

/// Which joints the motion moves, through which columns.
#[derive(Clone)]
pub(super) struct Plan<'a> {
    pub skeleton: &'a Skeleton,
    by_name: HashMap<Vec<u8>, JointIndex>,
    listed: Vec<Listed<'a>>,
    pub channels: Vec<JointChannels>,
    /// Index into `channels` for every joint.
    pub channels_of_joint: Vec<Option<usize>>,
    pub columns: usize,
    pub strangers: Vec<String>,
    pub remarks: Vec<Note>,
}

impl<'a> Plan<'a> {
    pub fn new(skeleton: &'a Skeleton, listed: Vec<Listed<'a>>) -> Self {
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

    pub fn find(&self, name: &[u8]) -> Option<JointIndex> {
        // Nearly all names are lower case already.
        let joint = self.by_name.get(name);
        joint
            .or_else(|| self.by_name.get(&name.to_ascii_lowercase()))
            .copied()
    }

    pub fn refuse_strangers(&mut self, file: &str) -> Result<(), MocapError> {
        let strangers = self
            .listed
            .iter()
            .filter(|listed| self.find(listed.line.name).is_none());
        let strangers: Vec<_> = strangers.map(|listed| lossy(listed.line.name)).collect();
        // Some strangers are tolerated; a motion of nothing but strangers is on
        // the wrong skeleton.
        if strangers.len() == self.listed.len() {
            let line = self.listed.first().map_or(1, |listed| listed.line.line);
            let problem = Problem::NoCommonBone {
                skeleton: self.skeleton.name().to_owned(),
                motion_bones: name_list(&strangers),
            };
            return Err(MocapError::new(
                file,
                TextPosition { line, column: 1 },
                problem,
            ));
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

    pub fn choose_dofs(&mut self, header: &Header) {
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
        // Tracks of a clip ascend by joint, in whatever order the file names
        // bones. The sort is stable: of a bone listed twice the first counts.
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
    pub fn silent_joints(&self) -> Vec<String> {
        let joints = self.skeleton.joints().iter().zip(&self.channels_of_joint);
        let silent =
            joints.filter(|(joint, channels)| channels.is_none() && !joint.dofs.is_empty());
        silent.map(|(joint, _)| joint.name.clone()).collect()
    }
}

/// The first few names of a list.
pub(super) fn name_list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{shown} and {more} more"),
        _ => shown,
    }
}
