//! The states of a layer and the transitions between them, drawn live.

use egui::{
    Align2, Color32, Painter, Pos2, Rect, Sense, Stroke, Ui, Vec2, epaint::CubicBezierShape,
};

use super::layout;
use crate::ui::{
    LayerView, PanelState, TransitionView,
    theme::{self, Palette},
    widgets,
};

pub(super) fn page_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    layer: &LayerView,
    given: &[(String, String)],
) {
    let size = Vec2::new(ui.available_width(), layout::height(layer.states.len()));
    let (area, _) = ui.allocate_exact_size(size, Sense::hover());
    let nodes = layout::nodes(area, layer.states.len());
    let colours = theme::palette(ui.style());
    let listed = state.animator_state.unwrap_or(layer.state);
    edges_ui(ui, layer, area, &nodes, listed);
    fade_ui(ui, layer, area, &nodes);
    for (index, node) in nodes.iter().enumerate() {
        let id = ui.scope_id().with(("state", index));
        let response = ui.interact(*node, id, Sense::click());
        node_ui(ui, layer, index, *node, &colours, listed == index);
        let pointer = ui.ctx().pointer_latest_pos();
        if pointer.is_some_and(|at| node.contains(at)) {
            state.state_below = Some(index);
        }
        let hint = "Lists the ways out of this state; a file dropped on it is what it plays";
        let response = response.on_hover_text(hint);
        let name = layer.state_name(index);
        if widgets::named(response, egui::Role::Button, name).clicked() {
            let again = state.animator_state == Some(index);
            state.animator_state = (!again).then_some(index);
        }
    }
    ui.weak(telling(layer));
    for (name, file) in given.iter().filter(|it| layer.states.contains(&it.0)) {
        ui.weak(format!("{name} plays {file}"));
    }
}

/// "IDLE", or "IDLE to FORWARD, 40 %".
fn telling(layer: &LayerView) -> String {
    let now = layer.state_name(layer.state);
    match layer.previous {
        Some(before) => format!(
            "{} to {now}, {:.0} %",
            layer.state_name(before),
            layer.fade * 100.0
        ),
        None => now.to_owned(),
    }
}

fn curve(points: [Pos2; 4], stroke: Stroke) -> CubicBezierShape {
    CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, stroke)
}

/// All transitions faintly, those out of the listed state more clearly.
fn edges_ui(ui: &Ui, layer: &LayerView, area: Rect, nodes: &[Rect], listed: usize) {
    let colours = theme::palette(ui.style());
    for (from, start) in nodes.iter().enumerate() {
        for (to, end) in nodes.iter().enumerate() {
            let leads =
                |transition: &TransitionView| transition.to == to && transition.leads_out_of(from);
            if from == to || !layer.transitions.iter().any(leads) {
                continue;
            }
            let stroke = match from == listed {
                true => Stroke::new(1.0, colours.quiet),
                false => Stroke::new(1.0, colours.line.gamma_multiply(0.6)),
            };
            let points = layout::edge(area, *start, *end);
            ui.painter().add(curve(points, stroke));
        }
    }
}

/// The fade under way: the edge filled as far as it has come.
fn fade_ui(ui: &Ui, layer: &LayerView, area: Rect, nodes: &[Rect]) {
    let colours = theme::palette(ui.style());
    let ends = layer
        .previous
        .map(|before| (nodes.get(before), nodes.get(layer.state)));
    let Some((Some(from), Some(to))) = ends else {
        return;
    };
    let points = layout::edge(area, *from, *to);
    let whole = curve(points, Stroke::new(3.0, colours.line));
    let done = layer.fade.clamp(0.0, 1.0);
    // A curve can be drawn whole only: its part is a chain of short lines.
    let steps = 24;
    let filled: Vec<Pos2> = (0..=steps)
        .map(|step| whole.sample(done * step as f32 / steps as f32))
        .collect();
    let head = whole.sample(done);
    ui.painter().add(whole);
    ui.painter()
        .add(egui::Shape::line(filled, Stroke::new(3.0, colours.accent)));
    ui.painter().circle_filled(head, 4.0, colours.accent);
}

/// A state; filled from the left by how much of it shows.
fn node_ui(ui: &Ui, layer: &LayerView, index: usize, node: Rect, colours: &Palette, listed: bool) {
    let painter = ui.painter();
    let current = index == layer.state;
    let weight = layer.state_weights.get(index).copied().unwrap_or(0.0);
    let fill = if current {
        colours.accent
    } else {
        colours.line
    };
    widgets::level(painter, node, 4.0, weight, [colours.groove, fill]);
    let edge = match (current, listed) {
        (true, _) => Stroke::new(1.5, colours.accent),
        (_, true) => Stroke::new(1.0, colours.text),
        _ => Stroke::new(1.0, colours.line),
    };
    painter.rect_stroke(node, 4.0, edge, egui::StrokeKind::Inside);
    // The name stands in the middle: from half on it lies on the fill.
    let ink = match (current && weight > 0.5, current) {
        (true, _) => colours.on_accent,
        (_, true) => colours.text,
        _ => colours.quiet,
    };
    name_ui(painter, layer.state_name(index), node, ink);
}

fn name_ui(painter: &Painter, name: &str, node: Rect, ink: Color32) {
    let font = egui::FontId::proportional(13.0);
    let galley = painter.layout_no_wrap(name.to_owned(), font.clone(), ink);
    if galley.size().x <= node.width() - 8.0 {
        let at = Align2::CENTER_CENTER.anchor_size(node.center(), galley.size());
        painter.galley(at.min, galley, ink);
    } else {
        let short = shortened(name);
        painter.text(node.center(), Align2::CENTER_CENTER, short, font, ink);
    }
}

/// `STRAFE_RIGHT` becomes `STRAFE R.`: the last word gives way.
fn shortened(name: &str) -> String {
    match name.rsplit_once('_') {
        Some((head, tail)) => {
            let initial: String = tail.chars().take(1).collect();
            format!("{} {initial}.", head.replace('_', " "))
        }
        None => name.chars().take(10).collect(),
    }
}
