//! The graph: states are moved, transitions drawn from one to another.

use egui::{Color32, Pos2, Rect, Response, Sense, Stroke, Ui, Vec2, epaint::CubicBezierShape};

use super::{Desk, shape, state, transition};
use crate::{
    animator::{
        Edit,
        description::{
            ConditionDescription, LayerDescription, StateDescription, TransitionDescription,
        },
    },
    ui::{
        Chosen, EditorPage, EditorPanel,
        theme::{self, Palette},
        widgets,
    },
};

/// Points from an edge within which a click means it.
const NEAR: f32 = 7.0;

pub fn canvas_ui(
    ui: &mut Ui,
    panel: &mut EditorPanel,
    layer: &LayerDescription,
    desk: &mut Desk<'_>,
) {
    egui::ScrollArea::both()
        .id_salt("graph")
        .auto_shrink([false, false])
        .show(ui, |ui| {
            let room = ui.available_size();
            let nodes = shape::nodes(layer, room);
            let size = shape::extent(&nodes).max(room - Vec2::splat(4.0));
            let (area, ground) = ui.allocate_exact_size(size, Sense::click());
            let ground = widgets::named(ground, egui::Role::Canvas, "Graph of the layer");
            let offset = area.min.to_vec2();
            let nodes: Vec<Rect> = nodes.iter().map(|it| it.translate(offset)).collect();
            edges_ui(ui, panel, layer, &nodes, desk);
            ground_ui(ground, panel, layer, &nodes, desk);
            for index in 0..nodes.len() {
                node_ui(ui, panel, layer, (index, &nodes), offset, desk);
            }
            drawing_ui(ui, panel, layer, &nodes, desk);
        });
}

/// A click chooses the edge beneath it, and resting on it tells of it; a double
/// click makes a state.
fn ground_ui(
    ground: Response,
    panel: &mut EditorPanel,
    layer: &LayerDescription,
    nodes: &[Rect],
    desk: &mut Desk<'_>,
) {
    let below = ground.hover_pos().map(|at| ways_at(layer, nodes, at));
    let ground = match below.filter(|ways| !ways.is_empty()) {
        Some(ways) => ground.on_hover_text_at_pointer(transition::tellings(layer, &ways)),
        None => ground,
    };
    let Some(at) = ground.interact_pointer_pos() else {
        return;
    };
    // After a click elsewhere, shortly before, egui counts three.
    if ground.double_clicked() || ground.triple_clicked() {
        let place = at - ground.rect.min - shape::NODE / 2.0;
        state::add(panel, desk, Some(place.max(Vec2::ZERO)));
    } else if ground.clicked() {
        let way = ways_at(layer, nodes, at).first().copied();
        panel.chosen = way.map_or(Chosen::Nothing, Chosen::Transition);
        panel.page = EditorPage::Chosen;
    }
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    let all = (0..count).flat_map(move |from| (0..count).map(move |to| (from, to)));
    all.filter(|(from, to)| from != to)
}

fn curve(points: [Pos2; 4], stroke: Stroke) -> CubicBezierShape {
    CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, stroke)
}

/// The transitions whose edge is nearest; none where none is near.
fn ways_at(layer: &LayerDescription, nodes: &[Rect], at: Pos2) -> Vec<usize> {
    let distance = |&(from, to): &(usize, usize)| {
        let curve = curve(shape::edge(nodes[from], nodes[to]), Stroke::NONE);
        let steps = (0..=24).map(|step| curve.sample(step as f32 / 24.0).distance(at));
        steps.fold(f32::INFINITY, f32::min)
    };
    let drawn = pairs(nodes.len()).filter(|&(from, to)| !shape::ways(layer, from, to).is_empty());
    let nearest = drawn
        .map(|pair| (distance(&pair), pair))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(near, _)| *near < NEAR);
    nearest.map_or_else(Vec::new, |(_, (from, to))| shape::ways(layer, from, to))
}

/// All ways faintly; those of the chosen state in full colour, and the one
/// just taken lit.
fn edges_ui(
    ui: &Ui,
    panel: &EditorPanel,
    layer: &LayerDescription,
    nodes: &[Rect],
    desk: &Desk<'_>,
) {
    let colours = theme::palette(ui.style());
    let taken = desk.live.and_then(|live| live.taken);
    let name = |index: usize| layer.states.get(index).map(|it| it.name.as_str());
    let mut drawn = Vec::new();
    for (from, to) in pairs(nodes.len()) {
        let ways = shape::ways(layer, from, to);
        if ways.is_empty() {
            continue;
        }
        let lit = taken.zip(desk.live).is_some_and(|((a, b), live)| {
            (Some(live.state_name(a)), Some(live.state_name(b))) == (name(from), name(to))
        });
        let stroke = match panel.chosen {
            _ if lit => Stroke::new(3.0, colours.marks[1]),
            Chosen::Transition(way) if ways.contains(&way) => Stroke::new(2.5, colours.accent),
            Chosen::State(state) if state == from => Stroke::new(1.75, colours.accent),
            Chosen::State(state) if state == to => Stroke::new(1.25, colours.text),
            _ => Stroke::new(1.0, colours.quiet.gamma_multiply(0.3)),
        };
        drawn.push((shape::edge(nodes[from], nodes[to]), stroke));
    }
    // What matters most lies on top.
    drawn.sort_by(|a, b| a.1.width.total_cmp(&b.1.width));
    for (points, stroke) in drawn {
        arrow_ui(ui, points, stroke);
    }
}

fn arrow_ui(ui: &Ui, points: [Pos2; 4], stroke: Stroke) {
    ui.painter().add(curve(points, stroke));
    let tip = points[3];
    let along = (tip - points[2]).normalized();
    let aside = Vec2::new(-along.y, along.x) * 3.5;
    let base = tip - along * 8.0;
    let corners = vec![tip, base + aside, base - aside];
    ui.painter().add(egui::Shape::convex_polygon(
        corners,
        stroke.color,
        Stroke::NONE,
    ));
}

fn node_ui(
    ui: &Ui,
    panel: &mut EditorPanel,
    layer: &LayerDescription,
    (index, nodes): (usize, &[Rect]),
    offset: Vec2,
    desk: &mut Desk<'_>,
) {
    let (node, state) = (nodes[index], &layer.states[index]);
    let id = ui.scope_id().with(("node", index));
    let response = ui.interact(node, id, Sense::click_and_drag());
    let response = widgets::named(
        response.on_hover_text("Click: choose. Drag: move. From the dot: draw a transition"),
        egui::Role::Button,
        &format!("State {}", state.name),
    );
    let colours = theme::palette(ui.style());
    paint_node(ui, node, index, state, (panel, desk), &colours);
    if response.clicked() || response.drag_started() {
        panel.chosen = Chosen::State(index);
        panel.page = EditorPage::Chosen;
    }
    if response.dragged() && response.drag_delta() != Vec2::ZERO {
        let at = (node.min - offset + response.drag_delta()).max(Pos2::ZERO);
        let place = Some((at.x.round(), at.y.round()));
        let moved = StateDescription {
            place,
            ..state.clone()
        };
        desk.edit(Edit::SetState(panel.layer, index, moved));
    }
    port_ui(ui, panel, (index, node), &state.name, &colours);
}

/// The dot that transitions are drawn from.
fn port_ui(
    ui: &Ui,
    panel: &mut EditorPanel,
    (index, node): (usize, Rect),
    name: &str,
    colours: &Palette,
) {
    let at = node.right_center() - Vec2::new(2.0, 0.0);
    let id = ui.scope_id().with(("port", index));
    let port = ui.interact(
        Rect::from_center_size(at, Vec2::splat(16.0)),
        id,
        Sense::drag(),
    );
    let port = port.on_hover_text("Drag to another state: a transition");
    let port = widgets::named(port, egui::Role::Button, &format!("Transition from {name}"));
    let radius = if port.hovered() { 6.0 } else { 4.5 };
    ui.painter()
        .circle(at, radius, colours.groove, Stroke::new(1.5, colours.quiet));
    if port.drag_started() {
        panel.drawing = Some((index, at));
    }
}

fn drawing_ui(
    ui: &Ui,
    panel: &mut EditorPanel,
    layer: &LayerDescription,
    nodes: &[Rect],
    desk: &mut Desk<'_>,
) {
    let Some((from, at)) = &mut panel.drawing else {
        return;
    };
    // A pointer that has left the window lets go where it was seen last.
    *at = ui.ctx().pointer_latest_pos().unwrap_or(*at);
    let (from, at) = (*from, *at);
    let Some(start) = nodes.get(from) else {
        panel.drawing = None;
        return;
    };
    let colours = theme::palette(ui.style());
    let stroke = Stroke::new(2.0, colours.accent);
    ui.painter()
        .line_segment([start.right_center(), at], stroke);
    if ui.input(|input| input.pointer.primary_down()) {
        return;
    }
    panel.drawing = None;
    let to = nodes.iter().position(|node| node.contains(at));
    if let Some(to) = to.filter(|&to| to != from) {
        let (from, to) = (&layer.states[from].name, &layer.states[to].name);
        // Not at once: a way that always holds would be taken before the
        // condition is set.
        let way = TransitionDescription {
            when: vec![ConditionDescription::AtEnd],
            ..TransitionDescription::new(from, to)
        };
        desk.edit(Edit::AddTransition(panel.layer, way));
        panel.chosen = Chosen::Transition(layer.transitions.len());
        panel.page = EditorPage::Chosen;
    }
}

/// Filled by how much of it shows; the one where the layer starts has a
/// double edge.
fn paint_node(
    ui: &Ui,
    node: Rect,
    index: usize,
    state: &StateDescription,
    (panel, desk): (&EditorPanel, &Desk<'_>),
    colours: &Palette,
) {
    let painter = ui.painter();
    let live = desk.live.and_then(|live| {
        let at = live.states.iter().position(|name| *name == state.name)?;
        Some((live.state_weights.get(at).copied()?, live.state == at))
    });
    let (weight, current) = live.unwrap_or((0.0, false));
    let fill = if current {
        colours.accent
    } else {
        colours.line
    };
    widgets::level(painter, node, 5.0, weight, [colours.groove, fill]);
    let chosen = panel.chosen == Chosen::State(index);
    let edge = match chosen {
        true => Stroke::new(2.0, colours.text),
        false => Stroke::new(1.0, colours.quiet),
    };
    painter.rect_stroke(node, 5.0, edge, egui::StrokeKind::Inside);
    if index == 0 {
        let inner = Stroke::new(1.0, colours.quiet);
        painter.rect_stroke(node.shrink(3.0), 3.0, inner, egui::StrokeKind::Inside);
    }
    let ink = if current && weight > 0.5 {
        colours.on_accent
    } else {
        colours.text
    };
    let font = egui::FontId::proportional(12.0);
    let mut job = egui::text::LayoutJob::simple_singleline(state.name.clone(), font, ink);
    job.wrap = egui::text::TextWrapping::truncate_at_width(node.width() - 12.0);
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
    let at = egui::Align2::CENTER_CENTER.anchor_size(node.center(), galley.size());
    painter.galley(at.min, galley, ink);
}
