//! The shape that everything drawn has: prepare once a frame, then draw in
//! whichever phases it takes part in.

use super::{
    Gpu, ShadowFit, options::ShaderOptions, pipeline::PipelineBuilder, rectangle::PixelRectangle,
};
use crate::scene::{CameraView, FrameData};

/// The phases of a frame in their order. The shadow has a pass of its own, the
/// foreground is drawn by the next two, the backdrop last, as it costs least
/// where it goes straight into the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DrawPhase {
    /// Depth from the key light.
    Shadow,
    /// What hides what is behind it.
    Opaque,
    /// What blends over the opaque.
    Transparent,
    /// The picture itself: sky, floor, the foreground over them, text.
    Backdrop,
}

/// What a drawable finds when it prepares a frame.
pub(super) struct FrameContext<'a> {
    pub gpu: &'a Gpu,
    pub encoder: &'a mut wgpu::CommandEncoder,
    pub builder: &'a mut PipelineBuilder,
    pub frame: &'a FrameData,
    pub view: CameraView,
    /// The picture's, in pixels.
    pub size: [u32; 2],
    /// The foreground's part of the picture, if it has any.
    pub rectangle: Option<PixelRectangle>,
    pub shadow_fit: ShadowFit,
    pub options: ShaderOptions,
    /// Whether anything opaque is there to cast a shadow; known once skins,
    /// meshes and cloth are prepared.
    pub has_casters: bool,
}

/// One Rust file and one WGSL file of the same name.
pub(super) trait Drawable {
    /// Uploads what the frame shows of it and makes its pipelines ready.
    fn prepare(&mut self, context: &mut FrameContext<'_>);

    /// Records its part of a phase. The pass outlives its encoder's borrow
    /// because egui's painter, which draws the text, asks for that.
    fn draw(&self, pass: &mut wgpu::RenderPass<'static>, phase: DrawPhase);
}
