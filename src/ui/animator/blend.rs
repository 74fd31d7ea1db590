//! The clips that the current state blends: their weights, and where the
//! character is in their blend space if they have one.

use egui::Ui;
use egui_plot::{Line, Points, Text};

use crate::ui::{
    BlendView, LayerView, SpaceView, TreeRow,
    plots::{plot, short},
    theme, widgets,
};

const PLANE_HEIGHT: f32 = 240.0;
const LINE_HEIGHT: f32 = 120.0;
const BAR_HEIGHT: f32 = 4.0;
const BAR_WIDTH: f32 = 56.0;
const PERCENT_WIDTH: f32 = 56.0;
/// Of a node below its parent.
const INDENT: f32 = 12.0;

pub(super) fn page_ui(ui: &mut Ui, layer: &LayerView) {
    let state = layer.state_name(layer.state);
    let Some(blend) = &layer.blend else {
        ui.weak(format!("{state} plays one clip; nothing to blend."));
        return;
    };
    match &blend.space {
        Some(space) => {
            let [x, y] = &space.axes;
            ui.weak(match y.is_empty() {
                true => format!("{state}: clips along {x}"),
                false => format!("{state}: {x} across, {y} up"),
            });
            plot_ui(ui, space, &blend.clips);
        }
        None if blend.is_nested() => {
            ui.weak(format!("{state} plays a tree of clips"));
        }
        None => {
            ui.weak(format!("{state}: each clip has a weight of its own"));
        }
    }
    weights_ui(ui, blend);
}

/// The clips, or the tree of them, with the weights of the moment.
pub fn weights_ui(ui: &mut Ui, blend: &BlendView) {
    if blend.is_nested() {
        blend.tree.iter().for_each(|row| row_ui(ui, row));
        return;
    }
    for (clip, weight) in &blend.clips {
        widgets::fact(ui, clip, &format!("{:.0} %", weight * 100.0));
        // Clips without positions have no plot to compare them by.
        if blend.space.is_none() {
            bar_ui(ui, *weight);
        }
    }
}

/// A node below the one it belongs to, with a bar of its weight.
fn row_ui(ui: &mut Ui, row: &TreeRow) {
    let colours = theme::palette(ui.style());
    ui.horizontal(|ui| {
        ui.add_space(INDENT * row.depth as f32);
        let percent = format!("{:.0} %", row.weight * 100.0);
        let width = (ui.available_width() - BAR_WIDTH - PERCENT_WIDTH).max(40.0);
        let ink = if row.weight > 0.0 {
            colours.text
        } else {
            colours.quiet
        };
        let text = egui::RichText::new(&row.text).color(ink);
        let name = format!("{} {percent}", row.text);
        let label = egui::Label::new(text).truncate();
        // A cell of its own, or text would be centred and no indent seen.
        let cell = egui::Layout::left_to_right(egui::Align::Center);
        let response = ui.allocate_ui_with_layout([width, 18.0].into(), cell, |ui| {
            ui.set_min_width(width);
            ui.add(label)
        });
        let response = response.inner.on_hover_text(&name);
        widgets::named(response, egui::Role::Label, &name);
        let size = egui::Vec2::new(BAR_WIDTH, BAR_HEIGHT);
        let (groove, _) = ui.allocate_exact_size(size, egui::Sense::hover());
        let inks = [colours.groove, colours.marks[0]];
        widgets::level(ui.painter(), groove, 2.0, row.weight, inks);
        ui.label(egui::RichText::new(percent).small().color(ink));
    });
}

fn bar_ui(ui: &mut Ui, weight: f32) {
    let colours = theme::palette(ui.style());
    let size = egui::Vec2::new(ui.available_width(), BAR_HEIGHT);
    let (groove, _) = ui.allocate_exact_size(size, egui::Sense::hover());
    let inks = [colours.groove, colours.marks[0]];
    widgets::level(ui.painter(), groove, 2.0, weight, inks);
}

fn plot_ui(ui: &mut Ui, space: &SpaceView, clips: &[(String, f32)]) {
    let colours = theme::palette(ui.style());
    let on_line = space.axes[1].is_empty();
    let height = if on_line { LINE_HEIGHT } else { PLANE_HEIGHT };
    let mut plot = plot("blend space", height, short, short)
        .show_axes([true, !on_line])
        .set_margin_fraction(egui::Vec2::new(0.2, 0.2));
    if on_line {
        plot = plot.include_y(-1.0).include_y(1.0).show_grid([true, false]);
    }
    let shown = plot.show(ui, |plot| {
        for &[a, b] in &space.edges {
            if let (Some(a), Some(b)) = (space.positions.get(a), space.positions.get(b)) {
                plot.line(Line::new("", vec![*a, *b]).color(colours.line));
            }
        }
        for ((clip, weight), at) in clips.iter().zip(&space.positions) {
            let radius = 3.0 + 5.0 * weight;
            plot.points(
                Points::new(clip, vec![*at])
                    .radius(radius)
                    .color(colours.marks[0]),
            );
            let label = egui::RichText::new(clip).color(colours.text).size(13.0);
            let text = Text::new("", (*at).into(), label).anchor(egui::Align2::CENTER_BOTTOM);
            plot.text(text);
        }
        plot.points(
            Points::new("now", vec![space.at])
                .radius(6.0)
                .color(colours.accent),
        );
    });
    widgets::named(shown.response, egui::Role::Image, "Blend space");
}
