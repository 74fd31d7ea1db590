//! Keys of one value and the curve between them.

use glam::{Quat, Vec3};

use crate::math::quat::align_sign;

/// How values between two keys come about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Curve {
    /// The key before.
    Step,
    /// Straight from key to key; rotations the short way round at even speed.
    #[default]
    Linear,
    /// Hermite between values with the tangents at both (units a second),
    /// rotations made unit length afterwards.
    Cubic,
}

impl Curve {
    /// Values stored for each key: a cubic one has arriving tangent, value and
    /// leaving tangent.
    #[must_use]
    pub fn values_per_key(self) -> usize {
        match self {
            Self::Step | Self::Linear => 1,
            Self::Cubic => 3,
        }
    }
}

/// What a track may hold.
pub trait KeyValue: Copy + Default + PartialEq {
    /// Sum of values times weights, as plain numbers.
    fn weighted(terms: [(Self, f32); 4]) -> Self;
    /// Straight from one to the other.
    fn between(from: Self, to: Self, t: f32) -> Self;
    /// What a cubic ends in.
    fn finished(self) -> Self;
    /// True when every number is finite.
    fn is_sound(self) -> bool;
}

impl KeyValue for f32 {
    fn weighted(terms: [(Self, f32); 4]) -> Self {
        terms.iter().map(|(value, weight)| value * weight).sum()
    }

    fn between(from: Self, to: Self, t: f32) -> Self {
        from + (to - from) * t
    }

    fn finished(self) -> Self {
        self
    }

    fn is_sound(self) -> bool {
        self.is_finite()
    }
}

impl KeyValue for Vec3 {
    fn weighted(terms: [(Self, f32); 4]) -> Self {
        terms.iter().map(|(value, weight)| *value * *weight).sum()
    }

    fn between(from: Self, to: Self, t: f32) -> Self {
        from.lerp(to, t)
    }

    fn finished(self) -> Self {
        self
    }

    fn is_sound(self) -> bool {
        self.is_finite()
    }
}

impl KeyValue for Quat {
    fn weighted(terms: [(Self, f32); 4]) -> Self {
        let zero = Self::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let sum = terms.iter();
        sum.fold(zero, |sum, (value, weight)| sum + *value * *weight)
    }

    fn between(from: Self, to: Self, t: f32) -> Self {
        // Not nlerp: keys may lie far apart, and glTF asks for an even speed.
        from.slerp(align_sign(to, from), t)
    }

    fn finished(self) -> Self {
        let length = self.length();
        // A cubic between opposite quaternions may pass through nothing. No
        // turn at all shows less than a NaN in every joint below.
        if length > 1e-12 && length.is_finite() {
            self / length
        } else {
            Self::IDENTITY
        }
    }

    // Length is not asked for: tangents pass here as well, and a flat one is 0.
    fn is_sound(self) -> bool {
        self.is_finite()
    }
}

/// Why keys do not make a track.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrackError {
    /// A track has at least one key.
    #[error("a track has no keys")]
    NoKeys,
    /// Values and times do not go together.
    #[error("{keys} keys need {expected} values, and there are {found}")]
    ValueCount {
        /// Number of times.
        keys: usize,
        /// What the curve asks for.
        expected: usize,
        /// What is there.
        found: usize,
    },
    /// Times are finite, not negative, and never step back.
    #[error("the time {secs} of key {key} is not finite, negative, or before the key before it")]
    BadTime {
        /// Counted from 0.
        key: usize,
        /// In seconds.
        secs: f32,
    },
    /// A value is not a finite number, or a rotation has no length.
    #[error("value {value} is not finite or is no rotation")]
    BadValue {
        /// Counted from 0, tangents included.
        value: usize,
    },
    /// No joint of that name or number.
    #[error("there is no joint {0}")]
    NoSuchJoint(String),
    /// No morph target of that number.
    #[error("there is no morph target {morph}; the character has {morphs}")]
    NoSuchMorph {
        /// Counted from 0.
        morph: usize,
        /// How many there are.
        morphs: usize,
    },
    /// One value of a joint moved by two tracks.
    #[error("two tracks move the {what} of {of}")]
    TwoTracks {
        /// Translation, rotation, scale or weight.
        what: &'static str,
        /// Joint or morph target.
        of: String,
    },
}

/// Keys of one value, in order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys<T> {
    curve: Curve,
    times_secs: Vec<f32>,
    values: Vec<T>,
}

impl<T: KeyValue> Keys<T> {
    /// Checks and keeps keys. A cubic curve takes three values a key:
    /// arriving tangent, value, leaving tangent.
    pub fn new(curve: Curve, times_secs: Vec<f32>, values: Vec<T>) -> Result<Self, TrackError> {
        if times_secs.is_empty() {
            return Err(TrackError::NoKeys);
        }
        let expected = times_secs.len() * curve.values_per_key();
        if values.len() != expected {
            return Err(TrackError::ValueCount {
                keys: times_secs.len(),
                expected,
                found: values.len(),
            });
        }
        let mut before = 0.0;
        for (key, &secs) in times_secs.iter().enumerate() {
            if !(secs.is_finite() && secs >= before) {
                return Err(TrackError::BadTime { key, secs });
            }
            before = secs;
        }
        if let Some(value) = values.iter().position(|value| !value.is_sound()) {
            return Err(TrackError::BadValue { value });
        }
        Ok(Self {
            curve,
            times_secs,
            values,
        })
    }

    /// One value that never changes.
    #[must_use]
    pub fn constant(value: T) -> Self {
        Self {
            curve: Curve::Step,
            times_secs: vec![0.0],
            values: vec![value],
        }
    }

    /// How values between keys come about.
    #[must_use]
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// When the keys are, in seconds.
    #[must_use]
    pub fn times_secs(&self) -> &[f32] {
        &self.times_secs
    }

    /// All values; for a cubic curve arriving tangent, value and leaving
    /// tangent of each key.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Number of keys.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // never empty: `new` refuses that
    pub fn len(&self) -> usize {
        self.times_secs.len()
    }

    /// The value at a key.
    #[must_use]
    pub fn value(&self, key: usize) -> T {
        match self.curve {
            Curve::Step | Curve::Linear => self.values[key],
            Curve::Cubic => self.values[3 * key + 1],
        }
    }

    /// The value at a time; the first and last key hold beyond their times.
    #[must_use]
    pub fn at(&self, secs: f64) -> T {
        let after = self
            .times_secs
            .partition_point(|&key| f64::from(key) <= secs);
        let last = self.times_secs.len() - 1;
        if after == 0 {
            return self.value(0).finished();
        }
        if after > last {
            return self.value(last).finished();
        }
        // Of keys at one time the last counts: `end` lies strictly after
        // `start`, and the span is never 0.
        let key = after - 1;
        let (start, end) = (self.times_secs[key], self.times_secs[after]);
        let span = f64::from(end) - f64::from(start);
        let t = ((secs - f64::from(start)) / span) as f32;
        match self.curve {
            Curve::Step => self.values[key].finished(),
            // On a key the key itself, bit for bit: slerp would round it.
            Curve::Linear if t == 0.0 => self.values[key].finished(),
            Curve::Linear => T::between(self.values[key], self.values[after], t).finished(),
            Curve::Cubic => self.hermite(key, t, span as f32),
        }
    }

    fn hermite(&self, key: usize, t: f32, span: f32) -> T {
        let (from, leaving) = (self.values[3 * key + 1], self.values[3 * key + 2]);
        let (arriving, to) = (self.values[3 * key + 3], self.values[3 * key + 4]);
        // The Hermite basis. Tangents are per second, the basis per segment:
        // hence the span as a factor, as in glTF.
        let (t2, t3) = (t * t, t * t * t);
        T::weighted([
            (from, 2.0 * t3 - 3.0 * t2 + 1.0),
            (leaving, span * (t3 - 2.0 * t2 + t)),
            (to, 3.0 * t2 - 2.0 * t3),
            (arriving, span * (t3 - t2)),
        ])
        .finished()
    }

    /// The same, but that a single cubic key, whose tangents lead nowhere, is
    /// a step: formats ask for two keys of a cubic.
    #[must_use]
    pub fn plain(self) -> Self {
        if self.curve == Curve::Cubic && self.len() == 1 {
            return Self {
                curve: Curve::Step,
                values: vec![self.value(0)],
                times_secs: self.times_secs,
            };
        }
        self
    }

    /// The same keys with every value changed. Tangents go through `tangent`.
    #[must_use]
    pub fn map(&self, value: impl Fn(T) -> T, tangent: impl Fn(T) -> T) -> Self {
        let values = self.values.iter().enumerate();
        let values = values.map(|(index, &it)| match self.curve {
            Curve::Cubic if index % 3 != 1 => tangent(it),
            _ => value(it),
        });
        Self {
            curve: self.curve,
            times_secs: self.times_secs.clone(),
            values: values.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(curve: Curve, values: &[f32]) -> Keys<f32> {
        let count = values.len() / curve.values_per_key();
        let times = (0..count).map(|key| key as f32 * 0.5).collect();
        Keys::new(curve, times, values.to_vec()).unwrap()
    }

    #[test]
    fn step_holds_linear_leads_and_ends_hold() {
        let step = keys(Curve::Step, &[1.0, 3.0, 7.0]);
        for (secs, expected) in [
            (-1.0, 1.0),
            (0.49, 1.0),
            (0.5, 3.0),
            (0.99, 3.0),
            (9.0, 7.0),
        ] {
            assert_eq!(step.at(secs), expected, "{secs}");
        }
        let linear = keys(Curve::Linear, &[1.0, 3.0, 7.0]);
        for (secs, expected) in [
            (-1.0, 1.0),
            (0.25, 2.0),
            (0.5, 3.0),
            (0.75, 5.0),
            (9.0, 7.0),
        ] {
            assert_eq!(linear.at(secs), expected, "{secs}");
        }
    }

    #[test]
    fn a_cubic_with_true_tangents_is_the_parabola_it_was_taken_from() {
        // x² and its derivative 2x, at 0, 0.5 and 1.
        let parabola = [0.0, 0.0, 0.0, 1.0, 0.25, 1.0, 2.0, 1.0, 2.0];
        let cubic = keys(Curve::Cubic, &parabola);
        for step in 0..=100 {
            let x = f64::from(step) / 100.0;
            let off = f64::from(cubic.at(x)) - x * x;
            assert!(off.abs() < 1e-6, "{x}: off by {off}");
        }
    }

    #[test]
    fn a_tangent_may_break_at_a_key() {
        // Arrives flat, leaves steeply: the two sides differ, the value does not.
        let broken = [0.0, 0.0, 0.0, 0.0, 1.0, 8.0, 0.0, 2.0, 0.0];
        let cubic = keys(Curve::Cubic, &broken);
        assert_eq!(cubic.at(0.5), 1.0);
        let slope = |from: f64, to: f64| {
            (f64::from(cubic.at(to)) - f64::from(cubic.at(from))) / (to - from)
        };
        assert!(slope(0.499, 0.5).abs() < 0.05);
        assert_close!(slope(0.5, 0.501), 8.0, 0.2);
    }

    #[test]
    fn rotations_turn_evenly_and_the_short_way() {
        let from = Quat::from_rotation_y(0.2);
        let to = -Quat::from_rotation_y(1.2); // the other sign of the same turn
        let turn = Keys::new(Curve::Linear, vec![0.0, 1.0], vec![from, to]).unwrap();
        for (secs, angle) in [(0.25, 0.45), (0.5, 0.7), (0.75, 0.95)] {
            let off = turn.at(secs).angle_between(Quat::from_rotation_y(angle));
            assert!(off < 1e-3, "{secs}: {off}");
        }
        let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let values = vec![zero, from, zero, zero, to * -1.0, zero];
        let cubic = Keys::new(Curve::Cubic, vec![0.0, 1.0], values).unwrap();
        assert_close!(cubic.at(0.3).length(), 1.0, 1e-6);
    }

    #[test]
    fn wrong_keys_are_refused() {
        let refused = |times: &[f32], values: &[f32], curve| {
            Keys::new(curve, times.to_vec(), values.to_vec()).unwrap_err()
        };
        assert_eq!(refused(&[], &[], Curve::Step), TrackError::NoKeys);
        let count = refused(&[0.0, 1.0], &[1.0], Curve::Linear);
        assert!(matches!(
            count,
            TrackError::ValueCount {
                expected: 2,
                found: 1,
                ..
            }
        ));
        let count = refused(&[0.0], &[1.0], Curve::Cubic);
        assert!(matches!(count, TrackError::ValueCount { expected: 3, .. }));
        for times in [
            [1.0, 0.5],
            [-1.0, 0.0],
            [0.0, f32::NAN],
            [0.0, f32::INFINITY],
        ] {
            let error = refused(&times, &[0.0, 0.0], Curve::Step);
            assert!(matches!(error, TrackError::BadTime { .. }), "{times:?}");
        }
        let value = refused(&[0.0, 1.0], &[0.0, f32::NAN], Curve::Linear);
        assert_eq!(value, TrackError::BadValue { value: 1 });
    }

    #[test]
    fn two_keys_at_one_time_jump() {
        let jump = Keys::new(
            Curve::Linear,
            vec![0.0, 1.0, 1.0, 2.0],
            vec![0.0, 1.0, 5.0, 6.0],
        );
        let jump = jump.unwrap();
        assert_close!(jump.at(0.999), 0.999, 1e-5);
        assert_eq!(jump.at(1.0), 5.0);
        assert_eq!(jump.at(1.5), 5.5);
    }
}
