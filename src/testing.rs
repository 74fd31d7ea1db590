//! What unit tests, integration tests, benchmarks and synthetic motion share:
//! a comparison that prints what it compared, one seeded generator, and the
//! folder of real captures. Nothing of the product uses it.

use std::{
    env,
    path::{Path, PathBuf},
};

use glam::{DVec2, DVec3, Quat, Vec2, Vec3, Vec3A, Vec4};

/// Two values lie within a tolerance of each other; otherwise a panic that
/// names both, how far apart they are and what was allowed. A NaN is far from
/// everything. More arguments are a message, as in `assert!`.
///
/// Say beside the tolerance where it comes from: the precision of a format, the
/// accuracy that is promised, the step of a finite difference. What says nothing
/// allows for roundings: 1e-7 to 1e-5 for a few to a hundred of an `f32` of the
/// order of 1 (half an ulp is 6e-8), 1e-12 to 1e-9 likewise of an `f64`.
#[macro_export]
macro_rules! assert_close {
    ($left:expr, $right:expr, $tolerance:expr $(,)?) => {
        $crate::assert_close!($left, $right, $tolerance, "values differ")
    };
    ($left:expr, $right:expr, $tolerance:expr, $($message:tt)+) => {
        match (&$left, &$right, f64::from($tolerance)) {
            (left, right, tolerance) => {
                let apart = $crate::testing::Apart::apart(left, right);
                assert!(
                    apart <= tolerance,
                    "{}\n      left: {left:?} ({})\n     right: {right:?} ({})\ndifference: {apart:.3e}\n tolerance: {tolerance:.3e}",
                    format_args!($($message)+), stringify!($left), stringify!($right),
                );
            }
        }
    };
}

/// How far two values are from each other.
pub trait Apart {
    /// The absolute difference of numbers, the distance of points and of
    /// quaternions as points, the largest of all elements of lists.
    fn apart(&self, other: &Self) -> f64;
}

impl Apart for f64 {
    fn apart(&self, other: &Self) -> f64 {
        (self - other).abs()
    }
}

impl Apart for f32 {
    fn apart(&self, other: &Self) -> f64 {
        f64::from(*self).apart(&f64::from(*other))
    }
}

impl Apart for i32 {
    fn apart(&self, other: &Self) -> f64 {
        f64::from(*self).apart(&f64::from(*other))
    }
}

impl Apart for DVec2 {
    fn apart(&self, other: &Self) -> f64 {
        self.distance(*other)
    }
}

impl Apart for DVec3 {
    fn apart(&self, other: &Self) -> f64 {
        self.distance(*other)
    }
}

impl Apart for Vec2 {
    fn apart(&self, other: &Self) -> f64 {
        self.as_dvec2().distance(other.as_dvec2())
    }
}

impl Apart for Vec3 {
    fn apart(&self, other: &Self) -> f64 {
        self.as_dvec3().distance(other.as_dvec3())
    }
}

impl Apart for Vec3A {
    fn apart(&self, other: &Self) -> f64 {
        self.as_dvec3().distance(other.as_dvec3())
    }
}

impl Apart for Vec4 {
    fn apart(&self, other: &Self) -> f64 {
        self.as_dvec4().distance(other.as_dvec4())
    }
}

impl Apart for Quat {
    fn apart(&self, other: &Self) -> f64 {
        f64::from((*self - *other).length())
    }
}

impl<T: Apart> Apart for [T] {
    fn apart(&self, other: &Self) -> f64 {
        if self.len() != other.len() {
            return f64::INFINITY;
        }
        let each = self.iter().zip(other).map(|(a, b)| a.apart(b));
        // `f64::max` would forget a NaN.
        let larger = |most: f64, one: f64| match most >= one || most.is_nan() {
            true => most,
            false => one,
        };
        each.fold(0.0, larger)
    }
}

impl<T: Apart, const N: usize> Apart for [T; N] {
    fn apart(&self, other: &Self) -> f64 {
        self[..].apart(&other[..])
    }
}

impl<T: Apart> Apart for Vec<T> {
    fn apart(&self, other: &Self) -> f64 {
        self[..].apart(&other[..])
    }
}

/// Xorshift64* (Vigna 2016): small, any seed will do, and the same numbers on
/// every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts a sequence; equal seeds give equal ones.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // Neighbouring seeds are carried far apart; the state must not be 0.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number of `0..end`; 0 where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        // By the high bits, which are the better ones.
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// A range within `0..length`, empty ones and the whole included.
    pub fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let (a, b) = (self.below(length + 1), self.below(length + 1));
        a.min(b)..a.max(b)
    }

    /// Evenly spread over `low..high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        // 24 bits are all that an `f32` below 1 can hold.
        low + (high - low) * (self.bits() >> 40) as f32 / (1u32 << 24) as f32
    }

    /// Evenly spread over −1..1.
    pub fn signed(&mut self) -> f32 {
        self.between(-1.0, 1.0)
    }

    /// A number that has broken programs before: huge, tiny, zero, or of any
    /// order of magnitude from 1e-30 to 1e30.
    pub fn wild(&mut self) -> f64 {
        const WILD: [f64; 12] = [
            0.0,
            1e30,
            1e-30,
            1e20,
            1e12,
            0.999e9,
            1e6,
            1e-9,
            360.0,
            f32::MAX as f64,
            f32::MIN_POSITIVE as f64,
            1e-45,
        ];
        let any = f64::from(self.between(-30.0, 30.0));
        let size = match WILD.get(self.below(WILD.len() + 4)) {
            Some(&size) => size,
            None => 10f64.powf(any),
        };
        size.copysign(f64::from(self.signed()))
    }

    /// Evenly spread over all rotations (Shoemake 1992).
    pub fn rotation(&mut self) -> Quat {
        let u = self.between(0.0, 1.0);
        let [a, b] = [(); 2].map(|()| self.between(0.0, std::f32::consts::TAU));
        let (r, s) = ((1.0 - u).sqrt(), u.sqrt());
        Quat::from_xyzw(r * a.sin(), r * a.cos(), s * b.sin(), s * b.cos()).normalize()
    }
}

/// Names the folder of real captures; `none` runs without, as on a machine
/// that has none.
const CORPUS: &str = "KINETOSCOPE_CORPUS";

/// The folder of real captures, or `None` after saying that what needs them is
/// skipped. Where `CI` is set a missing folder is a failure, unless
/// `KINETOSCOPE_CORPUS` is `none`.
#[must_use]
pub fn corpus() -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/mocap");
    let root = env::var_os(CORPUS).map_or_else(default, PathBuf::from);
    there(root.clone(), root.join("MANIFEST.tsv").is_file())
}

/// A folder alongside the captures, such as `bvh` or `gltf`, found or missed
/// in the same way.
#[must_use]
pub fn alongside_corpus(folder: &str) -> Option<PathBuf> {
    let found = corpus()?.join("..").join(folder);
    let is_there = found.is_dir();
    there(found, is_there)
}

#[allow(
    clippy::print_stderr,
    reason = "a test that is skipped has to say so, and there is nobody else to say it"
)]
fn there(folder: PathBuf, is_there: bool) -> Option<PathBuf> {
    if is_there {
        return Some(folder);
    }
    let without = env::var_os(CORPUS).is_some_and(|it| it == "none");
    let folder = folder.display();
    assert!(
        without || env::var_os("CI").is_none(),
        "no captures in {folder}: CI must have them (set {CORPUS}, or to `none` to run without)"
    );
    eprintln!("SKIPPED: no captures in {folder} (set {CORPUS})");
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_values_pass_and_others_say_what_they_are() {
        assert_close!(1.0f32, 1.25f32, 0.25);
        assert_close!(Vec3::X, Vec3::ZERO, 1.0);
        assert_close!([1.0, 2.0], [1.0, 2.5], 0.5, "with a {}", "message");
        let far = std::panic::catch_unwind(|| assert_close!(1.0, 1.5, 0.25, "case {}", 7));
        let told = *far.unwrap_err().downcast::<String>().unwrap();
        for part in ["case 7", "1.0 (1.0)", "1.5 (1.5)", "5.000e-1", "2.500e-1"] {
            assert!(told.contains(part), "{part:?} is missing in {told}");
        }
    }

    #[test]
    fn nothing_is_close_to_a_nan_or_to_a_list_of_another_length() {
        assert!(f64::NAN.apart(&0.0).is_nan());
        assert!([1.0, f64::NAN, 2.0].apart(&[1.0, 1.0, 2.0]).is_nan());
        assert_eq!(vec![1.0].apart(&vec![1.0, 2.0]), f64::INFINITY);
        let with_nan = || assert_close!([0.0, f64::NAN], [0.0, 0.0], f64::MAX);
        assert!(std::panic::catch_unwind(with_nan).is_err());
    }

    #[test]
    fn the_generator_repeats_itself_and_fills_its_ranges() {
        let mut random = Random::new(7);
        assert_eq!(random.bits(), Random::new(7).bits());
        assert_ne!(random.bits(), Random::new(8).bits());
        let sum: f32 = (0..10_000).map(|_| random.signed()).sum();
        // Ten times the standard error, √(1/3 / 10,000).
        assert_close!(sum / 10_000.0, 0.0, 0.06);
        let mut seen = [false; 3];
        (0..100).for_each(|_| seen[random.below(3)] = true);
        assert_eq!(seen, [true; 3]);
        assert!((0..100).all(|_| random.range(5).end <= 5));
        assert_eq!(random.below(0), 0);
    }
}
