//! How one motion follows another: the time-warp and the alignment curve.

use crate::clip::Planar;

/// For every moment of a reference the moment of another motion that belongs
/// to it, and where that motion has to be put to lie on the reference. Strictly
/// increasing in time, smooth, headings unwrapped.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    start_secs: f64,
    step_secs: f64,
    times_secs: Vec<f64>,
    /// Slopes of the times, chosen so that the cubics between rise throughout.
    slopes: Vec<f64>,
    alignments: Vec<Planar>,
    distances_m: Vec<f32>,
}

/// One motion runs at most this many times as fast as the other, and at least
/// one in so many.
pub(super) const MOST_SLOPE: f64 = 4.0;

impl Curve {
    /// A curve through samples at even steps of the reference's time. Times
    /// that do not rise are pushed apart.
    #[must_use]
    pub(super) fn new(
        start_secs: f64,
        step_secs: f64,
        mut times_secs: Vec<f64>,
        alignments: Vec<Planar>,
        distances_m: Vec<f32>,
    ) -> Self {
        rise(&mut times_secs, step_secs / MOST_SLOPE);
        Self {
            slopes: rising_slopes(&times_secs, step_secs),
            start_secs,
            step_secs,
            times_secs,
            alignments,
            distances_m,
        }
    }

    /// Every moment belongs to itself.
    #[must_use]
    pub fn identity(start_secs: f64, step_secs: f64, samples: usize) -> Self {
        let time = |i: usize| start_secs + i as f64 * step_secs;
        Self::new(
            start_secs,
            step_secs,
            (0..samples).map(time).collect(),
            vec![Planar::IDENTITY; samples],
            vec![0.0; samples],
        )
    }

    /// The span of the reference that is registered, seconds.
    #[must_use]
    pub fn range_secs(&self) -> [f64; 2] {
        let steps = self.times_secs.len().saturating_sub(1) as f64;
        [self.start_secs, self.start_secs + steps * self.step_secs]
    }

    /// The span of the motion that it covers, seconds.
    #[must_use]
    pub fn image_secs(&self) -> [f64; 2] {
        let ends = [self.times_secs.first(), self.times_secs.last()];
        ends.map(|end| end.copied().unwrap_or(0.0))
    }

    /// Seconds between its samples.
    #[must_use]
    pub fn step_secs(&self) -> f64 {
        self.step_secs
    }

    /// The motion's times, one a sample.
    #[must_use]
    pub fn times_secs(&self) -> &[f64] {
        &self.times_secs
    }

    /// Where the motion has to be put, one a sample.
    #[must_use]
    pub fn alignments(&self) -> &[Planar] {
        &self.alignments
    }

    /// How far the points then are from each other, one a sample, metres.
    #[must_use]
    pub fn distances_m(&self) -> &[f32] {
        &self.distances_m
    }

    /// The mean of those distances.
    #[must_use]
    pub fn mean_distance_m(&self) -> f64 {
        let sum: f64 = self.distances_m.iter().map(|&it| f64::from(it)).sum();
        sum / self.distances_m.len().max(1) as f64
    }

    fn segment(&self, reference_secs: f64) -> (usize, f64) {
        let last = self.times_secs.len().saturating_sub(1);
        let position = (reference_secs - self.start_secs) / self.step_secs;
        let position = position.clamp(0.0, last as f64);
        let base = (position as usize).min(last.saturating_sub(1));
        (base, position - base as f64)
    }

    /// The motion's time; the ends hold.
    #[must_use]
    pub fn time_at(&self, reference_secs: f64) -> f64 {
        let (base, t) = self.segment(reference_secs);
        let Some(&[from, to]) = self
            .times_secs
            .get(base..base + 2)
            .and_then(|it| it.first_chunk())
        else {
            return self.times_secs.first().copied().unwrap_or(0.0);
        };
        let h = self.step_secs;
        let (t2, t3) = (t * t, t * t * t);
        // The Hermite form.
        from + (to - from) * (3.0 * t2 - 2.0 * t3)
            + h * self.slopes[base] * (t3 - 2.0 * t2 + t)
            + h * self.slopes[base + 1] * (t3 - t2)
    }

    /// Where the motion has to be put; the ends hold.
    #[must_use]
    pub fn alignment_at(&self, reference_secs: f64) -> Planar {
        let (base, t) = self.segment(reference_secs);
        match self.alignments.get(base..) {
            Some([from, to, ..]) => from.lerp(*to, t),
            Some([only]) => *only,
            _ => Planar::IDENTITY,
        }
    }

    /// The reference's time of a moment of the motion; the ends hold.
    #[must_use]
    pub fn reference_at(&self, time_secs: f64) -> f64 {
        let after = self.times_secs.partition_point(|&time| time < time_secs);
        if after == 0 || after == self.times_secs.len() {
            return self.range_secs()[usize::from(after > 0)];
        }
        let base = self.start_secs + (after - 1) as f64 * self.step_secs;
        let (mut low, mut high) = (base, base + self.step_secs);
        // The curve rises, so halving converges; this is a nanosecond.
        for _ in 0..30 {
            let middle = 0.5 * (low + high);
            match self.time_at(middle) < time_secs {
                true => low = middle,
                false => high = middle,
            }
        }
        0.5 * (low + high)
    }

    /// The same curve over another span, which it is to cover.
    #[must_use]
    pub(super) fn resampled(&self, start_secs: f64, step_secs: f64, samples: usize) -> Self {
        let secs = |k: usize| start_secs + k as f64 * step_secs;
        let nearest = |k: usize| {
            let (base, part) = self.segment(secs(k));
            self.distances_m[(base + usize::from(part > 0.5)).min(self.distances_m.len() - 1)]
        };
        Self::new(
            start_secs,
            step_secs,
            (0..samples).map(|k| self.time_at(secs(k))).collect(),
            (0..samples).map(|k| self.alignment_at(secs(k))).collect(),
            (0..samples).map(nearest).collect(),
        )
    }

    /// The same correspondence seen from the motion, sampled at its frames.
    #[must_use]
    pub fn inverse(&self, step_secs: f64) -> Option<Self> {
        let [first, last] = self.image_secs().map(|secs| secs / step_secs);
        let frames = (first - 1e-6).ceil() as usize..=(last + 1e-6).floor().max(0.0) as usize;
        let start_secs = *frames.start() as f64 * step_secs;
        let times = frames.map(|frame| self.reference_at(frame as f64 * step_secs));
        let times: Vec<f64> = times.collect();
        let alignments = times.iter().map(|&secs| self.alignment_at(secs).inverse());
        let alignments = alignments.collect();
        let distances = times
            .iter()
            .map(|&secs| self.distances_m[self.segment(secs).0]);
        let distances = distances.collect();
        (times.len() >= 2).then(|| Self::new(start_secs, step_secs, times, alignments, distances))
    }

    /// From the reference over this motion to a third one; `None` where they
    /// have no moment in common.
    #[must_use]
    pub fn then(&self, next: &Self) -> Option<Self> {
        let [low, high] = next.range_secs();
        let inside = |&k: &usize| (low..=high).contains(&self.times_secs[k]);
        let mut samples = (0..self.times_secs.len()).filter(inside);
        let first = samples.next()?;
        let last = samples.next_back()?;
        let time = |k: usize| next.time_at(self.times_secs[k]);
        let place = |k: usize| self.alignments[k].then(next.alignment_at(self.times_secs[k]));
        let distance =
            |k: usize| self.distances_m[k] + next.distances_m[next.segment(self.times_secs[k]).0];
        Some(Self::new(
            self.start_secs + first as f64 * self.step_secs,
            self.step_secs,
            (first..=last).map(time).collect(),
            (first..=last).map(place).collect(),
            (first..=last).map(distance).collect(),
        ))
    }
}

/// Pushes samples apart until each is at least `least` after the one before,
/// both ways from where they are, so that neither end runs off.
fn rise(times: &mut [f64], least: f64) {
    let end = times.last().copied().unwrap_or(0.0);
    for i in 1..times.len() {
        times[i] = times[i].max(times[i - 1] + least);
    }
    if let Some(last) = times.last_mut() {
        *last = end;
    }
    for i in (1..times.len()).rev() {
        times[i - 1] = times[i - 1].min(times[i] - least);
    }
}

/// Slopes of Fritsch and Carlson: harmonic means of the neighbouring secants,
/// with which no cubic between two samples turns back.
fn rising_slopes(times: &[f64], step: f64) -> Vec<f64> {
    let secants: Vec<f64> = times
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) / step)
        .collect();
    let slope = |i: usize| match (
        i.checked_sub(1).and_then(|i| secants.get(i)),
        secants.get(i),
    ) {
        (Some(&before), Some(&after)) if before > 0.0 && after > 0.0 => {
            2.0 * before * after / (before + after)
        }
        (None, Some(&only)) | (Some(&only), None) => only,
        _ => 0.0,
    };
    (0..times.len()).map(slope).collect()
}
