//! Favourites and tags: what a person says of clips. Kept apart from the index,
//! which may be thrown away, in a file that can be read and edited.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::name_of;
use crate::{
    load,
    output::{self, OutputError},
    ron_text,
};

/// What was said of the clips of a library, by their paths in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Marks {
    /// The library's folder, for whoever reads the file.
    pub folder: PathBuf,
    favourites: BTreeSet<String>,
    tags: BTreeMap<String, BTreeSet<String>>,
    #[serde(skip)]
    kept_at: Option<PathBuf>,
}

impl Marks {
    /// Those of a folder, with a remark where they cannot be read: then they are
    /// left alone under another name.
    #[must_use]
    pub fn read(folder: &Path, marks_folder: Option<&Path>) -> (Self, Option<String>) {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
        let path = marks_folder.map(|it| it.join(name_of(&folder)).with_extension("ron"));
        let fresh = Self {
            folder,
            kept_at: path.clone(),
            ..Self::default()
        };
        let Some(path) = path.filter(|it| it.exists()) else {
            return (fresh, None);
        };
        let text = match load::read_text(&path) {
            Ok(text) => text,
            // Not to be written over: nothing is kept this time.
            Err(error) => {
                return (
                    Self {
                        kept_at: None,
                        ..fresh
                    },
                    Some(error.to_string()),
                );
            }
        };
        match ron_text::read::<Self>(&text) {
            Ok(read) => (
                Self {
                    kept_at: fresh.kept_at,
                    folder: fresh.folder,
                    ..read
                },
                None,
            ),
            Err(error) => {
                let aside = path.with_extension("ron.broken");
                let kept = match fs::rename(&path, &aside) {
                    Ok(()) => format!("kept as {}", aside.display()),
                    Err(error) => error.to_string(),
                };
                (
                    fresh,
                    Some(format!(
                        "{}: {error}; favourites and tags begin anew, the file is {kept}",
                        path.display()
                    )),
                )
            }
        }
    }

    /// Keeps them.
    pub fn write(&self) -> Result<(), OutputError> {
        let Some(path) = &self.kept_at else {
            return Ok(());
        };
        let failed = |source| OutputError {
            path: path.clone(),
            source,
        };
        let pretty = ron::ser::PrettyConfig::default();
        let text =
            ron::ser::to_string_pretty(self, pretty).map_err(|it| failed(io::Error::other(it)))?;
        let folder = path.parent().unwrap_or(path);
        fs::create_dir_all(folder).map_err(failed)?;
        output::write(path, text.as_bytes())
    }

    /// Whether a clip is a favourite.
    #[must_use]
    pub fn is_favourite(&self, key: &str) -> bool {
        self.favourites.contains(key)
    }

    /// Makes it one, or takes that back.
    pub fn set_favourite(&mut self, key: &str, on: bool) {
        match on {
            true => self.favourites.insert(key.to_owned()),
            false => self.favourites.remove(key),
        };
    }

    /// The tags of a clip, in order.
    pub fn tags_of(&self, key: &str) -> impl Iterator<Item = &str> {
        self.tags.get(key).into_iter().flatten().map(String::as_str)
    }

    /// Every tag there is.
    #[must_use]
    pub fn all_tags(&self) -> BTreeSet<&str> {
        self.tags.values().flatten().map(String::as_str).collect()
    }

    /// Replaces the tags of a clip: words, in small letters.
    pub fn set_tags(&mut self, key: &str, words: &str) {
        let words: BTreeSet<String> = words
            .split(|it: char| it.is_whitespace() || it == ',')
            .filter(|it| !it.is_empty())
            .map(str::to_lowercase)
            .collect();
        match words.is_empty() {
            true => self.tags.remove(key),
            false => self.tags.insert(key.to_owned(), words),
        };
    }
}
