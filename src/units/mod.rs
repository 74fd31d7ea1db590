//! Lengths and axes: which unit a skeleton is in, and how many metres that makes.
//!
//! Motion capture files rarely name their unit. A skeleton of a person gives
//! it away by its height, so the unit is guessed from that, said to be
//! assumed, and can be overridden. Everything behind `import` is in metres.

mod up_axis;

use std::{fmt, str::FromStr};

pub use up_axis::UpAxis;

/// Heights of people, in metres: from a child to the tallest, as skeletons
/// often leave out the head or the feet.
const HUMAN_HEIGHT_M: std::ops::RangeInclusive<f64> = 1.0..=2.3;

/// Units that skeleton files are found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthUnit {
    /// 2.54 cm; what CMU's files are in.
    Inch,
    /// A hundredth of a metre.
    Centimetre,
    /// A metre.
    Metre,
    /// A thousandth of a metre.
    Millimetre,
    /// 30.48 cm.
    Foot,
}

impl LengthUnit {
    /// In order of preference: inches first, as CMU's thousands of files are.
    pub const ALL: [Self; 5] = [
        Self::Inch,
        Self::Centimetre,
        Self::Metre,
        Self::Millimetre,
        Self::Foot,
    ];

    /// Metres in one unit.
    #[must_use]
    pub fn metres(self) -> f64 {
        match self {
            Self::Inch => 0.0254,
            Self::Centimetre => 0.01,
            Self::Metre => 1.0,
            Self::Millimetre => 0.001,
            Self::Foot => 0.3048,
        }
    }
}

impl fmt::Display for LengthUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inch => "inch",
            Self::Centimetre => "cm",
            Self::Metre => "m",
            Self::Millimetre => "mm",
            Self::Foot => "foot",
        })
    }
}

impl FromStr for LengthUnit {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Ok(match word.to_ascii_lowercase().as_str() {
            "inch" | "inches" | "in" => Self::Inch,
            "cm" | "centimetre" | "centimeter" | "centimetres" | "centimeters" => Self::Centimetre,
            "m" | "metre" | "meter" | "metres" | "meters" => Self::Metre,
            "mm" | "millimetre" | "millimeter" | "millimetres" | "millimeters" => Self::Millimetre,
            "foot" | "feet" | "ft" => Self::Foot,
            _ => return Err(format!("{word:?} is not one of inch, cm, m, mm, foot")),
        })
    }
}

/// How the numbers of a file become metres: divided by `divisor`, times the
/// unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LengthScale {
    /// The unit.
    pub unit: LengthUnit,
    /// True when the file does not name it.
    pub assumed: bool,
    /// The `length` of `:units`.
    pub divisor: f64,
}

impl LengthScale {
    /// Metres in one length unit of the file.
    #[must_use]
    pub fn metres_per_unit(&self) -> f64 {
        // Acclaim's specification says to multiply by `length`; CMU's own notes
        // divide, and only that makes people of real files: 29.5 units / 0.45
        // in inches are 1.67 m.
        self.unit.metres() / self.divisor
    }

    /// Whether this many file units are as tall as a person.
    #[must_use]
    pub fn makes_human(&self, height: f64) -> bool {
        HUMAN_HEIGHT_M.contains(&(height * self.metres_per_unit()))
    }

    /// The unit for which a figure of this height (file units) is as tall
    /// as a person, 1.0–2.3 m; inches when none is.
    #[must_use]
    pub fn guess(height: f64, divisor: f64) -> Self {
        let scale = |unit| Self {
            unit,
            assumed: true,
            divisor,
        };
        let mut all = LengthUnit::ALL.into_iter().map(scale);
        let human = all.find(|scale| scale.makes_human(height));
        human.unwrap_or(scale(LengthUnit::Inch))
    }
}

/// A number as people write it: six digits that count, no exponent, thousands
/// apart from five digits on.
#[must_use]
pub fn number_text(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let before_point = value.abs().max(1e-12).log10().floor() as i32;
    let decimals = (5 - before_point).clamp(0, 12) as usize;
    let text = format!("{value:.decimals$}");
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.as_str()),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    let whole = grouped(whole);
    match (fraction, whole.as_str()) {
        ("", "0") => "0".to_owned(),
        ("", _) => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    }
}

fn grouped(digits: &str) -> String {
    if digits.len() < 5 {
        return digits.to_owned();
    }
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_gives_the_unit_away() {
        // 1.70 m written in each unit.
        for unit in LengthUnit::ALL {
            assert_eq!(LengthScale::guess(1.7 / unit.metres(), 1.0).unit, unit);
        }
        let cmu = LengthScale::guess(29.5, 0.45);
        assert_eq!(cmu.unit, LengthUnit::Inch);
        assert_close!(29.5 * cmu.metres_per_unit(), 1.665, 1e-3);
        assert_eq!(
            LengthScale::guess(0.0, 1.0).unit,
            LengthUnit::Inch,
            "nothing fits"
        );
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (120.0, "120"),
            (29.970_029_97, "29.97"),
            (f64::from(0.1f32), "0.1"),
            (1e-7, "0.0000001"),
            (-0.25, "-0.25"),
            (1234.5, "1234.5"),
            (12_345.678, "12,345.7"),
            (1_234_567.0, "1,234,567"),
            (1e20, "100,000,000,000,000,000,000"),
            (1e-30, "0"),
        ] {
            assert_eq!(number_text(value), expected);
        }
    }
}
