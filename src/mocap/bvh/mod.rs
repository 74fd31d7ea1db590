//! Biovision hierarchies: a skeleton and its motion in one file.
//!
//! The hierarchy becomes a [`BvhDocument`]; the frames, which are nearly all of
//! the file, are read one row at a time through [`Rows`], so that no second
//! copy of the numbers is ever held. What real files do:
//!
//! | found | done |
//! |---|---|
//! | any case, tabs, CRLF, lone CR, braces on the keyword's line | read |
//! | rotation channels in any order and number | kept as written |
//! | 0, 1, 3 or 6 channels at any joint, positions without rotations | kept as written |
//! | `CHANNELS 3` before six names | the names count, with a warning |
//! | several `ROOT`s; no `MOTION` | read |
//! | names with blanks, none at all, twice the same | the line; made up; numbered |
//! | `Frames:` that disagrees with the rows | the rows count, with a warning |
//! | a frame over several lines, several frames on one | read, with a note |
//! | a row with too few or too many values | an error with its line |
//! | a last row cut short | dropped, with a warning |
//! | `nan`, `1.#QNAN`, overflow | NaN here, the last good value after `import` |
//!
//! Limits: 65,534 joints, six channels each, magnitudes below 10⁹.

mod parser;
mod rows;

use glam::DVec3;

use super::{MocapError, Note, asf::Name};
use crate::math::{Axis, Dof};

pub use rows::Rows;

/// The largest number of joints that a document may define.
pub const MAX_JOINTS: usize = super::asf::MAX_BONES;

/// A `ROOT` or `JOINT` block.
#[derive(Clone, Debug, PartialEq)]
pub struct BvhJoint {
    /// The rest of the keyword's line.
    pub name: Name,
    /// Index of the enclosing joint; `None` for a root.
    pub parent: Option<usize>,
    /// From the parent, in file units.
    pub offset: DVec3,
    /// As written: order of values; rotations apply outermost first.
    /// Never holds [`Dof::Length`], and nothing twice.
    pub channels: Vec<Dof>,
    /// The first `End Site` inside.
    pub end_site: Option<DVec3>,
}

/// `Frame Time:` as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameTime {
    /// Seconds, if the file is honest; possibly zero, negative or not finite.
    pub secs: f64,
    /// Half to one unit of the last digit written: 0.033 is 1/30 to within
    /// 0.001.
    pub last_digit_secs: f64,
    /// Its line.
    pub line: u64,
}

/// Everything but the frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BvhDocument {
    /// Parents before children, in file order.
    pub joints: Vec<BvhJoint>,
    /// `Frames:`, and its line.
    pub frames: Option<(u64, u64)>,
    /// `Frame Time:`.
    pub frame_time: Option<FrameTime>,
    /// There is a `MOTION` section.
    pub has_motion: bool,
    /// What was skipped or mended.
    pub notes: Vec<Note>,
}

impl BvhDocument {
    /// Values in a row.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.joints.iter().map(|joint| joint.channels.len()).sum()
    }
}

/// Reads everything up to the first row. `file` names the bytes in messages.
pub fn open<'a>(file: &'a str, bytes: &'a [u8]) -> Result<(BvhDocument, Rows<'a>), MocapError> {
    let (document, lexer) = parser::Parser::new(file, bytes).document()?;
    let rows = Rows::new(lexer, document.columns());
    Ok((document, rows))
}

/// `Xrotation`, `yposition` and the like.
fn channel(word: &[u8]) -> Option<Dof> {
    let (first, kind) = word.split_first()?;
    let axis = match first.to_ascii_lowercase() {
        b'x' => Axis::X,
        b'y' => Axis::Y,
        b'z' => Axis::Z,
        _ => return None,
    };
    match kind.to_ascii_lowercase().as_slice() {
        b"rotation" => Some(Dof::Rotate(axis)),
        b"position" | b"translation" => Some(Dof::Translate(axis)),
        _ => None,
    }
}
