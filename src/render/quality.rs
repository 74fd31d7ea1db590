//! What a picture may cost.

use super::Gpu;

/// Samples and shadows, by which a software adapter's time goes.
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
    /// Everything, with a shadow map a processor can fill: a seventh of the
    /// texels.
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
