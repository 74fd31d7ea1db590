//! Models of files: meshes and pictures that stay on the GPU, slots and morph
//! weights uploaded every frame.
//!
//! One record for each part of each character; parts of one primitive lie side
//! by side and are one draw call. Morph targets and skinning run in the vertex
//! shader, and so in the shadow too.

mod upload;

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use super::{
    Gpu,
    buffers::{GrowBuffer, keep_recent},
    drawable::{DrawPhase, Drawable, FrameContext},
    layouts::{BindGroups, Layouts},
    pipeline::{LazyPipeline, PipelineDescription},
    shader::Shader,
};
use crate::{
    mesh::{Alpha, CharacterMesh, MeshVertex},
    scene::{Batch, FrameData, Instance},
};
use upload::GpuModel;

/// Meshes of files need not be closed: both of their sides are seen, and cast.
const OPAQUE: PipelineDescription = PipelineDescription {
    groups: BindGroups::Material,
    ..PipelineDescription::surface(
        "mesh",
        Shader::Mesh,
        &[Some(wgpu::VertexBufferLayout {
            array_stride: size_of::<MeshVertex>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![
                0 => Float32x3, 1 => Float32x3, 2 => Float32x2,
                3 => Uint16x4, 4 => Unorm16x4, 5 => Unorm16x4
            ],
        })],
    )
};
const TRANSPARENT_DEPTH: PipelineDescription = OPAQUE.depth_only("mesh transparent depth");
const TRANSPARENT: PipelineDescription = OPAQUE.at_own_depth("mesh transparent");
/// Without materials: the map has no fragment shader to cut anything out.
const SHADOW: PipelineDescription = PipelineDescription {
    groups: BindGroups::Character,
    ..OPAQUE.shadow("mesh shadow")
};

/// Mirrors `Slot` in skinning.wgsl.
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

/// Parts of one primitive: one draw call.
#[derive(Clone, Copy, Debug)]
struct MeshDraw {
    model: usize,
    primitive: usize,
    first: u32,
    end: u32,
}

/// Pipelines, models and the buffers refilled every frame.
#[derive(Debug)]
pub(super) struct MeshDrawable {
    opaque: LazyPipeline,
    transparent_depth: LazyPipeline,
    transparent: LazyPipeline,
    shadow: LazyPipeline,
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
    opaque: Vec<MeshDraw>,
    transparent: Vec<MeshDraw>,
}

impl MeshDrawable {
    pub fn new(gpu: &Gpu) -> Self {
        let storage = |label| GrowBuffer::new(gpu, label, wgpu::BufferUsages::STORAGE);
        Self {
            opaque: LazyPipeline::new(OPAQUE),
            transparent_depth: LazyPipeline::new(TRANSPARENT_DEPTH),
            transparent: LazyPipeline::new(TRANSPARENT),
            shadow: LazyPipeline::new(SHADOW),
            models: Vec::new(),
            slots: storage("slots"),
            parts: storage("parts"),
            morphs: storage("morph weights"),
            staging: Staging::default(),
        }
    }

    /// Uploads all models of a frame.
    fn upload(&mut self, gpu: &Gpu, frame: &FrameData, layouts: &Layouts) {
        self.forget_unused(frame);
        self.staging.clear();
        for batch in frame.batches() {
            let Some(model) = batch.body.model() else {
                continue;
            };
            if batch.instances.is_empty() {
                continue;
            }
            let index = self.model_of(gpu, model, &layouts.material);
            self.staging.push(batch, model, index, &self.models[index]);
        }
        if self.models.is_empty() {
            // Most frames show no model: nothing to write, nothing to bind.
            return;
        }
        let grown = self.slots.write(gpu, &self.staging.slots)
            | self.parts.write(gpu, &self.staging.parts)
            | self.morphs.write(gpu, &self.staging.morphs);
        let buffers = [&self.slots, &self.parts, &self.morphs].map(GrowBuffer::buffer);
        for model in &mut self.models {
            model.bind(gpu, &layouts.character, buffers, grown);
        }
    }

    fn model_of(
        &mut self,
        gpu: &Gpu,
        model: &Arc<CharacterMesh>,
        materials: &wgpu::BindGroupLayout,
    ) -> usize {
        let same = |it: &GpuModel| Arc::ptr_eq(&it.model, model);
        let known = self.models.iter().position(same);
        known.unwrap_or_else(|| {
            self.models.push(GpuModel::new(gpu, model, materials));
            self.models.len() - 1
        })
    }

    /// Gives back models that nobody else holds any more.
    fn forget_unused(&mut self, frame: &FrameData) {
        let is_shown = |it: &GpuModel| {
            let own = |batch: &Batch| {
                let own = batch.body.model();
                own.is_some_and(|own| Arc::ptr_eq(own, &it.model))
            };
            frame.batches().iter().any(own)
        };
        // A model that somebody still holds may be shown again.
        let held = |it: &GpuModel| Arc::strong_count(&it.model) > 1;
        keep_recent(&mut self.models, is_shown, held);
    }

    fn draw_all(
        &self,
        pass: &mut wgpu::RenderPass<'static>,
        pipeline: &LazyPipeline,
        draws: &[MeshDraw],
        with_material: bool,
    ) {
        let Some(pipeline) = pipeline.current().filter(|_| !draws.is_empty()) else {
            return;
        };
        pass.set_pipeline(pipeline);
        for draw in draws {
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
    }
}

impl Drawable for MeshDrawable {
    fn prepare(&mut self, context: &mut FrameContext<'_>) {
        self.upload(context.gpu, context.frame, &context.builder.layouts);
        if !self.staging.opaque.is_empty() {
            context.has_casters = true;
            self.opaque.prepare(context);
            if context.shadow_fit.casts {
                self.shadow.prepare(context);
            }
        }
        if !self.staging.transparent.is_empty() {
            self.transparent_depth.prepare(context);
            self.transparent.prepare(context);
        }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'static>, phase: DrawPhase) {
        let Staging {
            opaque,
            transparent,
            ..
        } = &self.staging;
        match phase {
            DrawPhase::Shadow => self.draw_all(pass, &self.shadow, opaque, false),
            DrawPhase::Opaque => self.draw_all(pass, &self.opaque, opaque, true),
            // All lay down their depth first, so that only the outside shows.
            DrawPhase::Transparent => {
                self.draw_all(pass, &self.transparent_depth, transparent, true);
                self.draw_all(pass, &self.transparent, transparent, true);
            }
            DrawPhase::Backdrop => {}
        }
    }
}

/// Where a batch's slots and morph weights start in the frame's buffers.
#[derive(Clone, Copy)]
struct Firsts {
    slot: usize,
    morph: usize,
}

impl Staging {
    fn clear(&mut self) {
        self.slots.clear();
        self.parts.clear();
        self.morphs.clear();
        self.opaque.clear();
        self.transparent.clear();
    }

    fn push(&mut self, batch: &Batch, model: &CharacterMesh, index: usize, gpu: &GpuModel) {
        let firsts = Firsts {
            slot: self.slots.len(),
            morph: self.morphs.len(),
        };
        self.push_slots(batch, model);
        self.morphs.extend_from_slice(&batch.morphs);
        for primitive in 0..gpu.primitives.len() {
            let blends = blends(model, primitive);
            for is_transparent in [false, true] {
                let first = self.parts.len() as u32;
                let instances = batch.instances.iter().enumerate();
                for (character, instance) in instances
                    .filter(|(_, instance)| (blends || instance.opacity < 1.0) == is_transparent)
                {
                    let parts = parts(model, gpu, primitive, (character, instance), firsts);
                    self.parts.extend(parts);
                }
                let draw = MeshDraw {
                    model: index,
                    primitive,
                    first,
                    end: self.parts.len() as u32,
                };
                // A primitive that the GPU cannot hold has no indices.
                if draw.end > draw.first && gpu.primitives[primitive].count > 0 {
                    let list = match is_transparent {
                        true => &mut self.transparent,
                        false => &mut self.opaque,
                    };
                    list.push(draw);
                }
            }
        }
    }

    fn push_slots(&mut self, batch: &Batch, model: &CharacterMesh) {
        let joints = batch.body.joint_from_bind().len();
        for (number, matrix) in batch.slots.iter().enumerate() {
            // All slots of the first character, then all of the second …
            let own = &model.slots[number % model.slots.len()];
            let character = number / model.slots.len();
            let error = batch
                .errors
                .get(character * joints + usize::from(own.joint));
            // Three rows instead of four columns: a quarter less to upload and read.
            let [x, y, z] = [0, 1, 2].map(|row| {
                let linear = matrix.matrix3.row(row);
                [linear.x, linear.y, linear.z, matrix.translation[row]]
            });
            self.slots.push(GpuSlot {
                rows: [x, y, z],
                error: [error.copied().unwrap_or(0.0), 0.0, 0.0, 0.0],
            });
        }
    }
}

/// Whether a primitive's material is see-through by itself.
fn blends(model: &CharacterMesh, primitive: usize) -> bool {
    let material = model.primitives[primitive].material;
    let material = material.and_then(|it| model.materials.get(it));
    material.is_some_and(|it| it.alpha == Alpha::Blend)
}

/// A primitive wherever a character uses it.
fn parts<'a>(
    model: &'a CharacterMesh,
    gpu: &'a GpuModel,
    primitive: usize,
    (character, instance): (usize, &'a Instance),
    firsts: Firsts,
) -> impl Iterator<Item = GpuPart> + 'a {
    let [r, g, b] = instance.tint;
    let drawn = &gpu.primitives[primitive];
    let first_slot = firsts.slot + character * model.slots.len();
    let first_morph = firsts.morph + character * model.morphs;
    gpu.parts[primitive].iter().map(move |part| GpuPart {
        tint: [r, g, b, instance.opacity.clamp(0.0, 1.0)],
        first_slot: (first_slot + part.first_slot) as u32,
        last_slot: part.slots as u32 - 1,
        first_morph: (first_morph + part.first_morph) as u32,
        targets: drawn.targets,
        first_offset: drawn.first_offset,
        vertices: drawn.vertex_count,
        shows_error: u32::from(instance.shows_error),
        unused: 0,
    })
}
