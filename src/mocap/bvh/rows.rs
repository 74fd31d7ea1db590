//! The frames: rows of as many numbers as the joints have channels.
//!
//! Values are scanned by hand: through nom's combinators a motion takes 24 %
//! longer to load (1.14 ms for 0.92 ms; three.js' pirouette.bvh).

use super::super::{
    MocapError, Problem,
    lexer::{BvhSyntax, Lexer},
    number,
};

/// The rows of a motion, read one at a time.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    lexer: Lexer<'a, BvhSyntax>,
    columns: usize,
    /// Rows read so far.
    read: u64,
    /// Line of the last row's first value.
    row_line: u64,
    /// Lines that ended inside of a row.
    broken_lines: u64,
    /// Rows that began on the line of the one before.
    shared_lines: u64,
    /// Values of a last row that is cut short.
    cut_after: Option<usize>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(lexer: Lexer<'a, BvhSyntax>, columns: usize) -> Self {
        Self {
            row_line: lexer.line,
            lexer,
            columns,
            read: 0,
            broken_lines: 0,
            shared_lines: 0,
            cut_after: None,
        }
    }

    /// Bytes not yet read.
    #[must_use]
    pub fn bytes_left(&self) -> usize {
        self.lexer.rest.len()
    }

    /// Line of the last row.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.row_line
    }

    /// Lines that ended inside of a row.
    #[must_use]
    pub fn broken_lines(&self) -> u64 {
        self.broken_lines
    }

    /// Rows that began on the line of the one before.
    #[must_use]
    pub fn shared_lines(&self) -> u64 {
        self.shared_lines
    }

    /// Values of a last row that is cut short, once the end is reached.
    #[must_use]
    pub fn cut_after(&self) -> Option<usize> {
        self.cut_after
    }

    /// Reads the next row into `row`; words for "not a number" become NaN.
    /// `false` when there is none, which is at once when no joint has a
    /// channel.
    pub fn next_into(&mut self, row: &mut Vec<f64>) -> Result<bool, MocapError> {
        row.clear();
        if self.columns == 0 {
            return Ok(false);
        }
        self.lexer.skip_blanks();
        let at_line_end = matches!(self.lexer.rest, [] | [b'\r' | b'\n', ..]);
        self.shared_lines += u64::from(!at_line_end && self.read > 0);
        self.lexer.skip_to_word();
        self.row_line = self.lexer.line;
        loop {
            // A clone is five words; it remembers where the line
            // began, for the error.
            let line = self.lexer.clone();
            self.values_on_line(row)?;
            if row.len() == self.columns {
                self.read += 1;
                return Ok(true);
            }
            self.lexer.skip_to_word();
            if self.lexer.rest.is_empty() {
                self.cut_after = (!row.is_empty()).then_some(row.len());
                return Ok(false);
            }
            self.refuse_miscount(&line)?;
            self.broken_lines += 1;
        }
    }

    #[inline]
    fn values_on_line(&mut self, row: &mut Vec<f64>) -> Result<(), MocapError> {
        while row.len() < self.columns {
            self.lexer.skip_blanks();
            match self.lexer.rest {
                [] | [b'\r' | b'\n', ..] => return Ok(()),
                _ => {}
            }
            // Braces do not end a number: none can stand among rows.
            match number::scan(self.lexer.rest) {
                Some((value, rest @ ([] | [0..=b' ', ..]))) => {
                    row.push(value);
                    self.lexer.rest = rest;
                }
                _ => self.odd_value(row)?,
            }
        }
        Ok(())
    }

    /// A word for "not a number", the stump of a number at the end of the
    /// file, or an error.
    #[cold]
    fn odd_value(&mut self, row: &mut Vec<f64>) -> Result<(), MocapError> {
        let before = self.lexer.clone();
        let Some(word) = self.lexer.next() else {
            return Ok(());
        };
        if number::not_finite(word.text) {
            row.push(f64::NAN);
            return Ok(());
        }
        if self.lexer.rest.is_empty() && number::is_stump(word.text) {
            return Ok(());
        }
        Err(before.expected("a number", Some(word)))
    }

    /// A row may run over several lines. But one that ends early where the
    /// next line is a whole row again has lost a value, or got one too many.
    fn refuse_miscount(&self, line: &Lexer<'a, BvhSyntax>) -> Result<(), MocapError> {
        // Files that break rows at a fixed width have no line of
        // just a whole row.
        if words_on_line(self.lexer.rest, self.columns) != self.columns {
            return Ok(());
        }
        let found = words_on_line(line.rest, usize::MAX - 1);
        let (frame, columns) = (self.read, self.columns);
        let problem = Problem::Expected {
            expected: format!("{columns} values in frame {frame}"),
            found: if self.row_line == line.line && found < columns {
                found.to_string()
            } else {
                "more than that on one line".to_owned()
            },
        };
        Err(self.lexer.error(line.position(), problem))
    }
}

/// Words up to the end of the line; counting stops above `most`.
fn words_on_line(rest: &[u8], most: usize) -> usize {
    let line = rest.split(|&byte| matches!(byte, b'\r' | b'\n')).next();
    let words = line.unwrap_or_default().split(|&byte| byte <= b' ');
    words.filter(|word| !word.is_empty()).take(most + 1).count()
}
