//! Acclaim motion files: a header, then frames, read one at a time.
//!
//! A motion is tens of megabytes of numbers, so the document is never held
//! whole: [`Frames`] fills the same [`Frame`] again and again. This is the one
//! parser whose speed a user feels.

use nom::{
    IResult,
    bytes::complete::{take_till, take_till1},
};

use super::{AngleUnit, MocapError, Note, Notes, Place, Problem, lossy, number, text::decode};

/// No bone has more values than rx ry rz tx ty tz l; further ones on a line
/// are counted, not kept, so that a line of gigabytes costs nothing.
const MOST_VALUES_KEPT: usize = 8;

/// Where counting ends, too: this is no motion.
const MOST_VALUES_COUNTED: usize = 1000;

/// Lines that one frame may have: every bone a skeleton can have, twice over.
const MOST_LINES: usize = 2 * super::asf::MAX_BONES;

/// What stands before the first frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// `:DEGREES` or `:RADIANS`, and its line.
    pub angle: Option<(AngleUnit, u64)>,
    /// `:FORCE-ALL-JOINTS-BE-3DOF`.
    pub force_3dof: bool,
    /// `:SAMPLES-PER-SECOND`.
    pub samples_per_second: Option<f64>,
    /// `:asf-file`.
    pub asf_file: Option<String>,
    /// The skeleton that a `#!OML:ASF` line says the motion was made with.
    pub source_asf: Option<String>,
    /// The first line is not a `#!` line.
    pub no_shebang: bool,
    /// What was skipped.
    pub notes: Vec<Note>,
}

/// One bone line of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneLine<'a> {
    /// As spelt.
    pub name: &'a [u8],
    /// Its line.
    pub line: u64,
    /// The last frame that had as many bones named the same one here.
    pub as_before: bool,
    /// Index of its first value in [`Frame::values`].
    pub first_value: usize,
    /// How many values it has. Only the first eight are kept.
    pub value_count: usize,
}

/// One frame as written. Values that are words for "not a number" are NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame<'a> {
    /// As numbered in the file.
    pub number: u64,
    /// Line of the number.
    pub line: u64,
    /// The bones in file order.
    pub bones: Vec<BoneLine<'a>>,
    /// The values of all bones.
    pub values: Vec<f64>,
    /// The file ends in the middle of a number.
    pub cut: bool,
}

/// A motion file, read frame by frame.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    file: &'a str,
    bytes: &'a [u8],
    rest: &'a [u8],
    line: u64,
    /// The last name seen at each place of a frame: frames repeat themselves,
    /// and a comparison is cheaper than a search for the end of a name.
    names: Vec<&'a [u8]>,
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// What follows the blanks. A plain loop: nearly always one step, and the
/// general combinator's set-up would cost more than that.
#[inline(always)]
fn after_blanks(mut input: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b',' | 0x0b | 0x0c, rest @ ..] = input {
        input = rest;
    }
    input
}

fn word(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_till1(|byte| byte <= b' ' || byte == b',')(input)
}

fn to_line_end(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_till(is_line_end)(input)
}

/// Where a parser that cannot fail leaves the input.
#[inline]
fn after<'a>(result: IResult<&'a [u8], &'a [u8]>, input: &'a [u8]) -> &'a [u8] {
    result.map_or(input, |(rest, _)| rest)
}

/// Reads the header and stops before the first frame. `file` names the bytes
/// in messages.
pub fn open<'a>(file: &'a str, bytes: &'a [u8]) -> Result<(Header, Frames<'a>), MocapError> {
    let rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut frames = Frames {
        file,
        bytes,
        rest,
        line: 1,
        names: Vec::new(),
    };
    let header = frames.header()?;
    Ok((header, frames))
}

impl<'a> Frames<'a> {
    fn header(&mut self) -> Result<Header, MocapError> {
        let mut header = Header {
            no_shebang: !self.rest.starts_with(b"#!"),
            ..Header::default()
        };
        let mut notes = Notes::default();
        loop {
            self.skip_blank_lines();
            match self.rest {
                [] => {
                    let expected = "an AMC motion (frames of bone values)";
                    let place = Place { line: 1, column: 1 };
                    return Err(self.error(place, Problem::Empty { expected }));
                }
                [b'#', ..] => self.header_comment(&mut header),
                [b':', ..] => self.keyword(&mut header, &mut notes)?,
                _ => break,
            }
        }
        if !self.rest[0].is_ascii_digit() {
            return Err(self.no_frame_number());
        }
        header.notes = notes.into_list();
        Ok(header)
    }

    fn no_frame_number(&self) -> MocapError {
        let found = word(self.rest).map_or(&b""[..], |(_, found)| found);
        let why = format!(
            "expected a keyword or a frame number, found {:?}",
            lossy(found)
        );
        let expected = "an AMC motion";
        self.error(self.place(), Problem::WrongFormat { expected, why })
    }

    /// `#!OML:ASF path` names the skeleton of the capture.
    fn header_comment(&mut self, header: &mut Header) {
        let (rest, line) = to_line_end(self.rest).unwrap_or((&[], self.rest));
        let words = line.trim_ascii();
        if let Some((tag, path)) = words.split_at_checked(9)
            && tag.eq_ignore_ascii_case(b"#!OML:ASF")
        {
            header.source_asf = Some(decode(path.trim_ascii()));
        }
        self.rest = rest;
    }

    fn keyword(&mut self, header: &mut Header, notes: &mut Notes) -> Result<(), MocapError> {
        let place = self.place();
        let (rest, keyword) = word(self.rest).unwrap_or((&[], self.rest));
        self.rest = rest;
        match keyword[1..].to_ascii_lowercase().as_slice() {
            b"degrees" => header.angle = Some((AngleUnit::Degrees, place.line)),
            b"radians" => header.angle = Some((AngleUnit::Radians, place.line)),
            b"force-all-joints-be-3dof" => header.force_3dof = true,
            b"samples-per-second" => header.samples_per_second = Some(self.rate()?),
            b"asf-file" => header.asf_file = Some(self.text_on_line()),
            b"fully-specified" => {}
            b"bonedata" | b"hierarchy" | b"root" | b"units" => {
                let why = format!("{:?} belongs to an ASF skeleton", lossy(keyword));
                let expected = "an AMC motion";
                return Err(self.error(place, Problem::WrongFormat { expected, why }));
            }
            _ => notes.add_counted("unknown keywords", || {
                Note::info(format!("unknown keyword {:?} skipped", lossy(keyword)))
                    .at_line(place.line)
            }),
        }
        self.rest = after(to_line_end(self.rest), self.rest);
        Ok(())
    }

    fn rate(&mut self) -> Result<f64, MocapError> {
        self.rest = after_blanks(self.rest);
        match number::decimal(self.rest) {
            Ok((rest, rate)) if rate > 0.0 && rate <= 100_000.0 => {
                self.rest = rest;
                Ok(rate)
            }
            _ => Err(self.expected("a frame rate above zero")),
        }
    }

    fn text_on_line(&mut self) -> String {
        let line = to_line_end(self.rest).map_or(&b""[..], |(_, line)| line);
        decode(line.trim_ascii())
    }

    /// `true` when there was one.
    #[inline(always)]
    fn skip_line_end(&mut self) -> bool {
        match self.rest {
            [b'\n', rest @ ..] | [b'\r', b'\n', rest @ ..] | [b'\r', rest @ ..] => {
                self.rest = rest;
                self.line += 1;
                true
            }
            _ => false,
        }
    }

    fn skip_blank_lines(&mut self) {
        loop {
            self.rest = after_blanks(self.rest);
            if !self.skip_line_end() {
                return;
            }
        }
    }

    /// Skips empty lines, comments and, noted by nobody, stray keywords.
    fn skip_to_content(&mut self) {
        loop {
            self.skip_blank_lines();
            match self.rest {
                [b'#' | b':', ..] => self.rest = after(to_line_end(self.rest), self.rest),
                _ => return,
            }
        }
    }

    /// Bytes not yet read.
    #[must_use]
    pub fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    /// True when no frame is left.
    #[must_use]
    pub fn at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads the next frame; `false` when there is none.
    pub fn next_into(&mut self, frame: &mut Frame<'a>) -> Result<bool, MocapError> {
        frame.bones.clear();
        frame.values.clear();
        frame.cut = false;
        self.skip_to_content();
        if self.rest.is_empty() {
            return Ok(false);
        }
        frame.line = self.line;
        frame.number = self.frame_number()?;
        loop {
            self.skip_line_end();
            if !matches!(self.rest, [b'a'..=b'z' | b'A'..=b'Z', ..]) {
                self.skip_to_content();
                match self.rest {
                    [] => return Ok(true),
                    [b'0'..=b'9', ..] if is_all_digits(self.rest) => return Ok(true),
                    _ => {}
                }
            }
            self.bone_line(frame)?;
        }
    }

    fn frame_number(&mut self) -> Result<u64, MocapError> {
        let Ok((rest, digits)) = word(self.rest) else {
            return Err(self.expected("a frame number"));
        };
        if !digits.iter().all(u8::is_ascii_digit) {
            return Err(self.expected("a frame number"));
        }
        let number = digits.iter().fold(0u64, |number, digit| {
            number
                .saturating_mul(10)
                .saturating_add(u64::from(digit - b'0'))
        });
        let rest = after_blanks(rest);
        if !matches!(rest, [] | [b'\r' | b'\n' | b'#', ..]) {
            self.rest = rest;
            return Err(self.expected("the end of the line after a frame number"));
        }
        self.rest = rest;
        Ok(number)
    }

    #[inline]
    fn bone_line(&mut self, frame: &mut Frame<'a>) -> Result<(), MocapError> {
        let place = frame.bones.len();
        let before = self.names.get(place).copied().unwrap_or_default();
        let as_before = !before.is_empty()
            && self.rest.get(before.len()) == Some(&b' ')
            && self.rest.starts_with(before);
        let length = if as_before {
            before.len()
        } else {
            self.new_name(place)?
        };
        let (name, rest) = self.rest.split_at(length);
        if place == MOST_LINES {
            return Err(self.expected("a frame of at most 131068 bones"));
        }
        let first_value = frame.values.len();
        let value_count = self.values(rest, frame)?;
        frame.bones.push(BoneLine {
            name,
            line: self.line,
            as_before,
            first_value,
            value_count,
        });
        Ok(())
    }

    /// Length of a name that was not at this place of a frame before.
    fn new_name(&mut self, place: usize) -> Result<usize, MocapError> {
        let Ok((_, name)) = word(self.rest) else {
            return Err(self.expected("a bone name or a frame number"));
        };
        if matches!(name[0], b'-' | b'+' | b'.' | b'0'..=b'9')
            && number::decimal(name).is_ok_and(|(rest, _)| rest.is_empty())
        {
            return Err(self.expected("a bone name or a frame number"));
        }
        match self.names.get_mut(place) {
            Some(known) => *known = name,
            None => self.names.push(name),
        }
        Ok(name.len())
    }

    /// Numbers up to the end of the line or a comment; how many there are.
    #[inline]
    fn values(&mut self, mut rest: &'a [u8], frame: &mut Frame<'a>) -> Result<usize, MocapError> {
        let first = frame.values.len();
        let mut not_kept = 0;
        loop {
            rest = after_blanks(rest);
            match rest {
                [] | [b'\r' | b'\n', ..] => break,
                [b'#', ..] => {
                    rest = after(to_line_end(rest), rest);
                    break;
                }
                _ => {}
            }
            match number::scan(rest) {
                Some((
                    value,
                    next @ ([] | [b' ' | b'\t' | b'\r' | b'\n' | b',' | 0x0b | 0x0c, ..]),
                )) => {
                    frame.values.push(value);
                    rest = next;
                }
                _ => rest = self.odd_value(rest, frame)?,
            }
            if frame.values.len() > first + MOST_VALUES_KEPT {
                frame.values.pop();
                not_kept += 1;
                if not_kept == MOST_VALUES_COUNTED {
                    self.rest = rest;
                    return Err(self.expected("a line of at most 1000 values"));
                }
            }
        }
        self.rest = rest;
        Ok(frame.values.len() - first + not_kept)
    }

    /// A value that is no plain number: a word for "not a number", the stump
    /// of a number at the end of the file, or an error.
    #[cold]
    fn odd_value(&mut self, rest: &'a [u8], frame: &mut Frame<'a>) -> Result<&'a [u8], MocapError> {
        let (next, found) = word(rest).unwrap_or((&[], rest));
        if number::not_finite(found) {
            frame.values.push(f64::NAN);
            return Ok(next);
        }
        let stump =
            |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        if next.is_empty() && found.iter().all(stump) {
            frame.cut = true;
            return Ok(next);
        }
        self.rest = rest;
        Err(self.expected("a number"))
    }

    /// The place of `self.rest`, found by counting back to the line's start:
    /// only errors pay for it.
    fn place(&self) -> Place {
        let offset = self.bytes.len() - self.rest.len();
        let start = self.bytes[..offset]
            .iter()
            .rposition(|&byte| is_line_end(byte));
        let column = offset - start.map_or(0, |start| start + 1) + 1;
        Place {
            line: self.line,
            column: column as u64,
        }
    }

    fn error(&self, place: Place, problem: Problem) -> MocapError {
        MocapError::new(self.file, place, problem)
    }

    fn expected(&self, expected: &str) -> MocapError {
        let found = match word(self.rest) {
            Ok((_, found)) => format!("{:?}", lossy(found)),
            Err(_) if self.rest.is_empty() => "the end of the file".to_owned(),
            Err(_) => format!("{:?}", lossy(&self.rest[..1])),
        };
        let expected = expected.to_owned();
        self.error(self.place(), Problem::Expected { expected, found })
    }
}

/// The word at the start of `input` is a whole number.
#[inline]
fn is_all_digits(input: &[u8]) -> bool {
    let digits = input
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    input
        .get(digits)
        .is_none_or(|&byte| byte <= b' ' || byte == b',')
}
