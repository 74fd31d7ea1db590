//! Curves over time: keys, splines through knots, and seeded periodic noise.
//! All of them are pure functions of time, so every frame can be evaluated on
//! its own and a loop closes because its curves do.

use std::f64::consts::TAU;

/// One (time, value) pair.
pub type Key = (f64, f64);

/// Value at `t` of the smoothest monotone curve through `keys` (Fritsch–
/// Carlson tangents: no overshoot, flat at extremes), held beyond both ends.
pub fn monotone(keys: &[Key], t: f64) -> f64 {
    let last = keys.len() - 1;
    if t <= keys[0].0 {
        return keys[0].1;
    }
    if t >= keys[last].0 {
        return keys[last].1;
    }
    let i = keys.partition_point(|key| key.0 <= t) - 1;
    let (from, to) = (keys[i], keys[i + 1]);
    hermite(from, tangent(keys, i), to, tangent(keys, i + 1), t)
}

fn tangent(keys: &[Key], i: usize) -> f64 {
    if i == 0 || i + 1 == keys.len() {
        return 0.0;
    }
    let (h0, h1) = (keys[i].0 - keys[i - 1].0, keys[i + 1].0 - keys[i].0);
    let (d0, d1) = (
        (keys[i].1 - keys[i - 1].1) / h0,
        (keys[i + 1].1 - keys[i].1) / h1,
    );
    if d0 * d1 <= 0.0 {
        return 0.0;
    }
    let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
    (w0 + w1) / (w0 / d0 + w1 / d1)
}

fn hermite(from: Key, slope_from: f64, to: Key, slope_to: f64, t: f64) -> f64 {
    let h = to.0 - from.0;
    let u = (t - from.0) / h;
    let (u2, u3) = (u * u, u * u * u);
    from.1 * (2.0 * u3 - 3.0 * u2 + 1.0)
        + slope_from * h * (u3 - 2.0 * u2 + u)
        + to.1 * (3.0 * u2 - 2.0 * u3)
        + slope_to * h * (u3 - u2)
}

/// [`monotone`] rounded off over about ±`softness` seconds (a Gaussian
/// average), which makes acceleration continuous: muscle, not clockwork.
pub fn keyed_soft(keys: &[Key], softness: f64, t: f64) -> f64 {
    const TAPS: i32 = 6;
    let (mut sum, mut weights) = (0.0, 0.0);
    for tap in -TAPS..=TAPS {
        let u = f64::from(tap) / f64::from(TAPS) * 2.5;
        let weight = (-0.5 * u * u).exp();
        sum += weight * monotone(keys, t + u * softness);
        weights += weight;
    }
    sum / weights
}

/// [`keyed_soft`] with the softness most channels use.
pub fn keyed(keys: &[Key], t: f64) -> f64 {
    keyed_soft(keys, 0.035, t)
}

/// Cubic spline through knots: second derivative continuous.
pub struct Spline {
    knots: Vec<Key>,
    slopes: Vec<f64>,
}

impl Spline {
    /// Slopes given at both ends.
    pub fn clamped(knots: Vec<Key>, first_slope: f64, last_slope: f64) -> Self {
        let n = knots.len();
        let (mut upper, mut slopes) = (vec![0.0; n], vec![0.0; n]);
        slopes[0] = first_slope;
        slopes[n - 1] = last_slope;
        for i in 1..n - 1 {
            let (h0, h1) = (knots[i].0 - knots[i - 1].0, knots[i + 1].0 - knots[i].0);
            let (d0, d1) = (
                (knots[i].1 - knots[i - 1].1) / h0,
                (knots[i + 1].1 - knots[i].1) / h1,
            );
            let right = 3.0 * (d0 * h1 + d1 * h0);
            let pivot = 2.0 * (h0 + h1) - h1 * upper[i - 1];
            upper[i] = h0 / pivot;
            slopes[i] = (right - h1 * slopes[i - 1]) / pivot;
        }
        for i in (1..n - 1).rev() {
            slopes[i] -= upper[i] * slopes[i + 1];
        }
        Self { knots, slopes }
    }

    /// Value at `t`.
    pub fn at(&self, t: f64) -> f64 {
        let last = self.knots.len() - 2;
        let i = self
            .knots
            .partition_point(|knot| knot.0 <= t)
            .clamp(1, last + 1)
            - 1;
        hermite(
            self.knots[i],
            self.slopes[i],
            self.knots[i + 1],
            self.slopes[i + 1],
            t,
        )
    }
}

/// A smooth random curve of zero mean and about unit size that repeats.
#[derive(Clone)]
pub struct Noise {
    period_secs: f64,
    terms: Vec<(f64, f64, f64)>,
}

impl Noise {
    /// `slowest..=fastest` are whole oscillations per period.
    pub fn new(seed: u64, period_secs: f64, slowest: u32, fastest: u32) -> Self {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
        let term = |k: u32| {
            let amplitude = 0.5 + random(&mut state);
            (f64::from(k), amplitude, TAU * random(&mut state))
        };
        let mut terms = (slowest..=fastest).map(term).collect::<Vec<_>>();
        let power = terms.iter().map(|term| 0.5 * term.1 * term.1).sum::<f64>();
        for term in &mut terms {
            term.1 /= power.sqrt();
        }
        Self { period_secs, terms }
    }

    /// Value at a time.
    pub fn at(&self, t: f64) -> f64 {
        let term = |&(k, amplitude, phase): &(f64, f64, f64)| {
            amplitude * (TAU * k * t / self.period_secs + phase).sin()
        };
        self.terms.iter().map(term).sum()
    }

    /// [`Self::at`] less its value at time zero: a loop that starts neutral.
    pub fn change_since_start(&self, t: f64) -> f64 {
        self.at(t) - self.at(0.0)
    }
}

/// Uniform in 0..1 (SplitMix64).
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// A cosine of one oscillation per unit of `phase`, largest at `peak`.
pub fn wave(phase: f64, peak: f64) -> f64 {
    (TAU * (phase - peak)).cos()
}
