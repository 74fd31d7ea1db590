//! Buffers filled once, and buffers refilled every frame.

use super::Gpu;

/// A buffer filled once.
pub(super) fn buffer_of<T: bytemuck::Pod>(
    gpu: &Gpu,
    label: &str,
    usage: wgpu::BufferUsages,
    content: &[T],
) -> wgpu::Buffer {
    let bytes: &[u8] = bytemuck::cast_slice(content);
    // Not `create_buffer_init`, which panics on a device that was lost.
    let size = (bytes.len() as u64).max(wgpu::COPY_BUFFER_ALIGNMENT);
    let buffer = buffer_sized(gpu, label, usage, size);
    if !bytes.is_empty() {
        gpu.queue.write_buffer(&buffer, 0, bytes);
    }
    buffer
}

/// An empty buffer that can be written to.
pub(super) fn buffer_sized(
    gpu: &Gpu,
    label: &str,
    usage: wgpu::BufferUsages,
    size: u64,
) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// A buffer refilled every frame, made anew when it gets too small.
#[derive(Debug)]
pub(super) struct GrowBuffer {
    buffer: wgpu::Buffer,
    label: &'static str,
    usage: wgpu::BufferUsages,
}

impl GrowBuffer {
    /// Bytes before anything is known of the content; a bind group wants more than none.
    const FIRST_SIZE: u64 = 256;

    pub fn new(gpu: &Gpu, label: &'static str, usage: wgpu::BufferUsages) -> Self {
        Self {
            buffer: buffer_sized(gpu, label, usage, Self::FIRST_SIZE),
            label,
            usage,
        }
    }

    /// Uploads; true when the buffer was replaced and bindings must follow.
    pub fn write<T: bytemuck::Pod>(&mut self, gpu: &Gpu, content: &[T]) -> bool {
        self.write_all(gpu, std::iter::once(content))
    }

    /// The same for slices that are to lie one behind the other.
    pub fn write_all<'a, T: bytemuck::Pod>(
        &mut self,
        gpu: &Gpu,
        parts: impl Iterator<Item = &'a [T]> + Clone,
    ) -> bool {
        let needed: usize = parts.clone().map(size_of_val).sum();
        let grows = needed as u64 > self.buffer.size();
        if grows {
            // Powers of two: a crowd that grows one by one seldom needs a new one.
            let size = (needed as u64).next_power_of_two();
            self.buffer = buffer_sized(gpu, self.label, self.usage, size);
        }
        let mut offset = 0;
        for part in parts.filter(|part| !part.is_empty()) {
            let bytes: &[u8] = bytemuck::cast_slice(part);
            gpu.queue.write_buffer(&self.buffer, offset, bytes);
            offset += bytes.len() as u64;
        }
        grows
    }

    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}
