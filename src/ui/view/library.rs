//! The page of a library: what it lists, and what it keeps for itself.

use std::{collections::HashMap, ops::Range, path::Path, sync::Arc};

use super::Progress;
use crate::library::{Found, Marks, MotionRow, SortBy};

/// A line of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryItem {
    /// Which clip.
    pub found: Found,
    /// Where the moment begins that is like the one asked for (seconds), and
    /// how far they are apart (centimetres).
    pub moment: Option<(f64, f64)>,
}

/// What clips look like, by [`Found::key`]; empty of those without a person.
pub type Pictures = HashMap<String, Arc<[MotionRow]>>;

/// What is known of a library.
#[derive(Clone, Copy, Debug)]
pub struct LibraryView<'a> {
    /// Its folder.
    pub folder: &'a Path,
    /// What was found, in order.
    pub items: &'a [LibraryItem],
    /// Clips in all.
    pub clips: usize,
    /// Favourites and tags.
    pub marks: &'a Marks,
    /// Of the lines that were seen.
    pub pictures: &'a Pictures,
    /// What is under way.
    pub progress: Option<&'a Progress>,
    /// The list holds what is like a moment.
    pub alike: bool,
}

/// What the page keeps for itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LibraryPanel {
    /// It is seen.
    pub open: bool,
    /// The search field.
    pub search: String,
    /// The order.
    pub sort: SortBy,
    /// The line that keys move.
    pub chosen: usize,
    /// Tags under the pen: of whom, and the text.
    pub tags: Option<(String, String)>,
}

/// What the page asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Browsing {
    /// Makes a library of the folder of the clip that is shown.
    OpenFolder,
    /// The search or the order, in [`LibraryPanel`], has changed.
    Search,
    /// Shows the clip of a line.
    Show(usize),
    /// Makes it a favourite, or takes that back.
    Favourite(usize),
    /// Sets its tags.
    Tags(usize, String),
    /// Moments like the one on screen, or like the chosen range.
    Similar,
    /// All clips again.
    All,
    /// Pictures of these lines.
    Picture(Range<usize>),
}
