//! Sine and cosine of half an angle, four at a time: what the rotations of a
//! frame spend their time in.

use fearless_simd::{Simd, f64x4};

/// Adding and subtracting it rounds a double to a whole number.
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²

/// Taylor's series, 1/3!, 1/5!, … and 1/2!, 1/4!, …, alternating in sign: for
/// |x| ≤ π/2 the first terms left out, x¹⁵/15! and x¹⁶/16!, stay below 7·10⁻¹⁰.
const SIN: [f64; 6] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
];
const COS: [f64; 7] = [
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
];

/// Sine and cosine of half an angle, both with the wrong sign after an odd
/// number of whole revolutions: as parts of a quaternion that is the same
/// rotation. Error below 10⁻⁹, sixty times finer than the single precision they end in.
#[inline(always)]
pub(super) fn sin_cos_of_half<S: Simd>(degrees: f64x4<S>) -> (f64x4<S>, f64x4<S>) {
    let revolutions = (degrees * (1.0 / 360.0) + ROUNDER) - ROUNDER;
    // Whole revolutions are taken off in degrees, where they are exact.
    let x = (degrees - revolutions * 360.0) * (std::f64::consts::PI / 360.0);
    let x2 = x * x;
    (x + x * series(&SIN, x2), series(&COS, x2) + 1.0)
}

/// The sum of `terms[n] · xⁿ⁺¹`.
#[inline(always)]
fn series<S: Simd>(terms: &[f64], x: f64x4<S>) -> f64x4<S> {
    let mut sum = x.simd.splat_f64x4(0.0);
    for &term in terms.iter().rev() {
        // Horner's scheme, from the smallest term up, so that small terms are
        // not lost in large ones.
        sum = (sum + term) * x;
    }
    sum
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    /// Sine and cosine of half an angle as the machine at hand computes them.
    fn half_angle(degrees: f64) -> (f64, f64) {
        let level = Level::new();
        dispatch!(level, simd => {
            let (sin, cos) = sin_cos_of_half(simd.splat_f64x4(degrees));
            (sin[0], cos[0])
        })
    }

    #[test]
    fn half_angle_sine_and_cosine_against_the_standard_library() {
        for step in -40_000..40_000 {
            let degrees = f64::from(step) * 0.037;
            let (sin, cos) = half_angle(degrees);
            let (true_sin, true_cos) = (degrees / 2.0).to_radians().sin_cos();
            let sign = if cos * true_cos + sin * true_sin < 0.0 {
                -1.0
            } else {
                1.0
            };
            assert_close!(
                sin * sign,
                true_sin,
                1e-9,
                "sin {degrees}/2: {sin} {true_sin}"
            );
            assert_close!(
                cos * sign,
                true_cos,
                1e-9,
                "cos {degrees}/2: {cos} {true_cos}"
            );
        }
        let (sin, cos) = half_angle(1e9);
        let norm = sin * sin + cos * cos;
        assert_close!(norm, 1.0, 1e-8, "stays on the circle");
    }
}
