//! Derivatives of samples that carry the noise of single precision.
//!
//! Around every sample a polynomial is fitted by least squares to those within
//! [`HALF_SECS`], and differentiated (Savitzky and Golay 1964). Degree six keeps
//! the error of a movement of one turn a second below 0.02 % up to the third
//! derivative; at the ends the window stays inside and is looked at aside of its
//! middle.

/// On either side.
const HALF_SECS: f64 = 0.075;
/// At least so many samples on either side: as many as the degree asks for.
const LEAST_HALF: usize = 3;
const DEGREE: usize = 6;

/// The derivative of an order at every sample; `fps` samples a second.
#[must_use]
pub fn derivatives(values: &[f64], order: usize, fps: f64) -> Vec<f64> {
    let count = values.len();
    let half = ((HALF_SECS * fps).round() as usize).max(LEAST_HALF);
    let width = (2 * half + 1).min(count);
    if width < order + 1 {
        return vec![0.0; count];
    }
    let scale = fps.powi(order as i32);
    // One set of weights for the middle, and one for each place near an end.
    let rows: Vec<Vec<f64>> = (0..width).map(|at| weights(width, at, order)).collect();
    let at = |frame: usize| {
        let first = frame.saturating_sub(half).min(count - width);
        let window = &values[first..first + width];
        let row = rows[frame - first].iter().zip(window);
        scale * row.map(|(weight, value)| weight * value).sum::<f64>()
    };
    (0..count).map(at).collect()
}

/// What each sample of a window counts for the derivative at one of them.
fn weights(width: usize, at: usize, order: usize) -> Vec<f64> {
    let degree = DEGREE.min(width - 1);
    // From −1 to 1 over the window: powers of large numbers would lose digits.
    let (unit, middle) = ((width as f64 / 2.0).max(1.0), (width - 1) as f64 / 2.0);
    let x0 = (at as f64 - middle) / unit;
    let xs: Vec<f64> = (0..width).map(|it| (it as f64 - middle) / unit).collect();
    let power = |x: f64, exponent: usize| x.powi(exponent as i32);
    let moment = |row: usize, column: usize| xs.iter().map(|&x| power(x, row + column)).sum();
    let mut normal: Vec<Vec<f64>> = (0..=degree)
        .map(|row| (0..=degree).map(|column| moment(row, column)).collect())
        .collect();
    for (row, equation) in normal.iter_mut().enumerate() {
        // The derivative of x to the power of the row, at the sample itself.
        let falling: f64 = (0..order).map(|it| row as f64 - it as f64).product();
        equation.push(match row >= order {
            true => falling * power(x0, row - order),
            false => 0.0,
        });
    }
    let coefficients = solve(normal);
    let scale = 1.0 / unit.powi(order as i32);
    let weight = |&x: &f64| {
        let terms = coefficients.iter().enumerate();
        scale
            * terms
                .map(|(exponent, c)| c * power(x, exponent))
                .sum::<f64>()
    };
    xs.iter().map(weight).collect()
}

/// Gauss and Jordan, with the largest pivot; the right side is the last column.
fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let count = rows.len();
    for pivot in 0..count {
        let size = |row: &usize| rows[*row][pivot].abs();
        let best = (pivot..count).max_by(|a, b| size(a).total_cmp(&size(b)));
        rows.swap(pivot, best.unwrap_or(pivot));
        let own = rows[pivot].clone();
        for (index, row) in rows.iter_mut().enumerate().filter(|it| it.0 != pivot) {
            debug_assert!(index < count);
            let factor = row[pivot] / own[pivot];
            row.iter_mut()
                .zip(&own)
                .for_each(|(value, own)| *value -= factor * own);
        }
    }
    (0..count)
        .map(|row| rows[row][count] / rows[row][row])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_up_to_the_sixth_degree_are_exact_to_the_very_ends() {
        let values: Vec<f64> = (0..40).map(|it| f64::from(it) / 100.0).collect();
        let values: Vec<f64> = values.iter().map(|t| 2.0 * t * t * t - t).collect();
        let first = derivatives(&values, 1, 100.0);
        let third = derivatives(&values, 3, 100.0);
        for (frame, (first, third)) in first.iter().zip(&third).enumerate() {
            let t = frame as f64 / 100.0;
            assert_close!(*first, 6.0 * t * t - 1.0, 1e-9, "frame {frame}");
            assert_close!(*third, 12.0, 1e-4, "frame {frame}");
        }
    }

    #[test]
    fn a_few_samples_are_enough() {
        assert!(derivatives(&[], 1, 30.0).is_empty());
        assert_eq!(derivatives(&[4.0], 1, 30.0), [0.0]);
        let line = derivatives(&[0.0, 1.0], 1, 30.0);
        assert_close!(line[0], 30.0, 1e-9);
        assert_close!(line[1], 30.0, 1e-9);
    }
}
