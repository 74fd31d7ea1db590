//! The log of events: footsteps, strikes, whatever the file names.

use egui::Ui;

use crate::ui::{AnimatorView, widgets};

const ROWS: usize = 14;

pub(super) fn page_ui(ui: &mut Ui, animator: &AnimatorView) {
    if animator.events.is_empty() {
        ui.weak("Nothing has happened yet: walk with W.");
        return;
    }
    let events = &animator.events;
    widgets::rows(ui, "events", ROWS, events.len(), |ui, index| {
        let event = &events[index];
        ui.horizontal(|ui| {
            ui.weak(format!("{:8.2} s", event.at_secs));
            ui.label(&event.name);
        });
    });
}
