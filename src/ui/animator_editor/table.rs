//! All transitions of a layer as a table: a row for where they begin, a column
//! for where they lead.

use std::{f32::consts::FRAC_PI_2, sync::Arc};

use egui::{Galley, RichText, Sense, TextStyle, Ui, Vec2, epaint::TextShape, pos2};

use super::{Desk, shape, transition};
use crate::{
    animator::{
        Edit,
        description::{ConditionDescription, LayerDescription, TransitionDescription},
    },
    ui::{Chosen, EditorPage, EditorPanel, theme, widgets},
};

/// Of a column: a dozen states fit beside the inspector.
const CELL: Vec2 = Vec2::new(30.0, 22.0);

pub fn table_ui(
    ui: &mut Ui,
    panel: &mut EditorPanel,
    layer: &LayerDescription,
    desk: &mut Desk<'_>,
) {
    egui::ScrollArea::both()
        .id_salt("table")
        .auto_shrink([false, false])
        .show(ui, |ui| {
            egui::Grid::new("from × to")
                .striped(true)
                .spacing([2.0, 2.0])
                .min_col_width(0.0)
                .show(ui, |ui| {
                    ui.spacing_mut().button_padding.x = 2.0;
                    headings_ui(ui, layer);
                    ui.end_row();
                    for from in 0..layer.states.len() {
                        row_ui(ui, panel, layer, from, desk);
                        ui.end_row();
                    }
                });
        });
}

/// Names from below upwards: columns are no wider than their figures.
fn headings_ui(ui: &mut Ui, layer: &LayerDescription) {
    ui.weak(RichText::new("from \\ to,\nseconds\nof the fade").small());
    let (font, colour) = (
        TextStyle::Small.resolve(ui.style()),
        ui.visuals().text_color(),
    );
    let name = |name: &str| -> Arc<Galley> {
        let text = name.to_owned();
        ui.painter().layout_no_wrap(text, font.clone(), colour)
    };
    let names: Vec<_> = layer.states.iter().map(|it| name(&it.name)).collect();
    let height = names.iter().map(|it| it.size().x).fold(CELL.y, f32::max) + 4.0;
    for (galley, state) in names.into_iter().zip(&layer.states) {
        let size = Vec2::new(CELL.x, height);
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let corner = pos2(rect.center().x - galley.size().y / 2.0, rect.bottom() - 2.0);
        let text = TextShape::new(corner, galley, colour).with_angle(-FRAC_PI_2);
        ui.painter().add(text);
        widgets::named(response, egui::Role::Label, &format!("Into {}", state.name));
    }
}

fn row_ui(
    ui: &mut Ui,
    panel: &mut EditorPanel,
    layer: &LayerDescription,
    from: usize,
    desk: &mut Desk<'_>,
) {
    let state = &layer.states[from];
    let chosen = panel.chosen == Chosen::State(from);
    if ui
        .selectable_label(chosen, RichText::new(&state.name).small())
        .clicked()
    {
        panel.chosen = Chosen::State(from);
        panel.page = EditorPage::Chosen;
    }
    for to in 0..layer.states.len() {
        if from == to {
            ui.add_sized(CELL, egui::Label::new(RichText::new("–").weak()));
        } else {
            cell_ui(ui, panel, layer, (from, to), desk);
        }
    }
}

/// How long the fade is; a click chooses, and goes through where several lead
/// the same way. In an empty cell it makes a transition.
fn cell_ui(
    ui: &mut Ui,
    panel: &mut EditorPanel,
    layer: &LayerDescription,
    (from, to): (usize, usize),
    desk: &mut Desk<'_>,
) {
    let ways = shape::ways(layer, from, to);
    let at = |it: &usize| panel.chosen == Chosen::Transition(*it);
    let now = ways.iter().position(at);
    let [from_name, to_name] = [from, to].map(|it| layer.states[it].name.as_str());
    let text = match (ways.first(), ways.len()) {
        (None, _) => "·".to_owned(),
        (Some(&way), 1) => layer.transitions[way].fade.secs.to_string(),
        (_, count) => format!("{count} ×"),
    };
    let lit = desk.live.zip(desk.live.and_then(|it| it.taken));
    let lit = lit.is_some_and(|(live, (a, b))| {
        live.state_name(a) == from_name && live.state_name(b) == to_name
    });
    let text = RichText::new(text).small();
    let text = if lit && now.is_none() {
        text.color(theme::palette(ui.style()).marks[1]).strong()
    } else {
        text
    };
    let response = ui.add_sized(CELL, egui::Button::selectable(now.is_some(), text));
    let name = format!("{from_name} to {to_name}");
    let hint = match ways.is_empty() {
        true => "A click makes a transition".to_owned(),
        false => transition::tellings(layer, &ways),
    };
    let response = response.on_hover_text(hint);
    if !widgets::named(response, egui::Role::Button, &name).clicked() {
        return;
    }
    panel.page = EditorPage::Chosen;
    if ways.is_empty() {
        let way = TransitionDescription {
            when: vec![ConditionDescription::AtEnd],
            ..TransitionDescription::new(from_name, to_name)
        };
        desk.edit(Edit::AddTransition(panel.layer, way));
        panel.chosen = Chosen::Transition(layer.transitions.len());
    } else {
        let next = now.map_or(0, |it| (it + 1) % ways.len());
        panel.chosen = Chosen::Transition(ways[next]);
    }
}
