//! What stands between `MOTION` and the first row.

use super::{
    super::{
        super::{MocapError, Note, TextPosition, lexer::Word, number},
        FrameTime,
    },
    Parser,
};

impl Parser<'_> {
    /// `Frames:` and `Frame Time:`, either order, either missing.
    pub(super) fn motion_header(&mut self) -> Result<(), MocapError> {
        while let Some(word) = self.lexer.peek() {
            // `Frames:`, `Frame Time:` or `FrameTime:`; rows start where
            // no such word does.
            let frame = word.text.get(..5);
            if !frame.is_some_and(|start| start.eq_ignore_ascii_case(b"frame")) {
                break;
            }
            self.header_line()?;
        }
        for (missing, message) in [
            (self.document.frames.is_none(), "no Frames: line"),
            (self.document.frame_time.is_none(), "no Frame Time: line"),
        ] {
            if missing {
                self.notes.add(Note::warning(message));
            }
        }
        Ok(())
    }

    fn header_line(&mut self) -> Result<(), MocapError> {
        self.lexer.skip_to_word();
        let line = self.lexer.text_on_line();
        let (key, value) = key_and_value(line.text);
        let times = |byte: &u8| byte.eq_ignore_ascii_case(&b't');
        let is_time = key.get(5..).is_some_and(|rest| rest.iter().any(times));
        if is_time {
            self.document.frame_time = Some(self.frame_time(value, line.position)?);
        } else {
            let (count, at) = (
                self.header_number(value, line.position)?,
                line.position.line,
            );
            // A count that is no whole number is a lie like any other.
            self.document.frames = Some((count as u64, at));
        }
        Ok(())
    }

    fn frame_time(&self, value: &[u8], position: TextPosition) -> Result<FrameTime, MocapError> {
        let secs = self.header_number(value, position)?;
        // An exponent hides how many digits were written; such a time is
        // taken for exact.
        let plain = value.iter().all(|byte| !matches!(byte, b'e' | b'E'));
        let point = value.iter().position(|&byte| byte == b'.');
        let decimals = point.map_or(0, |point| value.len() - point - 1);
        let last_digit_secs = match plain {
            true => 0.1f64.powi(decimals.min(30) as i32),
            false => 0.0,
        };
        Ok(FrameTime {
            secs,
            last_digit_secs,
            line: position.line,
        })
    }

    /// Any number, finite or not: whether to believe it is `import`'s matter.
    fn header_number(&self, value: &[u8], position: TextPosition) -> Result<f64, MocapError> {
        match number::decimal(value) {
            Ok((b"", number)) => Ok(number),
            _ if number::not_finite(value) => Ok(f64::NAN),
            _ => {
                let word = Word {
                    text: value,
                    position,
                };
                let expected = "a number after Frames: and Frame Time:";
                Err(self.lexer.expected(expected, Some(word)))
            }
        }
    }
}

/// `Frame Time: 0.01` in its two halves; the colon may be missing.
fn key_and_value(line: &[u8]) -> (&[u8], &[u8]) {
    let colon = line.iter().position(|&byte| byte == b':');
    let blank = || line.iter().rposition(|byte| byte.is_ascii_whitespace());
    match colon.or_else(blank) {
        Some(at) => (&line[..at], line[at + 1..].trim_ascii()),
        None => (line, &[]),
    }
}
