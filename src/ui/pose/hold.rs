//! Joints dragged by hand: which ends stay, who follows, and what is kept.

use egui::{ComboBox, DragValue, Ui};

use super::{Posed, act, space};
use crate::{
    posing::{DragSolver, JointHold, KeptDrag, PoseAction, WholeBody},
    ui::{Command, PanelState, widgets},
};

pub(super) fn page_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    posed: Posed<'_>,
    commands: &mut Vec<Command>,
) {
    let held = posed.pose.posing.holds().last().map(JointHold::joint);
    let joint = held.and_then(|joint| posed.skeleton.joints().get(usize::from(joint)));
    match joint {
        Some(joint) => drop(ui.label(format!("In the hand: {}", joint.name))),
        None => drop(ui.weak("Drag a joint in the picture: the body follows.")),
    }
    pins_ui(ui, posed, commands);
    solver_ui(ui, posed, commands);
    ui.add_space(4.0);
    keep_ui(ui, state, posed, commands);
    ui.collapsing("Configuration space", |ui| space::map_ui(ui, posed));
}

/// Hands, feet, head and hips as switches.
fn pins_ui(ui: &mut Ui, posed: Posed<'_>, commands: &mut Vec<Command>) {
    let Some(body) = WholeBody::of(posed.skeleton) else {
        return;
    };
    let pins = posed.pose.posing.pins(posed.skeleton);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.label("Stay");
        for end in body.ends() {
            let name = &posed.skeleton.joints()[usize::from(end)].name;
            let pinned = pins.contains(&end);
            let says = "Stays where the motion has it; Ctrl and a click in the picture do the same";
            let switch = ui.selectable_label(pinned, name).on_hover_text(says);
            if switch.clicked() {
                let joint = name.replace(' ', "_");
                act(commands, PoseAction::Pin { joint, on: !pinned });
            }
        }
    });
}

fn solver_ui(ui: &mut Ui, posed: Posed<'_>, commands: &mut Vec<Command>) {
    let now = posed.pose.posing.solver();
    ui.horizontal(|ui| {
        ui.label("By");
        let combo = ComboBox::from_id_salt("drag solver").selected_text(now.name());
        let combo = combo.show_ui(ui, |ui| {
            for solver in DragSolver::all() {
                let line = ui.selectable_label(solver == now, solver.name());
                if line.on_hover_text(solver.says()).clicked() {
                    act(commands, PoseAction::Solver(solver));
                }
            }
        });
        widgets::named(combo.response, egui::Role::ComboBox, "Solver");
    });
    ui.weak(now.says());
}

fn keep_ui(ui: &mut Ui, state: &mut PanelState, posed: Posed<'_>, commands: &mut Vec<Command>) {
    let panel = &mut state.pose;
    let says = "A pose that was dragged stays, as an offset over the motion";
    ui.checkbox(&mut panel.keep, "Keep what is dragged")
        .on_hover_text(says);
    ui.horizontal(|ui| {
        ui.label("Around");
        let around = DragValue::new(&mut panel.keep_around_secs)
            .range(0.0..=600.0)
            .speed(0.05)
            .fixed_decimals(2)
            .suffix(" s");
        let around = ui
            .add(around)
            .on_hover_text("Before and after this moment; 0 for all of it");
        widgets::named(around, egui::Role::SpinButton, "Kept around");
        ui.label("ease");
        let ease = DragValue::new(&mut panel.keep_ease_secs)
            .range(0.0..=10.0)
            .speed(0.01)
            .fixed_decimals(2)
            .suffix(" s");
        widgets::named(ui.add(ease), egui::Role::SpinButton, "Kept ease");
    });
    let posing = posed.pose.posing;
    for (index, kept) in posing.kept().iter().enumerate() {
        kept_ui(ui, (index, kept), posed, commands);
    }
    ui.horizontal(|ui| {
        let undo = ui.add_enabled(!posing.kept().is_empty(), egui::Button::new("Undo"));
        if undo.on_hover_text("Takes the last one back").clicked() {
            commands.push(Command::UndoDrag);
        }
        let redo = ui.add_enabled(posing.can_redo_kept(), egui::Button::new("Redo"));
        if redo.clicked() {
            commands.push(Command::RedoDrag);
        }
    });
    if !posing.kept().is_empty() {
        ui.weak("Export… writes the clip with it.");
    }
}

fn kept_ui(
    ui: &mut Ui,
    (index, kept): (usize, &KeptDrag),
    posed: Posed<'_>,
    commands: &mut Vec<Command>,
) {
    let layer = kept.layer();
    let Some(offset) = layer.offsets.first() else {
        return;
    };
    let name = &posed.skeleton.joints()[usize::from(offset.joint)].name;
    let (from, to) = layer.range_secs;
    let when = match to.is_finite() {
        true => format!("{from:.2}–{to:.2} s"),
        false => "always".to_owned(),
    };
    let text = format!("{name} {:.0} cm, {when}", offset.offset.length() * 100.0);
    let mut on = layer.on;
    if ui
        .checkbox(&mut on, text)
        .on_hover_text(&layer.name)
        .changed()
    {
        commands.push(Command::SwitchDrag(index, on));
    }
}
