//! A body in other forms, for looking at how skins work: on affine slots, where
//! it is skinned linearly and may be moved by any matrix, and in rigid pieces.
//!
//! Made when first asked for and kept with the body.

use std::sync::{Arc, OnceLock};

use super::{Body, loaded::Loaded};
use crate::mesh::{CharacterMesh, Material};

/// Other forms of a body; no part of what it is.
#[derive(Debug, Default)]
pub(super) struct Derived {
    linear: OnceLock<Arc<Body>>,
    pieces: OnceLock<Arc<Body>>,
}

impl Clone for Derived {
    /// They are made anew where they are wanted.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Derived {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Body {
    /// The same body on affine slots: blended linearly, and ready for matrices
    /// that are not rigid. A grown body becomes white: who draws it gives it its
    /// colour. `None` for a model, which is that already.
    #[must_use]
    pub fn on_slots(&self) -> Option<&Arc<Self>> {
        let grown = self.loaded.is_none();
        grown.then(|| {
            self.derived
                .linear
                .get_or_init(|| self.drawn_as(white(self)))
        })
    }

    /// The same body cut into pieces, each on the joint that moves it most.
    #[must_use]
    pub fn in_pieces(&self) -> &Arc<Self> {
        self.derived.pieces.get_or_init(|| match self.model() {
            Some(model) => self.drawn_as(model.in_pieces()),
            None => self.drawn_as(white(self).in_pieces()),
        })
    }

    fn drawn_as(&self, model: CharacterMesh) -> Arc<Self> {
        let ground_y = self.ground_y();
        Arc::new(Self {
            loaded: Some(Loaded::bare(model, ground_y)),
            // What is grown would be drawn through it.
            indices: Vec::new(),
            shadow_vertices: Vec::new(),
            shadow_indices: Vec::new(),
            ..self.clone()
        })
    }
}

fn white(body: &Body) -> CharacterMesh {
    let model = body.to_model();
    let materials = model.materials.iter().map(|it| Material {
        base_colour: [1.0; 4],
        ..it.clone()
    });
    CharacterMesh {
        materials: materials.collect(),
        ..(*model).clone()
    }
}
