//! The performer and its clips as ASF and AMC text. Few decimals: enough for
//! 0.01 mm, too few for one machine's libm to differ from another's.

use std::fmt::Write as _;

use kinetoscope::math::Axis;

use super::{
    clip::Clip,
    rig::{
        Bone, DIRECTION_DECIMALS, FILE_UNITS_PER_METRE, Frame, LENGTH_DECIMALS, ROOT, Rig, round,
    },
};

/// Decimals of an angle in degrees.
const ANGLE_DECIMALS: usize = 4;

const HEADER: &str = "\
# The performer of Kinetoscope: written by `cargo run --release --example author`.
:version 1.10
:name performer
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  An adult of 1.75 m. Segment lengths: Drillis & Contini (1966) after Winter,
  Biomechanics and Motor Control of Human Movement; hip joints: Bell, Pedersen
  & Brand (1990). Bone names, axes and dofs as in the CMU motion capture
  database, whose motions play on it by name. Lengths are inches times 0.45.
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
";

/// The skeleton file.
pub fn asf(rig: &Rig) -> String {
    let mut text = HEADER.to_owned();
    for (id, bone) in rig.bones.iter().enumerate().skip(1) {
        write_bone(&mut text, id, bone);
    }
    text.push_str(":hierarchy\n  begin\n");
    for (parent, bone) in rig.bones.iter().enumerate() {
        let children = rig
            .bones
            .iter()
            .filter(|child| child.parent == Some(parent));
        let names = children.map(|child| child.name).collect::<Vec<_>>();
        if !names.is_empty() {
            let _ = writeln!(text, "    {} {}", bone.name, names.join(" "));
        }
    }
    text.push_str("  end\n");
    text
}

fn write_bone(text: &mut String, id: usize, bone: &Bone) {
    let direction = bone
        .direction
        .to_array()
        .map(|x| number(x, DIRECTION_DECIMALS));
    let axis = bone.axis_deg.map(|x| number(x, ANGLE_DECIMALS));
    let length = number(bone.length_m * FILE_UNITS_PER_METRE, LENGTH_DECIMALS);
    let _ = writeln!(
        text,
        "  begin\n    id {id}\n    name {}\n    direction {}\n    length {length}\n    axis {} XYZ",
        bone.name,
        direction.join(" "),
        axis.join(" "),
    );
    if !bone.dofs.is_empty() {
        let names = bone.dofs.iter().map(|(axis, _)| dof_name(*axis));
        let _ = writeln!(text, "    dof {}", names.collect::<Vec<_>>().join(" "));
        for (i, (_, [low, high])) in bone.dofs.iter().enumerate() {
            let lead = if i == 0 { "limits" } else { "      " };
            let _ = writeln!(text, "    {lead} ({low:.1} {high:.1})");
        }
    }
    text.push_str("  end\n");
}

fn dof_name(axis: Axis) -> &'static str {
    ["rx", "ry", "rz"][axis.index()]
}

/// A motion file.
pub fn amc(rig: &Rig, clip: &Clip) -> String {
    let mut text = format!(
        "#!OML:ASF performer.asf\n\
         # {} of the performer of Kinetoscope, 120 frames a second.\n\
         :FULLY-SPECIFIED\n:SAMPLES-PER-SECOND 120\n:DEGREES\n",
        clip.name
    );
    for (index, frame) in clip.frames.iter().enumerate() {
        let _ = writeln!(text, "{}", index + 1);
        write_frame(&mut text, rig, frame);
    }
    text
}

fn write_frame(text: &mut String, rig: &Rig, frame: &Frame) {
    for (index, bone) in rig.bones.iter().enumerate() {
        if bone.dofs.is_empty() {
            continue;
        }
        text.push_str(bone.name);
        if index == ROOT {
            for metres in frame.root_m.to_array() {
                let _ = write!(
                    text,
                    " {}",
                    number(metres * FILE_UNITS_PER_METRE, LENGTH_DECIMALS)
                );
            }
        }
        for angle in &frame.angles_deg[index][..bone.dofs.len()] {
            let _ = write!(text, " {}", number(*angle, ANGLE_DECIMALS));
        }
        text.push('\n');
    }
}

/// The frame as its text gives it back.
pub fn rounded(frame: &Frame) -> Frame {
    let metres = |x: f64| round(x * FILE_UNITS_PER_METRE, LENGTH_DECIMALS) / FILE_UNITS_PER_METRE;
    Frame {
        root_m: frame.root_m.to_array().map(metres).into(),
        angles_deg: frame
            .angles_deg
            .map(|angles| angles.map(|x| round(x, ANGLE_DECIMALS))),
    }
}

/// Fixed decimals without trailing zeros, and no minus before a zero.
fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", round(value, decimals) + 0.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}
