//! The floor: onto the picture itself, one sample a pixel, as its lines are
//! filtered by the shader; its shade over the small part that has any; and
//! depth alone where characters meet it.

use super::{Gpu, PipelineKind, PipelineParts};

/// Quads without buffers: the shader knows the corners.
#[derive(Debug)]
pub(super) struct GroundPipelines {
    floor: wgpu::RenderPipeline,
    shade: wgpu::RenderPipeline,
    depth: wgpu::RenderPipeline,
}

impl GroundPipelines {
    pub fn new(gpu: &Gpu, parts: &PipelineParts<'_>) -> Self {
        let module = super::shader(gpu, "ground", super::GROUND_WGSL);
        let make = |label, kind| parts.pipeline(gpu, label, &module, &[], kind);
        Self {
            floor: make("ground", PipelineKind::Backdrop),
            shade: make("ground shade", PipelineKind::BackdropBlend),
            depth: make("ground depth", PipelineKind::GroundDepth),
        }
    }

    /// Before the characters: what sinks into the floor is hidden.
    pub fn encode_depth(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.depth);
        pass.draw(0..4, 0..1);
    }

    /// The floor itself.
    pub fn encode_floor(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.floor);
        pass.draw(0..4, 0..1);
    }

    /// Shadow and contact on it.
    pub fn encode_shade(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.shade);
        pass.draw(0..4, 0..1);
    }
}
