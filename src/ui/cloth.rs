//! Cloth: which sheet hangs, what it is made of, how it does.

use egui::{Slider, Ui};

use super::{ClothView, Command, theme, widgets};
use crate::{
    cloth::SolverMode,
    scene::{ClothKnobs, ClothPreset, ClothStats, PinChoice},
};

/// Stretch from which the figure is shown as a warning.
const STRAINED: f32 = 1.05;

pub(super) fn section_ui(ui: &mut Ui, view: &ClothView, commands: &mut Vec<Command>) {
    let mut wanted = view.knobs;
    // Many knobs: close enough that all fit beside the timeline.
    ui.spacing_mut().item_spacing.y = 2.0;
    presets_ui(ui, &mut wanted);
    if wanted.preset.is_some() {
        if let Some(stats) = &view.stats {
            stats_ui(ui, stats);
        }
        sheet_ui(ui, &mut wanted);
        solver_ui(ui, &mut wanted);
        material_ui(ui, &mut wanted);
        air_ui(ui, &mut wanted);
        look_ui(ui, &mut wanted);
        ui.horizontal(|ui| {
            if ui
                .button("Hang anew")
                .on_hover_text("Back to the start, around the character as it stands")
                .clicked()
            {
                commands.push(Command::ResetCloth);
            }
            if ui
                .button("As designed")
                .on_hover_text("All knobs as the set-up came")
                .clicked()
            {
                wanted = ClothKnobs::of(wanted.preset, wanted.look);
            }
        });
        ui.weak("Drag the cloth with the left button.");
    } else {
        ui.weak("A sheet that meets the moving body.");
    }
    if wanted != view.knobs {
        commands.push(Command::Cloth(wanted));
    }
}

fn presets_ui(ui: &mut Ui, knobs: &mut ClothKnobs) {
    let mut preset = knobs.preset;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.selectable_value(&mut preset, None, "None");
        for (choice, word, says) in [
            (
                ClothPreset::Panel,
                "Panel",
                "Hangs in the character's way, with a tumbled box",
            ),
            (ClothPreset::Cape, "Cape", "On the shoulders"),
            (ClothPreset::Flag, "Flag", "On a pole, in wind"),
            (ClothPreset::Blanket, "Blanket", "Falls over the character"),
        ] {
            ui.selectable_value(&mut preset, Some(choice), word)
                .on_hover_text(says);
        }
    });
    // Another sheet comes with its own material; how it is shown is kept.
    if preset != knobs.preset {
        *knobs = ClothKnobs::of(preset, knobs.look);
    }
}

fn stats_ui(ui: &mut Ui, stats: &ClothStats) {
    let colours = theme::palette(ui.style());
    let sheet = format!("{}, {} constraints", stats.particles, stats.constraints);
    widgets::fact(ui, "particles", &sheet);
    let step = format!("{:.2} ms, {} substeps", stats.step_ms, stats.substeps);
    widgets::fact(ui, "step", &step);
    let stretch = format!("{:.3} ×, {} contacts", stats.max_stretch, stats.contacts);
    widgets::fact(ui, "stretch", &stretch);
    if stats.max_stretch > STRAINED {
        let text = egui::RichText::new("Strained by more than 5 %").color(colours.warning);
        ui.label(text);
    }
    if stats.blow_ups > 0 {
        widgets::fact(ui, "put back", &format!("{} times", stats.blow_ups));
    }
}

fn sheet_ui(ui: &mut Ui, knobs: &mut ClothKnobs) {
    ui.add(
        Slider::new(&mut knobs.columns, 6..=128)
            .logarithmic(true)
            .text("columns"),
    )
    .on_hover_text("Resolution; the sheet is hung anew");
    if knobs.preset != Some(ClothPreset::Blanket) {
        ui.horizontal(|ui| {
            for pins in PinChoice::ALL {
                ui.selectable_value(&mut knobs.pins, pins, pins.word())
                    .on_hover_text("Which pins hold; the sheet is hung anew");
            }
        });
    }
}

fn solver_ui(ui: &mut Ui, knobs: &mut ClothKnobs) {
    let settings = &mut knobs.settings;
    ui.horizontal(|ui| {
        ui.selectable_value(&mut settings.mode, SolverMode::Xpbd, "XPBD")
            .on_hover_text("Small substeps; stiffness does not depend on passes");
        ui.selectable_value(&mut settings.mode, SolverMode::Pbd, "PBD")
            .on_hover_text("As published: one step, a few passes");
        ui.checkbox(&mut settings.self_collision, "Self-collision")
            .on_hover_text("Keeps layers of the sheet apart");
    });
    let small_steps = settings.mode == SolverMode::Xpbd;
    ui.add_enabled(
        small_steps,
        Slider::new(&mut settings.substeps, 1..=40).text("substeps"),
    );
    ui.add(Slider::new(&mut settings.iterations, 1..=20).text("iterations"));
}

fn material_ui(ui: &mut Ui, knobs: &mut ClothKnobs) {
    let settings = &mut knobs.settings;
    // The other solver knows no compliance: its passes make the sheet stiff.
    let soft = settings.mode == SolverMode::Xpbd;
    let compliance = &mut settings.compliance;
    for (value, most, name) in [
        (&mut compliance.stretch_m_per_n, 1e-2, "stretch"),
        (&mut compliance.shear_m_per_n, 1.0, "shear"),
        (&mut compliance.bend_m_per_n, 1e2, "bend"),
    ] {
        let slider = Slider::new(value, 0.0..=most)
            .logarithmic(true)
            .smallest_positive(1e-9)
            .suffix(" m/N")
            .custom_formatter(|value, _| format!("{value:.0e}"))
            .text(name);
        ui.add_enabled(soft, slider)
            .on_hover_text("Compliance: how far a newton draws a thread out");
    }
    ui.add_enabled(
        soft,
        Slider::new(&mut settings.damping_per_sec, 0.0..=10.0)
            .suffix(" /s")
            .text("damping"),
    );
    ui.add(Slider::new(&mut settings.friction, 0.0..=2.0).text("friction"));
}

/// Numbers are formatted and not rounded: a slider that rounds changes what it
/// is merely shown.
fn air_ui(ui: &mut Ui, knobs: &mut ClothKnobs) {
    ui.add(
        Slider::new(&mut knobs.wind_m_per_s, 0.0..=20.0)
            .suffix(" m/s")
            .custom_formatter(|value, _| format!("{value:.1}"))
            .text("wind"),
    );
    if knobs.wind_m_per_s <= 0.0 {
        return;
    }
    ui.horizontal(|ui| {
        let direction = egui::DragValue::new(&mut knobs.wind_deg)
            .range(-180.0..=180.0)
            .suffix("°")
            .custom_formatter(|value, _| format!("{value:.0}"));
        let label = ui.label("turned");
        ui.add(direction)
            .labelled_by(label.id)
            .on_hover_text("0 blows ahead of the character, 90 to its left");
        let gusts = egui::DragValue::new(&mut knobs.settings.wind.gusts)
            .range(0.0..=2.0)
            .speed(0.01)
            .custom_formatter(|value, _| format!("{value:.2}"));
        let label = ui.label("gusts");
        ui.add(gusts)
            .labelled_by(label.id)
            .on_hover_text("How much the wind comes and goes, of its speed");
    });
}

fn look_ui(ui: &mut Ui, knobs: &mut ClothKnobs) {
    ui.horizontal(|ui| {
        ui.checkbox(&mut knobs.look.stretch, "Stretch")
            .on_hover_text("Colours: blue at rest, red at 5 %");
        ui.checkbox(&mut knobs.look.contacts, "Contacts")
            .on_hover_text("Points that touch something are red");
        ui.checkbox(&mut knobs.look.colliders, "Solids")
            .on_hover_text("Wireframes of what the cloth meets");
    });
}
