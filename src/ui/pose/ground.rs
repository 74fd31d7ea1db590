//! What is stood on.

use egui::{Slider, Ui};

use super::{Posed, act};
use crate::{
    posing::{GroundKind, PoseAction},
    ui::{Command, PanelState, PosePanel, widgets},
};

pub(super) fn page_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    (posed, driven): (Posed<'_>, bool),
    commands: &mut Vec<Command>,
) {
    let panel = &mut state.pose;
    let flat = GroundKind::Flat;
    let now = posed.pose.posing.ground().map_or(&flat, |it| &it.kind);
    let mut wanted = now.clone();
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let kinds = [
            (GroundKind::Flat, "Flat", "As captured"),
            (
                slope(panel),
                "Slope",
                "Rises ahead of where the motion begins",
            ),
            (
                stairs(panel),
                "Stairs",
                "Up, over a landing, and down again",
            ),
        ];
        for (kind, word, says) in kinds {
            let same = std::mem::discriminant(&kind) == std::mem::discriminant(now);
            if ui
                .selectable_label(same, word)
                .on_hover_text(says)
                .clicked()
            {
                wanted = kind;
            }
        }
        let is_file = matches!(now, GroundKind::File { .. });
        let file = ui.selectable_label(is_file, "File…");
        let says = "A picture, white is high, or a glTF mesh";
        if file.on_hover_text(says).clicked() {
            commands.push(Command::BrowseGround);
        }
    });
    match &wanted {
        GroundKind::Flat => {}
        GroundKind::Slope { .. } => {
            knob(
                ui,
                Slider::new(&mut panel.slope_deg, -30.0..=30.0).suffix("°"),
                "Slope",
            );
            wanted = slope(panel);
        }
        GroundKind::Stairs { .. } => {
            knob(
                ui,
                Slider::new(&mut panel.rise_m, -0.3..=0.3).suffix(" m"),
                "Rise",
            );
            knob(
                ui,
                Slider::new(&mut panel.tread_m, 0.2..=1.0).suffix(" m"),
                "Tread",
            );
            knob(ui, Slider::new(&mut panel.steps, 1..=30), "Steps");
            wanted = stairs(panel);
        }
        GroundKind::File { path, .. } => drop(ui.weak(path)),
    }
    if wanted != *now {
        act(commands, PoseAction::Ground(wanted));
    }
    switches_ui(ui, posed, driven, commands);
}

/// Driven feet are held unless somebody says no; those of a clip are not.
fn switches_ui(ui: &mut Ui, posed: Posed<'_>, driven: bool, commands: &mut Vec<Command>) {
    let posing = posed.pose.posing;
    let (mut lock, mut in_place) = (posing.foot_lock().unwrap_or(driven), posing.is_in_place());
    let says = "Standing feet stay where they came to stand";
    if ui
        .checkbox(&mut lock, "Foot lock")
        .on_hover_text(says)
        .changed()
    {
        act(commands, PoseAction::FootLock(lock));
    }
    let says = "Stays on the spot, as on a treadmill";
    if ui
        .checkbox(&mut in_place, "In place")
        .on_hover_text(says)
        .changed()
    {
        act(commands, PoseAction::InPlace(in_place));
    }
}

fn knob(ui: &mut Ui, slider: Slider<'_>, name: &str) {
    ui.horizontal(|ui| {
        ui.label(name);
        widgets::named(ui.add(slider), egui::Role::Slider, name);
    });
}

fn slope(panel: &PosePanel) -> GroundKind {
    GroundKind::Slope {
        degrees: panel.slope_deg,
    }
}

fn stairs(panel: &PosePanel) -> GroundKind {
    GroundKind::Stairs {
        rise_m: panel.rise_m,
        tread_m: panel.tread_m,
        steps: panel.steps,
    }
}
