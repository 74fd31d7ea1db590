//! What floats over the picture: notices, the log, the table of keys.

use super::*;

#[test]
fn notices_can_be_dismissed_and_loading_cancelled() {
    let mut bench = Bench::new(&[]);
    bench.notices.push(Notice {
        id: 7,
        severity: Severity::Error,
        text: "bad.amc:3:1: no such bone".into(),
        at_secs: 1.0,
        fresh: true,
    });
    bench.progress = Some(Progress {
        text: "Reading 35_01.amc".into(),
        fraction: Some(0.5),
    });
    let mut harness = harness(bench);
    assert!(
        harness
            .query_by_label("bad.amc:3:1: no such bone")
            .is_some()
    );
    assert_eq!(click(&mut harness, "Dismiss"), [Command::Dismiss(7)]);
    assert_eq!(click(&mut harness, "Cancel"), [Command::CancelLoading]);
}

#[test]
fn the_overlay_lists_every_key_and_what_the_file_binds() {
    let mut bench = Bench::new(&[]);
    bench.panels.shortcuts = true;
    bench.animator.bindings = vec![BindingView {
        controls: vec!["J".into(), "PadWest".into()],
        says: "Strike hard".into(),
    }];
    let harness = harness(bench);
    for told in ["J · PadWest", "Strike hard"] {
        assert!(harness.query_by_label(told).is_some(), "{told} is missing");
    }
    for row in keys::TABLE {
        let found = harness.query_all_by_label(row.says).count();
        assert!(found > 0, "{} is missing", row.says);
    }
}

#[test]
fn no_key_of_the_overlay_is_cut_off_sideways() {
    for width in [1280.0, 800.0, 640.0, 420.0] {
        let mut bench = Bench::new(&[]);
        bench.panels.shortcuts = true;
        bench.panels.side = false;
        let mut harness = harness(bench);
        harness.set_size(egui::Vec2::new(width, 640.0));
        harness.run_steps(3);
        for row in keys::TABLE {
            let cells = harness.query_all_by_label(row.says);
            let right = cells.map(|it| it.rect().right()).fold(0.0, f32::max);
            assert!(
                right < width - 32.0,
                "{width}: {} ends at {right}",
                row.says
            );
        }
    }
}
