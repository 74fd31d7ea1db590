//! Characters: meshes that stay on the GPU, palettes uploaded every frame,
//! one draw call for all characters of a body.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use super::{Gpu, GrowBuffer, PipelineKind, PipelineParts, buffer_of};
use crate::{
    body::{Body, SKIN_OCCLUDERS, Vertex},
    scene::{Batch, FrameData},
};

/// Mirrors `Instance` in skin.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct GpuInstance {
    tint: [f32; 4],
    first_joint: u32,
    first_occluder: u32,
    occluders: u32,
    shows_error: u32,
}

/// A body's buffers.
#[derive(Debug)]
struct Mesh {
    body: Arc<Body>,
    full: Triangles,
    coarse: Triangles,
}

/// Vertices, indices and their number.
#[derive(Debug)]
struct Triangles {
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    count: u32,
}

impl Triangles {
    fn new(gpu: &Gpu, vertices: &[Vertex], indices: &[u32]) -> Self {
        Self {
            vertices: buffer_of(gpu, "vertices", wgpu::BufferUsages::VERTEX, vertices),
            indices: buffer_of(gpu, "indices", wgpu::BufferUsages::INDEX, indices),
            count: indices.len() as u32,
        }
    }
}

/// Pipelines, meshes and the buffers refilled every frame.
#[derive(Debug)]
pub(super) struct SkinPass {
    layout: wgpu::BindGroupLayout,
    meshes: Vec<Mesh>,
    palettes: GrowBuffer,
    instances: GrowBuffer,
    errors: GrowBuffer,
    occluders: GrowBuffer,
    bind_group: Option<wgpu::BindGroup>,
    staging: Staging,
    draws: Vec<Draw>,
}

/// For solid characters.
pub(super) fn pipeline(gpu: &Gpu, parts: &PipelineParts<'_>) -> wgpu::RenderPipeline {
    let module = super::shader(gpu, "skin", super::SKIN_WGSL);
    let buffers = [Some(vertex_layout())];
    parts.pipeline(gpu, "skin", &module, &buffers, PipelineKind::Solid)
}

/// For see-through ones.
#[derive(Debug)]
pub(super) struct TransparentPipelines {
    depth: wgpu::RenderPipeline,
    colour: wgpu::RenderPipeline,
}

impl TransparentPipelines {
    pub fn new(gpu: &Gpu, parts: &PipelineParts<'_>) -> Self {
        let module = super::shader(gpu, "skin", super::SKIN_WGSL);
        let buffers = [Some(vertex_layout())];
        let make = |label, kind| parts.pipeline(gpu, label, &module, &buffers, kind);
        Self {
            depth: make("transparent depth", PipelineKind::DepthOnly),
            colour: make("transparent", PipelineKind::BlendAtDepth),
        }
    }
}

/// What is not uploaded as [`FrameData`] holds it; memory kept between frames.
#[derive(Debug, Default)]
struct Staging {
    instances: Vec<GpuInstance>,
    errors: Vec<f32>,
    /// Joints and occluders of the batches so far.
    joints: usize,
    occluders: usize,
}

/// Instances of one mesh: solid ones first.
#[derive(Clone, Copy, Debug)]
struct Draw {
    mesh: usize,
    first: u32,
    solid_end: u32,
    end: u32,
}

/// What a render pass needs to draw the characters of a frame.
pub(super) struct SkinDraw<'a> {
    pass: &'a SkinPass,
}

/// Layout of [`Vertex`].
pub(super) fn vertex_layout() -> wgpu::VertexBufferLayout<'static> {
    const ATTRIBUTES: [wgpu::VertexAttribute; 5] = wgpu::vertex_attr_array![
        0 => Float32x3, 1 => Snorm16x4, 2 => Uint16x4, 3 => Unorm16x4, 4 => Unorm8x4
    ];
    wgpu::VertexBufferLayout {
        array_stride: size_of::<Vertex>() as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &ATTRIBUTES,
    }
}

impl SkinPass {
    pub fn new(gpu: &Gpu, layout: wgpu::BindGroupLayout) -> Self {
        let storage =
            |label: &'static str| GrowBuffer::new(gpu, label, wgpu::BufferUsages::STORAGE);
        Self {
            layout,
            meshes: Vec::new(),
            palettes: storage("palettes"),
            instances: storage("instances"),
            errors: storage("errors"),
            occluders: storage("occluders"),
            bind_group: None,
            staging: Staging::default(),
            draws: Vec::new(),
        }
    }

    /// Uploads all poses of a frame. Cost per character: one copy of its palette
    /// and balls, as the scene wrote them.
    pub fn prepare(&mut self, gpu: &Gpu, frame: &FrameData) -> SkinDraw<'_> {
        self.forget_unused(frame);
        self.staging.clear();
        self.draws.clear();
        for batch in shown(frame) {
            let mesh = self.mesh_of(gpu, &batch.body);
            self.draws.push(self.staging.push(batch, mesh));
        }
        let staging = &self.staging;
        let palettes = shown(frame).map(|batch| batch.palettes.as_slice());
        let occluders = shown(frame).map(|batch| batch.occluders.as_slice());
        let grown = self.palettes.write_all(gpu, palettes)
            | self.occluders.write_all(gpu, occluders)
            | self.instances.write(gpu, &staging.instances)
            | self.errors.write(gpu, &staging.errors);
        if grown || self.bind_group.is_none() {
            self.bind_group = Some(self.make_bind_group(gpu));
        }
        SkinDraw { pass: self }
    }

    fn mesh_of(&mut self, gpu: &Gpu, body: &Arc<Body>) -> usize {
        let known = self
            .meshes
            .iter()
            .position(|mesh| Arc::ptr_eq(&mesh.body, body));
        known.unwrap_or_else(|| {
            let (coarse, coarse_indices) = body.shadow_mesh();
            self.meshes.push(Mesh {
                body: Arc::clone(body),
                full: Triangles::new(gpu, body.vertices(), body.indices()),
                coarse: Triangles::new(gpu, coarse, coarse_indices),
            });
            self.meshes.len() - 1
        })
    }

    /// Gives back meshes that nobody else holds any more.
    fn forget_unused(&mut self, frame: &FrameData) {
        self.meshes.retain(|mesh| {
            let shown = |batch: &Batch| Arc::ptr_eq(&batch.body, &mesh.body);
            Arc::strong_count(&mesh.body) > 1 || frame.batches.iter().any(shown)
        });
    }

    fn make_bind_group(&self, gpu: &Gpu) -> wgpu::BindGroup {
        let buffers = [
            &self.palettes,
            &self.instances,
            &self.errors,
            &self.occluders,
        ];
        let entries: Vec<_> = (0u32..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.buffer().as_entire_binding(),
            })
            .collect();
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("skin"),
            layout: &self.layout,
            entries: &entries,
        })
    }
}

/// Batches with something to draw.
fn shown(frame: &FrameData) -> impl Iterator<Item = &Batch> + Clone {
    let has_skin = |batch: &&Batch| !batch.instances.is_empty() && !batch.body.indices().is_empty();
    frame.batches.iter().filter(has_skin)
}

impl Staging {
    fn clear(&mut self) {
        self.instances.clear();
        self.errors.clear();
        (self.joints, self.occluders) = (0, 0);
    }

    fn push(&mut self, batch: &Batch, mesh: usize) -> Draw {
        let joints = batch.body.joint_from_bind().len() as u32;
        let balls = batch.body.occluders().len() as u32;
        let (first_joint, first_ball) = (self.joints as u32, self.occluders as u32);
        if !batch.errors.is_empty() {
            self.errors.resize(self.joints, 0.0);
            self.errors.extend_from_slice(&batch.errors);
            self.errors.resize(self.joints + batch.palettes.len(), 0.0);
        }
        self.joints += batch.palettes.len();
        self.occluders += batch.occluders.len();
        let first = self.instances.len() as u32;
        let numbered = || (0u32..).zip(&batch.instances);
        let solid = numbered().filter(|(_, instance)| instance.opacity >= 1.0);
        let mut solid_end = first;
        for (index, instance) in solid.chain(numbered().filter(|(_, i)| i.opacity < 1.0)) {
            let [r, g, b] = instance.tint;
            solid_end += u32::from(instance.opacity >= 1.0);
            self.instances.push(GpuInstance {
                tint: [r, g, b, instance.opacity.clamp(0.0, 1.0)],
                first_joint: first_joint + index * joints,
                first_occluder: first_ball + index * balls,
                occluders: balls.min(SKIN_OCCLUDERS as u32),
                shows_error: u32::from(instance.shows_error),
            });
        }
        Draw {
            mesh,
            first,
            solid_end,
            end: self.instances.len() as u32,
        }
    }
}

impl SkinDraw<'_> {
    fn bind(&self, pass: &mut wgpu::RenderPass<'_>, triangles: &Triangles) {
        pass.set_bind_group(1, self.pass.bind_group.as_ref(), &[]);
        pass.set_vertex_buffer(0, triangles.vertices.slice(..));
        pass.set_index_buffer(triangles.indices.slice(..), wgpu::IndexFormat::Uint32);
    }

    fn draw_solid(&self, pass: &mut wgpu::RenderPass<'_>, choose: fn(&Mesh) -> &Triangles) {
        for draw in self
            .pass
            .draws
            .iter()
            .filter(|draw| draw.solid_end > draw.first)
        {
            let triangles = choose(&self.pass.meshes[draw.mesh]);
            self.bind(pass, triangles);
            pass.draw_indexed(0..triangles.count, 0, draw.first..draw.solid_end);
        }
    }

    /// Solid characters as they cast a shadow.
    pub fn encode_shadow(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipeline: Option<&wgpu::RenderPipeline>,
    ) {
        if let Some(pipeline) = pipeline {
            pass.set_pipeline(pipeline);
            self.draw_solid(pass, |mesh| &mesh.coarse);
        }
    }

    /// Solid characters in the picture.
    pub fn encode_solid(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipeline: Option<&wgpu::RenderPipeline>,
    ) {
        if let Some(pipeline) = pipeline {
            pass.set_pipeline(pipeline);
            self.draw_solid(pass, |mesh| &mesh.full);
        }
    }

    /// See-through characters: each first lays down its depth, so that only
    /// its outside shows, then its colour.
    pub fn encode_transparent(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        transparent: Option<&TransparentPipelines>,
    ) {
        let Some(transparent) = transparent else {
            return;
        };
        for draw in &self.pass.draws {
            for instance in draw.solid_end..draw.end {
                let full = &self.pass.meshes[draw.mesh].full;
                self.bind(pass, full);
                for pipeline in [&transparent.depth, &transparent.colour] {
                    pass.set_pipeline(pipeline);
                    pass.draw_indexed(0..full.count, 0, instance..instance + 1);
                }
            }
        }
    }

    /// Whether anything is see-through.
    pub fn has_transparent(&self) -> bool {
        let mut draws = self.pass.draws.iter();
        draws.any(|draw| draw.end > draw.solid_end)
    }

    /// Whether anything solid is there to cast a shadow.
    pub fn has_solid(&self) -> bool {
        self.pass
            .draws
            .iter()
            .any(|draw| draw.solid_end > draw.first)
    }
}
