//! The compression section.

use super::*;

/// A clip that became 25 times smaller.
pub(super) fn result_of(settings: CodecSettings) -> CompressionResult {
    let wave = |index: usize, slow: f32| 0.045 + 0.045 * (index as f32 / slow).sin();
    CompressionResult {
        settings,
        bytes: 1000,
        raw_bytes: 25_000,
        keys: 17,
        errors: ErrorSummary {
            max_cm: 0.09,
            worst: (2, 60),
            ..ErrorSummary::default()
        },
        between_frames: HalfFrameError {
            linear_cm: 0.07,
            cubic_cm: 0.05,
        },
        frame_errors_cm: (0..121).map(|frame| wave(frame, 7.0)).collect(),
        joint_errors_cm: (0..31).map(|joint| wave(joint, 3.0)).collect(),
        compress_secs: 0.01,
        sample_us: 0.35,
        key_frames: vec![vec![0, 60, 120]; 31],
    }
}

/// A few points of every codec.
pub(super) fn sweep() -> Vec<RateErrorPoint> {
    let point = |codec, setting, ratio, max_cm| RateErrorPoint {
        codec,
        setting,
        ratio,
        max_cm,
    };
    vec![
        point(Codec::Uniform, 8.0, 3.2, 2.0),
        point(Codec::Uniform, 12.0, 2.2, 0.12),
        point(Codec::Resampled, 15.0, 14.0, 9.0),
        point(Codec::Resampled, 60.0, 4.0, 1.5),
        point(Codec::Every, 8.0, 12.0, 6.0),
        point(Codec::Every, 2.0, 3.5, 0.7),
        point(Codec::Linear, 0.1, 11.0, 7.0),
        point(Codec::Linear, 0.01, 3.2, 0.8),
        point(Codec::Bspline, 0.1, 16.0, 7.5),
        point(Codec::Bspline, 0.01, 6.0, 0.9),
        point(Codec::Wavelet, 0.1, 20.0, 6.5),
        point(Codec::Wavelet, 0.01, 8.0, 0.6),
        point(Codec::Classic, 0.01, 3.0, 0.5),
        point(Codec::Classic, 0.1, 9.0, 4.0),
        point(Codec::Spline, 0.1, 12.0, 0.1),
        point(Codec::Spline, 1.0, 33.0, 1.0),
        point(Codec::Tight, 0.1, 30.0, 0.1),
        point(Codec::Tight, 1.0, 70.0, 1.0),
    ]
}

#[test]
fn choosing_a_codec_asks_for_it_and_the_worst_frame_is_one_click_away() {
    let mut harness = harness(Bench::new(&[Section::Compression]));
    let settings = CodecSettings::Spline { tolerance_cm: 0.1 };
    let asked = click(&mut harness, "Spline");
    assert_eq!(asked, [Command::Compress]);
    // What is asked for stands where the application reads it.
    let knobs = harness.state().panels.codec;
    assert_eq!(knobs.settings(), Some(settings));
    harness.state_mut().result = Some(result_of(settings));
    harness.run_steps(3);
    assert!(harness.query_by_label("25.0 : 1").is_some());
    let name = harness.state().skeleton.joints()[2].name.clone();
    let jump = click(&mut harness, &format!("Worst: {name}, frame 60"));
    assert_eq!(jump, [Command::Seek(2.0), Command::Select(Some(2))]);
    assert_eq!(click(&mut harness, "Export .kin"), [Command::ExportKin]);
}

#[test]
fn codecs_are_compared_on_demand_and_the_comparison_stops() {
    let mut bench = Bench::new(&[Section::Compression]);
    bench.panels.compression_plot = CompressionPlot::Codecs;
    let mut harness = harness(bench);
    assert_eq!(
        click(&mut harness, "Compare codecs"),
        [Command::SweepCodecs]
    );
    harness.state_mut().sweep_fraction = Some(0.5);
    harness.run_steps(2);
    let asked = click(&mut harness, "Stop comparing");
    assert_eq!(asked, [Command::CancelSweep]);
    harness.state_mut().sweep_fraction = None;
    harness.state_mut().sweep = sweep();
    harness.run_steps(2);
    assert!(harness.query_by_label("Ratio over error").is_some());
    assert_eq!(click(&mut harness, "Compare again"), [Command::SweepCodecs]);
}
