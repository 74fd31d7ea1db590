//! The joint tree with its search field, and the values of the chosen joint.

use egui::Ui;
use egui_plot::{Line, VLine};

use super::{Command, JointPage, PanelState, PanelView, PoseView, curves, plots, theme, widgets};
use crate::{
    math::Transform,
    skeleton::{JointIndex, NO_PARENT, Skeleton},
};

/// Rows shown at once; longer trees scroll.
const TREE_ROWS: usize = 8;

/// The same above the page of curves.
const FEW_ROWS: usize = 4;

/// Deeper joints are indented no further: their names need the room.
pub(super) const DEEPEST: usize = 12;

/// Height of what is told of the chosen joint, curves included.
const CHOSEN_HEIGHT: f32 = 220.0;

/// The same with the page of curves.
const CURVES_HEIGHT: f32 = 420.0;

/// Height of the curves.
const CURVE_HEIGHT: f32 = 120.0;

pub(super) fn section_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let (Some(clip), Some(pose)) = (&view.clip, &view.pose) else {
        ui.weak("No skeleton yet.");
        return;
    };
    let search = &mut state.joint_search;
    widgets::search(ui, search, "search joints", "Search joints");
    // What is told of the chosen joint comes below.
    let below = match pose.selected {
        _ if state.joint_page == JointPage::Curves => CURVES_HEIGHT,
        Some(_) => CHOSEN_HEIGHT,
        None => theme::ROW,
    };
    let bottom = view.list_bottom.map(|bottom| bottom - below);
    let least = match state.joint_page {
        // The plot needs the room.
        JointPage::Curves => FEW_ROWS,
        _ => TREE_ROWS,
    };
    let shown = widgets::rows_that_fit(ui, bottom, least);
    let tree = (clip.skeleton, shown);
    tree_ui(ui, &state.joint_search, tree, pose, commands);
    match pose.selected {
        Some(joint) if usize::from(joint) < clip.skeleton.len() => {
            heading_ui(ui, clip.skeleton, joint, commands);
            pages_ui(ui, state);
            chosen_ui(ui, state, view, pose, joint);
        }
        _ => {
            ui.weak("Click a joint here or in the picture.");
            let kept = !state.curves.joints.is_empty();
            if kept && state.joint_page == JointPage::Curves {
                pages_ui(ui, state);
            }
        }
    }
    let any = pose.selected.is_some() || !state.curves.joints.is_empty();
    if any && state.joint_page == JointPage::Curves {
        curves::page_ui(ui, state, view, clip.skeleton, commands);
    }
}

/// Steps from the root.
pub(super) fn depth(skeleton: &Skeleton, joint: usize) -> usize {
    let mut depth = 0;
    let mut at = skeleton.parents()[joint];
    while at != NO_PARENT {
        depth += 1;
        at = skeleton.parents()[usize::from(at)];
    }
    depth
}

fn tree_ui(
    ui: &mut Ui,
    search: &str,
    (skeleton, shown): (&Skeleton, usize),
    pose: &PoseView<'_>,
    commands: &mut Vec<Command>,
) {
    let wanted = search.to_lowercase();
    let name = |joint: usize| skeleton.joints()[joint].name.as_str();
    let rows: Vec<usize> = (0..skeleton.len())
        .filter(|&joint| name(joint).to_lowercase().contains(&wanted))
        .collect();
    if rows.is_empty() {
        ui.weak("No joint has this in its name.");
    }
    widgets::rows(ui, "joints", shown, rows.len(), |ui, row| {
        let joint = rows[row];
        let index = joint as JointIndex;
        let chosen = pose.selected == Some(index);
        ui.horizontal(|ui| {
            ui.add_space(10.0 * depth(skeleton, joint).min(DEEPEST) as f32);
            if widgets::entry(ui, chosen, name(joint)).clicked() {
                commands.push(Command::Select((!chosen).then_some(index)));
            }
        });
    });
}

fn heading_ui(ui: &mut Ui, skeleton: &Skeleton, joint: JointIndex, commands: &mut Vec<Command>) {
    ui.add_space(4.0);
    let index = usize::from(joint);
    ui.horizontal(|ui| {
        ui.strong(&skeleton.joints()[index].name);
        let parent = skeleton.parents()[index];
        if parent != NO_PARENT {
            let name = &skeleton.joints()[usize::from(parent)].name;
            let button = ui
                .small_button(format!("in {name}"))
                .on_hover_text("Chooses the parent");
            if button.clicked() {
                commands.push(Command::Select(Some(parent)));
            }
        }
    });
}

/// What is told of joints.
fn pages_ui(ui: &mut Ui, state: &mut PanelState) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (page, word) in [
            (JointPage::Values, "Values"),
            (JointPage::Angles, "Angles"),
            (JointPage::Positions, "Position"),
            (JointPage::Curves, "Curves"),
        ] {
            ui.selectable_value(&mut state.joint_page, page, word);
        }
    });
}

/// Numbers of this moment, or curves of the whole clip.
fn chosen_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    pose: &PoseView<'_>,
    joint: JointIndex,
) {
    let index = usize::from(joint);
    match (state.joint_page, pose.curves) {
        (JointPage::Values, _) => {
            transform_ui(ui, "In parent", &pose.local.joints()[index]);
            transform_ui(ui, "In world", &pose.world.joints()[index]);
        }
        (JointPage::Curves, _) => {}
        (_, None) => drop(ui.weak("Curves need a clip: press Tab for View.")),
        (JointPage::Angles, Some(curves)) => {
            ui.weak("turned in its parent, degrees");
            curves_ui(ui, view, &curves.secs, &curves.angles_deg, "°");
        }
        (JointPage::Positions, Some(curves)) => {
            ui.weak("position in the world, cm");
            curves_ui(ui, view, &curves.secs, &curves.positions_cm, " cm");
        }
    }
}

fn curves_ui(
    ui: &mut Ui,
    view: &PanelView<'_>,
    secs: &[f64],
    values: &[Vec<f64>; 3],
    unit: &'static str,
) {
    let colours = theme::palette(ui.style());
    // Red, green, blue as everywhere for x, y, z.
    let inks = [colours.marks[1], colours.marks[2], colours.marks[0]];
    let number = |value: f64| format!("{}{unit}", plots::short(value));
    plots::plot("joint", CURVE_HEIGHT, plots::secs, number).show(ui, |plot| {
        for ((axis, values), ink) in ["x", "y", "z"].into_iter().zip(values).zip(inks) {
            let points: Vec<[f64; 2]> = secs.iter().zip(values).map(|(&t, &v)| [t, v]).collect();
            plot.line(Line::new(axis, points).color(ink));
        }
        plot.vline(VLine::new("now", view.playback.time_secs).color(colours.text));
    });
    ui.horizontal(|ui| {
        for (axis, ink) in ["x", "y", "z"].into_iter().zip(inks) {
            widgets::dotted(ui, axis, ink);
        }
    });
}

fn transform_ui(ui: &mut Ui, what: &str, transform: &Transform) {
    let colours = theme::palette(ui.style());
    // About x first, then y, then z of the parent, as ASF files have it.
    let (z, y, x) = transform.rotation.to_euler(glam::EulerRot::ZYX);
    let angles = [x, y, z].map(f32::to_degrees);
    let position_cm = transform.translation * 100.0;
    egui::Grid::new(what)
        .num_columns(4)
        .min_col_width(56.0)
        .spacing([8.0, 2.0])
        .show(ui, |ui| {
            ui.label(egui::RichText::new(what).color(colours.quiet));
            for axis in ["x", "y", "z"] {
                to_the_right(ui, egui::RichText::new(axis).color(colours.quiet));
            }
            ui.end_row();
            for (unit, values) in [("cm", position_cm.to_array()), ("degrees", angles)] {
                ui.weak(unit);
                for value in values {
                    // No minus before a zero.
                    let value = (value * 100.0).round() / 100.0 + 0.0;
                    to_the_right(ui, format!("{value:.2}").into());
                }
                ui.end_row();
            }
        });
}

/// Numbers stand below each other by their last digit.
fn to_the_right(ui: &mut Ui, text: egui::RichText) {
    let right = egui::Layout::right_to_left(egui::Align::Center);
    ui.with_layout(right, |ui| ui.label(text));
}
