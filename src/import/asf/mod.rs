//! An ASF document becomes a [`Skeleton`].

mod joints;
mod tree;

use glam::DVec3;

use super::up_axis;
use crate::{
    humanoid::Stature,
    mocap::{
        AngleUnit, MocapError, Note, Problem, TextPosition,
        asf::{AsfDocument, Root},
    },
    skeleton::Skeleton,
    units::{LengthScale, LengthUnit, UpAxis},
};
use joints::JointBuilder;
use tree::Tree;

/// What the user may override.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SkeletonOptions {
    /// Length unit, instead of the one found or guessed.
    pub unit: Option<LengthUnit>,
    /// Which axis points up, instead of the one found.
    pub up: Option<UpAxis>,
}

/// A skeleton and how its file's numbers were read.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedSkeleton {
    /// In metres, Y up.
    pub skeleton: Skeleton,
    /// How lengths became metres.
    pub length: LengthScale,
    /// Which axis of the file pointed up.
    pub up: UpAxis,
    /// What the file counts angles in; `None` where it does not say.
    pub angle: Option<AngleUnit>,
    /// Assumptions and repairs.
    pub notes: Vec<Note>,
}

/// Checks the hierarchy, finds the unit and builds the skeleton. `file` names
/// the document in messages; `stem` names a skeleton that has no name.
pub fn skeleton(
    file: &str,
    stem: &str,
    document: &AsfDocument,
    options: SkeletonOptions,
) -> Result<ImportedSkeleton, MocapError> {
    let found = skeleton_with_up(
        file,
        stem,
        document,
        options,
        options.up.unwrap_or_default(),
    )?;
    let up = match options.up {
        Some(_) => UpAxis::Y,
        None => up_axis::find(&found.skeleton, None).up,
    };
    if up == UpAxis::Y {
        return Ok(found);
    }
    let mut found = skeleton_with_up(file, stem, document, options, up)?;
    found.notes.push(up_axis::found_note(up));
    Ok(found)
}

fn skeleton_with_up(
    file: &str,
    stem: &str,
    document: &AsfDocument,
    options: SkeletonOptions,
    up: UpAxis,
) -> Result<ImportedSkeleton, MocapError> {
    let mut notes = document.notes.clone();
    let tree = Tree::of(file, document)?;
    tree.note_unattached(document, &mut notes);
    let root = root_or_default(document, &mut notes);
    // Nearly every file is in degrees, and those in radians say so.
    let angle = document.units.angle.unwrap_or(AngleUnit::Degrees);
    let name = document.name.clone().filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| stem.to_owned());
    let in_metres = |metres_per_unit| {
        let builder = JointBuilder {
            metres_per_unit,
            radians: angle.radians(),
            y_up_from_file: up.y_up_from_file(),
        };
        let joints = builder.all(&root, document, &tree.order);
        Skeleton::new(name.as_str(), joints).map_err(|error| {
            MocapError::new(file, TextPosition::START, Problem::Other(error.to_string()))
        })
    };
    let length = match stated_length(document, options.unit, &mut notes) {
        Some(stated) => stated,
        None => {
            let file_units = Stature::of(&in_metres(1.0)?).height_m;
            LengthScale::guess(f64::from(file_units), divisor(document))
        }
    };
    let skeleton = in_metres(length.metres_per_unit())?;
    Ok(ImportedSkeleton {
        skeleton,
        length,
        up,
        angle: document.units.angle,
        notes,
    })
}

fn root_or_default(document: &AsfDocument, notes: &mut Vec<Note>) -> Root {
    let root = document.root.clone().unwrap_or_else(|| {
        notes.push(Note::warning(
            "no :root section; order TX TY TZ RX RY RZ assumed",
        ));
        Root::default()
    });
    if root.orientation != DVec3::ZERO {
        let message = "the root's preset orientation turns the rest pose; motion turns it further about fixed axes";
        notes.push(Note::info(message));
    }
    root
}

fn divisor(document: &AsfDocument) -> f64 {
    document.units.length.unwrap_or(1.0)
}

/// The unit asked for or named by the file.
fn stated_length(
    document: &AsfDocument,
    asked: Option<LengthUnit>,
    notes: &mut Vec<Note>,
) -> Option<LengthScale> {
    let named = || {
        let word = document.units.length_word.as_ref()?.parse();
        word.map_err(|problem: String| {
            notes.push(Note::warning(format!(
                "length unit {problem}; guessed instead"
            )));
        })
        .ok()
    };
    Some(LengthScale {
        unit: asked.or_else(named)?,
        assumed: false,
        divisor: divisor(document),
    })
}
