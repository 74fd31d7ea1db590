//! What stands before the differences: values with as many digits as they need.

use glam::Quat;

/// How the elements of attributes are to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// As they are.
    #[default]
    None,
    /// Directions on an octahedron.
    Octahedral,
    /// Rotations by three of their numbers.
    Quaternion,
    /// Floats by a mantissa and a power of two.
    Exponential,
}

/// Three numbers of a unit quaternion reach this far when the largest is left out.
const RANGE: f32 = std::f32::consts::FRAC_1_SQRT_2;

impl Filter {
    /// Its name in a file; `None` for one that nobody knows.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "NONE" => Some(Self::None),
            "OCTAHEDRAL" => Some(Self::Octahedral),
            "QUATERNION" => Some(Self::Quaternion),
            "EXPONENTIAL" => Some(Self::Exponential),
            _ => None,
        }
    }

    /// Its name in a file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Octahedral => "OCTAHEDRAL",
            Self::Quaternion => "QUATERNION",
            Self::Exponential => "EXPONENTIAL",
        }
    }

    /// Elements as they were before it, in place.
    pub(super) fn decode(self, bytes: &mut [u8], stride: usize) {
        match self {
            Self::None => {}
            Self::Octahedral if stride == 4 => {
                for element in bytes.as_chunks_mut::<4>().0 {
                    let [x, y, one, _] = element.map(|byte| f32::from(byte as i8));
                    let unit = octahedral(x, y, one);
                    let stored = unit.map(|it| (it * 127.0).round() as i8 as u8);
                    element[..3].copy_from_slice(&stored);
                }
            }
            Self::Octahedral => {
                for element in bytes.as_chunks_mut::<8>().0 {
                    let [x, y, one, w] = shorts(element);
                    let [x, y, one] = [x, y, one].map(f32::from);
                    let unit = octahedral(x, y, one);
                    let [x, y, z] = unit.map(|it| (it * 32767.0).round() as i16);
                    *element = bytes_of([x, y, z, w]);
                }
            }
            Self::Quaternion => {
                for element in bytes.as_chunks_mut::<8>().0 {
                    *element = bytes_of(decode_quaternion(shorts(element)));
                }
            }
            Self::Exponential => {
                for number in bytes.as_chunks_mut::<4>().0 {
                    *number = from_exponential(i32::from_le_bytes(*number)).to_le_bytes();
                }
            }
        }
    }
}

fn shorts(bytes: &[u8; 8]) -> [i16; 4] {
    let [a, b, c, d, e, f, g, h] = *bytes;
    [[a, b], [c, d], [e, f], [g, h]].map(i16::from_le_bytes)
}

fn bytes_of(shorts: [i16; 4]) -> [u8; 8] {
    let [[a, b], [c, d], [e, f], [g, h]] = shorts.map(i16::to_le_bytes);
    [a, b, c, d, e, f, g, h]
}

/// A direction by where it meets an octahedron, seen from above; the half below is
/// folded outwards.
fn octahedral(x: f32, y: f32, one: f32) -> [f32; 3] {
    // 1 is written as a number of its own, and is never 0 in a sound file.
    let one = if one == 0.0 { 1.0 } else { one };
    let (x, y) = (x / one, y / one);
    let z = 1.0 - x.abs() - y.abs();
    let fold = z.min(0.0);
    let (x, y) = (x - fold.copysign(x), y - fold.copysign(y));
    let length = (x * x + y * y + z * z).sqrt().max(f32::MIN_POSITIVE);
    [x / length, y / length, z / length]
}

/// A rotation as four fractions of 32767. The largest number is left out: the last
/// element says 1 in as many bits as the others have, and in its two lowest bits
/// which one that is; the others follow it in a circle.
#[must_use]
pub fn decode_quaternion(element: [i16; 4]) -> [i16; 4] {
    let one = f32::from(element[3] | 3);
    let part = |it: i16| f32::from(it) / one * RANGE;
    let [x, y, z] = [0, 1, 2].map(|i: usize| part(element[i]));
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let largest = usize::from(element[3] as u16 & 3);
    let mut numbers = [0; 4];
    for (place, number) in [w, x, y, z].into_iter().enumerate() {
        numbers[(largest + place) % 4] = (number * 32767.0).round() as i16;
    }
    numbers
}

/// The element that comes nearest to a unit quaternion with numbers of so many bits,
/// 4 to 16.
#[must_use]
pub fn encode_quaternion(rotation: Quat, bits: u32) -> [i16; 4] {
    let numbers = rotation.to_array();
    let by_size = |a: &usize, b: &usize| numbers[*a].abs().total_cmp(&numbers[*b].abs());
    let largest = (0..4).max_by(by_size).unwrap_or(3);
    let one = (1i32 << (bits.clamp(4, 16) - 1)) - 1;
    // q and -q are one rotation; the number left out is positive.
    let scale = (one as f32 / RANGE).copysign(numbers[largest]);
    let part = |place: usize| {
        let number = (numbers[(largest + place) % 4] * scale).round();
        number.clamp(-one as f32, one as f32) as i16
    };
    [
        part(1),
        part(2),
        part(3),
        (one & !3) as i16 | largest as i16,
    ]
}

/// 2^e · m of a number whose highest 8 bits are e and whose others are m, both with
/// a sign.
#[must_use]
pub fn from_exponential(number: i32) -> f32 {
    let exponent = (number >> 24).clamp(-100, 100);
    let mantissa = number << 8 >> 8;
    f32::from_bits(((exponent + 127) as u32) << 23) * mantissa as f32
}

/// The number of a value on a grid of steps of 2^e; values beyond 2²³ steps stop
/// there.
#[must_use]
pub fn exponential(value: f32, exponent: i8) -> i32 {
    let exponent = i32::from(exponent).clamp(-100, 100);
    let step = f64::from(f32::from_bits(((exponent + 127) as u32) << 23));
    let mantissa = (f64::from(value) / step).round();
    let mantissa = mantissa.clamp(-8_388_608.0, 8_388_607.0) as i32;
    exponent << 24 | (mantissa & 0x00ff_ffff)
}
