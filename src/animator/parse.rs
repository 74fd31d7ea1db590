//! Text to [`Description`], with errors that name line and field.

use super::{check, description::Description};
use crate::ron_text;

pub use crate::ron_text::RonError as GraphError;

/// Reads an animator file and checks that every name it uses exists. Clips
/// are not looked for here: which there are depends on what is loaded.
pub fn parse(text: &str) -> Result<Description, GraphError> {
    let description = ron_text::read(text)?;
    check::check(&description)
        .map_err(|fault| ron_text::locate(text, fault.field, &fault.name, fault.message))?;
    Ok(description)
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
    fn names_of_structs_may_be_written() {
        let text = SMALL
            .replacen("[(key:", "[Binding(key:", 1)
            .replacen(
                "        (\n            name: \"base\"",
                "        Layer(\n            name: \"base\"",
                1,
            )
            .replacen("(name: \"IDLE\"", "State(name: \"IDLE\"", 1)
            .replacen("(from: Any", "Transition(from: Any", 1);
        assert_eq!(parse(&text), parse(SMALL));
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
