//! The window's picture: scene and interface into one surface image.

use std::{sync::Arc, thread::JoinHandle};

use egui_wgpu::{RendererOptions, ScreenDescriptor};
use winit::window::Window;

use super::{
    Outbox,
    presenter::{Job, Presenter},
};
use crate::{
    render::{
        Gpu, GpuClock, GpuError, Quality, Renderer, WindowFrame, WindowTarget, instance_descriptor,
    },
    scene::FrameData,
};

/// The interface, ready to be drawn.
pub struct Paint {
    /// Triangles.
    pub jobs: Vec<egui::ClippedPrimitive>,
    /// Textures that changed.
    pub textures: egui::TexturesDelta,
    /// Pixels a point.
    pub pixels_per_point: f32,
}

/// A device that is being opened while the window is.
pub struct GpuSoon(JoinHandle<Result<Gpu, GpuError>>);

impl GpuSoon {
    /// Begins to open the best adapter.
    #[must_use]
    pub fn begin() -> Self {
        Self(std::thread::spawn(Gpu::offscreen))
    }

    /// The device and a surface of the window that it can draw to.
    fn meet(self, window: &Arc<Window>) -> Result<(Gpu, wgpu::Surface<'static>), GpuError> {
        if let Ok(Ok(gpu)) = self.0.join() {
            let surface = surface_of(&gpu.instance, window)?;
            if gpu.adapter.is_surface_supported(&surface) {
                return Ok((gpu, surface));
            }
        }
        // The best adapter is not the one that drives this screen.
        let instance = wgpu::Instance::new(instance_descriptor());
        let surface = surface_of(&instance, window)?;
        let gpu = pollster::block_on(Gpu::open(instance, Some(&surface)))?;
        Ok((gpu, surface))
    }
}

fn surface_of(
    instance: &wgpu::Instance,
    window: &Arc<Window>,
) -> Result<wgpu::Surface<'static>, GpuError> {
    instance
        .create_surface(Arc::clone(window))
        .map_err(|error| GpuError::Driver(error.to_string()))
}

/// Device, surface and renderers.
pub struct Graphics {
    /// Only where drawing is the processor's work. First, so that its frame is
    /// drawn before anything it draws with is gone.
    presenter: Option<Presenter>,
    window: Arc<Window>,
    /// The device.
    pub gpu: Gpu,
    target: WindowTarget,
    moving: Option<Renderer>,
    still: Option<Renderer>,
    panels: egui_wgpu::Renderer,
    clock: Option<GpuClock>,
    /// Taken over before the next frame.
    new_size: Option<[u32; 2]>,
}

/// Who waits for a frame to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The caller.
    Here,
    /// A thread, where the adapter is a processor; see [`Graphics::is_busy`].
    Elsewhere,
}

impl Graphics {
    /// Draws to the window with the device that was asked for.
    pub fn new(window: &Arc<Window>, gpu: GpuSoon, outbox: &Outbox) -> Result<Self, GpuError> {
        let (gpu, surface) = gpu.meet(window)?;
        let size = window.inner_size();
        let target = WindowTarget::new(&gpu, surface, [size.width, size.height])?;
        let panels = egui_wgpu::Renderer::new(
            &gpu.device,
            target.interface_format(),
            RendererOptions {
                dithering: false,
                ..RendererOptions::default()
            },
        );
        Ok(Self {
            window: Arc::clone(window),
            clock: GpuClock::new(&gpu),
            presenter: gpu
                .is_software()
                .then(|| Presenter::new(&gpu.queue, outbox)),
            new_size: None,
            gpu,
            target,
            moving: None,
            still: None,
            panels,
        })
    }

    /// Pixels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        self.target.size()
    }

    /// What the adapter took for a recent frame, where it has a clock.
    #[must_use]
    pub fn gpu_ms(&self) -> Option<f32> {
        self.clock.as_ref().and_then(GpuClock::last_ms)
    }

    /// Follows the window, with the next frame: the surface may be in use.
    pub fn resize(&mut self, size: [u32; 2]) {
        self.new_size = Some(size);
    }

    /// Whether a frame is still being drawn; no other can be begun.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.presenter.as_ref().is_some_and(Presenter::is_busy)
    }

    /// To be called once a frame is shown.
    pub fn shown(&mut self) -> Result<(), GpuError> {
        if let Some(clock) = &mut self.clock {
            clock.submitted();
        }
        self.gpu.take_fault()
    }

    /// Draws a frame; false when there was nothing to draw to.
    pub fn draw(
        &mut self,
        frame: &FrameData,
        paint: &mut Paint,
        moving: bool,
        wait: Wait,
    ) -> Result<bool, GpuError> {
        if let Some(size) = self.new_size.take() {
            self.target.resize(&self.gpu, size);
        }
        if let Err(lost @ GpuError::Lost(_)) = self.gpu.take_fault() {
            // Nothing can be made on it any more; a new device starts afresh.
            paint.textures.clear();
            return Err(lost);
        }
        // Changes of textures are told once: they must be taken over even when
        // this frame is not drawn.
        self.upload(&mut paint.textures);
        let texture = match self.target.acquire(&self.gpu) {
            WindowFrame::Draw(texture) => texture,
            WindowFrame::Skip => {
                self.free(&mut paint.textures);
                return Ok(false);
            }
            WindowFrame::Lost => {
                self.free(&mut paint.textures);
                self.renew_surface()?;
                return Ok(false);
            }
        };
        let views = self.target.views(&texture);
        let mut encoder = self.encoder();
        if let Some(clock) = &mut self.clock {
            clock.begin(&self.gpu, &mut encoder);
        }
        let size = self.target.size();
        self.encode_scene(&mut encoder, frame, (&views[0], size), moving);
        self.encode_panels(&mut encoder, paint, &views[1]);
        if let Some(clock) = &mut self.clock {
            clock.end(&mut encoder);
        }
        // Not before: this frame's panels may still use them.
        self.free(&mut paint.textures);
        // Lets the window system pace redraws by what is shown.
        self.window.pre_present_notify();
        let commands = encoder.finish();
        let job = Job { commands, texture };
        match &self.presenter {
            Some(presenter) if wait == Wait::Elsewhere => presenter.begin(job),
            _ => {
                job.run(&self.gpu.queue);
                self.shown()?;
            }
        }
        Ok(true)
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        self.gpu.device.create_command_encoder(&descriptor)
    }

    fn renew_surface(&mut self) -> Result<(), GpuError> {
        let surface = surface_of(&self.gpu.instance, &self.window)?;
        self.target = WindowTarget::new(&self.gpu, surface, self.target.size())?;
        Ok(())
    }

    fn encode_scene(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        frame: &FrameData,
        (view, size): (&wgpu::TextureView, [u32; 2]),
        moving: bool,
    ) {
        let cheap = moving && self.gpu.is_software();
        let (slot, quality) = if cheap {
            (&mut self.moving, Quality::SOFTWARE_MOVING)
        } else {
            (&mut self.still, Quality::for_adapter(&self.gpu))
        };
        let format = self.target.scene_format();
        // When first needed: with a graphics card the cheap one is never made.
        let renderer = slot.get_or_insert_with(|| Renderer::new(&self.gpu, format, quality));
        renderer.encode(&self.gpu, encoder, frame, view, size);
    }

    fn encode_panels(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        paint: &Paint,
        view: &wgpu::TextureView,
    ) {
        let screen = ScreenDescriptor {
            size_in_pixels: self.target.size(),
            pixels_per_point: paint.pixels_per_point,
        };
        let (device, queue) = (&self.gpu.device, &self.gpu.queue);
        self.panels
            .update_buffers(device, queue, encoder, &paint.jobs, &screen);
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("panels"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    // Over the scene, which is in this image already.
                    load: wgpu::LoadOp::Load,
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        self.panels
            .render(&mut pass.forget_lifetime(), &paint.jobs, &screen);
    }

    /// Brings the interface's textures up to date.
    pub fn upload(&mut self, textures: &mut egui::TexturesDelta) {
        for (id, deltas) in &textures.set {
            for delta in deltas {
                self.panels
                    .update_texture(&self.gpu.device, &self.gpu.queue, *id, delta);
            }
        }
    }

    fn free(&mut self, textures: &mut egui::TexturesDelta) {
        for id in &textures.free {
            self.panels.free_texture(id);
        }
        // All applied: the list insists on being told.
        textures.clear();
    }

    /// The picture without the interface and centred, at a size of its own or the
    /// window's.
    pub fn picture(
        &mut self,
        frame: &FrameData,
        size: Option<[u32; 2]>,
    ) -> Result<([u32; 2], Vec<u8>), GpuError> {
        let most = self.gpu.device.limits().max_texture_dimension_2d;
        let size = size.unwrap_or(self.target.size());
        let size = size.map(|side| side.clamp(1, most));
        let mut centred = frame.clone();
        centred.camera = frame.camera.for_picture();
        self.read_picture(&centred, None, size)
    }

    /// The window as it is, read back.
    pub fn screenshot(
        &mut self,
        frame: &FrameData,
        paint: &Paint,
    ) -> Result<([u32; 2], Vec<u8>), GpuError> {
        self.read_picture(frame, Some(paint), self.target.size())
    }

    /// In full quality.
    fn read_picture(
        &mut self,
        frame: &FrameData,
        paint: Option<&Paint>,
        size: [u32; 2],
    ) -> Result<([u32; 2], Vec<u8>), GpuError> {
        let format = self.target.interface_format();
        let texture = self.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("screenshot"),
            size: wgpu::Extent3d {
                width: size[0],
                height: size[1],
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[self.target.scene_format()],
        });
        let view_as = |format| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                format: Some(format),
                ..wgpu::TextureViewDescriptor::default()
            })
        };
        // One texture seen in two ways: the scene is blended in linear light,
        // the interface in encoded values, as its colours are meant.
        let (scene, interface) = (view_as(self.target.scene_format()), view_as(format));
        let mut encoder = self.encoder();
        self.encode_scene(&mut encoder, frame, (&scene, size), false);
        if let Some(paint) = paint {
            self.encode_panels(&mut encoder, paint, &interface);
        }
        let mut rgba = self.read_back(encoder, &texture, size)?;
        let swapped = matches!(
            format,
            wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Bgra8UnormSrgb
        );
        for pixel in rgba.chunks_exact_mut(4) {
            if swapped {
                pixel.swap(0, 2);
            }
            // What blending left in the window's alpha is no part of a picture.
            pixel[3] = 255;
        }
        Ok((size, rgba))
    }

    fn read_back(
        &self,
        mut encoder: wgpu::CommandEncoder,
        texture: &wgpu::Texture,
        size: [u32; 2],
    ) -> Result<Vec<u8>, GpuError> {
        // Rows of a copy begin at multiples of 256 bytes.
        let row = (size[0] * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("screenshot"),
            size: u64::from(row) * u64::from(size[1]),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(row),
                    rows_per_image: None,
                },
            },
            texture.size(),
        );
        self.gpu.queue.submit([encoder.finish()]);
        let slice = buffer.slice(..);
        // Whether it worked shows when the range is asked for.
        slice.map_async(wgpu::MapMode::Read, |_| {});
        let driver = |error: String| GpuError::Driver(error);
        self.gpu
            .device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|error| driver(error.to_string()))?;
        self.gpu.take_fault()?;
        let rows = slice
            .get_mapped_range()
            .map_err(|error| driver(error.to_string()))?;
        let used = size[0] as usize * 4;
        Ok(rows
            .chunks_exact(row as usize)
            .flat_map(|bytes| bytes[..used].iter().copied())
            .collect())
    }
}
