//! Where in a file's layout an item goes in or comes out, so that what stands
//! around it, comments above all, stays byte for byte.

use std::ops::Range;

use super::{
    print::STEP,
    tree::{Group, Item, line_rest},
};

/// A piece of text in the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// Bytes of the old text.
    pub range: Range<usize>,
    /// What stands there now.
    pub with: String,
}

/// The line ends a file uses.
#[must_use]
pub fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The spaces that begin the line of a place.
#[must_use]
pub fn indent_of(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..at];
    &line[..line.len() - line.trim_start().len()]
}

/// The columns in use before a place.
#[must_use]
pub fn columns_before(text: &str, at: usize) -> usize {
    at - line_start(text, at)
}

fn begins_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].trim().is_empty()
}

/// Where new items go: after an item that stays, at the front, or between
/// brackets that hold nothing.
#[derive(Clone, Copy, Debug)]
pub enum Gap<'a> {
    /// Behind this one.
    After(&'a Item),
    /// Before this one, the first of its group.
    Front(&'a Group, &'a Item),
    /// Into empty brackets.
    Empty(&'a Group),
}

impl Gap<'_> {
    /// Indentation of a new item, and columns its line has in use already.
    #[must_use]
    pub fn indent(self, text: &str) -> (String, usize) {
        let deeper = |at: usize| format!("{}{STEP}", indent_of(text, at));
        match self {
            Self::After(item) | Self::Front(_, item) => {
                let at = item.start();
                let used = match begins_line(text, at) {
                    true => columns_before(text, at),
                    false => columns_before(text, item.value.span.end),
                };
                (indent_of(text, at).to_owned(), used)
            }
            Self::Empty(group) => {
                let indent = deeper(group.start);
                let used = columns_before(text, group.start);
                (indent, used)
            }
        }
    }

    /// Puts items in, each printed for [`Self::indent`].
    #[must_use]
    pub fn fill(self, text: &str, items: &[String]) -> Vec<Splice> {
        match self {
            Self::After(item) => after(text, item, items),
            Self::Front(group, first) => front(text, group, first, items),
            Self::Empty(group) => vec![into_empty(text, group, items)],
        }
    }
}

fn put(at: usize, with: String) -> Splice {
    Splice {
        range: at..at,
        with,
    }
}

/// Lines of their own.
fn lines(text: &str, indent: &str, items: &[String]) -> String {
    let newline = newline_of(text);
    let lines = items.iter().map(|it| format!("{newline}{indent}{it},"));
    lines.collect()
}

fn after(text: &str, item: &Item, items: &[String]) -> Vec<Splice> {
    let (line_end, ends) = line_rest(text, item.end());
    if ends && begins_line(text, item.start()) {
        let lines = lines(text, indent_of(text, item.start()), items);
        return match item.comma {
            Some(_) => vec![put(line_end, lines)],
            None if line_end == item.end() => vec![put(line_end, format!(",{lines}"))],
            None => vec![put(item.end(), ",".into()), put(line_end, lines)],
        };
    }
    let joined = items.join(", ");
    let with = match item.comma {
        Some(_) => format!(" {joined},"),
        None => format!(", {joined}"),
    };
    vec![put(item.end(), with)]
}

fn front(text: &str, group: &Group, first: &Item, items: &[String]) -> Vec<Splice> {
    let (line_end, ends) = line_rest(text, group.start);
    if ends && begins_line(text, first.start()) {
        let lines = lines(text, indent_of(text, first.start()), items);
        return vec![put(line_end, lines)];
    }
    vec![put(group.start, format!("{}, ", items.join(", ")))]
}

fn into_empty(text: &str, group: &Group, items: &[String]) -> Splice {
    let newline = newline_of(text);
    let inside = &text[group.start..group.end];
    let short = items.len() == 1 && !items[0].contains('\n');
    let room = columns_before(text, group.end) + items[0].len() < 100;
    if short && room && !inside.contains('\n') {
        return put(group.end, items[0].clone());
    }
    let indent = indent_of(text, group.start);
    let lines = items
        .iter()
        .map(|it| format!("{indent}{STEP}{it},{newline}"));
    let lines: String = lines.collect();
    // Where the closing bracket has a line of its own, its indentation is there
    // already and goes before the first item.
    match begins_line(text, group.end) {
        true => put(line_start(text, group.end), lines),
        false => put(group.end, format!("{newline}{lines}{indent}")),
    }
}

/// What goes when an item does: its comma, the comment behind it on its line,
/// and the line where it had one to itself. Comments above it stay.
#[must_use]
pub fn removal(text: &str, item: &Item) -> Range<usize> {
    let (start, end) = (item.start(), item.end());
    let (line_end, ends) = line_rest(text, end);
    let spaces = |from: usize| {
        let rest = &text[from..];
        rest.len() - rest.trim_start_matches([' ', '\t']).len()
    };
    match (begins_line(text, start), ends) {
        (true, true) => {
            let rest = &text[line_end..];
            let newline = rest.find('\n').map_or(0, |end| end + 1);
            line_start(text, start)..line_end + newline
        }
        (false, true) => {
            let before = text[..start].trim_end_matches([' ', '\t']);
            before.len()..line_end
        }
        (_, false) => start..end + spaces(end),
    }
}
