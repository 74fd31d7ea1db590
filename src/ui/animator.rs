//! The animator at work: states, fades, parameters, events.

use egui::{ProgressBar, RichText, Slider, Ui};

use super::{
    AnimatorView, Command, LayerView, Model, ParameterSort, ParameterView, theme, widgets,
};

pub(super) fn section_ui(ui: &mut Ui, model: &Model<'_>, commands: &mut Vec<Command>) {
    let Some(animator) = model.animator else {
        match model.animator_fault {
            Some(fault) => ui.add(egui::Label::new(fault).wrap()),
            None => ui.weak("The animator is being read…"),
        };
        return;
    };
    if let Some(error) = &animator.error {
        let colours = theme::palette(ui.style());
        ui.add(egui::Label::new(RichText::new(error).color(colours.error)).wrap());
    }
    for layer in &animator.layers {
        layer_ui(ui, layer);
    }
    parameters_ui(ui, animator, commands);
    events_ui(ui, animator);
    ui.horizontal(|ui| {
        ui.add(egui::Label::new(&animator.source).truncate());
        let reload = ui.button("Reload").on_hover_text("Reads the file again");
        if reload.clicked() {
            commands.push(Command::ReloadAnimator);
        }
    });
}

/// The states of a layer as chips; the current one and the one that fades out
/// are marked, the fade runs as a bar.
fn layer_ui(ui: &mut Ui, layer: &LayerView) {
    let colours = theme::palette(ui.style());
    ui.horizontal(|ui| {
        ui.strong(&layer.name);
        ui.weak(format!("weight {:.2}", layer.weight));
    });
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = [4.0, 4.0].into();
        for state in &layer.states {
            let (fill, ink) = if *state == layer.state {
                (colours.accent, colours.on_accent)
            } else if layer.previous.as_deref() == Some(state) {
                (colours.line, colours.text)
            } else {
                (colours.groove, colours.quiet)
            };
            let chip = egui::Button::new(RichText::new(state).color(ink).small())
                .fill(fill)
                .sense(egui::Sense::hover())
                .wrap_mode(egui::TextWrapMode::Extend);
            ui.add(chip);
        }
    });
    let text = match &layer.previous {
        Some(previous) => format!("{previous} to {}: {:.0} %", layer.state, layer.fade * 100.0),
        None => layer.state.clone(),
    };
    let share = if layer.previous.is_some() {
        layer.fade
    } else {
        1.0
    };
    let bar = ProgressBar::new(share)
        .desired_height(16.0)
        .fill(colours.line)
        .text(RichText::new(text).small().color(colours.text));
    ui.add(bar);
    ui.add_space(8.0);
}

fn parameters_ui(ui: &mut Ui, animator: &AnimatorView, commands: &mut Vec<Command>) {
    if animator.parameters.is_empty() {
        return;
    }
    ui.strong("Parameters");
    let of_sort = |sort| animator.parameters.iter().filter(move |p| p.sort == sort);
    for parameter in of_sort(ParameterSort::Number) {
        number_ui(ui, parameter, commands);
    }
    ui.horizontal_wrapped(|ui| {
        for parameter in of_sort(ParameterSort::Switch) {
            let mut on = parameter.value > 0.5;
            if ui.checkbox(&mut on, &parameter.name).changed() {
                commands.push(set(parameter, f64::from(u8::from(on))));
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        for parameter in of_sort(ParameterSort::Trigger) {
            let button = egui::Button::selectable(parameter.value > 0.5, &parameter.name);
            if ui.add(button).on_hover_text("Fires once").clicked() {
                commands.push(set(parameter, 1.0));
            }
        }
    });
    ui.add_space(4.0);
}

fn set(parameter: &ParameterView, value: f64) -> Command {
    Command::SetParameter(parameter.name.clone(), value)
}

fn number_ui(ui: &mut Ui, parameter: &ParameterView, commands: &mut Vec<Command>) {
    let mut value = parameter.value;
    let slider = Slider::new(&mut value, -4.0..=4.0)
        .fixed_decimals(2)
        .text(&parameter.name);
    // The number moves on its own: only a hand on the slider is a wish.
    let response = ui.add(slider);
    if response.changed() && (response.dragged() || response.has_focus() || response.clicked()) {
        commands.push(set(parameter, value));
    }
}

fn events_ui(ui: &mut Ui, animator: &AnimatorView) {
    if animator.events.is_empty() {
        return;
    }
    widgets::fact(ui, "events", &animator.events.join(", "));
}
