//! The floor, drawn after the characters so that what they hide costs nothing.

use super::{Gpu, PipelineKind, PipelineParts};

/// One quad around the camera.
#[derive(Debug)]
pub(super) struct GroundPass {
    pipeline: wgpu::RenderPipeline,
}

impl GroundPass {
    pub fn new(gpu: &Gpu, parts: &PipelineParts<'_>) -> Self {
        let module = super::shader(gpu, "ground", super::GROUND_WGSL);
        Self {
            pipeline: parts.pipeline(gpu, "ground", &module, &[], PipelineKind::Ground),
        }
    }

    pub fn encode(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.draw(0..4, 0..1);
    }
}
