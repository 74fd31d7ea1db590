//! The examples for programmers run, and print what they promise.
#![allow(clippy::unwrap_used)]

#[path = "../examples/compress.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod compress;
#[path = "../examples/playback.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod playback;

#[test]
fn playback_blends_and_skins() {
    let mut out = Vec::new();
    playback::run(&playback::performer_files(), &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert_eq!(out.matches("of the motion").count(), 3, "{out}");
    assert!(out.contains("root") && out.contains("vertices"), "{out}");
    assert!(!out.contains("NaN"), "{out}");
}

#[test]
fn playback_wants_two_motions() {
    let files = &playback::performer_files()[..2];
    let error = playback::run(files, &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("two motions"), "{error}");
}

#[test]
fn compress_writes_a_container_that_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jump.kin");
    let mut out = Vec::new();
    compress::run(&compress::performer_files(), &path, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    for codec in ["classic", "spline", "tight"] {
        let again = format!("jump {codec}: 313 frames");
        assert!(out.contains(&again), "{out}");
    }
    assert!(path.metadata().unwrap().len() > 1000);
}
