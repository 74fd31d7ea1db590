//! The log of events: footsteps, strikes, whatever the file names.

use egui::{ScrollArea, Ui};

use crate::ui::{AnimatorView, theme};

const ROWS: usize = 14;

pub(super) fn page_ui(ui: &mut Ui, animator: &AnimatorView) {
    if animator.events.is_empty() {
        ui.weak("Nothing has happened yet: walk with W.");
        return;
    }
    ScrollArea::vertical()
        .id_salt("events")
        .max_height(ROWS as f32 * (theme::ROW + 4.0))
        .auto_shrink([false, true])
        .show_rows(ui, theme::ROW, animator.events.len(), |ui, range| {
            for event in &animator.events[range] {
                ui.horizontal(|ui| {
                    ui.weak(format!("{:8.2} s", event.at_secs));
                    ui.label(&event.name);
                });
            }
        });
}
