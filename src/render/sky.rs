//! The backdrop, drawn last where nothing else is.

use super::{Gpu, PipelineKind, PipelineParts};

/// One triangle over the whole picture at infinite depth.
#[derive(Debug)]
pub(super) struct SkyPass {
    pipeline: wgpu::RenderPipeline,
}

impl SkyPass {
    pub fn new(gpu: &Gpu, parts: &PipelineParts<'_>) -> Self {
        let module = super::shader(gpu, "sky", super::SKY_WGSL);
        Self {
            pipeline: parts.pipeline(gpu, "sky", &module, &[], PipelineKind::Sky),
        }
    }

    pub fn encode(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.draw(0..3, 0..1);
    }
}
