//! Draws [`FrameData`] to a window or offscreen through the same code.
//!
//! Last station of the data walk. One drawable is one Rust file here and one
//! WGSL file of the same name in `shaders/`. A frame is two passes: the key
//! light's depth map, then the picture (characters, bones, ground, sky, veils,
//! lines), multisampled and resolved into the target; text follows on top.
//! Colours are linear until the target's sRGB format encodes them.

mod bones;
mod globals;
mod gpu;
mod ground;
mod labels;
mod lines;
mod offscreen;
mod pipeline;
mod shadow;
mod skin;
mod sky;
mod window;

pub use gpu::{Gpu, GpuError, instance_descriptor};
pub use offscreen::{Offscreen, Picture};
pub use shadow::ShadowFit;
pub use window::{WindowFrame, WindowTarget};

use crate::scene::FrameData;
use globals::GpuGlobals;
use pipeline::{GrowBuffer, PipelineKind, PipelineParts, buffer_of, shader};

const GLOBALS: &str = include_str!("../../shaders/globals.wgsl");
const SKINNING: &str = include_str!("../../shaders/skinning.wgsl");
const LIGHT: &str = include_str!("../../shaders/light.wgsl");
const LOOKUP: &str = include_str!("../../shaders/shadow_lookup.wgsl");

/// Skinning alone, for tests that run it in a compute pass.
pub const SKINNING_WGSL: &[&str] = &[SKINNING];
/// Sources of each drawable, in the order they are joined.
pub const SKIN_WGSL: &[&str] = &[
    GLOBALS,
    SKINNING,
    LOOKUP,
    LIGHT,
    include_str!("../../shaders/skin.wgsl"),
];
/// The key light's depth map.
pub const SHADOW_WGSL: &[&str] = &[GLOBALS, SKINNING, include_str!("../../shaders/shadow.wgsl")];
/// The floor.
pub const GROUND_WGSL: &[&str] = &[GLOBALS, LOOKUP, include_str!("../../shaders/ground.wgsl")];
/// The backdrop.
pub const SKY_WGSL: &[&str] = &[GLOBALS, include_str!("../../shaders/sky.wgsl")];
/// Solid bones.
pub const BONES_WGSL: &[&str] = &[GLOBALS, LIGHT, include_str!("../../shaders/bones.wgsl")];
/// Lines.
pub const LINES_WGSL: &[&str] = &[GLOBALS, include_str!("../../shaders/lines.wgsl")];

/// Format of the depth buffer.
const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// What a picture may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quality {
    /// Samples per pixel: 1 or 4.
    pub samples: u32,
    /// Side of the shadow map in texels.
    pub shadow_size: u32,
}

impl Quality {
    /// Everything: pictures that stand still or are kept.
    pub const FULL: Self = Self {
        samples: 4,
        shadow_size: 2048,
    };
    /// Everything, with a shadow map a processor can fill.
    pub const SOFTWARE: Self = Self {
        samples: 4,
        shadow_size: 1024,
    };
    /// While something moves in a window and the processor draws.
    pub const SOFTWARE_MOVING: Self = Self {
        samples: 1,
        shadow_size: 1024,
    };

    /// What suits an adapter: full where there is a GPU, less on a processor.
    #[must_use]
    pub fn for_adapter(gpu: &Gpu) -> Self {
        if gpu.is_software() {
            Self::SOFTWARE
        } else {
            Self::FULL
        }
    }
}

/// Pipelines and buffers for one target format and quality.
#[derive(Debug)]
pub struct Renderer {
    quality: Quality,
    format: wgpu::TextureFormat,
    globals: wgpu::Buffer,
    scene_group: wgpu::BindGroup,
    light_group: wgpu::BindGroup,
    shadow: shadow::ShadowMap,
    skin: skin::SkinPass,
    ground: ground::GroundPass,
    sky: sky::SkyPass,
    bones: bones::BonePass,
    lines: lines::LinePass,
    labels: labels::LabelPass,
    attachments: Option<Attachments>,
}

/// Colour and depth of the size of the last frame.
#[derive(Debug)]
struct Attachments {
    size: [u32; 2],
    /// `None` without multisampling: the target itself is drawn to.
    colour: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
}

impl Renderer {
    /// Builds all pipelines for targets of `format`, which should be sRGB.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, quality: Quality) -> Self {
        let layouts = pipeline::Layouts::new(gpu);
        let parts = PipelineParts {
            scene: &layouts.scene,
            skin: &layouts.scene_and_skin,
            format,
            samples: quality.samples,
        };
        let shadow = shadow::ShadowMap::new(gpu, &layouts.light_and_skin, quality.shadow_size);
        let globals = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("globals"),
            size: size_of::<GpuGlobals>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self {
            quality,
            format,
            scene_group: layouts.scene_group(gpu, &globals, &shadow.view),
            light_group: layouts.light_group(gpu, &globals),
            skin: skin::SkinPass::new(gpu, &parts, layouts.skin_group),
            ground: ground::GroundPass::new(gpu, &parts),
            sky: sky::SkyPass::new(gpu, &parts),
            bones: bones::BonePass::new(gpu, &parts),
            lines: lines::LinePass::new(gpu, &parts),
            labels: labels::LabelPass::new(gpu, format),
            globals,
            shadow,
            attachments: None,
        }
    }

    /// What it was built for.
    #[must_use]
    pub fn quality(&self) -> Quality {
        self.quality
    }

    /// Format of its targets.
    #[must_use]
    pub fn format(&self) -> wgpu::TextureFormat {
        self.format
    }

    /// Records one frame into `encoder`; `target` has the renderer's format
    /// and `size` pixels.
    pub fn encode(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &FrameData,
        target: &wgpu::TextureView,
        size: [u32; 2],
    ) {
        let view = frame.camera.view(size[0] as f32 / size[1].max(1) as f32);
        let fit = ShadowFit::around(frame, self.shadow.size);
        let globals = GpuGlobals::new(frame, &view, size, &fit);
        gpu.queue
            .write_buffer(&self.globals, 0, bytemuck::bytes_of(&globals));
        self.bones.prepare(gpu, frame);
        self.lines.prepare(gpu, frame);
        let skins = self.skin.prepare(gpu, frame);
        if fit.casts && skins.has_solid() {
            self.shadow.encode(encoder, &self.light_group, &skins);
        }
        let known = self.attachments.take().filter(|known| known.size == size);
        let attachments =
            known.unwrap_or_else(|| Attachments::new(gpu, self.format, self.quality, size));
        {
            let mut pass = attachments.begin(encoder, target);
            pass.set_bind_group(0, &self.scene_group, &[]);
            skins.encode_solid(&mut pass);
            self.bones.encode(&mut pass);
            if frame.look.ground {
                self.ground.encode(&mut pass);
            }
            if !frame.look.transparent {
                self.sky.encode(&mut pass);
            }
            skins.encode_veils(&mut pass);
            self.lines.encode(&mut pass);
        }
        self.attachments = Some(attachments);
        self.labels.encode(gpu, encoder, frame, &view, target, size);
    }
}

impl Attachments {
    fn new(gpu: &Gpu, format: wgpu::TextureFormat, quality: Quality, size: [u32; 2]) -> Self {
        let texture = |label, format| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d {
                    width: size[0],
                    height: size[1],
                    depth_or_array_layers: 1,
                },
                mip_level_count: 1,
                sample_count: quality.samples,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        Self {
            size,
            colour: (quality.samples > 1).then(|| texture("colour", format)),
            depth: texture("depth", DEPTH_FORMAT),
        }
    }

    fn begin<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
    ) -> wgpu::RenderPass<'e> {
        let (view, resolve_target) = match &self.colour {
            Some(colour) => (colour, Some(target)),
            None => (target, None),
        };
        // Samples are not needed once resolved, nor is depth.
        let store = if resolve_target.is_some() {
            wgpu::StoreOp::Discard
        } else {
            wgpu::StoreOp::Store
        };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("scene"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..wgpu::RenderPassDescriptor::default()
        })
    }
}

#[cfg(test)]
mod tests;
