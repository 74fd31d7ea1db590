//! What is to be seen: cameras, display options, and [`FrameData`].
//!
//! Poses come in, [`FrameData`] goes out; it is plain data and all that the
//! renderer knows of the scene. No GPU, no files, no wall clock here. World
//! space is model space: metres, Y up, the ground at `y = 0`.

mod camera;
mod cloth;
mod compose;
mod frame;
mod framing;
mod look;

pub use camera::{Camera, CameraView, FreeArea, Preset};
pub use cloth::{
    ClothInstance, ClothLook, ClothPreset, ClothSetup, ClothVertex, PinChoice, SheetMesh, deepest_m,
};
pub use compose::{Actor, Overlay, ROLES};
pub use frame::{Batch, BoneShape, FrameData, Instance, Label, Legend, Line, PaletteEntry};
pub use framing::{footing, motion_room, outline};
pub use look::{Light, Look, Phong, Shading, Theme, error_colour};
