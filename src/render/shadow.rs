//! The key light's depth map, fitted tightly around the characters.

use glam::{Mat4, Vec3};

use super::{
    Gpu,
    cloth::{ClothPass, ClothPipelines},
    mesh::{MeshPass, MeshPipelines},
    skin::SkinDraw,
};
use crate::scene::FrameData;

/// Depth format of the map.
pub(super) const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Kept free around the characters: the widest penumbra, as in
/// shadow_lookup.wgsl, and what a foot darkens, as in ground.wgsl.
const MARGIN_M: f32 = 0.14;

/// Where the map lies in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowFit {
    /// Orthographic view from the light; depth 0 nearest to it.
    pub light_from_world: Mat4,
    /// Metres the map spans in x, y and depth.
    pub size_m: Vec3,
    /// The larger side of a texel.
    pub texel_m: f32,
    /// The map's corners, cast along the light onto the ground: a strip.
    pub ground_corners: [Vec3; 4],
    /// False when there is nothing to cast a shadow.
    pub casts: bool,
}

impl ShadowFit {
    /// The smallest box along the light around all that casts and its shadow
    /// on the ground.
    #[must_use]
    pub fn around(frame: &FrameData, map_size: u32) -> Self {
        let towards = frame.look.key.towards.normalize_or(Vec3::Y);
        let x = towards.any_orthonormal_vector();
        // The map's y axis follows what stands upright, which fits people best.
        let x = Vec3::Y.cross(towards).try_normalize().unwrap_or(x);
        let y = towards.cross(x);
        let (mut near, mut far) = (Vec3::MAX, Vec3::MIN);
        for &[px, py, pz, radius_m] in frame.hull() {
            let p = Vec3::new(px, py, pz);
            let light = Vec3::new(x.dot(p), y.dot(p), -towards.dot(p));
            near = near.min(light - radius_m);
            far = far.max(light + radius_m);
            // Down to where its shadow meets the ground, not beyond reason.
            let fall = (p.y + radius_m - frame.look.ground_y) / towards.y.max(0.2);
            far.z = far.z.max(light.z + fall);
        }
        if frame.hull().is_empty() {
            (near, far) = (Vec3::ZERO, Vec3::ONE);
        }
        let (near, far) = (near - MARGIN_M, far + MARGIN_M);
        let size_m = far - near;
        let view = Mat4::from_cols(
            x.extend(0.0),
            y.extend(0.0),
            (-towards).extend(0.0),
            glam::Vec4::W,
        )
        .transpose();
        let to_unit = Mat4::from_scale(Vec3::new(2.0, 2.0, 1.0) / size_m);
        let centre = Vec3::new((near.x + far.x) / 2.0, (near.y + far.y) / 2.0, near.z);
        // Where a ray along the light through (x, y) of light space meets the ground.
        let ground = |lx: f32, ly: f32| {
            let p = x * lx + y * ly;
            p - towards * ((p.y - frame.look.ground_y) / towards.y.max(0.2))
        };
        Self {
            ground_corners: [
                ground(near.x, near.y),
                ground(far.x, near.y),
                ground(near.x, far.y),
                ground(far.x, far.y),
            ],
            light_from_world: to_unit * Mat4::from_translation(-centre) * view,
            size_m,
            texel_m: size_m.x.max(size_m.y) / map_size as f32,
            casts: frame.look.shadows && !frame.hull().is_empty(),
        }
    }
}

/// The depth texture and its pipeline.
#[derive(Debug)]
pub(super) struct ShadowMap {
    pub view: wgpu::TextureView,
    pub size: u32,
}

impl ShadowMap {
    pub fn new(gpu: &Gpu, size: u32) -> Self {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("shadow map"),
            size: wgpu::Extent3d {
                width: size,
                height: size,
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        Self {
            view: texture.create_view(&wgpu::TextureViewDescriptor::default()),
            size,
        }
    }

    /// Draws all solid characters and sheets from the light.
    pub fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        pipeline: Option<&wgpu::RenderPipeline>,
        globals: &wgpu::BindGroup,
        skins: &SkinDraw<'_>,
        (sheets, sheet_pipelines): (&ClothPass, Option<&ClothPipelines>),
        (meshes, mesh_pipelines): (&MeshPass, Option<&MeshPipelines>),
    ) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_bind_group(0, globals, &[]);
        skins.encode_shadow(&mut pass, pipeline);
        sheets.encode_shadow(&mut pass, sheet_pipelines);
        if let Some(pipelines) = mesh_pipelines {
            meshes.encode_shadow(&mut pass, pipelines);
        }
    }
}

/// The far sides of the closed bodies are drawn: what faces the light then
/// never lies in its own shadow.
pub(super) fn pipeline(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    constants: &[(&str, f64)],
) -> wgpu::RenderPipeline {
    let module = super::shader(gpu, "shadow", super::SHADOW_WGSL);
    let recipe = Recipe {
        entry: "vertex",
        buffers: &[Some(super::skin::vertex_layout())],
        cull_mode: Some(wgpu::Face::Front),
    };
    recipe.build(gpu, layout, &module, constants)
}

/// Sheets are open: both of their sides cast.
pub(super) fn sheet_pipeline(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    buffer: wgpu::VertexBufferLayout<'_>,
    constants: &[(&str, f64)],
) -> wgpu::RenderPipeline {
    let recipe = Recipe {
        entry: "shadow_vertex",
        buffers: &[Some(buffer)],
        cull_mode: None,
    };
    recipe.build(gpu, layout, module, constants)
}

/// What differs between those that cast.
struct Recipe<'a> {
    entry: &'a str,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    cull_mode: Option<wgpu::Face>,
}

impl Recipe<'_> {
    fn build(
        &self,
        gpu: &Gpu,
        layout: &wgpu::PipelineLayout,
        module: &wgpu::ShaderModule,
        constants: &[(&str, f64)],
    ) -> wgpu::RenderPipeline {
        gpu.device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some("shadow"),
                layout: Some(layout),
                vertex: wgpu::VertexState {
                    module,
                    entry_point: Some(self.entry),
                    compilation_options: wgpu::PipelineCompilationOptions {
                        constants,
                        ..wgpu::PipelineCompilationOptions::default()
                    },
                    buffers: self.buffers,
                },
                primitive: wgpu::PrimitiveState {
                    cull_mode: self.cull_mode,
                    ..wgpu::PrimitiveState::default()
                },
                depth_stencil: Some(wgpu::DepthStencilState {
                    format: FORMAT,
                    depth_write_enabled: Some(true),
                    depth_compare: Some(wgpu::CompareFunction::Less),
                    stencil: wgpu::StencilState::default(),
                    // Away from the light: where a body turns out of it, its far side
                    // comes close to what is still lit.
                    bias: wgpu::DepthBiasState {
                        constant: 0,
                        slope_scale: 3.0,
                        clamp: 0.0,
                    },
                }),
                multisample: wgpu::MultisampleState::default(),
                fragment: None,
                multiview_mask: None,
                cache: None,
            })
    }
}
