//! A folder of many clips: its index, and what becomes of it when things go
//! wrong.
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod made_up;
mod measures;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
    sync::atomic::{AtomicUsize, Ordering},
};

use assert_cmd::Command;
use kinetoscope::{
    library::{AllRows, Library, Marks, MotionRow, RefreshCounts, similar},
    testing::Random,
};

struct Case {
    _root: tempfile::TempDir,
    folder: PathBuf,
    cache: PathBuf,
}

impl Case {
    fn of(files: usize) -> Self {
        let root = tempfile::tempdir().unwrap();
        let (folder, cache) = (root.path().join("takes"), root.path().join("cache"));
        fs::create_dir(&folder).unwrap();
        made_up::write(&folder, 7, files, 120);
        Self {
            _root: root,
            folder,
            cache,
        }
    }

    fn open(&self) -> Library {
        Library::open(&self.folder, Some(&self.cache))
    }

    fn index(&self) -> PathBuf {
        let own = fs::read_dir(&self.cache).unwrap().next().unwrap().unwrap();
        own.path().join("index")
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::cargo_bin("kinetoscope").unwrap();
        command.env("XDG_DATA_HOME", self.cache.with_file_name("data"));
        command
            .arg("library")
            .arg(&self.folder)
            .arg("--cache")
            .arg(&self.cache);
        command.args(args).output().unwrap()
    }
}

fn refresh(library: &mut Library) -> RefreshCounts {
    library.refresh(&|_, _| true)
}

fn counts(unchanged: usize, read: usize, gone: usize) -> RefreshCounts {
    RefreshCounts {
        unchanged,
        read,
        gone,
        ..RefreshCounts::default()
    }
}

#[test]
fn what_was_read_is_known_and_only_changes_are_read_again() {
    let case = Case::of(6);
    let mut library = case.open();
    assert!(library.entries().is_empty());
    assert_eq!(refresh(&mut library), counts(0, 6, 0));
    let before = library.entries().clone();
    drop(library);

    let mut library = case.open();
    assert_eq!(
        *library.entries(),
        before,
        "known before anything is looked at"
    );
    assert_eq!(refresh(&mut library), counts(6, 0, 0));
    let facts = &library.entries()["subject000/take00003.bvh"].clips[0];
    assert_eq!((facts.frames, facts.joints, facts.rows), (120, 20, 10));
    assert!(
        (facts.fps - 120.0).abs() < 0.01 && facts.height_m > 1.5 && facts.height_m < 2.0,
        "{facts:?}"
    );

    fs::write(
        case.folder.join("subject000/take00001.bvh"),
        made_up::bvh(99, 240, 120.0),
    )
    .unwrap();
    fs::remove_file(case.folder.join("subject000/take00002.bvh")).unwrap();
    fs::write(case.folder.join("broken.bvh"), "HIERARCHY\nnonsense").unwrap();
    let counts = refresh(&mut library);
    assert_eq!(
        (counts.unchanged, counts.read, counts.gone, counts.faulty),
        (4, 2, 1, 1)
    );
    assert_eq!(
        library.entries()["subject000/take00001.bvh"].clips[0].frames,
        240
    );
    assert!(
        library.entries()["broken.bvh"]
            .fault
            .as_ref()
            .unwrap()
            .contains("broken.bvh")
    );
    assert!(library.take_remarks().is_empty());
}

#[test]
fn an_interruption_loses_the_files_in_work_alone() {
    let case = Case::of(12);
    let mut library = case.open();
    let seen = AtomicUsize::new(0);
    let counts = library.refresh(&|_, _| seen.fetch_add(1, Ordering::Relaxed) < 4);
    assert!(counts.given_up && counts.read < 12, "{counts:?}");
    drop(library);
    // As a process that was killed in the middle of a record leaves it.
    let index = case.index();
    let bytes = fs::read(&index).unwrap();
    fs::write(&index, &bytes[..bytes.len() - 7]).unwrap();
    let mut library = case.open();
    assert_eq!(library.entries().len(), counts.read - 1);
    let told = library.take_remarks().join(" ");
    assert!(
        told.contains("damaged at byte") && told.contains("read again"),
        "{told}"
    );
    let again = refresh(&mut library);
    assert_eq!(again.unchanged + again.read, 12);
    drop(library);
    assert_eq!(
        case.open().entries().len(),
        12,
        "the half record was cut off"
    );
}

#[test]
fn a_corrupt_index_is_told_and_mended_whatever_is_wrong_with_it() {
    let case = Case::of(4);
    let mut library = case.open();
    refresh(&mut library);
    let whole = library.entries().clone();
    drop(library);
    let good = fs::read(case.index()).unwrap();
    let mut random = Random::new(5);
    for round in 0..40 {
        let mut bytes = good.clone();
        match round % 4 {
            0 => bytes.truncate(random.below(good.len())),
            1 => bytes.clear(),
            _ => (0..1 + round / 4).for_each(|_| {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }),
        }
        fs::write(case.index(), &bytes).unwrap();
        let mut library = case.open();
        let lost = library.entries().len() < whole.len();
        let told = library.take_remarks();
        assert!(
            !lost || !told.is_empty() || bytes.len() < 20 || cut_at_a_record(&good, bytes.len()),
            "round {round}: {told:?}"
        );
        refresh(&mut library);
        let known: Vec<&String> = library.entries().keys().collect();
        assert_eq!(known, whole.keys().collect::<Vec<_>>(), "round {round}");
        let (rows, damaged) = AllRows::read(library.entries(), library.rows());
        assert_eq!((rows.len(), damaged.len()), (40, 0), "round {round}");
    }
}

/// Where a record ends nothing tells that more had followed.
fn cut_at_a_record(good: &[u8], len: usize) -> bool {
    let mut at = 8;
    while at < len {
        at += 8 + u32::from_le_bytes(good[at..at + 4].try_into().unwrap()) as usize;
    }
    at == len
}

#[test]
fn damaged_rows_are_found_told_and_read_again() {
    let case = Case::of(3);
    let mut library = case.open();
    refresh(&mut library);
    drop(library);
    let rows = case.index().with_file_name("rows-0");
    let mut bytes = fs::read(&rows).unwrap();
    bytes[700] ^= 4;
    fs::write(&rows, bytes).unwrap();
    let mut library = case.open();
    let (_, damaged) = AllRows::read(library.entries(), library.rows());
    assert_eq!(damaged.len(), 1);
    library.distrust(&damaged);
    assert!(library.take_remarks()[0].contains("damaged"));
    assert_eq!(refresh(&mut library).read, 1);
    assert_eq!(AllRows::read(library.entries(), library.rows()).1.len(), 0);
    drop(library);
    fs::remove_file(&rows).unwrap();
    let mut library = case.open();
    assert!(library.take_remarks().join(" ").contains("missing"));
    assert_eq!(refresh(&mut library).read, 3);
}

#[test]
fn an_index_that_changes_often_does_not_grow_for_ever() {
    let case = Case::of(1);
    let mut library = case.open();
    let mut largest = 0;
    for round in 0..260 {
        let text = made_up::bvh(round, 12 + (round as usize % 2), 120.0);
        fs::write(case.folder.join("subject000/take00000.bvh"), text).unwrap();
        assert_eq!(refresh(&mut library).read, 1, "round {round}");
        largest = largest.max(fs::metadata(case.index()).unwrap().len());
    }
    drop(library);
    assert!(largest < 40_000, "{largest} bytes for one file");
    assert_eq!(case.open().entries().len(), 1);
}

#[test]
fn a_cache_that_cannot_be_written_is_told_and_done_without() {
    let case = Case::of(2);
    fs::write(&case.cache, "a file where the folder should be").unwrap();
    let mut library = case.open();
    let told = library.take_remarks().join(" ");
    assert!(
        told.contains("for this run alone") && told.contains("--cache"),
        "{told}"
    );
    assert_eq!(refresh(&mut library).read, 2);
    assert_eq!(AllRows::read(library.entries(), library.rows()).0.len(), 20);
    let without = Library::open(&case.folder, None).take_remarks();
    assert_eq!(without.len(), 1);
}

#[test]
fn two_at_once_do_not_write_into_each_other() {
    let case = Case::of(2);
    let mut first = case.open();
    refresh(&mut first);
    let mut second = case.open();
    assert!(
        second
            .take_remarks()
            .join(" ")
            .contains("another Kinetoscope")
    );
    assert_eq!((second.entries().len(), refresh(&mut second).read), (2, 0));
}

#[test]
fn a_moment_finds_itself_and_what_is_like_it() {
    let case = Case::of(20);
    let mut library = case.open();
    refresh(&mut library);
    let (all, _) = AllRows::read(library.entries(), library.rows());
    for (path, entry) in library.entries() {
        let rows = library.rows().clip(entry, 0).unwrap();
        let alike = similar(&all, &rows[3..6], 5);
        assert_eq!((&alike[0].entry.path, alike[0].apart_cm), (path, 0.0));
        assert!((alike[0].start_s - 0.3).abs() < 1e-9);
        assert!(alike.windows(2).all(|it| it[0].apart_cm <= it[1].apart_cm));
        // By hand, over all clips and all starts.
        let best = best_by_hand(&library, path, &rows[3..6]);
        assert!(
            (alike[1].apart_cm - best).abs() < 1e-9,
            "{} against {best}",
            alike[1].apart_cm
        );
    }
}

fn best_by_hand(library: &Library, without: &str, wanted: &[MotionRow]) -> f64 {
    let mut best = f64::INFINITY;
    for (path, entry) in library.entries() {
        let rows = library.rows().read(entry).unwrap();
        for window in rows.windows(wanted.len()).filter(|_| path != without) {
            let squares = window
                .iter()
                .zip(wanted)
                .flat_map(|(a, b)| a.0.iter().zip(&b.0));
            let sum: f64 = squares
                .map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2))
                .sum();
            best = best.min((sum * 3.0 / (61.0 * wanted.len() as f64)).sqrt());
        }
    }
    best
}

#[test]
fn searches_tags_and_favourites_by_the_command_line() {
    let case = Case::of(3);
    let run = |args: &[&str]| {
        let out = case.run(args);
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        serde_json::from_slice::<serde_json::Value>(&out.stdout).unwrap()
    };
    let all = run(&["--json"]);
    assert_eq!((&all["read"], &all["clips"]), (&3.into(), &3.into()));
    let key = "subject000/take00001.bvh";
    run(&[
        "--json",
        "--favourite",
        key,
        "--tag",
        &format!("{key}=walk,fast"),
    ]);
    for (search, count) in [
        ("fav", 1),
        ("tag:walk", 1),
        ("TAKE00002", 1),
        ("len>0.5 len<2", 3),
        ("tag:none", 0),
        ("warn", 0),
    ] {
        let found = run(&["--json", "--search", search]);
        assert_eq!(found["found"].as_array().unwrap().len(), count, "{search}");
        assert_eq!(found["unchanged"], 3);
    }
    let sorted = run(&["--json", "--sort", "speed"]);
    let speeds: Vec<f64> = sorted["found"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["speed_m_s"].as_f64().unwrap())
        .collect();
    assert!(speeds.windows(2).all(|it| it[0] >= it[1]), "{speeds:?}");
    let file = case.folder.join(key).display().to_string() + "@0.2s..0.6s";
    let alike = run(&["--json", "--similar", &file]);
    assert_eq!(alike["found"][0]["path"], key);
    assert_eq!(
        case.run(&["--favourite", "nobody.bvh"]).status.code(),
        Some(2)
    );
    run(&["--json", "--not-favourite", key]);
    assert_eq!(
        run(&["--json", "--search", "fav", "--as-known"])["found"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

#[test]
fn marks_that_cannot_be_read_are_kept_aside() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("marks");
    let (mut marks, _) = Marks::read(folder.path(), Some(&kept));
    marks.set_favourite("a.bvh", true);
    marks.write().unwrap();
    let file = fs::read_dir(&kept).unwrap().next().unwrap().unwrap().path();
    assert!(
        Marks::read(folder.path(), Some(&kept))
            .0
            .is_favourite("a.bvh")
    );
    fs::write(&file, "(favourites: oops").unwrap();
    let (marks, told) = Marks::read(folder.path(), Some(&kept));
    assert!(told.unwrap().contains("begin anew") && !marks.is_favourite("a.bvh"));
    assert!(file.with_extension("ron.broken").exists());
}

#[test]
fn a_folder_is_compressed_file_by_file_and_goes_on_where_it_stopped() {
    let case = Case::of(4);
    fs::write(case.folder.join("broken.bvh"), "nonsense").unwrap();
    let out = case.cache.with_file_name("out");
    let run = |more: &[&str]| {
        let mut command = Command::cargo_bin("kinetoscope").unwrap();
        command
            .args(["compress", "--bits", "12", "--json"])
            .arg(&case.folder);
        command.arg("-o").arg(&out).args(more).output().unwrap()
    };
    let first = run(&[]);
    assert_eq!(first.status.code(), Some(3), "one cannot be read");
    assert!(
        String::from_utf8_lossy(&first.stderr)
            .contains("1 of 5 files failed; the others are written")
    );
    let figures: serde_json::Value = serde_json::from_slice(&first.stdout).unwrap();
    let paths: Vec<&str> = figures
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["path"].as_str().unwrap())
        .collect();
    assert!(paths.len() == 4 && paths.is_sorted(), "{paths:?}");
    fs::remove_file(out.join("subject000/take00002.kin")).unwrap();
    let again = run(&["--resume"]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("3 of 5 files are finished and kept"));
    assert!(out.join("subject000/take00002.kin").is_file());
    let left: Vec<_> = fs::read_dir(out.join("subject000")).unwrap().collect();
    assert_eq!(left.len(), 4, "no part is left behind");
}

fn size_below(folder: &Path) -> u64 {
    fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().metadata().unwrap().len())
        .sum()
}
