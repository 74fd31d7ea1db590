//! How long the adapter takes for a frame, by its own clock.
//!
//! Two timestamps around everything that is recorded, read back without
//! waiting: the answer is a frame or two old. An adapter without timestamps
//! gives none.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::Gpu;

/// What an adapter must be able to do.
pub(super) const FEATURES: wgpu::Features =
    wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

/// Two 64-bit counters.
const BYTES: u64 = 16;

/// A pair of timestamps, one frame under way at a time.
#[derive(Debug)]
pub struct GpuClock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    ms_per_tick: f64,
    /// Set by the driver once the last frame's numbers can be read.
    arrived: Arc<AtomicBool>,
    under_way: bool,
    measures: bool,
    last_ms: Option<f32>,
}

impl GpuClock {
    /// A clock, where the adapter has one.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Option<Self> {
        let device = &gpu.device;
        if !device.features().contains(FEATURES) {
            return None;
        }
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("clock"),
                size: BYTES,
                usage,
                mapped_at_creation: false,
            })
        };
        use wgpu::BufferUsages as Usage;
        Some(Self {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("clock"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: buffer(Usage::QUERY_RESOLVE | Usage::COPY_SRC),
            readable: buffer(Usage::COPY_DST | Usage::MAP_READ),
            // The period is in nanoseconds.
            ms_per_tick: f64::from(gpu.queue.get_timestamp_period()) * 1e-6,
            arrived: Arc::default(),
            under_way: false,
            measures: false,
            last_ms: None,
        })
    }

    /// The latest known time.
    #[must_use]
    pub fn last_ms(&self) -> Option<f32> {
        self.last_ms
    }

    /// Before anything is recorded.
    pub fn begin(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) {
        self.read(gpu);
        // The buffer stays mapped until it is read: one frame at a time.
        self.measures = !self.under_way;
        if self.measures {
            encoder.write_timestamp(&self.queries, 0);
        }
    }

    /// After everything is recorded.
    pub fn end(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if self.measures {
            encoder.write_timestamp(&self.queries, 1);
            encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readable, 0, BYTES);
        }
    }

    /// After it was submitted.
    pub fn submitted(&mut self) {
        if std::mem::take(&mut self.measures) {
            self.under_way = true;
            let arrived = Arc::clone(&self.arrived);
            let slice = self.readable.slice(..);
            slice.map_async(wgpu::MapMode::Read, move |outcome| {
                arrived.store(outcome.is_ok(), Ordering::Release);
            });
        }
    }

    /// Takes in the numbers of an earlier frame, if they are there.
    fn read(&mut self, gpu: &Gpu) {
        if !self.under_way {
            return;
        }
        // Runs callbacks; what is not done yet is asked for again next time.
        let _ = gpu.device.poll(wgpu::PollType::Poll);
        if !self.arrived.swap(false, Ordering::AcqRel) {
            return;
        }
        if let Ok(bytes) = self.readable.slice(..).get_mapped_range() {
            let ticks: &[u64] = bytemuck::cast_slice(&bytes);
            let taken = ticks[1].saturating_sub(ticks[0]) as f64 * self.ms_per_tick;
            self.last_ms = Some(taken as f32);
        }
        self.readable.unmap();
        self.under_way = false;
    }
}
