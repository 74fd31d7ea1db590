//! The papers hold what they promise: links lead somewhere, files they name exist, commands parse,
//! and those of the README and the page of concepts run.
#![cfg(feature = "viewer")]
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "docs/paper.rs"]
mod paper;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use assert_cmd::Command;
use kinetoscope::{animator, cli, load::PERFORMER};
use paper::{Paper, papers, root};
use serde_json::Value;

/// Longer than this, and a stranger no longer reads it.
const MOST_LINES_OF_README: usize = 200;

/// Pictures are looked at, not studied: a small one does, and takes less time to draw.
const SMALL: [&str; 2] = ["--size", "128x72"];

#[test]
fn the_readme_is_short() {
    let lines = Paper::read("README.md").text.lines().count();
    assert!(lines <= MOST_LINES_OF_README, "{lines} lines");
}

#[test]
fn every_link_and_picture_leads_somewhere() {
    let mut faults = Vec::new();
    for paper in papers() {
        for link in paper.links() {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => root().join(&paper.path),
                file => root().join(&paper.path).with_file_name("").join(file),
            };
            let known = target.exists()
                && (anchor.is_empty() || Paper::read_at(&target).anchors().contains(anchor));
            if !known {
                faults.push(format!("{}: {link}", paper.path));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_file_that_is_named_exists() {
    let mut faults = Vec::new();
    for paper in papers() {
        let named = paper.inline_code().into_iter().filter(|code| {
            let folders = [
                "src", "tests", "examples", "benches", "assets", "shaders", ".ci",
            ];
            let first = code.split('/').next().unwrap_or_default();
            let is_whole = !code.contains([' ', '*', '…']) && !code.contains("NAME");
            code.contains('/') && folders.contains(&first) && is_whole
        });
        let missing = named.filter(|name| !root().join(name).exists());
        faults.extend(missing.map(|name| format!("{}: {name}", paper.path)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// `cargo test --test NAME` and its kin name targets that there are.
#[test]
fn every_target_that_is_named_exists() {
    let kinds = [
        ("--test", "tests"),
        ("--bench", "benches"),
        ("--example", "examples"),
    ];
    let mut count = 0;
    for paper in papers() {
        let words: Vec<&str> = paper.text.split([' ', '`', '\n', ',']).collect();
        for pair in words.windows(2) {
            let Some((_, folder)) = kinds.iter().find(|(flag, _)| pair[0] == *flag) else {
                continue;
            };
            let target = root().join(folder).join(pair[1]);
            let exists = target.is_dir() || target.with_extension("rs").exists();
            assert!(exists, "{}: {} {}", paper.path, pair[0], pair[1]);
            count += 1;
        }
    }
    assert!(count > 30, "only {count} were found");
}

/// Names of types and functions outlive no renaming unnoticed: all in the architecture, elsewhere
/// those written as paths.
#[test]
fn every_name_is_in_the_code() {
    let words = paper::words_below(&root().join("src"));
    let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut count = 0;
    for paper in papers() {
        let is_whole = paper.path == "ARCHITECTURE.md";
        let code = paper.inline_code().into_iter();
        let names = code.filter(|it| it.chars().all(is_plain) && (is_whole || it.contains("::")));
        for name in names.filter(|it| it != "NAME") {
            let is_known = name.split("::").all(|word| words.contains(word));
            assert!(is_known, "{}: {name}", paper.path);
            count += 1;
        }
    }
    assert!(count > 30, "only {count} were found");
}

#[test]
fn the_architecture_lists_every_module_in_order() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let modules = lib.lines().filter_map(|line| line.strip_prefix("pub mod "));
    let modules: Vec<&str> = modules.map(|name| name.trim_end_matches(';')).collect();
    let text = Paper::read("ARCHITECTURE.md").text;
    let table = text.split("## Modules").nth(1).unwrap();
    let rows = table.lines().skip_while(|line| !line.starts_with("|---"));
    let rows = rows.skip(1).take_while(|line| line.starts_with('|'));
    let listed: Vec<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    // What only tests use is no station of the data.
    let modules: Vec<&str> = modules.into_iter().filter(|it| *it != "testing").collect();
    assert_eq!(listed, modules);
}

#[test]
fn every_command_parses() {
    let mut count = 0;
    for paper in papers() {
        for command in paper.commands() {
            if let Err(error) = cli::command().try_get_matches_from(&command) {
                let is_help = error.kind() == clap::error::ErrorKind::DisplayHelp;
                assert!(is_help, "{}: {command:?}: {error}", paper.path);
            }
            count += 1;
        }
    }
    assert!(count > 40, "only {count} commands were found");
}

#[test]
fn every_option_is_told() {
    let told: String = papers().iter().map(|paper| paper.text.as_str()).collect();
    for command in cli::command().get_subcommands() {
        for option in command.get_arguments() {
            let long = option.get_long().map(|name| format!("--{name}"));
            let short = option.get_short().map(|name| format!("-{name} "));
            let mut names = long.into_iter().chain(short).peekable();
            let is_told = names.peek().is_none() || names.any(|name| told.contains(&name));
            assert!(is_told, "{} {}", command.get_name(), option.get_id());
        }
    }
}

/// Names of all fields of a JSON value; what is inside those named `skip` is not looked at.
fn fields(value: &Value, skip: &str, names: &mut BTreeSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|it| fields(it, skip, names)),
        Value::Object(object) => {
            for (name, value) in object {
                names.insert(name.clone());
                if name != skip {
                    fields(value, skip, names);
                }
            }
        }
        _ => (),
    }
}

#[test]
fn every_field_that_is_printed_is_told() {
    let told = Paper::read("docs/output.md").text;
    let folder = reader_folder();
    let mut names = BTreeSet::new();
    for call in [
        "compress tests/fixtures/tiny.asf tests/fixtures/tiny.amc --codec all --json",
        "compress tests/fixtures/tiny.asf tests/fixtures/tiny.amc --every 7 --json -o one.kin",
        "info one.kin tests/fixtures/tiny.asf tests/fixtures/tiny.amc tests/fixtures/tiny.gltf --json",
        "pose tests/fixtures/tiny.asf tests/fixtures/tiny.amc --frames 0",
        "keys tests/fixtures/tiny.gltf --json",
        "check assets/performer.asf assets/clips/jump.amc --json",
        "mend assets/performer.asf assets/clips/jump.amc -o mended.bvh --json",
        "report assets/performer.asf assets/clips/forward.amc --json",
    ] {
        let mut command = Command::cargo_bin("kinetoscope").unwrap();
        let output = command.args(call.split(' ')).current_dir(folder.path());
        let output = output.output().unwrap();
        assert!(output.status.success(), "{call}: {output:?}");
        // Joints carry the names that the file gives them.
        fields(
            &serde_json::from_slice(&output.stdout).unwrap(),
            "joints",
            &mut names,
        );
    }
    assert!(names.len() > 40, "only {names:?}");
    for name in names {
        assert!(told.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn every_environment_variable_is_told() {
    let told = Paper::read("CONTRIBUTING.md").text;
    let mut known = BTreeSet::new();
    for folder in ["src", "tests", "benches"] {
        let words = paper::words_below(&root().join(folder));
        let ours = |word: &String| {
            word.strip_prefix("KINETOSCOPE_")
                .is_some_and(|it| !it.is_empty())
        };
        known.extend(words.into_iter().filter(ours));
    }
    assert!(known.len() > 3, "only {known:?} were found");
    for name in known {
        assert!(told.contains(&name), "{name}");
    }
}

#[test]
fn the_animator_files_of_the_papers_are_sound() {
    let texts = Paper::read("docs/animator.md").fences("ron");
    assert!(!texts.is_empty());
    for text in texts {
        animator::parse(&text).unwrap();
    }
}

/// A folder in which the commands find what the papers say they find.
fn reader_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for linked in ["assets", "tests"] {
        std::os::unix::fs::symlink(root().join(linked), folder.path().join(linked)).unwrap();
    }
    let page = Paper::read("docs/animator.md");
    let scripts = page.fences("text");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("my.ron", &page.fences("ron")[0]);
    write("my.txt", &scripts[0]);
    write("tour.txt", &scripts[1]);
    let pair = scripts.iter().find(|it| it.contains("character"));
    write("pair.txt", pair.unwrap());
    let beside = scripts.iter().find(|it| it.contains("no_blending"));
    write("beside.txt", beside.unwrap());
    let posing = Paper::read("docs/posing.md").fences("text");
    let shake = posing.iter().find(|it| it.contains("character"));
    write("shake.txt", shake.unwrap());
    folder
}

/// A command for the viewer, or on files that only a reader can have, is not run.
fn can_run(command: &[String], folder: &Path) -> bool {
    let Ok(matches) = cli::command().try_get_matches_from(command) else {
        return false;
    };
    let Some((_, matches)) = matches.subcommand() else {
        return false;
    };
    let given = |name: &str| matches.try_get_many::<PathBuf>(name).ok().flatten();
    let files = given("files").into_iter().flatten();
    let others = ["script", "animator", "map", "onto"]
        .into_iter()
        .filter_map(given)
        .flatten();
    let is_there = |file: &PathBuf| file.as_os_str() == PERFORMER || folder.join(file).exists();
    files.chain(others).all(is_there)
}

fn run_commands(path: &str) -> usize {
    let folder = reader_folder();
    let mut ran = 0;
    for command in Paper::read(path).commands() {
        if !can_run(&command, folder.path()) {
            continue;
        }
        let small = command[1] == "render" && !command.iter().any(|word| word == SMALL[0]);
        let mut run = Command::cargo_bin("kinetoscope").unwrap();
        run.current_dir(folder.path()).args(&command[1..]);
        if small {
            run.args(SMALL);
        }
        run.assert().success();
        ran += 1;
    }
    ran
}

#[test]
fn the_commands_of_the_readme_run() {
    assert!(run_commands("README.md") >= 7);
}

#[test]
fn the_commands_of_the_concepts_run() {
    assert!(run_commands("docs/concepts.md") >= 25);
}

#[test]
fn the_worked_example_of_the_animator_runs() {
    assert!(run_commands("docs/animator.md") >= 3);
}
