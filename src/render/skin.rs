//! Characters: meshes that stay on the GPU, palettes uploaded every frame,
//! one draw call for all characters of a body.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use super::{
    Gpu,
    buffers::{GrowBuffer, buffer_of, keep_recent},
    drawable::{DrawPhase, Drawable, FrameContext},
    layouts::{BindGroups, bind_group},
    pipeline::{LazyPipeline, PipelineDescription},
    shader::Shader,
};
use crate::{
    body::{Body, SKIN_OCCLUDERS, Vertex},
    scene::{Batch, FrameData},
};

/// Layout of [`Vertex`].
const VERTEX_LAYOUT: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
    array_stride: size_of::<Vertex>() as u64,
    step_mode: wgpu::VertexStepMode::Vertex,
    attributes: &wgpu::vertex_attr_array![
        0 => Float32x3, 1 => Snorm16x4, 2 => Uint16x4, 3 => Unorm16x4, 4 => Unorm8x4
    ],
};
const OPAQUE: PipelineDescription = PipelineDescription {
    groups: BindGroups::Character,
    cull_mode: Some(wgpu::Face::Back),
    ..PipelineDescription::surface("skin", Shader::Skin, &[Some(VERTEX_LAYOUT)])
};
const TRANSPARENT_DEPTH: PipelineDescription = OPAQUE.depth_only("skin transparent depth");
const TRANSPARENT: PipelineDescription = OPAQUE.at_own_depth("skin transparent");
/// The far sides of the closed bodies are drawn: what faces the light then
/// never lies in its own shadow.
const SHADOW: PipelineDescription = PipelineDescription {
    cull_mode: Some(wgpu::Face::Front),
    ..OPAQUE.shadow("skin shadow")
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
struct SkinMesh {
    body: Arc<Body>,
    full: Triangles,
    /// Fewer triangles, for the shadow: a coarse map's texel hides the difference.
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
pub(super) struct SkinDrawable {
    opaque: LazyPipeline,
    transparent_depth: LazyPipeline,
    transparent: LazyPipeline,
    shadow: LazyPipeline,
    /// The map shows every triangle.
    casts_full: bool,
    meshes: Vec<SkinMesh>,
    palettes: GrowBuffer,
    instances: GrowBuffer,
    errors: GrowBuffer,
    occluders: GrowBuffer,
    bind_group: Option<wgpu::BindGroup>,
    staging: Staging,
    draws: Vec<SkinDraw>,
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

/// Instances of one mesh: opaque ones first.
#[derive(Clone, Copy, Debug)]
struct SkinDraw {
    mesh: usize,
    first: u32,
    opaque_end: u32,
    end: u32,
}

impl SkinDraw {
    fn has_opaque(&self) -> bool {
        self.opaque_end > self.first
    }

    fn has_transparent(&self) -> bool {
        self.end > self.opaque_end
    }
}

impl SkinDrawable {
    pub fn new(gpu: &Gpu) -> Self {
        let storage =
            |label: &'static str| GrowBuffer::new(gpu, label, wgpu::BufferUsages::STORAGE);
        Self {
            opaque: LazyPipeline::new(OPAQUE),
            transparent_depth: LazyPipeline::new(TRANSPARENT_DEPTH),
            transparent: LazyPipeline::new(TRANSPARENT),
            shadow: LazyPipeline::new(SHADOW),
            casts_full: false,
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
    fn upload(&mut self, gpu: &Gpu, frame: &FrameData, layout: &wgpu::BindGroupLayout) {
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
            let [palettes, instances, errors, occluders] = [
                &self.palettes,
                &self.instances,
                &self.errors,
                &self.occluders,
            ]
            .map(|buffer| buffer.buffer().as_entire_binding());
            let resources = [palettes, instances, errors, occluders];
            self.bind_group = Some(bind_group(gpu, "skin", layout, &resources));
        }
    }

    fn mesh_of(&mut self, gpu: &Gpu, body: &Arc<Body>) -> usize {
        let known = self
            .meshes
            .iter()
            .position(|mesh| Arc::ptr_eq(&mesh.body, body));
        known.unwrap_or_else(|| {
            let (coarse, coarse_indices) = body.shadow_mesh();
            self.meshes.push(SkinMesh {
                body: Arc::clone(body),
                full: Triangles::new(gpu, body.vertices(), body.indices()),
                coarse: Triangles::new(gpu, coarse, coarse_indices),
            });
            self.meshes.len() - 1
        })
    }

    /// Gives back meshes that nobody else holds any more.
    fn forget_unused(&mut self, frame: &FrameData) {
        let is_shown = |mesh: &SkinMesh| {
            let own = |batch: &Batch| Arc::ptr_eq(&batch.body, &mesh.body);
            frame.batches().iter().any(own)
        };
        // A body that somebody still holds may be shown again.
        let held = |mesh: &SkinMesh| Arc::strong_count(&mesh.body) > 1;
        keep_recent(&mut self.meshes, is_shown, held);
    }

    fn bind(&self, pass: &mut wgpu::RenderPass<'static>, triangles: &Triangles) {
        pass.set_bind_group(1, self.bind_group.as_ref(), &[]);
        pass.set_vertex_buffer(0, triangles.vertices.slice(..));
        pass.set_index_buffer(triangles.indices.slice(..), wgpu::IndexFormat::Uint32);
    }

    fn draw_opaque(
        &self,
        pass: &mut wgpu::RenderPass<'static>,
        pipeline: &LazyPipeline,
        choose: fn(&SkinMesh) -> &Triangles,
    ) {
        let Some(pipeline) = pipeline.current() else {
            return;
        };
        pass.set_pipeline(pipeline);
        for draw in self.draws.iter().filter(|draw| draw.has_opaque()) {
            let triangles = choose(&self.meshes[draw.mesh]);
            self.bind(pass, triangles);
            pass.draw_indexed(0..triangles.count, 0, draw.first..draw.opaque_end);
        }
    }

    /// See-through characters: each first lays down its depth, so that only
    /// its outside shows, then its colour.
    fn draw_transparent(&self, pass: &mut wgpu::RenderPass<'static>) {
        // One instance after the other: of two that overlap, the second shows
        // only where it is in front of the first.
        let pipelines = [&self.transparent_depth, &self.transparent];
        for draw in &self.draws {
            for instance in draw.opaque_end..draw.end {
                let full = &self.meshes[draw.mesh].full;
                self.bind(pass, full);
                for pipeline in pipelines.iter().filter_map(|it| it.current()) {
                    pass.set_pipeline(pipeline);
                    pass.draw_indexed(0..full.count, 0, instance..instance + 1);
                }
            }
        }
    }
}

impl Drawable for SkinDrawable {
    fn prepare(&mut self, context: &mut FrameContext<'_>) {
        let layout = &context.builder.layouts.character;
        self.upload(context.gpu, context.frame, layout);
        if self.draws.iter().any(SkinDraw::has_opaque) {
            context.has_casters = true;
            self.opaque.prepare(context);
            if context.shadow_fit.casts {
                self.casts_full = context.shadow_fit.is_fine;
                self.shadow.prepare(context);
            }
        }
        if self.draws.iter().any(SkinDraw::has_transparent) {
            self.transparent_depth.prepare(context);
            self.transparent.prepare(context);
        }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'static>, phase: DrawPhase) {
        match phase {
            DrawPhase::Shadow if self.casts_full => {
                self.draw_opaque(pass, &self.shadow, |mesh| &mesh.full);
            }
            DrawPhase::Shadow => self.draw_opaque(pass, &self.shadow, |mesh| &mesh.coarse),
            DrawPhase::Opaque => self.draw_opaque(pass, &self.opaque, |mesh| &mesh.full),
            DrawPhase::Transparent => self.draw_transparent(pass),
            DrawPhase::Backdrop => {}
        }
    }
}

/// Batches with something to draw.
fn shown(frame: &FrameData) -> impl Iterator<Item = &Batch> + Clone {
    let has_skin = |batch: &&Batch| !batch.instances.is_empty() && !batch.body.indices().is_empty();
    frame.batches().iter().filter(has_skin)
}

impl Staging {
    fn clear(&mut self) {
        self.instances.clear();
        self.errors.clear();
        (self.joints, self.occluders) = (0, 0);
    }

    fn push(&mut self, batch: &Batch, mesh: usize) -> SkinDraw {
        let joints = batch.body.joint_from_bind().len() as u32;
        let balls = batch.body.occluders().len() as u32;
        let (first_joint, first_ball) = (self.joints as u32, self.occluders as u32);
        // Errors lie as palettes do: zeros stand for batches that have none.
        if !batch.errors.is_empty() {
            self.errors.resize(self.joints, 0.0);
            self.errors.extend_from_slice(&batch.errors);
            self.errors.resize(self.joints + batch.palettes.len(), 0.0);
        }
        self.joints += batch.palettes.len();
        self.occluders += batch.occluders.len();
        let first = self.instances.len() as u32;
        // Opaque ones first, so that each kind is one range of instances.
        let numbered = || (0u32..).zip(&batch.instances);
        let opaque = numbered().filter(|(_, instance)| instance.opacity >= 1.0);
        let mut opaque_end = first;
        for (index, instance) in opaque.chain(numbered().filter(|(_, i)| i.opacity < 1.0)) {
            let [r, g, b] = instance.tint;
            opaque_end += u32::from(instance.opacity >= 1.0);
            self.instances.push(GpuInstance {
                tint: [r, g, b, instance.opacity.clamp(0.0, 1.0)],
                first_joint: first_joint + index * joints,
                first_occluder: first_ball + index * balls,
                // The thickest come first; every vertex goes through all of these.
                occluders: balls.min(SKIN_OCCLUDERS as u32),
                shows_error: u32::from(instance.shows_error),
            });
        }
        SkinDraw {
            mesh,
            first,
            opaque_end,
            end: self.instances.len() as u32,
        }
    }
}
