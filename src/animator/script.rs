//! Input scripts: a text timeline that drives the animator as a keyboard does.
//!
//! One input a line: seconds, verb, key or parameter, value.
//!
//! ```text
//! 0.50 press W
//! 1.20 press Shift
//! 3.0 click          # the left button; `#` starts a comment
//! 4.0 set speed 2.2
//! 5.0 axis LeftStickUp 0.6
//! 6.0 look 1 1.6 3   # and whatever else is done to a pose
//! ```

use crate::posing::PoseAction;

/// One thing a user does.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A key goes down.
    Press(String),
    /// A key goes up.
    Release(String),
    /// A mouse button (`Click` for the left one) goes down and up.
    Click(String),
    /// Half an axis of a stick, or a pedal, is held so far: 0 to 1.
    Axis(String, f64),
    /// A parameter is set.
    Set(String, f64),
    /// Something is done to the pose.
    Pose(PoseAction),
}

/// An input and its moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// Seconds from the start.
    pub at_secs: f64,
    /// What happens.
    pub input: Input,
}

/// A line that is not an input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line}: {message} (expected: SECONDS press|release KEY, click, axis NAME SHARE, set PARAMETER VALUE, or look, reach, locator, meet, stand, attach, detach, ground, push, ragdoll)"
)]
pub struct ScriptError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// Inputs in order of time; those of the same moment in order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    inputs: Vec<Timed>,
}

/// The key that a click without a button presses.
pub const LEFT_BUTTON: &str = "Click";

impl Script {
    /// Puts inputs in order.
    #[must_use]
    pub fn new(mut inputs: Vec<Timed>) -> Self {
        inputs.sort_by(|a, b| a.at_secs.total_cmp(&b.at_secs));
        Self { inputs }
    }

    /// Reads a script.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut inputs = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let words: Vec<&str> = line
                .split('#')
                .next()
                .unwrap_or_default()
                .split_whitespace()
                .collect();
            if words.is_empty() {
                continue;
            }
            let line = index + 1;
            inputs.push(timed(&words).map_err(|message| ScriptError { line, message })?);
        }
        Ok(Self::new(inputs))
    }

    /// In order of time.
    #[must_use]
    pub fn inputs(&self) -> &[Timed] {
        &self.inputs
    }

    /// The moment of the last input.
    #[must_use]
    pub fn end_secs(&self) -> f64 {
        self.inputs.last().map_or(0.0, |timed| timed.at_secs)
    }
}

fn timed(words: &[&str]) -> Result<Timed, String> {
    let at_secs = number(words[0]).filter(|secs| *secs >= 0.0);
    let at_secs = at_secs.ok_or_else(|| format!("{:?} is not a time", words[0]))?;
    if let Some(action) = PoseAction::parse(&words[1..]) {
        let input = Input::Pose(action?);
        return Ok(Timed { at_secs, input });
    }
    let input = match words[1..] {
        ["press", key] => Input::Press(key.to_owned()),
        ["release", key] => Input::Release(key.to_owned()),
        ["click"] => Input::Click(LEFT_BUTTON.to_owned()),
        ["click", button] => Input::Click(button.to_owned()),
        ["set", parameter, value] => {
            let value = number(value).ok_or_else(|| format!("{value:?} is not a number"))?;
            Input::Set(parameter.to_owned(), value)
        }
        ["axis", name, share] => {
            let value = number(share).filter(|share| (0.0..=1.0).contains(share));
            let value = value.ok_or_else(|| format!("{share:?} is not a share of 0 to 1"))?;
            Input::Axis(name.to_owned(), value)
        }
        [] => return Err("there is no verb".to_owned()),
        [verb, ..] => return Err(format!("{verb:?} is not a verb with what follows it")),
    };
    Ok(Timed { at_secs, input })
}

fn number(word: &str) -> Option<f64> {
    word.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posing::LookAt;

    #[test]
    fn every_verb_is_read_and_put_in_order() {
        let text = "# walk\n2.0 release W\n0.50 press W # go\n\n3 click\n3 click Right\n4.0 set speed 2.2\n5 axis LeftStickUp 0.6\n6 look off";
        let script = Script::parse(text).unwrap();
        let inputs: Vec<(f64, Input)> = script
            .inputs()
            .iter()
            .map(|timed| (timed.at_secs, timed.input.clone()))
            .collect();
        assert_eq!(
            inputs,
            [
                (0.5, Input::Press("W".into())),
                (2.0, Input::Release("W".into())),
                (3.0, Input::Click("Click".into())),
                (3.0, Input::Click("Right".into())),
                (4.0, Input::Set("speed".into(), 2.2)),
                (5.0, Input::Axis("LeftStickUp".into(), 0.6)),
                (6.0, Input::Pose(PoseAction::Look(LookAt::Off))),
            ]
        );
        assert_eq!(script.end_secs(), 6.0);
    }

    #[test]
    fn a_bad_line_is_told_by_number() {
        for (line, text) in [
            (1, "soon press W"),
            (2, "0 press W\n1 hit W"),
            (1, "1 press"),
            (1, "-1 press W"),
            (1, "1 set speed fast"),
            (1, "1 set speed nan"),
            (1, "1 axis LeftStickUp 2"),
            (1, "1"),
            (2, "0 look off\n1 look up"),
            (1, "1 reach rwrist"),
        ] {
            assert_eq!(Script::parse(text).unwrap_err().line, line, "{text}");
        }
    }
}
