//! The backdrop above the floor.

use glam::Vec3;

use super::{
    drawable::{DrawPhase, Drawable, FrameContext},
    pipeline::{LazyPipeline, PassKind, PipelineDescription},
    shader::Shader,
};
use crate::scene::{CameraView, FrameData};

/// Beyond this the floor has the horizon's colour; as in ground.wgsl.
const FLOOR_FADED_M: f32 = 30.0;

/// One triangle that reaches past the picture: no diagonal to shade twice.
const SKY: PipelineDescription = PipelineDescription {
    topology: wgpu::PrimitiveTopology::TriangleList,
    ..PipelineDescription::quad("sky", Shader::Sky, PassKind::Backdrop)
};

/// Cut where the floor begins.
#[derive(Debug)]
pub(super) struct SkyDrawable {
    pipeline: LazyPipeline,
    /// Pixels of the picture, and its rows from the top that show sky.
    size: [u32; 2],
    rows: u32,
}

impl SkyDrawable {
    pub const fn new() -> Self {
        Self {
            pipeline: LazyPipeline::new(SKY),
            size: [0; 2],
            rows: 0,
        }
    }
}

impl Drawable for SkyDrawable {
    fn prepare(&mut self, context: &mut FrameContext<'_>) {
        self.size = context.size;
        self.rows = match context.frame.look.transparent {
            true => 0,
            false => sky_rows(context.frame, &context.view, context.size).min(context.size[1]),
        };
        if self.rows > 0 {
            self.pipeline.prepare(context);
        }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'static>, phase: DrawPhase) {
        let pipeline = self.pipeline.current().filter(|_| self.rows > 0);
        if let (DrawPhase::Backdrop, Some(pipeline)) = (phase, pipeline) {
            let [width, height] = self.size;
            pass.set_scissor_rect(0, 0, width, self.rows);
            pass.set_pipeline(pipeline);
            pass.draw(0..3, 0..1);
            pass.set_scissor_rect(0, 0, width, height);
        }
    }
}

/// Rows of pixels from the top that show sky: the floor's far end is a
/// horizontal line, but in a camera of a file that rolls.
fn sky_rows(frame: &FrameData, view: &CameraView, size: [u32; 2]) -> u32 {
    let above_ground = view.eye.y - frame.look.ground_y;
    let rolls = frame.camera.through.is_some_and(|it| it.rolls());
    if !frame.look.ground || above_ground <= 0.0 || rolls {
        return size[1];
    }
    let ahead = frame.camera.forward();
    let level = Vec3::new(ahead.x, 0.0, ahead.z).normalize_or(Vec3::Z);
    let far = view.eye + level * FLOOR_FADED_M - Vec3::Y * above_ground;
    match view.project(far) {
        // Two rows more, as the floor's smooth edge ends in the horizon's colour.
        Some(at) => ((at.y * size[1] as f32).ceil() + 2.0).clamp(0.0, size[1] as f32) as u32,
        None => size[1],
    }
}
