//! Sheets: vertices uploaded every frame, drawn from both sides, and into the
//! key light's map.

use std::sync::Arc;

use super::{
    Gpu,
    buffers::GrowBuffer,
    drawable::{DrawPhase, Drawable, FrameContext},
    pipeline::{LazyPipeline, PipelineDescription},
    shader::Shader,
};
use crate::scene::{ClothVertex, SheetMesh};

/// Sheets are open: both of their sides are seen, and both cast.
const OPAQUE: PipelineDescription = PipelineDescription::surface(
    "cloth",
    Shader::Cloth,
    &[Some(wgpu::VertexBufferLayout {
        array_stride: size_of::<ClothVertex>() as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &wgpu::vertex_attr_array![
            0 => Float32x3, 1 => Float32x3, 2 => Float32x3, 3 => Float32x2
        ],
    })],
);
const SHADOW: PipelineDescription = OPAQUE.shadow("cloth shadow");

/// Buffers of one sheet.
#[derive(Debug)]
struct SheetBuffers {
    vertices: GrowBuffer,
    indices: GrowBuffer,
    shown: Option<Arc<[u32]>>,
    count: u32,
}

impl SheetBuffers {
    fn new(gpu: &Gpu) -> Self {
        let buffer = |label, usage| GrowBuffer::new(gpu, label, usage);
        Self {
            vertices: buffer("sheet vertices", wgpu::BufferUsages::VERTEX),
            indices: buffer("sheet indices", wgpu::BufferUsages::INDEX),
            shown: None,
            count: 0,
        }
    }

    fn write(&mut self, gpu: &Gpu, sheet: &SheetMesh) {
        self.vertices.write(gpu, &sheet.vertices);
        // Triangles stay the same while a sheet moves.
        let same = |known: &Arc<[u32]>| Arc::ptr_eq(known, &sheet.indices);
        if !self.shown.as_ref().is_some_and(same) {
            self.indices.write(gpu, &sheet.indices);
            self.shown = Some(Arc::clone(&sheet.indices));
            self.count = sheet.indices.len() as u32;
        }
    }
}

/// Buffers of all sheets, refilled every frame.
#[derive(Debug)]
pub(super) struct ClothDrawable {
    opaque: LazyPipeline,
    shadow: LazyPipeline,
    sheets: Vec<SheetBuffers>,
    shown: usize,
}

impl ClothDrawable {
    pub const fn new() -> Self {
        Self {
            opaque: LazyPipeline::new(OPAQUE),
            shadow: LazyPipeline::new(SHADOW),
            sheets: Vec::new(),
            shown: 0,
        }
    }
}

impl Drawable for ClothDrawable {
    fn prepare(&mut self, context: &mut FrameContext<'_>) {
        let (gpu, frame) = (context.gpu, context.frame);
        self.shown = frame.sheets().len();
        while self.sheets.len() < self.shown {
            self.sheets.push(SheetBuffers::new(gpu));
        }
        for (buffers, sheet) in self.sheets.iter_mut().zip(frame.sheets()) {
            buffers.write(gpu, sheet);
        }
        if self.shown > 0 {
            context.has_casters = true;
            self.opaque.prepare(context);
            if context.shadow_fit.casts {
                self.shadow.prepare(context);
            }
        }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'static>, phase: DrawPhase) {
        let pipeline = match phase {
            DrawPhase::Shadow => self.shadow.current(),
            DrawPhase::Opaque => self.opaque.current(),
            DrawPhase::Transparent | DrawPhase::Backdrop => None,
        };
        let Some(pipeline) = pipeline else {
            return;
        };
        pass.set_pipeline(pipeline);
        // Buffers of sheets that are gone are kept for the next.
        for sheet in &self.sheets[..self.shown] {
            pass.set_vertex_buffer(0, sheet.vertices.buffer().slice(..));
            let indices = sheet.indices.buffer().slice(..);
            pass.set_index_buffer(indices, wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..sheet.count, 0, 0..1);
        }
    }
}
