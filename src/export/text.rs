//! Numbers as text: six decimals, no trailing zeros, no exponent.

/// Written decimals, as a scale: a micrometre or a millionth of a degree.
const SCALE: f64 = 1e6;
const DECIMALS: u32 = 6;

/// Appends a number. Values are finite and, as everywhere, below 10⁹ or so;
/// what is not finite is written as zero.
pub fn push_number(text: &mut String, value: f64) {
    let scaled = (value * SCALE).round();
    // Saturates past 9·10¹², which no length or angle reaches.
    let scaled = scaled as i64;
    if scaled < 0 {
        text.push('-');
    }
    let magnitude = scaled.unsigned_abs();
    // By hand: a clip is millions of numbers, and six decimals need nothing of
    // what the library's exact formatter does.
    let (whole, mut fraction) = (magnitude / SCALE as u64, magnitude % SCALE as u64);
    push_digits(text, whole, 1);
    if fraction > 0 {
        text.push('.');
        let mut width = DECIMALS;
        while fraction.is_multiple_of(10) {
            fraction /= 10;
            width -= 1;
        }
        push_digits(text, fraction, width);
    }
}

/// Digits of a number, leading zeros up to `width`.
fn push_digits(text: &mut String, number: u64, width: u32) {
    let mut digits = [b'0'; 20];
    let (mut at, mut left) = (digits.len(), number);
    while left > 0 || digits.len() - at < width as usize {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
    }
    text.extend(digits[at..].iter().map(|&digit| char::from(digit)));
}

/// Three numbers, a blank before each.
pub(super) fn push_vector(text: &mut String, vector: glam::DVec3) {
    for value in vector.to_array() {
        text.push(' ');
        push_number(text, value);
    }
}

/// A name as one word: these formats end names at blanks, and at the `marks`
/// of their own.
pub(super) fn word(name: &str, marks: &str) -> String {
    let bad = |c: char| c.is_whitespace() || c.is_control() || marks.contains(c);
    let word = name.trim().replace(bad, "_");
    if word.is_empty() {
        "_".to_owned()
    } else {
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_to_the_sixth_decimal() {
        let mut values = vec![0.0, 1.0, -1.0, 0.1, -0.000_001, 123_456.789, 1e9, 0.5, 10.0];
        values.extend((0..1000).map(|i| (f64::from(i) * 0.377).sin() * 10f64.powi(i % 9 - 4)));
        for value in values {
            let mut text = String::new();
            push_number(&mut text, value);
            let back: f64 = text.parse().unwrap();
            assert_close!(back, value, 0.5e-6, "{value} became {text}");
            assert!(!text.contains('.') || !text.ends_with('0'), "{text}");
        }
        let mut text = String::new();
        push_number(&mut text, -1e-9);
        assert_eq!(text, "0", "no minus zero");
    }
}
