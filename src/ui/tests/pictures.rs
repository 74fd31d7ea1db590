//! Pictures of every panel, dark and light, beside those in `tests/snapshots`.
//!
//! Drawn by the software adapter. A pixel may differ by 0.6 (squared YIQ
//! distance), and so may 60 pixels more: drivers round
//! differently at the edges of letters. A missing picture fails; only
//! `UPDATE_SNAPSHOTS=1` writes them.

use egui_kittest::{SnapshotOptions, SnapshotResults};

use super::{
    animator::{animator_bench, flat_bench},
    blending::blend_bench,
    compression::{result_of, sweep},
    editor::editor_bench,
    library::library_bench,
    *,
};

/// A section as wide as the side panel leaves it, with a margin of eight.
pub(super) const SECTION: egui::Vec2 = egui::Vec2::new(296.0, 560.0);
/// The window without the side panel.
const WINDOW: egui::Vec2 = egui::Vec2::new(800.0, 640.0);

/// Draws something in both themes and compares; what fails is reported together.
pub(super) fn compare_pictures<State: 'static>(
    kept: &mut SnapshotResults,
    name: &str,
    size: egui::Vec2,
    show: impl Fn(&mut Ui, &mut State) + Copy + 'static,
    state: impl Fn() -> State,
) {
    for (theme, word) in [(egui::Theme::Dark, "dark"), (egui::Theme::Light, "light")] {
        let mut harness = Harness::builder()
            .with_size(size)
            .with_theme(theme)
            .wgpu()
            .build_ui_state(move |ui, state: &mut State| show(ui, state), state());
        theme::install(&harness.ctx);
        harness.run_steps(4);
        let options = SnapshotOptions::new()
            .threshold(0.6)
            .max_failed_pixels(60usize);
        kept.add(harness.try_snapshot_options(format!("{name}_{word}"), &options));
    }
}

fn compare(
    kept: &mut SnapshotResults,
    name: &str,
    (size, part): (egui::Vec2, Part),
    bench: impl Fn() -> Bench,
) {
    let show = move |ui: &mut Ui, bench: &mut Bench| bench.lay_out(ui, part);
    compare_pictures(kept, name, size, show, bench);
}

/// The whole interface.
fn whole(ui: &mut Ui, panels: &mut PanelState, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    show(ui, panels, view, commands);
}

/// A clip as it comes from a file.
fn clip_bench(section: Section) -> Bench {
    let mut bench = Bench::new(&[section]);
    let fact = |what: &str, value: &str| (what.to_owned(), value.to_owned());
    bench.facts = vec![
        fact("clip", "walk"),
        fact("length", "121 frames, 4.00 s"),
        fact("rate", "30 fps, assumed"),
        fact("animated", "29 joints"),
        fact("skeleton", "35.asf, 31 joints"),
        fact("height", "1.72 m"),
        fact("unit", "inch, assumed"),
    ];
    bench.remarks = vec!["line 4: the rate is not stated; 30 fps are assumed".into()];
    for (row, start) in [(0, 0.0), (1, 0.5), (0, 1.0), (1, 1.6), (0, 2.1), (1, 2.7)] {
        bench.marks.push(Mark {
            start_secs: start,
            end_secs: start + 0.45,
            row,
            text: "foot stands".into(),
        });
    }
    bench.status = status();
    bench
}

fn status() -> Status {
    Status {
        cpu_ms: 6.5,
        gpu_ms: Some(21.0),
        fps: None,
        adapter: "llvmpipe".into(),
        software: true,
        warnings: 1,
    }
}

fn compressed_bench(plot: CompressionPlot) -> Bench {
    let mut bench = clip_bench(Section::Compression);
    bench.panels.codec.codec = match plot {
        CompressionPlot::Coefficients => Codec::Wavelet,
        _ => Codec::Spline,
    };
    bench.panels.compression_plot = plot;
    bench.selected = Some(3);
    bench.result = Some(result_of(CodecSettings::Spline { tolerance_cm: 0.1 }));
    bench.sweep = sweep();
    bench
}

fn joint_bench(page: JointPage) -> Bench {
    let mut bench = clip_bench(Section::Skeleton);
    bench.selected = Some(3);
    bench.panels.joint_page = page;
    let secs: Vec<f64> = (0..=120).map(|frame| f64::from(frame) / 30.0).collect();
    let wave = |size: f64, phase: f64| {
        let values = secs.iter().map(|t| size * (t * 3.0 + phase).sin());
        values.collect::<Vec<f64>>()
    };
    bench.curves = Some(JointCurves {
        angles_deg: [wave(30.0, 0.0), wave(12.0, 1.0), wave(5.0, 2.0)],
        positions_cm: [wave(80.0, 0.0), wave(10.0, 1.5), wave(40.0, 3.0)],
        secs,
    });
    bench
}

#[test]
fn the_clip_section_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    compare(
        &mut kept,
        "clip",
        (SECTION, crate::ui::clip::section_ui as Part),
        || clip_bench(Section::Clip),
    );
}

#[test]
fn the_compression_section_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    for (plot, name) in [
        (CompressionPlot::Time, "compression_time"),
        (CompressionPlot::Joints, "compression_joints"),
        (CompressionPlot::Codecs, "compression_codecs"),
        (CompressionPlot::Coefficients, "compression_wavelet"),
    ] {
        let part = (SECTION, crate::ui::compression::section_ui as Part);
        compare(&mut kept, name, part, || compressed_bench(plot));
    }
}

#[test]
fn the_library_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    let part: Part = crate::ui::library::panel_ui;
    let size = egui::Vec2::new(352.0, 420.0);
    compare(&mut kept, "library", (size, part), || library_bench(6));
}

#[test]
fn the_skeleton_section_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    for (page, name) in [
        (JointPage::Values, "skeleton_values"),
        (JointPage::Angles, "skeleton_angles"),
        (JointPage::Curves, "skeleton_curves"),
    ] {
        let part = (SECTION, crate::ui::joints::section_ui as Part);
        compare(&mut kept, name, part, || {
            let mut bench = joint_bench(page);
            bench.curve_plot = Some(joints::curve_plot());
            bench.panels.curves.filter = FilterChoice::Average;
            bench
        });
    }
}

#[test]
fn the_display_section_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    let part: Part = |ui, _, view, commands| crate::ui::display::section_ui(ui, view, commands);
    compare(&mut kept, "display", (SECTION, part), || {
        clip_bench(Section::Display)
    });
}

#[test]
fn the_animator_section_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    let part = (SECTION, crate::ui::animator::section_ui as Part);
    for (page, name) in [
        (AnimatorPage::Graph, "animator_graph"),
        (AnimatorPage::Inputs, "animator_inputs"),
        (AnimatorPage::Blend, "animator_blend"),
        (AnimatorPage::Mask, "animator_mask"),
        (AnimatorPage::Events, "animator_events"),
    ] {
        compare(&mut kept, name, part, || {
            let mut bench = animator_bench(page);
            bench.status = status();
            bench
        });
    }
    compare(&mut kept, "animator_flat", part, flat_bench);
}

#[test]
fn the_editor_of_ten_states_and_forty_transitions_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    let size = egui::Vec2::new(930.0, 690.0);
    let part: Part = |ui, panels, view, commands| {
        animator_editor::window_ui(ui, panels, view, commands);
    };
    compare(&mut kept, "editor_table", (size, part), || {
        let mut bench = editor_bench();
        bench.panels.editor.table = true;
        bench.panels.editor.page = EditorPage::Keys;
        bench
    });
}

#[test]
fn the_blend_sections_look_as_kept() {
    let mut kept = SnapshotResults::new();
    let part = (SECTION, crate::ui::blending::section_ui as Part);
    for (count, name) in [
        (2, "blend_line"),
        (3, "blend_triangle"),
        (4, "blend_square"),
    ] {
        compare(&mut kept, name, part, || blend_bench(count));
    }
    let part = (SECTION, crate::ui::blending::registration_ui as Part);
    for (page, name) in [
        (RegistrationPage::Grid, "registration_grid"),
        (RegistrationPage::Warp, "registration_warp"),
        (RegistrationPage::Alignment, "registration_alignment"),
        (RegistrationPage::Contacts, "registration_contacts"),
    ] {
        compare(&mut kept, name, part, || {
            let mut bench = blend_bench(2);
            bench.panels.registration_page = page;
            bench
        });
    }
}

#[test]
fn what_floats_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    compare(&mut kept, "notices", (WINDOW, whole), || {
        bench_with_notices(false)
    });
    compare(&mut kept, "messages", (WINDOW, whole), || {
        bench_with_notices(true)
    });
    compare(&mut kept, "export", (WINDOW, whole), || {
        let mut bench = clip_bench(Section::Clip);
        let mut dialog = ExportDialog::new(Path::new("/captures"), "walk");
        dialog.set_kind(ExportKind::Film(Film::Gif));
        bench.panels.export = Some(dialog);
        bench.panels.side = false;
        bench
    });
    compare(&mut kept, "shortcuts", (WINDOW, whole), || {
        let mut bench = clip_bench(Section::Clip);
        bench.panels.shortcuts = true;
        bench.panels.side = false;
        bench
    });
}

fn bench_with_notices(log: bool) -> Bench {
    let mut bench = clip_bench(Section::Clip);
    let texts = [
        (
            Severity::Info,
            "Saved /home/me/Pictures/kinetoscope-walk-30.png",
        ),
        (Severity::Error, "bad.amc:3:1: no bone is called \"lfot\""),
    ];
    for (id, (severity, text)) in (0u64..).zip(texts) {
        bench.notices.push(Notice {
            id,
            severity,
            text: text.into(),
            at_secs: 12.5,
            fresh: true,
        });
    }
    bench.panels.log = log;
    bench.panels.side = false;
    bench
}
