//! `render` from the outside: files that come out, codes it ends with, and what
//! each option does to the picture.
#![cfg(feature = "viewer")]
#![allow(clippy::unwrap_used)]

mod options;
mod pictures;

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

fn kinetoscope() -> Command {
    Command::cargo_bin("kinetoscope").unwrap()
}

/// A script in a folder of its own, and where its outputs go.
fn scripted(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("inputs.txt");
    std::fs::write(&script, text).unwrap();
    (folder, script)
}

#[test]
fn a_script_drives_the_performer_and_the_trace_tells() {
    let (folder, script) = scripted("0.2 press W\n1.5 press Shift\n3.0 click\n");
    let (picture, trace) = (folder.path().join("a.png"), folder.path().join("t.jsonl"));
    kinetoscope()
        .args([
            "render",
            "--size",
            "160x120",
            "--samples",
            "1",
            "--frame",
            "400",
        ])
        .arg("--script")
        .arg(&script)
        .arg("--trace")
        .arg(&trace)
        .arg("-o")
        .arg(&picture)
        .assert()
        .success();
    assert!(picture.is_file());
    let text = std::fs::read_to_string(&trace).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // 3 s of script and 2 s to settle, at 120 ticks a second.
    assert_eq!(lines.len(), 601);
    let state = |at: usize| lines[at]["layers"][0]["state"].as_str().unwrap().to_owned();
    assert_eq!(
        [state(0), state(150), state(340)],
        ["IDLE", "FORWARD", "RUN"]
    );
    let striking = lines[390]["layers"].as_array().unwrap().iter();
    let mut striking = striking.filter(|layer| layer["weight"].as_f64().unwrap() > 0.5);
    assert!(
        striking.any(|layer| layer["state"] == "ATTACK"),
        "{}",
        lines[390]
    );
    assert_eq!(lines[390]["layers"][0]["state"], "RUN", "the legs run on");
    let ahead = |at: usize| lines[at]["root"][2].as_f64().unwrap();
    assert!(ahead(340) > ahead(0) + 2.0, "{} m", ahead(340));
}

#[test]
fn bad_scripts_animators_and_states_are_refused_by_name() {
    let (folder, script) = scripted("0.2 press W\n1.0 dance\n");
    let output = folder.path().join("a.png");
    let refused = |args: &[&std::ffi::OsStr], code: i32, tells: &str| {
        let assert = kinetoscope()
            .arg("render")
            .args(args)
            .arg("-o")
            .arg(&output)
            .assert()
            .code(code);
        let told = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(told.contains(tells), "{told}");
        assert!(!output.exists());
    };
    let flag = std::ffi::OsStr::new("--script");
    refused(&[flag, script.as_os_str()], 3, "inputs.txt: line 2");
    let absent = folder.path().join("absent.txt");
    refused(&[flag, absent.as_os_str()], 3, "absent.txt");
    let graph = std::ffi::OsStr::new("--animator");
    refused(&[graph, script.as_os_str()], 3, "inputs.txt");
    std::fs::write(&script, "0 press W").unwrap();
    let clip = concat!(
        "DANCE=",
        env!("CARGO_MANIFEST_DIR"),
        "/assets/clips/run.amc"
    );
    let skeleton = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/performer.asf");
    let files = [skeleton.as_ref(), clip.as_ref(), flag, script.as_os_str()];
    refused(&files, 3, "there is no state \"DANCE\"");
}

#[test]
fn a_file_fills_the_state_it_is_given_to() {
    let (folder, script) = scripted("0.2 press W\n");
    let trace = folder.path().join("t.jsonl");
    let clip = |name: &str| format!("{}/assets/clips/{name}.amc", env!("CARGO_MANIFEST_DIR"));
    kinetoscope()
        .args(["render", "--size", "64x64", "--samples", "1"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/performer.asf"))
        .args([clip("idle"), format!("FORWARD={}", clip("backward"))])
        .arg("--script")
        .arg(&script)
        .arg("--trace")
        .arg(&trace)
        .arg("-o")
        .arg(folder.path().join("a.png"))
        .assert()
        .success();
    let text = std::fs::read_to_string(&trace).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["layers"][0]["state"], "FORWARD");
    // Its way forward is the clip of walking backward.
    assert!(last["root"][2].as_f64().unwrap() < -0.5, "{last}");
}

/// A stand-in for the encoder that keeps what comes down the pipe.
#[cfg(unix)]
#[test]
fn a_film_is_encoded_by_whoever_is_there_and_who_is_missing_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let film = folder.path().join("a.mp4");
    let render = || {
        let mut command = kinetoscope();
        command
            .env("PATH", folder.path())
            .args(["render", "--frames", "0..13", "--fps", "30"])
            .args(["--size", "64x48", "--samples", "1", "-o"])
            .arg(&film);
        command
    };
    let assert = render().assert().code(1);
    let told = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(told.contains("`ffmpeg`") && !film.exists(), "{told}");
    let script = "#!/bin/sh\ncase \"$*\" in *-encoders*) echo ' V..... libx264 x'; exit;; esac\n\
                  for last; do :; done\n/bin/cat > \"$last\"\n";
    let program = folder.path().join("ffmpeg");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    render().assert().success();
    // 13 frames at 120 a second are four pictures at 30.
    let bytes = std::fs::read(&film).unwrap();
    assert_eq!(bytes.len(), 4 * 64 * 48 * 4);
}
