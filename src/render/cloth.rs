//! Sheets: vertices uploaded every frame, drawn from both sides, and into the
//! key light's map.

use std::sync::Arc;

use super::{Gpu, GrowBuffer, PipelineKind, PipelineParts, shadow};
use crate::scene::{ClothVertex, FrameData};

/// Buffers of one sheet.
#[derive(Debug)]
struct SheetBuffers {
    vertices: GrowBuffer,
    indices: GrowBuffer,
    shown: Option<Arc<[u32]>>,
    count: u32,
}

/// Buffers of all sheets, refilled every frame.
#[derive(Debug, Default)]
pub(super) struct ClothPass {
    sheets: Vec<SheetBuffers>,
    shown: usize,
}

/// In the picture and in the map.
#[derive(Debug)]
pub(super) struct ClothPipelines {
    solid: wgpu::RenderPipeline,
    pub shadow: wgpu::RenderPipeline,
}

impl ClothPipelines {
    pub fn new(gpu: &Gpu, parts: &PipelineParts<'_>, light: &wgpu::PipelineLayout) -> Self {
        let module = super::shader(gpu, "cloth", super::CLOTH_WGSL);
        let buffers = [Some(vertex_layout())];
        Self {
            solid: parts.pipeline(gpu, "cloth", &module, &buffers, PipelineKind::Sheet),
            shadow: shadow::sheet_pipeline(gpu, light, &module, vertex_layout(), parts.constants),
        }
    }
}

fn vertex_layout() -> wgpu::VertexBufferLayout<'static> {
    const ATTRIBUTES: [wgpu::VertexAttribute; 4] = wgpu::vertex_attr_array![
        0 => Float32x3, 1 => Float32x3, 2 => Float32x3, 3 => Float32x2
    ];
    wgpu::VertexBufferLayout {
        array_stride: size_of::<ClothVertex>() as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &ATTRIBUTES,
    }
}

impl ClothPass {
    pub fn prepare(&mut self, gpu: &Gpu, frame: &FrameData) {
        self.shown = frame.sheets.len();
        while self.sheets.len() < self.shown {
            let buffer = |label, usage| GrowBuffer::new(gpu, label, usage);
            self.sheets.push(SheetBuffers {
                vertices: buffer("sheet vertices", wgpu::BufferUsages::VERTEX),
                indices: buffer("sheet indices", wgpu::BufferUsages::INDEX),
                shown: None,
                count: 0,
            });
        }
        for (buffers, sheet) in self.sheets.iter_mut().zip(&frame.sheets) {
            buffers.vertices.write(gpu, &sheet.vertices);
            let same = |known: &Arc<[u32]>| Arc::ptr_eq(known, &sheet.indices);
            if !buffers.shown.as_ref().is_some_and(same) {
                buffers.indices.write(gpu, &sheet.indices);
                buffers.shown = Some(Arc::clone(&sheet.indices));
                buffers.count = sheet.indices.len() as u32;
            }
        }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        for sheet in &self.sheets[..self.shown] {
            pass.set_pipeline(pipeline);
            pass.set_vertex_buffer(0, sheet.vertices.buffer().slice(..));
            let indices = sheet.indices.buffer().slice(..);
            pass.set_index_buffer(indices, wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..sheet.count, 0, 0..1);
        }
    }

    pub fn encode(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: Option<&ClothPipelines>) {
        if let Some(pipelines) = pipelines {
            self.draw(pass, &pipelines.solid);
        }
    }

    pub fn encode_shadow(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipelines: Option<&ClothPipelines>,
    ) {
        if let Some(pipelines) = pipelines {
            self.draw(pass, &pipelines.shadow);
        }
    }

    /// Whether there is a sheet to cast a shadow.
    pub fn is_shown(&self) -> bool {
        self.shown > 0
    }
}
