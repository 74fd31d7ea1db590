//! How much a layer moves each joint, set on the joint tree.

use egui::{ScrollArea, Ui};

use crate::{
    skeleton::JointIndex,
    ui::{Command, LayerView, PanelState, PanelView, Tuning, joints::depth, theme, widgets},
};

/// Rows seen at once; longer trees scroll.
const ROWS: usize = 13;

pub(super) fn page_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    layer: &LayerView,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(clip) = &view.clip else {
        return;
    };
    ui.horizontal(|ui| {
        ui.checkbox(&mut state.mask_brush.below, "With all below")
            .on_hover_text("A change goes down the tree");
        let index = state.animator_layer;
        for (word, weight) in [("All", 1.0), ("None", 0.0)] {
            if ui.button(word).on_hover_text("For every joint").clicked() {
                commands.push(mask(index, 0, weight, true));
            }
        }
    });
    let count = clip.skeleton.len().min(layer.mask.len());
    ScrollArea::vertical()
        .id_salt("mask")
        .max_height(ROWS as f32 * (theme::ROW + 4.0))
        .auto_shrink([false, true])
        .show_rows(ui, theme::ROW, count, |ui, range| {
            for joint in range {
                row_ui(ui, state, (joint, layer.mask[joint]), view, commands);
            }
        });
}

fn mask(layer: usize, joint: usize, weight: f32, below: bool) -> Command {
    Command::Tune(Tuning::Mask {
        layer,
        joint: joint as JointIndex,
        weight,
        below,
    })
}

fn row_ui(
    ui: &mut Ui,
    state: &PanelState,
    (joint, before): (usize, f32),
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(clip) = &view.clip else {
        return;
    };
    let name = &clip.skeleton.joints()[joint].name;
    let colours = theme::palette(ui.style());
    ui.horizontal(|ui| {
        let (bar, _) = ui.allocate_exact_size([4.0, theme::ROW].into(), egui::Sense::hover());
        let ink = colours.accent.gamma_multiply(before.clamp(0.0, 1.0));
        ui.painter().rect_filled(bar, 1.0, ink);
        ui.add_space(8.0 * depth(clip.skeleton, joint).min(12) as f32);
        ui.label(name);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_space(12.0);
            let mut weight = before;
            let field = egui::DragValue::new(&mut weight)
                .range(0.0..=1.0)
                .speed(0.01)
                .fixed_decimals(2);
            let response = ui.add_sized([56.0, theme::ROW], field);
            let response = response.on_hover_text("Weight, 0 to 1: drag");
            let label = format!("Mask of {name}");
            if widgets::named(response, egui::Role::SpinButton, &label).changed() {
                let below = state.mask_brush.below;
                commands.push(mask(state.animator_layer, joint, weight, below));
            }
        });
    });
}
