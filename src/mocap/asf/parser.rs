//! One small function per production of the format.

use glam::DVec3;

use super::{
    super::{
        AngleUnit, MocapError, Note, Notes, Place, Problem,
        lexer::{Lexer, Word},
        lossy, number,
        text::decode,
    },
    Bone, Document, Link, MAX_BONES, Name, Root,
};
use crate::math::{Axis, Dof, EulerOrder};

/// Two for each of rx ry rz tx ty tz l.
const MAX_BOUNDS: usize = 14;

impl From<Word<'_>> for Name {
    fn from(word: Word<'_>) -> Self {
        Self {
            text: word.to_text(),
            place: word.place,
        }
    }
}

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    document: Document,
    notes: Notes,
    /// Unknown keywords are noted once each.
    skipped_keywords: Vec<String>,
    has_bonedata: bool,
    ids_in_order: bool,
}

impl<'a> Parser<'a> {
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        Self {
            lexer: Lexer::new(file, bytes),
            document: Document::default(),
            notes: Notes::default(),
            skipped_keywords: Vec::new(),
            has_bonedata: false,
            ids_in_order: true,
        }
    }

    pub fn document(mut self) -> Result<Document, MocapError> {
        self.file()?;
        self.document.notes = self.notes.into_list();
        Ok(self.document)
    }

    fn file(&mut self) -> Result<(), MocapError> {
        let mut seen_section = false;
        while let Some(word) = self.lexer.next() {
            if !word.is_section() {
                return Err(self.stray(word, seen_section));
            }
            seen_section = true;
            self.section(word)?;
        }
        if !seen_section {
            let expected = "an ASF skeleton (:root, :bonedata, :hierarchy)";
            return Err(self
                .lexer
                .error(Place { line: 1, column: 1 }, Problem::Empty { expected }));
        }
        if !self.has_bonedata {
            return Err(self.lexer.expected("a :bonedata section", None));
        }
        if !self.ids_in_order {
            self.notes.add(Note::info(
                "bone ids do not run 1..n in order; names are what counts",
            ));
        }
        Ok(())
    }

    fn stray(&self, word: Word<'_>, seen_section: bool) -> MocapError {
        if seen_section {
            return self
                .lexer
                .expected("a keyword that starts with ':'", Some(word));
        }
        let why = format!(
            "it starts with {:?}, not with a keyword such as :version",
            lossy(word.text)
        );
        let expected = "an ASF skeleton";
        self.lexer
            .error(word.place, Problem::WrongFormat { expected, why })
    }

    fn section(&mut self, word: Word<'a>) -> Result<(), MocapError> {
        match word.text[1..].to_ascii_lowercase().as_slice() {
            b"version" => drop(self.lexer.text_on_line()),
            b"name" => self.document.name = Some(self.lexer.text_on_line()),
            b"documentation" => self.lexer.skip_free_text(),
            b"units" => self.units()?,
            b"root" => self.root()?,
            b"bonedata" => self.bonedata()?,
            b"hierarchy" => self.hierarchy()?,
            b"degrees" | b"radians" | b"fully-specified" | b"force-all-joints-be-3dof" => {
                let why = format!("{:?} belongs to an AMC motion", lossy(word.text));
                let expected = "an ASF skeleton";
                return Err(self
                    .lexer
                    .error(word.place, Problem::WrongFormat { expected, why }));
            }
            _ => {
                self.note_skipped("section", word);
                self.lexer.skip_free_text();
            }
        }
        Ok(())
    }

    fn note_skipped(&mut self, kind: &str, word: Word<'_>) {
        let name = lossy(word.text);
        if self.skipped_keywords.len() < 100 && !self.skipped_keywords.contains(&name) {
            let message = format!("unknown {kind} {name:?} skipped");
            self.notes.add(Note::info(message).at_line(word.place.line));
            self.skipped_keywords.push(name);
        }
    }

    /// Skips an unknown keyword with all that stands on its line.
    fn skip_keyword(&mut self, word: Word<'_>) {
        self.note_skipped("keyword", word);
        while self.lexer.next_on_line().is_some() {}
    }

    /// The next word unless a section starts there.
    fn next_in_section(&mut self) -> Option<Word<'a>> {
        match self.lexer.peek() {
            Some(word) if !word.is_section() => self.lexer.next(),
            _ => None,
        }
    }

    fn units(&mut self) -> Result<(), MocapError> {
        while let Some(word) = self.next_in_section() {
            if word.is("length") {
                self.length_unit()?;
            } else if word.is("angle") {
                let unit = self.lexer.next_on_line();
                let angle = unit.and_then(|word| AngleUnit::from_word(word.text));
                self.document.units.angle =
                    Some(angle.ok_or_else(|| self.lexer.expected("deg or rad", unit))?);
            } else if word.is("mass") {
                while self.lexer.next_on_line().is_some() {}
            } else {
                self.skip_keyword(word);
            }
        }
        Ok(())
    }

    /// `length 0.45`, `length m` or `length 1.0 cm`.
    fn length_unit(&mut self) -> Result<(), MocapError> {
        let Some(first) = self.lexer.next_on_line() else {
            return Err(self.lexer.expected("a length unit", None));
        };
        let is_word = first.text[0].is_ascii_alphabetic() && !number::not_finite(first.text);
        if is_word {
            self.document.units.length = Some(1.0);
            self.document.units.length_word = Some(first.to_text());
            return Ok(());
        }
        let value = self.lexer.word_as_number(first, "a length unit")?;
        if value <= 0.0 {
            return Err(self.lexer.expected("a length unit above zero", Some(first)));
        }
        self.document.units.length = Some(value);
        self.document.units.length_word = self.lexer.next_on_line().map(Word::to_text);
        Ok(())
    }

    fn root(&mut self) -> Result<(), MocapError> {
        let mut root = Root::default();
        while let Some(word) = self.next_in_section() {
            if word.is("order") {
                root.order = self.dofs()?;
            } else if word.is("axis") {
                root.axis = self.euler_order()?;
            } else if word.is("position") {
                root.position = self
                    .lexer
                    .numbers::<3>("three numbers for position")?
                    .into();
            } else if word.is("orientation") {
                root.orientation = self
                    .lexer
                    .numbers::<3>("three numbers for orientation")?
                    .into();
            } else {
                self.skip_keyword(word);
            }
        }
        self.document.root = Some(root);
        Ok(())
    }

    /// The words to the end of the line as degrees of freedom, none twice.
    fn dofs(&mut self) -> Result<Vec<Dof>, MocapError> {
        let mut dofs = Vec::new();
        while let Some(word) = self.lexer.next_on_line() {
            match dof(word.text) {
                Some(dof) if !dofs.contains(&dof) => dofs.push(dof),
                Some(_) => {
                    return Err(self
                        .lexer
                        .expected("each degree of freedom once", Some(word)));
                }
                None => {
                    let expected = "one of rx ry rz tx ty tz l";
                    return Err(self.lexer.expected(expected, Some(word)));
                }
            }
        }
        Ok(dofs)
    }

    fn euler_order(&mut self) -> Result<EulerOrder, MocapError> {
        let word = self.lexer.next_on_line();
        let order = word.and_then(|word| decode(word.text).parse().ok());
        order.ok_or_else(|| self.lexer.expected("an axis order such as XYZ", word))
    }

    fn bonedata(&mut self) -> Result<(), MocapError> {
        self.has_bonedata = true;
        while let Some(word) = self.next_in_section() {
            if !word.is("begin") {
                return Err(self.lexer.expected("begin", Some(word)));
            }
            if self.document.bones.len() == MAX_BONES {
                let limit = MAX_BONES;
                return Err(self
                    .lexer
                    .error(word.place, Problem::TooManyBones { limit }));
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
            let due = (self.document.bones.len() + 1).to_string();
            self.ids_in_order &= id.is_none_or(|id| id.text == due.as_bytes());
        } else if word.is("name") {
            let name = self.lexer.next_on_line();
            let name = name.ok_or_else(|| self.lexer.expected("a bone name", None))?;
            draft.name = Some(name.into());
        } else if word.is("direction") {
            draft.direction = Some(
                self.lexer
                    .numbers::<3>("three numbers for direction")?
                    .into(),
            );
        } else if word.is("length") {
            draft.length = Some(self.lexer.number("a length")?);
        } else if word.is("axis") {
            let angles = self.lexer.numbers::<3>("three angles for axis")?.into();
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
            self.lexer.error(begin.place, problem)
        };
        let name = draft.name.ok_or_else(|| missing("name", ""))?;
        let quoted = format!("{:?} ", name.text);
        let length = draft.length.ok_or_else(|| missing("length", &quoted))?;
        let direction = match draft.direction {
            Some(direction) => direction,
            None if length == 0.0 => DVec3::ZERO,
            None => return Err(missing("direction", &quoted)),
        };
        let (axis, axis_order) = draft.axis.unwrap_or((DVec3::ZERO, EulerOrder::XYZ));
        if draft.axis.is_none() && !draft.dofs.is_empty() {
            let note = Note::warning("no axis given; the global axes are used");
            self.notes
                .add(note.at_line(begin.place.line).of_bone(&name.text));
        }
        if draft.limits.len() < draft.dofs.len() && !draft.limits.is_empty() {
            let (limits, dofs) = (draft.limits.len(), draft.dofs.len());
            let note = Note::warning(format!("{limits} limits for {dofs} degrees of freedom"));
            self.notes
                .add(note.at_line(begin.place.line).of_bone(&name.text));
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

    fn hierarchy(&mut self) -> Result<(), MocapError> {
        // A bone is named at most twice: as a child and as the parent of a line.
        let mut names_left = 2 * MAX_BONES;
        while let Some(parent) = self.next_in_section() {
            let mut children = Vec::new();
            while let Some(child) = self.lexer.next_on_line() {
                names_left = self.count_down(names_left, child)?;
                children.push(Name::from(child));
            }
            let lone_keyword = children.is_empty() && (parent.is("begin") || parent.is("end"));
            if !lone_keyword {
                names_left = self.count_down(names_left, parent)?;
                let parent = parent.into();
                self.document.links.push(Link { parent, children });
            }
        }
        Ok(())
    }

    fn count_down(&self, names_left: usize, name: Word<'_>) -> Result<usize, MocapError> {
        let limit = MAX_BONES;
        names_left.checked_sub(1).ok_or_else(|| {
            self.lexer
                .error(name.place, Problem::TooManyBones { limit })
        })
    }
}

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

fn dof(word: &[u8]) -> Option<Dof> {
    Some(match word.to_ascii_lowercase().as_slice() {
        b"rx" => Dof::Rotate(Axis::X),
        b"ry" => Dof::Rotate(Axis::Y),
        b"rz" => Dof::Rotate(Axis::Z),
        b"tx" => Dof::Translate(Axis::X),
        b"ty" => Dof::Translate(Axis::Y),
        b"tz" => Dof::Translate(Axis::Z),
        b"l" => Dof::Length,
        _ => return None,
    })
}

fn bound(word: &[u8]) -> Option<f64> {
    match number::decimal(word) {
        Ok((b"", value)) => Some(value),
        _ if !number::not_finite(word) => None,
        _ if word.starts_with(b"-") => Some(f64::NEG_INFINITY),
        _ => Some(f64::INFINITY),
    }
}
