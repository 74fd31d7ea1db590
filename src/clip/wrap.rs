//! What happens past the ends of a clip.

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

/// Brings a clip time into 0..=duration.
#[must_use]
pub fn wrap_secs(secs: f64, duration_secs: f64, wrap: Wrap) -> f64 {
    if duration_secs <= 0.0 {
        return 0.0;
    }
    match wrap {
        Wrap::Once => secs.clamp(0.0, duration_secs),
        // Euclidean, so that times before 0 count from the end.
        Wrap::Loop => secs.rem_euclid(duration_secs),
        Wrap::PingPong => {
            // A triangle wave with a period of twice the clip.
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
                assert_close!(found, expected, 1e-12, "{wrap:?} {secs}");
            }
        }
        assert_eq!(wrap_secs(7.0, 0.0, Wrap::Loop), 0.0, "a single frame");
    }
}
