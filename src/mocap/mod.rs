//! Acclaim ASF and AMC, BVH and glTF as file-shaped documents.
//!
//! First station of the data walk: bytes in, documents out, with the line and
//! column of everything that may have to be named later. Nothing here opens a
//! file, knows a unit or computes a pose; that is `import`'s.
//!
//! What real files do, and what is done about it here and in `import`; the
//! tests of `tests/formats.rs` carry these numbers (BVH's own are in [`bvh`]):
//!
//! | | found | done |
//! |---|---|---|
//! | F1 | `length` under `:units` is a divisor, its unit rarely named | metres = value / length × unit; the unit that makes a person of the rest pose |
//! | F2 | angles in degrees or radians, said in either file or none | the motion's word, then the skeleton's, then degrees |
//! | F3 | rotations about fixed axes, first letter first | XYZ is Rz · Ry · Rx |
//! | F4 | a bone's `axis`: angles always as x y z, applied in the named order, in global space | C · M · C⁻¹ |
//! | F5, F6 | `dof` in any order, from rx ry rz tx ty tz l | order of values and of evaluation |
//! | F7 | bones without `dof` | no line needed; one that is there is read as rx ry rz |
//! | F8 | `limits` over several lines, infinite, zero, too few | kept as information |
//! | F9, F10 | comments anywhere, free text in `:documentation` | skipped |
//! | F11 | sections in any order and case, unknown ones | order-free; noted and skipped |
//! | F12 | the root's `order` mixes translations and rotations | names the columns |
//! | F13 | parents on several lines, children before their definition | merged; circles, second parents and unknown names refused |
//! | F14 | letter case differs between files | ignored, spelling kept |
//! | F15 | `nan`, `-nan(ind)`, `1.#QNAN`, overflow | the last good value, reported |
//! | F16 | CRLF, lone CR, tabs, byte order mark, Latin-1 | read |
//! | F17 | no frame rate | header, then file name, then 120 |
//! | F18 | frame numbers that jump | order of appearance is time |
//! | F19 | three values for every bone, announced or not | read as rx ry rz |
//! | F20 | bones missing in a frame, a last frame cut short | held; dropped |
//! | F21, F23 | which skeleton a motion belongs to | `import::pairing`; a foreign one is said |
//! | F22, F26 | zero lengths, directions of any norm | no division by them; normalised |
//! | F25 | Z up | an option |
//! | F27 | bones the skeleton lacks | ignored with one warning; refused when none match |
//!
//! Limits: 65,534 bones in a skeleton, magnitudes below 10⁹, lines of any
//! length. Memory is bounded by the size of the input.

pub mod amc;
pub mod asf;
pub mod bvh;
mod error;
pub mod gltf;
mod lexer;
mod note;
pub mod number;
mod text;

pub use error::{MocapError, Problem, TextPosition};
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
