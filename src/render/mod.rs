//! Draws [`FrameData`] to a window or offscreen through the same code.
//!
//! Last station of the data walk. One drawable is one Rust file here and one
//! WGSL file of the same name in `shaders/`. A frame is three passes: the key
//! light's depth map; the foreground (characters, bones, lines), multisampled
//! over the rectangle it needs; the backdrop (sky, ground) straight into the
//! target, with the foreground laid over it and text on top.
//! Colours are linear until the target's sRGB format encodes them.

mod bones;
mod buffers;
mod clock;
mod cloth;
mod drawable;
mod foreground;
mod globals;
mod gpu;
mod ground;
mod labels;
mod layouts;
mod lines;
mod mesh;
mod offscreen;
mod options;
mod pipeline;
mod quality;
mod rectangle;
mod shader;
mod shadow;
mod skin;
mod sky;
mod textures;
mod window;

pub use clock::GpuClock;
pub use gpu::{Gpu, GpuError, instance_descriptor};
pub use offscreen::{Offscreen, Picture};
pub use quality::Quality;
pub use shadow::ShadowFit;
pub use window::{WindowFrame, WindowTarget};

use std::borrow::Cow;

use crate::scene::FrameData;
use drawable::{DrawPhase, Drawable, FrameContext};
use options::ShaderOptions;
use pipeline::PipelineBuilder;
use rectangle::PixelRectangle;

/// Format of the foreground's depth buffer.
const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Pipelines and buffers for one target format and quality.
#[derive(Debug)]
pub struct Renderer {
    quality: Quality,
    format: wgpu::TextureFormat,
    builder: PipelineBuilder,
    globals: globals::Globals,
    shadow: shadow::ShadowMap,
    sky: sky::SkyDrawable,
    ground: ground::GroundDrawable,
    skin: skin::SkinDrawable,
    mesh: mesh::MeshDrawable,
    cloth: cloth::ClothDrawable,
    bones: bones::BonesDrawable,
    lines: lines::LinesDrawable,
    foreground: foreground::Foreground,
    labels: labels::LabelsDrawable,
}

impl Renderer {
    /// For targets of `format`, which should be sRGB. Pipelines are built when
    /// first needed.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, quality: Quality) -> Self {
        let builder = PipelineBuilder::new(gpu, format, quality.samples);
        let shadow = shadow::ShadowMap::new(gpu, quality.shadow_size);
        Self {
            quality,
            format,
            globals: globals::Globals::new(gpu, &builder.layouts, &shadow.view),
            builder,
            shadow,
            sky: sky::SkyDrawable::new(),
            ground: ground::GroundDrawable::new(),
            skin: skin::SkinDrawable::new(gpu),
            mesh: mesh::MeshDrawable::new(gpu),
            cloth: cloth::ClothDrawable::new(),
            bones: bones::BonesDrawable::new(gpu),
            lines: lines::LinesDrawable::new(gpu),
            foreground: foreground::Foreground::new(gpu, quality.samples),
            labels: labels::LabelsDrawable::new(format),
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
    /// and `size` pixels. What is not finite is left out, and the caption says
    /// so.
    pub fn encode(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &FrameData,
        target: &wgpu::TextureView,
        size: [u32; 2],
    ) {
        let sound = sound(frame);
        let casts = self.prepare(gpu, encoder, &sound, size);
        if casts {
            let mut pass = self.shadow.begin(encoder);
            pass.set_bind_group(0, &self.globals.light, &[]);
            self.draw(&mut pass, DrawPhase::Shadow);
        }
        if let Some(mut pass) = self.foreground.begin(encoder) {
            pass.set_bind_group(0, &self.globals.foreground, &[]);
            self.draw(&mut pass, DrawPhase::Opaque);
            self.draw(&mut pass, DrawPhase::Transparent);
        }
        let mut pass = begin_backdrop(encoder, target);
        pass.set_bind_group(0, &self.globals.backdrop, &[]);
        self.draw(&mut pass, DrawPhase::Backdrop);
    }

    /// Uploads all that the frame shows; true when anything casts a shadow.
    fn prepare(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &FrameData,
        size: [u32; 2],
    ) -> bool {
        let view = frame.camera.view(size[0] as f32 / size[1].max(1) as f32);
        let shadow_fit = ShadowFit::around(frame, self.shadow.size);
        let mut context = FrameContext {
            gpu,
            encoder,
            builder: &mut self.builder,
            frame,
            size,
            rectangle: PixelRectangle::around(frame, &view, size),
            options: ShaderOptions::of(frame, &shadow_fit),
            view,
            shadow_fit,
            has_casters: false,
        };
        self.globals.prepare(&context);
        // The ground after all that casts a shadow onto it.
        let drawables: [&mut dyn Drawable; 9] = [
            &mut self.skin,
            &mut self.mesh,
            &mut self.cloth,
            &mut self.bones,
            &mut self.lines,
            &mut self.sky,
            &mut self.ground,
            &mut self.foreground,
            &mut self.labels,
        ];
        for drawable in drawables {
            drawable.prepare(&mut context);
        }
        context.shadow_fit.casts && context.has_casters
    }

    /// In the order in which one covers the other: the floor's depth before
    /// what may sink into it, the foreground over sky and floor.
    fn draw(&self, pass: &mut wgpu::RenderPass<'static>, phase: DrawPhase) {
        let drawables: [&dyn Drawable; 9] = [
            &self.sky,
            &self.ground,
            &self.skin,
            &self.mesh,
            &self.cloth,
            &self.bones,
            &self.lines,
            &self.foreground,
            &self.labels,
        ];
        for drawable in drawables {
            drawable.draw(pass, phase);
        }
    }
}

/// The frame as it can be drawn. A scene composes no other; whoever fills one
/// by hand may, and finds in the picture what was left out of it.
fn sound(frame: &FrameData) -> Cow<'_, FrameData> {
    if frame.is_sound() {
        return Cow::Borrowed(frame);
    }
    let mut sound = frame.clone();
    sound.drop_unsound_marks();
    sound.caption = sound.left_out_message();
    Cow::Owned(sound)
}

/// One sample a pixel, straight into the target.
fn begin_backdrop(
    encoder: &mut wgpu::CommandEncoder,
    target: &wgpu::TextureView,
) -> wgpu::RenderPass<'static> {
    let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
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
    });
    pass.forget_lifetime()
}

#[cfg(test)]
mod tests;
