//! All transitions of a layer as a table: a row for where they begin, a column
//! for where they lead.

use egui::{RichText, Ui};

use super::{Desk, shape, transition};
use crate::{
    animator::{
        Edit,
        description::{ConditionDescription, LayerDescription, TransitionDescription},
    },
    ui::{Chosen, EditorPage, EditorPanel, theme, widgets},
};

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
                .show(ui, |ui| {
                    ui.spacing_mut().button_padding.x = 5.0;
                    ui.weak("from \\ to");
                    for state in &layer.states {
                        // A word a line: ten columns fit beside each other.
                        let name = state.name.replace('_', "\n");
                        ui.label(RichText::new(name).small());
                    }
                    ui.end_row();
                    for from in 0..layer.states.len() {
                        row_ui(ui, panel, layer, from, desk);
                        ui.end_row();
                    }
                });
        });
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
            ui.weak("–");
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
        (Some(&way), 1) => format!("{} s", layer.transitions[way].fade.secs),
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
    let response = ui.selectable_label(now.is_some(), text);
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
