//! The floor: onto the picture itself, one sample a pixel, as its lines are
//! filtered by the shader; and as depth alone where characters meet it.

use super::{Gpu, PipelineKind, PipelineParts};

/// One quad around the camera.
#[derive(Debug)]
pub(super) struct GroundPass {
    solid: wgpu::RenderPipeline,
    shadow_only: wgpu::RenderPipeline,
    depth: wgpu::RenderPipeline,
}

impl GroundPass {
    pub fn new(gpu: &Gpu, parts: &PipelineParts<'_>) -> Self {
        let module = super::shader(gpu, "ground", super::GROUND_WGSL);
        let make = |label, kind| parts.pipeline(gpu, label, &module, &[], kind);
        Self {
            solid: make("ground", PipelineKind::Backdrop),
            shadow_only: make("ground shadow", PipelineKind::BackdropBlend),
            depth: make("ground depth", PipelineKind::GroundDepth),
        }
    }

    /// Before the characters: what sinks into the floor is hidden.
    pub fn encode_depth(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.depth);
        pass.draw(0..4, 0..1);
    }

    /// The floor, or only the shadow on it.
    pub fn encode(&self, pass: &mut wgpu::RenderPass<'_>, shadow_only: bool) {
        pass.set_pipeline(if shadow_only {
            &self.shadow_only
        } else {
            &self.solid
        });
        pass.draw(0..4, 0..1);
    }
}
