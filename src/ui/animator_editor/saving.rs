//! Where an animator is saved, and what becomes of edits that are not when
//! something would end them.

use egui::{RichText, Role, Ui};

use super::Desk;
use crate::ui::{
    AnimatorEditing, Command, EditorPanel, EditorView, Leaving, SaveDialog, theme, widgets,
};

/// Of the dialog.
const WIDTH: f32 = 440.0;

/// Asks where to save, beginning with where it is.
pub fn ask(panel: &mut EditorPanel, desk: &Desk<'_>) {
    panel.saving = Some(SaveDialog::of(desk.view.path, None));
}

impl SaveDialog {
    /// For a file that is known, or for a new one.
    #[must_use]
    pub fn of(path: Option<&str>, leaving: Option<Leaving>) -> Self {
        Self {
            path: path.unwrap_or("animator.ron").to_owned(),
            replace: false,
            leaving,
        }
    }
}

/// Over everything else: nothing is done meanwhile.
pub fn dialog_ui(
    ui: &Ui,
    panel: &mut EditorPanel,
    view: &EditorView<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(dialog) = &mut panel.saving else {
        return;
    };
    let mut ask = |asked| commands.push(Command::EditAnimator(asked));
    let modal = egui::Modal::new(egui::Id::unique("save animator"));
    let shown = modal.show(ui.ctx(), |ui| {
        ui.set_width(WIDTH);
        ui.heading(title(dialog));
        if let Some(leaving) = &dialog.leaving {
            ui.label(warning(leaving));
        }
        ui.add_space(4.0);
        path_ui(ui, dialog, &mut ask);
        if let Some(fault) = view.fault {
            widgets::note(ui, fault, theme::palette(ui.style()).error);
        }
        ui.add_space(8.0);
        buttons_ui(ui, dialog, &mut ask)
    });
    if shown.inner || shown.should_close() {
        panel.saving = None;
    }
}

fn title(dialog: &SaveDialog) -> &'static str {
    match dialog.leaving {
        Some(_) => "The animator has edits that are not saved",
        None => "Save the animator as",
    }
}

fn warning(leaving: &Leaving) -> String {
    match leaving {
        Leaving::Quit => "They end with the program.".to_owned(),
        Leaving::New => "A new animator takes its place.".to_owned(),
        Leaving::Open(path) => format!("{} takes its place.", path.display()),
    }
}

fn path_ui(ui: &mut Ui, dialog: &mut SaveDialog, ask: &mut impl FnMut(AnimatorEditing)) {
    ui.horizontal(|ui| {
        let width = ui.available_width() - 84.0;
        let field = egui::TextEdit::singleline(&mut dialog.path).desired_width(width);
        widgets::named(ui.add(field), Role::TextInput, "File of the animator");
        if ui.button("Browse…").clicked() {
            ask(AnimatorEditing::Browse(dialog.path.clone().into()));
        }
    });
    let hint = "Without it a file that is there already is left alone";
    ui.checkbox(&mut dialog.replace, "Replace a file that is there")
        .on_hover_text(hint);
}

/// Whether the dialog is done without waiting for the file.
fn buttons_ui(ui: &mut Ui, dialog: &SaveDialog, ask: &mut impl FnMut(AnimatorEditing)) -> bool {
    ui.horizontal(|ui| {
        let save = egui::Button::new(RichText::new("Write").strong());
        let can = !dialog.path.trim().is_empty();
        if ui.add_enabled(can, save).clicked() {
            ask(AnimatorEditing::SaveAs(dialog.clone()));
        }
        if let Some(leaving) = &dialog.leaving
            && ui.button("Discard the edits").clicked()
        {
            ask(AnimatorEditing::Leave(leaving.clone()));
            return true;
        }
        ui.button("Cancel").clicked()
    })
    .inner
}
