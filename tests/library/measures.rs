//! Figures of docs/measurements.md: what grows with a library, and how.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc, time::Instant};

use kinetoscope::{
    library::{
        AllRows, ClipFacts, Entries, FileEntry, Marks, MotionRow, SearchWords, SortBy, found,
        similar,
    },
    testing::Random,
};

use super::{Case, made_up, size_below};

/// Facts and rows without files.
fn made_up_entries(clips: usize, rows: usize, random: &mut Random) -> (Entries, AllRows) {
    let (mut entries, mut all) = (BTreeMap::new(), AllRows::default());
    let words = ["walk", "run", "jump", "dance", "sit", "wave"];
    for clip in 0..clips {
        let name = format!("{}{clip:06}", words[random.below(words.len())]);
        let facts = ClipFacts {
            frames: 100 + random.below(2000) as u32,
            fps: 120.0,
            speed_m_s: random.between(0.0, 3.0),
            name: name.clone(),
            rows: rows as u32,
            ..ClipFacts::default()
        };
        let entry = FileEntry {
            path: format!("s{:03}/{name}.bvh", clip / 1000),
            clips: vec![facts],
            ..FileEntry::default()
        };
        let entry = Arc::new(entry);
        let mut row = [0i8; 64];
        row.fill_with(|| random.below(200) as i8);
        let own: Vec<MotionRow> = (0..rows)
            .map(|_| {
                row.iter_mut()
                    .for_each(|it| *it = it.wrapping_add(random.below(5) as i8 - 2));
                MotionRow(row)
            })
            .collect();
        all.add(&entry, &own);
        entries.insert(entry.path.clone(), entry);
    }
    (entries, all)
}

#[test]
#[ignore = "measures; run with --release --nocapture"]
fn four_hundred_thousand_moments_are_compared() {
    let mut random = Random::new(3);
    let (entries, all) = made_up_entries(4000, 100, &mut random);
    let mut worst = 0.0f64;
    for length in [1, 5, 20] {
        for entry in entries.values().step_by(400) {
            let at = all_rows_of(&all, entry);
            let begun = Instant::now();
            let alike = similar(&all, &at[..length], 20);
            worst = worst.max(begun.elapsed().as_secs_f64() * 1e3);
            assert_eq!(alike[0].entry.path, entry.path);
        }
        println!(
            "{} moments, {length} rows wanted: at most {worst:.1} ms",
            all.len()
        );
    }
}

fn all_rows_of(all: &AllRows, entry: &Arc<FileEntry>) -> Vec<MotionRow> {
    all.rows_of(entry, 0).unwrap().to_vec()
}

#[test]
#[ignore = "measures; run with --release --nocapture"]
fn searching_grows_with_the_library() {
    for clips in [100, 1000, 5500, 20_000, 150_000] {
        let (entries, _) = made_up_entries(clips, 0, &mut Random::new(1));
        let case = Case::of(0);
        let own = write_index(&case, &entries);
        let begun = Instant::now();
        let library = case.open();
        let opened = begun.elapsed().as_secs_f64() * 1e3;
        assert_eq!(library.entries().len(), clips);
        let begun = Instant::now();
        let words = SearchWords::of("jump len>5 speed>1");
        let found = found(library.entries(), &words, SortBy::Speed, &Marks::default());
        let searched = begun.elapsed().as_secs_f64() * 1e3;
        println!(
            "{clips} clips: index {own} bytes, opened in {opened:.1} ms, searched in {searched:.2} ms ({} found)",
            found.len()
        );
    }
}

/// As a library writes it, by its own hand.
fn write_index(case: &Case, entries: &Entries) -> u64 {
    let mut library = case.open();
    library.adopt(entries).unwrap();
    drop(library);
    fs::metadata(case.index()).unwrap().len()
}

#[test]
#[ignore = "minutes, 3 GB of files"]
fn five_thousand_files_are_indexed() {
    let case = Case::of(0);
    made_up::write(&case.folder, 11, 5500, 1000);
    let bytes: u64 = fs::read_dir(&case.folder)
        .unwrap()
        .map(|it| size_below(&it.unwrap().path()))
        .sum();
    println!("{:.2} GB in 5,500 files", bytes as f64 / 1e9);
    for what in ["first", "again"] {
        let begun = Instant::now();
        let peak_mb = peak_mb(&[
            "library",
            &text_of(&case.folder),
            "--cache",
            &text_of(&case.cache),
            "--limit",
            "1",
        ]);
        let secs = begun.elapsed().as_secs_f64();
        println!("{what}: {secs:.2} s, {peak_mb:.0} MB at most");
        assert!(peak_mb < 500.0);
    }
}

#[test]
#[ignore = "a minute"]
fn folders_of_any_size_are_compressed_in_the_same_memory() {
    let mut peaks = Vec::new();
    for files in [40, 320] {
        let case = Case::of(0);
        made_up::write(&case.folder, 11, files, 1000);
        let out = text_of(&case.cache.with_file_name("out"));
        let peak_mb = peak_mb(&[
            "compress",
            &text_of(&case.folder),
            "--bits",
            "12",
            "-o",
            &out,
            "--json",
        ]);
        println!("{files} files: {peak_mb:.0} MB at most");
        peaks.push(peak_mb);
    }
    assert!(peaks[1] < 1.2 * peaks[0] + 5.0, "{peaks:?}");
}

fn text_of(path: &Path) -> String {
    path.display().to_string()
}

/// The most memory a run of the program holds, as Linux counts it.
fn peak_mb(args: &[&str]) -> f64 {
    let program = assert_cmd::cargo::cargo_bin("kinetoscope");
    let mut child = std::process::Command::new(program)
        .args(args)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut peak_kb = 0.0f64;
    loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
        let now = line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok());
        peak_kb = peak_kb.max(now.unwrap_or(0.0));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return peak_kb / 1024.0;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
