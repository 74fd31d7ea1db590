//! Joints pulled by hand.

use egui::Ui;

use super::Posed;
use crate::{posing::JointHold, ui::Command};

pub(super) fn page_ui(ui: &mut Ui, posed: Posed<'_>, _commands: &mut Vec<Command>) {
    let held = posed.pose.posing.holds().last().map(JointHold::joint);
    let joint = held.and_then(|joint| posed.skeleton.joints().get(usize::from(joint)));
    match joint {
        Some(joint) => drop(ui.label(format!("In the hand: {}", joint.name))),
        None => drop(ui.weak("Drag a joint in the picture: the body follows.")),
    }
}
