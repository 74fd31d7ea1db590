//! A sheet as it is drawn.

use std::sync::Arc;

use glam::Vec3;

use super::{
    super::{FrameData, Line, error_colour},
    ClothInstance,
};
use crate::{
    cloth::{Cloth, Weave},
    collide::{Collider, wireframe},
};

/// How a sheet is to be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClothLook {
    /// Colours by stretch: blue at rest, red at 5 %.
    pub stretch: bool,
    /// Points that touch a solid are red.
    pub contacts: bool,
    /// Wireframes of all solids.
    pub colliders: bool,
}

/// One vertex of a sheet as the GPU reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "viewer", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct ClothVertex {
    /// World space, metres.
    pub position: [f32; 3],
    /// Unit.
    pub normal: [f32; 3],
    /// Linear.
    pub colour: [f32; 3],
    /// Metres along and across the threads; the same everywhere on what is
    /// not woven.
    pub weave_m: [f32; 2],
}

/// A sheet to be drawn.
#[derive(Clone, Debug)]
pub struct SheetMesh {
    /// All vertices.
    pub vertices: Vec<ClothVertex>,
    /// Triangles.
    pub indices: Arc<[u32]>,
}

/// Linear colours of the sheets, in the order of the presets.
pub(super) const COLOURS: [[f32; 3]; 7] = [
    [0.12, 0.28, 0.42],
    [0.40, 0.05, 0.06],
    [0.55, 0.30, 0.05],
    [0.20, 0.32, 0.18],
    [0.30, 0.10, 0.28],
    [0.07, 0.24, 0.26],
    [0.55, 0.18, 0.05],
];

/// Linear colour of points that touch a solid.
const TOUCHING: [f32; 3] = [0.75, 0.02, 0.02];

impl FrameData {
    /// Adds a sheet with what belongs to it, and the solids it meets when they
    /// are asked for.
    pub fn push_cloth(&mut self, drape: &ClothInstance, look: ClothLook) {
        for at in drape.room() {
            self.grow_around(at);
        }
        let plain = drape.colour();
        self.push_sheet(SheetMesh {
            vertices: vertices_of(&drape.cloth, plain, look),
            indices: Arc::clone(&drape.indices),
        });
        for prop in &drape.props {
            self.push_sheet(prop.clone());
        }
        for solid in drape.own.meshes() {
            self.push_sheet(solid);
        }
        if look.colliders {
            self.push_solids(drape.colliders());
        }
    }

    /// Adds the wireframes of solids as they are at the end of their step.
    pub fn push_solids(&mut self, solids: &[Collider]) {
        for solid in solids {
            wireframe(&solid.local_shape, solid.end, |from, to| {
                self.lines.push(Line {
                    from,
                    to,
                    colour: [0.10, 0.75, 0.45, 0.9],
                    width_px: 1.5,
                    on_top: false,
                });
            });
        }
    }
}

fn vertices_of(cloth: &Cloth, plain: [f32; 3], look: ClothLook) -> Vec<ClothVertex> {
    let colour = |index: usize| {
        if look.contacts && cloth.touches(index) {
            TOUCHING
        } else if look.stretch {
            error_colour((cloth.vertex_stretch(index) - 1.0) / 0.05)
        } else {
            plain
        }
    };
    let weave = |index: usize| match &cloth.sheet().weave {
        Weave::Grid {
            columns, spacing_m, ..
        } => [
            (index % columns) as f32 * spacing_m.x,
            (index / columns) as f32 * spacing_m.y,
        ],
        Weave::Mesh { .. } | Weave::Net { .. } => {
            // As it was made: a pattern taken from where it is now would swim.
            let Vec3 { x, y, .. } = cloth.sheet().positions[index];
            [x, y]
        }
    };
    let vertex = |index: usize| ClothVertex {
        position: cloth.position(index).to_array(),
        normal: cloth.normal(index).to_array(),
        colour: colour(index),
        weave_m: weave(index),
    };
    (0..cloth.len()).map(vertex).collect()
}
