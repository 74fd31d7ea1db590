//! Places with names, and joints that go to them: one's own, or somebody else's.

use egui::{ComboBox, Ui};
use glam::Vec3;

use super::{Posed, act};
use crate::{
    humanoid::{Limb, Side},
    posing::{
        LocatorAction, LocatorBase, LocatorPlace, MeetAction, MeetGoal, PoseAction, StandAction,
        find_joint,
    },
    scene::Character,
    skeleton::Skeleton,
    ui::{Command, PanelState, PanelView},
};

/// Where hands of two people meet: height and distance ahead, metres.
const CLASP_M: Vec3 = Vec3::new(0.0, 1.1, 0.35);

pub(super) fn page_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    (posed, view): (Posed<'_>, &PanelView<'_>),
    commands: &mut Vec<Command>,
) {
    put_ui(ui, posed, commands);
    ui.add_space(4.0);
    let joint = posed.chosen().unwrap_or_else(|| "right_hand".to_owned());
    let goals = goals(posed, view.others);
    let panel = &mut state.pose;
    if panel.meets.as_ref().is_none_or(|it| !goals.contains(it)) {
        panel.meets = goals.first().cloned();
    }
    let Some(goal) = &mut panel.meets else {
        ui.weak("Put a place somewhere, or add a character, to go to.");
        return;
    };
    ui.label(format!("{joint} goes to"));
    ComboBox::from_id_salt("meets")
        .width(ui.available_width())
        .selected_text(title(goal))
        .show_ui(ui, |ui| {
            for other in &goals {
                ui.selectable_value(goal, other.clone(), title(other));
            }
        });
    ui.checkbox(&mut panel.meets_turned, "Turned as that is");
    let goal = MeetGoal {
        turned: panel.meets_turned,
        ..goal.clone()
    };
    ui.horizontal(|ui| {
        if ui.button("Send there").clicked() {
            let own = joint.clone();
            let goal = Some(goal.clone());
            act(commands, PoseAction::Meet(MeetAction { own, goal }));
        }
        let says = "The whole body, below its hips, looking the way that the place does";
        if ui.button("Stand there").on_hover_text(says).clicked() {
            let goal = MeetGoal {
                turned: false,
                ..goal
            };
            let own = "body".to_owned();
            act(commands, PoseAction::Stand(StandAction { own, goal }));
        }
    });
    meets_ui(ui, posed, commands);
}

/// Puts places somewhere, and lists those that are there.
fn put_ui(ui: &mut Ui, posed: Posed<'_>, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.label("Place");
        let chosen = posed.chosen();
        let joint = ui.add_enabled(chosen.is_some(), egui::Button::new("On joint"));
        let says = "On the joint that is chosen in the picture";
        if let (true, Some(joint)) = (joint.on_hover_text(says).clicked(), chosen) {
            put(posed, LocatorBase::Joint(joint), Vec3::ZERO, commands);
        }
        let ahead = ui
            .button("Ahead")
            .on_hover_text("Goes along before the body");
        if ahead.clicked() {
            put(posed, LocatorBase::Body, CLASP_M, commands);
        }
        let says = "Stays in the world, where the chosen joint is now, or before the body";
        if ui.button("In space").on_hover_text(says).clicked() {
            put(posed, LocatorBase::World, in_space(posed), commands);
        }
    });
    for locator in posed.pose.posing.locators() {
        ui.horizontal(|ui| {
            let joint = locator.joint().map(usize::from);
            let joint = joint.and_then(|joint| posed.skeleton.joints().get(joint));
            match joint {
                Some(joint) => ui.label(format!("{}: on {}", locator.name, joint.name)),
                None => ui.label(&locator.name),
            };
            if ui.small_button("Remove").clicked() {
                let name = locator.name.clone();
                let gone = LocatorAction { name, place: None };
                act(commands, PoseAction::Locator(gone));
            }
        });
    }
}

fn in_space(posed: Posed<'_>) -> Vec3 {
    let joints = posed.pose.world.joints();
    let chosen = posed.pose.selected.map(usize::from);
    let chosen = chosen.and_then(|joint| joints.get(joint));
    let hips = joints.first().map_or(Vec3::ZERO, |it| it.position());
    chosen.map_or(hips.with_y(0.0) + CLASP_M, |it| it.position())
}

fn put(posed: Posed<'_>, base: LocatorBase, offset_m: Vec3, commands: &mut Vec<Command>) {
    let known = posed.pose.posing.locators();
    let free = |number: &usize| !known.iter().any(|it| it.name == format!("place{number}"));
    let number = (1..).find(free).unwrap_or(1);
    let place = Some(LocatorPlace {
        base,
        offset_m,
        turn_deg: Vec3::ZERO,
    });
    let name = format!("place{number}");
    act(commands, PoseAction::Locator(LocatorAction { name, place }));
}

/// All that something can go to.
fn goals(posed: Posed<'_>, others: &[Character]) -> Vec<MeetGoal> {
    let locators = posed.pose.posing.locators().iter();
    let own = locators
        .map(|it| it.name.clone())
        .chain(of_file(posed.skeleton));
    let mut goals: Vec<MeetGoal> = own.map(|locator| goal(locator, None)).collect();
    for other in others.iter().filter(|it| !it.see_through) {
        let of = other.name.replace(' ', "_");
        let locators = other.locators().map(|(name, _)| name.to_owned());
        let places = locators
            .chain(of_file(&other.skeleton))
            .chain(parts(&other.skeleton));
        goals.extend(places.map(|locator| goal(locator, Some(of.clone()))));
    }
    goals
}

fn goal(locator: String, of: Option<String>) -> MeetGoal {
    MeetGoal {
        locator,
        of,
        turned: false,
    }
}

/// Locators that a file names.
fn of_file(skeleton: &Skeleton) -> impl Iterator<Item = String> + '_ {
    let landmarks = skeleton.landmarks().iter();
    let locators = landmarks.filter(|it| it.lens.is_none());
    locators.map(|it| it.name.replace(' ', "_"))
}

/// What one takes hold of of somebody else.
fn parts(skeleton: &Skeleton) -> impl Iterator<Item = String> + '_ {
    let hands = Side::BOTH.map(|side| side.role(Limb::Hand).to_string().replace(' ', "_"));
    let all = hands.into_iter().chain(["head", "hips"].map(str::to_owned));
    all.filter(|part| find_joint(skeleton, part).is_some())
}

fn title(goal: &MeetGoal) -> String {
    match &goal.of {
        Some(of) => format!("{of}: {}", goal.locator.replace('_', " ")),
        None => goal.locator.clone(),
    }
}

/// Who goes where, how far it is from there, and a way to let go.
fn meets_ui(ui: &mut Ui, posed: Posed<'_>, commands: &mut Vec<Command>) {
    for reach in posed.pose.posing.reaches() {
        let joint = posed.skeleton.joints().get(usize::from(reach.joint()));
        let (Some(joint), Some(goal)) = (joint, reach.meets()) else {
            continue;
        };
        ui.horizontal(|ui| {
            let far = reach.missing_m(posed.pose.world);
            let far = far.map_or_else(String::new, |it| format!(", {:.1} cm off", it * 100.0));
            ui.label(format!("{} to {}{far}", joint.name, title(goal)));
            if ui.small_button("Let go").clicked() {
                let own = joint.name.replace(' ', "_");
                act(commands, PoseAction::Meet(MeetAction { own, goal: None }));
            }
        });
    }
}
