//! What reaches a terminal: text of files is shown there, never obeyed.

use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, BufWriter, StdoutLock, Write},
};

/// Whether a terminal would do something instead of showing a character, or
/// show others in another order.
fn bites(c: char) -> bool {
    let reorders =
        matches!(c, '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    c.is_control() || reorders
}

/// One line of text whose control characters are written out, `\u001b` and the
/// like, as JSON does too.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, bites)
}

fn escaped(text: &str, is_odd: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_odd) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_odd(c) {
            // Writing to a string cannot fail.
            true => _ = write!(shown, "\\u{:04x}", u32::from(c)),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// One line to stderr. Nothing can be done when even that fails.
pub(super) fn message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(text));
}

/// Standard output for tables and JSON: lines stay lines, and whatever else a
/// terminal would obey is written out.
pub(super) struct DataOut(BufWriter<StdoutLock<'static>>);

pub(super) fn data_out() -> DataOut {
    DataOut(BufWriter::new(io::stdout().lock()))
}

impl Write for DataOut {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let plain = |&byte: &u8| matches!(byte, b'\n' | b' '..=b'~');
        // Whole strings come here, as both tables and serde_json write them;
        // most are plain.
        match std::str::from_utf8(bytes) {
            Ok(text) if !bytes.iter().all(plain) => {
                let shown = escaped(text, |c| c != '\n' && bites(c));
                self.0.write_all(shown.as_bytes())?;
            }
            _ => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert!(matches!(printable("Läuferin → 1"), Cow::Borrowed(_)));
        assert_eq!(
            printable("a\u{1b}[2Jb\n\u{9b}c"),
            "a\\u001b[2Jb\\u000a\\u009bc"
        );
        assert_eq!(printable("exe.\u{202e}gnp"), "exe.\\u202egnp");
    }
}
