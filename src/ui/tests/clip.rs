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
