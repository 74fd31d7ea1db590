//! What is shown, and the list of clips it comes from.

use std::path::Path;

use egui::{Role, Ui};

use super::{ClipView, Command, ImportOverrides, PanelState, PanelView, theme, widgets};
use crate::units::{LengthUnit, UpAxis};

/// Rows shown at once; longer lists scroll.
const LIST_ROWS: usize = 7;
/// Lines above it, for most clips.
const USUAL_FACTS: usize = 7;

pub(super) fn section_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    if let Some(clip) = &view.clip {
        for (what, value) in clip.facts {
            widgets::fact(ui, what, value);
        }
        overrides_ui(ui, clip, commands);
        remarks_ui(ui, clip.remarks);
    } else if view.fault.is_none() {
        ui.weak("Nothing is loaded yet.");
    }
    if let Some(fault) = view.fault {
        widgets::note(ui, fault, theme::palette(ui.style()).error);
    }
    if view.clips.len() > 1 {
        ui.add_space(4.0);
        list_ui(ui, state, view, commands);
    }
}

/// Rate and unit as found, to be set otherwise.
fn overrides_ui(ui: &mut Ui, clip: &ClipView<'_>, commands: &mut Vec<Command>) {
    // What is built in or compressed says for certain what it is.
    let readable = clip
        .path
        .is_some_and(|path| path.extension().is_none_or(|end| end != "kin"));
    if !readable {
        return;
    }
    let mut overrides = clip.overrides;
    ui.horizontal_wrapped(|ui| {
        let mut fps = clip.fps();
        let field = egui::DragValue::new(&mut fps)
            .range(1.0..=1000.0)
            .speed(1.0)
            .max_decimals(3)
            .suffix(" fps")
            // The file is read anew: once, not at every digit.
            .update_while_editing(false);
        let hint = match clip.fps_assumed {
            true => "The file does not say its rate: set it here",
            false => "Frames a second instead of what the file says",
        };
        let response = ui.add_sized([88.0, theme::ROW], field).on_hover_text(hint);
        let response = widgets::named(response, Role::SpinButton, "Frames a second");
        if response.changed() && fps != clip.fps() {
            overrides.fps = Some(fps);
        }
        unit_ui(ui, clip, &mut overrides);
        up_ui(ui, clip, &mut overrides);
        skeleton_ui(ui, clip, commands);
        let reset = egui::Button::new("As found");
        let changed = clip.overrides != ImportOverrides::default();
        if ui.add_enabled(changed, reset).clicked() {
            overrides = ImportOverrides::default();
        }
    });
    if clip.has_fingers {
        let fingers = ui.checkbox(&mut overrides.ignore_fingers, "Ignore fingers");
        fingers.on_hover_text("Holds thumbs and fingers at rest: for captures with garbage there");
    }
    if overrides != clip.overrides {
        commands.push(Command::Reinterpret(overrides));
    }
}

fn unit_ui(ui: &mut Ui, clip: &ClipView<'_>, overrides: &mut ImportOverrides) {
    let shown = egui::ComboBox::from_id_salt("unit")
        .width(64.0)
        .selected_text(clip.length.unit.to_string())
        .show_ui(ui, |ui| {
            for unit in LengthUnit::ALL {
                let chosen = egui::Button::selectable(clip.length.unit == unit, unit.to_string());
                if ui.add(chosen).clicked() {
                    overrides.unit = Some(unit);
                }
            }
        });
    let response = shown.response.on_hover_text(match clip.length.assumed {
        true => "The file does not say its unit of length: set it here",
        false => "Unit of length instead of what the file says",
    });
    widgets::named(response, Role::ComboBox, "Unit of length");
}

fn up_ui(ui: &mut Ui, clip: &ClipView<'_>, overrides: &mut ImportOverrides) {
    let shown = egui::ComboBox::from_id_salt("up")
        .width(40.0)
        .selected_text(format!("{} up", clip.up))
        .show_ui(ui, |ui| {
            for up in UpAxis::ALL {
                let chosen = egui::Button::selectable(clip.up == up, format!("{up} up"));
                if ui.add(chosen).clicked() {
                    overrides.up = Some(up);
                }
            }
        });
    let response = shown
        .response
        .on_hover_text("The axis of the file that points up");
    widgets::named(response, Role::ComboBox, "Up axis");
}

/// Which skeleton a motion plays on, where there are several.
fn skeleton_ui(ui: &mut Ui, clip: &ClipView<'_>, commands: &mut Vec<Command>) {
    if clip.skeletons.len() < 2 {
        return;
    }
    let name = |path: &Path| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    };
    let shown = egui::ComboBox::from_id_salt("skeleton")
        .width(110.0)
        .selected_text(name(clip.on))
        .truncate()
        .show_ui(ui, |ui| {
            for (number, path) in clip.skeletons.iter().enumerate() {
                let chosen = egui::Button::selectable(path == clip.on, name(path));
                let response = ui.add(chosen).on_hover_text(path.display().to_string());
                if response.clicked() {
                    commands.push(Command::ChooseSkeleton(number));
                }
            }
        });
    let hint = "Several skeletons come into question: which one the motion plays on";
    let response = shown.response.on_hover_text(hint);
    widgets::named(response, Role::ComboBox, "Skeleton of the motion");
}

fn remarks_ui(ui: &mut Ui, remarks: &[String]) {
    let colours = theme::palette(ui.style());
    for remark in remarks.iter().take(3) {
        widgets::note(ui, remark, colours.warning);
    }
    if remarks.len() > 3 {
        ui.weak(format!("and {} more: see Messages (F3)", remarks.len() - 3));
    }
}

fn list_ui(ui: &mut Ui, state: &mut PanelState, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.strong(format!("{} clips", view.clips.len()));
        if view.clips.len() > LIST_ROWS {
            widgets::search(ui, &mut state.clip_search, "search", "Search clips");
        }
    });
    // A model tells more of itself, and leaves less room.
    let facts = view.clip.as_ref().map_or(0, |clip| clip.facts.len());
    let shown = LIST_ROWS - facts.saturating_sub(USUAL_FACTS).min(LIST_ROWS - 3);
    let wanted = state.clip_search.to_lowercase();
    let rows: Vec<usize> = (0..view.clips.len())
        .filter(|&index| view.clips[index].name.to_lowercase().contains(&wanted))
        .collect();
    let shown = widgets::rows_that_fit(ui, view.list_bottom, shown);
    widgets::rows(ui, "clips", shown, rows.len(), |ui, row| {
        row_ui(ui, rows[row], view, commands);
    });
}

fn row_ui(ui: &mut Ui, index: usize, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let row = &view.clips[index];
    ui.horizontal(|ui| {
        let mut alongside = row.alongside;
        let check = ui.add_enabled(!row.shown, egui::Checkbox::without_text(&mut alongside));
        let check = check.on_hover_text("Show beside, in step");
        let name = format!("Beside: {}", row.name);
        if widgets::named(check, Role::CheckBox, &name).changed() {
            commands.push(Command::ToggleAlongside(index));
        }
        let response = widgets::entry(ui, row.shown, &row.name);
        if response.on_hover_text(&row.path).clicked() {
            commands.push(Command::ShowClip(index));
        }
    });
}
