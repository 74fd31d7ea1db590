//! Pictures of every panel, dark and light, beside those in `tests/snapshots`.
//!
//! Drawn by the software adapter. A pixel may differ by 0.6 (squared YIQ
//! distance), and so may 60 of 640,000 more: drivers round
//! differently at the edges of letters. A missing picture fails; only
//! `UPDATE_SNAPSHOTS=1` writes them.

use egui_kittest::{SnapshotOptions, SnapshotResults};

use super::{
    animator::animator_bench,
    compression::{result_of, survey},
    *,
};

/// The narrowest window in which all is laid out as at 1280 points, and the
/// height in which nothing may scroll.
const SIZE: egui::Vec2 = egui::Vec2::new(800.0, 800.0);

/// Draws a bench in both themes and compares; what fails is told together.
fn compare(kept: &mut SnapshotResults, name: &str, bench: impl Fn() -> Bench) {
    for (theme, word) in [(egui::Theme::Dark, "dark"), (egui::Theme::Light, "light")] {
        let mut harness = Harness::builder()
            .with_size(SIZE)
            .with_theme(theme)
            .wgpu()
            .build_ui_state(|ui, bench: &mut Bench| bench.show(ui), bench());
        theme::install(&harness.ctx);
        harness.run_steps(4);
        let options = SnapshotOptions::new()
            .threshold(0.6)
            .max_failed_pixels(60usize);
        kept.add(harness.try_snapshot_options(format!("{name}_{word}"), &options));
    }
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
    bench.panels.codec.codec = Codec::Spline;
    bench.panels.compression_plot = plot;
    bench.selected = Some(3);
    bench.result = Some(result_of(Settings::Spline { tolerance_cm: 0.1 }));
    bench.survey = survey();
    bench
}

fn joint_bench(page: JointPage) -> Bench {
    let mut bench = clip_bench(Section::Skeleton);
    bench.selected = Some(3);
    bench.panels.joint_page = page;
    let secs: Vec<f64> = (0..=120).map(|frame| f64::from(frame) / 30.0).collect();
    let wave = |size: f64, turn: f64| {
        let values = secs.iter().map(|t| size * (t * 3.0 + turn).sin());
        values.collect::<Vec<f64>>()
    };
    bench.curves = Some(JointCurves {
        angles_deg: [wave(30.0, 0.0), wave(12.0, 1.0), wave(5.0, 2.0)],
        places_cm: [wave(80.0, 0.0), wave(10.0, 1.5), wave(40.0, 3.0)],
        secs,
    });
    bench
}

#[test]
fn the_clip_section_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    compare(&mut kept, "clip", || clip_bench(Section::Clip));
}

#[test]
fn the_compression_section_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    for (plot, name) in [
        (CompressionPlot::Time, "compression_time"),
        (CompressionPlot::Joints, "compression_joints"),
        (CompressionPlot::Codecs, "compression_codecs"),
    ] {
        compare(&mut kept, name, || compressed_bench(plot));
    }
}

#[test]
fn the_skeleton_section_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    for (page, name) in [
        (JointPage::Values, "skeleton_values"),
        (JointPage::Angles, "skeleton_angles"),
    ] {
        compare(&mut kept, name, || joint_bench(page));
    }
}

#[test]
fn the_display_section_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    compare(&mut kept, "display", || clip_bench(Section::Display));
}

#[test]
fn the_animator_section_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    for (page, name) in [
        (AnimatorPage::Graph, "animator_graph"),
        (AnimatorPage::Inputs, "animator_inputs"),
        (AnimatorPage::Blend, "animator_blend"),
        (AnimatorPage::Mask, "animator_mask"),
        (AnimatorPage::Events, "animator_events"),
    ] {
        compare(&mut kept, name, || {
            let mut bench = animator_bench(page);
            bench.status = status();
            bench
        });
    }
}

#[test]
fn what_floats_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    compare(&mut kept, "notices", || bench_with_notices(false));
    compare(&mut kept, "messages", || bench_with_notices(true));
    compare(&mut kept, "shortcuts", || {
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
            Gravity::Info,
            "Saved /home/me/Pictures/kinetoscope-walk-30.png",
        ),
        (Gravity::Error, "bad.amc:3:1: no bone is called \"lfot\""),
    ];
    for (id, (gravity, text)) in (0u64..).zip(texts) {
        bench.notices.push(Notice {
            id,
            gravity,
            text: text.into(),
            at_secs: 12.5,
            fresh: true,
        });
    }
    bench.panels.log = log;
    bench.panels.side = false;
    bench
}
