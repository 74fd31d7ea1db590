//! A window's surface: configured, reconfigured when outdated, made anew when
//! lost, left alone while the window has no area.

use super::{Gpu, GpuError};

/// What came of asking for the next image of a window.
#[derive(Debug)]
pub enum WindowFrame {
    /// Draw into this, then present it on the device's queue.
    Draw(wgpu::SurfaceTexture),
    /// Nothing to draw to at the moment: zero-sized, hidden, or just
    /// reconfigured. Try again with the next frame.
    Skip,
    /// The surface is gone: make a new [`WindowTarget`] on the same device.
    Lost,
}

/// A surface and how it is set up.
#[derive(Debug)]
pub struct WindowTarget {
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    configured: bool,
}

impl WindowTarget {
    /// Chooses format and presentation for a surface; `size` may be zero.
    pub fn new(
        gpu: &Gpu,
        surface: wgpu::Surface<'static>,
        size: [u32; 2],
    ) -> Result<Self, GpuError> {
        let [width, height] = size.map(|side| side.max(1));
        let unfit = || GpuError::Unfit {
            name: gpu.info.name.clone(),
            missing: "support for this window".into(),
        };
        let mut config = surface
            .get_default_config(&gpu.adapter, width, height)
            .ok_or_else(unfit)?;
        let able = surface.get_capabilities(&gpu.adapter);
        // The interface draws in gamma space, the scene in linear light: one
        // texture, seen through two formats.
        config.format = config.format.remove_srgb_suffix();
        if !able.formats.contains(&config.format) {
            config.format = *able.formats.first().ok_or_else(unfit)?;
        }
        config.view_formats = vec![config.format.add_srgb_suffix()];
        config.present_mode = wgpu::PresentMode::AutoVsync;
        let mut target = Self {
            surface,
            config,
            configured: false,
        };
        target.resize(gpu, size);
        Ok(target)
    }

    /// Format the scene is drawn in.
    #[must_use]
    pub fn scene_format(&self) -> wgpu::TextureFormat {
        self.config.format.add_srgb_suffix()
    }

    /// Format the interface is drawn in.
    #[must_use]
    pub fn interface_format(&self) -> wgpu::TextureFormat {
        self.config.format
    }

    /// Pixels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        [self.config.width, self.config.height]
    }

    /// Follows the window; a size of zero pauses drawing.
    pub fn resize(&mut self, gpu: &Gpu, size: [u32; 2]) {
        let limit = gpu.device.limits().max_texture_dimension_2d;
        // A surface without area cannot be configured: minimised windows have one.
        self.configured = size[0] > 0 && size[1] > 0;
        if self.configured {
            [self.config.width, self.config.height] = size.map(|side| side.min(limit));
            self.surface.configure(&gpu.device, &self.config);
        }
    }

    /// The next image to draw to.
    pub fn acquire(&mut self, gpu: &Gpu) -> WindowFrame {
        use wgpu::CurrentSurfaceTexture as Current;
        if !self.configured {
            return WindowFrame::Skip;
        }
        match self.surface.get_current_texture() {
            Current::Success(texture) => WindowFrame::Draw(texture),
            Current::Suboptimal(_) | Current::Outdated => {
                self.surface.configure(&gpu.device, &self.config);
                WindowFrame::Skip
            }
            // None of these lasts; the window asks again with its next frame.
            Current::Timeout | Current::Occluded | Current::Validation => WindowFrame::Skip,
            Current::Lost => WindowFrame::Lost,
        }
    }

    /// The same image as the scene and as the interface see it.
    #[must_use]
    pub fn views(&self, texture: &wgpu::SurfaceTexture) -> [wgpu::TextureView; 2] {
        [self.scene_format(), self.interface_format()].map(|format| {
            texture.texture.create_view(&wgpu::TextureViewDescriptor {
                format: Some(format),
                ..wgpu::TextureViewDescriptor::default()
            })
        })
    }
}
