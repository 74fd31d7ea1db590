//! A run over a folder that was killed is taken up again.
#![cfg(unix)]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{
    files_below, fixture,
    leftovers::{begin, send, wait_for},
    run, text,
};

/// Bytes and times of all files, by their names below the folder.
fn contents(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let files = files_below(folder).into_iter().map(|path| {
        let changed = fs::metadata(&path).unwrap().modified().unwrap();
        let name = path.strip_prefix(folder).unwrap().to_path_buf();
        (name, (fs::read(&path).unwrap(), changed))
    });
    files.collect()
}

fn bytes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = contents(folder).into_iter();
    all.map(|(name, (bytes, _))| (name, bytes)).collect()
}

fn is_part(path: &Path) -> bool {
    path.to_str().unwrap().ends_with(".part")
}

#[test]
fn a_killed_run_goes_on_where_it_stopped() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let [skeleton, clips] = ["performer.asf", "clips"].map(|it| text(&assets.join(it)));
    let calls: [&[&str]; 2] = [
        &["convert", &skeleton, &clips, "--to", "glb"],
        &["compress", &skeleton, &clips, "--tolerance-cm", "0.1"],
    ];
    for call in calls {
        let root = tempfile::tempdir().unwrap();
        let (whole, killed) = (root.path().join("whole"), root.path().join("killed"));
        let to = |folder: &Path| {
            [call, &["-o", &text(folder)]]
                .concat()
                .iter()
                .map(|it| (*it).to_owned())
                .collect::<Vec<String>>()
        };
        run(&to(&whole)).ends_with(0, "");
        // Older results of another call must not be taken for finished ones.
        fs::create_dir(&killed).unwrap();
        for name in bytes(&whole).keys() {
            fs::write(killed.join(name), "older").unwrap();
        }
        let args = to(&killed);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut process = begin(&args);
        let done = || {
            let files = files_below(&killed).into_iter();
            files
                .filter(|it| !is_part(it) && fs::read(it).is_ok_and(|it| it != b"older"))
                .count()
        };
        wait_for(&mut process, || done() >= 2);
        send(&process, "-KILL");
        process.wait().unwrap();
        let finished = contents(&killed).into_iter();
        let finished = finished.filter(|(name, (bytes, _))| !is_part(name) && bytes != b"older");
        let finished: BTreeMap<_, _> = finished.collect();
        assert!(finished.len() < bytes(&whole).len(), "killed too late");

        let resumed = run(&[&args[..], &["--resume"]].concat());
        resumed.ends_with(
            0,
            &format!(
                "{} of {} files are finished",
                finished.len(),
                bytes(&whole).len()
            ),
        );
        assert!(bytes(&killed) == bytes(&whole), "{call:?}");
        let now = contents(&killed);
        for (name, (_, changed)) in &finished {
            assert_eq!(now[name].1, *changed, "{name:?} was made again");
        }
    }
}

#[test]
fn other_options_or_inputs_are_not_taken_for_finished() {
    let root = tempfile::tempdir().unwrap();
    let input = root.path().join("in");
    fs::create_dir(&input).unwrap();
    for name in ["tiny.asf", "tiny.amc"] {
        fs::copy(fixture(name), input.join(name)).unwrap();
    }
    let out = root.path().join("out");
    let call = |more: &[&str]| {
        let (input, out) = (text(&input), text(&out));
        run(&[
            &["convert", &input, "--to", "csv", "-o", &out, "--resume"],
            more,
        ]
        .concat())
    };
    let kept = |ran: &super::Ran| ran.stderr.contains("1 of 1 files are finished");
    assert!(!kept(&call(&[])));
    assert!(kept(&call(&[])));
    assert!(!kept(&call(&["--csv", "rotations"])));
    assert!(kept(&call(&["--csv", "rotations"])));
    let motion = fs::read_to_string(fixture("tiny.amc")).unwrap();
    fs::write(input.join("tiny.amc"), format!("# once more\n{motion}")).unwrap();
    assert!(!kept(&call(&["--csv", "rotations"])));
}

#[test]
fn a_single_file_is_all_or_nothing() {
    let files = [fixture("tiny.asf"), fixture("tiny.amc")].map(|it| text(&it));
    for (command, out) in [("convert", "a.glb"), ("compress", "a.kin")] {
        let ran = run(&[command, &files[0], &files[1], "-o", out, "--resume"]);
        ran.ends_with(2, "--resume is for folders");
    }
}
