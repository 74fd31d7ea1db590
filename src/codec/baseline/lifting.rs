//! The wavelet of Cohen, Daubechies and Feauveau with nine and seven taps, by
//! lifting (Daubechies and Sweldens 1998), the one of JPEG 2000.
//!
//! Scaled so that coefficients are nearly orthonormal: what is dropped from them
//! is missing from the signal by nearly the same sum of squares.

/// Predict, update, predict, update.
const STEPS: [f32; 4] = [-1.586_134_3, -0.052_980_12, 0.882_911_1, 0.443_506_85];
/// Makes a constant grow by √2 a level.
const SCALE: f32 = 1.149_604_4;
/// Shorter signals are left as they are.
const SHORTEST: usize = 4;

/// The lengths of ever coarser signals, the whole one first.
fn lengths(count: usize) -> Vec<usize> {
    let mut lengths = vec![count];
    while let Some(&length) = lengths.last().filter(|&&length| length > SHORTEST) {
        lengths.push(length.div_ceil(2));
    }
    lengths
}

/// Those that are split once more.
fn split_lengths(count: usize) -> Vec<usize> {
    let mut lengths = lengths(count);
    lengths.pop();
    lengths
}

/// First coefficient of each level, coarsest first: the means, then details.
pub fn levels(count: usize) -> Vec<usize> {
    let lengths = lengths(count);
    let starts = lengths.iter().rev().copied();
    let mut levels: Vec<usize> = std::iter::once(0).chain(starts).collect();
    // The whole signal's length is the end, not a start.
    levels.pop();
    levels
}

/// A signal into its coefficients, coarsest first.
pub fn forward(signal: &mut [f32], scratch: &mut Vec<f32>) {
    for length in split_lengths(signal.len()) {
        let part = &mut signal[..length];
        for (i, factor) in STEPS.into_iter().enumerate() {
            lift(part, 1 - i % 2, factor);
        }
        scratch.clear();
        scratch.extend(part.iter().step_by(2).map(|it| it * SCALE));
        scratch.extend(part.iter().skip(1).step_by(2).map(|it| it / SCALE));
        part.copy_from_slice(scratch);
    }
}

/// Coefficients into their signal.
pub fn inverse(coefficients: &mut [f32], scratch: &mut Vec<f32>) {
    for length in split_lengths(coefficients.len()).into_iter().rev() {
        let part = &mut coefficients[..length];
        scratch.clear();
        scratch.extend_from_slice(part);
        let (low, high) = scratch.split_at(length.div_ceil(2));
        for (to, from) in part.iter_mut().step_by(2).zip(low) {
            *to = from / SCALE;
        }
        for (to, from) in part.iter_mut().skip(1).step_by(2).zip(high) {
            *to = from * SCALE;
        }
        for (i, factor) in STEPS.into_iter().enumerate().rev() {
            lift(part, 1 - i % 2, -factor);
        }
    }
}

/// Adds to every second value its neighbours; beyond the ends the signal is
/// mirrored.
fn lift(part: &mut [f32], first: usize, factor: f32) {
    let last = part.len() - 1;
    for i in (first..part.len()).step_by(2) {
        let before = part[if i == 0 { 1 } else { i - 1 }];
        let after = part[if i == last { last - 1 } else { i + 1 }];
        part[i] += factor * (before + after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn signals_of_any_length_come_back() {
        let mut random = Random::new(3);
        let mut scratch = Vec::new();
        for count in (1..40).chain([256, 257, 1000]) {
            let signal: Vec<f32> = (0..count).map(|_| random.between(-1.0, 1.0)).collect();
            let mut again = signal.clone();
            forward(&mut again, &mut scratch);
            inverse(&mut again, &mut scratch);
            for (a, b) in signal.iter().zip(&again) {
                assert_close!(*a, *b, 1e-5, "{count}");
            }
            let levels = levels(count);
            assert_eq!(levels[0], 0);
            assert!(
                levels.windows(2).all(|pair| pair[0] < pair[1]),
                "{levels:?}"
            );
        }
    }

    #[test]
    fn lines_have_no_details_and_energy_is_nearly_kept() {
        let mut scratch = Vec::new();
        let mut line: Vec<f32> = (0..257).map(|i| 1.0 + 0.01 * i as f32).collect();
        forward(&mut line, &mut scratch);
        // Mirrored ends bend a line; within it nothing is left to tell.
        let finest = *levels(257).last().unwrap();
        let inner = &line[finest + 3..254];
        assert!(inner.iter().all(|it| it.abs() < 1e-4), "{inner:?}");
        let mut random = Random::new(4);
        let mut noise: Vec<f32> = (0..1024).map(|_| random.between(-1.0, 1.0)).collect();
        let energy = |signal: &[f32]| signal.iter().map(|it| it * it).sum::<f32>();
        let before = energy(&noise);
        forward(&mut noise, &mut scratch);
        assert_close!(energy(&noise) / before, 1.0, 0.1);
    }
}
