//! RON text a user may edit: read with errors that name line and field. The
//! animator's description, the maps of retargeting and the settings are such
//! files. Text in, values out: files are opened elsewhere.
//!
//! A value that was changed goes back as splices ([`rewrite`]): `ron` writes
//! values without their comments, so the file's own text is kept and only what
//! differs is put into it.

mod layout;
mod print;
mod splice;
#[cfg(test)]
mod tests;
mod tree;

use serde::{Serialize, de::DeserializeOwned};

pub use layout::Splice;
pub use splice::spliced;

/// What is wrong with such a file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {field}: {message}")]
pub struct RonError {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1.
    pub column: usize,
    /// Path of the field, as `layers[0].transitions[2].to`, or its bare name
    /// when the text could not be read that far.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}

/// Reads a document. `Some` need not be written: a user who sets an optional
/// field writes its value and should not have to know about options.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, RonError> {
    options()
        .from_str(text)
        .map_err(|error| syntax_error(text, &error))
}

fn options() -> ron::Options {
    ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
}

/// Splices that turn a text into one which holds `new`. Every byte outside
/// them stays; the result has been read again and is `new`.
pub fn rewrite<T>(text: &str, new: &T) -> Result<Vec<Splice>, RonError>
where
    T: Serialize + DeserializeOwned + PartialEq,
{
    let old: T = read(text)?;
    let splices = splices_between(text, &old, new).ok_or_else(unwritable)?;
    let back: T = read(&spliced(text, &splices))?;
    match back == *new {
        true => Ok(splices),
        false => Err(unwritable()),
    }
}

/// A value as a text of its own.
pub fn write<T: Serialize>(value: &T) -> Option<String> {
    let text = options().to_string(value).ok()?;
    let node = tree::tree(&text)?;
    let spelt = print::Spelt {
        text: &text,
        node: &node,
    };
    Some(spelt.print("", 0, "\n") + "\n")
}

fn splices_between<T: Serialize>(text: &str, old: &T, new: &T) -> Option<Vec<Splice>> {
    let [old, new] = [old, new].map(|value| options().to_string(value).ok());
    let texts = [text, &old?, &new?].map(|text| Some((text.to_owned(), tree::tree(text)?)));
    let [Some(file), Some(old), Some(new)] = &texts else {
        return None;
    };
    let [file, old, new] = [file, old, new].map(|(text, node)| print::Spelt { text, node });
    Some(splice::splices(file, old, new))
}

fn unwritable() -> RonError {
    RonError {
        line: 1,
        column: 1,
        field: "file".to_owned(),
        message: "it is spelt in a way that this change cannot be written into".to_owned(),
    }
}

fn syntax_error(text: &str, error: &ron::error::SpannedError) -> RonError {
    let (line, column) = (error.span.end.line, error.span.end.col);
    let message = error.code.to_string();
    // RON's own messages put the field, if they know it, in backquotes first.
    let quoted = message.split('`').nth(1).map(str::to_owned);
    let known = message.contains("field").then_some(quoted).flatten();
    RonError {
        line,
        column,
        field: known.unwrap_or_else(|| field_before(text, line, column)),
        message,
    }
}

/// The last `name:` before a place in the text.
fn field_before(text: &str, line: usize, column: usize) -> String {
    let until_line: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let rest = text[until_line..].chars().take(column.saturating_sub(1));
    let before = &text[..until_line + rest.map(char::len_utf8).sum::<usize>()];
    let before = without_comments(before);
    let mut fields = before.rsplit(':').skip(1).map(|part| {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let kept = part.trim_end_matches(is_name).len();
        part[kept..].to_owned()
    });
    fields
        .find(|name| !name.is_empty())
        .unwrap_or_else(|| "file".to_owned())
}

/// The place where a name is first written between quotes.
#[must_use]
pub fn locate(text: &str, field: String, name: &str, message: String) -> RonError {
    let clean = without_comments(text);
    let at = clean.find(&format!("\"{name}\"")).unwrap_or(0);
    let line = clean[..at].matches('\n').count() + 1;
    let column = clean[..at].chars().rev().take_while(|&c| c != '\n').count() + 1;
    RonError {
        line,
        column,
        field,
        message,
    }
}

/// The line, counted from 1, where a field is first set; 1 where it is not.
#[must_use]
pub fn line_of_field(text: &str, field: &str) -> usize {
    let clean = without_comments(text);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let is_set = |&(at, _): &(usize, &str)| {
        let after = clean[at + field.len()..].trim_start();
        !clean[..at].ends_with(is_name) && after.starts_with(':')
    };
    let found = clean.match_indices(field).find(is_set);
    found.map_or(1, |(at, _)| clean[..at].matches('\n').count() + 1)
}

/// The text with `//` comments blanked out, places unchanged.
fn without_comments(text: &str) -> String {
    let blank = |line: &str| match line.find("//") {
        Some(at) if line[..at].matches('"').count().is_multiple_of(2) => {
            let end = if line.ends_with('\n') { "\n" } else { "" };
            let gap = line.len() - at - end.len();
            format!("{}{}{end}", &line[..at], " ".repeat(gap))
        }
        _ => line.to_owned(),
    };
    text.split_inclusive('\n').map(blank).collect()
}
