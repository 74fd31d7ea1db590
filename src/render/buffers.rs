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

/// Meshes that stay on the GPU though the frame does not show them.
const KEPT_UNSEEN: usize = 4;

/// Keeps what the frame shows and, of what it does not but might again, what
/// was shown last: whoever goes through thousands of files holds on to none of
/// their buffers.
pub(super) fn keep_recent<T>(
    all: &mut Vec<T>,
    is_shown: impl Fn(&T) -> bool,
    may_return: impl Fn(&T) -> bool,
) {
    // The sort is stable: those shown before come before those shown earlier.
    all.sort_by_key(|it| !is_shown(it));
    let shown = all.partition_point(&is_shown);
    let mut unseen = 0;
    let mut index = 0;
    all.retain(|it| {
        index += 1;
        let keeps = index <= shown || (unseen < KEPT_UNSEEN && may_return(it));
        unseen += usize::from(keeps && index > shown);
        keeps
    });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_stays_and_of_the_rest_what_was_shown_last() {
        let mut all: Vec<u32> = Vec::new();
        for shown in 0..20 {
            all.push(shown);
            keep_recent(&mut all, |it| *it == shown, |it| *it != 17);
        }
        // 17 never returns.
        assert_eq!(all, [19, 18, 16, 15, 14]);
        keep_recent(&mut all, |it| *it > 14, |_| false);
        assert_eq!(all, [19, 18, 16, 15]);
    }
}
