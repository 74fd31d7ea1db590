//! What keys do to parameters, and what turns the character.

use egui::{Role, Ui};

use super::{Desk, fields, motion::numbers};
use crate::{
    animator::{
        Edit,
        description::{BindingDescription, Description, KeyEffect, ParameterKind, Steering},
    },
    ui::widgets::named,
};

/// What a key can do to a parameter of a kind.
fn effect_on(kind: &ParameterKind, name: String, amount: f64) -> KeyEffect {
    match kind {
        ParameterKind::Bool(_) => KeyEffect::Hold(name),
        ParameterKind::Float { .. } => KeyEffect::Push(name, amount),
        ParameterKind::Trigger { .. } => KeyEffect::Fire(name),
    }
}

pub fn page_ui(ui: &mut Ui, desk: &mut Desk<'_>) {
    let description = desk.description().clone();
    if description.parameters.is_empty() {
        ui.weak("Keys act on parameters: make one first.");
        return;
    }
    for (index, binding) in description.bindings.iter().enumerate() {
        binding_ui(ui, index, binding, &description, desk);
    }
    if ui.button("Add key").clicked()
        && let Some((name, kind)) = description.parameters.iter().next()
    {
        let does = effect_on(kind, name.clone(), 1.0);
        let key = "W".to_owned();
        let says = String::new();
        desk.edit(Edit::AddBinding(BindingDescription { key, does, says }));
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
    index: usize,
    binding: &BindingDescription,
    description: &Description,
    desk: &mut Desk<'_>,
) {
    let number = index + 1;
    let mut new = binding.clone();
    ui.horizontal(|ui| {
        if let Some(key) = fields::text(ui, 56.0, &binding.key, &format!("Key {number}")) {
            key.trim().clone_into(&mut new.key);
        }
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
            new.does = effect_on(kind, other, 1.0);
        }
        if let KeyEffect::Push(_, amount) = &mut new.does {
            ui.label("by");
            let says = format!("Push of key {number}");
            *amount = fields::number(ui, &says, *amount, -1e6..=1e6).unwrap_or(*amount);
        }
        let button = named(
            ui.button("×"),
            Role::Button,
            &format!("Delete key {number}"),
        );
        if button.clicked() {
            desk.edit(Edit::DeleteBinding(index));
        }
    });
    if new != *binding {
        desk.edit(Edit::SetBinding(index, new));
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
