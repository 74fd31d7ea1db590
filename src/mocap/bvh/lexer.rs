//! Words of a BVH file with their places. A brace is a word of its own
//! wherever it stands; nothing is a comment.

use super::super::{MAX_MAGNITUDE, MocapError, Place, Problem, lossy, number};

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
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Everything below the space but line ends, NUL included.
fn is_blank(byte: u8) -> bool {
    byte <= b' ' && !is_line_end(byte)
}

fn is_brace(byte: u8) -> bool {
    matches!(byte, b'{' | b'}')
}

/// Walks over a file.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    file: &'a str,
    pub rest: &'a [u8],
    pub line: u64,
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
        Place {
            line: self.line,
            column: (self.rest_at_line_start - self.rest.len()) as u64 + 1,
        }
    }

    #[inline]
    pub fn skip_blanks(&mut self) {
        while let [byte, rest @ ..] = self.rest
            && is_blank(*byte)
        {
            self.rest = rest;
        }
    }

    /// `true` when there was one.
    #[inline]
    pub fn skip_line_end(&mut self) -> bool {
        self.rest = match self.rest {
            [b'\r', b'\n', rest @ ..] | [b'\r' | b'\n', rest @ ..] => rest,
            _ => return false,
        };
        self.line += 1;
        self.rest_at_line_start = self.rest.len();
        true
    }

    pub fn skip_blank_lines(&mut self) {
        loop {
            self.skip_blanks();
            if !self.skip_line_end() {
                return;
            }
        }
    }

    /// The next word of the file.
    pub fn next(&mut self) -> Option<Word<'a>> {
        self.skip_blank_lines();
        let place = self.place();
        let first = *self.rest.first()?;
        let length = if is_brace(first) {
            1
        } else {
            let ends = |&byte: &u8| byte <= b' ' || is_brace(byte);
            self.rest.iter().position(ends).unwrap_or(self.rest.len())
        };
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(Word { text, place })
    }

    pub fn peek(&self) -> Option<Word<'a>> {
        self.clone().next()
    }

    /// The rest of the line up to a brace, surrounding blanks removed.
    pub fn text_on_line(&mut self) -> Word<'a> {
        self.skip_blanks();
        let place = self.place();
        let ends = |&byte: &u8| is_line_end(byte) || is_brace(byte);
        let length = self.rest.iter().position(ends).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        let text = text.trim_ascii();
        Word { text, place }
    }

    /// The next word as a usable number.
    pub fn number(&mut self, expected: &str) -> Result<f64, MocapError> {
        let Some(word) = self.next() else {
            return Err(self.expected(expected, None));
        };
        let out_of_range = || {
            let found = lossy(word.text);
            self.error(word.place, Problem::OutOfRange { found })
        };
        match number::scan(word.text) {
            Some((value, b"")) if value.abs() < MAX_MAGNITUDE => Ok(value),
            Some((_, b"")) => Err(out_of_range()),
            _ if number::not_finite(word.text) => Err(out_of_range()),
            _ => Err(self.expected(expected, Some(word))),
        }
    }

    pub fn error(&self, place: Place, problem: Problem) -> MocapError {
        MocapError::new(self.file, place, problem)
    }

    pub fn expected(&self, expected: impl Into<String>, found: Option<Word<'_>>) -> MocapError {
        let (place, found) = match found {
            Some(word) => (word.place, format!("{:?}", lossy(word.text))),
            None => (self.place(), "the end of the file".to_owned()),
        };
        let expected = expected.into();
        self.error(place, Problem::Expected { expected, found })
    }
}
