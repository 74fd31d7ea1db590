//! The export dialog: the motion in every format that `convert` writes, the
//! picture, or a film of it.

use egui::{Align2, RichText, Role, Ui};

use super::{
    Command, PanelState, PanelView, theme,
    view::{ExportDialog, ExportKind, ExportView},
    widgets::{named, note},
};
use crate::{
    convert::{DEFAULT_TOLERANCE_CM, Format},
    export::CsvContent,
};

/// Sizes that are offered by name.
const SIZES: [(&str, [u32; 2]); 4] = [
    ("720p", [1280, 720]),
    ("1080p", [1920, 1080]),
    ("Square", [1080, 1080]),
    ("Small", [640, 360]),
];

pub(super) fn dialog_ui(
    ui: &Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(dialog) = &mut state.export else {
        return;
    };
    let (mut open, mut done) = (true, false);
    egui::Window::new("Export")
        .anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .collapsible(false)
        .resizable(false)
        .open(&mut open)
        .show(ui.ctx(), |ui| {
            ui.set_width(420.0);
            kinds_ui(ui, dialog, &view.export);
            ui.add_space(6.0);
            options_ui(ui, dialog);
            ui.add_space(6.0);
            place_ui(ui, dialog, commands);
            done = end_ui(ui, dialog, &view.export, commands);
        });
    if done || !open {
        state.export = None;
    }
}

fn kinds_ui(ui: &mut Ui, dialog: &mut ExportDialog, view: &ExportView<'_>) {
    let motions: Vec<ExportKind> = Format::ALL.into_iter().map(ExportKind::Motion).collect();
    for (heading, kinds) in [
        ("Motion", motions.as_slice()),
        ("Picture and film", &ExportKind::PICTURES),
    ] {
        ui.label(RichText::new(heading).strong());
        ui.horizontal_wrapped(|ui| {
            for &kind in kinds {
                kind_ui(ui, kind, dialog, view);
            }
        });
    }
}

fn kind_ui(ui: &mut Ui, kind: ExportKind, dialog: &mut ExportDialog, view: &ExportView<'_>) {
    let (why_not, word) = (view.why_not(kind), kind.word());
    let button = egui::Button::selectable(dialog.kind == kind, &word);
    let response = ui.add_enabled(why_not.is_none(), button);
    let response = match why_not {
        Some(reason) => response.on_disabled_hover_text(reason),
        None => response,
    };
    if named(response, Role::RadioButton, &format!("Export {word}")).clicked() {
        dialog.set_kind(kind);
    }
}

fn options_ui(ui: &mut Ui, dialog: &mut ExportDialog) {
    let options = &mut dialog.options;
    match dialog.kind {
        ExportKind::Motion(Format::Csv) => csv_ui(ui, &mut options.csv),
        ExportKind::Motion(Format::Glb) => {
            ui.checkbox(&mut options.joints_only, "Joints alone, without a body");
            ui.checkbox(&mut options.sampled, "A key for every frame");
            promise_ui(ui, &mut options.glb_tolerance_cm);
        }
        ExportKind::Motion(Format::Kin) => {
            ui.checkbox(&mut options.keys, "The file's own keys, where it has any");
            ui.horizontal(|ui| {
                ui.label("Else within");
                let field = egui::DragValue::new(&mut options.tolerance_cm)
                    .range(1e-3..=10.0)
                    .speed(0.005)
                    .suffix(" cm");
                named(ui.add(field), Role::SpinButton, "Tolerance of the file");
            });
        }
        ExportKind::Motion(Format::Amc) => {
            ui.weak("With its skeleton beside it, where it needs one of its own.");
        }
        ExportKind::Motion(_) => {}
        ExportKind::Picture => size_ui(ui, &mut dialog.size),
        ExportKind::Film(_) => {
            size_ui(ui, &mut dialog.size);
            rate_ui(ui, &mut dialog.fps);
        }
    }
}

/// As few and as small keys as an error allows.
fn promise_ui(ui: &mut Ui, tolerance_cm: &mut Option<f64>) {
    ui.horizontal(|ui| {
        let mut promised = tolerance_cm.is_some();
        let hover = "As few keys in as few bits as this error allows. The file needs a reader of \
                     EXT_meshopt_compression; keys of the file's own stay as they are";
        let told = ui.checkbox(&mut promised, "Small, within");
        if told.on_hover_text(hover).changed() {
            *tolerance_cm = promised.then_some(DEFAULT_TOLERANCE_CM);
        }
        let mut shown = tolerance_cm.unwrap_or(DEFAULT_TOLERANCE_CM);
        let field = egui::DragValue::new(&mut shown)
            .range(1e-3..=10.0)
            .speed(0.005)
            .suffix(" cm");
        let field = ui.add_enabled(promised, field);
        if named(field, Role::SpinButton, "Tolerance of the file").changed() {
            *tolerance_cm = Some(shown);
        }
    });
}

fn csv_ui(ui: &mut Ui, content: &mut CsvContent) {
    ui.horizontal(|ui| {
        for (choice, word) in [
            (CsvContent::Positions, "Positions"),
            (CsvContent::Rotations, "Rotations"),
            (CsvContent::Channels, "Channels"),
        ] {
            ui.selectable_value(content, choice, word);
        }
    });
}

fn size_ui(ui: &mut Ui, size: &mut [u32; 2]) {
    ui.horizontal(|ui| {
        for (side, name) in size.iter_mut().zip(["Width", "Height"]) {
            let field = egui::DragValue::new(side)
                .range(ExportDialog::SIDES)
                .suffix(" px");
            let response = ui.add_sized([76.0, theme::ROW], field);
            named(response, Role::SpinButton, name);
        }
        for (name, pixels) in SIZES {
            if ui.selectable_label(*size == pixels, name).clicked() {
                *size = pixels;
            }
        }
    });
}

fn rate_ui(ui: &mut Ui, fps: &mut f64) {
    ui.horizontal(|ui| {
        let field = egui::DragValue::new(fps)
            .range(1.0..=240.0)
            .suffix(" pictures a second");
        named(ui.add(field), Role::SpinButton, "Pictures a second");
    });
}

fn place_ui(ui: &mut Ui, dialog: &mut ExportDialog, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let browse = egui::Button::new("Browse…");
        let width = ui.available_width() - 84.0;
        let field = egui::TextEdit::singleline(&mut dialog.path).desired_width(width);
        let response = named(ui.add(field), Role::TextInput, "File to write");
        if response.changed() {
            dialog.replace = false;
        }
        if ui.add(browse).clicked() {
            commands.push(Command::BrowseExport);
        }
    });
}

/// True once the dialog has done its work.
fn end_ui(
    ui: &mut Ui,
    dialog: &mut ExportDialog,
    view: &ExportView<'_>,
    commands: &mut Vec<Command>,
) -> bool {
    let colours = theme::palette(ui.style());
    if let Some(taken) = view.taken {
        let name = taken.file_name().unwrap_or(taken.as_os_str());
        let text = format!("{} is there already.", name.to_string_lossy());
        note(ui, text, colours.warning);
    }
    // A disabled button tells nobody who does not hover over it.
    for reason in [view.no_mp4, view.no_webm].into_iter().flatten().take(1) {
        if !matches!(dialog.kind, ExportKind::Motion(_)) {
            note(ui, reason, colours.quiet);
        }
    }
    let mut done = false;
    ui.horizontal(|ui| {
        let word = if view.taken.is_some() {
            "Replace"
        } else {
            "Export"
        };
        let named_somewhere = !dialog.path.trim().is_empty();
        let button = ui.add_enabled(named_somewhere, egui::Button::new(word));
        if named(button, Role::Button, &format!("{word} the file")).clicked() {
            dialog.replace = view.taken.is_some();
            commands.push(Command::Export(dialog.clone()));
            done = true;
        }
        done |= ui.button("Cancel").clicked();
    });
    done
}
