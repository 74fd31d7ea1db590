//! `:bonedata`: one `begin … end` a bone, its properties in any order.

use glam::DVec3;

use super::{
    super::{
        super::{MocapError, Note, Problem, lexer::Word, number},
        Bone, MAX_BONES, Name,
    },
    Parser,
};
use crate::math::{Dof, EulerOrder};

/// Two for each of rx ry rz tx ty tz l.
const MAX_BOUNDS: usize = 14;

/// What has been seen of a bone so far.
#[derive(Default)]
struct BoneDraft {
    name: Option<Name>,
    direction: Option<DVec3>,
    length: Option<f64>,
    axis: Option<(DVec3, EulerOrder)>,
    dofs: Vec<Dof>,
    limits: Vec<[f64; 2]>,
}

impl<'a> Parser<'a> {
    pub(super) fn bonedata(&mut self) -> Result<(), MocapError> {
        self.has_bonedata = true;
        while let Some(word) = self.next_in_section() {
            if !word.is("begin") {
                return Err(self.lexer.expected("begin", Some(word)));
            }
            if self.document.bones.len() == MAX_BONES {
                let limit = MAX_BONES;
                return Err(self
                    .lexer
                    .error(word.position, Problem::TooManyBones { limit }));
            }
            let bone = self.bone(word)?;
            self.document.bones.push(bone);
        }
        Ok(())
    }

    fn bone(&mut self, begin: Word<'a>) -> Result<Bone, MocapError> {
        let mut draft = BoneDraft::default();
        loop {
            let Some(word) = self.next_in_section() else {
                return Err(self.lexer.expected("end of the bone", self.lexer.peek()));
            };
            if word.is("end") {
                break;
            } else if word.is("begin") {
                return Err(self
                    .lexer
                    .expected("end of the bone before the next begin", Some(word)));
            }
            self.bone_property(word, &mut draft)?;
        }
        self.finish_bone(draft, begin)
    }

    fn bone_property(&mut self, word: Word<'a>, draft: &mut BoneDraft) -> Result<(), MocapError> {
        if word.is("id") {
            let id = self.lexer.next_on_line();
            // Ids are never used: hierarchy and motions go by name.
            let due = (self.document.bones.len() + 1).to_string();
            self.ids_in_order &= id.is_none_or(|id| id.text == due.as_bytes());
        } else if word.is("name") {
            let name = self.lexer.next_on_line();
            let name = name.ok_or_else(|| self.lexer.expected("a bone name", None))?;
            draft.name = Some(name.into());
        } else if word.is("direction") {
            draft.direction = Some(self.vector("three numbers for direction")?);
        } else if word.is("length") {
            draft.length = Some(self.lexer.number_on_line("a length")?);
        } else if word.is("axis") {
            let angles = self.vector("three angles for axis")?;
            draft.axis = Some((angles, self.euler_order()?));
        } else if word.is("dof") {
            draft.dofs = self.dofs()?;
        } else if word.is("limits") {
            draft.limits = self.limits()?;
        } else {
            self.skip_keyword(word);
        }
        Ok(())
    }

    /// Pairs over as many lines as they take; bounds may be infinite.
    fn limits(&mut self) -> Result<Vec<[f64; 2]>, MocapError> {
        let mut bounds = Vec::new();
        // Pairs follow on lines of their own with no keyword: they end where a
        // word is no number.
        while let Some(word) = self.lexer.peek() {
            match bound(word.text) {
                Some(_) if bounds.len() == MAX_BOUNDS => {
                    return Err(self
                        .lexer
                        .expected("at most seven pairs of limits", Some(word)));
                }
                Some(value) => bounds.push(value),
                None => break,
            }
            self.lexer.next();
        }
        match bounds.as_chunks::<2>() {
            (pairs, []) => Ok(pairs.to_vec()),
            _ => Err(self
                .lexer
                .expected("a second bound in limits", self.lexer.peek())),
        }
    }

    fn finish_bone(&mut self, draft: BoneDraft, begin: Word<'_>) -> Result<Bone, MocapError> {
        let missing = |what: &str, name: &str| {
            let problem = Problem::Other(format!("bone {name}has no {what}"));
            self.lexer.error(begin.position, problem)
        };
        let name = draft.name.ok_or_else(|| missing("name", ""))?;
        let quoted = format!("{:?} ", name.text);
        let length = draft.length.ok_or_else(|| missing("length", &quoted))?;
        let direction = match draft.direction {
            Some(direction) => direction,
            // A bone of no length points nowhere; joints at one
            // point are written so.
            None if length == 0.0 => DVec3::ZERO,
            None => return Err(missing("direction", &quoted)),
        };
        let (axis, axis_order) = draft.axis.unwrap_or((DVec3::ZERO, EulerOrder::XYZ));
        if draft.axis.is_none() && !draft.dofs.is_empty() {
            let note = Note::warning("no axis given; the global axes are used");
            self.notes
                .add(note.at_line(begin.position.line).of_bone(&name.text));
        }
        // Information only: limits of (0 0) on bones that do move are in real
        // files, so nothing is ever clamped to them.
        if draft.limits.len() < draft.dofs.len() && !draft.limits.is_empty() {
            let (limits, dofs) = (draft.limits.len(), draft.dofs.len());
            let note = Note::warning(format!("{limits} limits for {dofs} degrees of freedom"));
            self.notes
                .add(note.at_line(begin.position.line).of_bone(&name.text));
        }
        Ok(Bone {
            name,
            direction,
            length,
            axis,
            axis_order,
            dofs: draft.dofs,
            limits: draft.limits,
        })
    }
}

fn bound(word: &[u8]) -> Option<f64> {
    match number::decimal(word) {
        Ok((b"", value)) => Some(value),
        _ if !number::not_finite(word) => None,
        _ if word.starts_with(b"-") => Some(f64::NEG_INFINITY),
        _ => Some(f64::INFINITY),
    }
}
