//! Which skeleton a motion belongs to, when the user did not say: the rules,
//! without the file system.

use std::{
    cmp::Reverse,
    path::{Path, PathBuf},
};

/// How a skeleton was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// The only one given beside the motion, or alone before it.
    Given,
    /// The motion's `:asf-file` line names it.
    Named,
    /// Same stem.
    SameStem,
    /// Its stem is the longest that starts the motion's.
    Prefix,
    /// No other is in the folder, or in the nearest above that has any.
    OnlyOne,
    /// The motion's file holds it.
    SameFile,
    /// No rule decides: of those that come into question, it fits best.
    BestFit,
}

impl std::fmt::Display for Pairing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Given => "given",
            Self::Named => "named by :asf-file",
            Self::SameStem => "same name",
            Self::Prefix => "its name starts the motion's",
            Self::OnlyOne => "the only one in the folder",
            Self::SameFile => "in the same file",
            Self::BestFit => "fits best of several",
        })
    }
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().to_ascii_lowercase()
}

/// Chooses among `candidates` by the rules, strongest first, and of those that
/// a rule finds equal the first. `None` means that the user has to say.
#[must_use]
pub fn choose<'a>(
    motion: &Path,
    asf_file: Option<&str>,
    candidates: &'a [PathBuf],
) -> Option<(&'a Path, Pairing)> {
    let motion_stem = stem(motion);
    // Old files carry paths of another machine, often with backslashes.
    let named = asf_file.map(|name| {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        stem(Path::new(name))
    });
    let with_stem = |wanted: &str| candidates.iter().find(|path| stem(path) == wanted);
    let found = |path: &'a PathBuf, pairing| Some((path.as_path(), pairing));
    if let Some(path) = named.and_then(|name| with_stem(&name)) {
        return found(path, Pairing::Named);
    }
    if let Some(path) = with_stem(&motion_stem) {
        return found(path, Pairing::SameStem);
    }
    // CMU names motions after their subject: 07_12.amc plays on 07.asf. The
    // longest prefix, or 1.asf would take the motions of 13.
    let prefixes = candidates
        .iter()
        .filter(|path| motion_stem.starts_with(&stem(path)));
    // Of equals `min_by_key` takes the first.
    if let Some(path) = prefixes.min_by_key(|path| Reverse(stem(path).len())) {
        return found(path, Pairing::Prefix);
    }
    let [only] = candidates else { return None };
    found(only, Pairing::OnlyOne)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(
        motion: &str,
        asf_file: Option<&str>,
        candidates: &[&str],
    ) -> Option<(String, Pairing)> {
        let candidates: Vec<PathBuf> = candidates.iter().map(PathBuf::from).collect();
        let (path, pairing) = choose(Path::new(motion), asf_file, &candidates)?;
        Some((path.display().to_string(), pairing))
    }

    #[test]
    fn the_rules_strongest_first() {
        use Pairing::{Named, OnlyOne, Prefix, SameStem};
        let some = |path: &str, pairing| Some((path.to_owned(), pairing));
        let folder = ["07.asf", "walk.asf", "0.asf"];
        assert_eq!(
            chosen("walk.amc", Some("C:\\x\\07.ASF"), &folder),
            some("07.asf", Named)
        );
        assert_eq!(
            chosen("walk.amc", Some("gone.asf"), &folder),
            some("walk.asf", SameStem)
        );
        assert_eq!(chosen("07_12.amc", None, &folder), some("07.asf", Prefix));
        assert_eq!(
            chosen("run.amc", None, &["a/skeleton.asf"]),
            some("a/skeleton.asf", OnlyOne)
        );
        assert_eq!(
            chosen("02_01.amc", None, &["b/02.asf", "a/02.asf"]),
            some("b/02.asf", Prefix)
        );
        assert_eq!(chosen("run.amc", None, &folder), None);
        assert_eq!(chosen("run.amc", None, &[]), None);
        let hdm = ["HDM_bd.asf", "HDM_b.asf"];
        assert_eq!(
            chosen("HDM_bd_jog_001_120.amc", None, &hdm),
            some("HDM_bd.asf", Prefix)
        );
    }
}
