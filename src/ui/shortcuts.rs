//! The overlay with every key, written by the key table and by what the
//! animator's file binds.

use egui::{Align2, RichText, Ui};

use super::{BindingView, PanelState, PanelView, keys::TABLE, theme};

/// The frame, the title and a little of the scene.
const ROOM_AROUND: egui::Vec2 = egui::Vec2::new(64.0, 128.0);

pub(super) fn overlay_ui(ui: &Ui, state: &mut PanelState, view: &PanelView<'_>) {
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
                .show(ui, |ui| table_ui(ui, room.x, view));
        });
    state.shortcuts = open;
}

/// Points that no text needs more than; with less room it wraps.
const WIDEST_COLUMN: f32 = 300.0;
const NARROWEST_COLUMN: f32 = 220.0;
const BETWEEN_COLUMNS: f32 = 16.0;
/// Points that the keys of a column take.
const KEYS_WIDTH: f32 = 92.0;

/// Groups in columns of about equal height, as many as fit.
fn columns(width: f32) -> &'static [&'static [&'static str]] {
    match (width / NARROWEST_COLUMN) as usize {
        0 | 1 => &[&["General", "Playback", "Drive", "Camera", "Display"]],
        2 => &[&["General", "Display", "Camera"], &["Playback", "Drive"]],
        _ => &[&["General", "Display"], &["Playback"], &["Drive", "Camera"]],
    }
}

fn table_ui(ui: &mut Ui, width: f32, view: &PanelView<'_>) {
    let columns = columns(width);
    let share = width / columns.len() as f32 - BETWEEN_COLUMNS;
    // Text alone needs less height than rows with controls.
    ui.spacing_mut().interact_size.y = 16.0;
    ui.spacing_mut().item_spacing.x = BETWEEN_COLUMNS;
    ui.horizontal_top(|ui| {
        for groups in columns {
            ui.vertical(|ui| {
                ui.set_max_width(share.min(WIDEST_COLUMN));
                for group in *groups {
                    group_ui(ui, group, view);
                }
            });
        }
    });
}

fn group_ui(ui: &mut Ui, group: &str, view: &PanelView<'_>) {
    let says_width = ui.available_width() - KEYS_WIDTH;
    let colours = theme::palette(ui.style());
    let rows = TABLE.iter().filter(|row| row.group == group);
    let active = rows.clone().next();
    let active = active.is_none_or(|row| row.modes.contains(&view.mode));
    let title = match (group, active) {
        ("Playback", false) => "Playback (not in Drive)".to_owned(),
        ("Drive", false) => "Drive (press Tab)".to_owned(),
        _ => group.to_owned(),
    };
    ui.label(RichText::new(title).strong().color(colours.accent));
    egui::Grid::new(group)
        .num_columns(2)
        .min_col_width(72.0)
        .max_col_width(says_width)
        .spacing([8.0, 2.0])
        .show(ui, |ui| {
            let mut row_ui = |label: &str, says: &str| {
                ui.label(RichText::new(label).strong());
                ui.label(RichText::new(says).color(colours.quiet));
                ui.end_row();
            };
            // What a file binds is for Drive alone, and comes first there.
            let bound = view.animator.filter(|_| group == "Drive");
            for row in bound.iter().flat_map(|animator| &animator.bindings) {
                row_ui(&all_controls(row), &row.says);
            }
            for row in rows {
                row_ui(row.label, row.says);
            }
        });
    ui.add_space(8.0);
}

/// Keys, then what is on a gamepad.
fn all_controls(row: &BindingView) -> String {
    let labels = [row.label(false), row.label(true)];
    let labels = labels.into_iter().filter(|label| !label.is_empty());
    labels.collect::<Vec<_>>().join(" · ")
}
