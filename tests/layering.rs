//! A module uses only those above it in the table, so that the data walks one
//! way and any room can be read without the ones after it.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The rooms in the order data walks through them.
const ROOMS: [&str; 23] = [
    "testing", "math", "units", "ron_text", "mocap", "skeleton", "humanoid", "clip", "model",
    "import", "retarget", "export", "codec", "animator", "collide", "body", "cloth", "scene",
    "load", "render", "ui", "app", "cli",
];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Names that follow `crate::`, groups such as `crate::{a, b::c}` included.
fn rooms_used(source: &str) -> Vec<String> {
    let code: String = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join(" ");
    let mut used = Vec::new();
    for after in code.split("crate::").skip(1) {
        if let Some(group) = after.trim_start().strip_prefix('{') {
            used.extend(top_level_names(group));
        } else {
            used.push(first_name(after));
        }
    }
    used
}

fn first_name(text: &str) -> String {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    text[..end.unwrap_or(text.len())].to_owned()
}

fn top_level_names(group: &str) -> Vec<String> {
    let mut names = vec![first_name(group)];
    let mut depth = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(first_name(&group[at + 1..])),
            _ => {}
        }
    }
    names
}

fn rank(room: &str) -> Option<usize> {
    ROOMS.iter().position(|known| *known == room)
}

#[test]
fn every_room_uses_only_rooms_above_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let mut looked_at = 0;
    let mut faults = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&source).unwrap();
        let room = inside.iter().next().unwrap().to_string_lossy();
        let room = room.trim_end_matches(".rs").to_owned();
        if room == "lib" || room == "main" {
            continue;
        }
        let own = rank(&room).unwrap_or_else(|| panic!("{room} is not in the table of rooms"));
        for used in rooms_used(&fs::read_to_string(&file).unwrap()) {
            if rank(&used).is_some_and(|used| used > own) {
                faults.push(format!("{} uses {used}", inside.display()));
            }
            looked_at += usize::from(rank(&used).is_some());
        }
    }
    assert!(looked_at > 20, "the search found only {looked_at} uses");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_search_sees_groups_and_paths() {
    let source = "use crate::{math::{Axis, Dof}, mocap, skeleton::Joint};\nfn f() { crate::clip::g() } // crate::cli";
    assert_eq!(rooms_used(source), ["math", "mocap", "skeleton", "clip"]);
}
