//! Weights of morph targets: those of the motion, until a hand sets them.

use egui::{Role, ScrollArea, Slider, Ui};

use super::{Posed, act};
use crate::{
    posing::PoseAction,
    ui::{Command, widgets},
};

/// Height of the list before it scrolls.
const LIST_HEIGHT: f32 = 260.0;

pub(super) fn page_ui(ui: &mut Ui, posed: Posed<'_>, commands: &mut Vec<Command>) {
    let names = posed.pose.morphs;
    if names.is_empty() {
        ui.weak("The skin has no morph targets: faces of glTF and VRM files have.");
        return;
    }
    let set = |target: Option<&String>, weight| PoseAction::Morph {
        target: target.map(|name| name.replace(' ', "_")),
        weight,
    };
    ScrollArea::vertical()
        .max_height(LIST_HEIGHT)
        .show(ui, |ui| {
            for (target, name) in names.iter().enumerate() {
                // Not every file names them.
                let number = target.to_string();
                let name = if name.is_empty() { &number } else { name };
                ui.horizontal(|ui| {
                    let by_hand = posed.pose.posing.morphs().get(target);
                    let mut weight = by_hand.unwrap_or_else(|| posed.pose.local.morph(target));
                    let slider =
                        Slider::new(&mut weight, 0.0..=1.0).clamping(egui::SliderClamping::Edits);
                    let response = widgets::named(ui.add(slider), Role::Slider, name);
                    if response.changed() {
                        act(commands, set(Some(name), Some(weight)));
                    }
                    match by_hand {
                        Some(_) => drop(ui.strong(name)),
                        None => drop(ui.label(name)),
                    }
                });
            }
        });
    let any = (0..names.len()).any(|it| posed.pose.posing.morphs().get(it).is_some());
    let back = ui.add_enabled(any, egui::Button::new("As the motion has them"));
    if back.clicked() {
        act(commands, set(None, None));
    }
}
