//! Looking at something, and sending joints somewhere.

use egui::{DragValue, Ui};

use super::{Posed, act};
use crate::{
    posing::{LookAt, PoseAction, ReachGoal},
    ui::{Command, PanelState, PanelView, widgets},
};

pub(super) fn page_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    (posed, view): (Posed<'_>, &PanelView<'_>),
    commands: &mut Vec<Command>,
) {
    look_ui(ui, posed, view, commands);
    ui.add_space(4.0);
    reach_ui(ui, state, posed, commands);
}

fn look_ui(ui: &mut Ui, posed: Posed<'_>, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let look = posed.pose.posing.look();
    let mut wanted = look.at.clone();
    ui.label("Looks at");
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.selectable_value(&mut wanted, LookAt::Off, "Nothing")
            .on_hover_text("As the motion has it");
        ui.selectable_value(&mut wanted, LookAt::Pointer, "Pointer")
            .on_hover_text("Wherever the mouse is in the picture");
        if let Some(joint) = posed.chosen() {
            let text = format!("Joint {joint}");
            ui.selectable_value(&mut wanted, LookAt::Joint(joint), text)
                .on_hover_text("The chosen joint, wherever it goes");
        }
        for other in view.others {
            let at = LookAt::Character(other.name.replace(' ', "_"));
            ui.selectable_value(&mut wanted, at, &other.name)
                .on_hover_text("Their head");
        }
    });
    if let LookAt::Point(point) = &look.at {
        ui.weak(format!(
            "the point {:.2} {:.2} {:.2}",
            point.x, point.y, point.z
        ));
    }
    widgets::progress_bar(ui, look.weight(), "Look");
    if wanted != look.at {
        act(commands, PoseAction::Look(wanted));
    }
}

fn reach_ui(ui: &mut Ui, state: &mut PanelState, posed: Posed<'_>, commands: &mut Vec<Command>) {
    ui.label("Reaches for");
    let (Some(joint), Some(name)) = (posed.pose.selected, posed.chosen()) else {
        ui.weak("Choose a joint in the picture: a hand, a foot, the head.");
        return;
    };
    let panel = &mut state.pose;
    let place = posed.pose.world.joints().get(usize::from(joint));
    if let (Some(place), true) = (place, panel.reach_of != Some(joint)) {
        (panel.reach, panel.reach_of) = (place.position(), Some(joint));
    }
    let mut moved = false;
    ui.horizontal(|ui| {
        let axes = [("X", 0), ("Y", 1), ("Z", 2)];
        for (axis, index) in axes {
            let knob = DragValue::new(&mut panel.reach[index])
                .speed(0.01)
                .fixed_decimals(2)
                .suffix(" m");
            ui.label(axis);
            let name = format!("Reach {axis}");
            moved |= widgets::named(ui.add(knob), egui::Role::SpinButton, &name).changed();
        }
    });
    let reaches = posed.pose.posing.reaches().iter();
    let known = { reaches }.find(|reach| reach.joint() == joint && reach.is_wanted());
    let goal = Some(ReachGoal {
        point: panel.reach,
        turn_deg: None,
    });
    ui.horizontal(|ui| {
        let send = ui.button(format!("Send {name} there"));
        let sent = send.clicked() || moved && known.is_some();
        if sent {
            let joint = name.clone();
            act(commands, PoseAction::Reach { joint, goal });
        }
        let back = ui.add_enabled(known.is_some(), egui::Button::new("Let go"));
        if back.clicked() {
            let joint = name.clone();
            act(commands, PoseAction::Reach { joint, goal: None });
        }
    });
}
