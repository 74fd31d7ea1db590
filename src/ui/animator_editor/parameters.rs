//! All parameters: name, kind and numbers.

use egui::{Role, Ui};

use super::{Desk, fields};
use crate::{
    animator::{Edit, description::ParameterKind, free_name},
    ui::widgets::named,
};

const SWITCH: ParameterKind = ParameterKind::Bool(false);
const NUMBER: ParameterKind = ParameterKind::Float {
    value: 0.0,
    half_life: 0.1,
};
const TRIGGER: ParameterKind = ParameterKind::Trigger { buffer: 0.25 };

fn word(kind: &ParameterKind) -> &'static str {
    match kind {
        ParameterKind::Bool(_) => "switch",
        ParameterKind::Float { .. } => "number",
        ParameterKind::Trigger { .. } => "trigger",
    }
}

pub fn page_ui(ui: &mut Ui, desk: &mut Desk<'_>) {
    let parameters = desk.description().parameters.clone();
    for (name, kind) in &parameters {
        parameter_ui(ui, name, kind, desk);
        ui.separator();
    }
    ui.horizontal(|ui| {
        for (says, kind) in [
            ("Add switch", SWITCH),
            ("Add number", NUMBER),
            ("Add trigger", TRIGGER),
        ] {
            if ui.button(says).clicked() {
                let taken = |name: &str| parameters.contains_key(name);
                let name = free_name(word(&kind), taken);
                desk.edit(Edit::AddParameter(name, kind));
            }
        }
    });
}

fn parameter_ui(ui: &mut Ui, name: &str, kind: &ParameterKind, desk: &mut Desk<'_>) {
    let mut new = *kind;
    ui.horizontal(|ui| {
        let says = format!("Name of parameter {name}");
        if let Some(other) = fields::text(ui, 120.0, name, &says) {
            let other = other.trim().to_owned();
            desk.edit(Edit::RenameParameter(name.to_owned(), other));
        }
        let kinds = [SWITCH, NUMBER, TRIGGER].map(|it| (it, word(&it).to_owned()));
        let says = format!("Kind of {name}");
        if let Some(other) = fields::choice_of(ui, &says, word(kind), &kinds)
            && word(&other) != word(kind)
        {
            new = other;
        }
        let button = named(
            ui.button("×"),
            Role::Button,
            &format!("Delete parameter {name}"),
        );
        if button.clicked() {
            desk.edit(Edit::DeleteParameter(name.to_owned()));
        }
    });
    ui.horizontal(|ui| numbers_ui(ui, name, &mut new));
    if new != *kind {
        desk.edit(Edit::SetParameter(name.to_owned(), new));
    }
}

fn numbers_ui(ui: &mut Ui, name: &str, kind: &mut ParameterKind) {
    match kind {
        ParameterKind::Bool(on) => {
            *on = fields::switch(ui, "on at the start", *on).unwrap_or(*on);
        }
        ParameterKind::Float { value, half_life } => {
            ui.label("starts at");
            let says = format!("Start of {name}");
            *value = fields::number(ui, &says, *value, -1e6..=1e6).unwrap_or(*value);
            ui.label("half-life");
            let says = format!("Half-life of {name}");
            *half_life = fields::number(ui, &says, *half_life, 0.0..=60.0).unwrap_or(*half_life);
            ui.label("s");
        }
        ParameterKind::Trigger { buffer } => {
            ui.label("remembered for");
            let says = format!("Buffer of {name}");
            *buffer = fields::number(ui, &says, *buffer, 0.0..=60.0).unwrap_or(*buffer);
            ui.label("s");
        }
    }
}
