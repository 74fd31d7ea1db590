//! Pictures without a window.

use super::{
    Gpu, GpuError, Quality, Renderer,
    textures::{extent, texture_2d},
};
use crate::scene::FrameData;

/// sRGB, eight bits a channel.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// A picture in memory: rows from the top, four bytes a pixel, sRGB, opacity
/// not multiplied in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Red, green, blue, opacity.
    pub rgba: Vec<u8>,
}

impl Picture {
    /// One pixel.
    ///
    /// # Panics
    /// When it lies outside.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        let at = ((y * self.width + x) * 4) as usize;
        [0, 1, 2, 3].map(|channel| self.rgba[at + channel])
    }
}

/// A renderer with a target of its own.
#[derive(Debug)]
pub struct Offscreen {
    renderer: Renderer,
    target: wgpu::Texture,
    readback: wgpu::Buffer,
    size: [u32; 2],
}

impl Offscreen {
    /// For pictures of `size` pixels.
    pub fn new(gpu: &Gpu, size: [u32; 2], quality: Quality) -> Result<Self, GpuError> {
        let [width, height] = size;
        // On a lost device some of what follows would panic.
        gpu.take_fault()?;
        gpu.check_size(width, height)?;
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        let descriptor = texture_2d("picture", size, FORMAT, usage);
        let target = gpu.device.create_texture(&descriptor);
        let readback = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size: u64::from(row_bytes(width)) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let renderer = Renderer::new(gpu, FORMAT, quality);
        gpu.take_fault()?;
        Ok(Self {
            renderer,
            target,
            readback,
            size,
        })
    }

    /// Draws a frame and leaves it on the GPU: what a window costs.
    pub fn draw(&mut self, gpu: &Gpu, frame: &FrameData) -> Result<(), GpuError> {
        let encoder = self.encode(gpu, frame);
        gpu.queue.submit([encoder.finish()]);
        wait(gpu)
    }

    /// Records a frame without drawing it: the processor's part of the work.
    pub fn record(&mut self, gpu: &Gpu, frame: &FrameData) -> wgpu::CommandBuffer {
        self.encode(gpu, frame).finish()
    }

    /// Draws a frame and reads it back.
    pub fn render(&mut self, gpu: &Gpu, frame: &FrameData) -> Result<Picture, GpuError> {
        let mut encoder = self.encode(gpu, frame);
        encoder.copy_texture_to_buffer(
            self.target.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &self.readback,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(row_bytes(self.size[0])),
                    rows_per_image: None,
                },
            },
            extent(self.size),
        );
        gpu.queue.submit([encoder.finish()]);
        let mut picture = self.read(gpu)?;
        if frame.look.transparent {
            unmultiply(&mut picture.rgba);
        }
        Ok(picture)
    }

    /// Waits for the copy and takes the padding off its rows.
    fn read(&self, gpu: &Gpu) -> Result<Picture, GpuError> {
        let [width, height] = self.size;
        let slice = self.readback.slice(..);
        slice.map_async(wgpu::MapMode::Read, |_| {});
        wait(gpu)?;
        let rows = slice
            .get_mapped_range()
            .map_err(|e| GpuError::Driver(e.to_string()))?;
        let mut rgba = Vec::with_capacity((width * height * 4) as usize);
        for row in rows.chunks_exact(row_bytes(width) as usize) {
            rgba.extend_from_slice(&row[..width as usize * 4]);
        }
        drop(rows);
        self.readback.unmap();
        Ok(Picture {
            width,
            height,
            rgba,
        })
    }

    fn encode(&mut self, gpu: &Gpu, frame: &FrameData) -> wgpu::CommandEncoder {
        let view = self
            .target
            .create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.renderer
            .encode(gpu, &mut encoder, frame, &view, self.size);
        encoder
    }
}

/// Rows in a copy buffer start at multiples of 256 bytes.
fn row_bytes(width: u32) -> u32 {
    (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT)
}

/// Waits for the GPU and passes on what it reports.
fn wait(gpu: &Gpu) -> Result<(), GpuError> {
    let polled = gpu.device.poll(wgpu::PollType::wait_indefinitely());
    gpu.take_fault()?;
    polled
        .map(|_| ())
        .map_err(|e| GpuError::Lost(e.to_string()))
}

/// Divides colour by opacity, in linear light: PNG keeps them apart.
fn unmultiply(rgba: &mut [u8]) {
    // The two halves of sRGB's curve (IEC 61966-2-1).
    let linear = |byte: u8| {
        let x = f32::from(byte) / 255.0;
        if x <= 0.04045 {
            x / 12.92
        } else {
            ((x + 0.055) / 1.055).powf(2.4)
        }
    };
    let encoded = |x: f32| {
        let x = x.clamp(0.0, 1.0);
        let y = if x <= 0.003_130_8 {
            x * 12.92
        } else {
            1.055 * x.powf(1.0 / 2.4) - 0.055
        };
        (y * 255.0).round() as u8
    };
    for pixel in rgba.chunks_exact_mut(4) {
        let opacity = f32::from(pixel[3]) / 255.0;
        if opacity > 0.0 && opacity < 1.0 {
            // Bytes are encoded products: decode, divide, encode.
            for channel in &mut pixel[..3] {
                *channel = encoded(linear(*channel) / opacity);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opacity_is_divided_out_in_linear_light() {
        // Linear 0.5 at half opacity is stored as 0.25: sRGB 137.
        let mut pixels = [137, 0, 0, 128, 9, 9, 9, 255, 0, 0, 0, 0];
        unmultiply(&mut pixels);
        assert_close!(i32::from(pixels[0]), 188, 1, "{}", pixels[0]);
        assert_eq!(pixels[4..], [9, 9, 9, 255, 0, 0, 0, 0]);
    }
}
