//! The frames: a number, then a line a bone.
//!
//! Values are scanned by hand: through nom's combinators a motion takes 18 %
//! longer to load (3.74 ms for 3.17 ms; CMU's 01_01.amc), with nom's own
//! `double` four times as long.

use super::{
    super::{
        MocapError, Problem, asf,
        lexer::{AmcSyntax, Lexer, after_blanks, after_line, word},
        lossy, number,
    },
    AmcFrame, BoneLine,
};

/// No bone has more values than rx ry rz tx ty tz l; further ones on a line
/// are counted, not kept, so that a line of gigabytes costs nothing.
const MOST_VALUES_KEPT: usize = 8;

/// Where counting ends, too: this is no motion.
const MOST_VALUES_COUNTED: usize = 1000;

/// Lines that one frame may have: every bone a skeleton can have, twice over.
const MOST_LINES: usize = 2 * asf::MAX_BONES;

/// A motion file, read frame by frame.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    lexer: Lexer<'a, AmcSyntax>,
    /// The last name seen at each place of a frame: frames repeat themselves,
    /// and a comparison is cheaper than a search for the end of a name.
    names: Vec<&'a [u8]>,
}

impl<'a> Frames<'a> {
    pub(super) fn new(lexer: Lexer<'a, AmcSyntax>) -> Self {
        Self {
            lexer,
            names: Vec::new(),
        }
    }

    /// Skips empty lines, comments and, noted by nobody, stray keywords.
    fn skip_to_content(&mut self) {
        loop {
            self.lexer.skip_to_word();
            match self.lexer.rest {
                [b'#' | b':', ..] => self.lexer.rest = after_line(self.lexer.rest),
                _ => return,
            }
        }
    }

    /// Bytes not yet read.
    #[must_use]
    pub fn bytes_left(&self) -> usize {
        self.lexer.rest.len()
    }

    /// True when no frame is left.
    #[must_use]
    pub fn at_end(&self) -> bool {
        self.lexer.rest.is_empty()
    }

    /// Reads the next frame; `false` when there is none.
    pub fn next_into(&mut self, frame: &mut AmcFrame<'a>) -> Result<bool, MocapError> {
        frame.bones.clear();
        frame.values.clear();
        frame.cut = false;
        self.skip_to_content();
        if self.lexer.rest.is_empty() {
            return Ok(false);
        }
        frame.line = self.lexer.line;
        frame.number = self.frame_number()?;
        loop {
            self.lexer.skip_line_end();
            // Nearly every line starts with a letter: only others can be a
            // frame number, a comment, a blank line or the end.
            if !matches!(self.lexer.rest, [b'a'..=b'z' | b'A'..=b'Z', ..]) {
                self.skip_to_content();
                match self.lexer.rest {
                    [] => return Ok(true),
                    // A bone may be named `3rd_finger`: digits
                    // alone are a frame.
                    [b'0'..=b'9', ..] if is_all_digits(self.lexer.rest) => return Ok(true),
                    _ => {}
                }
            }
            self.bone_line(frame)?;
        }
    }

    fn frame_number(&mut self) -> Result<u64, MocapError> {
        let Ok((rest, digits)) = word::<AmcSyntax>(self.lexer.rest) else {
            return Err(expected(&self.lexer, "a frame number"));
        };
        if !digits.iter().all(u8::is_ascii_digit) {
            return Err(expected(&self.lexer, "a frame number"));
        }
        // Saturates: a number of any length is only a name here, as order of
        // appearance is time.
        let number = digits.iter().fold(0u64, |number, digit| {
            number
                .saturating_mul(10)
                .saturating_add(u64::from(digit - b'0'))
        });
        let rest = after_blanks::<AmcSyntax>(rest);
        if !matches!(rest, [] | [b'\r' | b'\n' | b'#', ..]) {
            self.lexer.rest = rest;
            return Err(expected(
                &self.lexer,
                "the end of the line after a frame number",
            ));
        }
        self.lexer.rest = rest;
        Ok(number)
    }

    #[inline]
    fn bone_line(&mut self, frame: &mut AmcFrame<'a>) -> Result<(), MocapError> {
        let slot = frame.bones.len();
        let before = self.names.get(slot).copied().unwrap_or_default();
        // The blank behind it tells `lhand` from `lhandthumb`.
        let as_before = !before.is_empty()
            && self.lexer.rest.get(before.len()) == Some(&b' ')
            && self.lexer.rest.starts_with(before);
        let length = if as_before {
            before.len()
        } else {
            self.new_name(slot)?
        };
        let (name, rest) = self.lexer.rest.split_at(length);
        if slot == MOST_LINES {
            return Err(expected(&self.lexer, "a frame of at most 131068 bones"));
        }
        let first_value = frame.values.len();
        let value_count = self.values(rest, frame)?;
        frame.bones.push(BoneLine {
            name,
            line: self.lexer.line,
            as_before,
            first_value,
            value_count,
        });
        Ok(())
    }

    /// Length of a name that was not at this place of a frame before.
    fn new_name(&mut self, slot: usize) -> Result<usize, MocapError> {
        let Ok((_, name)) = word::<AmcSyntax>(self.lexer.rest) else {
            return Err(expected(&self.lexer, "a bone name or a frame number"));
        };
        // A number where a name is due means a value too many or a line broken
        // in two: better said here than as an unknown bone.
        if matches!(name[0], b'-' | b'+' | b'.' | b'0'..=b'9')
            && number::decimal(name).is_ok_and(|(rest, _)| rest.is_empty())
        {
            return Err(expected(&self.lexer, "a bone name or a frame number"));
        }
        match self.names.get_mut(slot) {
            Some(known) => *known = name,
            None => self.names.push(name),
        }
        Ok(name.len())
    }

    /// Numbers up to the end of the line or a comment; how many there are.
    #[inline]
    fn values(
        &mut self,
        mut rest: &'a [u8],
        frame: &mut AmcFrame<'a>,
    ) -> Result<usize, MocapError> {
        let first = frame.values.len();
        let mut not_kept = 0;
        loop {
            rest = after_blanks::<AmcSyntax>(rest);
            match rest {
                [] | [b'\r' | b'\n', ..] => break,
                [b'#', ..] => {
                    rest = after_line(rest);
                    break;
                }
                _ => {}
            }
            // What follows a number must end it: `1.#QNAN`
            // starts with one, too.
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
                    self.lexer.rest = rest;
                    return Err(expected(&self.lexer, "a line of at most 1000 values"));
                }
            }
        }
        self.lexer.rest = rest;
        Ok(frame.values.len() - first + not_kept)
    }

    /// A value that is no plain number: a word for "not a number", the stump
    /// of a number at the end of the file, or an error.
    #[cold]
    fn odd_value(
        &mut self,
        rest: &'a [u8],
        frame: &mut AmcFrame<'a>,
    ) -> Result<&'a [u8], MocapError> {
        let (next, found) = word::<AmcSyntax>(rest).unwrap_or((&[], rest));
        if number::not_finite(found) {
            frame.values.push(f64::NAN);
            return Ok(next);
        }
        // `-1.2e` at the very end: the copy was cut short. Whether the frame
        // can be dropped is for `import` to say.
        if next.is_empty() && number::is_stump(found) {
            frame.cut = true;
            return Ok(next);
        }
        self.lexer.rest = rest;
        Err(expected(&self.lexer, "a number"))
    }
}

/// What stands at the lexer is not what should: a line end counts as found.
pub(super) fn expected(lexer: &Lexer<'_, AmcSyntax>, expected: &str) -> MocapError {
    let found = match word::<AmcSyntax>(lexer.rest) {
        Ok((_, found)) => format!("{:?}", lossy(found)),
        Err(_) if lexer.rest.is_empty() => "the end of the file".to_owned(),
        Err(_) => format!("{:?}", lossy(&lexer.rest[..1])),
    };
    let expected = expected.to_owned();
    lexer.error(lexer.position(), Problem::Expected { expected, found })
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
