//! What the shaders' `override`s are set to.
//!
//! A software adapter runs both sides of every branch, so options are fixed
//! when a pipeline is built. Each combination is built when first shown.

use super::ShadowFit;
use crate::{
    body::Skinning,
    scene::{FrameData, Shading},
};

/// Mirrors the `override`s of globals.wgsl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // one override each
pub(super) struct ShaderOptions {
    shading: Shading,
    shadows: bool,
    fine_shadows: bool,
    occlusion: bool,
    seams: bool,
    dual_quaternions: bool,
    errors: bool,
}

impl ShaderOptions {
    pub fn of(frame: &FrameData, fit: &ShadowFit) -> Self {
        Self {
            shading: frame.look.shading,
            // Not the switch alone: without casters the lookups would find nothing.
            shadows: fit.casts,
            fine_shadows: fit.casts && fit.is_fine,
            occlusion: frame.look.occlusion,
            seams: frame.look.seams,
            dual_quaternions: frame.skinning == Skinning::DualQuaternion,
            // Instances choose for themselves; this leaves the ramp out of most frames.
            errors: frame.batches().iter().any(|batch| !batch.errors.is_empty()),
        }
    }

    pub fn constants(self) -> [(&'static str, f64); 7] {
        let flag = |on: bool| f64::from(u8::from(on));
        let shading = match self.shading {
            Shading::Studio => 0.0,
            Shading::Phong => 1.0,
            Shading::BlinnPhong => 2.0,
        };
        [
            ("SHADING", shading),
            ("SHADOWS", flag(self.shadows)),
            ("FINE_SHADOWS", flag(self.fine_shadows)),
            ("OCCLUSION", flag(self.occlusion)),
            ("SEAMS", flag(self.seams)),
            ("DUAL_QUATERNIONS", flag(self.dual_quaternions)),
            ("ERRORS", flag(self.errors)),
        ]
    }
}
