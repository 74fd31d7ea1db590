//! What keys do to parameters, and what turns the character.

use egui::{RichText, Role, Ui};

use super::{Desk, fields, motion::numbers};
use crate::{
    animator::{
        Edit,
        description::{BindingDescription, Description, KeyEffect, ParameterKind, Steering},
    },
    ui::{
        EditorPanel, Listening, Mode, keys, theme,
        widgets::{named, note},
    },
};

pub fn page_ui(ui: &mut Ui, panel: &mut EditorPanel, desk: &mut Desk<'_>) {
    let description = desk.description().clone();
    if description.parameters.is_empty() {
        ui.weak("Keys act on parameters: make one first.");
        return;
    }
    for (index, binding) in description.bindings.iter().enumerate() {
        ui.push_id(index, |ui| {
            binding_ui(ui, panel, (index, binding), &description, desk);
            ui.separator();
        });
    }
    let hint = "Then press a key, a mouse button or a control of a gamepad";
    if ui.button("Add key…").on_hover_text(hint).clicked() {
        panel.listening = Some(Listening::to(description.bindings.len()));
    }
    ui.separator();
    steering_ui(ui, &description, desk);
    let mut switches = vec![(None, "nothing".to_owned())];
    let known = description.parameters.iter();
    let known = known.filter(|(_, kind)| matches!(kind, ParameterKind::Bool(_)));
    switches.extend(known.map(|(name, _)| (Some(name.clone()), name.clone())));
    let cut = fields::row(ui, "No blending", |ui| {
        fields::choice(ui, "No blending by", &description.no_blending, &switches)
    });
    if let Some(by) = cut {
        desk.edit(Edit::SetNoBlending(by));
    }
}

fn binding_ui(
    ui: &mut Ui,
    panel: &mut EditorPanel,
    (index, binding): (usize, &BindingDescription),
    description: &Description,
    desk: &mut Desk<'_>,
) {
    let number = index + 1;
    let mut new = binding.clone();
    ui.horizontal(|ui| {
        let button = egui::Button::new(RichText::new(&binding.key).strong())
            .min_size([96.0, theme::ROW].into())
            .truncate();
        let hint = "Click, then press another key, mouse button or control of a gamepad";
        let button = ui.add(button).on_hover_text(hint);
        if named(button, Role::Button, &format!("Key {number}")).clicked() {
            panel.listening = Some(Listening::to(index));
        }
        effect_ui(ui, number, binding, &mut new, description);
        let says = format!("Delete key {number}");
        if named(ui.button("×"), Role::Button, &says).clicked() {
            desk.edit(Edit::DeleteBinding(index));
        }
    });
    ui.horizontal(|ui| words_ui(ui, number, binding, &mut new));
    // A file that binds a key of the viewer's takes it away from it.
    if let Some(ours) = keys::of_control(&binding.key, Mode::Drive) {
        let told = format!("In Drive {} is no longer: {}", binding.key, ours.says);
        note(ui, told, theme::palette(ui.style()).warning);
    }
    if new != *binding {
        desk.edit(Edit::SetBinding(index, new));
    }
}

/// What it does, and to which parameter.
fn effect_ui(
    ui: &mut Ui,
    number: usize,
    binding: &BindingDescription,
    new: &mut BindingDescription,
    description: &Description,
) {
    ui.label(match binding.does {
        KeyEffect::Hold(_) => "holds",
        KeyEffect::Push(..) => "pushes",
        KeyEffect::Fire(_) => "fires",
    });
    let names: Vec<String> = description.parameters.keys().cloned().collect();
    let says = format!("Parameter of key {number}");
    let other = fields::name_of(ui, &says, binding.does.parameter(), &names);
    if let Some(other) = other
        && let Some(kind) = description.parameters.get(&other)
    {
        new.does = KeyEffect::on(kind, other);
    }
}

/// How far it pushes, and what the overlay says of it.
fn words_ui(
    ui: &mut Ui,
    number: usize,
    binding: &BindingDescription,
    new: &mut BindingDescription,
) {
    if let KeyEffect::Push(_, amount) = &mut new.does {
        ui.label("by");
        let says = format!("Push of key {number}");
        *amount = fields::number(ui, &says, *amount, -1e6..=1e6).unwrap_or(*amount);
    }
    ui.label("says");
    let says = format!("Words of key {number}");
    if let Some(words) = fields::text(ui, 150.0, &binding.says, &says) {
        words.trim().clone_into(&mut new.says);
    }
}

fn steering_ui(ui: &mut Ui, description: &Description, desk: &mut Desk<'_>) {
    let mut choices = vec![(None, "nothing".to_owned())];
    let names = numbers(description);
    choices.extend(names.into_iter().map(|name| (Some(name.clone()), name)));
    let steering = &description.steering;
    let (by, rate) = match steering {
        Some(it) => (Some(it.by.clone()), it.degrees_per_sec),
        None => (None, 110.0),
    };
    let (mut new_by, mut new_rate) = (by.clone(), rate);
    fields::row(ui, "Turned by", |ui| {
        if let Some(other) = fields::choice(ui, "Turned by", &by, &choices) {
            new_by = other;
        }
        if by.is_some() {
            let says = "Degrees a second";
            new_rate = fields::number(ui, says, rate, -720.0..=720.0).unwrap_or(rate);
            ui.label("°/s");
        }
    });
    let new = new_by.map(|by| Steering {
        by,
        degrees_per_sec: new_rate,
    });
    if new != *steering {
        desk.edit(Edit::SetSteering(new));
    }
}
