//! Things on joints: given, handed over, thrown, put down.

use egui::Ui;

use super::{Posed, act};
use crate::{
    humanoid::{Limb, Side},
    posing::{Attachment, PoseAction, Prop, PropKind, find_joint},
    ui::{Command, theme},
};

/// Seconds of a throw from the panel.
const FLIGHT_SECS: f32 = 0.6;

pub(super) fn page_ui(ui: &mut Ui, posed: Posed<'_>, commands: &mut Vec<Command>) {
    let joint = posed.chosen().unwrap_or_else(|| hand(Side::Right));
    ui.horizontal(|ui| {
        ui.label("Give");
        for (kind, word) in [
            (PropKind::Ball, "Ball"),
            (PropKind::Box, "Box"),
            (PropKind::Stick, "Stick"),
        ] {
            if ui.button(word).clicked() {
                act(
                    commands,
                    PoseAction::Attach(Attachment::to(kind, joint.clone())),
                );
            }
        }
        let file = ui.button("File…");
        if file.on_hover_text("A glTF model").clicked() {
            commands.push(Command::BrowseProp(joint.clone()));
        }
    });
    ui.weak(format!("to {joint}: choose another joint in the picture"));
    for prop in posed.pose.posing.props() {
        prop_ui(ui, prop, posed, commands);
    }
}

fn prop_ui(ui: &mut Ui, prop: &Prop, posed: Posed<'_>, commands: &mut Vec<Command>) {
    let holder = prop.joint().map(usize::from);
    let holder = holder.and_then(|joint| posed.skeleton.joints().get(joint));
    let place = match holder {
        Some(joint) if prop.is_held() => format!("{}: {}", prop.kind.word(), joint.name),
        Some(joint) => format!("{}: flies to {}", prop.kind.word(), joint.name),
        None => format!("{}: put down", prop.kind.word()),
    };
    ui.label(place);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.spacing_mut().button_padding.x = theme::GAP;
        for (side, word) in [(Side::Left, "To left"), (Side::Right, "To right")] {
            let at = find_joint(posed.skeleton, &hand(side));
            let there = at.is_some() && at == prop.joint();
            let button = ui.add_enabled(at.is_some() && !there, egui::Button::new(word));
            if button.on_hover_text("Into that hand").clicked() {
                let wanted = Attachment::to(prop.kind.clone(), hand(side));
                act(commands, PoseAction::Attach(wanted));
            }
        }
        let other = other_hand(posed, prop);
        let throw = ui.add_enabled(other.is_some(), egui::Button::new("Throw"));
        if let (true, Some(other)) = (throw.clicked(), &other) {
            let wanted = Attachment {
                flight_secs: FLIGHT_SECS,
                ..Attachment::to(prop.kind.clone(), other.clone())
            };
            act(commands, PoseAction::Attach(wanted));
        }
        let both = ui.add_enabled(other.is_some(), egui::Button::new("Both"));
        if let (true, Some(second)) = (both.on_hover_text("Two hands").clicked(), other) {
            let wanted = Attachment {
                second: Some(second.clone()),
                ..Attachment::to(prop.kind.clone(), mirrored(&second))
            };
            act(commands, PoseAction::Attach(wanted));
        }
        let held = prop.joint().is_some();
        let down = ui.add_enabled(held, egui::Button::new("Down"));
        if down.on_hover_text("Lets it go").clicked() {
            act(commands, PoseAction::Detach(Some(prop.kind.clone())));
        }
    });
}

/// The word of a hand.
fn hand(side: Side) -> String {
    side.role(Limb::Hand).to_string().replace(' ', "_")
}

fn mirrored(hand_word: &str) -> String {
    match hand_word == hand(Side::Left) {
        true => hand(Side::Right),
        false => hand(Side::Left),
    }
}

/// The hand that a prop is not in.
fn other_hand(posed: Posed<'_>, prop: &Prop) -> Option<String> {
    let hands = Side::BOTH.map(|side| (hand(side), find_joint(posed.skeleton, &hand(side))));
    let holder = prop.joint()?;
    let [left, right] = &hands;
    match (left.1, right.1) {
        (Some(joint), Some(_)) if joint == holder => Some(right.0.clone()),
        (Some(_), Some(joint)) if joint == holder => Some(left.0.clone()),
        _ => None,
    }
}
