//! Words of an ASF file with their places. Commas and parentheses are white
//! space in this format, `#` starts a comment anywhere but in documentation.

use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{take_till, take_till1, take_while1},
    combinator::recognize,
    multi::many0_count,
    sequence::preceded,
};

use super::{MAX_MAGNITUDE, MocapError, Place, Problem, lossy, number, text::decode};

/// A word and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub text: &'a [u8],
    pub place: Place,
}

impl Word<'_> {
    pub fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword.as_bytes())
    }

    pub fn is_section(&self) -> bool {
        self.text.starts_with(b":")
    }

    pub fn to_text(self) -> String {
        decode(self.text)
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b',' | b'(' | b')' | 0x0b | 0x0c)
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn blanks(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_while1(is_blank)(input)
}

fn comment(input: &[u8]) -> IResult<&[u8], &[u8]> {
    preceded(nom::bytes::complete::tag("#"), take_till(is_line_end)).parse(input)
}

/// White space and comments up to the end of the line.
fn filler(input: &[u8]) -> IResult<&[u8], &[u8]> {
    recognize(many0_count(alt((blanks, comment)))).parse(input)
}

fn word(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_till1(|byte| is_blank(byte) || is_line_end(byte) || byte == b'#')(input)
}

/// Walks over the words of a file.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    file: &'a str,
    rest: &'a [u8],
    line: u64,
    /// Bytes from here to the end of the input when the line began.
    rest_at_line_start: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        let rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self {
            file,
            rest,
            line: 1,
            rest_at_line_start: rest.len(),
        }
    }

    pub fn place(&self) -> Place {
        let column = (self.rest_at_line_start - self.rest.len()) as u64 + 1;
        Place {
            line: self.line,
            column,
        }
    }

    pub fn error(&self, place: Place, problem: Problem) -> MocapError {
        MocapError::new(self.file, place, problem)
    }

    pub fn expected(&self, expected: impl Into<String>, found: Option<Word<'_>>) -> MocapError {
        let (place, found) = match found {
            Some(word) => (word.place, format!("{:?}", lossy(word.text))),
            None if self.peek().is_none() => (self.place(), "the end of the file".to_owned()),
            None => (self.place(), "the end of the line".to_owned()),
        };
        let expected = expected.into();
        self.error(place, Problem::Expected { expected, found })
    }

    fn skip_filler(&mut self) {
        if let Ok((rest, _)) = filler(self.rest) {
            self.rest = rest;
        }
    }

    fn skip_line_end(&mut self) {
        self.rest = match self.rest {
            [b'\r', b'\n', rest @ ..] | [b'\r' | b'\n', rest @ ..] => rest,
            rest => rest,
        };
        self.line += 1;
        self.rest_at_line_start = self.rest.len();
    }

    /// The next word of this line.
    pub fn next_on_line(&mut self) -> Option<Word<'a>> {
        self.skip_filler();
        let place = self.place();
        let (rest, text) = word(self.rest).ok()?;
        self.rest = rest;
        Some(Word { text, place })
    }

    /// The next word of the file.
    pub fn next(&mut self) -> Option<Word<'a>> {
        loop {
            if let Some(word) = self.next_on_line() {
                return Some(word);
            }
            if self.rest.is_empty() {
                return None;
            }
            self.skip_line_end();
        }
    }

    pub fn peek(&self) -> Option<Word<'a>> {
        self.clone().next()
    }

    /// The rest of the line as text, comment and surrounding space removed.
    pub fn text_on_line(&mut self) -> String {
        let line = self
            .rest
            .split(|&byte| is_line_end(byte))
            .next()
            .unwrap_or_default();
        self.rest = &self.rest[line.len()..];
        let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        decode(text.trim_ascii())
    }

    /// Skips to the next line whose first word starts with `:`; comments do
    /// not count as such here, the text is free.
    pub fn skip_free_text(&mut self) {
        while !self.rest.is_empty() {
            if let Ok((rest, _)) = take_till::<_, _, nom::error::Error<_>>(is_line_end)(self.rest) {
                self.rest = rest;
            }
            if self.rest.is_empty() {
                return;
            }
            self.skip_line_end();
            let start = self.rest.trim_ascii_start_of_line();
            if start.starts_with(b":") {
                return;
            }
        }
    }

    /// The next word as a usable number.
    pub fn number(&mut self, expected: &str) -> Result<f64, MocapError> {
        let Some(word) = self.next_on_line() else {
            return Err(self.expected(expected, None));
        };
        self.word_as_number(word, expected)
    }

    pub fn word_as_number(&self, word: Word<'_>, expected: &str) -> Result<f64, MocapError> {
        let out_of_range = || {
            let found = lossy(word.text);
            self.error(word.place, Problem::OutOfRange { found })
        };
        match number::decimal(word.text) {
            Ok((b"", value)) if value.abs() < MAX_MAGNITUDE => Ok(value),
            Ok((b"", _)) => Err(out_of_range()),
            _ if number::not_finite(word.text) => Err(out_of_range()),
            _ => Err(self.expected(expected, Some(word))),
        }
    }

    pub fn numbers<const N: usize>(&mut self, expected: &str) -> Result<[f64; N], MocapError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.number(expected)?;
        }
        Ok(numbers)
    }
}

/// Trimming that stops at line ends.
trait TrimLine {
    fn trim_ascii_start_of_line(&self) -> &[u8];
}

impl TrimLine for [u8] {
    fn trim_ascii_start_of_line(&self) -> &[u8] {
        let blanks = self.iter().take_while(|&&byte| is_blank(byte)).count();
        &self[blanks..]
    }
}
