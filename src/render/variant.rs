//! Pipelines with everything that is switched off left out.
//!
//! A software adapter runs both sides of every branch, so options are fixed
//! when a pipeline is built. Each combination is built when first shown.

use super::{
    Gpu, PipelineParts, bones, cloth::ClothPipelines, ground::GroundPipelines, mesh::MeshPipelines,
    pipeline::Layouts, shadow, skin::SkinPipelines,
};
use crate::{
    body::Skinning,
    scene::{FrameData, Shading},
};

/// What the shaders' `override`s are set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools)] // one override each
pub(super) struct Variant {
    shading: Shading,
    shadows: bool,
    occlusion: bool,
    seams: bool,
    dual: bool,
    errors: bool,
    models: bool,
}

impl Variant {
    pub fn of(frame: &FrameData, casts: bool) -> Self {
        Self {
            shading: frame.look.shading,
            shadows: casts,
            occlusion: frame.look.occlusion,
            seams: frame.look.seams,
            dual: frame.skinning == Skinning::DualQuaternion,
            errors: frame.batches.iter().any(|batch| !batch.errors.is_empty()),
            models: frame
                .batches
                .iter()
                .any(|batch| batch.body.model().is_some()),
        }
    }

    fn constants(self) -> [(&'static str, f64); 6] {
        let flag = |on: bool| f64::from(u8::from(on));
        let shading = match self.shading {
            Shading::Studio => 0.0,
            Shading::Phong => 1.0,
            Shading::BlinnPhong => 2.0,
        };
        [
            ("SHADING", shading),
            ("SHADOWS", flag(self.shadows)),
            ("OCCLUSION", flag(self.occlusion)),
            ("SEAMS", flag(self.seams)),
            ("DUAL", flag(self.dual)),
            ("ERRORS", flag(self.errors)),
        ]
    }
}

/// All pipelines that depend on options.
#[derive(Debug)]
pub(super) struct VariantPipelines {
    pub shadow: wgpu::RenderPipeline,
    pub skin: SkinPipelines,
    /// Only where a model is shown.
    pub mesh: Option<MeshPipelines>,
    pub cloth: ClothPipelines,
    pub bones: wgpu::RenderPipeline,
    pub ground: GroundPipelines,
}

impl VariantPipelines {
    pub fn new(gpu: &Gpu, variant: Variant, parts: &PipelineParts<'_>, layouts: &Layouts) -> Self {
        let constants = variant.constants();
        let parts = PipelineParts {
            constants: &constants,
            ..*parts
        };
        Self {
            shadow: shadow::pipeline(gpu, &layouts.light_and_skin, &constants),
            skin: SkinPipelines::new(gpu, &parts),
            mesh: variant
                .models
                .then(|| MeshPipelines::new(gpu, &parts, layouts)),
            cloth: ClothPipelines::new(gpu, &parts, &layouts.light),
            bones: bones::pipeline(gpu, &parts),
            ground: GroundPipelines::new(gpu, &parts),
        }
    }
}
