//! Searching and sorting: one small language for the window and the command
//! line.

use std::{cmp::Ordering, sync::Arc};

use super::{ClipFacts, Entries, FileEntry, Marks};

/// A clip that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its file.
    pub entry: Arc<FileEntry>,
    /// Which clip of it; 0 for a file that cannot be read, too.
    pub clip: usize,
}

impl Found {
    /// What is known of it; `None` of a file that cannot be read.
    #[must_use]
    pub fn facts(&self) -> Option<&ClipFacts> {
        self.entry.clips.get(self.clip)
    }

    /// What favourites and tags know it by.
    #[must_use]
    pub fn key(&self) -> String {
        match self.entry.clips.len() {
            0 | 1 => self.entry.path.clone(),
            _ => format!("{}#{}", self.entry.path, self.clip),
        }
    }
}

/// What a list is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortBy {
    /// By path.
    #[default]
    Name,
    /// The longest first.
    Length,
    /// The fastest first.
    Speed,
    /// Those with most warnings first, unreadable ones before them.
    Warnings,
    /// The newest first.
    Newest,
}

impl SortBy {
    /// In the order they are offered.
    pub const ALL: [Self; 5] = [
        Self::Name,
        Self::Length,
        Self::Speed,
        Self::Warnings,
        Self::Newest,
    ];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Length => "length",
            Self::Speed => "speed",
            Self::Warnings => "warnings",
            Self::Newest => "newest",
        }
    }

    fn compare(self, a: &Found, b: &Found) -> Ordering {
        let number = |it: &Found, of: fn(&ClipFacts) -> f64| it.facts().map_or(-1.0, of);
        let falling = |of| number(b, of).total_cmp(&number(a, of));
        let warnings = |it: &Found| it.facts().map_or(u32::MAX, |facts| facts.warning_count);
        match self {
            Self::Name => Ordering::Equal,
            Self::Length => falling(ClipFacts::duration_secs),
            Self::Speed => falling(|it| f64::from(it.speed_m_s)),
            Self::Warnings => warnings(b).cmp(&warnings(a)),
            Self::Newest => b.entry.stamp.modified_ns.cmp(&a.entry.stamp.modified_ns),
        }
    }
}

/// One word of a search.
#[derive(Clone, Debug, PartialEq)]
enum Word {
    /// In the path or the clip's name.
    Text(String),
    Tag(String),
    Favourite,
    Warnings,
    Length(Bound),
    Speed(Bound),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Bound {
    above: bool,
    value: f64,
}

impl Bound {
    fn of(text: &str, what: &str) -> Option<Self> {
        let rest = text.strip_prefix(what)?;
        let above = rest.starts_with('>');
        let value = rest.strip_prefix(['>', '<'])?.parse().ok()?;
        Some(Self { above, value })
    }

    fn holds(self, value: f64) -> bool {
        match self.above {
            true => value > self.value,
            false => value < self.value,
        }
    }
}

/// What is searched for: all words have to hold. `fav`, `warn`, `tag:WORD`,
/// `len>10`, `len<3` (seconds), `speed>2`, `speed<1` (metres a second); any
/// other word is looked for in path and name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchWords(Vec<Word>);

impl SearchWords {
    /// Reads what was typed.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let word = |text: &str| {
            let text = text.to_lowercase();
            match text.as_str() {
                "fav" => Word::Favourite,
                "warn" => Word::Warnings,
                _ => None
                    .or_else(|| text.strip_prefix("tag:").map(|it| Word::Tag(it.into())))
                    .or_else(|| Bound::of(&text, "len").map(Word::Length))
                    .or_else(|| Bound::of(&text, "speed").map(Word::Speed))
                    .unwrap_or(Word::Text(text)),
            }
        };
        Self(text.split_whitespace().map(word).collect())
    }

    fn matches(&self, found: &Found, marks: &Marks) -> bool {
        self.0.iter().all(|word| word_matches(word, found, marks))
    }
}

fn word_matches(word: &Word, found: &Found, marks: &Marks) -> bool {
    let facts = found.facts();
    match word {
        Word::Text(text) => {
            contains(&found.entry.path, text) || facts.is_some_and(|it| contains(&it.name, text))
        }
        Word::Tag(tag) => marks.tags_of(&found.key()).any(|it| it == tag),
        Word::Favourite => marks.is_favourite(&found.key()),
        Word::Warnings => facts.is_none_or(|it| it.warning_count > 0),
        Word::Length(bound) => facts.is_some_and(|it| bound.holds(it.duration_secs())),
        Word::Speed(bound) => facts.is_some_and(|it| bound.holds(f64::from(it.speed_m_s))),
    }
}

/// Whatever the case; most names are ASCII and need no copy.
fn contains(text: &str, lower: &str) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(lower);
    }
    let lower = lower.as_bytes();
    lower.is_empty()
        || text
            .as_bytes()
            .windows(lower.len())
            .any(|it| it.eq_ignore_ascii_case(lower))
}

/// The clips of a library that match, sorted.
#[must_use]
pub fn found(entries: &Entries, words: &SearchWords, sort: SortBy, marks: &Marks) -> Vec<Found> {
    let of_file = |entry: &Arc<FileEntry>| {
        // One that cannot be read has a line too.
        let count = entry.clips.len().max(usize::from(entry.fault.is_some()));
        let entry = Arc::clone(entry);
        (0..count).map(move |clip| Found {
            entry: Arc::clone(&entry),
            clip,
        })
    };
    let all = entries.values().flat_map(of_file);
    let mut found: Vec<Found> = all.filter(|it| words.matches(it, marks)).collect();
    if sort != SortBy::Name {
        // Stable: equals stay in order of path.
        found.sort_by(|a, b| sort.compare(a, b));
    }
    found
}
