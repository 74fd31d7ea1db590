//! Who else is there: characters that are added, and what moves each.

use egui::{Role, Ui};

use crate::ui::{CastView, Casting, Command, Mover, widgets};

const ARROWS: &str = "Arrow keys walk and turn, Home runs, Enter strikes, End jumps";

pub(super) fn rows_ui(ui: &mut Ui, cast: CastView<'_>, commands: &mut Vec<Command>) {
    for (index, (name, mover)) in cast.members.iter().enumerate() {
        ui.horizontal(|ui| {
            ui.label(name);
            let shown = egui::ComboBox::from_id_salt(("mover", index))
                .width(ui.available_width() - 40.0)
                .selected_text(mover.word())
                .show_ui(ui, |ui| {
                    if let Some(mover) = choices_ui(ui, cast.clips, Some(mover)) {
                        commands.push(Command::Cast(Casting::Set(index, mover)));
                    }
                });
            let response = shown.response.on_hover_text("What moves it");
            widgets::named(response, Role::ComboBox, &format!("What moves {name}"));
            let remove = ui.small_button("\u{d7}").on_hover_text("Takes it away");
            if widgets::named(remove, Role::Button, &format!("Remove {name}")).clicked() {
                commands.push(Command::Cast(Casting::Remove(index)));
            }
        });
    }
    let add = ui.menu_button("Add character", |ui| {
        if let Some(mover) = choices_ui(ui, cast.clips, None) {
            commands.push(Command::Cast(Casting::Add(mover)));
            ui.close();
        }
    });
    let hint = "Somebody else on the same clock";
    widgets::named(
        add.response.on_hover_text(hint),
        Role::Button,
        "Add character",
    );
}

/// What may move somebody; the one that was clicked.
fn choices_ui(ui: &mut Ui, clips: &[String], chosen: Option<&Mover>) -> Option<Mover> {
    let mut picked = None;
    let mut offer = |ui: &mut Ui, mover: Mover, hint: &str| {
        let is_it = chosen == Some(&mover);
        let response = ui.selectable_label(is_it, mover.word());
        if response.on_hover_text(hint).clicked() {
            picked = Some(mover);
        }
    };
    offer(ui, Mover::Arrows, ARROWS);
    offer(
        ui,
        Mover::Gamepad,
        "Its controls do what they would for the lead",
    );
    let hint = "Stands before the lead, and reels when its strike lands";
    offer(ui, Mover::Struck, hint);
    ui.separator();
    egui::ScrollArea::vertical()
        .max_height(220.0)
        .show(ui, |ui| {
            for clip in clips {
                offer(ui, Mover::Clip(clip.clone()), "Over and over");
            }
        });
    picked
}
