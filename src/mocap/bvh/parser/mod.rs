//! One small function per production of the format. Blocks nest as deep as
//! the file likes: open ones are kept in a list, not on the call stack.

mod header;

use glam::DVec3;

use super::{
    super::{
        MocapError, Note, Notes, Problem, TextPosition,
        asf::Name,
        lexer::{BvhSyntax, Lexer, Word},
        lossy,
    },
    BvhDocument, BvhJoint, MAX_JOINTS, channel,
};
use crate::math::Dof;

/// A block whose closing brace is still to come.
#[derive(Clone, Copy)]
enum Block {
    Joint(usize),
    /// Of that joint; `first` unless the joint already had one.
    EndSite {
        joint: usize,
        first: bool,
    },
}

pub(super) struct Parser<'a> {
    lexer: Lexer<'a, BvhSyntax>,
    document: BvhDocument,
    notes: Notes,
    open: Vec<Block>,
}

impl<'a> Parser<'a> {
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        Self {
            lexer: Lexer::new(file, bytes),
            document: BvhDocument::default(),
            notes: Notes::default(),
            open: Vec::new(),
        }
    }

    /// The document, and the lexer before the first row.
    pub fn document(mut self) -> Result<(BvhDocument, Lexer<'a, BvhSyntax>), MocapError> {
        self.title()?;
        while let Some(word) = self.lexer.next() {
            if word.is("motion") {
                self.document.has_motion = true;
                break;
            }
            self.production(word)?;
        }
        self.refuse_open_blocks()?;
        if self.document.joints.is_empty() {
            return Err(self.lexer.expected("a ROOT joint", self.lexer.peek()));
        }
        if self.document.has_motion {
            self.motion_header()?;
        } else {
            self.notes.add(Note::warning("no MOTION section"));
        }
        self.document.notes = self.notes.into_list();
        Ok((self.document, self.lexer))
    }

    fn title(&mut self) -> Result<(), MocapError> {
        let start = TextPosition::START;
        match self.lexer.next() {
            Some(word) if word.is("hierarchy") => Ok(()),
            Some(word) => {
                let why = format!("it starts with {:?}, not with HIERARCHY", lossy(word.text));
                let expected = "a BVH file";
                let problem = Problem::WrongFormat { expected, why };
                Err(self.lexer.error(word.position, problem))
            }
            None => {
                let expected = "a BVH file (HIERARCHY, MOTION)";
                Err(self.lexer.error(start, Problem::Empty { expected }))
            }
        }
    }

    fn production(&mut self, word: Word<'a>) -> Result<(), MocapError> {
        if word.is("root") {
            self.root(word)
        } else if word.is("joint") {
            self.joint(word)
        } else if word.is("end") || word.is("endsite") {
            self.end_site(word)
        } else if word.is("offset") {
            self.offset(word)
        } else if word.is("channels") {
            self.channels(word)
        } else if word.text == b"}" && self.open.pop().is_some() {
            Ok(())
        } else {
            let expected = match self.open.last() {
                None => "ROOT or MOTION",
                Some(Block::Joint(_)) => "OFFSET, CHANNELS, JOINT, End Site or }",
                Some(Block::EndSite { .. }) => "OFFSET or }",
            };
            Err(self.lexer.expected(expected, Some(word)))
        }
    }

    fn root(&mut self, word: Word<'a>) -> Result<(), MocapError> {
        if let Some(Block::Joint(open) | Block::EndSite { joint: open, .. }) = self.open.last() {
            let name = &self.document.joints[*open].name.text;
            let expected = format!("}} to close {name:?} before the next ROOT");
            return Err(self.lexer.expected(expected, Some(word)));
        }
        self.begin(None)
    }

    fn joint(&mut self, word: Word<'a>) -> Result<(), MocapError> {
        match self.open.last() {
            Some(&Block::Joint(parent)) => self.begin(Some(parent)),
            Some(Block::EndSite { .. }) => Err(self.lexer.expected("OFFSET or }", Some(word))),
            None => Err(self
                .lexer
                .expected("a JOINT inside of a ROOT or JOINT", Some(word))),
        }
    }

    fn begin(&mut self, parent: Option<usize>) -> Result<(), MocapError> {
        let index = self.document.joints.len();
        self.lexer.skip_blanks();
        // All of the line is the name: exporters write names with blanks.
        let written = self.lexer.text_on_line();
        if index == MAX_JOINTS {
            let limit = MAX_JOINTS;
            let problem = Problem::TooManyBones { limit };
            return Err(self.lexer.error(written.position, problem));
        }
        let mut name = Name::from(written);
        if name.text.is_empty() {
            name.text = format!("joint{index}");
            self.notes.add_counted("joints without a name", || {
                let message = format!("joint without a name, called {:?}", name.text);
                Note::warning(message).at_line(written.position.line)
            });
        }
        self.document.joints.push(BvhJoint {
            name,
            parent,
            offset: DVec3::ZERO,
            channels: Vec::new(),
            end_site: None,
        });
        self.open_block(Block::Joint(index))
    }

    fn end_site(&mut self, word: Word<'a>) -> Result<(), MocapError> {
        let Some(&Block::Joint(joint)) = self.open.last() else {
            let expected = "an End Site inside of a joint";
            return Err(self.lexer.expected(expected, Some(word)));
        };
        self.lexer.text_on_line();
        let first = self.document.joints[joint].end_site.is_none();
        if !first {
            let name = &self.document.joints[joint].name.text;
            self.notes.add_counted("further end sites", || {
                let note = Note::info("a further end site is ignored");
                note.at_line(word.position.line).of_bone(name)
            });
        }
        self.open_block(Block::EndSite { joint, first })
    }

    fn open_block(&mut self, block: Block) -> Result<(), MocapError> {
        match self.lexer.next() {
            Some(word) if word.text == b"{" => {
                self.open.push(block);
                Ok(())
            }
            other => Err(self.lexer.expected("{", other)),
        }
    }

    fn offset(&mut self, word: Word<'a>) -> Result<(), MocapError> {
        let mut offset = DVec3::ZERO;
        for axis in 0..3 {
            offset[axis] = self.lexer.number("a number (OFFSET has three)")?;
        }
        match self.open.last() {
            Some(&Block::Joint(joint)) => self.document.joints[joint].offset = offset,
            Some(&Block::EndSite { joint, first }) => {
                if first {
                    self.document.joints[joint].end_site = Some(offset);
                }
            }
            None => {
                return Err(self
                    .lexer
                    .expected("an OFFSET inside of a joint", Some(word)));
            }
        }
        Ok(())
    }

    fn channels(&mut self, word: Word<'a>) -> Result<(), MocapError> {
        let Some(&Block::Joint(joint)) = self.open.last() else {
            return Err(self
                .lexer
                .expected("CHANNELS inside of a joint", Some(word)));
        };
        // The names count, not their number: files that announce three and list
        // six move as listed.
        let announced = self.lexer.number("a number of channels")?;
        let mut channels = Vec::new();
        while let Some(word) = self.lexer.peek() {
            let Some(dof) = channel(word.text) else { break };
            self.lexer.next();
            self.refuse_double(&channels, dof, word)?;
            channels.push(dof);
        }
        if announced != channels.len() as f64 {
            self.note_miscount(announced, &channels, word)?;
        }
        let joint = &mut self.document.joints[joint];
        if !joint.channels.is_empty() {
            return Err(self.lexer.expected("one CHANNELS a joint", Some(word)));
        }
        joint.channels = channels;
        Ok(())
    }

    fn refuse_double(&self, channels: &[Dof], dof: Dof, word: Word<'_>) -> Result<(), MocapError> {
        if channels.contains(&dof) {
            let problem = format!("channel {:?} twice at one joint", lossy(word.text));
            return Err(self.lexer.error(word.position, Problem::Other(problem)));
        }
        Ok(())
    }

    /// Fewer names than announced are an error when another kind of word
    /// follows where a name is due, such as `Wrotation`.
    fn note_miscount(
        &mut self,
        announced: f64,
        channels: &[Dof],
        at: Word<'_>,
    ) -> Result<(), MocapError> {
        let next = self.lexer.peek();
        let keyword = |word: &Word<'_>| {
            let known = ["offset", "joint", "end", "endsite", "}"];
            known.iter().any(|known| word.is(known))
        };
        if (channels.len() as f64) < announced && !next.as_ref().is_some_and(keyword) {
            let expected = "a channel such as Xrotation or Yposition";
            return Err(self.lexer.expected(expected, next));
        }
        let found = channels.len();
        self.notes.add_counted("wrong numbers of channels", || {
            let message = format!("CHANNELS {announced} is followed by {found} names; they count");
            Note::warning(message).at_line(at.position.line)
        });
        Ok(())
    }

    fn refuse_open_blocks(&self) -> Result<(), MocapError> {
        let Some(Block::Joint(joint) | Block::EndSite { joint, .. }) = self.open.last() else {
            return Ok(());
        };
        let name = &self.document.joints[*joint].name.text;
        let found = match self.document.has_motion {
            true => "MOTION",
            false => "the end of the file",
        };
        let problem = Problem::Expected {
            expected: format!("}} to close {name:?}"),
            found: found.to_owned(),
        };
        Err(self.lexer.error(self.lexer.position(), problem))
    }
}
