//! Text to [`Description`], with errors that name line and field.

use super::{check, description::Description};

/// What is wrong with an animator file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {field}: {message}")]
pub struct GraphError {
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

/// Reads an animator file and checks that every name it uses exists. Clips
/// are not looked for here: which there are depends on what is loaded.
pub fn parse(text: &str) -> Result<Description, GraphError> {
    let description = ron::Options::default()
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
        .from_str(text)
        .map_err(|error| syntax_error(text, &error))?;
    check::check(&description)
        .map_err(|fault| locate(text, fault.field, &fault.name, fault.message))?;
    Ok(description)
}

fn syntax_error(text: &str, error: &ron::error::SpannedError) -> GraphError {
    let (line, column) = (error.span.end.line, error.span.end.col);
    let message = error.code.to_string();
    // RON's own messages put the field, if they know it, in backquotes first.
    let quoted = message.split('`').nth(1).map(str::to_owned);
    let known = message.contains("field").then_some(quoted).flatten();
    GraphError {
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
pub(super) fn locate(text: &str, field: String, name: &str, message: String) -> GraphError {
    let clean = without_comments(text);
    let at = clean.find(&format!("\"{name}\"")).unwrap_or(0);
    let line = clean[..at].matches('\n').count() + 1;
    let column = clean[..at].chars().rev().take_while(|&c| c != '\n').count() + 1;
    GraphError {
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

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"(
    parameters: { "go": Bool(false), "speed": Float(value: 1.0) },
    bindings: [(key: "W", does: Hold("go"))],
    layers: [
        (
            name: "base",
            states: [
                (name: "IDLE", motion: Clip("idle")),
                (name: "WALK", motion: Blend1d(by: "speed", clips: [(at: 1.0, clip: "walk")])),
            ],
            transitions: [
                (from: Any, to: "WALK", when: [On("go")]), // "IDLE" is fine
                (from: Only(["WALK"]), to: "IDLE", when: [Off("go"), InState("base", ["WALK"])]),
            ],
        ),
    ],
)"#;

    fn error_of(from: &str, to: &str) -> GraphError {
        assert!(SMALL.contains(from), "{from}");
        parse(&SMALL.replacen(from, to, 1)).unwrap_err()
    }

    #[test]
    fn a_sound_file_is_read() {
        let description = parse(SMALL).unwrap();
        assert_eq!(description.layers[0].transitions.len(), 2);
    }

    #[test]
    fn unknown_names_are_told_with_line_and_field() {
        let cases = [
            (
                "to: \"WALK\"",
                "to: \"WALKK\"",
                12,
                "layers[0].transitions[0].to",
            ),
            (
                "On(\"go\")",
                "On(\"goo\")",
                12,
                "layers[0].transitions[0].when[0]",
            ),
            (
                "by: \"speed\"",
                "by: \"sped\"",
                9,
                "layers[0].states[1].motion.by",
            ),
            (
                "[\"WALK\"])]",
                "[\"RUN\"])]",
                13,
                "layers[0].transitions[1].when[1]",
            ),
            ("Hold(\"go\")", "Hold(\"gone\")", 3, "bindings[0].does"),
            (
                "InState(\"base\"",
                "InState(\"bas\"",
                13,
                "layers[0].transitions[1].when[1]",
            ),
        ];
        for (from, to, line, field) in cases {
            let error = error_of(from, to);
            assert_eq!((error.line, error.field.as_str()), (line, field), "{error}");
        }
    }

    #[test]
    fn wrong_kinds_are_told_too() {
        let error = error_of("On(\"go\")", "On(\"speed\")");
        assert!(error.message.contains("speed"), "{error}");
        let error = error_of("name: \"WALK\", motion", "name: \"IDLE\", motion");
        assert!(error.message.contains("twice"), "{error}");
        let error = error_of("Clip(\"idle\")", "Empty");
        assert!(error.message.contains("first layer"), "{error}");
    }

    #[test]
    fn slips_of_the_pen_are_told_with_line_and_field() {
        let error = error_of("motion: Clip(\"idle\")", "motin: Clip(\"idle\")");
        assert_eq!((error.line, error.field.as_str()), (8, "motin"), "{error}");
        let error = error_of("to: \"WALK\", ", "");
        assert_eq!((error.line, error.field.as_str()), (12, "to"), "{error}");
        let error = error_of("at: 1.0", "at: fast");
        assert_eq!((error.line, error.field.as_str()), (9, "at"), "{error}");
        let error = error_of("states: [", "states: ");
        assert_eq!((error.line, error.field.as_str()), (8, "states"), "{error}");
        assert!(parse("").is_err());
    }
}
