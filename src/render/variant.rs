//! Pipelines with everything that is switched off left out.
//!
//! A software adapter runs both sides of every branch, so options are fixed
//! when a pipeline is built. Each combination is built when first shown.

use super::{
    Gpu, PipelineParts, bones,
    cloth::ClothPipelines,
    ground::{GroundNeeds, GroundPipelines},
    mesh::MeshPipelines,
    pipeline::Layouts,
    shadow,
    skin::{self, TransparentPipelines},
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

/// What a frame shows, and so which pipelines it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // one pipeline each
pub(super) struct Needs {
    pub shadow: bool,
    pub solid: bool,
    pub transparent: bool,
    pub models: bool,
    pub sheets: bool,
    pub bones: bool,
    pub ground: GroundNeeds,
}

/// All pipelines that depend on options, each built when first needed: a
/// window's first frame does not wait for what it does not show.
#[derive(Debug)]
pub(super) struct VariantPipelines {
    variant: Variant,
    pub shadow: Option<wgpu::RenderPipeline>,
    pub solid: Option<wgpu::RenderPipeline>,
    pub transparent: Option<TransparentPipelines>,
    pub mesh: Option<MeshPipelines>,
    pub cloth: Option<ClothPipelines>,
    pub bones: Option<wgpu::RenderPipeline>,
    pub ground: GroundPipelines,
}

impl VariantPipelines {
    pub fn new(variant: Variant) -> Self {
        Self {
            variant,
            shadow: None,
            solid: None,
            transparent: None,
            mesh: None,
            cloth: None,
            bones: None,
            ground: GroundPipelines::default(),
        }
    }

    /// Builds what is needed and not there yet.
    pub fn complete(
        &mut self,
        gpu: &Gpu,
        needs: Needs,
        parts: &PipelineParts<'_>,
        layouts: &Layouts,
    ) {
        let constants = self.variant.constants();
        let parts = &PipelineParts {
            constants: &constants,
            ..*parts
        };
        fill(&mut self.shadow, needs.shadow, || {
            shadow::pipeline(gpu, &layouts.light_and_skin, &constants)
        });
        fill(&mut self.solid, needs.solid, || skin::pipeline(gpu, parts));
        fill(&mut self.transparent, needs.transparent, || {
            TransparentPipelines::new(gpu, parts)
        });
        fill(&mut self.mesh, needs.models, || {
            MeshPipelines::new(gpu, parts, layouts)
        });
        fill(&mut self.cloth, needs.sheets, || {
            ClothPipelines::new(gpu, parts, &layouts.light)
        });
        fill(&mut self.bones, needs.bones, || bones::pipeline(gpu, parts));
        self.ground.complete(gpu, parts, needs.ground);
    }
}

/// The combinations in use, the last shown first.
#[derive(Debug, Default)]
pub(super) struct Variants(Vec<VariantPipelines>);

impl Variants {
    /// More than these are given back: who plays with all switches does not
    /// fill the memory with compiled shaders.
    const MOST: usize = 4;

    /// The pipelines of a combination.
    pub fn of(&mut self, variant: Variant) -> &mut VariantPipelines {
        let known = self.0.iter().position(|known| known.variant == variant);
        match known {
            Some(at) => self.0[..=at].rotate_right(1),
            None => self.0.insert(0, VariantPipelines::new(variant)),
        }
        self.0.truncate(Self::MOST);
        &mut self.0[0]
    }
}

/// Makes what is wanted and missing.
pub(super) fn fill<T>(slot: &mut Option<T>, wanted: bool, make: impl FnOnce() -> T) {
    if wanted && slot.is_none() {
        *slot = Some(make());
    }
}
