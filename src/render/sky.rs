//! The backdrop above the floor.

use glam::Vec3;

use super::{Gpu, PipelineKind, PipelineParts};
use crate::scene::{CameraView, FrameData};

/// Beyond this the floor has the horizon's colour; as in ground.wgsl.
const FLOOR_FADED_M: f32 = 30.0;

/// A triangle over the picture, cut where the floor begins.
#[derive(Debug)]
pub(super) struct SkyPass {
    pipeline: wgpu::RenderPipeline,
}

impl SkyPass {
    pub fn new(gpu: &Gpu, parts: &PipelineParts<'_>) -> Self {
        let module = super::shader(gpu, "sky", super::SKY_WGSL);
        Self {
            pipeline: parts.pipeline(gpu, "sky", &module, &[], PipelineKind::Backdrop),
        }
    }

    pub fn encode(&self, pass: &mut wgpu::RenderPass<'_>, rows: u32, size: [u32; 2]) {
        if rows > 0 {
            pass.set_scissor_rect(0, 0, size[0], rows.min(size[1]));
            pass.set_pipeline(&self.pipeline);
            pass.draw(0..3, 0..1);
            pass.set_scissor_rect(0, 0, size[0], size[1]);
        }
    }
}

/// Rows of pixels from the top that show sky: the camera never rolls, so the
/// floor's far end is a horizontal line.
pub(super) fn sky_rows(frame: &FrameData, view: &CameraView, size: [u32; 2]) -> u32 {
    let above_ground = view.eye.y - frame.look.ground_y;
    if !frame.look.ground || above_ground <= 0.0 {
        return size[1];
    }
    let ahead = -frame.camera.direction();
    let level = Vec3::new(ahead.x, 0.0, ahead.z).normalize_or(Vec3::Z);
    let far = view.eye + level * FLOOR_FADED_M - Vec3::Y * above_ground;
    match view.project(far) {
        Some(at) => ((at.y * size[1] as f32).ceil() + 2.0).clamp(0.0, size[1] as f32) as u32,
        None => size[1],
    }
}
