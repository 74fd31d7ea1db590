//! Packed views of glTF files: `EXT_meshopt_compression`, read and written.
//!
//! Below everything that knows of glTF: bytes in, bytes out. A view is a list of
//! elements of one size; its bytes are stored lane by lane (all first bytes, all
//! second bytes …) as differences from one element to the next, 16 at a time in
//! 0, 2, 4 or 8 bits ([`attributes`]), corners of triangles as what is new about
//! each ([`triangles`]). A [`Filter`] stands before the differences: numbers of few
//! digits change in few bytes. After the extension's own text, appendices A and B.
//!
//! Limits: what the ratified extension says (version 0 of attributes); written are
//! attributes alone.

mod attributes;
mod filter;
mod triangles;

pub use attributes::{decode as decode_attributes, encode as encode_attributes};
pub use filter::{Filter, decode_quaternion, encode_quaternion, exponential, from_exponential};
pub use triangles::{decode_indices, decode_triangles};

/// What the elements of a packed view are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Vertices, key times, values of keys.
    Attributes,
    /// Corners of triangles.
    Triangles,
    /// Any other indices.
    Indices,
}

/// A packed view as a file describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedView {
    /// What its elements are.
    pub mode: Mode,
    /// What stands before the differences.
    pub filter: Filter,
    /// How many elements it has.
    pub count: usize,
    /// Bytes of each.
    pub stride: usize,
}

/// Why a view cannot be unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// The first byte names another format.
    #[error("its first byte is {found:#04x}, and {expected:#04x} is due")]
    Header {
        /// What is there.
        found: u8,
        /// What the mode asks for.
        expected: u8,
    },
    /// The bytes end early.
    #[error("it ends within its {0}")]
    Truncated(&'static str),
    /// Bytes are left over.
    #[error("{0} bytes are left over at its end")]
    Leftover(usize),
    /// The description contradicts itself.
    #[error("{0}")]
    Shape(&'static str),
}

impl PackedView {
    /// Checks what can be known without the bytes.
    pub fn check(&self) -> Result<(), UnpackError> {
        let wrong = |what| Err(UnpackError::Shape(what));
        let stride = self.stride;
        match (self.mode, self.filter) {
            (Mode::Attributes, _) if stride == 0 || !stride.is_multiple_of(4) || stride > 256 => {
                wrong("elements of attributes take a multiple of 4 bytes, 256 at most")
            }
            (Mode::Triangles | Mode::Indices, _) if stride != 2 && stride != 4 => {
                wrong("indices take 2 or 4 bytes")
            }
            (Mode::Triangles, _) if !self.count.is_multiple_of(3) => {
                wrong("corners of triangles come by threes")
            }
            (Mode::Triangles | Mode::Indices, filter) if filter != Filter::None => {
                wrong("indices have no filter")
            }
            (_, Filter::Octahedral) if stride != 4 && stride != 8 => {
                wrong("octahedral elements take 4 or 8 bytes")
            }
            (_, Filter::Quaternion) if stride != 8 => wrong("quaternions take 8 bytes"),
            _ => Ok(()),
        }
    }

    /// The view's own bytes.
    pub fn unpack(&self, packed: &[u8]) -> Result<Vec<u8>, UnpackError> {
        self.check()?;
        match self.mode {
            Mode::Attributes => {
                let mut bytes = decode_attributes(packed, self.count, self.stride)?;
                self.filter.decode(&mut bytes, self.stride);
                Ok(bytes)
            }
            Mode::Triangles => {
                decode_triangles(packed, self.count).map(|it| stored(&it, self.stride))
            }
            Mode::Indices => decode_indices(packed, self.count).map(|it| stored(&it, self.stride)),
        }
    }
}

/// Indices in as many bytes as the view has for each.
fn stored(indices: &[u32], stride: usize) -> Vec<u8> {
    let bytes = indices.iter().map(|index| index.to_le_bytes());
    bytes.flat_map(|it| it.into_iter().take(stride)).collect()
}

#[cfg(test)]
mod tests;
