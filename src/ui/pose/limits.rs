//! How far joints turn, and where a motion turns them further.

use egui::Ui;

use super::Posed;
use crate::ui::Command;

pub(super) fn page_ui(ui: &mut Ui, _posed: Posed<'_>, _commands: &mut Vec<Command>) {
    ui.weak("Limits are not looked at yet.");
}
