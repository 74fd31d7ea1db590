//! Cloth: which sheet hangs, what it is made of, how it does.

use egui::{Slider, Ui};

use super::{ClothView, Command, Mode, theme, widgets};
use crate::{
    cloth::SolverMode,
    scene::{ClothKnobs, ClothPreset, ClothStats, PinChoice},
};

/// Stretch from which the figure is shown as a warning.
const STRAINED: f32 = 1.05;

pub(super) fn section_ui(ui: &mut Ui, view: &ClothView, mode: Mode, commands: &mut Vec<Command>) {
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
        ui.weak(match mode {
            Mode::View => "Drag the cloth with the left button.",
            Mode::Drive => "Drag the cloth with Ctrl and the left button.",
        });
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

#[cfg(test)]
mod tests {
    use egui_kittest::{Harness, SnapshotResults, kittest::Queryable};

    use super::*;
    use crate::ui::tests::pictures::{SECTION, compare_pictures};

    struct Bench {
        view: ClothView,
        mode: Mode,
        commands: Vec<Command>,
    }

    impl Bench {
        fn show(&mut self, ui: &mut Ui) {
            section_ui(ui, &self.view, self.mode, &mut self.commands);
        }
    }

    fn bench(preset: Option<ClothPreset>) -> Bench {
        Bench {
            view: ClothView {
                knobs: ClothKnobs::of(preset, Default::default()),
                stats: preset.map(|_| ClothStats {
                    particles: 1600,
                    constraints: 9204,
                    substeps: 12,
                    step_ms: 0.5,
                    max_stretch: 1.02,
                    contacts: 31,
                    blow_ups: 0,
                }),
            },
            mode: Mode::View,
            commands: Vec::new(),
        }
    }

    fn harness(preset: Option<ClothPreset>) -> Harness<'static, Bench> {
        let mut harness = Harness::builder()
            .with_size(egui::Vec2::new(theme::SIDE_WIDTH, 800.0))
            .build_ui_state(|ui, bench: &mut Bench| bench.show(ui), bench(preset));
        theme::install(&harness.ctx);
        harness.run_steps(3);
        harness.state_mut().commands.clear();
        harness
    }

    /// Clicks a control and returns the knobs it asked for.
    fn click(harness: &mut Harness<'_, Bench>, label: &str) -> ClothKnobs {
        harness.get_by_label(label).click();
        harness.run_steps(3);
        match std::mem::take(&mut harness.state_mut().commands).first() {
            Some(Command::Cloth(knobs)) => *knobs,
            other => panic!("{label}: {other:?}"),
        }
    }

    #[test]
    fn the_cloth_section_looks_as_kept() {
        let mut kept = SnapshotResults::new();
        for (name, preset) in [("cloth_none", None), ("cloth", Some(ClothPreset::Flag))] {
            compare_pictures(
                &mut kept,
                name,
                SECTION,
                |ui, it: &mut Bench| it.show(ui),
                || bench(preset),
            );
        }
    }

    #[test]
    fn choosing_a_sheet_brings_its_own_settings() {
        let mut harness = harness(None);
        assert!(harness.query_by_label("Hang anew").is_none());
        let flag = click(&mut harness, "Flag");
        assert_eq!(flag.preset, Some(ClothPreset::Flag));
        assert_eq!(flag.all_settings(), {
            let mut designed = ClothPreset::Flag.settings();
            designed.wind.velocity = flag.all_settings().wind.velocity;
            designed
        });
        let designed = ClothPreset::Flag.settings().wind.velocity;
        assert!(flag.all_settings().wind.velocity.distance(designed) < 1e-4);
    }

    #[test]
    fn knobs_come_as_changed_options_and_stats_are_shown() {
        let mut harness = harness(Some(ClothPreset::Panel));
        for figure in [
            "particles: 1600, 9204 constraints",
            "step: 0.50 ms, 12 substeps",
            "stretch: 1.020 ×, 31 contacts",
        ] {
            assert!(harness.query_by_label(figure).is_some(), "{figure}");
        }
        let before = harness.state().view.knobs;
        let wanted = click(&mut harness, "Self-collision");
        assert!(wanted.settings.self_collision && !before.settings.self_collision);
        assert_eq!(click(&mut harness, "PBD").settings.mode, SolverMode::Pbd);
        assert_eq!(click(&mut harness, "Corners").pins, PinChoice::Corners);
        assert!(click(&mut harness, "Contacts").look.contacts);
        assert!(click(&mut harness, "Stretch").look.stretch);
        assert!(click(&mut harness, "Solids").look.colliders);
        assert_eq!(click(&mut harness, "None").preset, None);
        harness.get_by_label("Hang anew").click();
        harness.run_steps(3);
        assert_eq!(harness.state().commands, [Command::ResetCloth]);
        for knob in [
            "columns",
            "substeps",
            "iterations",
            "stretch",
            "shear",
            "bend",
            "damping",
            "friction",
            "wind",
        ] {
            let shown = harness.query_all_by_label(knob).next();
            assert!(shown.is_some(), "no knob {knob}");
        }
        // What wind does is asked where there is some.
        assert!(harness.query_all_by_label("gusts").next().is_none());
        let windy = self::harness(Some(ClothPreset::Flag));
        for knob in ["turned", "gusts"] {
            assert!(windy.query_all_by_label(knob).next().is_some(), "{knob}");
        }
    }

    #[test]
    fn a_blow_up_and_a_strained_sheet_are_shown() {
        let mut harness = harness(Some(ClothPreset::Cape));
        let stats = harness.state_mut().view.stats.as_mut().unwrap();
        stats.max_stretch = 1.3;
        stats.blow_ups = 2;
        harness.run_steps(3);
        assert!(harness.query_by_label("put back: 2 times").is_some());
        assert!(
            harness
                .query_by_label("Strained by more than 5 %")
                .is_some()
        );
    }
}
