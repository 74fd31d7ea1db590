//! *Export…*, and what Esc closes first.

use std::{fs, process::Command};

use super::{
    stage::{Viewer, asset, can_run},
    view::is_open,
};

#[test]
fn what_is_exported_is_the_file_that_convert_writes() {
    if !can_run() {
        return;
    }
    // Beside the capture is where it goes.
    let folder = tempfile::tempdir().unwrap();
    let files = ["performer.asf", "clips/wave.amc"].map(|name| {
        let path = folder.path().join(asset(name).file_name().unwrap());
        fs::copy(asset(name), &path).unwrap();
        path
    });
    let viewer = Viewer::start_in(folder, &[], &[&files[0], &files[1]]);
    viewer.wait("the clip", |line| line["clip"] == "wave.amc");
    let expected = tempfile::tempdir().unwrap();
    for ending in ["bvh", "glb", "csv"] {
        viewer.key("ctrl+e");
        viewer.press(&format!("Export {}", ending.to_uppercase()));
        viewer.press("Export the file");
        let written = viewer.wait_for_files(ending, 1);
        let converted = expected.path().join("wave").with_extension(ending);
        let done = Command::new(env!("CARGO_BIN_EXE_kinetoscope"))
            .arg("convert")
            .args(&files)
            .arg("-o")
            .arg(&converted)
            .status()
            .unwrap();
        assert!(done.success());
        let same = fs::read(&written[0]).unwrap() == fs::read(&converted).unwrap();
        assert!(same, "{ending}");
    }
    assert_eq!(viewer.last()["errors"], 0);
}

#[test]
fn esc_closes_what_lies_on_top_and_never_the_window() {
    if !can_run() {
        return;
    }
    let mut viewer = Viewer::start(&[]);
    viewer.key("F1");
    viewer.key("ctrl+e");
    let both = |line: &serde_json::Value| is_open(line, "Shortcuts") && is_open(line, "Export");
    viewer.wait("both", both);
    viewer.key("Escape");
    viewer.wait("the export closed", |line| {
        !is_open(line, "Export") && is_open(line, "Shortcuts")
    });
    viewer.key("Escape");
    viewer.wait("the keys closed", |line| !is_open(line, "Shortcuts"));
    assert_eq!(viewer.last()["mode"], "drive");
    viewer.key("Escape");
    viewer.wait("View", |line| line["mode"] == "view");
    viewer.key("Escape");
    viewer.key("F2");
    viewer.wait("the panel hidden", |line| line["side"] == false);
    assert!(viewer.is_alive());
}
