//! The part of the picture that has edges: characters, bones, lines.
//!
//! Only their rectangle is multisampled, resolved into a texture and laid over
//! the backdrop, which is smooth by itself. A software adapter pays for every
//! sample of every pixel, and a figure covers a seventh of its picture.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec2, Vec3};

use super::{DEPTH_FORMAT, Gpu, PipelineKind, PipelineParts, Quality};
use crate::scene::{CameraView, FrameData};

/// Sides are multiples of this, so that a moving figure seldom needs new ones.
const STEP: u32 = 32;

/// Pixels of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub origin: [u32; 2],
    pub size: [u32; 2],
}

impl Rectangle {
    /// Around all that is drawn with edges; `None` when there is nothing.
    pub fn around(frame: &FrameData, view: &CameraView, size: [u32; 2]) -> Option<Self> {
        let mut found = Extent::new(size);
        for &[x, y, z, radius_m] in frame.hull() {
            found.add_ball(view, Vec3::new(x, y, z), radius_m);
        }
        for bone in &frame.bones {
            for end in [bone.from, bone.to] {
                for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                    found.add(view, end + axis * bone.radius_m, 2.0);
                    found.add(view, end - axis * bone.radius_m, 2.0);
                }
            }
        }
        for line in &frame.lines {
            found.add(view, line.from, line.width_px + 2.0);
            found.add(view, line.to, line.width_px + 2.0);
        }
        found.rectangle()
    }

    /// Takes clip space of the picture to clip space of the rectangle.
    pub fn crop(&self, picture: [u32; 2]) -> Mat4 {
        let [w, h] = picture.map(|side| side as f32);
        let [x, y] = self.origin.map(|side| side as f32);
        let [own_w, own_h] = self.size.map(|side| side as f32);
        let scale = Vec2::new(w / own_w, h / own_h);
        let centre = Vec2::new((2.0 * x + own_w) / w - 1.0, 1.0 - (2.0 * y + own_h) / h);
        Mat4::from_scale(scale.extend(1.0)) * Mat4::from_translation(-centre.extend(0.0))
    }
}

struct Extent {
    picture: Vec2,
    low: Vec2,
    high: Vec2,
}

impl Extent {
    fn new(size: [u32; 2]) -> Self {
        Self {
            picture: Vec2::new(size[0] as f32, size[1] as f32),
            low: Vec2::MAX,
            high: Vec2::MIN,
        }
    }

    fn add(&mut self, view: &CameraView, world: Vec3, margin_px: f32) {
        self.add_spot(view.project(world), Vec2::splat(margin_px));
    }

    /// A ball appears as an ellipse; its box is widened to the nearest side's.
    fn add_ball(&mut self, view: &CameraView, centre: Vec3, radius_m: f32) {
        let clip = view.clip_from_world * centre.extend(1.0);
        let rows = [0, 1].map(|axis| view.clip_from_world.row(axis).truncate().length());
        let nearest = (clip.w - radius_m).max(1e-6);
        let reach = Vec2::from(rows) * (radius_m / nearest) * 0.5 * self.picture;
        let at = view.project(centre).filter(|_| clip.w > radius_m);
        self.add_spot(at, reach + 2.0);
    }

    fn add_spot(&mut self, at: Option<Vec2>, margin_px: Vec2) {
        match at {
            Some(at) => {
                self.low = self.low.min(at * self.picture - margin_px);
                self.high = self.high.max(at * self.picture + margin_px);
            }
            // Beside or behind the camera: it may be anywhere.
            None => (self.low, self.high) = (Vec2::ZERO, self.picture),
        }
    }

    /// Whole steps, moved back into the picture where they stick out.
    fn rectangle(&self) -> Option<Rectangle> {
        let low = self.low.max(Vec2::ZERO).floor().as_uvec2();
        let high = self.high.min(self.picture).ceil();
        let picture = self.picture.as_uvec2();
        if !(high.x > low.x as f32 && high.y > low.y as f32) {
            return None;
        }
        let wanted = high.as_uvec2() - low;
        let side = |wanted: u32, all: u32| wanted.next_multiple_of(STEP).min(all);
        let size = [side(wanted.x, picture.x), side(wanted.y, picture.y)];
        Some(Rectangle {
            origin: [
                low.x.min(picture.x - size[0]),
                low.y.min(picture.y - size[1]),
            ],
            size,
        })
    }
}

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
    pipeline: wgpu::RenderPipeline,
    layout: wgpu::BindGroupLayout,
    placement: wgpu::Buffer,
    attachments: Option<Attachments>,
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

impl Foreground {
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
            ty,
            count: None,
        };
        let uniform = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let texture = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let layout = gpu
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("composite"),
                entries: &[entry(0, uniform), entry(1, texture)],
            });
        let own = gpu
            .device
            .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("composite"),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
        let parts = PipelineParts {
            scene: &own,
            skin: &own,
            mesh: &own,
            format,
            samples: 1,
            constants: &[],
        };
        let module = super::shader(gpu, "composite", super::FOREGROUND_WGSL);
        Self {
            pipeline: parts.pipeline(gpu, "composite", &module, &[], PipelineKind::BackdropBlend),
            layout,
            placement: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("placement"),
                size: size_of::<GpuPlacement>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            attachments: None,
        }
    }

    /// Starts the multisampled pass over a rectangle of the picture.
    pub fn begin<'e>(
        &mut self,
        gpu: &Gpu,
        encoder: &'e mut wgpu::CommandEncoder,
        rectangle: Rectangle,
        picture: [u32; 2],
        target: (wgpu::TextureFormat, Quality),
    ) -> wgpu::RenderPass<'e> {
        let floats = |pair: [u32; 2]| pair.map(|side| side as f32);
        let placement = GpuPlacement {
            origin: floats(rectangle.origin),
            size: floats(rectangle.size),
            picture: floats(picture),
            unused: [0.0; 2],
        };
        gpu.queue
            .write_buffer(&self.placement, 0, bytemuck::bytes_of(&placement));
        let known = self.attachments.take();
        let known = known.filter(|known| known.size == rectangle.size);
        let attachments = known.unwrap_or_else(|| self.attachments(gpu, rectangle.size, target));
        let attachments = self.attachments.insert(attachments);
        attachments.begin(encoder)
    }

    fn attachments(
        &self,
        gpu: &Gpu,
        size: [u32; 2],
        (format, quality): (wgpu::TextureFormat, Quality),
    ) -> Attachments {
        let texture = |label, format, samples, usage| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d {
                    width: size[0],
                    height: size[1],
                    depth_or_array_layers: 1,
                },
                mip_level_count: 1,
                sample_count: samples,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: usage | wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        let none = wgpu::TextureUsages::empty();
        let samples = quality.samples;
        let resolved = texture(
            "foreground",
            format,
            1,
            wgpu::TextureUsages::TEXTURE_BINDING,
        );
        Attachments {
            size,
            samples: (samples > 1).then(|| texture("samples", format, samples, none)),
            depth: texture("depth", DEPTH_FORMAT, samples, none),
            group: gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("composite"),
                layout: &self.layout,
                entries: &[
                    wgpu::BindGroupEntry {
                        binding: 0,
                        resource: self.placement.as_entire_binding(),
                    },
                    wgpu::BindGroupEntry {
                        binding: 1,
                        resource: wgpu::BindingResource::TextureView(&resolved),
                    },
                ],
            }),
            resolved,
        }
    }

    /// Lays the resolved rectangle over the backdrop.
    pub fn composite(&self, pass: &mut wgpu::RenderPass<'_>) {
        if let Some(attachments) = &self.attachments {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &attachments.group, &[]);
            pass.draw(0..4, 0..1);
        }
    }
}

impl Attachments {
    fn begin<'e>(&self, encoder: &'e mut wgpu::CommandEncoder) -> wgpu::RenderPass<'e> {
        let (view, resolve_target) = match &self.samples {
            Some(samples) => (samples, Some(&self.resolved)),
            None => (&self.resolved, None),
        };
        // Samples are not needed once resolved, nor is depth.
        let store = match resolve_target {
            Some(_) => wgpu::StoreOp::Discard,
            None => wgpu::StoreOp::Store,
        };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
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
mod tests {
    use super::*;
    use crate::scene::{Camera, Line};

    #[test]
    fn a_point_keeps_its_pixel_through_the_crop() {
        let picture = [640, 360];
        let view = Camera::default().view(640.0 / 360.0);
        let rectangle = Rectangle {
            origin: [128, 64],
            size: [256, 192],
        };
        let p = Vec3::new(0.1, 1.0, 0.2);
        let whole = view.project(p).unwrap() * Vec2::new(640.0, 360.0);
        let cropped = CameraView {
            clip_from_world: rectangle.crop(picture) * view.clip_from_world,
            ..view
        };
        let part = cropped.project(p).unwrap() * Vec2::new(256.0, 192.0);
        assert!((part + Vec2::new(128.0, 64.0) - whole).length() < 1e-2);
    }

    #[test]
    fn rectangles_stay_inside_and_cover_lines() {
        let mut frame = FrameData::default();
        let view = frame.camera.view(2.0);
        assert_eq!(Rectangle::around(&frame, &view, [400, 200]), None);
        let mut line = Line {
            from: frame.camera.target,
            to: frame.camera.target + Vec3::Y * 0.3,
            colour: [1.0; 4],
            width_px: 2.0,
            on_top: false,
        };
        frame.lines.push(line);
        let found = Rectangle::around(&frame, &view, [400, 200]).unwrap();
        assert!(found.origin[0] + found.size[0] <= 400 && found.size[0] == STEP);
        line.to = view.eye + frame.camera.direction();
        frame.lines.push(line);
        let all = Rectangle::around(&frame, &view, [400, 200]).unwrap();
        assert_eq!((all.origin, all.size), ([0, 0], [400, 200]));
    }
}
