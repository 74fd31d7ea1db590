//! Solid bones: two small meshes, a spindle and a ball, many instances.

use std::f32::consts::TAU;

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use super::{
    Gpu,
    buffers::{GrowBuffer, buffer_of},
    drawable::{DrawPhase, Drawable, FrameContext},
    pipeline::{LazyPipeline, PipelineDescription},
    shader::Shader,
};

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct GpuBone {
    from_radius: [f32; 4],
    to_top: [f32; 4],
    colour: [f32; 4],
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct ShapeVertex {
    position: Vec3,
    normal: Vec3,
}

const SHAPE_LAYOUT: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
    array_stride: size_of::<ShapeVertex>() as u64,
    step_mode: wgpu::VertexStepMode::Vertex,
    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3],
};
const BONE_LAYOUT: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
    array_stride: size_of::<GpuBone>() as u64,
    step_mode: wgpu::VertexStepMode::Instance,
    attributes: &wgpu::vertex_attr_array![2 => Float32x4, 3 => Float32x4, 4 => Float32x4],
};
/// Lit as the skin is.
const BONES: PipelineDescription = PipelineDescription {
    cull_mode: Some(wgpu::Face::Back),
    ..PipelineDescription::surface(
        "bones",
        Shader::Bones,
        &[Some(SHAPE_LAYOUT), Some(BONE_LAYOUT)],
    )
};

/// Height and radius along a bone of unit length: thick near its start, just
/// past the joint's own ball, and pointed at its end.
const SPINDLE: [(f32, f32); 5] = [
    (0.0, 0.0),
    (0.14, 1.0),
    (0.55, 0.62),
    (1.0, 0.22),
    (1.02, 0.0),
];

/// The two shapes and the buffer refilled every frame.
#[derive(Debug)]
pub(super) struct BonesDrawable {
    pipeline: LazyPipeline,
    spindle: (wgpu::Buffer, u32),
    ball: (wgpu::Buffer, u32),
    buffer: GrowBuffer,
    staging: Vec<GpuBone>,
    spindles: u32,
}

impl BonesDrawable {
    pub fn new(gpu: &Gpu) -> Self {
        let mesh = |vertices: Vec<ShapeVertex>| {
            let buffer = buffer_of(gpu, "bone shape", wgpu::BufferUsages::VERTEX, &vertices);
            (buffer, vertices.len() as u32)
        };
        Self {
            pipeline: LazyPipeline::new(BONES),
            // As few sides as look round at the size of a bone on screen.
            spindle: mesh(revolved(&SPINDLE, 10)),
            ball: mesh(revolved(&ball_profile(), 12)),
            buffer: GrowBuffer::new(gpu, "bones", wgpu::BufferUsages::VERTEX),
            staging: Vec::new(),
            spindles: 0,
        }
    }
}

impl Drawable for BonesDrawable {
    fn prepare(&mut self, context: &mut FrameContext<'_>) {
        let bones = &context.frame.bones;
        // Sorted by shape, so that each is one draw call.
        let long = bones.iter().filter(|bone| bone.from != bone.to);
        let balls = bones.iter().filter(|bone| bone.from == bone.to);
        self.spindles = long.clone().count() as u32;
        self.staging.clear();
        self.staging.extend(long.chain(balls).map(|bone| {
            let [r, g, b] = bone.colour;
            GpuBone {
                from_radius: bone.from.extend(bone.radius_m).to_array(),
                to_top: bone.to.extend(f32::from(u8::from(bone.on_top))).to_array(),
                colour: [r, g, b, 1.0],
            }
        }));
        if !self.staging.is_empty() {
            self.buffer.write(context.gpu, &self.staging);
            self.pipeline.prepare(context);
        }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'static>, phase: DrawPhase) {
        let pipeline = self.pipeline.current().filter(|_| !self.staging.is_empty());
        let (DrawPhase::Opaque, Some(pipeline)) = (phase, pipeline) else {
            return;
        };
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(1, self.buffer.buffer().slice(..));
        let all = self.staging.len() as u32;
        for ((shape, count), range) in [
            (&self.spindle, 0..self.spindles),
            (&self.ball, self.spindles..all),
        ] {
            pass.set_vertex_buffer(0, shape.slice(..));
            pass.draw(0..*count, range);
        }
    }
}

fn ball_profile() -> Vec<(f32, f32)> {
    // Half a circle, from pole to pole.
    let angles = (0..=8).map(|step| step as f32 / 8.0 * TAU / 2.0);
    angles.map(|angle| (-angle.cos(), angle.sin())).collect()
}

/// Triangles of a profile (height, radius) turned about Y, smooth around and
/// across its edges.
fn revolved(profile: &[(f32, f32)], sides: u32) -> Vec<ShapeVertex> {
    let mut vertices = Vec::new();
    // The slope of a segment is (run, rise); turned by 90° it is the normal,
    // whose length the shader takes out.
    let point = |&(y, r): &(f32, f32), angle: f32| Vec3::new(r * angle.sin(), y, r * angle.cos());
    for pair in profile.windows(2) {
        let (rise, run) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        for side in 0..sides {
            let [a, b] = [side, side + 1].map(|s| s as f32 / sides as f32 * TAU);
            let vertex = |ring: &(f32, f32), angle: f32| ShapeVertex {
                position: point(ring, angle),
                normal: Vec3::new(rise * angle.sin(), -run, rise * angle.cos()),
            };
            let quad = [
                vertex(&pair[0], a),
                vertex(&pair[0], b),
                vertex(&pair[1], b),
                vertex(&pair[1], a),
            ];
            vertices.extend([0, 1, 2, 0, 2, 3].map(|corner: usize| quad[corner]));
        }
    }
    vertices
}
