//! The floor: onto the picture itself, one sample a pixel, as its lines are
//! filtered by the shader; its shade over the small part that has any; and
//! depth alone where characters meet it.

use super::{Gpu, PipelineKind, PipelineParts, variant::fill};

/// What of the floor a frame shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GroundNeeds {
    pub floor: bool,
    pub shade: bool,
    pub depth: bool,
}

/// Quads without buffers: the shader knows the corners. Each is built when
/// first needed.
#[derive(Debug, Default)]
pub(super) struct GroundPipelines {
    module: Option<wgpu::ShaderModule>,
    floor: Option<wgpu::RenderPipeline>,
    shade: Option<wgpu::RenderPipeline>,
    depth: Option<wgpu::RenderPipeline>,
}

impl GroundPipelines {
    /// Builds what is needed and not there yet.
    pub fn complete(&mut self, gpu: &Gpu, parts: &PipelineParts<'_>, needs: GroundNeeds) {
        if needs == GroundNeeds::default() {
            return;
        }
        let compile = || super::shader(gpu, "ground", super::GROUND_WGSL);
        let module = self.module.get_or_insert_with(compile);
        let make = |label, kind| parts.pipeline(gpu, label, module, &[], kind);
        fill(&mut self.floor, needs.floor, || {
            make("ground", PipelineKind::Backdrop)
        });
        fill(&mut self.shade, needs.shade, || {
            make("ground shade", PipelineKind::BackdropBlend)
        });
        fill(&mut self.depth, needs.depth, || {
            make("ground depth", PipelineKind::GroundDepth)
        });
    }

    /// Before the characters: what sinks into the floor is hidden.
    pub fn encode_depth(&self, pass: &mut wgpu::RenderPass<'_>) {
        draw(pass, self.depth.as_ref());
    }

    /// The floor itself.
    pub fn encode_floor(&self, pass: &mut wgpu::RenderPass<'_>) {
        draw(pass, self.floor.as_ref());
    }

    /// Shadow and contact on it.
    pub fn encode_shade(&self, pass: &mut wgpu::RenderPass<'_>) {
        draw(pass, self.shade.as_ref());
    }
}

fn draw(pass: &mut wgpu::RenderPass<'_>, pipeline: Option<&wgpu::RenderPipeline>) {
    if let Some(pipeline) = pipeline {
        pass.set_pipeline(pipeline);
        pass.draw(0..4, 0..1);
    }
}
