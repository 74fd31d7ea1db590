//! Every parameter, to be watched and to be set.

use egui::{Slider, Ui};

use crate::{
    animator::description::ParameterKind,
    ui::{AnimatorView, Command, ParameterView},
};

pub(super) fn page_ui(ui: &mut Ui, animator: &AnimatorView, commands: &mut Vec<Command>) {
    let mut scale = animator.time_scale;
    let slider = Slider::new(&mut scale, 0.05..=4.0)
        .logarithmic(true)
        .fixed_decimals(2)
        .suffix(" ×")
        .text("time");
    if ui.add(slider).on_hover_text("How fast time runs").changed() {
        commands.push(Command::TimeScale(scale));
    }
    if animator.parameters.is_empty() {
        ui.weak("It has no parameters.");
        return;
    }
    let of_kind = |is: fn(&ParameterKind) -> bool| {
        let all = animator.parameters.iter();
        all.filter(move |parameter| is(&parameter.kind))
    };
    ui.strong("Numbers");
    for parameter in of_kind(|kind| matches!(kind, ParameterKind::Float { .. })) {
        number_ui(ui, parameter, commands);
    }
    ui.strong("Switches");
    egui::Grid::new("switches")
        .num_columns(2)
        .min_col_width(128.0)
        .spacing([8.0, 4.0])
        .show(ui, |ui| {
            for (index, parameter) in
                of_kind(|kind| matches!(kind, ParameterKind::Bool(_))).enumerate()
            {
                let mut on = parameter.value > 0.5;
                if ui.checkbox(&mut on, &parameter.name).changed() {
                    commands.push(set(parameter, f64::from(u8::from(on))));
                }
                if index % 2 == 1 {
                    ui.end_row();
                }
            }
        });
    ui.strong("Triggers");
    ui.horizontal_wrapped(|ui| {
        for parameter in of_kind(|kind| matches!(kind, ParameterKind::Trigger { .. })) {
            let button = egui::Button::selectable(parameter.value > 0.5, &parameter.name);
            if ui.add(button).on_hover_text("Fires once").clicked() {
                commands.push(set(parameter, 1.0));
            }
        }
    });
}

fn set(parameter: &ParameterView, value: f64) -> Command {
    Command::SetParameter(parameter.name.clone(), value)
}

fn number_ui(ui: &mut Ui, parameter: &ParameterView, commands: &mut Vec<Command>) {
    let mut value = parameter.value;
    // The file sets no bounds: these hold speeds in m/s and weights.
    let slider = Slider::new(&mut value, -4.0..=4.0)
        .fixed_decimals(2)
        .text(&parameter.name);
    // The number moves on its own: only a hand on the slider counts.
    let response = ui.add(slider);
    if response.changed() && (response.dragged() || response.has_focus() || response.clicked()) {
        commands.push(set(parameter, value));
    }
}
