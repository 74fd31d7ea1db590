//! The animator at work: states, fades, parameters, events.

use egui::{ProgressBar, RichText, Slider, Ui};

use super::{Action, AnimatorView, Command, LayerView, Model, ParameterView, theme, widgets};

pub(super) fn section_ui(ui: &mut Ui, model: &Model<'_>, commands: &mut Vec<Command>) {
    let Some(animator) = model.animator else {
        ui.weak("The animator is being read.");
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
        if ui.button("View clips").clicked() {
            commands.push(Command::Do(Action::ToggleMode));
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
            egui::Frame::new()
                .fill(fill)
                .corner_radius(4)
                .inner_margin(egui::Margin::symmetric(6, 2))
                .show(ui, |ui| {
                    ui.label(RichText::new(state).color(ink).small());
                });
        }
    });
    let text = match &layer.previous {
        Some(previous) => format!("{previous} → {}  {:3.0} %", layer.state, layer.fade * 100.0),
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
    for parameter in &animator.parameters {
        parameter_ui(ui, parameter, commands);
    }
    ui.add_space(4.0);
}

fn parameter_ui(ui: &mut Ui, parameter: &ParameterView, commands: &mut Vec<Command>) {
    let set = |value| Command::SetParameter(parameter.name.clone(), value);
    if parameter.is_switch {
        let mut on = parameter.value > 0.5;
        if ui.checkbox(&mut on, &parameter.name).changed() {
            commands.push(set(f64::from(u8::from(on))));
        }
        return;
    }
    let mut value = parameter.value;
    let slider = Slider::new(&mut value, -4.0..=4.0)
        .fixed_decimals(2)
        .text(&parameter.name);
    if ui.add(slider).changed() {
        commands.push(set(value));
    }
}

fn events_ui(ui: &mut Ui, animator: &AnimatorView) {
    if animator.events.is_empty() {
        return;
    }
    widgets::fact(ui, "events", &animator.events.join(", "));
}
