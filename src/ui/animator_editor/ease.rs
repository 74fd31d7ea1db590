//! The ease curve of a fade, drawn; its two handles are dragged.

use egui::{Pos2, Rect, Sense, Stroke, Ui, Vec2, emath::RectTransform};

use crate::{
    math::Ease,
    ui::{theme, widgets},
};

/// How far a handle may overshoot, above and below.
const OVER: f32 = 0.5;

pub fn curve_ui(ui: &mut Ui, ease: &mut Ease) {
    let size = Vec2::new(ui.available_width().min(240.0), 132.0);
    let (area, _) = ui.allocate_exact_size(size, Sense::hover());
    let colours = theme::palette(ui.style());
    ui.painter().rect_filled(area, 4.0, colours.groove);
    let unit = Rect::from_min_max(Pos2::new(0.0, 1.0 + OVER), Pos2::new(1.0, -OVER));
    let screen = RectTransform::from_to(unit, area.shrink(8.0));
    for y in [0.0, 1.0] {
        let ends = [Pos2::new(0.0, y), Pos2::new(1.0, y)].map(|it| screen * it);
        let stroke = Stroke::new(1.0, colours.line);
        ui.painter().line_segment(ends, stroke);
    }
    let curve = *ease;
    let points = (0..=64).map(|step| {
        let t = step as f32 / 64.0;
        screen * Pos2::new(t, curve.at(t))
    });
    let points: Vec<Pos2> = points.collect();
    let stroke = Stroke::new(2.0, colours.accent);
    ui.painter().add(egui::Shape::line(points, stroke));
    if let Ease::Bezier(a, b) = ease {
        handle_ui(ui, screen, ([0.0, 0.0], a), "First handle of the curve");
        handle_ui(ui, screen, ([1.0, 1.0], b), "Second handle of the curve");
    }
}

fn handle_ui(ui: &Ui, screen: RectTransform, (end, at): ([f32; 2], &mut [f32; 2]), name: &str) {
    let colours = theme::palette(ui.style());
    let here = screen * Pos2::from(*at);
    let stroke = Stroke::new(1.0, colours.quiet);
    ui.painter()
        .line_segment([screen * Pos2::from(end), here], stroke);
    let grip = Rect::from_center_size(here, Vec2::splat(16.0));
    let response = ui.interact(grip, ui.scope_id().with(name), Sense::drag());
    let response = widgets::named(response, egui::Role::Slider, name);
    ui.painter().circle_filled(here, 5.0, colours.text);
    if response.dragged()
        && let Some(pointer) = response.interact_pointer_pos()
    {
        let to = screen.inverse() * pointer;
        let round = |it: f32| (it * 100.0).round() / 100.0;
        // Time never runs back: x stays between the ends.
        *at = [
            round(to.x.clamp(0.0, 1.0)),
            round(to.y.clamp(-OVER, 1.0 + OVER)),
        ];
    }
}
