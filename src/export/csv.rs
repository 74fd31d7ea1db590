//! Comma-separated values: one line a frame.

use glam::DVec3;

use super::{Aligned, ExportSource, aligned::RootRotation, moving_joints, text::push_number};
use crate::{
    math::EulerOrder,
    skeleton::{LocalPose, PrecisePose, Skeleton},
};

/// What a line holds of every joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CsvContent {
    /// `x y z` of the joint and, at the end of a chain, of its far end, in
    /// model space.
    #[default]
    Positions,
    /// `x y z w` of the unit quaternion that turns the joint in its parent.
    Rotations,
    /// `rx ry rz` in degrees, fixed axes, x first, from the rest pose with all
    /// axes aligned; `tx ty tz` besides for joints that move in their parent.
    Channels,
}

/// Writes a clip: a heading, then frame, seconds and the joints. Lengths are
/// in the source's unit.
#[must_use]
pub fn csv(source: ExportSource<'_>, content: CsvContent) -> String {
    let table = Table::new(source, content);
    let mut text = String::from("frame,time_s");
    for column in table.headings() {
        text.push(',');
        text.push_str(&quoted(&column));
    }
    text.push('\n');
    let mut pose = LocalPose::default();
    let mut angles = vec![DVec3::ZERO; source.skeleton.len()];
    let mut values = Vec::new();
    for frame in 0..source.clip.frames() {
        source.clip.frame_pose(source.skeleton, frame, &mut pose);
        values.clear();
        table.line(&pose, &mut angles, &mut values);
        text.push_str(&frame.to_string());
        text.push(',');
        push_number(&mut text, frame as f64 / source.clip.fps);
        for &value in &values {
            text.push(',');
            push_number(&mut text, value);
        }
        text.push('\n');
    }
    text
}

struct Table<'a> {
    source: ExportSource<'a>,
    content: CsvContent,
    aligned: Aligned<'a>,
    units_per_metre: f64,
    ends: Vec<bool>,
    moves: Vec<bool>,
}

impl<'a> Table<'a> {
    fn new(source: ExportSource<'a>, content: CsvContent) -> Self {
        let skeleton = source.skeleton;
        let mut ends = vec![true; skeleton.len()];
        for &parent in skeleton.parents() {
            if let Some(end) = ends.get_mut(usize::from(parent)) {
                *end = false;
            }
        }
        let mut moves = vec![false; skeleton.len()];
        for joint in moving_joints(skeleton, source.clip) {
            moves[usize::from(joint)] = true;
        }
        Self {
            source,
            content,
            aligned: Aligned::new(skeleton, RootRotation::IntoMotion),
            units_per_metre: 1.0 / source.length.metres_per_unit(),
            ends,
            moves,
        }
    }

    fn headings(&self) -> Vec<String> {
        let mut headings = Vec::new();
        for (index, joint) in self.source.skeleton.joints().iter().enumerate() {
            let parts: &[&str] = match self.content {
                CsvContent::Positions if self.ends[index] => {
                    &["x", "y", "z", "end.x", "end.y", "end.z"]
                }
                CsvContent::Positions => &["x", "y", "z"],
                CsvContent::Rotations => &["x", "y", "z", "w"],
                CsvContent::Channels if self.moves[index] => &["tx", "ty", "tz", "rx", "ry", "rz"],
                CsvContent::Channels => &["rx", "ry", "rz"],
            };
            let name = &joint.name;
            headings.extend(parts.iter().map(|part| format!("{name}.{part}")));
        }
        headings
    }

    fn line(&self, pose: &LocalPose, angles: &mut [DVec3], values: &mut Vec<f64>) {
        match self.content {
            CsvContent::Positions => self.positions(self.source.skeleton, pose, values),
            CsvContent::Rotations => {
                let rotations = pose.joints().iter().map(|joint| joint.rotation);
                values.extend(rotations.flat_map(|q| q.to_array().map(f64::from)));
            }
            CsvContent::Channels => self.channels(pose, angles, values),
        }
    }

    fn positions(&self, skeleton: &Skeleton, pose: &LocalPose, values: &mut Vec<f64>) {
        let pose = PrecisePose::of(skeleton, pose);
        for (joint, &is_end) in self.ends.iter().enumerate() {
            let (start, end) = pose.bone(joint);
            values.extend((start * self.units_per_metre).to_array());
            if is_end {
                values.extend((end * self.units_per_metre).to_array());
            }
        }
    }

    fn channels(&self, pose: &LocalPose, angles: &mut [DVec3], values: &mut Vec<f64>) {
        for (joint, angles) in angles.iter_mut().enumerate() {
            let (rotation, position) = self.aligned.local(joint, pose.joints()[joint]);
            if self.moves[joint] {
                values.extend((position * self.units_per_metre).to_array());
            }
            // Near those of the frame before: a column is a curve without
            // jumps.
            *angles = EulerOrder::XYZ.angles(rotation, *angles);
            values.extend(angles.to_array().map(f64::to_degrees));
        }
    }
}

/// A field of a CSV file. Text that a spreadsheet would take for a formula gets
/// an apostrophe before it, which spreadsheets take for "this is text".
pub(super) fn quoted(field: &str) -> String {
    let formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number(field);
    let mark = if formula { "'" } else { "" };
    if formula || field.contains([',', '"', '\n', '\r']) {
        format!("\"{mark}{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// Digits, not the words that a number may be read from, such as `-inf`.
fn is_number(field: &str) -> bool {
    field.parse::<f64>().is_ok() && field.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_is_taken_for_a_formula() {
        for (field, expected) in [
            ("hip.x", "hip.x"),
            ("-1.5e3", "-1.5e3"),
            ("+2", "+2"),
            ("a,\"b\"", "\"a,\"\"b\"\"\""),
            ("=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\""),
            ("-inf", "\"'-inf\""),
            ("@SUM(1)", "\"'@SUM(1)\""),
            ("+1+2", "\"'+1+2\""),
            ("\t=1", "\"'\t=1\""),
        ] {
            assert_eq!(quoted(field), expected);
        }
    }
}
