//! Files that do not open as they are.

use std::{fs, path::Path};

use super::stage::{Viewer, asset, can_run};

#[test]
fn a_broken_file_at_the_start_is_told_and_somebody_is_there() {
    if !can_run() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.bvh");
    fs::write(&bad, "HIERARCHY\nROOT a { OFFSET 1 2").unwrap();
    let mut viewer = Viewer::start(&[&bad]);
    let line = viewer.wait("the fault", |line| line["errors"].as_u64() > Some(0));
    assert_eq!(
        (&line["clip"], &line["mode"]),
        (&"idle".into(), &"view".into())
    );
    assert!(viewer.is_alive());
}

fn two_skeletons(folder: &Path) {
    let text = fs::read_to_string(asset("performer.asf")).unwrap();
    fs::write(
        folder.join("other.asf"),
        text.replace("length 0.45", "length 0.4"),
    )
    .unwrap();
    fs::write(folder.join("person.asf"), text).unwrap();
    fs::copy(asset("clips/forward.amc"), folder.join("walk.amc")).unwrap();
}

#[test]
fn of_two_skeletons_one_is_chosen_in_the_panel_and_remembered() {
    if !can_run() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    two_skeletons(folder.path());
    let mut viewer = Viewer::start(&[folder.path()]);
    viewer.wait("the motion", |line| line["clip"] == "walk.amc");
    viewer.press("Skeleton of the motion");
    viewer.press("other.asf");
    viewer.quit();
    let settings = viewer.folder.path().join("config/kinetoscope/settings.ron");
    let text = fs::read_to_string(settings).unwrap();
    assert!(text.contains("other.asf"), "{text}");
}
