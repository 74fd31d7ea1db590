//! A body that is limp, whole or in part.

use egui::Ui;

use super::Posed;
use crate::ui::Command;

pub(super) fn page_ui(ui: &mut Ui, _posed: Posed<'_>, _commands: &mut Vec<Command>) {
    ui.weak("A limp body is not possible yet.");
}
