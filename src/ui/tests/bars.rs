//! Menus, the status bar and the folding of the side panel.

use super::*;

#[test]
fn a_film_under_way_is_shown_and_can_be_stopped() {
    let mut bench = Bench::new(&[]);
    bench.recording = Some(Recording {
        film: Film::Gif,
        taken: 3,
        most: 50,
    });
    let mut harness = harness(bench);
    assert!(harness.query_by_label("recording GIF: 3 of 50").is_some());
    let asked = click(&mut harness, "Stop recording");
    assert_eq!(asked, [Command::Do(Action::RecordGif)]);
}

#[test]
fn menus_come_from_the_key_table() {
    let mut harness = harness(Bench::new(&[]));
    assert!(click(&mut harness, "View").is_empty());
    let asked = click(&mut harness, "Joint axes");
    assert_eq!(asked, [Command::Do(Action::Toggle(Switch::Axes))]);
    let asked = click(&mut harness, "Mode: BLEND");
    assert_eq!(asked, [Command::Do(Action::Enter(Mode::Blend))]);
}

#[test]
fn recent_files_open_with_a_click() {
    let mut bench = Bench::new(&[]);
    bench.recent = vec![PathBuf::from("/captures/35_01.amc")];
    let mut harness = harness(bench);
    click(&mut harness, "File");
    let asked = click(&mut harness, "35_01.amc");
    assert_eq!(asked, [Command::Open(vec!["/captures/35_01.amc".into()])]);
}

#[test]
fn a_section_leaves_the_others_open_unless_ctrl_is_held() {
    let mut harness = harness(Bench::new(&[Section::Clip, Section::Animator]));
    // Room for all of them, so that nothing is scrolled.
    harness.set_size(egui::Vec2::new(1280.0, 1600.0));
    harness.run_steps(3);
    click(&mut harness, "Skeleton");
    let open = |harness: &Harness<'_, Bench>| harness.state().panels.sections.clone();
    let all = [Section::Clip, Section::Animator, Section::Skeleton];
    assert_eq!(open(&harness), all);
    harness
        .get_by_label("Clip")
        .click_modifiers(egui::Modifiers::COMMAND);
    harness.run_steps(3);
    assert_eq!(open(&harness), [Section::Animator, Section::Clip]);
}

#[test]
fn sections_fold_and_remember_it() {
    let mut harness = harness(Bench::new(&[]));
    // Room for it, so that nothing is scrolled.
    harness.set_size(egui::Vec2::new(1280.0, 1600.0));
    harness.run_steps(3);
    assert!(harness.query_by_label("Ground").is_none());
    click(&mut harness, "Display");
    assert!(harness.query_by_label("Ground").is_some());
    assert_eq!(harness.state().panels.sections, [Section::Display]);
    click(&mut harness, "Display");
    assert!(harness.state().panels.sections.is_empty());
}

#[test]
fn a_narrow_window_shows_the_key_to_the_marks_in_the_picture() {
    let mut bench = Bench::new(&[]);
    bench.marks = vec![Mark {
        start_secs: 0.5,
        end_secs: 1.0,
        row: 0,
        text: "left foot stands".into(),
    }];
    let mut harness = harness(bench);
    for width in [1280.0, 800.0] {
        harness.set_size(egui::Vec2::new(width, 600.0));
        harness.run_steps(3);
        let keyed = harness.state().panels.marks_keyed;
        assert_eq!(keyed, width > 1000.0, "{width}");
        let shown = harness.query_all_by_label("left foot stands").count();
        assert_eq!(shown, 1, "{width}");
    }
}

#[test]
fn a_section_that_is_opened_below_others_comes_into_view() {
    let bench = Bench::new(&[Section::Clip, Section::Compression]);
    let mut harness = harness_at(bench, 0.02);
    harness.set_size(egui::Vec2::new(1280.0, 652.0));
    harness.run_steps(3);
    let top = |harness: &Harness<'_, Bench>| harness.get_by_label("Skeleton").rect().top();
    let before = top(&harness);
    // A second click in the same place folds it again: the heading waits.
    for open in [true, false, true] {
        harness.get_by_label("Skeleton").click();
        harness.run_steps(3);
        let sections = &harness.state().panels.sections;
        assert_eq!(sections.contains(&Section::Skeleton), open);
        assert_close!(top(&harness), before, 0.5);
    }
    harness.run_steps(60);
    let after = top(&harness);
    assert!(after < before - 40.0, "{before} to {after}");
    assert!(harness.state().panels.just_opened.is_none());
}
