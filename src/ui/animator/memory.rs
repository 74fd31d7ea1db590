//! How the clips that are driven are held in memory, and what that costs.

use egui::{RichText, Ui};

use crate::ui::{Codec, Command, MemoryView, widgets};

const CHOICES: [(Codec, &str); 4] = [
    (Codec::Off, "raw"),
    (Codec::Spline, "spline, 0.1 cm"),
    (Codec::Tight, "tight, 0.1 cm"),
    (Codec::Classic, "classic, 0.1"),
];

pub(super) fn row_ui(ui: &mut Ui, memory: &MemoryView, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.label("Clips");
        let chosen = CHOICES.iter().find(|(codec, _)| *codec == memory.codec);
        let shown = egui::ComboBox::from_id_salt("held clips")
            .width(112.0)
            .selected_text(chosen.map_or("", |(_, word)| word))
            .show_ui(ui, |ui| {
                for (codec, word) in CHOICES {
                    if ui.selectable_label(codec == memory.codec, word).clicked() {
                        commands.push(Command::HoldClips(codec));
                    }
                }
            });
        let hint = "How the clips that are driven are held in memory";
        let response = shown.response.on_hover_text(hint);
        widgets::named(response, egui::Role::ComboBox, "Clips in memory");
        let text = RichText::new(figures(memory)).small();
        ui.add(egui::Label::new(text).truncate())
            .on_hover_text(format!("{} clips: {}", memory.clips, figures(memory)));
    });
}

fn figures(memory: &MemoryView) -> String {
    let kilobytes = |bytes: u64| bytes as f64 / 1e3;
    let (raw, own) = (kilobytes(memory.raw_bytes), kilobytes(memory.bytes));
    match memory.codec {
        Codec::Off => format!("{raw:.0} kB"),
        _ => format!(
            "{own:.0} of {raw:.0} kB, error ≤ {:.2} cm",
            memory.max_error_cm
        ),
    }
}
