//! Acclaim motion files: a header, then frames, read one at a time.
//!
//! A motion is tens of megabytes of numbers, so the document is never held
//! whole: [`Frames`] fills the same [`AmcFrame`] again and again. This is the one
//! parser whose speed a user feels.

mod frames;
mod header;

use super::{AngleUnit, MocapError, Note, lexer::Lexer};

pub use frames::Frames;

/// What stands before the first frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// `:DEGREES` or `:RADIANS`, and its line.
    pub angle: Option<(AngleUnit, u64)>,
    /// `:FORCE-ALL-JOINTS-BE-3DOF`.
    pub force_3dof: bool,
    /// `:SAMPLES-PER-SECOND`.
    pub samples_per_second: Option<f64>,
    /// `:asf-file`.
    pub asf_file: Option<String>,
    /// The skeleton that a `#!OML:ASF` line says the motion was made with.
    pub source_asf: Option<String>,
    /// The first line is not a `#!` line.
    pub no_shebang: bool,
    /// What was skipped.
    pub notes: Vec<Note>,
}

/// One bone line of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneLine<'a> {
    /// As spelt.
    pub name: &'a [u8],
    /// Its line.
    pub line: u64,
    /// The last frame that had as many bones named the same one here.
    pub as_before: bool,
    /// Index of its first value in [`AmcFrame::values`].
    pub first_value: usize,
    /// How many values it has. Only the first eight are kept.
    pub value_count: usize,
}

/// One frame as written. Values that are words for "not a number" are NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AmcFrame<'a> {
    /// As numbered in the file.
    pub number: u64,
    /// Line of the number.
    pub line: u64,
    /// The bones in file order.
    pub bones: Vec<BoneLine<'a>>,
    /// The values of all bones.
    pub values: Vec<f64>,
    /// The file ends in the middle of a number.
    pub cut: bool,
}

/// Reads the header and stops before the first frame. `file` names the bytes
/// in messages.
pub fn open<'a>(file: &'a str, bytes: &'a [u8]) -> Result<(Header, Frames<'a>), MocapError> {
    let mut lexer = Lexer::new(file, bytes);
    let header = header::header(&mut lexer)?;
    Ok((header, Frames::new(lexer)))
}
