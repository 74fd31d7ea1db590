//! One small function per production of the format.

mod bone;

use glam::DVec3;

use super::{
    super::{
        AngleUnit, MocapError, Note, Notes, Problem, TextPosition,
        lexer::{AsfSyntax, Lexer, Word, after_blanks},
        lossy, number,
        text::decode,
    },
    AsfDocument, HierarchyLine, MAX_BONES, Name, Root,
};
use crate::math::{Axis, Dof, EulerOrder};

pub(super) struct Parser<'a> {
    lexer: Lexer<'a, AsfSyntax>,
    document: AsfDocument,
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
            document: AsfDocument::default(),
            notes: Notes::default(),
            skipped_keywords: Vec::new(),
            has_bonedata: false,
            ids_in_order: true,
        }
    }

    pub fn document(mut self) -> Result<AsfDocument, MocapError> {
        self.file()?;
        self.document.notes = self.notes.into_list();
        Ok(self.document)
    }

    fn file(&mut self) -> Result<(), MocapError> {
        let mut seen_section = false;
        while let Some(word) = self.lexer.next() {
            if !is_section(word) {
                return Err(self.stray(word, seen_section));
            }
            seen_section = true;
            self.section(word)?;
        }
        if !seen_section {
            let expected = "an ASF skeleton (:root, :bonedata, :hierarchy)";
            return Err(self
                .lexer
                .error(TextPosition::START, Problem::Empty { expected }));
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
            .error(word.position, Problem::WrongFormat { expected, why })
    }

    fn section(&mut self, word: Word<'a>) -> Result<(), MocapError> {
        match word.text[1..].to_ascii_lowercase().as_slice() {
            b"version" => drop(self.lexer.take_line()),
            b"name" => self.document.name = Some(self.lexer.text_on_line().to_text()),
            b"documentation" => self.skip_free_text(),
            b"units" => self.units()?,
            b"root" => self.root()?,
            b"bonedata" => self.bonedata()?,
            b"hierarchy" => self.hierarchy()?,
            // A motion under a skeleton's name: said at once, not
            // as a stray word.
            b"degrees" | b"radians" | b"fully-specified" | b"force-all-joints-be-3dof" => {
                let why = format!("{:?} belongs to an AMC motion", lossy(word.text));
                let expected = "an ASF skeleton";
                return Err(self
                    .lexer
                    .error(word.position, Problem::WrongFormat { expected, why }));
            }
            _ => {
                self.note_skipped("section", word);
                self.skip_free_text();
            }
        }
        Ok(())
    }

    fn note_skipped(&mut self, kind: &str, word: Word<'_>) {
        let name = lossy(word.text);
        if self.skipped_keywords.len() < 100 && !self.skipped_keywords.contains(&name) {
            let message = format!("unknown {kind} {name:?} skipped");
            self.notes
                .add(Note::info(message).at_line(word.position.line));
            self.skipped_keywords.push(name);
        }
    }

    /// Skips to the next line whose first word starts with `:`. A `#` is no
    /// comment here: the text is free.
    fn skip_free_text(&mut self) {
        loop {
            self.lexer.take_line();
            let at_end = !self.lexer.skip_line_end();
            if at_end || after_blanks::<AsfSyntax>(self.lexer.rest).starts_with(b":") {
                return;
            }
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
            Some(word) if !is_section(word) => self.lexer.next(),
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
        // A word alone (`length m`) means one unit of that name. `nan` and
        // `inf` are numbers that are none, not unit names.
        let is_word = first.text[0].is_ascii_alphabetic() && !number::not_finite(first.text);
        if is_word {
            self.document.units.length = Some(1.0);
            self.document.units.length_word = Some(first.to_text());
            return Ok(());
        }
        let value = self.lexer.word_as_number(Some(first), "a length unit")?;
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
                root.position = self.vector("three numbers for position")?;
            } else if word.is("orientation") {
                root.orientation = self.vector("three numbers for orientation")?;
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

    fn vector(&mut self, expected: &str) -> Result<DVec3, MocapError> {
        let mut vector = DVec3::ZERO;
        for axis in 0..3 {
            vector[axis] = self.lexer.number_on_line(expected)?;
        }
        Ok(vector)
    }

    fn euler_order(&mut self) -> Result<EulerOrder, MocapError> {
        let word = self.lexer.next_on_line();
        let order = word.and_then(|word| decode(word.text).parse().ok());
        order.ok_or_else(|| self.lexer.expected("an axis order such as XYZ", word))
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
            // `begin` and `end` enclose the list; a bone may still be called so
            // where it has children.
            let lone_keyword = children.is_empty() && (parent.is("begin") || parent.is("end"));
            if !lone_keyword {
                names_left = self.count_down(names_left, parent)?;
                let parent = parent.into();
                self.document.links.push(HierarchyLine { parent, children });
            }
        }
        Ok(())
    }

    fn count_down(&self, names_left: usize, name: Word<'_>) -> Result<usize, MocapError> {
        let limit = MAX_BONES;
        names_left.checked_sub(1).ok_or_else(|| {
            self.lexer
                .error(name.position, Problem::TooManyBones { limit })
        })
    }
}

fn is_section(word: Word<'_>) -> bool {
    word.text.starts_with(b":")
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
