//! Phase and time: what keeps different gaits in step.
//!
//! A phase counts cycles. In a gait, whole numbers are strikes of the left
//! foot and halves are strikes of the right one, whatever the clip; between
//! strikes phase and clip time run in proportion. Clips of different length,
//! speed and number of steps that are asked for the same phase therefore have
//! the same foot on the ground. A clip without strikes counts its length as
//! one or more cycles, or follows knots that registration found.

/// The relation of one clip's time to phase; both go on past the clip's end.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// Clip seconds at phases 0, ½, 1 …; one lap further the last knot is the
    /// first.
    knots_secs: Vec<f64>,
    duration_secs: f64,
    gait: bool,
    /// Its cycles are none of the motion's: one pass is.
    registered: bool,
}

/// Phase between two knots.
const STEP: f64 = 0.5;

impl Timeline {
    /// A clip that is `cycles` even cycles long.
    #[must_use]
    pub fn even(duration_secs: f64, cycles: usize) -> Self {
        let knots = 2 * cycles.max(1);
        Self {
            knots_secs: (0..knots)
                .map(|knot| duration_secs * knot as f64 / knots as f64)
                .collect(),
            duration_secs,
            gait: false,
            registered: false,
        }
    }

    /// A clip whose seconds at phases 0, ½, 1 … are known: from 0 on, never
    /// falling, an even number of them.
    #[must_use]
    pub fn warped(duration_secs: f64, knots_secs: Vec<f64>) -> Self {
        match knots_secs.is_empty() {
            true => Self::even(duration_secs, 1),
            false => Self {
                knots_secs,
                duration_secs,
                gait: false,
                registered: true,
            },
        }
    }

    /// A looped clip whose feet strike in turn, or `None` when they do not:
    /// both at once, the same twice, or not at all.
    #[must_use]
    pub fn gait(duration_secs: f64, left_secs: &[f64], right_secs: &[f64]) -> Option<Self> {
        let first = *left_secs.first()?;
        let sides = [(0, left_secs), (1, right_secs)];
        let strikes = sides.into_iter().flat_map(|(side, times)| {
            let from_first = times
                .iter()
                .map(move |&t| (t - first).rem_euclid(duration_secs));
            from_first.map(move |t| (t, side))
        });
        let mut strikes: Vec<(f64, i32)> = strikes.collect();
        strikes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let alternate = strikes.iter().enumerate().all(|(i, s)| s.1 == i as i32 % 2);
        let ends = strikes.iter().skip(1).map(|s| s.0).chain([duration_secs]);
        let apart = strikes.iter().zip(ends).all(|(a, b)| b - a.0 > 0.05);
        (alternate && apart && strikes.len().is_multiple_of(2)).then(|| Self {
            knots_secs: strikes.iter().map(|(t, _)| first + t).collect(),
            duration_secs,
            gait: true,
            registered: false,
        })
    }

    /// True when the phase follows feet.
    #[must_use]
    pub fn is_gait(&self) -> bool {
        self.gait
    }

    /// How far through its cycle a phase is, 0 to 1: from one strike of the left
    /// foot to the next, or through the clip.
    #[must_use]
    pub fn cycle_share(&self, phase: f64) -> f64 {
        let cycle = if self.registered { self.cycles() } else { 1.0 };
        (phase / cycle).rem_euclid(1.0)
    }

    /// Cycles in one pass of the clip.
    #[must_use]
    pub fn cycles(&self) -> f64 {
        self.knots_secs.len() as f64 * STEP
    }

    /// Seconds of one pass.
    #[must_use]
    pub fn duration_secs(&self) -> f64 {
        self.duration_secs
    }

    fn knot_secs(&self, knot: i64) -> f64 {
        let count = self.knots_secs.len() as i64;
        let laps = knot.div_euclid(count) as f64;
        self.knots_secs[knot.rem_euclid(count) as usize] + laps * self.duration_secs
    }

    /// The step a phase is in: seconds of the laps before it, its knot, and
    /// how far into the step.
    #[inline]
    fn step_at(&self, phase: f64) -> (f64, usize, f64) {
        let laps = (phase / self.cycles()).floor();
        let position = (phase - laps * self.cycles()) / STEP;
        let knot = (position as usize).min(self.knots_secs.len() - 1);
        (laps * self.duration_secs, knot, position - knot as f64)
    }

    /// Start and end of the step after a knot, seconds of its lap.
    #[inline]
    fn step_secs(&self, knot: usize) -> (f64, f64) {
        let end = match self.knots_secs.get(knot + 1) {
            Some(&next) => next,
            None => self.knots_secs[0] + self.duration_secs,
        };
        (self.knots_secs[knot], end)
    }

    /// Unwrapped clip time at a phase.
    #[must_use]
    pub fn secs(&self, phase: f64) -> f64 {
        let (laps_secs, knot, fraction) = self.step_at(phase);
        let (start, end) = self.step_secs(knot);
        laps_secs + start + (end - start) * fraction
    }

    /// Phase at an unwrapped clip time.
    #[must_use]
    pub fn phase(&self, secs: f64) -> f64 {
        if self.duration_secs <= 0.0 {
            return 0.0;
        }
        let laps = ((secs - self.knots_secs[0]) / self.duration_secs).floor();
        let mut knot = laps as i64 * self.knots_secs.len() as i64;
        while self.knot_secs(knot + 1) <= secs {
            knot += 1;
        }
        let (a, b) = (self.knot_secs(knot), self.knot_secs(knot + 1));
        (knot as f64 + (secs - a) / (b - a)) * STEP
    }

    /// Clip seconds per cycle around a phase.
    fn slope(&self, phase: f64) -> f64 {
        let (_, knot, _) = self.step_at(phase);
        let (start, end) = self.step_secs(knot);
        (end - start) / STEP
    }
}

/// The phase `dt_secs` later (earlier when negative) of timelines that play
/// together, each by its weight. A single one advances by exactly its own
/// time; several share the weighted mean of their seconds per cycle.
#[must_use]
pub fn advance<'a>(
    phase: f64,
    dt_secs: f64,
    playing: &(impl Iterator<Item = (&'a Timeline, f32)> + Clone),
) -> f64 {
    let forward = dt_secs >= 0.0;
    let (mut phase, mut left_secs) = (phase, dt_secs.abs());
    // From knot to knot: within a step all slopes are constant.
    for _ in 0..MOST_STEPS {
        let knot = phase / STEP;
        let (inside, next) = match forward {
            true => (phase + NUDGE, (knot + NUDGE).floor() + 1.0),
            false => (phase - NUDGE, (knot - NUDGE).ceil() - 1.0),
        };
        let secs_per_cycle: f64 = playing
            .clone()
            .map(|(timeline, weight)| timeline.slope(inside) * f64::from(weight))
            .sum();
        let room_secs = (next * STEP - phase).abs() * secs_per_cycle;
        if left_secs <= room_secs {
            let by = left_secs / secs_per_cycle.max(f64::MIN_POSITIVE);
            return if forward { phase + by } else { phase - by };
        }
        left_secs -= room_secs;
        phase = next * STEP;
    }
    phase
}

/// Cycles since a leg's foot struck last: left strikes at whole phases, right
/// at halves.
#[must_use]
pub fn since_strike(phase: f64, leg: usize) -> f64 {
    (phase - STEP * leg as f64 + NUDGE).rem_euclid(1.0)
}

/// The phase of a gait that goes on from another one's: the foot that struck
/// last is as far through its stance, or through what follows it, as it was.
/// `from` and `to` are the shares of a cycle that each foot stands. A walk's foot
/// stands for most of a step and a leap's for the least part of it; by phase
/// alone one would be in the air where the other stands.
#[must_use]
pub fn in_step(phase: f64, from: [f64; 2], to: [f64; 2]) -> f64 {
    let knot = (phase / STEP + NUDGE).floor();
    let leg = usize::from(knot.rem_euclid(2.0) >= 1.0);
    let [from, to] = [from[leg], to[leg]].map(|stance| stance.clamp(NUDGE, STEP));
    if from == to {
        return phase;
    }
    let passed = (phase - knot * STEP).max(0.0);
    let passed = match passed < from {
        true => passed * to / from,
        false => to + (passed - from) * (STEP - to) / (STEP - from).max(NUDGE),
    };
    knot * STEP + passed.min(STEP)
}

/// On which side of a knot a phase lies that has just reached it.
const NUDGE: f64 = 1e-9;
/// One call never runs through more steps than this.
const MOST_STEPS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn limping() -> Timeline {
        // Two cycles in 2.4 s, first left strike at 0.3 s, steps uneven.
        Timeline::gait(2.4, &[0.3, 1.5], &[0.8, 2.0]).unwrap()
    }

    #[test]
    fn left_strikes_are_whole_and_right_strikes_are_halves() {
        let gait = limping();
        let strikes = [(0.3, 0.0), (0.8, 0.5), (1.5, 1.0), (2.0, 1.5), (2.7, 2.0)];
        for (secs, phase) in strikes {
            assert_close!(gait.phase(secs), phase, 1e-12, "{secs}");
            assert_close!(gait.secs(phase), secs, 1e-12, "{phase}");
        }
        assert!((gait.phase(0.0) - gait.phase(2.4) + 2.0).abs() < 1e-12);
    }

    #[test]
    fn phase_and_time_are_inverse_over_many_laps() {
        for timeline in [limping(), Timeline::even(3.3, 2)] {
            for i in -100..100 {
                let secs = f64::from(i) * 0.173;
                assert_close!(timeline.secs(timeline.phase(secs)), secs, 1e-9);
            }
        }
    }

    #[test]
    fn one_clip_plays_in_its_own_time_both_ways() {
        let gait = limping();
        let mut phase = gait.phase(0.1);
        for _ in 0..500 {
            phase = advance(phase, 1.0 / 120.0, &[(&gait, 1.0)].into_iter());
        }
        assert_close!(gait.secs(phase), 0.1 + 500.0 / 120.0, 1e-6);
        let back = advance(phase, -500.0 / 120.0, &[(&gait, 1.0)].into_iter());
        assert_close!(gait.secs(back), 0.1, 1e-6);
    }

    #[test]
    fn two_gaits_share_the_mean_cycle() {
        let (slow, fast) = (Timeline::even(1.2, 1), Timeline::even(1.6, 2));
        let playing = [(&slow, 0.5), (&fast, 0.5)];
        let phase = advance(0.0, 1.0, &playing.into_iter());
        assert_close!(phase, 1.0, 1e-9, "(1.2 + 0.8) / 2 = 1 s a cycle");
    }

    #[test]
    fn feet_that_do_not_alternate_are_no_gait() {
        assert!(Timeline::gait(2.0, &[], &[0.5]).is_none());
        assert!(Timeline::gait(2.0, &[0.1, 0.6], &[1.5]).is_none(), "hop");
        assert!(Timeline::gait(2.0, &[0.1], &[0.11]).is_none(), "jump");
    }

    #[test]
    fn in_step_a_stance_stays_a_stance_and_a_swing_a_swing() {
        let (run, leap, walk) = ([0.3, 0.3], [0.15, 0.25], [0.6, 0.6]);
        assert_close!(
            in_step(4.15, run, leap),
            4.075,
            1e-12,
            "half of the left stance"
        );
        assert_close!(
            in_step(4.65, run, leap),
            4.625,
            1e-12,
            "half of the right one"
        );
        assert_close!(in_step(4.4, run, leap), 4.325, 1e-12, "half of the flight");
        assert_close!(
            in_step(7.25, walk, run),
            7.15,
            1e-12,
            "of a walk only the step counts"
        );
        assert_close!(in_step(3.5, run, leap), 3.5, 1e-12, "a strike is a strike");
        assert_eq!(in_step(4.4321, run, run), 4.4321);
    }

    #[test]
    fn no_length_no_movement() {
        let still = Timeline::even(0.0, 1);
        assert!(advance(0.25, 1.0, &[(&still, 1.0)].into_iter()).is_finite());
        assert_eq!(still.secs(0.3), 0.0);
    }
}
