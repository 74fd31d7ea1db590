//! The cloth section.

use egui_kittest::SnapshotResults;

use super::{
    pictures::{SECTION, compare_pictures},
    *,
};
use crate::{
    cloth::SolverMode,
    scene::{ClothKnobs, ClothPreset, ClothStats, MOST_SOLIDS, OwnSolid, PinChoice, SolidKind},
    ui::cloth::section_ui,
};

struct Bench {
    view: ClothView<'static>,
    commands: Vec<Command>,
}

impl Bench {
    fn show(&mut self, ui: &mut Ui) {
        section_ui(ui, &self.view, &mut self.commands);
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
            curves: &[],
        },
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
    for mode in SolverMode::ALL.into_iter().skip(1) {
        let wanted = click(&mut harness, mode.title()).settings;
        assert_eq!(wanted, before.settings.with_solver(mode));
    }
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

/// Added from the list of kinds, taken out by its button; those after it move up.
#[test]
fn own_solids_come_and_go() {
    let mut harness = harness(Some(ClothPreset::Panel));
    harness.get_by_label("Own solids").click();
    harness.run_steps(10);
    harness.get_by_label("Add solid").click();
    harness.run_steps(5);
    let wanted = click(&mut harness, SolidKind::Capsule.title());
    let capsule = OwnSolid::of(SolidKind::Capsule);
    assert_eq!(wanted.solids[0], Some(capsule));
    assert_eq!(wanted.solids[1..], [None; MOST_SOLIDS - 1]);
    let ball = OwnSolid::of(SolidKind::Sphere);
    let solids = &mut harness.state_mut().view.knobs.solids;
    (solids[0], solids[1]) = (Some(capsule), Some(ball));
    harness.run_steps(5);
    for knob in [
        "radius of solid 1",
        "about up of solid 1",
        "ahead of solid 2",
    ] {
        assert!(harness.query_by_label(knob).is_some(), "no knob {knob}");
    }
    assert!(harness.query_by_label("about up of solid 2").is_none());
    let wanted = click(&mut harness, "remove solid 1");
    assert_eq!(wanted.solids[..2], [Some(ball), None]);
    // Another sheet has the same in its way.
    let wanted = click(&mut harness, "Cape");
    assert_eq!(wanted.solids[..2], [Some(capsule), Some(ball)]);
}

#[test]
fn the_time_table_is_asked_for() {
    let mut harness = harness(Some(ClothPreset::Panel));
    harness.get_by_label("Time table").click();
    harness.run_steps(3);
    assert_eq!(harness.state().commands, [Command::ClothTable]);
}
