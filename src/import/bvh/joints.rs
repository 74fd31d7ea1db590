//! The hierarchy as a skeleton.

use glam::{DQuat, DVec3, Quat};

use super::super::names::UniqueNames;
use crate::{
    math::{Dof, Transform},
    mocap::{
        MocapError, Note, Notes, Problem, TextPosition,
        bvh::{self, BvhDocument},
    },
    skeleton::{DofRange, Joint, JointIndex, NO_PARENT, Skeleton},
    units::{LengthScale, UpAxis},
};

/// Builds the skeleton; joints keep their order.
pub(super) fn skeleton(
    file: &str,
    stem: &str,
    document: &BvhDocument,
    length: LengthScale,
    up: UpAxis,
    notes: &mut Notes,
) -> Result<Skeleton, MocapError> {
    let names = unique_names(document, notes);
    let tips = tips(document);
    let y_up_from_file = up.y_up_from_file();
    let metres = length.metres_per_unit();
    let joint = |((joint, name), tip): ((&bvh::BvhJoint, String), DVec3)| {
        // The turn to Y up is in the root alone: offsets below are in its
        // turned space.
        let root_rotation = match joint.parent {
            None => y_up_from_file,
            Some(_) => DQuat::IDENTITY,
        };
        let offset = root_rotation * joint.offset * metres;
        Joint {
            name,
            parent: joint.parent.map_or(NO_PARENT, |it| it as JointIndex),
            rest: Transform::new(root_rotation.as_quat(), offset.as_vec3()),
            tip: (tip * metres).as_vec3(),
            axes: match joint.parent {
                None => root_rotation.as_quat(),
                Some(_) => Quat::IDENTITY,
            },
            dofs: dofs(&joint.channels),
        }
    };
    let joints = document.joints.iter().zip(names).zip(tips);
    Skeleton::new(stem, joints.map(joint).collect()).map_err(|error| {
        let problem = Problem::Other(error.to_string());
        MocapError::new(file, TextPosition::START, problem)
    })
}

/// Translations, then rotations from the last written to the first: what is
/// written outermost first is applied innermost first.
fn dofs(channels: &[Dof]) -> Vec<DofRange> {
    evaluation_order(channels)
        .map(|at| DofRange::unlimited(channels[at]))
        .collect()
}

/// Indices into `channels` in the order of evaluation.
pub(super) fn evaluation_order(channels: &[Dof]) -> impl Iterator<Item = usize> + '_ {
    let translates = |at: &usize| matches!(channels[*at], Dof::Translate(_));
    let rotates = |at: &usize| matches!(channels[*at], Dof::Rotate(_));
    let translations = (0..channels.len()).filter(translates);
    translations.chain((0..channels.len()).rev().filter(rotates))
}

/// Names are keys, so a second joint of a name gets a number.
fn unique_names(document: &BvhDocument, notes: &mut Notes) -> Vec<String> {
    let mut names = UniqueNames::default();
    let unique = |joint: &bvh::BvhJoint| {
        let written = &joint.name.text;
        let name = names.claim(written);
        if name != *written {
            notes.add_counted("joint names used twice", || {
                let note = Note::warning(format!("name used before; called {name:?} here"));
                note.at_line(joint.name.position.line).of_bone(written)
            });
        }
        name
    };
    document.joints.iter().map(unique).collect()
}

/// Where each bone ends: at the end site, at the only child, at the child that
/// lies straightest ahead, or nowhere for a root.
fn tips(document: &BvhDocument) -> Vec<DVec3> {
    let joints = &document.joints;
    let ahead = |joint: usize| joints[joint].offset.normalize_or_zero();
    // How straight ahead the best child so far lies.
    let mut best = vec![f64::NEG_INFINITY; joints.len()];
    let mut tips = vec![DVec3::ZERO; joints.len()];
    for joint in joints {
        let Some(parent) = joint.parent else { continue };
        let straightness = ahead(parent).dot(joint.offset.normalize_or_zero());
        // Of children that lie equally straight the first one counts.
        if straightness > best[parent] {
            best[parent] = straightness;
            tips[parent] = joint.offset;
        }
    }
    for (joint, tip) in joints.iter().zip(&mut tips) {
        match (joint.parent, joint.end_site) {
            // A root is a place, not a bone, in every format we read.
            (None, _) => *tip = DVec3::ZERO,
            (Some(_), Some(end_site)) => *tip = end_site,
            (Some(_), None) => {}
        }
    }
    tips
}
