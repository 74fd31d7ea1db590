//! From the global clock to a clip's own time: t = R (τ − τ₀).

use serde::{Deserialize, Serialize};

/// What happens past either end of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wrap {
    /// Stops at the end.
    Once,
    /// Starts again.
    #[default]
    Loop,
    /// Runs back and forth.
    PingPong,
}

/// Maps global seconds to seconds of a clip and to its normalised time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Global time τ₀ at which the clip stands at its start.
    pub origin_secs: f64,
    /// Playback rate R; negative plays backwards.
    pub rate: f64,
    /// Behaviour past the ends.
    pub wrap: Wrap,
    /// Length of the clip in its own seconds.
    pub duration_secs: f64,
}

impl Clock {
    /// Starts a clip at global time `origin_secs` at normal speed.
    #[must_use]
    pub fn new(duration_secs: f64, wrap: Wrap, origin_secs: f64) -> Self {
        Self {
            origin_secs,
            rate: 1.0,
            wrap,
            duration_secs,
        }
    }

    /// Unwrapped clip time R (τ − τ₀).
    #[must_use]
    pub fn unwrapped_secs(&self, global_secs: f64) -> f64 {
        self.rate * (global_secs - self.origin_secs)
    }

    /// Clip time in 0..=duration.
    #[must_use]
    pub fn local_secs(&self, global_secs: f64) -> f64 {
        wrap_secs(
            self.unwrapped_secs(global_secs),
            self.duration_secs,
            self.wrap,
        )
    }

    /// Clip time in 0..=1; 0 for a clip of a single frame.
    #[must_use]
    pub fn normalised(&self, global_secs: f64) -> f64 {
        if self.duration_secs > 0.0 {
            self.local_secs(global_secs) / self.duration_secs
        } else {
            0.0
        }
    }

    /// Changes the rate without a jump: the clip time at `global_secs` stays.
    pub fn set_rate(&mut self, rate: f64, global_secs: f64) {
        let local = self.unwrapped_secs(global_secs);
        self.rate = rate;
        self.origin_secs = if rate == 0.0 {
            global_secs
        } else {
            global_secs - local / rate
        };
    }
}

/// Brings a clip time into 0..=duration.
#[must_use]
pub fn wrap_secs(secs: f64, duration_secs: f64, wrap: Wrap) -> f64 {
    if duration_secs <= 0.0 {
        return 0.0;
    }
    match wrap {
        Wrap::Once => secs.clamp(0.0, duration_secs),
        Wrap::Loop => secs.rem_euclid(duration_secs),
        Wrap::PingPong => {
            let there_and_back = secs.rem_euclid(2.0 * duration_secs);
            there_and_back.min(2.0 * duration_secs - there_and_back)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wrap_past_both_ends() {
        let cases = [
            (Wrap::Once, [(-1.0, 0.0), (0.5, 0.5), (3.0, 2.0)]),
            (Wrap::Loop, [(-0.5, 1.5), (0.5, 0.5), (4.5, 0.5)]),
            (Wrap::PingPong, [(-0.5, 0.5), (2.5, 1.5), (4.5, 0.5)]),
        ];
        for (wrap, pairs) in cases {
            for (secs, expected) in pairs {
                let found = wrap_secs(secs, 2.0, wrap);
                assert!((found - expected).abs() < 1e-12, "{wrap:?} {secs}: {found}");
            }
        }
        assert_eq!(wrap_secs(7.0, 0.0, Wrap::Loop), 0.0, "a single frame");
    }

    #[test]
    fn reversed_play_starts_from_the_end_of_a_loop() {
        let mut clock = Clock::new(2.0, Wrap::Loop, 10.0);
        clock.rate = -0.5;
        assert!((clock.local_secs(11.0) - 1.5).abs() < 1e-12);
        assert!((clock.normalised(11.0) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn a_new_rate_keeps_the_clip_where_it_is() {
        let mut clock = Clock::new(5.0, Wrap::Once, 0.0);
        clock.set_rate(-2.0, 3.0);
        assert!((clock.local_secs(3.0) - 3.0).abs() < 1e-12);
        assert!((clock.local_secs(4.0) - 1.0).abs() < 1e-12);
    }
}
