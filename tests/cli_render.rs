//! `render` from the outside: files that come out, codes it ends with.
#![cfg(feature = "viewer")]
#![allow(clippy::unwrap_used)]

use std::path::Path;

use assert_cmd::Command;

fn render(arguments: &[&str], output: &Path) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("kinetoscope").unwrap();
    command
        .arg("render")
        .args(arguments)
        .arg("-o")
        .arg(output)
        .assert()
}

#[test]
fn every_kind_of_output() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    render(&["--size", "96x64", "--frame", "3"], &at("one.png")).success();
    let one = image::open(at("one.png")).unwrap();
    assert_eq!((one.width(), one.height()), (96, 64));
    render(
        &["--size", "64x64", "--frames", "0..60", "--fps", "10"],
        &at("a.gif"),
    )
    .success();
    let mut reader = gif::DecodeOptions::new()
        .read_info(std::fs::File::open(at("a.gif")).unwrap())
        .unwrap();
    let mut delays = Vec::new();
    while let Some(frame) = reader.read_next_frame().unwrap() {
        delays.push(frame.delay);
    }
    assert!(
        delays.len() > 1 && delays.iter().all(|&delay| delay == 10),
        "{delays:?}"
    );
    render(
        &["--size", "240x160", "--sheet", "--poses", "6"],
        &at("sheet.png"),
    )
    .success();
    let sheet = image::open(at("sheet.png")).unwrap();
    assert_eq!((sheet.width(), sheet.height()), (240, 160));
    render(&["--size", "32x32", "--frames", "2..5"], &at("sequence")).success();
    let count = std::fs::read_dir(at("sequence")).unwrap().count();
    assert_eq!(count, 3);
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().ends_with(".part")),
        "{left:?}"
    );
}

#[test]
fn a_transparent_picture_has_an_alpha_channel() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("clear.png");
    render(&["--size", "64x64", "--transparent"], &path).success();
    let picture = image::open(&path).unwrap().into_rgba8();
    assert_eq!(picture.get_pixel(1, 1)[3], 0);
    assert!(picture.pixels().any(|pixel| pixel[3] == 255));
}

#[test]
fn every_display_option_draws() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.png");
    let options = [
        "--clip",
        "run",
        "--frame",
        "20",
        "--size",
        "96x96",
        "--skeleton",
        "--axes",
        "--names",
        "--trajectory",
        "--ghosts",
        "2",
        "--theme",
        "light",
        "--shading",
        "blinn",
        "--skinning",
        "linear",
        "--no-shadows",
        "--no-occlusion",
        "--no-seams",
        "--no-ground",
        "--caption",
        "all",
        "--view",
        "side",
        "--azimuth",
        "-20",
        "--elevation",
        "10",
        "--zoom",
        "1.5",
        "--look-at",
        "head",
        "--samples",
        "1",
    ];
    render(&options, &path).success();
}

#[test]
fn wrong_usage_ends_with_2_and_a_bad_file_with_3() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for arguments in [
        &["--size", "0x10"][..],
        &["--frames", "5..5"],
        &["--frame", "100000"],
        &["--clip", "nonsense"],
        &["--look-at", "nose"],
        &["--errors"],
        &["--zoom", "0"],
        &["--size", "999999x10"],
    ] {
        render(arguments, &at("x.png")).code(2);
    }
    render(&[], &at("x.jpg")).code(2);
    render(&["--sheet"], &at("x.gif")).code(2);
    render(&["--transparent"], &at("x.gif")).code(2);
    render(&["--frames", "0..9"], &at("x.png")).code(2);
    render(&["/no/such/file.amc"], &at("x.png")).code(3);
    assert!(!at("x.png").exists());
    render(&["--size", "16x16"], Path::new("/no/such/folder/x.png")).code(1);
}

#[test]
fn without_an_adapter_it_ends_with_4_and_names_the_package() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("kinetoscope").unwrap();
    // No driver to be found anywhere.
    command
        .env("VK_DRIVER_FILES", "/nonexistent")
        .env("VK_ICD_FILENAMES", "/nonexistent");
    command
        .env("WGPU_BACKEND", "vulkan")
        .env("LIBGL_DRIVERS_PATH", "/nonexistent");
    let output = command
        .args(["render", "-o"])
        .arg(folder.path().join("x.png"))
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("mesa-vulkan-drivers"), "{message}");
}
