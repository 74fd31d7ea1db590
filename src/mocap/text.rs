//! Facts about a text that matter to whoever has to mend it.

use super::Note;

/// At most this much of a file is quoted in a message.
const QUOTED_BYTES: usize = 40;

/// Bytes as text: invalid UTF-8 is read as Latin-1, which is what old files
/// in practice hold; long texts are cut, control characters shown as `·`.
#[must_use]
pub fn lossy(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(QUOTED_BYTES)];
    let text = decode(cut).replace(|c: char| c.is_control(), "·");
    if cut.len() < bytes.len() {
        text + "…"
    } else {
        text
    }
}

/// The whole of a name or path as text, by the same rule.
pub(crate) fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // Latin-1 is the first 256 code points of Unicode, so no
        // table is needed.
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// Line ends, encoding and the like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextFacts {
    /// Line feeds.
    pub lines: u64,
    /// Line feeds after a carriage return.
    pub crlf: u64,
    /// The last line has no end.
    pub no_final_newline: bool,
    /// Line of the first byte that is not UTF-8.
    pub not_utf8_line: Option<u64>,
    /// Starts with a byte order mark.
    pub byte_order_mark: bool,
    /// Numbers with an exponent.
    pub exponents: u64,
    /// Lines that are comments.
    pub comments: u64,
}

impl TextFacts {
    /// Counts over the whole text.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut facts = Self {
            no_final_newline: !bytes.is_empty() && !bytes.ends_with(b"\n"),
            byte_order_mark: bytes.starts_with(b"\xef\xbb\xbf"),
            ..Self::default()
        };
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            facts.lines += u64::from(line.ends_with(b"\n"));
            facts.crlf += u64::from(line.ends_with(b"\r\n"));
            facts.comments += u64::from(line.trim_ascii_start().starts_with(b"#"));
        }
        let exponent = |w: &[u8]| {
            w[0].is_ascii_digit()
                && matches!(w[1], b'e' | b'E')
                && matches!(w[2], b'-' | b'+' | b'0'..=b'9')
        };
        facts.exponents = bytes.windows(3).filter(|w| exponent(w)).count() as u64;
        if let Err(error) = std::str::from_utf8(bytes) {
            // UTF-8 checking stops at the first bad byte; one line is enough
            // to find the rest.
            let before = &bytes[..error.valid_up_to()];
            let line = before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
            facts.not_utf8_line = Some(line);
        }
        facts
    }

    /// The same as remarks.
    #[must_use]
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.crlf > 0 && self.crlf == self.lines {
            notes.push(Note::info("CRLF line ends"));
        } else if self.crlf > 0 {
            let (crlf, lines) = (self.crlf, self.lines);
            notes.push(Note::info(format!(
                "mixed line ends: {crlf} of {lines} are CRLF"
            )));
        }
        if self.byte_order_mark {
            notes.push(Note::info("starts with a byte order mark"));
        }
        if let Some(line) = self.not_utf8_line {
            notes.push(Note::info("not valid UTF-8, read as Latin-1").at_line(line));
        }
        if self.no_final_newline {
            notes.push(Note::info("no final newline"));
        }
        if self.exponents > 0 {
            notes.push(Note::info(format!(
                "{} numbers with an exponent",
                self.exponents
            )));
        }
        if self.comments > 0 {
            notes.push(Note::info(format!("{} comment lines", self.comments)));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_printable_and_latin_1_where_not_utf_8() {
        assert_eq!(lossy(b"f\xfcr"), "für");
        assert_eq!(lossy("für".as_bytes()), "für");
        assert_eq!(lossy(b"a\0b"), "a·b");
        assert_eq!(lossy(&[b'x'; 100]).chars().count(), QUOTED_BYTES + 1);
    }

    #[test]
    fn mixed_ends_encoding_and_the_missing_newline_are_seen() {
        let facts = TextFacts::of(b"\xef\xbb\xbf# a\r\nb 1e-014\n\xfc");
        assert_eq!((facts.lines, facts.crlf), (2, 1));
        assert_eq!(facts.not_utf8_line, Some(3));
        assert!(facts.no_final_newline && facts.byte_order_mark);
        assert_eq!(facts.exponents, 1);
        let messages: Vec<_> = facts.notes().into_iter().map(|note| note.message).collect();
        assert!(messages.contains(&"mixed line ends: 1 of 2 are CRLF".to_owned()));
    }
}
