//! Models of files: meshes and pictures that stay on the GPU, slots and morph
//! weights uploaded every frame.
//!
//! One record for each part of each character; parts of one primitive lie side
//! by side and are one draw call. Morph targets and skinning run in the vertex
//! shader, and so in the shadow too.

mod upload;

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use super::{Gpu, GrowBuffer, PipelineKind, PipelineParts, pipeline::Layouts, shadow};
use crate::{
    model::{Alpha, Model, ModelVertex},
    scene::{Batch, FrameData},
};
use upload::GpuModel;
pub(super) use upload::material_layout;

/// Mirrors `Slot` in mesh.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct GpuSlot {
    rows: [[f32; 4]; 3],
    error: [f32; 4],
}

/// Mirrors `Part` in mesh.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct GpuPart {
    tint: [f32; 4],
    first_slot: u32,
    last_slot: u32,
    first_morph: u32,
    targets: u32,
    first_offset: u32,
    vertices: u32,
    shows_error: u32,
    unused: u32,
}

/// Solid, see-through, and from the light.
#[derive(Debug)]
pub(super) struct MeshPipelines {
    solid: wgpu::RenderPipeline,
    transparent_depth: wgpu::RenderPipeline,
    transparent: wgpu::RenderPipeline,
    shadow: wgpu::RenderPipeline,
}

impl MeshPipelines {
    pub fn new(gpu: &Gpu, parts: &PipelineParts<'_>, layouts: &Layouts) -> Self {
        let module = super::shader(gpu, "mesh", super::MESH_WGSL);
        let buffers = [Some(vertex_layout())];
        let make = |label, kind| parts.pipeline(gpu, label, &module, &buffers, kind);
        Self {
            solid: make("mesh", PipelineKind::Sheet),
            transparent_depth: make("mesh transparent depth", PipelineKind::DepthOnly),
            transparent: make("mesh transparent", PipelineKind::BlendAtDepth),
            shadow: shadow::sheet_pipeline(
                gpu,
                &layouts.light_and_mesh,
                &module,
                vertex_layout(),
                parts.constants,
            ),
        }
    }
}

/// Layout of [`ModelVertex`].
fn vertex_layout() -> wgpu::VertexBufferLayout<'static> {
    const ATTRIBUTES: [wgpu::VertexAttribute; 6] = wgpu::vertex_attr_array![
        0 => Float32x3, 1 => Float32x3, 2 => Float32x2, 3 => Uint16x4, 4 => Unorm16x4, 5 => Unorm16x4
    ];
    wgpu::VertexBufferLayout {
        array_stride: size_of::<ModelVertex>() as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &ATTRIBUTES,
    }
}

/// Parts of one primitive: one draw call.
#[derive(Clone, Copy, Debug)]
struct Draw {
    model: usize,
    primitive: usize,
    first: u32,
    end: u32,
}

/// Models and the buffers refilled every frame.
#[derive(Debug)]
pub(super) struct MeshPass {
    group: wgpu::BindGroupLayout,
    materials: wgpu::BindGroupLayout,
    models: Vec<GpuModel>,
    slots: GrowBuffer,
    parts: GrowBuffer,
    morphs: GrowBuffer,
    staging: Staging,
}

/// Memory kept between frames.
#[derive(Debug, Default)]
struct Staging {
    slots: Vec<GpuSlot>,
    parts: Vec<GpuPart>,
    morphs: Vec<f32>,
    solid: Vec<Draw>,
    transparent: Vec<Draw>,
}

impl MeshPass {
    pub fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let storage = |label| GrowBuffer::new(gpu, label, wgpu::BufferUsages::STORAGE);
        Self {
            group: layouts.mesh_group.clone(),
            materials: layouts.material_group.clone(),
            models: Vec::new(),
            slots: storage("slots"),
            parts: storage("parts"),
            morphs: storage("morph weights"),
            staging: Staging::default(),
        }
    }

    /// Uploads all models of a frame.
    pub fn prepare(&mut self, gpu: &Gpu, frame: &FrameData) {
        self.forget_unused(frame);
        self.staging.clear();
        for batch in &frame.batches {
            let Some(model) = batch.body.model() else {
                continue;
            };
            if batch.instances.is_empty() {
                continue;
            }
            let index = self.model_of(gpu, model);
            self.staging.push(batch, model, index, &self.models[index]);
        }
        if self.models.is_empty() {
            return;
        }
        let grown = self.slots.write(gpu, &self.staging.slots)
            | self.parts.write(gpu, &self.staging.parts)
            | self.morphs.write(gpu, &self.staging.morphs);
        let buffers = [&self.slots, &self.parts, &self.morphs].map(GrowBuffer::buffer);
        for model in &mut self.models {
            model.bind(gpu, &self.group, buffers, grown);
        }
    }

    fn model_of(&mut self, gpu: &Gpu, model: &Arc<Model>) -> usize {
        let same = |it: &GpuModel| Arc::ptr_eq(&it.model, model);
        let known = self.models.iter().position(same);
        known.unwrap_or_else(|| {
            self.models.push(GpuModel::new(gpu, model, &self.materials));
            self.models.len() - 1
        })
    }

    /// Gives back models that nobody else holds any more.
    fn forget_unused(&mut self, frame: &FrameData) {
        self.models.retain(|it| {
            let shown = |batch: &Batch| {
                let own = batch.body.model();
                own.is_some_and(|own| Arc::ptr_eq(own, &it.model))
            };
            Arc::strong_count(&it.model) > 1 || frame.batches.iter().any(shown)
        });
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'_>, draw: &Draw, with_material: bool) {
        let model = &self.models[draw.model];
        let primitive = &model.primitives[draw.primitive];
        pass.set_bind_group(1, model.bind_group.as_ref(), &[]);
        if with_material {
            pass.set_bind_group(2, &model.materials[primitive.material], &[]);
        }
        pass.set_vertex_buffer(0, primitive.vertices.slice(..));
        pass.set_index_buffer(primitive.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..primitive.count, 0, draw.first..draw.end);
    }

    /// Solid parts as they cast a shadow.
    pub fn encode_shadow(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &MeshPipelines) {
        pass.set_pipeline(&pipelines.shadow);
        for draw in &self.staging.solid {
            self.draw(pass, draw, false);
        }
    }

    /// Solid parts in the picture.
    pub fn encode_solid(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &MeshPipelines) {
        pass.set_pipeline(&pipelines.solid);
        for draw in &self.staging.solid {
            self.draw(pass, draw, true);
        }
    }

    /// See-through parts: all lay down their depth first, so that only the
    /// outside shows.
    pub fn encode_transparent(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &MeshPipelines) {
        for pipeline in [&pipelines.transparent_depth, &pipelines.transparent] {
            pass.set_pipeline(pipeline);
            for draw in &self.staging.transparent {
                self.draw(pass, draw, true);
            }
        }
    }

    /// Whether there is anything to draw.
    pub fn is_shown(&self) -> bool {
        !(self.staging.solid.is_empty() && self.staging.transparent.is_empty())
    }

    /// Whether anything solid is there to cast a shadow.
    pub fn has_solid(&self) -> bool {
        !self.staging.solid.is_empty()
    }
}

impl Staging {
    fn clear(&mut self) {
        self.slots.clear();
        self.parts.clear();
        self.morphs.clear();
        self.solid.clear();
        self.transparent.clear();
    }

    fn push(&mut self, batch: &Batch, model: &Model, index: usize, gpu: &GpuModel) {
        let (first_slot, first_morph) = (self.slots.len(), self.morphs.len());
        let joints = batch.body.joint_from_bind().len();
        for (number, matrix) in batch.slots.iter().enumerate() {
            let own = &model.slots[number % model.slots.len()];
            let character = number / model.slots.len();
            let error = batch
                .errors
                .get(character * joints + usize::from(own.joint));
            let [x, y, z] = [0, 1, 2].map(|row| {
                let linear = matrix.matrix3.row(row);
                [linear.x, linear.y, linear.z, matrix.translation[row]]
            });
            self.slots.push(GpuSlot {
                rows: [x, y, z],
                error: [error.copied().unwrap_or(0.0), 0.0, 0.0, 0.0],
            });
        }
        self.morphs.extend_from_slice(&batch.morphs);
        for (primitive, parts) in gpu.parts.iter().enumerate() {
            let see_through = model.primitives[primitive].material.is_some_and(|it| {
                let material = model.materials.get(it);
                material.is_some_and(|it| it.alpha == Alpha::Blend)
            });
            for is_transparent in [false, true] {
                let first = self.parts.len() as u32;
                for (character, instance) in batch.instances.iter().enumerate() {
                    if (see_through || instance.opacity < 1.0) != is_transparent {
                        continue;
                    }
                    let [r, g, b] = instance.tint;
                    let drawn = &gpu.primitives[primitive];
                    self.parts.extend(parts.iter().map(|part| GpuPart {
                        tint: [r, g, b, instance.opacity.clamp(0.0, 1.0)],
                        first_slot: (first_slot + character * model.slots.len() + part.first_slot)
                            as u32,
                        last_slot: part.slots as u32 - 1,
                        first_morph: (first_morph + character * model.morphs + part.first_morph)
                            as u32,
                        targets: drawn.targets,
                        first_offset: drawn.first_offset,
                        vertices: drawn.vertex_count,
                        shows_error: u32::from(instance.shows_error),
                        unused: 0,
                    }));
                }
                let draw = Draw {
                    model: index,
                    primitive,
                    first,
                    end: self.parts.len() as u32,
                };
                if draw.end > draw.first && gpu.primitives[primitive].count > 0 {
                    let list = if is_transparent {
                        &mut self.transparent
                    } else {
                        &mut self.solid
                    };
                    list.push(draw);
                }
            }
        }
    }
}
