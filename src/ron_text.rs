//! RON text a user may edit: read with errors that name line and field. The
//! animator's description, the maps of retargeting and the settings are such
//! files. Text in, values out: files are opened elsewhere.

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

/// Reads a document. `Some` need not be written: a user who sets an optional
/// field writes its value and should not have to know about options.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Fade {
        seconds: f32,
        to: Option<String>,
    }

    #[test]
    fn an_option_is_read_with_and_without_some() {
        for to in ["\"RUN\"", "Some(\"RUN\")"] {
            let fade: Fade = read(&format!("(seconds: 0.2, to: {to})")).unwrap();
            assert_eq!(fade.to.as_deref(), Some("RUN"));
        }
    }

    #[test]
    fn an_error_names_line_and_field_and_looks_past_comments() {
        let error = read::<Fade>("(\n  seconds: // to: be decided\n    fast,\n)").unwrap_err();
        assert_eq!((error.line, error.field.as_str()), (3, "seconds"));
        let error = read::<Fade>("(to: \"RUN\")").unwrap_err();
        assert_eq!(error.field, "seconds", "{error}");
    }

    #[test]
    fn a_field_is_found_where_it_is_set() {
        let text = "// to: 1\n(into: 2,\n to : 3)";
        assert_eq!(line_of_field(text, "to"), 3);
        assert_eq!(line_of_field(text, "from"), 1);
    }

    #[test]
    fn a_name_is_located_where_it_is_written_not_where_a_comment_has_it() {
        let text = "// \"RUN\"\n(to: \"RUN\")";
        let error = locate(text, "to".to_owned(), "RUN", "no such state".to_owned());
        assert_eq!(error.to_string(), "line 2, column 6: to: no such state");
    }
}
