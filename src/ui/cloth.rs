//! Cloth: which sheet hangs, what it is made of, how it does.

use egui::{Slider, Ui};

use super::{ClothView, Command, plots, solids::solids_ui, theme, widgets};
use crate::{
    cloth::{ClothSettings, ConstraintKinds, SolverMode},
    scene::{
        ClothContact, ClothKnobs, ClothPreset, ClothSample, ClothStats, PinChoice, SolverCurve,
    },
};

/// Steps of a sheet in a second.
const STEPS_PER_SEC: f64 = 120.0;
/// Points that a curve is high.
const CURVE_HEIGHT: f32 = 72.0;
/// Stretch from which the figure is shown as a warning.
const STRAINED: f32 = 1.05;

pub(super) fn section_ui(ui: &mut Ui, view: &ClothView<'_>, commands: &mut Vec<Command>) {
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
        solids_ui(ui, &mut wanted);
        curves_ui(ui, view.curves);
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
                let solids = wanted.solids;
                wanted = ClothKnobs::of(wanted.preset, wanted.look);
                wanted.solids = solids;
            }
            if ui
                .button("Time table")
                .on_hover_text("Times every solver on this machine and saves the table as CSV")
                .clicked()
            {
                commands.push(Command::ClothTable);
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
    ui.horizontal_wrapped(|ui| {
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
            (
                ClothPreset::Skirt,
                "Skirt",
                "Cut to the body, from waist to knees",
            ),
            (
                ClothPreset::Shirt,
                "Shirt",
                "Cut to the body, loose, with short sleeves",
            ),
            (
                ClothPreset::Scarf,
                "Scarf",
                "Once around the neck, its ends before the chest",
            ),
        ] {
            ui.selectable_value(&mut preset, Some(choice), word)
                .on_hover_text(says);
        }
    });
    // Another sheet comes with its own material; how it is shown is kept.
    if preset != knobs.preset {
        let solids = knobs.solids;
        *knobs = ClothKnobs::of(preset, knobs.look);
        knobs.solids = solids;
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
    let pinned = knobs.preset != Some(ClothPreset::Blanket);
    if pinned {
        ui.horizontal(|ui| {
            for pins in PinChoice::ALL {
                ui.selectable_value(&mut knobs.pins, pins, pins.word())
                    .on_hover_text("Which pins hold; the sheet is hung anew");
            }
        });
    }
}

/// What a solver is, for whoever rests the pointer on it.
fn says(mode: SolverMode) -> &'static str {
    match mode {
        SolverMode::Xpbd => "Small substeps; stiffness does not depend on passes",
        SolverMode::Pbd => "As published: one step, a few passes, one constraint after the other",
        SolverMode::Jacobi => "The same, all constraints at once: needs more passes",
        SolverMode::Verlet => "Springs; blows up where they are too stiff for the substep",
        SolverMode::Euler => "Springs; gains energy in every step and blows up undamped",
    }
}

fn solver_ui(ui: &mut Ui, knobs: &mut ClothKnobs) {
    let mut mode = knobs.settings.mode;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for choice in SolverMode::ALL {
            ui.selectable_value(&mut mode, choice, choice.title())
                .on_hover_text(says(choice));
        }
    });
    if mode != knobs.settings.mode {
        knobs.settings = knobs.settings.with_solver(mode);
    }
    alongside_ui(ui, knobs);
    let settings = &mut knobs.settings;
    ui.horizontal(|ui| {
        for kinds in ConstraintKinds::ALL {
            ui.selectable_value(&mut settings.kinds, kinds, kinds.title())
                .on_hover_text("Threads, diagonals across the cells, threads over two cells");
        }
    });
    ui.horizontal(|ui| {
        ui.checkbox(&mut settings.self_collision, "Self-collision")
            .on_hover_text("Keeps layers of the sheet apart (XPBD)");
        for (contact, word, says) in [
            (
                ClothContact::Skin,
                "skin",
                "Meets every triangle of the body; the sheet is hung anew",
            ),
            (
                ClothContact::Solids,
                "boxes",
                "Meets a rounded box a bone: fast; the sheet is hung anew",
            ),
        ] {
            ui.selectable_value(&mut knobs.contact, contact, word)
                .on_hover_text(says);
        }
    });
    let settings = &mut knobs.settings;
    let passes = settings.mode.is_published_pbd();
    ui.add_enabled(
        !passes,
        Slider::new(&mut settings.substeps, 1..=40).text("substeps"),
    );
    ui.add_enabled(
        !settings.mode.has_springs(),
        Slider::new(&mut settings.iterations, 1..=64).text("iterations"),
    );
}

/// Further solvers on the same motion, each around a copy of the character.
fn alongside_ui(ui: &mut Ui, knobs: &mut ClothKnobs) {
    ui.horizontal(|ui| {
        ui.label("beside")
            .on_hover_text("The same sheet by other solvers, side by side");
        for (index, other) in knobs.alongside.iter_mut().enumerate() {
            let shown = other.map_or("none", SolverMode::title);
            let list = egui::ComboBox::from_id_salt(("beside", index)).selected_text(shown);
            let response = list.width(72.0).show_ui(ui, |ui| {
                ui.selectable_value(other, None, "none");
                for mode in SolverMode::ALL {
                    ui.selectable_value(other, Some(mode), mode.title());
                }
            });
            let name = format!("solver beside {}", index + 1);
            widgets::named(response.response, egui::Role::ComboBox, &name);
        }
    });
}

/// Curves of the last five seconds, a line for each solver.
fn curves_ui(ui: &mut Ui, curves: &[SolverCurve]) {
    if curves.iter().all(|curve| curve.samples().is_empty()) {
        return;
    }
    egui::CollapsingHeader::new("Curves").show(ui, |ui| {
        curve_ui(ui, "stretch", curves, |sample| sample.stretch);
        curve_ui(ui, "energy, J", curves, |sample| sample.energy_j);
        curve_ui(ui, "step, ms", curves, |sample| sample.step_ms);
    });
}

fn curve_ui(
    ui: &mut Ui,
    name: &str,
    curves: &[SolverCurve],
    figure: impl Fn(&ClothSample) -> f32 + Copy,
) {
    ui.weak(name);
    let id = format!("cloth {name}");
    plots::plot(&id, CURVE_HEIGHT, plots::secs, plots::short)
        .legend(egui_plot::Legend::default())
        .show(ui, |plot| {
            for curve in curves {
                let points = plots::peaks(curve.samples().iter().map(figure), STEPS_PER_SEC);
                plot.line(egui_plot::Line::new(curve.mode.title(), points));
            }
        });
}

fn springs_ui(ui: &mut Ui, settings: &mut ClothSettings) {
    let springs = &mut settings.springs;
    ui.add(
        Slider::new(&mut springs.stiffness_n_per_m, 1.0..=1e5)
            .logarithmic(true)
            .suffix(" N/m")
            .custom_formatter(|value, _| plots::short(value))
            .text("stiffness"),
    )
    .on_hover_text("Of a thread: the force that draws it out by a metre");
    ui.add(
        Slider::new(&mut springs.damping_n_s_per_m, 0.0..=1.0)
            .suffix(" N s/m")
            .custom_formatter(|value, _| format!("{value:.3}"))
            .text("spring damping"),
    )
    .on_hover_text("Against the ends of a thread going apart");
}

fn material_ui(ui: &mut Ui, knobs: &mut ClothKnobs) {
    let settings = &mut knobs.settings;
    if settings.mode.has_springs() {
        springs_ui(ui, settings);
    }
    // PBD knows no compliance: its passes make the sheet stiff.
    let soft = settings.mode == SolverMode::Xpbd;
    let compliance = &mut settings.compliance;
    let compliances = match settings.mode.has_springs() {
        true => 0,
        false => 3,
    };
    for (value, most, name) in [
        (&mut compliance.stretch_m_per_n, 1e-2, "stretch"),
        (&mut compliance.shear_m_per_n, 1.0, "shear"),
        (&mut compliance.bend_m_per_n, 1e2, "bend"),
    ]
    .into_iter()
    .take(compliances)
    {
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
        !settings.mode.is_published_pbd(),
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
