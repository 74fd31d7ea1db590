//! The blend space of the current state, and where the character is in it.

use egui::Ui;
use egui_plot::{Line, Points, Text};

use crate::ui::{
    LayerView, SpaceView,
    plots::{plot, short},
    theme, widgets,
};

const PLANE_HEIGHT: f32 = 240.0;
const LINE_HEIGHT: f32 = 120.0;

pub(super) fn page_ui(ui: &mut Ui, layer: &LayerView) {
    let state = layer.state_name(layer.state);
    let Some(space) = &layer.space else {
        ui.weak(format!("{state} plays one clip; nothing to blend."));
        return;
    };
    let [x, y] = &space.axes;
    ui.weak(match y.is_empty() {
        true => format!("{state}: clips along {x}"),
        false => format!("{state}: {x} across, {y} up"),
    });
    plot_ui(ui, space);
    for (clip, _, weight) in &space.clips {
        widgets::fact(ui, clip, &format!("{:.0} %", weight * 100.0));
    }
}

fn plot_ui(ui: &mut Ui, space: &SpaceView) {
    let colours = theme::palette(ui.style());
    let flat = space.axes[1].is_empty();
    let height = if flat { LINE_HEIGHT } else { PLANE_HEIGHT };
    let mut plot = plot("blend space", height, short, short)
        .show_axes([true, !flat])
        .set_margin_fraction(egui::Vec2::new(0.2, 0.2));
    if flat {
        plot = plot.include_y(-1.0).include_y(1.0).show_grid([true, false]);
    }
    let shown = plot.show(ui, |plot| {
        for &[a, b] in &space.edges {
            if let (Some(a), Some(b)) = (space.clips.get(a), space.clips.get(b)) {
                plot.line(Line::new("", vec![a.1, b.1]).color(colours.line));
            }
        }
        for (clip, at, weight) in &space.clips {
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
