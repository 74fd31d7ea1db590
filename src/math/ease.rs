//! Curves that lead from 0 to 1: how a fade spends its time.

use serde::{Deserialize, Serialize};

/// A curve from (0, 0) to (1, 1). Every kind gives exactly 0 at 0 and exactly
/// 1 at 1, so a finished fade leaves nothing behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Ease {
    /// Even all the way.
    Linear,
    /// 3t² − 2t³: starts and ends at rest.
    #[default]
    Smoothstep,
    /// A cubic Bézier from (0, 0) to (1, 1) with two inner control points, as
    /// in style sheets. Their x must lie in 0..=1, so that time never runs back.
    Bezier([f32; 2], [f32; 2]),
}

impl Ease {
    /// The share done at `t`; outside 0..=1 the ends hold.
    #[must_use]
    pub fn at(self, t: f32) -> f32 {
        if t <= 0.0 {
            return 0.0;
        }
        if t >= 1.0 {
            return 1.0;
        }
        match self {
            Self::Linear => t,
            Self::Smoothstep => smoothstep(t),
            Self::Bezier(a, b) => bezier(a[1], b[1], solve_bezier_x(a[0], b[0], t)),
        }
    }
}

/// 3t² − 2t³ for `t` in 0..=1.
#[inline]
#[must_use]
pub fn smoothstep(t: f32) -> f32 {
    t * t * (3.0 - 2.0 * t)
}

/// One coordinate of a Bézier whose ends are 0 and 1.
fn bezier(a: f32, b: f32, s: f32) -> f32 {
    // The Bernstein form: the end at 0 falls away, the end at 1 leaves s³.
    let r = 1.0 - s;
    3.0 * r * r * s * a + 3.0 * r * s * s * b + s * s * s
}

/// The curve parameter at which x equals `t`. x rises monotonically, so
/// halving always converges; 24 steps exhaust single precision.
fn solve_bezier_x(a: f32, b: f32, t: f32) -> f32 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if bezier(a, b, middle) < t {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// How an offset with a given start value and start velocity dies out over a
/// unit of time: `value · weights.0 + velocity · duration · weights.1`. Fifth
/// degree: value, velocity and acceleration are all zero at the end, and the
/// acceleration is zero at the start.
#[inline]
#[must_use]
pub fn quintic_decay(s: f32) -> (f32, f32) {
    if s >= 1.0 {
        return (0.0, 0.0);
    }
    let s = s.max(0.0);
    // 1 − 10s³ + 15s⁴ − 6s⁵ and s − 6s³ + 8s⁴ − 3s⁵: the six coefficients
    // follow from value, slope and curvature at both ends.
    let s3 = s * s * s;
    (
        1.0 + s3 * (-10.0 + s * (15.0 - 6.0 * s)),
        s + s3 * (-6.0 + s * (8.0 - 3.0 * s)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ease_starts_at_nothing_and_ends_at_all_and_never_turns_back() {
        let eases = [
            Ease::Linear,
            Ease::Smoothstep,
            Ease::Bezier([0.42, 0.0], [0.58, 1.0]),
            Ease::Bezier([1.0, 0.0], [0.0, 1.0]),
        ];
        for ease in eases {
            assert_eq!(ease.at(-0.5), 0.0);
            assert_eq!(ease.at(0.0), 0.0);
            assert_eq!(ease.at(1.0), 1.0);
            assert_eq!(ease.at(7.0), 1.0);
            let values: Vec<f32> = (0..=100).map(|i| ease.at(i as f32 / 100.0)).collect();
            assert!(
                values.windows(2).all(|pair| pair[1] >= pair[0] - 1e-6),
                "{ease:?}"
            );
        }
    }

    #[test]
    fn a_bezier_with_handles_on_the_diagonal_is_the_diagonal() {
        let straight = Ease::Bezier([0.25; 2], [0.7; 2]);
        for i in 1..10 {
            let t = i as f32 / 10.0;
            assert_close!(straight.at(t), t, 1e-5);
        }
        // By hand: handles (0, 1) and (0, 1): at s = 0.5, x = 1/8 and y = 7/8.
        let early = Ease::Bezier([0.0, 1.0], [0.0, 1.0]);
        assert_close!(early.at(0.125), 0.875, 1e-5);
    }

    #[test]
    fn the_quintic_starts_with_the_given_value_and_velocity_and_ends_at_rest() {
        let h = 1e-3;
        let at = |s: f32| {
            let (value, velocity) = quintic_decay(s);
            0.7 * value - 2.0 * velocity
        };
        assert_eq!(quintic_decay(0.0), (1.0, 0.0));
        assert_eq!(quintic_decay(1.0), (0.0, 0.0));
        assert!(((at(h) - at(0.0)) / h + 2.0).abs() < 1e-2);
        assert!(((at(1.0 - h)) / h).abs() < 1e-2);
    }
}
