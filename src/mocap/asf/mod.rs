//! Acclaim skeleton files as documents: sections in any order, names and
//! numbers as written.

mod parser;

use glam::DVec3;

use super::{AngleUnit, MocapError, Note, TextPosition, lexer::Word};
use crate::math::{Axis, Dof, EulerOrder};

/// The largest number of bones, root apart, that a document may define.
pub const MAX_BONES: usize = 65_534;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// As spelt.
    pub text: String,
    /// Where.
    pub position: TextPosition,
}

impl From<Word<'_>> for Name {
    fn from(word: Word<'_>) -> Self {
        Self {
            text: word.to_text(),
            position: word.position,
        }
    }
}

/// `:units`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Units {
    /// `length`: the divisor, 1 where only a word is given.
    pub length: Option<f64>,
    /// The word beside it or in its place, such as `m`.
    pub length_word: Option<String>,
    /// `angle`.
    pub angle: Option<AngleUnit>,
}

/// `:root`.
#[derive(Clone, Debug, PartialEq)]
pub struct Root {
    /// Columns of the root in a motion, as named by `order`.
    pub order: Vec<Dof>,
    /// Order of the preset orientation.
    pub axis: EulerOrder,
    /// ViewPreset position in file units.
    pub position: DVec3,
    /// ViewPreset orientation in file angles, always x, y, z.
    pub orientation: DVec3,
}

impl Default for Root {
    fn default() -> Self {
        use Dof::{Rotate, Translate};
        let axes = [Axis::X, Axis::Y, Axis::Z];
        Self {
            order: axes
                .map(Translate)
                .into_iter()
                .chain(axes.map(Rotate))
                .collect(),
            axis: EulerOrder::XYZ,
            position: DVec3::ZERO,
            orientation: DVec3::ZERO,
        }
    }
}

/// One `begin … end` of `:bonedata`.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// Its name.
    pub name: Name,
    /// As written, of any length.
    pub direction: DVec3,
    /// In file units.
    pub length: f64,
    /// Angles about x, y, z in file angles.
    pub axis: DVec3,
    /// The order they are applied in.
    pub axis_order: EulerOrder,
    /// As written: order of values and of evaluation.
    pub dofs: Vec<Dof>,
    /// Lower and upper bounds, possibly infinite, possibly fewer than dofs.
    pub limits: Vec<[f64; 2]>,
}

/// One line of `:hierarchy`.
#[derive(Clone, Debug, PartialEq)]
pub struct HierarchyLine {
    /// The first word.
    pub parent: Name,
    /// The others.
    pub children: Vec<Name>,
}

/// The file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AsfDocument {
    /// `:name`.
    pub name: Option<String>,
    /// `:units`.
    pub units: Units,
    /// `:root`; `None` where the section is missing.
    pub root: Option<Root>,
    /// `:bonedata`.
    pub bones: Vec<Bone>,
    /// `:hierarchy`.
    pub links: Vec<HierarchyLine>,
    /// What was skipped.
    pub notes: Vec<Note>,
}

/// Reads a skeleton file. `file` names the bytes in messages.
pub fn parse(file: &str, bytes: &[u8]) -> Result<AsfDocument, MocapError> {
    parser::Parser::new(file, bytes).document()
}
