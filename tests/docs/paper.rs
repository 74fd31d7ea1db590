//! A paper as text: its links, code, headings and commands.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A paper of the repository.
pub struct Paper {
    /// Relative to the repository.
    pub path: String,
    pub text: String,
}

/// All of them.
pub fn papers() -> Vec<Paper> {
    let top = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ];
    let pages = fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut pages: Vec<String> = pages
        .map(|name| format!("docs/{}", name.display()))
        .collect();
    pages.retain(|name| name.ends_with(".md"));
    pages.sort();
    let top = top.into_iter().map(str::to_owned);
    top.chain(pages).map(|path| Paper::read(&path)).collect()
}

impl Paper {
    pub fn read(path: &str) -> Self {
        let text = fs::read_to_string(root().join(path)).unwrap();
        Self {
            path: path.to_owned(),
            text,
        }
    }

    pub fn read_at(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        Self {
            path: path.display().to_string(),
            text,
        }
    }

    /// Lines with the language of the fence they stand in.
    fn lines(&self) -> Vec<(Option<&str>, &str)> {
        let mut fence = None;
        let mut lines = Vec::new();
        for line in self.text.lines() {
            match (line.strip_prefix("```"), fence) {
                (Some(_), Some(_)) => fence = None,
                (Some(language), None) => fence = Some(language),
                (None, _) => lines.push((fence, line)),
            }
        }
        lines
    }

    fn prose(&self) -> String {
        let open = self
            .lines()
            .into_iter()
            .filter(|(fence, _)| fence.is_none());
        open.map(|(_, line)| format!("{line}\n")).collect()
    }

    /// The text of each fence of a language.
    pub fn fences(&self, language: &str) -> Vec<String> {
        let start = format!("```{language}\n");
        let after = self.text.split(&start).skip(1);
        let inside = after.map(|text| text.split("```").next().unwrap_or_default());
        inside.map(str::to_owned).collect()
    }

    /// Targets of links and pictures that stay in the repository.
    pub fn links(&self) -> Vec<String> {
        let prose = self.prose();
        let targets = prose
            .split("](")
            .skip(1)
            .filter_map(|after| after.split(')').next());
        targets
            .filter(|target| !target.contains("://"))
            .map(str::to_owned)
            .collect()
    }

    /// What stands between single backquotes.
    pub fn inline_code(&self) -> Vec<String> {
        let lines = self.prose();
        let code = lines
            .lines()
            .flat_map(|line| line.split('`').skip(1).step_by(2));
        code.map(|code| code.replace("\\|", "|")).collect()
    }

    /// Headings as links name them.
    pub fn anchors(&self) -> BTreeSet<String> {
        let prose = self.prose();
        let headings = prose.lines().filter(|line| line.starts_with('#'));
        let anchor = |line: &str| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        };
        headings.map(anchor).collect()
    }

    /// Every whole `kinetoscope …`, cut into words. Those with an ellipsis, a choice or an option
    /// in brackets are a synopsis, not a command.
    pub fn commands(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        for (fence, line) in self.lines() {
            match fence {
                Some("sh") => found.push(line.split('#').next().unwrap_or_default()),
                None => found.extend(line.split('`').skip(1).step_by(2)),
                Some(_) => {}
            }
        }
        let found = found.into_iter().map(str::trim);
        let calls = found.filter(|it| *it == "kinetoscope" || it.starts_with("kinetoscope "));
        let whole = calls.filter(|it| !it.contains(['…', '[', '{', '|']));
        let whole = whole.filter(|it| !it.split(' ').any(|word| word == "COMMAND"));
        whole.map(words_of).collect()
    }
}

/// As a shell cuts them: what is in double quotes is one.
fn words_of(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    let words = parts.flat_map(|(index, part)| match index % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// Every word of the sources below a folder.
pub fn words_below(folder: &Path) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            words.extend(words_below(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let found = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            words.extend(found.map(str::to_owned));
            words.extend(path.file_stem().map(|stem| stem.display().to_string()));
        }
    }
    words
}
