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
    posed: Posed<'_>,
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
