//! Text over the picture: joint names, the caption, the key to error colours.
//!
//! Laid out and rasterised by egui's painter, which brings fonts and
//! antialiasing; no widgets, no input. Costs nothing when a frame has no text.

use egui::{Align2, Color32, FontId, Pos2, Rect, Vec2};

use super::{
    Gpu,
    drawable::{DrawPhase, Drawable, FrameContext},
};
use crate::scene::{CameraView, FrameData, FreeArea, Legend, Theme, error_colour};

const TEXT_PX: f32 = 13.0;

/// A painter of its own, made with the first text.
pub(super) struct LabelsDrawable {
    format: wgpu::TextureFormat,
    painter: Option<TextPainter>,
    is_shown: bool,
}

/// egui without windows or input, and what it last laid out.
struct TextPainter {
    context: egui::Context,
    renderer: egui_wgpu::Renderer,
    primitives: Vec<egui::ClippedPrimitive>,
    screen: egui_wgpu::ScreenDescriptor,
    /// To give back once the last frame is recorded.
    unused_textures: Vec<egui::TextureId>,
}

impl std::fmt::Debug for LabelsDrawable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LabelsDrawable").finish_non_exhaustive()
    }
}

impl LabelsDrawable {
    pub const fn new(format: wgpu::TextureFormat) -> Self {
        Self {
            format,
            painter: None,
            is_shown: false,
        }
    }
}

impl Drawable for LabelsDrawable {
    fn prepare(&mut self, context: &mut FrameContext<'_>) {
        let frame = context.frame;
        self.is_shown =
            !frame.labels.is_empty() || frame.caption.is_some() || frame.legend.is_some();
        if self.is_shown {
            let make = || TextPainter::new(context.gpu, self.format);
            self.painter.get_or_insert_with(make).prepare(context);
        }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'static>, phase: DrawPhase) {
        let painter = self.painter.as_ref().filter(|_| self.is_shown);
        if let (DrawPhase::Backdrop, Some(painter)) = (phase, painter) {
            let TextPainter {
                renderer,
                primitives,
                screen,
                ..
            } = painter;
            renderer.render(pass, primitives, screen);
        }
    }
}

impl TextPainter {
    fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let options = egui_wgpu::RendererOptions::default();
        Self {
            context: egui::Context::default(),
            renderer: egui_wgpu::Renderer::new(&gpu.device, format, options),
            primitives: Vec::new(),
            screen: egui_wgpu::ScreenDescriptor {
                size_in_pixels: [0; 2],
                pixels_per_point: 1.0,
            },
            unused_textures: Vec::new(),
        }
    }

    fn prepare(&mut self, context: &mut FrameContext<'_>) {
        let Gpu { device, queue, .. } = context.gpu;
        for id in self.unused_textures.drain(..) {
            self.renderer.free_texture(&id);
        }
        let [width, height] = context.size.map(|pixels| pixels as f32);
        let area = Rect::from_min_size(Pos2::ZERO, Vec2::new(width, height));
        let input = egui::RawInput {
            screen_rect: Some(area),
            ..egui::RawInput::default()
        };
        let mut output = self.context.run_ui(input, |ui| {
            paint(ui.ctx(), context.frame, &context.view, area);
        });
        self.primitives = self.context.tessellate(output.shapes, 1.0);
        for (id, deltas) in &output.textures_delta.set {
            for delta in deltas {
                self.renderer.update_texture(device, queue, *id, delta);
            }
        }
        self.unused_textures.extend(&output.textures_delta.free);
        output.textures_delta.clear(); // all applied or kept
        self.screen.size_in_pixels = context.size;
        self.renderer.update_buffers(
            device,
            queue,
            context.encoder,
            &self.primitives,
            &self.screen,
        );
    }
}

/// From a point to its tag, and from a tag's rim to its text; pixels.
const TAG_GAP: f32 = 6.0;
const TAG_MARGIN: Vec2 = Vec2::new(4.0, 1.0);

fn colours(theme: Theme) -> [Color32; 2] {
    match theme {
        Theme::Dark => [Color32::from_gray(235), Color32::from_black_alpha(170)],
        Theme::Light => [Color32::from_gray(20), Color32::from_white_alpha(200)],
    }
}

fn paint(context: &egui::Context, frame: &FrameData, view: &CameraView, area: Rect) {
    let layer = egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("labels"));
    let painter = context.layer_painter(layer);
    let [ink, paper] = colours(frame.look.theme);
    let mut taken = Vec::with_capacity(frame.labels.len());
    for label in &frame.labels {
        if let Some(at) = view.project(label.at) {
            let at = Pos2::new(at.x * area.width(), at.y * area.height());
            let font = FontId::proportional(TEXT_PX);
            let galley = painter.layout_no_wrap(label.text.clone(), font, ink);
            let rect = free_rect(at, galley.size() + 2.0 * TAG_MARGIN, area, &taken);
            taken.push(rect);
            let near = rect.clamp(at);
            // A tag that had to go further out points back to what it names.
            if near.distance(at) > 2.0 * TAG_GAP {
                painter.line_segment([at, near], (1.0, ink.gamma_multiply(0.6)));
            }
            painter.rect_filled(rect, 4.0, paper);
            painter.galley(rect.min + TAG_MARGIN, galley, ink);
        }
    }
    let free = free_part(area, frame.camera.free);
    if let Some(caption) = &frame.caption {
        let at = free.left_bottom() + Vec2::new(14.0, -12.0);
        tag(
            &painter,
            at,
            Align2::LEFT_BOTTOM,
            caption,
            TEXT_PX + 2.0,
            [ink, paper],
        );
    }
    if let Some(legend) = &frame.legend {
        paint_legend(&painter, legend, free, [ink, paper]);
    }
}

/// What panels leave of a picture.
fn free_part(area: Rect, covered: FreeArea) -> Rect {
    let at = |x: f32, y: f32| area.min + Vec2::new(x, y) * area.size();
    let right_bottom = at(1.0 - covered.right, 1.0 - covered.bottom);
    Rect::from_min_max(at(covered.left, covered.top), right_bottom)
}

/// The rectangle next to a point that no other tag has: right of it, left of it,
/// or as little further out, above or below as will do.
fn free_rect(at: Pos2, size: Vec2, area: Rect, taken: &[Rect]) -> Rect {
    let candidate = |column: f32, row: f32| {
        // Columns ±1 touch the point's gap; each further one lies 24 px out.
        let out = TAG_GAP + (column.abs() - 1.0) * 24.0;
        let x = if column > 0.0 {
            at.x + out
        } else {
            at.x - out - size.x
        };
        let y = at.y - size.y / 2.0 + row * (size.y + 2.0);
        Rect::from_min_size(Pos2::new(x, y), size)
    };
    let columns = [
        1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0, 5.0, -5.0, 6.0, -6.0,
    ];
    let rows = [
        0.0, -1.0, 1.0, -2.0, 2.0, -3.0, 3.0, -4.0, 4.0, -5.0, 5.0, -6.0, 6.0,
    ];
    let all = rows
        .iter()
        .flat_map(|&row| columns.map(|column| candidate(column, row)));
    let is_free = |rect: &Rect| {
        let others = taken.iter().all(|other| !other.intersects(*rect));
        others && area.contains_rect(*rect)
    };
    let away = |rect: &Rect| rect.distance_to_pos(at);
    let free = all.filter(is_free);
    let nearest = free.min_by(|a, b| away(a).total_cmp(&away(b)));
    nearest.unwrap_or(candidate(1.0, 0.0))
}

/// Text on a rounded backing.
fn tag(
    painter: &egui::Painter,
    at: Pos2,
    align: Align2,
    text: &str,
    size: f32,
    colours: [Color32; 2],
) {
    let galley = painter.layout_no_wrap(text.to_owned(), FontId::proportional(size), colours[0]);
    let rect = align.anchor_size(at, galley.size());
    painter.rect_filled(rect.expand2(Vec2::new(4.0, 1.0)), 4.0, colours[1]);
    painter.galley(rect.min, galley, colours[0]);
}

fn paint_legend(painter: &egui::Painter, legend: &Legend, area: Rect, [ink, paper]: [Color32; 2]) {
    // In the lower right corner, with room for a row of text above and below.
    let corner = area.right_bottom() - Vec2::new(224.0, 44.0);
    let bar = Rect::from_min_size(corner, Vec2::new(200.0, 10.0));
    let backing = Rect::from_min_max(
        bar.min - Vec2::new(12.0, 28.0),
        bar.max + Vec2::new(12.0, 24.0),
    );
    painter.rect_filled(backing, 6.0, paper);
    painter.add(error_ramp(bar));
    let text = |at: Pos2, align: Align2, text: &str| {
        painter.text(at, align, text, FontId::proportional(TEXT_PX), ink);
    };
    let above = bar.left_top() - Vec2::new(0.0, 5.0);
    let below = Vec2::new(0.0, 4.0);
    text(above, Align2::LEFT_BOTTOM, &legend.title);
    text(bar.left_bottom() + below, Align2::LEFT_TOP, &legend.low);
    text(bar.right_bottom() + below, Align2::RIGHT_TOP, &legend.high);
}

/// The colours of all errors from left to right.
fn error_ramp(bar: Rect) -> egui::Mesh {
    // egui blends encoded colours, the skin linear ones: short steps hide it.
    const STEPS: u32 = 32;
    let mut mesh = egui::Mesh::default();
    for step in 0..=STEPS {
        let fraction = step as f32 / STEPS as f32;
        let [r, g, b] = error_colour(fraction);
        let colour = Color32::from(egui::Rgba::from_rgb(r, g, b));
        let x = bar.left() + fraction * bar.width();
        mesh.colored_vertex(Pos2::new(x, bar.top()), colour);
        mesh.colored_vertex(Pos2::new(x, bar.bottom()), colour);
        if step > 0 {
            let n = 2 * step;
            mesh.add_triangle(n - 2, n - 1, n);
            mesh.add_triangle(n - 1, n, n + 1);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_a_corner_stands_clear_of_panels() {
        let area = Rect::from_min_size(Pos2::ZERO, Vec2::new(1000.0, 500.0));
        assert_eq!(free_part(area, FreeArea::default()), area);
        let covered = FreeArea {
            right: 0.3,
            bottom: 0.2,
            ..FreeArea::default()
        };
        let free = free_part(area, covered);
        assert_close!(free.right(), 700.0, 1e-3);
        assert_close!(free.bottom(), 400.0, 1e-3);
    }

    #[test]
    fn tags_of_one_spot_do_not_cover_each_other() {
        let area = Rect::from_min_size(Pos2::ZERO, Vec2::new(400.0, 300.0));
        let mut taken = Vec::new();
        for _ in 0..12 {
            let rect = free_rect(Pos2::new(390.0, 150.0), Vec2::new(60.0, 16.0), area, &taken);
            assert!(area.contains_rect(rect), "{rect:?}");
            assert!(taken.iter().all(|other: &Rect| !other.intersects(rect)));
            taken.push(rect);
        }
    }
}
