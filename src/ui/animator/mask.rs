//! How much a layer moves each joint, set on the joint tree.

use egui::Ui;

use crate::{
    skeleton::{JointIndex, Skeleton},
    ui::{
        Command, LayerView, PanelState, PanelView, Tuning,
        joints::{DEEPEST, depth},
        theme, widgets,
    },
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
    if state.animator_layer == 0 {
        ui.weak("The first layer moves the whole body.");
        return;
    }
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
    widgets::rows(ui, "mask", ROWS, count, |ui, joint| {
        let mut weight = layer.mask[joint];
        if row_ui(ui, clip.skeleton, joint, &mut weight) {
            let below = state.mask_brush.below;
            commands.push(mask(state.animator_layer, joint, weight, below));
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

/// True when the weight was changed.
fn row_ui(ui: &mut Ui, skeleton: &Skeleton, joint: usize, weight: &mut f32) -> bool {
    let name = &skeleton.joints()[joint].name;
    let colours = theme::palette(ui.style());
    ui.horizontal(|ui| {
        let (bar, _) = ui.allocate_exact_size([4.0, theme::ROW].into(), egui::Sense::hover());
        let ink = colours.accent.gamma_multiply(weight.clamp(0.0, 1.0));
        ui.painter().rect_filled(bar, 1.0, ink);
        ui.add_space(8.0 * depth(skeleton, joint).min(DEEPEST) as f32);
        ui.label(name);
        let right = egui::Layout::right_to_left(egui::Align::Center);
        ui.with_layout(right, |ui| {
            // Clear of the scroll bar.
            ui.add_space(12.0);
            let hint = "Weight, 0 to 1: drag";
            widgets::weight(ui, weight, hint, &format!("Mask of {name}"))
        })
        .inner
    })
    .inner
}
