//! BVH: hierarchy and motion in one text.

use glam::DVec3;

use super::{
    Aligned, ExportSource,
    aligned::RootRotation,
    text::{push_number, push_vector, word},
};
use crate::{
    math::{Axis, Dof, EulerOrder},
    skeleton::{Joint, JointIndex, LocalPose, NO_PARENT, Skeleton},
};

/// A BVH file.
#[derive(Clone, Debug, PartialEq)]
pub struct BvhText {
    /// All of it.
    pub text: String,
    /// The end sites that stretch in the clip: BVH cannot move them.
    pub frozen_ends: Vec<JointIndex>,
}

/// Writes a clip with its skeleton. Rotation orders are those of the joints'
/// degrees of freedom where they have three, else Z, Y, X.
#[must_use]
pub fn bvh(source: ExportSource<'_>) -> BvhText {
    let writer = Writer::new(source);
    let mut text = String::from("HIERARCHY\n");
    for joint in 0..source.skeleton.len() {
        if source.skeleton.parents()[joint] == NO_PARENT {
            writer.hierarchy(joint, &mut text);
        }
    }
    writer.motion(&mut text);
    let stretched = source.clip.stretches.iter().map(|track| track.joint);
    let leaf = |joint: &JointIndex| source.skeleton.children(*joint).next().is_none();
    BvhText {
        text,
        frozen_ends: stretched.filter(leaf).collect(),
    }
}

struct Writer<'a> {
    source: ExportSource<'a>,
    aligned: Aligned<'a>,
    units_per_metre: f64,
    /// Joints in the order they are written in, which is that of the rows.
    rows: Vec<usize>,
    children: Vec<Vec<usize>>,
    orders: Vec<EulerOrder>,
    /// Joints with position channels.
    moves: Vec<bool>,
}

impl<'a> Writer<'a> {
    fn new(source: ExportSource<'a>) -> Self {
        let skeleton = source.skeleton;
        let mut children = vec![Vec::new(); skeleton.len()];
        let mut moves = vec![false; skeleton.len()];
        for (joint, &parent) in skeleton.parents().iter().enumerate() {
            match parent {
                NO_PARENT => moves[joint] = true,
                parent => children[usize::from(parent)].push(joint),
            }
        }
        for track in &source.clip.translations {
            moves[usize::from(track.joint)] = true;
        }
        for track in &source.clip.stretches {
            // BVH knows no stretch: the children are moved instead.
            for &child in &children[usize::from(track.joint)] {
                moves[child] = true;
            }
        }
        Self {
            source,
            aligned: Aligned::new(skeleton, RootRotation::IntoMotion),
            units_per_metre: 1.0 / source.length.metres_per_unit(),
            rows: written_order(skeleton, &children),
            children,
            orders: skeleton.joints().iter().map(rotation_order).collect(),
            moves,
        }
    }

    /// One root and all below it, without recursion: skeletons may be deep.
    fn hierarchy(&self, root: usize, text: &mut String) {
        let mut stack = vec![(root, 0usize, false)];
        while let Some((joint, depth, closing)) = stack.pop() {
            if closing {
                indent(text, depth);
                text.push_str("}\n");
                continue;
            }
            indent(text, depth);
            text.push_str(if depth == 0 { "ROOT " } else { "JOINT " });
            text.push_str(&word(&self.source.skeleton.joints()[joint].name, "{}"));
            text.push('\n');
            indent(text, depth);
            text.push_str("{\n");
            indent(text, depth + 1);
            text.push_str("OFFSET");
            push_vector(text, self.aligned.offset(joint) * self.units_per_metre);
            text.push('\n');
            indent(text, depth + 1);
            self.channels(joint, text);
            stack.push((joint, depth, true));
            if self.children[joint].is_empty() {
                self.end_site(joint, depth + 1, text);
            }
            // A stack turns the order round; the rows below rely on the same
            // one.
            let below = self.children[joint].iter().rev();
            stack.extend(below.map(|&child| (child, depth + 1, false)));
        }
    }

    fn channels(&self, joint: usize, text: &mut String) {
        text.push_str(if self.moves[joint] {
            "CHANNELS 6 Xposition Yposition Zposition"
        } else {
            "CHANNELS 3"
        });
        // Outermost first: the reverse of the order of application.
        for axis in self.orders[joint].axes().into_iter().rev() {
            text.push_str(match axis {
                Axis::X => " Xrotation",
                Axis::Y => " Yrotation",
                Axis::Z => " Zrotation",
            });
        }
        text.push('\n');
    }

    fn end_site(&self, joint: usize, depth: usize, text: &mut String) {
        let tabs = "\t".repeat(depth);
        text.push_str(&format!("{tabs}End Site\n{tabs}{{\n{tabs}\tOFFSET"));
        push_vector(text, self.aligned.tip(joint) * self.units_per_metre);
        text.push_str(&format!("\n{tabs}}}\n"));
    }

    fn motion(&self, text: &mut String) {
        let clip = self.source.clip;
        text.push_str(&format!("MOTION\nFrames: {}\n", clip.frames()));
        // Ten decimals: rounded to six, an hour of 120 Hz would be off by a
        // seventh of a second.
        text.push_str(&format!("Frame Time: {:.10}\n", 1.0 / clip.fps));
        let mut pose = LocalPose::default();
        let mut angles = vec![DVec3::ZERO; self.source.skeleton.len()];
        for frame in 0..clip.frames() {
            clip.frame_pose(self.source.skeleton, frame, &mut pose);
            for (at, &joint) in self.rows.iter().enumerate() {
                if at > 0 {
                    text.push(' ');
                }
                self.row_part(joint, &pose, &mut angles[joint], text);
            }
            text.push('\n');
        }
    }

    fn row_part(&self, joint: usize, pose: &LocalPose, angles: &mut DVec3, text: &mut String) {
        let (rotation, position) = self.aligned.local(joint, pose.joints()[joint]);
        if self.moves[joint] {
            for value in (position * self.units_per_metre).to_array() {
                push_number(text, value);
                text.push(' ');
            }
        }
        let order = self.orders[joint];
        // Near the frame before, so that angles run on past ±180°.
        *angles = order.angles(rotation, *angles);
        for (at, axis) in order.axes().into_iter().rev().enumerate() {
            if at > 0 {
                text.push(' ');
            }
            push_number(text, angles[axis.index()].to_degrees());
        }
    }
}

fn indent(text: &mut String, depth: usize) {
    text.extend(std::iter::repeat_n('\t', depth));
}

/// Depth first, children in order.
fn written_order(skeleton: &Skeleton, children: &[Vec<usize>]) -> Vec<usize> {
    let roots = (0..skeleton.len()).filter(|&joint| skeleton.parents()[joint] == NO_PARENT);
    let mut order = Vec::with_capacity(skeleton.len());
    for root in roots {
        let mut stack = vec![root];
        while let Some(joint) = stack.pop() {
            order.push(joint);
            stack.extend(children[joint].iter().rev());
        }
    }
    order
}

fn rotation_order(joint: &Joint) -> EulerOrder {
    let axes = joint.dofs.iter().filter_map(|range| match range.dof {
        Dof::Rotate(axis) => Some(axis),
        _ => None,
    });
    let axes: Vec<Axis> = axes.collect();
    match axes.len() {
        3 => EulerOrder::starting_with(&axes),
        // Written Z, Y, X: what most programs expect where nothing is stated.
        _ => EulerOrder::XYZ,
    }
}
