//! Adapter and device, with every failure as a value.

use std::sync::{Arc, Mutex, PoisonError};

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// The system offers nothing to draw with.
    #[error(
        "no graphics adapter found: install a Vulkan driver (Debian and Ubuntu: \
         `apt install mesa-vulkan-drivers libvulkan1`, Fedora: `dnf install \
         mesa-vulkan-drivers vulkan-loader`, Arch: `pacman -S vulkan-swrast`)"
    )]
    NoAdapter,
    /// The adapter lacks what the shaders need.
    #[error("the graphics adapter {name} lacks {missing}; a newer driver may help")]
    Unfit {
        /// Its name.
        name: String,
        /// What is missing.
        missing: String,
    },
    /// The adapter would not open.
    #[error("the graphics adapter {name} cannot be opened: {reason}")]
    NoDevice {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// The device went away; a new one must be made.
    #[error("the graphics device was lost: {0}")]
    Lost(String),
    /// A picture larger than the adapter can hold.
    #[error("{width}×{height} pixels are beyond this adapter, which ends at {limit} a side")]
    TooLarge {
        /// Asked for.
        width: u32,
        /// Asked for.
        height: u32,
        /// Most pixels a side.
        limit: u32,
    },
    /// A picture without pixels.
    #[error("a picture needs at least one pixel a side")]
    ZeroSize,
    /// The driver refused a call.
    #[error("the graphics driver reports: {0}")]
    Driver(String),
}

/// An open device.
#[derive(Debug)]
pub struct Gpu {
    /// Where surfaces are made.
    pub instance: wgpu::Instance,
    /// What it was opened on.
    pub adapter: wgpu::Adapter,
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// Name, kind and driver.
    pub info: wgpu::AdapterInfo,
    faults: Arc<Mutex<Option<GpuError>>>,
}

impl Gpu {
    /// Opens the best adapter without a window.
    pub fn offscreen() -> Result<Self, GpuError> {
        // OpenGL last: merely asking for it makes Mesa write to stderr.
        let open = |backends| {
            let descriptor = wgpu::InstanceDescriptor {
                backends,
                ..instance_descriptor()
            };
            pollster::block_on(Self::open(wgpu::Instance::new(descriptor), None))
        };
        match open(wgpu::Backends::PRIMARY) {
            Err(GpuError::NoAdapter) => open(wgpu::Backends::SECONDARY),
            opened => opened,
        }
    }

    /// Opens the best adapter, one that can draw to `surface` if given.
    pub async fn open(
        instance: wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<Self, GpuError> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..wgpu::RequestAdapterOptions::default()
        };
        let adapter = instance
            .request_adapter(&options)
            .await
            .map_err(|_| GpuError::NoAdapter)?;
        let info = adapter.get_info();
        check_abilities(&adapter, &info.name)?;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("kinetoscope"),
            required_limits: limits_for(&adapter),
            // For the clock, where there is one.
            required_features: adapter.features() & super::clock::FEATURES,
            // Small blocks: a viewer holds a few meshes and targets.
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = adapter
            .request_device(&descriptor)
            .await
            .map_err(|reason| GpuError::NoDevice {
                name: info.name.clone(),
                reason: reason.to_string(),
            })?;
        let faults = watch(&device);
        Ok(Self {
            instance,
            adapter,
            device,
            queue,
            info,
            faults,
        })
    }

    /// Whether pictures are made by the processor.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }

    /// The first fault since the last call, if any. Drivers report late, so
    /// this is asked after a frame, not after a call. A lost device stays lost.
    pub fn take_fault(&self) -> Result<(), GpuError> {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        match &*faults {
            Some(lost @ GpuError::Lost(_)) => Err(lost.clone()),
            _ => faults.take().map_or(Ok(()), Err),
        }
    }

    /// Gives the device up as a driver does that resets it: all that was made
    /// on it is void, and the next [`Self::take_fault`] says so. To rehearse
    /// what comes after.
    pub fn lose(&self) {
        note(&self.faults, GpuError::Lost("given up".into()));
        self.device.destroy();
    }

    /// Errors unless a picture of this size can be made.
    pub fn check_size(&self, width: u32, height: u32) -> Result<(), GpuError> {
        let limit = self.device.limits().max_texture_dimension_2d;
        if width == 0 || height == 0 {
            return Err(GpuError::ZeroSize);
        }
        if width > limit || height > limit {
            return Err(GpuError::TooLarge {
                width,
                height,
                limit,
            });
        }
        Ok(())
    }
}

/// The instance to make windows' surfaces with.
#[must_use]
pub fn instance_descriptor() -> wgpu::InstanceDescriptor {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    // Debug builds would otherwise load the validation layers, which double
    // the time of a frame; tests validate the shaders themselves.
    descriptor.flags = wgpu::InstanceFlags::empty().with_env();
    descriptor
}

fn check_abilities(adapter: &wgpu::Adapter, name: &str) -> Result<(), GpuError> {
    let able = adapter.get_downlevel_capabilities().flags;
    if able.contains(wgpu::DownlevelFlags::VERTEX_STORAGE) {
        return Ok(());
    }
    Err(GpuError::Unfit {
        name: name.to_owned(),
        missing: "storage buffers in vertex shaders".into(),
    })
}

/// What every adapter of the last decade has, with this one's own sizes.
fn limits_for(adapter: &wgpu::Adapter) -> wgpu::Limits {
    let own = adapter.limits();
    wgpu::Limits {
        max_buffer_size: own.max_buffer_size,
        max_storage_buffer_binding_size: own.max_storage_buffer_binding_size,
        ..wgpu::Limits::downlevel_defaults().using_resolution(own)
    }
}

/// The first fault stays until it is taken; a loss outweighs all others.
fn note(faults: &Mutex<Option<GpuError>>, fault: GpuError) {
    let mut first = faults.lock().unwrap_or_else(PoisonError::into_inner);
    if first.is_none() || matches!(fault, GpuError::Lost(_)) {
        *first = Some(fault);
    }
}

fn watch(device: &wgpu::Device) -> Arc<Mutex<Option<GpuError>>> {
    let faults = Arc::new(Mutex::new(None));
    let shared = Arc::clone(&faults);
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        note(&shared, GpuError::Driver(error.to_string()));
    }));
    let shared = Arc::clone(&faults);
    device.set_device_lost_callback(move |reason, message| {
        // Dropping the device calls this too; that is no fault.
        if reason != wgpu::DeviceLostReason::Destroyed {
            note(&shared, GpuError::Lost(message));
        }
    });
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_adapter_names_what_to_install() {
        let message = GpuError::NoAdapter.to_string();
        assert!(message.contains("mesa-vulkan-drivers"));
    }

    #[test]
    fn sizes_are_checked_before_anything_is_made() {
        let gpu = Gpu::offscreen().unwrap();
        assert_eq!(gpu.check_size(0, 5), Err(GpuError::ZeroSize));
        assert!(matches!(
            gpu.check_size(1_000_000, 5),
            Err(GpuError::TooLarge { .. })
        ));
        assert_eq!(gpu.check_size(640, 480), Ok(()));
        assert_eq!(gpu.take_fault(), Ok(()));
    }
}
