//! Acclaim: a skeleton as ASF, its motion as AMC.
//!
//! An Acclaim bone starts where its parent ends. A joint that does not gets a
//! bone without freedom between the two, named after it with `_link`.

mod motion;
mod plan;

use glam::DVec3;

use super::{
    Aligned, ExportError, ExportSource,
    aligned::RootRotation,
    text::{push_number, push_vector, word},
};
use crate::{
    humanoid::Stature,
    math::{Dof, EulerOrder},
    skeleton::{NO_PARENT, Skeleton},
    units::LengthScale,
};
use plan::Plan;

pub use motion::{AcclaimMotion, amc};

/// Characters that end or change a word in these formats.
const MARKS: &str = "(),#:";

/// Starts closer than this to the parent's end, in metres, are on it.
const ON_TIP_M: f64 = 1e-6;

/// Writes a skeleton with the freedoms that its clip needs.
pub fn asf(source: ExportSource<'_>) -> Result<String, ExportError> {
    let skeleton = source.skeleton;
    refuse_second_root(skeleton)?;
    let writer = Writer {
        source,
        aligned: Aligned::new(skeleton, RootRotation::Kept),
        units_per_metre: 1.0 / source.length.metres_per_unit(),
        names: Names::new(skeleton),
        plan: Plan::new(source),
    };
    let mut text = String::from("# AST/ASF file\n:version 1.10\n");
    text.push_str(&format!(":name {}\n", word(skeleton.name(), MARKS)));
    text.push_str(":units\n  mass 1.0\n  length ");
    push_number(&mut text, source.length.divisor);
    // ASF states no unit: a word after the number is our own, and is left out
    // where the body's height gives the unit away.
    if !reads_back(skeleton, source.length) {
        text.push_str(&format!(" {}", source.length.unit));
    }
    text.push_str("\n  angle deg\n");
    writer.root(&mut text);
    writer.bonedata(&mut text);
    writer.hierarchy(&mut text);
    Ok(text)
}

fn refuse_second_root(skeleton: &Skeleton) -> Result<(), ExportError> {
    let mut roots = skeleton.joints().iter().filter(|it| it.parent == NO_PARENT);
    match roots.nth(1) {
        Some(second) => Err(ExportError::SeveralRoots(second.name.clone())),
        None => Ok(()),
    }
}

/// True when a reader that goes by body height finds the unit by itself.
fn reads_back(skeleton: &Skeleton, length: LengthScale) -> bool {
    let height_m = f64::from(Stature::of(skeleton).height_m);
    let height = height_m / length.metres_per_unit();
    LengthScale::guess(height, length.divisor).unit == length.unit
}

struct Writer<'a> {
    source: ExportSource<'a>,
    aligned: Aligned<'a>,
    units_per_metre: f64,
    names: Names,
    plan: Plan,
}

impl Writer<'_> {
    fn root(&self, text: &mut String) {
        text.push_str(":root\n  order");
        for dof in &self.plan.dofs[0] {
            text.push_str(&format!(" {}", dof.word().to_ascii_uppercase()));
        }
        let rest = self.source.skeleton.joints()[0].rest;
        let orientation = rest.rotation.as_dquat().normalize();
        text.push_str("\n  axis XYZ\n  position");
        push_vector(text, rest.position().as_dvec3() * self.units_per_metre);
        text.push_str("\n  orientation");
        push_vector(
            text,
            degrees(EulerOrder::XYZ.angles(orientation, DVec3::ZERO)),
        );
        text.push('\n');
    }

    fn bonedata(&self, text: &mut String) {
        text.push_str(":bonedata\n");
        let mut id = 0;
        for joint in 1..self.source.skeleton.len() {
            if let Some(link) = self.link(joint) {
                id += 1;
                self.bone(id, &self.names.links[joint], link, text);
                text.push_str("    axis 0 0 0 XYZ\n  end\n");
            }
            id += 1;
            self.bone(id, &self.names.joints[joint], self.aligned.tip(joint), text);
            // Global, as the format has it; any order can say it.
            let axes = EulerOrder::XYZ.angles(self.aligned.axes(joint), DVec3::ZERO);
            text.push_str("    axis");
            push_vector(text, degrees(axes));
            text.push_str(" XYZ\n");
            self.dofs(joint, text);
            text.push_str("  end\n");
        }
    }

    /// From the parent's end to a joint that starts elsewhere, metres.
    fn link(&self, joint: usize) -> Option<DVec3> {
        // A root has no length.
        let parent_tip = match usize::from(self.source.skeleton.parents()[joint]) {
            0 => DVec3::ZERO,
            parent => self.aligned.tip(parent),
        };
        let gap = self.aligned.offset(joint) - parent_tip;
        (gap.length() > ON_TIP_M).then_some(gap)
    }

    fn bone(&self, id: usize, name: &str, along: DVec3, text: &mut String) {
        text.push_str(&format!("  begin\n    id {id}\n    name {name}\n"));
        // Nine decimals, for a direction multiplies a length.
        let [x, y, z] = along.normalize_or_zero().to_array();
        text.push_str(&format!("    direction {x:.9} {y:.9} {z:.9}\n    length "));
        push_number(text, along.length() * self.units_per_metre);
        text.push('\n');
    }

    fn dofs(&self, joint: usize, text: &mut String) {
        let dofs = &self.plan.dofs[joint];
        if dofs.is_empty() {
            return;
        }
        text.push_str("    dof");
        for dof in dofs {
            text.push_str(&format!(" {}", dof.word()));
        }
        text.push_str("\n    limits");
        let stated = &self.source.skeleton.joints()[joint].dofs;
        for dof in dofs {
            let range = stated.iter().find(|range| range.dof == *dof);
            let range = range.map_or([f32::NEG_INFINITY, f32::INFINITY], |it| it.range);
            let scale = match dof {
                Dof::Rotate(_) => 1f64.to_degrees(),
                Dof::Translate(_) | Dof::Length => self.units_per_metre,
            };
            let [low, high] = range.map(|bound| bound_word(f64::from(bound) * scale));
            text.push_str(&format!(" ({low} {high})\n"));
        }
    }

    fn hierarchy(&self, text: &mut String) {
        text.push_str(":hierarchy\n  begin\n");
        let skeleton = self.source.skeleton;
        let mut children = vec![Vec::new(); skeleton.len()];
        let mut links = String::new();
        for joint in 1..skeleton.len() {
            let name = self.names.joints[joint].as_str();
            let parent = usize::from(skeleton.parents()[joint]);
            if self.link(joint).is_some() {
                let link = self.names.links[joint].as_str();
                children[parent].push(link);
                links.push_str(&format!("    {link} {name}\n"));
            } else {
                children[parent].push(name);
            }
        }
        for (parent, children) in self.names.joints.iter().zip(&children) {
            if !children.is_empty() {
                text.push_str(&format!("    {parent} {}\n", children.join(" ")));
            }
        }
        text.push_str(&links);
        text.push_str("  end\n");
    }
}

/// What joints and links are called in the file.
pub(super) struct Names {
    pub joints: Vec<String>,
    links: Vec<String>,
}

impl Names {
    pub fn new(skeleton: &Skeleton) -> Self {
        // The root is called so in every file, whatever the skeleton calls it.
        let mut taken = std::collections::HashSet::from(["root".to_owned()]);
        let mut unique = |wanted: String| {
            let mut name = wanted.clone();
            let mut count = 1;
            while !taken.insert(name.to_ascii_lowercase()) {
                count += 1;
                name = format!("{wanted}_{count}");
            }
            name
        };
        let mut joints = vec!["root".to_owned()];
        let others = skeleton.joints().iter().skip(1);
        joints.extend(others.map(|joint| unique(word(&joint.name, MARKS))));
        let links = joints.iter().map(|name| unique(format!("{name}_link")));
        Self {
            links: links.collect(),
            joints,
        }
    }
}

fn degrees(radians: DVec3) -> DVec3 {
    DVec3::from_array(radians.to_array().map(f64::to_degrees))
}

fn bound_word(bound: f64) -> String {
    if bound.is_finite() {
        let mut text = String::new();
        push_number(&mut text, bound);
        text
    } else if bound < 0.0 {
        "-inf".to_owned()
    } else {
        "inf".to_owned()
    }
}
