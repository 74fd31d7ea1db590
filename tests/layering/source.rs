//! What a source file uses, found in its text.

use crate::table::Freedom;

/// A file in two parts: what ships, and what only tests see.
pub struct Source {
    pub product: String,
    pub tests: String,
}

impl Source {
    /// Splits a file of the library; `path` is relative to `src`.
    pub fn split(path: &str, text: &str) -> Self {
        let code = without_comments(text);
        let whole = ["/tests/", "tests.rs", "testing.rs", "trials.rs"];
        // The module of that name is the one that ships.
        if path != "testing.rs" && whole.iter().any(|part| path.contains(part)) {
            let product = String::new();
            return Self {
                product,
                tests: code,
            };
        }
        let end = code.find("#[cfg(test)]\nmod ").unwrap_or(code.len());
        Self {
            product: code[..end].to_owned(),
            tests: code[end..].to_owned(),
        }
    }
}

fn without_comments(text: &str) -> String {
    let line = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Names that follow a root such as `crate::`, groups as `crate::{a, b::c}`
/// included.
pub fn names_after(code: &str, root: &str) -> Vec<String> {
    let mut names = Vec::new();
    for after in code.split(root).skip(1) {
        match after.trim_start().strip_prefix('{') {
            Some(group) => names.extend(top_level_names(group)),
            None => names.push(first_name(after)),
        }
    }
    names
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

/// The longest way up by `super::`.
pub fn steps_up(code: &str) -> usize {
    let mut longest = 0;
    let mut rest = code;
    while let Some(at) = rest.find("super::") {
        rest = &rest[at..];
        let mut steps = 0;
        while let Some(after) = rest.strip_prefix("super::") {
            (rest, steps) = (after, steps + 1);
        }
        longest = longest.max(steps);
    }
    longest
}

/// What the code does that not every module may.
pub fn freedoms(code: &str) -> Vec<Freedom> {
    let of_std = names_after(code, "std::");
    let uses = |name: &str| of_std.iter().any(|used| used == name);
    let has = |words: &[&str]| words.iter().any(|word| has_word(code, word));
    let asks_of_paths = [".exists()", ".is_file()", ".is_dir()", ".read_dir()"];
    let asks = asks_of_paths.iter().any(|method| code.contains(method));
    let found = [
        (Freedom::Files, uses("fs") || asks),
        (
            Freedom::Environment,
            uses("env") || uses("net") || uses("process"),
        ),
        (Freedom::Clock, has(&["Instant", "SystemTime"])),
        (Freedom::Threads, uses("thread")),
        (Freedom::Rayon, has(&["rayon"])),
    ];
    let found = found.into_iter().filter(|(_, is_used)| *is_used);
    found.map(|(freedom, _)| freedom).collect()
}

fn has_word(code: &str, word: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(part_of_name) && !after.is_some_and(part_of_name)
    })
}
