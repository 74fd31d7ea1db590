//! The floor: onto the picture itself, one sample a pixel, as its lines are
//! filtered by the shader; its shade over the small part that has any; and
//! depth alone where characters meet it.

use super::{
    drawable::{DrawPhase, Drawable, FrameContext},
    pipeline::{Blending, LazyPipeline, PassKind, PipelineDescription},
    shader::Shader,
};

const FLOOR: PipelineDescription =
    PipelineDescription::quad("ground", Shader::Ground, PassKind::Backdrop);
const SHADE: PipelineDescription = PipelineDescription {
    vertex: "shade_vertex",
    fragment: "shade_fragment",
    reads_options: true,
    blending: Blending::Over,
    ..PipelineDescription::quad("ground shade", Shader::Ground, PassKind::Backdrop)
};
const DEPTH: PipelineDescription = PipelineDescription {
    vertex: "depth_vertex",
    fragment: "depth_only",
    blending: Blending::DepthOnly,
    ..PipelineDescription::quad("ground depth", Shader::Ground, PassKind::Foreground)
};

/// Three quads, and which of them the frame shows.
#[derive(Debug)]
pub(super) struct GroundDrawable {
    floor: Quad,
    shade: Quad,
    depth: Quad,
}

#[derive(Debug)]
struct Quad {
    pipeline: LazyPipeline,
    is_shown: bool,
}

impl GroundDrawable {
    pub const fn new() -> Self {
        Self {
            floor: Quad::new(FLOOR),
            shade: Quad::new(SHADE),
            depth: Quad::new(DEPTH),
        }
    }
}

impl Drawable for GroundDrawable {
    fn prepare(&mut self, context: &mut FrameContext<'_>) {
        let look = &context.frame.look;
        let has_shade = context.has_casters && (context.shadow_fit.casts || look.occlusion);
        let has_foreground = context.rectangle.is_some();
        self.floor
            .prepare(context, look.ground && !look.transparent);
        self.shade.prepare(context, look.ground && has_shade);
        self.depth.prepare(context, look.ground && has_foreground);
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'static>, phase: DrawPhase) {
        match phase {
            // Before the characters: what sinks into the floor is hidden.
            DrawPhase::Opaque => self.depth.draw(pass),
            DrawPhase::Backdrop => {
                self.floor.draw(pass);
                self.shade.draw(pass);
            }
            DrawPhase::Shadow | DrawPhase::Transparent => {}
        }
    }
}

impl Quad {
    const fn new(description: PipelineDescription) -> Self {
        Self {
            pipeline: LazyPipeline::new(description),
            is_shown: false,
        }
    }

    fn prepare(&mut self, context: &mut FrameContext<'_>, is_shown: bool) {
        self.is_shown = is_shown;
        if is_shown {
            self.pipeline.prepare(context);
        }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'static>) {
        if let Some(pipeline) = self.pipeline.current().filter(|_| self.is_shown) {
            pass.set_pipeline(pipeline);
            pass.draw(0..4, 0..1);
        }
    }
}
