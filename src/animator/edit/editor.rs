//! An animator file under the pen: its text, what it means, and every step
//! back.

use super::Edit;
use crate::{
    animator::{
        check::check,
        description::Description,
        parse::{GraphError, parse},
    },
    ron_text,
};

/// Steps that can be taken back.
const REMEMBERED: usize = 500;

/// What a new animator begins with: one state, and legs by the names of most
/// rigs.
pub const NEW_ANIMATOR: &str = r#"// An animator of your own.
(
    parameters: {},
    bindings: [],
    masks: {
        "upper": (from: "lowerback|Spine|spine_01", feather: 2),
    },
    legs: [
        (step: "footstep_left", hip: "lfemur|LeftUpLeg|LeftHip", knee: "ltibia|LeftLeg|LeftKnee",
            ankle: "lfoot|LeftFoot|LeftAnkle", ball: "ltoes|LeftToeBase|LeftToe"),
        (step: "footstep_right", hip: "rfemur|RightUpLeg|RightHip", knee: "rtibia|RightLeg|RightKnee",
            ankle: "rfoot|RightFoot|RightAnkle", ball: "rtoes|RightToeBase|RightToe"),
    ],
    layers: [
        (
            name: "base",
            states: [
                (name: "IDLE", motion: Clip("idle")),
            ],
            transitions: [
            ],
        ),
    ],
)
"#;

/// A text that always reads as a sound animator, with undo and redo. Whole
/// texts are remembered: they are short, and come back byte for byte.
#[derive(Clone, Debug)]
pub struct AnimatorEditor {
    text: String,
    description: Description,
    saved: String,
    before: Vec<String>,
    after: Vec<String>,
    /// What the last edit changed, and the press of the pointer it came from.
    last: Option<(String, u64)>,
}

impl AnimatorEditor {
    /// Takes a file's text.
    pub fn new(text: String) -> Result<Self, GraphError> {
        Ok(Self {
            description: parse(&text)?,
            saved: text.clone(),
            text,
            before: Vec::new(),
            after: Vec::new(),
            last: None,
        })
    }

    /// As it stands.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it says.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Whether it differs from what the file holds.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.text != self.saved
    }

    /// What the file holds, as far as is known.
    #[must_use]
    pub fn saved(&self) -> &str {
        &self.saved
    }

    /// The file holds this now.
    pub fn set_saved(&mut self, text: &str) {
        text.clone_into(&mut self.saved);
    }

    /// Makes a change, or says why not and changes nothing. Edits of one thing
    /// during one `press` of the pointer are one step back.
    pub fn apply(&mut self, edit: Edit, press: Option<u64>) -> Result<(), GraphError> {
        let target = edit.target().zip(press);
        let mut description = self.description.clone();
        edit.apply(&mut description).map_err(refusal)?;
        if description == self.description {
            return Ok(());
        }
        check(&description)
            .map_err(|fault| refusal(format!("{}: {}", fault.field, fault.message)))?;
        let splices = ron_text::rewrite(&self.text, &description)?;
        let text = ron_text::spliced(&self.text, &splices);
        let goes_on = target.is_some() && target == self.last;
        self.replace(text, description, goes_on);
        self.last = target;
        Ok(())
    }

    /// Another text in the place of this one, which can be taken back.
    pub fn take_text(&mut self, text: String) -> Result<(), GraphError> {
        let description = parse(&text)?;
        self.last = None;
        self.replace(text, description, false);
        Ok(())
    }

    fn replace(&mut self, text: String, description: Description, goes_on: bool) {
        let old = std::mem::replace(&mut self.text, text);
        if !goes_on {
            self.before.push(old);
            let extra = self.before.len().saturating_sub(REMEMBERED);
            self.before.drain(..extra);
        }
        self.after.clear();
        self.description = description;
    }

    /// Whether there is a step back, and one forward.
    #[must_use]
    pub fn steps(&self) -> (bool, bool) {
        (!self.before.is_empty(), !self.after.is_empty())
    }

    /// One step back; false where there is none.
    pub fn undo(&mut self) -> bool {
        let Some(text) = self.before.pop() else {
            return false;
        };
        let old = self.go_to(text);
        self.after.push(old);
        true
    }

    /// One step forward; false where there is none.
    pub fn redo(&mut self) -> bool {
        let Some(text) = self.after.pop() else {
            return false;
        };
        let old = self.go_to(text);
        self.before.push(old);
        true
    }

    fn go_to(&mut self, text: String) -> String {
        self.last = None;
        // It was sound when it was put away.
        if let Ok(description) = parse(&text) {
            self.description = description;
        }
        std::mem::replace(&mut self.text, text)
    }
}

fn refusal(message: String) -> GraphError {
    GraphError {
        line: 1,
        column: 1,
        field: "edit".to_owned(),
        message,
    }
}
