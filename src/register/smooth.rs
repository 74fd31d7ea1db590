//! The smoothest curve near values that are not equally sure.

/// Minimises Σ certainty·(y − value)² + stiffness·Σ (second difference of y)²:
/// where values are sure it follows them, between it goes straight on. (The
/// smoother of Whittaker and Henderson; its matrix has five diagonals.)
#[must_use]
pub(super) fn smoothed(values: &[f64], certainties: &[f64], stiffness: f64) -> Vec<f64> {
    let count = values.len();
    if count < 3 {
        return values.to_vec();
    }
    // Without a single sure value any line would do; a trace of certainty
    // chooses the one through the values.
    let sure = |i: usize| certainties[i].max(1e-9 * stiffness.max(1e-9));
    let second = |i: usize| f64::from(u8::from(i >= 1 && i + 1 < count));
    let diagonal = |i: usize| {
        let beside = [i.wrapping_sub(1), i + 1].map(|j| if j < count { second(j) } else { 0.0 });
        sure(i) + stiffness * (4.0 * second(i) + beside[0] + beside[1])
    };
    let next = |i: usize| -2.0 * stiffness * (second(i) + second(i + 1));
    let after = |i: usize| stiffness * second(i + 1);
    // L·D·Lᵀ of a matrix with two diagonals below the main one.
    let (mut d, mut l1, mut l2) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
    let mut y = vec![0.0; count];
    for i in 0..count {
        d[i] = diagonal(i);
        y[i] = sure(i) * values[i];
        if i >= 2 {
            l2[i] = after(i - 2) / d[i - 2];
            d[i] -= d[i - 2] * l2[i] * l2[i];
            y[i] -= l2[i] * y[i - 2];
        }
        if i >= 1 {
            let above = if i >= 2 {
                l2[i] * d[i - 2] * l1[i - 1]
            } else {
                0.0
            };
            l1[i] = (next(i - 1) - above) / d[i - 1];
            d[i] -= d[i - 1] * l1[i] * l1[i];
            y[i] -= l1[i] * y[i - 1];
        }
    }
    for i in (0..count).rev() {
        y[i] /= d[i];
        if i + 1 < count {
            y[i] -= l1[i + 1] * y[i + 1];
        }
        if i + 2 < count {
            y[i] -= l2[i + 2] * y[i + 2];
        }
    }
    y
}

/// The stiffness at which waves of this frequency lose half their height, for
/// values of certainty 1 at the given rate.
#[must_use]
pub(super) fn stiffness(half_hz: f64, rate_hz: f64) -> f64 {
    // A second difference damps ω to (2 sin ω/2)² of its height.
    let omega = std::f64::consts::TAU * half_hz / rate_hz;
    (2.0 * (omega / 2.0).sin()).powi(-4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_and_gaps_are_bridged_straight() {
        let line: Vec<f64> = (0..50).map(|i| 3.0 + 0.5 * f64::from(i)).collect();
        assert_close!(smoothed(&line, &[1.0; 50], 1e4)[..], line[..], 1e-9);
        let mut torn = line.clone();
        let mut sure = [1.0; 50];
        for i in 20..30 {
            (torn[i], sure[i]) = (1e3, 0.0);
        }
        // The trace of certainty that is left to 1e3 pulls a little.
        assert_close!(smoothed(&torn, &sure, 10.0)[..], line[..], 1e-3);
    }

    #[test]
    fn a_wave_of_the_stated_frequency_is_halved() {
        let wave = |i: usize| (std::f64::consts::TAU * 2.0 * i as f64 / 60.0).sin();
        let values: Vec<f64> = (0..600).map(wave).collect();
        let smooth = smoothed(&values, &vec![1.0; 600], stiffness(2.0, 60.0));
        for i in 200..400 {
            assert_close!(smooth[i], 0.5 * values[i], 1e-6);
        }
    }
}
