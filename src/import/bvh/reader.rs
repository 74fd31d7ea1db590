//! Turns row after row into clip data.

use glam::DVec3;

use super::{
    super::{
        channels::{JointChannels, to_metres},
        rotations::Rotations,
    },
    joints::evaluation_order,
};
use crate::{
    clip::{RawClip, Track},
    math::Dof,
    mocap::{
        MAX_MAGNITUDE, MocapError, Note, Notes,
        bvh::{BvhDocument, Rows},
    },
    skeleton::{JointIndex, Skeleton},
};

/// A joint with position channels.
struct Mover {
    joint: JointIndex,
    /// In file units; what has no channel stays.
    offset: DVec3,
    /// Column of each axis that has one.
    columns: [Option<usize>; 3],
}

impl Mover {
    /// Position in the parent, in file units.
    fn position(&self, values: &[f64]) -> DVec3 {
        let mut position = self.offset;
        for (axis, column) in self.columns.iter().enumerate() {
            if let Some(column) = column {
                position[axis] = values[*column];
            }
        }
        position
    }
}

pub(super) struct Reader<'a> {
    document: &'a BvhDocument,
    skeleton: &'a Skeleton,
    metres_per_unit: f64,
    pub clip: RawClip,
    movers: Vec<Mover>,
    rotations: Rotations,
    /// Where each value of a row goes, so that a joint's values stand in the
    /// order of its evaluation.
    column_of_value: Vec<usize>,
    /// The last good value of every column, and a zero.
    values: Vec<f64>,
}

impl<'a> Reader<'a> {
    pub fn new(document: &'a BvhDocument, skeleton: &'a Skeleton, metres_per_unit: f64) -> Self {
        let columns = document.columns();
        let mut column_of_value = vec![0; columns];
        let mut channels = Vec::new();
        let mut movers = Vec::new();
        let mut first = 0;
        for (index, joint) in document.joints.iter().enumerate() {
            let order: Vec<usize> = evaluation_order(&joint.channels).collect();
            let dofs: Vec<Dof> = order.iter().map(|&at| joint.channels[at]).collect();
            for (position, &at) in order.iter().enumerate() {
                column_of_value[first + at] = first + position;
            }
            let joint_index = index as JointIndex;
            let channel =
                JointChannels::new(joint_index, &skeleton.joints()[index], first, dofs.clone());
            if channel.translates {
                movers.push(mover(joint_index, joint.offset, first, &dofs));
            }
            first += dofs.len();
            channels.push(channel);
        }
        let rotating = channels.iter().filter(|channel| channel.rotates());
        let further = movers.iter().filter(|mover| mover.joint != 0);
        let clip = RawClip {
            joints: skeleton.len(),
            animated: rotating.map(|channel| channel.joint).collect(),
            translations: further
                .map(|mover| Track {
                    joint: mover.joint,
                    values: Vec::new(),
                })
                .collect(),
            ..RawClip::default()
        };
        Self {
            document,
            skeleton,
            metres_per_unit,
            clip,
            movers,
            rotations: Rotations::new(&channels, skeleton.joints(), columns),
            column_of_value,
            values: vec![0.0; columns + 1],
        }
    }

    /// Reads all rows; their number.
    pub fn read(&mut self, mut rows: Rows<'_>, notes: &mut Notes) -> Result<usize, MocapError> {
        let mut row = Vec::with_capacity(self.column_of_value.len());
        let all_bytes = rows.bytes_left();
        while rows.next_into(&mut row)? {
            self.take(&row, rows.line(), notes);
            self.reserve(all_bytes, rows.bytes_left());
            self.push_frame();
        }
        self.clip.rotations.shrink_to_fit();
        self.clip.root_translations.shrink_to_fit();
        note_rows(self.document, &rows, self.clip.frames(), notes);
        Ok(self.clip.frames())
    }

    fn take(&mut self, row: &[f64], line: u64, notes: &mut Notes) {
        let frame = self.clip.frames() as u64;
        for (&column, &value) in self.column_of_value.iter().zip(row) {
            // Not-a-number fails this comparison too.
            if value.abs() < MAX_MAGNITUDE {
                self.values[column] = value;
            } else {
                notes.add_counted("values that are not finite", || {
                    let note = Note::warning("value is not finite; the last good one is kept");
                    note.at_line(line).in_frame(frame)
                });
            }
        }
    }

    /// Room for as many rows as the bytes left will hold at the rate so far,
    /// so that the clip is neither copied while it grows nor over-allocated.
    fn reserve(&mut self, all_bytes: usize, bytes_left: usize) {
        let (rotations, roots) = (&mut self.clip.rotations, &mut self.clip.root_translations);
        let count = self.clip.animated.len();
        if rotations.len() + count <= rotations.capacity() && roots.len() < roots.capacity() {
            return;
        }
        let frames = roots.len() + 1;
        let bytes_per_frame = ((all_bytes - bytes_left) / frames).max(1);
        let more = bytes_left / bytes_per_frame;
        // A thirty-second more, for rows vary in length.
        let more = more + more / 32 + 2;
        // Later rows may be far shorter than the first; never more than double.
        let more = if frames > 1 { more.min(frames) } else { more };
        rotations.reserve_exact(more * count);
        roots.reserve_exact(more);
    }

    fn push_frame(&mut self) {
        let clip = &mut self.clip;
        self.rotations
            .push_frame(&self.values, 1.0, &mut clip.rotations);
        let joints = self.skeleton.joints();
        // A root without position channels stands where its offset puts it.
        let mut root = joints[0].rest.position();
        let mut further = clip.translations.iter_mut();
        for mover in &self.movers {
            let axes = joints[usize::from(mover.joint)].axes.as_dquat();
            let position = mover.position(&self.values);
            if mover.joint == 0 {
                root = to_metres(axes * position, self.metres_per_unit);
            } else if let Some(track) = further.next() {
                // Channels replace the offset; tracks add to it.
                let moved = axes * (position - mover.offset);
                track.values.push(to_metres(moved, self.metres_per_unit));
            }
        }
        clip.root_translations.push(root);
    }
}

fn mover(joint: JointIndex, offset: DVec3, first: usize, dofs: &[Dof]) -> Mover {
    let mut columns = [None; 3];
    for (column, dof) in (first..).zip(dofs) {
        if let Dof::Translate(axis) = dof {
            columns[axis.index()] = Some(column);
        }
    }
    Mover {
        joint,
        offset,
        columns,
    }
}

/// What the rows turned out to be, against what was announced.
fn note_rows(document: &BvhDocument, rows: &Rows<'_>, frames: usize, notes: &mut Notes) {
    if let Some((announced, line)) = document.frames
        && announced != frames as u64
    {
        let message = format!("{announced} frames are announced, {frames} are there");
        notes.add(Note::warning(message).at_line(line));
    }
    if let Some(found) = rows.cut_after() {
        let columns = document.columns();
        let message = format!("the last frame ends after {found} of {columns} values; dropped");
        let note = Note::warning(message).at_line(rows.line());
        notes.add(note.in_frame(frames as u64));
    }
    for (count, what) in [
        (rows.broken_lines(), "lines end inside of a frame"),
        (rows.shared_lines(), "frames begin inside of a line"),
    ] {
        if count > 0 {
            notes.add(Note::info(format!("{count} {what}")));
        }
    }
    if document.has_motion && frames == 0 {
        notes.add(Note::warning("no frames; only the skeleton is there"));
    }
}
