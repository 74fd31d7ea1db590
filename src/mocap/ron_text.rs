//! RON text a user may edit: read with errors that name line and field. The
//! animator's description and the maps of retargeting are such files.

use serde::de::DeserializeOwned;

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

/// Reads a document; `Some` need not be written.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, RonError> {
    ron::Options::default()
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
        .from_str(text)
        .map_err(|error| syntax_error(text, &error))
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
        let from = part.rfind(|c: char| !is_name(c)).map_or(0, |i| i + 1);
        part[from..].to_owned()
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
