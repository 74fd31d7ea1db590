//! Segments of Catmull-Rom curves, or lines: four keys in, a cubic out.
//!
//! A segment runs between the second and the third of four keys. At a track's
//! end the missing outer key repeats its neighbour (same time, same value).

use glam::Vec4;

/// How the times of the keys shape the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// As if all keys were evenly spaced (tension 0.5): `classic`.
    Uniform,
    /// Tangents are those of the parabola through three neighbouring keys at
    /// their true times, so that a key close to one neighbour and far from the
    /// other bends the curve no more than it should.
    Knots,
    /// Straight from key to key: `linear`.
    Straight,
}

/// The tangents at both ends of a segment, times its length, as weights of the
/// three differences between its four keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangents {
    /// At the second key.
    pub start: [f32; 3],
    /// At the third key.
    pub end: [f32; 3],
}

impl Tangents {
    /// Whatever the times.
    pub const UNIFORM: Self = Self {
        start: [0.5, 0.5, 0.0],
        end: [0.0, 0.5, 0.5],
    };

    /// Of a line: the rise itself at both ends.
    pub const STRAIGHT: Self = Self {
        start: [0.0, 1.0, 0.0],
        end: [0.0, 1.0, 0.0],
    };

    /// For four key times, equal where an outer key is missing.
    #[inline]
    #[must_use]
    pub fn new(timing: Timing, times: [f32; 4]) -> Self {
        let [before, length, after] = [
            times[1] - times[0],
            times[2] - times[1],
            times[3] - times[2],
        ];
        match (timing, before > 0.0, after > 0.0) {
            (Timing::Uniform, _, _) => Self::UNIFORM,
            (Timing::Knots, true, true) => Self::inner(before, length, after),
            // Without an outer key the parabola of the other end serves.
            (Timing::Knots, false, true) => {
                // A cubic whose tangents add up to twice its rise is a
                // parabola: here the one through the three keys that there
                // are.
                let [_, n, l] = Self::inner(after, length, after).end;
                Self {
                    start: [0.0, 2.0 - n, -l],
                    end: [0.0, n, l],
                }
            }
            (Timing::Knots, true, false) => {
                let [k, m, _] = Self::inner(before, length, before).start;
                Self {
                    start: [k, m, 0.0],
                    end: [-k, 2.0 - m, 0.0],
                }
            }
            (Timing::Straight, _, _) | (Timing::Knots, false, false) => Self::STRAIGHT,
        }
    }

    /// For a segment with a key on either side, by the frames before, in and
    /// after it.
    #[inline(always)]
    #[must_use]
    pub fn inner(before: f32, length: f32, after: f32) -> Self {
        // The slope at a key of the parabola through it and its neighbours is
        // the mean of the slopes on both sides, each weighed by the other
        // side's length. Times this segment's length: length² and outer² over
        // outer · (outer + length).
        let square = length * length;
        let side = |outer: f32| {
            let per_area = 1.0 / (outer * (outer + length));
            (square * per_area, outer * outer * per_area)
        };
        let ((k, m), (l, n)) = (side(before), side(after));
        Self {
            start: [k, m, 0.0],
            end: [0.0, n, l],
        }
    }

    /// The cubic's coefficients, constant first, in u = 0..=1 over the segment.
    #[inline(always)]
    #[must_use]
    pub fn coefficients(&self, keys: &[Vec4; 4]) -> [Vec4; 4] {
        let [before, rise, after] = [keys[1] - keys[0], keys[2] - keys[1], keys[3] - keys[2]];
        let blend =
            |weights: &[f32; 3]| before * weights[0] + rise * weights[1] + after * weights[2];
        cubic(keys[1], rise, blend(&self.start), blend(&self.end))
    }

    /// The weights of the four keys at `u`.
    #[must_use]
    pub fn weights(&self, u: f32) -> [f32; 4] {
        let (u2, u3) = (u * u, u * u * u);
        let to_start = u3 - 2.0 * u2 + u;
        let to_end = u3 - u2;
        // Weights of the differences, on top of the second key itself.
        // Hermite's basis: u³ − 2u² + u and u³ − u² for the tangents, 3u² −
        // 2u³ for the rise.
        let of = |i: usize| to_start * self.start[i] + to_end * self.end[i];
        let (before, rise, after) = (of(0), of(1) + 3.0 * u2 - 2.0 * u3, of(2));
        [-before, 1.0 + before - rise, rise - after, after]
    }
}

/// Hermite's form to powers.
#[inline(always)]
fn cubic(from: Vec4, rise: Vec4, start: Vec4, end: Vec4) -> [Vec4; 4] {
    // p(u) = from + start·u + (3·rise − 2·start − end)·u² + (start + end −
    // 2·rise)·u³
    let beyond = start - rise;
    let bend = beyond + (end - rise);
    [from, start, -beyond - bend, bend]
}

/// The cubic at `u`.
#[inline]
#[must_use]
pub fn evaluate(coefficients: &[Vec4; 4], u: f32) -> Vec4 {
    let [a, b, c, d] = *coefficients;
    // Horner's scheme, in the order of the eight-lane sampler: both round
    // alike.
    ((d * u + c) * u + b) * u + a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::spline::catmull_rom_weights;

    #[test]
    fn uniform_timing_is_the_textbook_curve() {
        let tangents = Tangents::new(Timing::Uniform, [0.0, 3.0, 4.0, 9.0]);
        for i in 0..=8 {
            let u = i as f32 / 8.0;
            let found = tangents.weights(u);
            for (found, expected) in found.iter().zip(catmull_rom_weights(u)) {
                assert_close!(*found, expected, 1e-6, "{u}");
            }
        }
        assert_eq!(
            Tangents::new(Timing::Knots, [0.0, 1.0, 2.0, 3.0]),
            Tangents::new(Timing::Uniform, [0.0; 4]),
            "evenly spaced knots are uniform"
        );
    }

    #[test]
    fn knots_reproduce_parabolas_at_uneven_times_and_at_the_ends() {
        let parabola = |t: f32| 0.3 * t * t - 2.0 * t + 1.0;
        let cases = [
            [0.0, 2.0, 3.0, 11.0],
            [2.0, 2.0, 3.0, 11.0],
            [0.0, 2.0, 3.0, 3.0],
        ];
        for times in cases {
            let tangents = Tangents::new(Timing::Knots, times);
            let keys = times.map(|t| Vec4::splat(parabola(t)));
            for i in 0..=8 {
                let u = i as f32 / 8.0;
                let expected = parabola(times[1] + u * (times[2] - times[1]));
                let found = evaluate(&tangents.coefficients(&keys), u).x;
                assert_close!(found, expected, 1e-4, "{times:?} at {u}");
                let weights = tangents.weights(u);
                let again: f32 = weights.iter().zip(keys).map(|(w, k)| w * k.x).sum();
                assert_close!(again, expected, 1e-4, "{times:?} at {u}");
            }
        }
    }

    #[test]
    fn two_keys_alone_are_joined_by_a_line() {
        let keys = [1.0, 1.0, 5.0, 5.0].map(Vec4::splat);
        let tangents = Tangents::new(Timing::Knots, [4.0, 4.0, 8.0, 8.0]);
        let found = evaluate(&tangents.coefficients(&keys), 0.25).x;
        assert_close!(found, 2.0, 1e-6);
    }
}
