//! Lines with a width in pixels: axes, trajectories, wireframes.

use bytemuck::{Pod, Zeroable};

use super::{
    Gpu,
    buffers::GrowBuffer,
    drawable::{DrawPhase, Drawable, FrameContext},
    pipeline::{Blending, LazyPipeline, PassKind, PipelineDescription},
    shader::Shader,
};

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct GpuLine {
    from_width: [f32; 4],
    to_top: [f32; 4], // w: 1 when drawn over everything
    colour: [f32; 4],
}

const LINES: PipelineDescription = PipelineDescription {
    buffers: &[Some(wgpu::VertexBufferLayout {
        array_stride: size_of::<GpuLine>() as u64,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4],
    })],
    blending: Blending::Over,
    ..PipelineDescription::quad("lines", Shader::Lines, PassKind::Foreground)
};

/// One quad an instance; the buffer is refilled every frame.
#[derive(Debug)]
pub(super) struct LinesDrawable {
    pipeline: LazyPipeline,
    buffer: GrowBuffer,
    staging: Vec<GpuLine>,
}

impl LinesDrawable {
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            pipeline: LazyPipeline::new(LINES),
            buffer: GrowBuffer::new(gpu, "lines", wgpu::BufferUsages::VERTEX),
            staging: Vec::new(),
        }
    }
}

impl Drawable for LinesDrawable {
    fn prepare(&mut self, context: &mut FrameContext<'_>) {
        let lines = context.frame.lines.iter();
        self.staging.clear();
        self.staging.extend(lines.map(|line| GpuLine {
            from_width: line.from.extend(line.width_px).to_array(),
            to_top: line.to.extend(f32::from(u8::from(line.on_top))).to_array(),
            colour: line.colour,
        }));
        if !self.staging.is_empty() {
            self.buffer.write(context.gpu, &self.staging);
            self.pipeline.prepare(context);
        }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'static>, phase: DrawPhase) {
        let pipeline = self.pipeline.current().filter(|_| !self.staging.is_empty());
        if let (DrawPhase::Transparent, Some(pipeline)) = (phase, pipeline) {
            pass.set_pipeline(pipeline);
            pass.set_vertex_buffer(0, self.buffer.buffer().slice(..));
            pass.draw(0..4, 0..self.staging.len() as u32);
        }
    }
}
