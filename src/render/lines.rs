//! Lines with a width in pixels: axes, trajectories, wireframes.

use bytemuck::{Pod, Zeroable};

use super::{Gpu, GrowBuffer, PipelineKind, PipelineParts, variant::fill};
use crate::scene::FrameData;

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct GpuLine {
    from_width: [f32; 4],
    to_top: [f32; 4],
    colour: [f32; 4],
}

/// Pipeline, built with the first line, and the buffer refilled every frame.
#[derive(Debug)]
pub(super) struct LinePass {
    pipeline: Option<wgpu::RenderPipeline>,
    buffer: GrowBuffer,
    staging: Vec<GpuLine>,
}

impl LinePass {
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            pipeline: None,
            buffer: GrowBuffer::new(gpu, "lines", wgpu::BufferUsages::VERTEX),
            staging: Vec::new(),
        }
    }

    fn pipeline(gpu: &Gpu, parts: &PipelineParts<'_>) -> wgpu::RenderPipeline {
        const ATTRIBUTES: [wgpu::VertexAttribute; 3] =
            wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4];
        let module = super::shader(gpu, "lines", super::LINES_WGSL);
        let layout = [Some(wgpu::VertexBufferLayout {
            array_stride: size_of::<GpuLine>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &ATTRIBUTES,
        })];
        parts.pipeline(gpu, "lines", &module, &layout, PipelineKind::Lines)
    }

    pub fn prepare(&mut self, gpu: &Gpu, parts: &PipelineParts<'_>, frame: &FrameData) {
        self.staging.clear();
        self.staging.extend(frame.lines.iter().map(|line| GpuLine {
            from_width: line.from.extend(line.width_px).to_array(),
            to_top: line.to.extend(f32::from(u8::from(line.on_top))).to_array(),
            colour: line.colour,
        }));
        self.buffer.write(gpu, &self.staging);
        fill(&mut self.pipeline, !self.staging.is_empty(), || {
            Self::pipeline(gpu, parts)
        });
    }

    pub fn encode(&self, pass: &mut wgpu::RenderPass<'_>) {
        if let Some(pipeline) = self.pipeline.as_ref().filter(|_| !self.staging.is_empty()) {
            pass.set_pipeline(pipeline);
            pass.set_vertex_buffer(0, self.buffer.buffer().slice(..));
            pass.draw(0..4, 0..self.staging.len() as u32);
        }
    }
}
