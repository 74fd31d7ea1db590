//! What separates words in each of the text formats.

use std::fmt::Debug;

/// What separates words in a format.
pub(in super::super) trait Syntax: Clone + Debug {
    /// White space within a line.
    fn is_blank(byte: u8) -> bool;

    /// Starts a comment that runs to the end of the line.
    fn is_comment(_: u8) -> bool {
        false
    }

    /// A word of its own wherever it stands.
    fn is_brace(_: u8) -> bool {
        false
    }

    /// Not part of the word before it.
    fn ends_word(byte: u8) -> bool {
        Self::is_blank(byte) || is_line_end(byte) || Self::is_comment(byte) || Self::is_brace(byte)
    }
}

/// Limits are written `(-20 20)`, `(-20, 20)` or `( -20 20 )`: commas and
/// parentheses are white space.
#[derive(Clone, Debug)]
pub(in super::super) struct AsfSyntax;

impl Syntax for AsfSyntax {
    fn is_blank(byte: u8) -> bool {
        matches!(byte, b' ' | b'\t' | b',' | b'(' | b')' | 0x0b | 0x0c)
    }

    fn is_comment(byte: u8) -> bool {
        byte == b'#'
    }
}

/// A `#` is a comment only where a word could start (`1.#QNAN` is a value),
/// and one in the header can name the skeleton: the parser looks at each.
#[derive(Clone, Debug)]
pub(in super::super) struct AmcSyntax;

impl Syntax for AmcSyntax {
    #[inline(always)]
    fn is_blank(byte: u8) -> bool {
        matches!(byte, b' ' | b'\t' | b',' | 0x0b | 0x0c)
    }

    fn ends_word(byte: u8) -> bool {
        byte <= b' ' || byte == b','
    }
}

/// Nothing is a comment; everything below the space is one, NUL included.
#[derive(Clone, Debug)]
pub(in super::super) struct BvhSyntax;

impl Syntax for BvhSyntax {
    #[inline(always)]
    fn is_blank(byte: u8) -> bool {
        byte <= b' ' && !is_line_end(byte)
    }

    fn is_brace(byte: u8) -> bool {
        matches!(byte, b'{' | b'}')
    }
}

pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}
