//! The overlay with every key, written by the key table.

use egui::{Align2, RichText, Ui};

use super::{
    Mode, PanelState,
    keys::{Binding, TABLE},
    theme,
};

/// The frame, the title and a little of the scene.
const ROOM_AROUND: egui::Vec2 = egui::Vec2::new(64.0, 128.0);

pub(super) fn overlay_ui(ui: &Ui, state: &mut PanelState, mode: Mode) {
    if !state.shortcuts {
        return;
    }
    let mut open = true;
    // A small window shows a part at a time.
    let room = ui.ctx().content_rect().size() - ROOM_AROUND;
    egui::Window::new("Shortcuts")
        .anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .collapsible(false)
        .resizable(false)
        .default_size(room)
        .open(&mut open)
        .show(ui.ctx(), |ui| {
            egui::ScrollArea::both()
                .max_width(room.x)
                .max_height(room.y)
                .show(ui, |ui| table_ui(ui, mode));
        });
    state.shortcuts = open;
}

/// Three columns of about equal height.
fn table_ui(ui: &mut Ui, mode: Mode) {
    let columns: [&[&str]; 3] = [&["General", "Display"], &["Playback"], &["Drive", "Camera"]];
    // Text alone needs less height than rows with controls.
    ui.spacing_mut().interact_size.y = 18.0;
    ui.horizontal_top(|ui| {
        for groups in columns {
            ui.vertical(|ui| {
                for group in groups {
                    group_ui(ui, group, mode);
                }
            });
            ui.add_space(16.0);
        }
    });
}

fn group_ui(ui: &mut Ui, group: &str, mode: Mode) {
    let colours = theme::palette(ui.style());
    let rows: Vec<&Binding> = TABLE.iter().filter(|row| row.group == group).collect();
    let active = rows.first().is_none_or(|row| row.modes.contains(&mode));
    let title = match (group, active) {
        ("Playback", false) => "Playback (not in Drive)".to_owned(),
        ("Drive", false) => "Drive (press Tab)".to_owned(),
        _ => group.to_owned(),
    };
    ui.label(RichText::new(title).strong().color(colours.accent));
    egui::Grid::new(group)
        .num_columns(2)
        .min_col_width(72.0)
        .spacing([8.0, 2.0])
        .show(ui, |ui| {
            for row in rows {
                ui.label(RichText::new(row.label).strong());
                ui.label(RichText::new(row.says).color(colours.quiet));
                ui.end_row();
            }
        });
    ui.add_space(8.0);
}
