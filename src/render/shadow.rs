//! The key light's depth map, fitted tightly around the characters.

use glam::{Mat3, Mat4, Vec3};

use super::{Gpu, textures::texture_2d};
use crate::scene::FrameData;

/// Depth format of the map.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Kept free around the characters: the widest penumbra, as in
/// shadow.wgsl, and what a foot darkens, as in ground.wgsl.
const MARGIN_M: f32 = 0.14;
/// Sine of the light's height below which shadows grow no longer: at 11.5°
/// they are five times as long as what casts is high.
const LOWEST_LIGHT: f32 = 0.2;

/// Texels from which a map is worth many taps, a side: a processor that draws a
/// window has fewer.
const FINE_MAP: u32 = 2048;
/// Less than half the sharpest edge, as in shadow.wgsl; smaller texels also show
/// the triangles of a coarse mesh.
const FINE_TEXEL_M: f32 = 0.0024;

/// Where the map lies in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowFit {
    /// Orthographic view from the light; depth 0 nearest to it.
    pub light_from_world: Mat4,
    /// Metres the map spans in x, y and depth.
    pub size_m: Vec3,
    /// The larger side of a texel.
    pub texel_m: f32,
    /// Texels narrower than the sharpest edge, on a map that is drawn with care:
    /// pictures that are kept, and windows with a GPU.
    pub is_fine: bool,
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
        let axes_from_world = Mat3::from_cols(x, y, -towards).transpose();
        let (near, far) = bounds(frame, axes_from_world, towards);
        let (near, far) = (near - MARGIN_M, far + MARGIN_M);
        let size_m = far - near;
        let texel_m = size_m.x.max(size_m.y) / map_size as f32;
        let to_unit = Mat4::from_scale(Vec3::new(2.0, 2.0, 1.0) / size_m);
        let centre = Vec3::new((near.x + far.x) / 2.0, (near.y + far.y) / 2.0, near.z);
        // Where a ray along the light through (x, y) of light space meets the ground.
        let ground = |lx: f32, ly: f32| {
            let p = x * lx + y * ly;
            p - towards * ((p.y - frame.look.ground_y) / towards.y.max(LOWEST_LIGHT))
        };
        Self {
            ground_corners: [
                ground(near.x, near.y),
                ground(far.x, near.y),
                ground(near.x, far.y),
                ground(far.x, far.y),
            ],
            light_from_world: to_unit
                * Mat4::from_translation(-centre)
                * Mat4::from_mat3(axes_from_world),
            size_m,
            texel_m,
            is_fine: map_size >= FINE_MAP && texel_m < FINE_TEXEL_M,
            casts: frame.look.shadows && !frame.hull().is_empty(),
        }
    }
}

/// Low and high corner of all that casts along the light's axes; in depth they reach
/// to the shadow on the ground.
fn bounds(frame: &FrameData, axes_from_world: Mat3, towards: Vec3) -> (Vec3, Vec3) {
    if frame.hull().is_empty() {
        return (Vec3::ZERO, Vec3::ONE);
    }
    let (mut near, mut far) = (Vec3::MAX, Vec3::MIN);
    for &[px, py, pz, radius_m] in frame.hull() {
        let p = Vec3::new(px, py, pz);
        let light = axes_from_world * p;
        near = near.min(light - radius_m);
        far = far.max(light + radius_m);
        // Down to where its shadow meets the ground, not beyond reason.
        let fall = (p.y + radius_m - frame.look.ground_y) / towards.y.max(LOWEST_LIGHT);
        far.z = far.z.max(light.z + fall);
    }
    (near, far)
}

/// The depth texture.
#[derive(Debug)]
pub(super) struct ShadowMap {
    pub view: wgpu::TextureView,
    pub size: u32,
}

impl ShadowMap {
    pub fn new(gpu: &Gpu, size: u32) -> Self {
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
        let descriptor = texture_2d("shadow map", [size; 2], FORMAT, usage);
        let texture = gpu.device.create_texture(&descriptor);
        Self {
            view: texture.create_view(&wgpu::TextureViewDescriptor::default()),
            size,
        }
    }

    /// Starts its pass: depth from the light, 1 where nothing is.
    pub fn begin(&self, encoder: &mut wgpu::CommandEncoder) -> wgpu::RenderPass<'static> {
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
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
        pass.forget_lifetime()
    }
}

/// How all that casts meets the map: an orthographic view has even precision,
/// so depth is not reversed here.
pub(super) fn depth_stencil() -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: FORMAT,
        depth_write_enabled: Some(true),
        depth_compare: Some(wgpu::CompareFunction::Less),
        stencil: wgpu::StencilState::default(),
        // Away from the light: where a body turns out of it, its far side
        // comes close to what is still lit. Three texels of slope, which is how
        // far the filter of shadow.wgsl reaches. No constant: `self_light` lifts
        // what receives instead.
        bias: wgpu::DepthBiasState {
            constant: 0,
            slope_scale: 3.0,
            clamp: 0.0,
        },
    }
}
