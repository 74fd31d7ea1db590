//! The part of the picture that has edges: characters, bones, lines.
//!
//! Only their rectangle is multisampled, resolved into a texture and laid over
//! the backdrop, which is smooth by itself. A software adapter pays for every
//! sample of every pixel, and a figure covers a seventh of its picture.

use bytemuck::{Pod, Zeroable};

use super::{
    DEPTH_FORMAT, Gpu,
    buffers::buffer_sized,
    drawable::{DrawPhase, Drawable, FrameContext},
    layouts::{BindGroups, bind_group},
    pipeline::{Blending, LazyPipeline, PassKind, PipelineDescription},
    rectangle::PixelRectangle,
    shader::Shader,
    textures::texture_2d,
};

/// Holds square roots of linear colours: as fine as sRGB, and half the bytes
/// of half floats for a processor to move.
pub(super) const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

const COMPOSITE: PipelineDescription = PipelineDescription {
    groups: BindGroups::Foreground,
    blending: Blending::Over,
    ..PipelineDescription::quad("composite", Shader::Foreground, PassKind::Backdrop)
};

/// Mirrors `Placement` in foreground.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct GpuPlacement {
    origin: [f32; 2],
    size: [f32; 2],
    picture: [f32; 2],
    unused: [f32; 2],
}

/// Attachments of the rectangle's size and the pipeline that lays it down.
#[derive(Debug)]
pub(super) struct Foreground {
    samples: u32,
    composite: LazyPipeline,
    placement: wgpu::Buffer,
    /// Kept while the rectangle keeps its size.
    attachments: Option<Attachments>,
    is_shown: bool,
}

impl Foreground {
    pub fn new(gpu: &Gpu, samples: u32) -> Self {
        let size = size_of::<GpuPlacement>() as u64;
        Self {
            samples,
            composite: LazyPipeline::new(COMPOSITE),
            placement: buffer_sized(gpu, "placement", wgpu::BufferUsages::UNIFORM, size),
            attachments: None,
            is_shown: false,
        }
    }

    /// Starts its pass, unless the frame shows nothing with edges.
    pub fn begin(&self, encoder: &mut wgpu::CommandEncoder) -> Option<wgpu::RenderPass<'static>> {
        let attachments = self.attachments.as_ref().filter(|_| self.is_shown)?;
        Some(attachments.begin(encoder))
    }
}

impl Drawable for Foreground {
    fn prepare(&mut self, context: &mut FrameContext<'_>) {
        self.is_shown = context.rectangle.is_some();
        let Some(rectangle) = context.rectangle else {
            return;
        };
        self.composite.prepare(context);
        let gpu = context.gpu;
        let placement = GpuPlacement::new(rectangle, context.size);
        gpu.queue
            .write_buffer(&self.placement, 0, bytemuck::bytes_of(&placement));
        let known = self.attachments.take();
        let known = known.filter(|known| known.size == rectangle.size);
        self.attachments = Some(known.unwrap_or_else(|| {
            let layout = &context.builder.layouts.foreground;
            Attachments::new(gpu, rectangle.size, self.samples, layout, &self.placement)
        }));
    }

    /// Lays the resolved rectangle over the backdrop.
    fn draw(&self, pass: &mut wgpu::RenderPass<'static>, phase: DrawPhase) {
        if phase != DrawPhase::Backdrop || !self.is_shown {
            return;
        }
        if let (Some(pipeline), Some(attachments)) = (self.composite.current(), &self.attachments) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &attachments.group, &[]);
            pass.draw(0..4, 0..1);
        }
    }
}

impl GpuPlacement {
    fn new(rectangle: PixelRectangle, picture: [u32; 2]) -> Self {
        let floats = |pair: [u32; 2]| pair.map(|side| side as f32);
        Self {
            origin: floats(rectangle.origin),
            size: floats(rectangle.size),
            picture: floats(picture),
            unused: [0.0; 2],
        }
    }
}

#[derive(Debug)]
struct Attachments {
    size: [u32; 2],
    /// `None` without multisampling: the resolved texture itself is drawn to.
    samples: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
    resolved: wgpu::TextureView,
    group: wgpu::BindGroup,
}

impl Attachments {
    fn new(
        gpu: &Gpu,
        size: [u32; 2],
        samples: u32,
        layout: &wgpu::BindGroupLayout,
        placement: &wgpu::Buffer,
    ) -> Self {
        let texture = |label, format, samples, usage| {
            let usage = usage | wgpu::TextureUsages::RENDER_ATTACHMENT;
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                sample_count: samples,
                ..texture_2d(label, size, format, usage)
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        let none = wgpu::TextureUsages::empty();
        let bound = wgpu::TextureUsages::TEXTURE_BINDING;
        let resolved = texture("foreground", FORMAT, 1, bound);
        let resources = [
            placement.as_entire_binding(),
            wgpu::BindingResource::TextureView(&resolved),
        ];
        Self {
            size,
            samples: (samples > 1).then(|| texture("samples", FORMAT, samples, none)),
            depth: texture("depth", DEPTH_FORMAT, samples, none),
            group: bind_group(gpu, "foreground", layout, &resources),
            resolved,
        }
    }

    fn begin(&self, encoder: &mut wgpu::CommandEncoder) -> wgpu::RenderPass<'static> {
        let (view, resolve_target) = match &self.samples {
            Some(samples) => (samples, Some(&self.resolved)),
            None => (&self.resolved, None),
        };
        // Samples are not needed once resolved, nor is depth.
        let store = match resolve_target {
            Some(_) => wgpu::StoreOp::Discard,
            None => wgpu::StoreOp::Store,
        };
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("foreground"),
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
                    load: wgpu::LoadOp::Clear(0.0), // infinitely far: depth is reversed
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.forget_lifetime()
    }
}
