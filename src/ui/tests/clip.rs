//! The clip section.

use super::*;

#[test]
fn the_clip_list_shows_and_compares() {
    let mut harness = harness(Bench::new(&[Section::Clip]));
    assert!(harness.query_by_label("rate: 30 fps, stated").is_some());
    assert_eq!(click(&mut harness, "run.amc"), [Command::ShowClip(1)]);
    assert_eq!(
        click(&mut harness, "Beside: run.amc"),
        [Command::ToggleAlongside(1)]
    );
}

#[test]
fn the_unit_can_be_set_against_what_the_file_says() {
    let mut harness = harness(Bench::new(&[Section::Clip]));
    click(&mut harness, "Unit of length");
    let overrides = ImportOverrides {
        unit: Some(LengthUnit::Metre),
        ..ImportOverrides::default()
    };
    assert_eq!(click(&mut harness, "m"), [Command::Reinterpret(overrides)]);
}

#[test]
fn the_up_axis_is_chosen_in_the_panel() {
    let mut harness = harness(Bench::new(&[Section::Clip]));
    click(&mut harness, "Up axis");
    let overrides = ImportOverrides {
        up: Some(UpAxis::Z),
        ..ImportOverrides::default()
    };
    assert_eq!(
        click(&mut harness, "Z up"),
        [Command::Reinterpret(overrides)]
    );
}

#[test]
fn one_of_several_skeletons_is_chosen_in_the_panel() {
    let mut bench = Bench::new(&[Section::Clip]);
    bench.skeletons = ["/captures/02.asf", "/captures/16.asf"]
        .map(Into::into)
        .into();
    let mut harness = harness(bench);
    click(&mut harness, "Skeleton of the motion");
    assert_eq!(click(&mut harness, "16.asf"), [Command::ChooseSkeleton(1)]);
}

#[test]
fn a_file_that_cannot_be_opened_says_so_in_the_title_and_the_panel() {
    let mut bench = Bench::new(&[Section::Clip]);
    let fault = "walk.bvh: line 3: no ROOT: mend that line";
    bench.fault = Some(fault.to_owned());
    let harness = harness(bench);
    assert_eq!(harness.query_all_by_label(fault).count(), 2);
}

#[test]
fn fingers_can_be_ignored() {
    let mut harness = harness(Bench::new(&[Section::Clip]));
    let overrides = ImportOverrides {
        ignore_fingers: true,
        ..ImportOverrides::default()
    };
    let asked = click(&mut harness, "Ignore fingers");
    assert_eq!(asked, [Command::Reinterpret(overrides)]);
}

#[test]
fn a_long_list_takes_the_free_height() {
    let mut bench = Bench::new(&[Section::Clip]);
    let row = bench.rows[0].clone();
    bench.rows = (0..60)
        .map(|index| ClipRow {
            name: format!("{index:02}.amc"),
            shown: index == 0,
            ..row.clone()
        })
        .collect();
    let mut harness = harness(bench);
    let seen = |harness: &Harness<'_, Bench>| {
        let names = (0..60).map(|index| format!("{index:02}.amc"));
        names
            .filter(|it| harness.query_by_label(it).is_some())
            .count()
    };
    assert!((10..30).contains(&seen(&harness)), "{}", seen(&harness));
    // Headings below the list stay in sight.
    let heading = harness.get_by_label("Display").rect();
    assert!(heading.bottom() < 800.0 - theme::STATUS_HEIGHT - theme::TIMELINE_HEIGHT);
    click(&mut harness, "Display");
    assert!(seen(&harness) <= 8);
}
