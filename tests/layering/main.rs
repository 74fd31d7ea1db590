//! A module uses only those that the table allows it, so that the data walks
//! one way and any module can be read without the ones after it.
#![allow(clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stderr, clippy::unwrap_used)]

mod source;
mod table;

use std::{
    fs,
    path::{Path, PathBuf},
};

use source::{Source, freedoms, names_after, steps_up};
use table::{Freedom, Module, TABLE, rank};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

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

/// Every file of the library with its module and its path below `src`.
fn sources() -> Vec<(&'static Module, String, Source)> {
    let folder = root().join("src");
    let mut files = Vec::new();
    rust_files(&folder, &mut files);
    let mut sources = Vec::new();
    for file in files {
        let path = file.strip_prefix(&folder).unwrap().display().to_string();
        let name = path.split(['/', '.']).next().unwrap();
        if name == "lib" || name == "main" {
            continue;
        }
        let at = rank(name).unwrap_or_else(|| panic!("{name} is not in the table of modules"));
        let source = Source::split(&path, &fs::read_to_string(&file).unwrap());
        sources.push((&TABLE[at], path, source));
    }
    sources
}

fn check(faults: &[String]) {
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_module_uses_only_what_the_table_allows() {
    let (mut looked_at, mut faults) = (0, Vec::new());
    for (module, path, source) in sources() {
        let used = names_after(&source.product, "crate::");
        for used in used.iter().filter(|used| rank(used).is_some()) {
            looked_at += 1;
            if used != module.name && !module.uses.contains(&used.as_str()) {
                faults.push(format!("{path} uses {used}"));
            }
        }
    }
    assert!(looked_at > 20, "the search found only {looked_at} uses");
    check(&faults);
}

/// Tests may go further, but not down the walk.
#[test]
fn tests_of_a_module_use_only_modules_above_it() {
    let mut faults = Vec::new();
    for (module, path, source) in sources() {
        for used in names_after(&source.tests, "crate::") {
            if rank(&used) > rank(module.name) {
                faults.push(format!("{path} uses {used} in tests"));
            }
        }
    }
    check(&faults);
}

#[test]
fn files_clocks_and_threads_are_where_the_table_has_them() {
    let mut faults = Vec::new();
    for (module, path, source) in sources() {
        for freedom in freedoms(&source.product) {
            if !module.may.contains(&freedom) {
                faults.push(format!("{path} uses {}", freedom.word()));
            }
        }
    }
    check(&faults);
}

/// `super` must not lead out of a module, past the search for `crate`.
#[test]
fn super_stays_inside_a_module() {
    let mut faults = Vec::new();
    for (_, path, source) in sources() {
        let inside = path.trim_end_matches("/mod.rs").matches('/').count();
        for (code, within) in [(&source.product, inside), (&source.tests, inside + 1)] {
            if steps_up(code) > within {
                faults.push(format!("{path} leaves its module by super"));
            }
        }
    }
    check(&faults);
}

#[test]
fn the_table_has_one_direction_and_keeps_panels_and_renderer_apart() {
    for (at, module) in TABLE.iter().enumerate() {
        for used in module.uses {
            assert!(rank(used) < Some(at), "{} uses {used}", module.name);
        }
        // Nothing below `load` touches the world around it.
        let world = [
            Freedom::Files,
            Freedom::Environment,
            Freedom::Clock,
            Freedom::Threads,
        ];
        if module.name != "testing" && Some(at) < rank("load") {
            assert!(module.may.iter().all(|freedom| !world.contains(freedom)));
        }
    }
    let uses = |name: &str| TABLE[rank(name).unwrap()].uses;
    assert!(!uses("ui").contains(&"render") && !uses("render").contains(&"ui"));
}

#[test]
fn the_library_declares_the_modules_in_the_order_of_the_table() {
    let text = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let declared = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod "));
    let declared: Vec<&str> = declared.map(|name| name.trim_end_matches(';')).collect();
    let table: Vec<&str> = TABLE.iter().map(|module| module.name).collect();
    assert_eq!(declared, table);
}

/// `KINETOSCOPE_BLESS` writes it anew.
#[test]
fn the_architecture_prints_the_table() {
    let path = root().join("ARCHITECTURE.md");
    let text = fs::read_to_string(&path).unwrap();
    let (begin, end) = ("<!-- layers:begin -->\n", "<!-- layers:end -->");
    let (before, rest) = text.split_once(begin).expect("where the table begins");
    let (printed, after) = rest.split_once(end).expect("where the table ends");
    if std::env::var_os("KINETOSCOPE_BLESS").is_some() {
        let text = [before, begin, &table::markdown(), end, after].concat();
        fs::write(&path, text).unwrap();
    } else {
        assert_eq!(
            printed,
            table::markdown(),
            "KINETOSCOPE_BLESS=1 writes the table of tests/layering/table.rs"
        );
    }
}

#[test]
fn the_search_sees_groups_paths_and_words() {
    let text = "use crate::{math::{Axis, Dof}, mocap, skeleton::Joint};\n\
        fn f() { crate::clip::g() } // crate::cli\n#[cfg(test)]\nmod tests { use crate::load; }";
    let source = Source::split("body/skin.rs", text);
    let used = names_after(&source.product, "crate::");
    assert_eq!(used, ["math", "mocap", "skeleton", "clip"]);
    assert_eq!(names_after(&source.tests, "crate::"), ["load"]);
    let text = "use std::{fs, time::Instant};\nlet instants = path.exists();";
    assert_eq!(freedoms(text), [Freedom::Files, Freedom::Clock]);
    assert_eq!(freedoms("let instants = std::mem::take(x);"), []);
    assert_eq!(steps_up("use super::a;\nsuper::super::b();"), 2);
}
