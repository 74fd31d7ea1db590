//! Draws [`FrameData`] to a window or offscreen through the same code.
//!
//! Last station of the data walk. One drawable is one Rust file here and one
//! WGSL file of the same name in `shaders/`. A frame is three passes: the key
//! light's depth map; the foreground (characters, bones, lines), multisampled
//! over the rectangle it needs; the backdrop (sky, ground) straight into the
//! target, with the foreground laid over it. Text follows on top.
//! Colours are linear until the target's sRGB format encodes them.

mod bones;
mod clock;
mod cloth;
mod foreground;
mod globals;
mod gpu;
mod ground;
mod labels;
mod lines;
mod mesh;
mod offscreen;
mod pipeline;
mod shadow;
mod skin;
mod sky;
mod variant;
mod window;

pub use clock::GpuClock;
pub use gpu::{Gpu, GpuError, instance_descriptor};
pub use offscreen::{Offscreen, Picture};
pub use shadow::ShadowFit;
pub use window::{WindowFrame, WindowTarget};

use crate::scene::FrameData;
use foreground::Rectangle;
use globals::GpuGlobals;
use ground::GroundNeeds;
use pipeline::{GrowBuffer, PipelineKind, PipelineParts, buffer_of, shader};
use variant::{Needs, Variant, Variants};

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
/// Sheets.
pub const CLOTH_WGSL: &[&str] = &[
    GLOBALS,
    LOOKUP,
    LIGHT,
    include_str!("../../shaders/cloth.wgsl"),
];
/// Models of files.
pub const MESH_WGSL: &[&str] = &[
    GLOBALS,
    LOOKUP,
    LIGHT,
    include_str!("../../shaders/mesh.wgsl"),
];
/// The foreground over the backdrop.
pub const FOREGROUND_WGSL: &[&str] = &[include_str!("../../shaders/foreground.wgsl")];
/// Lines.
pub const LINES_WGSL: &[&str] = &[GLOBALS, include_str!("../../shaders/lines.wgsl")];

/// Format of the foreground, which holds square roots of linear colours: as fine as
/// sRGB, and half the bytes of half floats for a processor to move.
const FOREGROUND_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
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
        shadow_size: 768,
    };
    /// While something moves in a window and the processor draws.
    pub const SOFTWARE_MOVING: Self = Self {
        samples: 1,
        shadow_size: 768,
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
    /// For the whole picture, and for the part that the foreground covers.
    globals: [wgpu::Buffer; 2],
    scene_groups: [wgpu::BindGroup; 2],
    light_group: wgpu::BindGroup,
    shadow: shadow::ShadowMap,
    skin: skin::SkinPass,
    mesh: mesh::MeshPass,
    layouts: pipeline::Layouts,
    variants: Variants,
    sky: sky::SkyPass,
    cloth: cloth::ClothPass,
    bones: bones::BonePass,
    lines: lines::LinePass,
    labels: labels::LabelPass,
    foreground: foreground::Foreground,
}

impl Renderer {
    /// For targets of `format`, which should be sRGB. Most pipelines are built
    /// when first needed.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, quality: Quality) -> Self {
        let layouts = pipeline::Layouts::new(gpu);
        let parts = layouts.parts(format, quality.samples);
        let shadow = shadow::ShadowMap::new(gpu, quality.shadow_size);
        let globals = [(); 2].map(|()| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("globals"),
                size: size_of::<GpuGlobals>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        Self {
            quality,
            format,
            scene_groups: [0, 1].map(|part| layouts.scene_group(gpu, &globals[part], &shadow.view)),
            light_group: layouts.light_group(gpu, &globals[0]),
            skin: skin::SkinPass::new(gpu, layouts.skin_group.clone()),
            mesh: mesh::MeshPass::new(gpu, &layouts),
            variants: Variants::default(),
            sky: sky::SkyPass::new(gpu, &parts),
            cloth: cloth::ClothPass::default(),
            bones: bones::BonePass::new(gpu),
            lines: lines::LinePass::new(gpu),
            labels: labels::LabelPass::new(format),
            globals,
            shadow,
            layouts,
            foreground: foreground::Foreground::new(gpu, format),
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
        let write = |buffer: &wgpu::Buffer, globals: GpuGlobals| {
            gpu.queue
                .write_buffer(buffer, 0, bytemuck::bytes_of(&globals));
        };
        let whole = GpuGlobals::new(frame, &view, size, &fit);
        write(&self.globals[0], whole);
        self.cloth.prepare(gpu, frame);
        self.mesh.prepare(gpu, frame);
        self.bones.prepare(gpu, frame);
        let parts = self.layouts.parts(self.format, self.quality.samples);
        self.lines.prepare(gpu, &parts, frame);
        let variant = Variant::of(frame, fit.casts);
        let pipelines = self.variants.of(variant);
        let skins = self.skin.prepare(gpu, frame);
        let has_solid = skins.has_solid() || self.mesh.has_solid() || self.cloth.is_shown();
        let rectangle = Rectangle::around(frame, &view, size);
        let has_shade = frame.look.ground && has_solid && (fit.casts || frame.look.occlusion);
        let needs = Needs {
            shadow: fit.casts && skins.has_solid(),
            solid: skins.has_solid(),
            transparent: skins.has_transparent(),
            models: self.mesh.is_shown(),
            sheets: self.cloth.is_shown(),
            bones: self.bones.is_shown(),
            ground: GroundNeeds {
                floor: frame.look.ground && !frame.look.transparent,
                shade: has_shade,
                depth: frame.look.ground && rectangle.is_some(),
            },
        };
        pipelines.complete(gpu, needs, &parts, &self.layouts);
        if fit.casts && has_solid {
            let sheets = (&self.cloth, pipelines.cloth.as_ref());
            let meshes = (&self.mesh, pipelines.mesh.as_ref());
            self.shadow.encode(
                encoder,
                pipelines.shadow.as_ref(),
                &self.light_group,
                &skins,
                sheets,
                meshes,
            );
        }
        if let Some(part) = rectangle {
            write(&self.globals[1], whole.of_part(part.crop(size), part.size));
            let target = (FOREGROUND_FORMAT, self.quality);
            let mut pass = self.foreground.begin(gpu, encoder, part, size, target);
            pass.set_bind_group(0, &self.scene_groups[1], &[]);
            if frame.look.ground {
                pipelines.ground.encode_depth(&mut pass);
            }
            skins.encode_solid(&mut pass, pipelines.solid.as_ref());
            if let Some(mesh) = &pipelines.mesh {
                self.mesh.encode_solid(&mut pass, mesh);
            }
            self.cloth.encode(&mut pass, pipelines.cloth.as_ref());
            self.bones.encode(&mut pass, pipelines.bones.as_ref());
            skins.encode_transparent(&mut pass, pipelines.transparent.as_ref());
            if let Some(mesh) = &pipelines.mesh {
                self.mesh.encode_transparent(&mut pass, mesh);
            }
            self.lines.encode(&mut pass);
        }
        let mut pass = begin_backdrop(encoder, target);
        pass.set_bind_group(0, &self.scene_groups[0], &[]);
        if !frame.look.transparent {
            let rows = sky::sky_rows(frame, &view, size);
            self.sky.encode(&mut pass, rows, size);
        }
        if frame.look.ground {
            if !frame.look.transparent {
                pipelines.ground.encode_floor(&mut pass);
            }
            if has_shade {
                pipelines.ground.encode_shade(&mut pass);
            }
        }
        if rectangle.is_some() {
            self.foreground.composite(&mut pass);
        }
        drop(pass);
        self.labels.encode(gpu, encoder, frame, &view, target, size);
    }
}

/// One sample a pixel, straight into the target.
fn begin_backdrop<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    target: &wgpu::TextureView,
) -> wgpu::RenderPass<'e> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("backdrop"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: target,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                store: wgpu::StoreOp::Store,
            },
        })],
        ..wgpu::RenderPassDescriptor::default()
    })
}

#[cfg(test)]
mod tests;
