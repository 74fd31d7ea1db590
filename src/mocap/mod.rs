//! Acclaim ASF and AMC as file-shaped documents.
//!
//! First station of the data walk: bytes in, documents out, with the line and
//! column of everything that may have to be named later. Nothing here opens a
//! file, knows a unit or computes a pose; that is `import`'s.
//!
//! Limits: 65,534 bones in a skeleton, magnitudes below 10⁹, lines of any
//! length. Memory is bounded by the size of the input.

pub mod amc;
pub mod asf;
mod error;
mod lexer;
mod note;
pub mod number;
mod text;

pub use error::{MocapError, Place, Problem};
pub use note::{Level, Note, Notes};
pub use text::{TextFacts, lossy};

/// The largest magnitude a length or an angle may have. Anything beyond is a
/// broken file, and its square would leave single precision.
pub const MAX_MAGNITUDE: f64 = 1e9;

/// What angles are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AngleUnit {
    /// 360 to the turn.
    Degrees,
    /// 2π to the turn.
    Radians,
}

impl AngleUnit {
    /// Radians in one unit.
    #[must_use]
    pub fn radians(self) -> f64 {
        match self {
            Self::Degrees => std::f64::consts::PI / 180.0,
            Self::Radians => 1.0,
        }
    }

    /// Degrees in one unit.
    #[must_use]
    pub fn degrees(self) -> f64 {
        match self {
            Self::Degrees => 1.0,
            Self::Radians => 180.0 / std::f64::consts::PI,
        }
    }

    fn from_word(word: &[u8]) -> Option<Self> {
        match word.to_ascii_lowercase().as_slice() {
            b"deg" | b"degree" | b"degrees" => Some(Self::Degrees),
            b"rad" | b"radian" | b"radians" => Some(Self::Radians),
            _ => None,
        }
    }
}

impl std::fmt::Display for AngleUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Degrees => "degrees",
            Self::Radians => "radians",
        })
    }
}
