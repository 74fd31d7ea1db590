//! Nothing half done is left behind: not by a full disk, not by INT or TERM.
#![cfg(unix)]

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use super::{files_below, text};

fn assets() -> [String; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    [folder.join("performer.asf"), folder.join("clips")].map(|it| text(&it))
}

/// Waits until something holds, as long as the process runs.
pub fn wait_for(process: &mut Child, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert_eq!(process.try_wait().unwrap(), None, "ended too early");
        assert!(started.elapsed() < Duration::from_secs(120));
        sleep(Duration::from_millis(2));
    }
}

pub fn begin(args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kinetoscope"));
    let silent = command.args(args).stdout(Stdio::null());
    silent.stderr(Stdio::null()).spawn().unwrap()
}

pub fn send(process: &Child, signal: &str) {
    let id = process.id().to_string();
    let sent = Command::new("kill").args([signal, &id]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_full_disk_is_told_with_the_file_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("all.csv");
    fs::write(&out, "old").unwrap();
    // A limit to the size of files fails as a full disk does, half-way.
    let [skeleton, clips] = assets();
    let ran = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_kinetoscope"))
        .args([
            "convert",
            &skeleton,
            &format!("{clips}/run.amc"),
            "-o",
            &text(&out),
        ])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains(&text(&out)), "{stderr}");
    assert_eq!(files_below(folder.path()), std::slice::from_ref(&out));
    assert_eq!(fs::read(&out).unwrap(), b"old");
    if Path::new("/dev/full").exists() {
        let ran = super::run(&[
            "convert",
            &skeleton,
            &format!("{clips}/run.amc"),
            "--to",
            "csv",
            "-o",
            "/dev/full",
        ]);
        ran.ends_with(1, "/dev/full");
    }
}

#[test]
fn int_and_term_leave_nothing_half_done() {
    let [skeleton, clips] = assets();
    for (signal, number) in [("-INT", 2), ("-TERM", 15)] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| text(&folder.path().join(name));
        let (map, kin) = (path("map.ron"), path("all.kin"));
        fs::write(&map, "old").unwrap();
        // The map waits for the clips, which take their time.
        let mut process = begin(&[
            "compress",
            &skeleton,
            &clips,
            "--codec",
            "tight",
            "--tolerance-cm",
            "0.01",
            "--onto",
            "performer",
            "--save-map",
            &map,
            "-o",
            &kin,
        ]);
        wait_for(&mut process, || files_below(folder.path()).len() > 1);
        send(&process, signal);
        let ended = process.wait().unwrap();
        assert_eq!(ended.signal(), Some(number), "ended by the signal itself");
        assert_eq!(files_below(folder.path()), [folder.path().join("map.ron")]);
        assert_eq!(fs::read(&map).unwrap(), b"old");
    }
}
