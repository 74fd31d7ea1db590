//! Words of the text formats with their places, on nom.
//!
//! ASF, BVH and AMC differ in what separates words, not in how a file is
//! walked: a [`syntax`] says the former, the [`Lexer`] does the latter. The
//! rows of numbers that nearly all of a motion consists of are scanned by hand
//! over the same lexer, in `amc::frames` and `bvh::rows`, as measured there.

mod syntax;

use std::marker::PhantomData;

use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{take_till, take_till1, take_while_m_n, take_while1},
    combinator::recognize,
    multi::many0_count,
    sequence::preceded,
};

pub(super) use syntax::{AmcSyntax, AsfSyntax, BvhSyntax};

use syntax::{Syntax, is_line_end};

use super::{MAX_MAGNITUDE, MocapError, Problem, TextPosition, lossy, number, text::decode};

fn blanks<S: Syntax>(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_while1(S::is_blank)(input)
}

fn comment<S: Syntax>(input: &[u8]) -> IResult<&[u8], &[u8]> {
    preceded(take_while_m_n(1, 1, S::is_comment), line).parse(input)
}

/// White space and comments up to the end of the line.
fn filler<S: Syntax>(input: &[u8]) -> IResult<&[u8], &[u8]> {
    recognize(many0_count(alt((blanks::<S>, comment::<S>)))).parse(input)
}

/// The word that starts right here.
pub(super) fn word<S: Syntax>(input: &[u8]) -> IResult<&[u8], &[u8]> {
    alt((take_while_m_n(1, 1, S::is_brace), take_till1(S::ends_word))).parse(input)
}

/// All that is left of the line.
fn line(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_till(is_line_end)(input)
}

/// What follows the line, its end not yet passed.
pub(super) fn after_line(input: &[u8]) -> &[u8] {
    line(input).map_or(input, |(rest, _)| rest)
}

/// What follows the blanks. By hand for the rows of numbers: there is nearly
/// always one blank, and with nom's search for the end of a run a motion takes
/// 5 % longer to load (3.32 ms for 3.17 ms; CMU's 01_01.amc).
#[inline(always)]
pub(super) fn after_blanks<S: Syntax>(mut input: &[u8]) -> &[u8] {
    while let [byte, rest @ ..] = input
        && S::is_blank(*byte)
    {
        input = rest;
    }
    input
}

/// A word and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub text: &'a [u8],
    pub position: TextPosition,
}

impl Word<'_> {
    /// Letter case never counts: files of one tool shout, of the next do not.
    pub fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword.as_bytes())
    }

    pub fn to_text(self) -> String {
        decode(self.text)
    }
}

/// Walks over the words of a file.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a, S> {
    file: &'a str,
    pub rest: &'a [u8],
    pub line: u64,
    /// Bytes from here to the end of the input when the line began: a column
    /// is then a subtraction, however long the line.
    rest_at_line_start: usize,
    syntax: PhantomData<S>,
}

impl<'a, S: Syntax> Lexer<'a, S> {
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        // A byte order mark is invisible in editors, so columns
        // do not count it.
        let rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self {
            file,
            rest,
            line: 1,
            rest_at_line_start: rest.len(),
            syntax: PhantomData,
        }
    }

    pub fn position(&self) -> TextPosition {
        TextPosition {
            line: self.line,
            column: (self.rest_at_line_start - self.rest.len()) as u64 + 1,
        }
    }

    pub fn error(&self, position: TextPosition, problem: Problem) -> MocapError {
        MocapError::new(self.file, position, problem)
    }

    pub fn expected(&self, expected: impl Into<String>, found: Option<Word<'_>>) -> MocapError {
        let (position, found) = match found {
            Some(word) => (word.position, format!("{:?}", lossy(word.text))),
            None if self.peek().is_none() => (self.position(), "the end of the file".to_owned()),
            None => (self.position(), "the end of the line".to_owned()),
        };
        let expected = expected.into();
        self.error(position, Problem::Expected { expected, found })
    }

    #[inline]
    pub fn skip_blanks(&mut self) {
        self.rest = after_blanks::<S>(self.rest);
    }

    /// `true` when there was one: LF, CRLF or a lone CR.
    #[inline(always)]
    pub fn skip_line_end(&mut self) -> bool {
        self.rest = match self.rest {
            // A lone CR is an old Mac's line end; files that went through
            // several tools mix all three.
            [b'\n', rest @ ..] | [b'\r', b'\n', rest @ ..] | [b'\r', rest @ ..] => rest,
            _ => return false,
        };
        self.line += 1;
        self.rest_at_line_start = self.rest.len();
        true
    }

    /// Skips blanks, comments and line ends.
    pub fn skip_to_word(&mut self) {
        loop {
            self.skip_filler();
            if !self.skip_line_end() {
                return;
            }
        }
    }

    fn skip_filler(&mut self) {
        if let Ok((rest, _)) = filler::<S>(self.rest) {
            self.rest = rest;
        }
    }

    /// The next word of this line.
    pub fn next_on_line(&mut self) -> Option<Word<'a>> {
        self.skip_filler();
        let position = self.position();
        let (rest, text) = word::<S>(self.rest).ok()?;
        self.rest = rest;
        Some(Word { text, position })
    }

    /// The next word of the file.
    pub fn next(&mut self) -> Option<Word<'a>> {
        self.skip_to_word();
        self.next_on_line()
    }

    pub fn peek(&self) -> Option<Word<'a>> {
        self.clone().next()
    }

    /// The rest of the line as it stands, which is skipped.
    pub fn take_line(&mut self) -> &'a [u8] {
        let (rest, line) = line(self.rest).unwrap_or((&[], self.rest));
        self.rest = rest;
        line
    }

    /// The rest of the line up to a comment or a brace, surrounding white
    /// space removed. Names and paths may hold blanks.
    pub fn text_on_line(&mut self) -> Word<'a> {
        let ends = |byte| is_line_end(byte) || S::is_comment(byte) || S::is_brace(byte);
        let text = take_till::<_, _, nom::error::Error<_>>(ends)(self.rest);
        let (rest, text) = text.unwrap_or((&[], self.rest));
        self.rest = &self.rest[text.len() - text.trim_ascii_start().len()..];
        let position = self.position();
        self.rest = rest;
        let text = text.trim_ascii();
        Word { text, position }
    }

    /// The next word of the line as a usable number.
    pub fn number_on_line(&mut self, expected: &str) -> Result<f64, MocapError> {
        let word = self.next_on_line();
        self.word_as_number(word, expected)
    }

    /// The next word of the file as a usable number.
    pub fn number(&mut self, expected: &str) -> Result<f64, MocapError> {
        let word = self.next();
        self.word_as_number(word, expected)
    }

    pub fn word_as_number(
        &self,
        word: Option<Word<'_>>,
        expected: &str,
    ) -> Result<f64, MocapError> {
        let Some(word) = word else {
            return Err(self.expected(expected, None));
        };
        let out_of_range = || {
            let found = lossy(word.text);
            self.error(word.position, Problem::OutOfRange { found })
        };
        match number::decimal(word.text) {
            // The whole word must be the number: `12abc` is a typing error.
            Ok((b"", value)) if value.abs() < MAX_MAGNITUDE => Ok(value),
            Ok((b"", _)) => Err(out_of_range()),
            _ if number::not_finite(word.text) => Err(out_of_range()),
            _ => Err(self.expected(expected, Some(word))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words<S: Syntax>(bytes: &[u8]) -> Vec<(String, u64, u64)> {
        let mut lexer = Lexer::<S>::new("file", bytes);
        let next = || lexer.next();
        std::iter::from_fn(next)
            .map(|word| (word.to_text(), word.position.line, word.position.column))
            .collect()
    }

    fn texts<S: Syntax>(bytes: &[u8]) -> Vec<String> {
        words::<S>(bytes).into_iter().map(|it| it.0).collect()
    }

    #[test]
    fn all_line_ends_count_once_and_a_byte_order_mark_not_at_all() {
        let bytes = b"\xef\xbb\xbfa b\r\n\tc\rd\n\n  e";
        let expected = [
            ("a", 1, 1),
            ("b", 1, 3),
            ("c", 2, 2),
            ("d", 3, 1),
            ("e", 5, 3),
        ]
        .map(|(text, line, column)| (text.to_owned(), line, column));
        assert_eq!(words::<AsfSyntax>(bytes), expected);
        assert_eq!(words::<AmcSyntax>(bytes), expected);
        assert_eq!(words::<BvhSyntax>(bytes), expected);
    }

    #[test]
    fn each_format_has_its_own_separators() {
        let bytes = b"limits (-20,20)# {1.#INF}";
        assert_eq!(texts::<AsfSyntax>(bytes), ["limits", "-20", "20"]);
        assert_eq!(
            texts::<AmcSyntax>(bytes),
            ["limits", "(-20", "20)#", "{1.#INF}"]
        );
        assert_eq!(
            texts::<BvhSyntax>(bytes),
            ["limits", "(-20,20)#", "{", "1.#INF", "}"]
        );
    }

    #[test]
    fn text_on_a_line_keeps_inner_blanks_and_its_place() {
        let mut lexer = Lexer::<BvhSyntax>::new("file", b"ROOT  left hip \t{");
        lexer.next();
        let name = lexer.text_on_line();
        assert_eq!((name.text, name.position.column), (&b"left hip"[..], 7));
        assert!(lexer.next().is_some_and(|word| word.is("{")));
        let mut lexer = Lexer::<AsfSyntax>::new("file", b":name (a b) # c\n:units");
        lexer.next();
        assert_eq!(lexer.text_on_line().text, b"(a b)");
        assert!(lexer.next().is_some_and(|word| word.is(":UNITS")));
    }

    #[test]
    fn an_error_tells_the_end_of_a_line_from_the_end_of_the_file() {
        let mut lexer = Lexer::<AsfSyntax>::new("f", b"length\naxis # 1");
        lexer.next();
        let error = lexer.number_on_line("a length").unwrap_err();
        let text = "f:1:7: expected a length, found the end of the line";
        assert_eq!(error.to_string(), text);
        lexer.next();
        let error = lexer.number_on_line("an angle").unwrap_err();
        let text = "f:2:9: expected an angle, found the end of the file";
        assert_eq!(error.to_string(), text);
    }
}
