//! The transitions out of a state, each with its fade to be changed.

use egui::{RichText, ScrollArea, Ui};

use crate::{
    animator::description::FadeKind,
    ui::{Command, LayerView, PanelState, TransitionView, Tuning, theme, widgets},
};

/// Longest fade that can be set.
const LONGEST_SECS: f64 = 3.0;
/// Transitions seen at once; more scroll.
const SHOWN: f32 = 3.0;
/// Of one: a row of controls and a line of text, with their gaps.
const HEIGHT: f32 = 56.0;

pub(super) fn list_ui(
    ui: &mut Ui,
    state: &PanelState,
    layer: &LayerView,
    commands: &mut Vec<Command>,
) {
    let from = state.animator_state.unwrap_or(layer.state);
    ui.add_space(4.0);
    ui.strong(format!("Out of {}", layer.state_name(from)));
    let all = layer.transitions.iter().enumerate();
    let transitions: Vec<_> = all
        .filter(|(_, transition)| transition.leads_out_of(from))
        .collect();
    if transitions.is_empty() {
        ui.weak("Nothing leads out of it.");
    }
    ScrollArea::vertical()
        .id_salt("transitions")
        .max_height(SHOWN * HEIGHT)
        .auto_shrink([false, true])
        .show(ui, |ui| {
            for transition in transitions {
                transition_ui(ui, state.animator_layer, transition, layer, commands);
            }
        });
}

fn transition_ui(
    ui: &mut Ui,
    layer_index: usize,
    (index, transition): (usize, &TransitionView),
    layer: &LayerView,
    commands: &mut Vec<Command>,
) {
    let colours = theme::palette(ui.style());
    let to = layer.state_name(transition.to);
    let mut fade = transition.fade;
    ui.horizontal(|ui| {
        let text = RichText::new(format!("to {to}")).small();
        let room = egui::Vec2::new(112.0, theme::ROW);
        let left = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(room, left, |ui| {
            ui.set_min_width(room.x);
            ui.add(egui::Label::new(text).truncate());
        });
        kind_ui(ui, index, to, &mut fade.kind);
        let field = egui::DragValue::new(&mut fade.secs)
            .range(0.0..=LONGEST_SECS)
            .speed(0.01)
            .fixed_decimals(2)
            .suffix(" s");
        let response = ui.add_sized([56.0, theme::ROW], field);
        let response = response.on_hover_text("Seconds of the fade: drag");
        widgets::named(response, egui::Role::SpinButton, &format!("Fade to {to}"));
    });
    let when = if transition.when.is_empty() {
        "always"
    } else {
        &transition.when
    };
    let text = RichText::new(format!("when {when}"))
        .small()
        .color(colours.quiet);
    ui.add(egui::Label::new(text).truncate())
        .on_hover_text(when);
    if fade != transition.fade {
        commands.push(Command::Tune(Tuning::Fade {
            layer: layer_index,
            transition: index,
            fade,
        }));
    }
}

fn kind_ui(ui: &mut Ui, index: usize, to: &str, kind: &mut FadeKind) {
    let word = |kind: FadeKind| match kind {
        FadeKind::Smooth => "smooth",
        FadeKind::Frozen => "frozen",
        FadeKind::Inertial => "inertial",
    };
    let shown = egui::ComboBox::from_id_salt(("fade", index))
        .width(72.0)
        .selected_text(word(*kind))
        .show_ui(ui, |ui| {
            for (choice, says) in [
                (FadeKind::Smooth, "The old motion runs on"),
                (FadeKind::Frozen, "The old motion holds its pose"),
                (FadeKind::Inertial, "The difference dies out"),
            ] {
                ui.selectable_value(kind, choice, word(choice))
                    .on_hover_text(says);
            }
        });
    let response = shown
        .response
        .on_hover_text("What the old motion does during the fade");
    widgets::named(
        response,
        egui::Role::ComboBox,
        &format!("Kind of fade to {to}"),
    );
}
