//! The chosen state.

use egui::{Ui, Vec2};

use super::{Desk, fields, motion, shape, transition};
use crate::{
    animator::{
        Edit,
        description::{LayerDescription, MotionDescription, StateDescription},
        free_name,
    },
    clip::Wrap,
    ui::{Chosen, EditorPage, EditorPanel, animator},
};

/// A new state, chosen at once: below the pointer, or wherever there is room.
pub fn add(panel: &mut EditorPanel, desk: &mut Desk<'_>, place: Option<Vec2>) {
    let Some(layer) = desk.description().layers.get(panel.layer) else {
        return;
    };
    let taken = |name: &str| layer.states.iter().any(|it| it.name == name);
    let name = free_name("STATE", taken);
    let count = layer.states.len();
    let motion = match (panel.layer, desk.view.clips.first()) {
        (0, Some(clip)) => MotionDescription::Clip(clip.clone()),
        (0, None) => layer.states[0].motion.clone(),
        _ => MotionDescription::Empty,
    };
    let mut state = StateDescription::new(&name, motion);
    state.place = place.map(|at| (at.x.round(), at.y.round()));
    desk.edit(Edit::AddState(panel.layer, state));
    panel.chosen = Chosen::State(count);
    panel.page = EditorPage::Chosen;
}

pub fn inspector_ui(
    ui: &mut Ui,
    panel: &mut EditorPanel,
    layer: &LayerDescription,
    index: usize,
    desk: &mut Desk<'_>,
) {
    let state = &layer.states[index];
    let at = panel.layer;
    let named = fields::row(ui, "State", |ui| {
        fields::text(ui, 180.0, &state.name, "Name of the state")
    });
    if let Some(name) = named {
        desk.edit(Edit::RenameState(at, index, name.trim().to_owned()));
    }
    let mut new = state.clone();
    motion::motion_ui(ui, &mut new.motion, at == 0, desk);
    ui.separator();
    playback_ui(ui, &mut new);
    if new != *state {
        desk.edit(Edit::SetState(at, index, new));
    }
    ui.separator();
    weights_ui(ui, &state.name, desk);
    ways_ui(ui, panel, layer, index);
    ui.horizontal(|ui| {
        let hint = "The layer starts in its first state";
        let first = ui.add_enabled(index > 0, egui::Button::new("Start here"));
        if first.on_hover_text(hint).clicked() {
            desk.edit(Edit::MoveState {
                layer: at,
                from: index,
                to: 0,
            });
            panel.chosen = Chosen::State(0);
        }
        let hint = "With the transitions that lead into it";
        if ui.button("Delete state").on_hover_text(hint).clicked() {
            desk.edit(Edit::DeleteState(at, index));
            panel.chosen = Chosen::Nothing;
        }
    });
}

fn playback_ui(ui: &mut Ui, state: &mut StateDescription) {
    let wraps = [
        (Wrap::Loop, "loop".to_owned()),
        (Wrap::Once, "once".to_owned()),
        (Wrap::PingPong, "back and forth".to_owned()),
    ];
    fields::row(ui, "At the end", |ui| {
        if let Some(wrap) = fields::choice(ui, "At the end", &state.wrap, &wraps) {
            state.wrap = wrap;
        }
    });
    fields::row(ui, "Speed", |ui| {
        state.speed = fields::number(ui, "Speed", state.speed, -4.0..=4.0).unwrap_or(state.speed);
        ui.label("from");
        let start = fields::number(ui, "Start", state.start, 0.0..=1.0);
        state.start = start.unwrap_or(state.start);
    });
    ui.horizontal(|ui| {
        if let Some(on) = fields::switch(ui, "Moves the root", state.root_motion) {
            state.root_motion = on;
        }
        if let Some(on) = fields::switch(ui, "Can be steered", state.steer) {
            state.steer = on;
        }
    });
    ui.horizontal(|ui| {
        let held = fields::switch(
            ui,
            "Input may leave it only after",
            state.leave_from.is_some(),
        );
        if let Some(held) = held {
            state.leave_from = held.then_some(0.7);
        }
        if let Some(from) = state.leave_from {
            let new = fields::number(ui, "Leave from", from, 0.0..=1.0);
            state.leave_from = Some(new.unwrap_or(from));
        }
    });
}

/// What it plays at the moment, while it is the one that does.
fn weights_ui(ui: &mut Ui, name: &str, desk: &Desk<'_>) {
    let playing = desk.live.filter(|live| live.state_name(live.state) == name);
    if let Some(blend) = playing.and_then(|live| live.blend.as_ref()) {
        ui.strong("Plays now");
        animator::weights_ui(ui, blend);
        ui.separator();
    }
}

/// What leads out of it and into it; a click chooses.
fn ways_ui(ui: &mut Ui, panel: &mut EditorPanel, layer: &LayerDescription, index: usize) {
    let name = &layer.states[index].name;
    for (heading, into) in [("Out of it", false), ("Into it", true)] {
        let all = layer.transitions.iter().enumerate();
        let ways: Vec<_> = all
            .filter(|(_, way)| match into {
                true => way.to == *name,
                false => shape::leads_out_of(way, name),
            })
            .collect();
        if ways.is_empty() {
            continue;
        }
        ui.strong(heading);
        for (way, description) in ways {
            let text = transition::telling(description, into);
            let chosen = panel.chosen == Chosen::Transition(way);
            if crate::ui::widgets::entry(ui, chosen, &text).clicked() {
                panel.chosen = Chosen::Transition(way);
            }
        }
    }
}
