//! glTF 2.0 as a file-shaped document: `.gltf` and `.glb`.
//!
//! First station of the data walk. [`parse`] takes the container apart and
//! reads the JSON; [`Parsed::resolve`] adds the buffers, those of other files
//! through a function of the caller, as nothing here opens a file. A
//! [`GltfDocument`] then hands out numbers: every range, stride, count and index is
//! checked against the buffer it reads before anything is allocated for it,
//! and what all reads together may take is bounded by the size of the file
//! ([`GltfDocument::spend`]), so that a small file that names one buffer a million
//! times is refused.
//!
//! Limits: triangles, four joints a vertex, base-colour textures. Required
//! extensions other than quantised attributes, packed views and those that only
//! change shading are refused.

mod accessor;
mod container;
mod error;
mod packed;
mod resource;
mod tree;

pub use error::{GltfError, GltfProblem};
pub use gltf::json;
pub use resource::{OUTSIDE, Parsed, clip_name};
pub use tree::NodeTree;

use std::{cell::Cell, collections::BTreeMap};

use json::Root;

/// What reads may take for each byte of the file.
const SPEND_PER_BYTE: u64 = 32;
/// What packed bytes are believed to hold, for each.
const UNPACKED_PER_BYTE: usize = 16;
/// What they may always take.
const SPEND_FREE: u64 = 16 << 20;

/// A whole file: its JSON and its buffers.
#[derive(Debug)]
pub struct GltfDocument {
    file: String,
    root: Root,
    buffers: Vec<Vec<u8>>,
    /// Bytes of packed views, by view.
    unpacked: BTreeMap<usize, Vec<u8>>,
    images: Vec<Option<Result<Vec<u8>, String>>>,
    left: Cell<u64>,
}

/// Reads container and JSON. `file` names the bytes in messages.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Parsed, GltfError> {
    Parsed::new(file, bytes)
}

/// True for bytes that can only be a binary glTF file.
#[must_use]
pub fn is_binary(head: &[u8]) -> bool {
    head.starts_with(container::MAGIC)
}

impl GltfDocument {
    /// The JSON.
    #[must_use]
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Bytes of a picture that is not in a buffer view; `None` where it could
    /// not be read.
    #[must_use]
    pub fn image_file(&self, image: usize) -> Option<&[u8]> {
        self.images.get(image)?.as_ref()?.as_deref().ok()
    }

    /// Why a picture of another file could not be read.
    #[must_use]
    pub fn image_fault(&self, image: usize) -> Option<&str> {
        let read = self.images.get(image)?.as_ref()?;
        read.as_ref().err().map(String::as_str)
    }

    /// An error of this file.
    #[must_use]
    pub fn error(&self, at: impl Into<String>, problem: GltfProblem) -> GltfError {
        GltfError::new(&self.file, at, problem)
    }

    /// Counts memory that is about to be taken.
    pub fn spend(&self, at: &str, bytes: u64) -> Result<(), GltfError> {
        match self.left.get().checked_sub(bytes) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(self.error(at, GltfProblem::TooMuch { bytes })),
        }
    }

    fn with_budget(mut self) -> Self {
        let buffers: usize = self.buffers.iter().map(Vec::len).sum();
        let images: usize = self.images.iter().flatten().flatten().map(Vec::len).sum();
        // Packed bytes may stand for many more; a few times as many are believed.
        let unpacked: usize = self.unpacked.values().map(Vec::len).sum();
        let unpacked = unpacked.min(UNPACKED_PER_BYTE * buffers);
        // In proportion to what was really read, not to what the JSON claims.
        let bytes = (buffers + unpacked + images) as u64;
        self.left = Cell::new(SPEND_FREE + SPEND_PER_BYTE * bytes);
        self
    }
}
