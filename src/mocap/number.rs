//! Decimal numbers, read as fast as their bytes allow and exact to the last
//! bit: the common case is one multiplication, all others go to the standard
//! library.

use nom::{IResult, error::ErrorKind};

/// Powers of ten that are exact in double precision.
const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Longer than any word for "not a number".
const LONGEST_WORD: usize = 32;

const WHOLE_POWERS_OF_TEN: [u64; 9] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// Value and number of the digits that eight bytes start with, all eight at
/// once: a loop over single digits ends somewhere else each time, and every
/// wrong guess of where costs the processor more than the arithmetic.
#[inline(always)]
fn leading_digits(bytes: [u8; 8]) -> (u64, usize) {
    // The first byte is the lowest; digits become 0 to 9.
    let word = u64::from_le_bytes(bytes) ^ 0x3030_3030_3030_3030;
    // Bit 7 of every byte above 9; a carry only reaches bytes after it.
    let others = (word.wrapping_add(0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080;
    let count = others.trailing_zeros() as usize / 8;
    if count == 0 {
        return (0, 0);
    }
    // Leading zeros in place of what follows the digits, then neighbours are
    // joined to pairs, pairs to fours, fours to eight.
    let digits = word << (64 - 8 * count);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    (low.wrapping_add(high) >> 32, count)
}

/// The decimal digits of a number, before they become one.
#[derive(Clone, Copy, Default)]
struct Decimal {
    mantissa: u64,
    digits: usize,
    exponent: i32,
}

impl Decimal {
    /// Appends the digits at the start of `input`; returns what follows.
    #[inline(always)]
    fn take_digits<'a>(&mut self, input: &'a [u8]) -> &'a [u8] {
        let mut rest = input;
        while let Some(&eight) = rest.first_chunk::<8>() {
            let (value, count) = leading_digits(eight);
            self.append(value, count);
            rest = &rest[count..];
            if count < 8 {
                self.digits += input.len() - rest.len();
                return rest;
            }
        }
        while let [byte @ b'0'..=b'9', after @ ..] = rest {
            self.append(u64::from(byte - b'0'), 1);
            rest = after;
        }
        self.digits += input.len() - rest.len();
        rest
    }

    /// Wraps past 19 digits; `value` then refuses the short cut.
    #[inline(always)]
    fn append(&mut self, value: u64, count: usize) {
        let scale = WHOLE_POWERS_OF_TEN[count];
        self.mantissa = self.mantissa.wrapping_mul(scale).wrapping_add(value);
    }

    /// Exact when both factors are exactly representable (Clinger 1990).
    #[inline(always)]
    fn value(self) -> Option<f64> {
        if self.digits > 19 || self.mantissa > 1 << 53 {
            return None;
        }
        let mantissa = self.mantissa as f64;
        match self.exponent {
            0 => Some(mantissa),
            e @ -22..=-1 => Some(mantissa / POWERS_OF_TEN[e.unsigned_abs() as usize]),
            e @ 1..=22 => Some(mantissa * POWERS_OF_TEN[e as usize]),
            _ => None,
        }
    }
}

/// A decimal number with optional sign, fraction and exponent, at the start of
/// `input`. What follows is left to the caller. Words like `nan` and `1.#INF`
/// are [`not_finite`]'s.
pub fn decimal(input: &[u8]) -> IResult<&[u8], f64> {
    match scan(input) {
        Some((value, rest)) => Ok((rest, value)),
        None => Err(nom::Err::Error(nom::error::Error::new(
            input,
            ErrorKind::Float,
        ))),
    }
}

/// [`decimal`] for the inner loop: the value and what follows, or `None`.
#[inline(always)]
#[must_use]
pub fn scan(input: &[u8]) -> Option<(f64, &[u8])> {
    // The sign is kept apart, so that -0.0 stays what it is.
    let (negative, unsigned) = match input {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, input),
    };
    let mut decimal = Decimal::default();
    let mut rest = decimal.take_digits(unsigned);
    if let [b'.', fraction @ ..] = rest {
        let whole_digits = decimal.digits;
        rest = decimal.take_digits(fraction);
        decimal.exponent = -((decimal.digits - whole_digits) as i32);
    }
    // `.`, `-` and `e5` are no numbers; `5.` and `.5` are.
    if decimal.digits == 0 {
        return None;
    }
    if let [b'e' | b'E', power @ ..] = rest
        && let Some((after, exponent)) = exponent(power)
    {
        decimal.exponent = decimal.exponent.saturating_add(exponent);
        rest = after;
    }
    let magnitude = match decimal.value() {
        Some(value) => value,
        None => slow(&unsigned[..unsigned.len() - rest.len()]),
    };
    Some((if negative { -magnitude } else { magnitude }, rest))
}

/// `-015` after the `e`; `None` when no digit follows.
#[inline]
fn exponent(input: &[u8]) -> Option<(&[u8], i32)> {
    let (negative, mut rest) = match input {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, input),
    };
    let before = rest.len();
    let mut value = 0i32;
    while let [byte @ b'0'..=b'9', after @ ..] = rest {
        value = value
            .saturating_mul(10)
            .saturating_add(i32::from(byte - b'0'));
        rest = after;
    }
    let value = if negative { -value } else { value };
    (rest.len() < before).then_some((rest, value))
}

/// Too many digits or too large an exponent for the short cut.
#[cold]
fn slow(digits: &[u8]) -> f64 {
    let text = std::str::from_utf8(digits).unwrap_or_default();
    text.parse().unwrap_or(f64::INFINITY)
}

/// True for the words that C libraries print for values that are no numbers:
/// `nan`, `-nan(ind)`, `inf`, and MSVC's `1.#QNAN`, `-1.#IND`, `1.#INF`.
#[must_use]
pub fn not_finite(word: &[u8]) -> bool {
    if word.len() > LONGEST_WORD {
        return false;
    }
    let word = word.to_ascii_lowercase();
    let word = word
        .strip_prefix(b"-")
        .or(word.strip_prefix(b"+"))
        .unwrap_or(&word);
    let plain = [b"nan".as_slice(), b"inf", b"infinity"].contains(&word);
    let with_payload = word.starts_with(b"nan(") && word.ends_with(b")");
    // Microsoft's C library prints `1.#QNAN`, `-1.#IND`, `1.#INF`.
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    plain || with_payload || (digits > 0 && word[digits..].starts_with(b".#"))
}

/// True for what may be the beginning of a number: a file that was cut short
/// can end in one.
#[must_use]
pub fn is_stump(word: &[u8]) -> bool {
    let part =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
    word.iter().all(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(text: &str) -> Option<f64> {
        match decimal(text.as_bytes()) {
            Ok((b"", value)) => Some(value),
            _ => None,
        }
    }

    #[test]
    fn numbers_of_real_files() {
        assert_eq!(whole("-4.57205e-015"), Some(-4.57205e-15));
        assert_eq!(whole("17.7036"), Some(17.7036));
        assert_eq!(whole("+3"), Some(3.0));
        assert_eq!(whole(".5"), Some(0.5));
        assert_eq!(whole("5."), Some(5.0));
        assert_eq!(whole("-0.0").map(f64::to_bits), Some((-0.0f64).to_bits()));
        assert_eq!(whole("1e999"), Some(f64::INFINITY));
        assert_eq!(whole("1e-999"), Some(0.0));
        assert_eq!(whole("1e99999999999999999999"), Some(f64::INFINITY));
        assert_eq!(
            whole("123456789012345678901234567890"),
            Some(1.234_567_890_123_456_8e29)
        );
    }

    #[test]
    fn what_is_no_number() {
        for text in [
            "", "-", ".", "e5", "abc", "--1", "nan", "1.2.3", "1e", "1e+", "0x10",
        ] {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    #[test]
    fn words_for_not_a_number() {
        for word in [
            "nan",
            "-nan(ind)",
            "NaN",
            "1.#QNAN",
            "-1.#IND",
            "1.#INF",
            "inf",
            "-Infinity",
        ] {
            assert!(not_finite(word.as_bytes()), "{word}");
        }
        for word in ["nano", "1.5", "#INF", "", "-", "info"] {
            assert!(!not_finite(word.as_bytes()), "{word}");
        }
    }

    proptest! {
        #[test]
        fn equal_to_the_standard_library_to_the_last_bit(
            text in "[-+]?[0-9]{1,22}(\\.[0-9]{0,22})?([eE][-+]?[0-9]{1,3})?",
        ) {
            prop_assert_eq!(whole(&text).map(f64::to_bits), text.parse::<f64>().ok().map(f64::to_bits));
        }
    }
}
