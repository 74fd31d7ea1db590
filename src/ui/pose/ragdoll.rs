//! A body that is limp, whole or in part.

use egui::{Slider, Ui};
use glam::{Quat, Vec3};

use super::{Posed, act};
use crate::{
    humanoid::facing,
    posing::{Limpness, PoseAction},
    ui::{Command, PanelState, widgets},
};

/// Newton-seconds of a push by a button: somebody runs into one.
const PUSH_NS: f32 = 120.0;

pub(super) fn page_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    posed: Posed<'_>,
    commands: &mut Vec<Command>,
) {
    let panel = &mut state.pose;
    let fall = posed.pose.posing.fall();
    let limp = |strength: f32, below: Option<String>| {
        PoseAction::Ragdoll(Some(Limpness { strength, below }))
    };
    ui.label("Strength")
        .on_hover_text("0 is limp, 1 holds to the motion");
    let slider = ui.add(Slider::new(&mut panel.strength, 0.0..=1.0).fixed_decimals(2));
    let slider = widgets::named(slider, egui::Role::Slider, "Ragdoll strength");
    let whole = fall.ragdoll().is_some_and(|it| it.is_whole());
    if slider.changed() && whole {
        act(commands, limp(panel.strength, None));
    }
    ui.horizontal_wrapped(|ui| {
        let go = ui.button("Go limp").on_hover_text("The whole body falls");
        if go.clicked() {
            act(commands, limp(panel.strength, None));
        }
        if let Some(joint) = posed.chosen() {
            let text = format!("Limp from {joint}");
            let part = ui.button(text).on_hover_text("The rest follows the motion");
            if part.clicked() {
                act(commands, limp(panel.strength, Some(joint)));
            }
        }
        let up = ui.add_enabled(fall.ragdoll().is_some(), egui::Button::new("Get up"));
        let up = up.on_hover_text("From the ground, or back to the motion");
        if up.clicked() {
            act(commands, PoseAction::Ragdoll(None));
        }
    });
    push_ui(ui, posed, commands);
    if let Some(word) = fall.word() {
        ui.weak(word);
    }
}

fn push_ui(ui: &mut Ui, posed: Posed<'_>, commands: &mut Vec<Command>) {
    let joint = posed.chosen().unwrap_or_else(|| "hips".to_owned());
    ui.horizontal_wrapped(|ui| {
        ui.label("Push");
        let ways = [
            ("forward", Vec3::Z),
            ("back", Vec3::NEG_Z),
            ("left", Vec3::X),
            ("right", Vec3::NEG_X),
        ];
        for (word, way) in ways {
            if ui.small_button(word).clicked() {
                let joint = joint.clone();
                let ahead = facing(posed.skeleton, posed.pose.world).unwrap_or(Vec3::Z);
                let heading = Quat::from_rotation_y(ahead.x.atan2(ahead.z));
                let impulse = heading * way * PUSH_NS;
                act(commands, PoseAction::Push { joint, impulse });
            }
        }
    });
    ui.weak("Or drag a joint and let go with Ctrl held.");
}
