//! Foot lock: a foot that stands stays where it came to stand.
//!
//! While a foot is locked its ball is held at one point of the world; when it
//! lifts, what held it back dies out. The correction is always an offset to
//! where the animation has the foot, and it is continuous: a lock begins with
//! the offset that is there.

use glam::{DVec2, Vec3A};

use super::description::FootLock;
use crate::math::{Transform, ease::smoothstep};

/// One foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FootHold {
    /// Free; an offset (metres, world X and Z) since the given moment dies out.
    Free {
        /// At the moment of release.
        offset: DVec2,
        /// Seconds since.
        since_secs: f64,
    },
    /// Held at a point (world X and Z).
    Locked(DVec2),
}

impl Default for FootHold {
    fn default() -> Self {
        Self::Free {
            offset: DVec2::ZERO,
            since_secs: 0.0,
        }
    }
}

/// A foot that was held far back takes longer to return: seconds a metre.
const RETURN_SECS_PER_M: f64 = 2.5;

impl FootHold {
    /// The offset for a ball that the animation has at `ball`.
    #[must_use]
    pub fn offset(self, ball: DVec2, ahead_secs: f64, settings: &FootLock) -> DVec2 {
        let most = f64::from(settings.reach_m);
        match self {
            Self::Locked(point) => (point - ball).clamp_length_max(most),
            Self::Free { offset, since_secs } => {
                let secs = settings
                    .release_secs
                    .max(offset.length() * RETURN_SECS_PER_M)
                    .max(1e-6);
                let done = ((since_secs + ahead_secs) / secs).min(1.0) as f32;
                offset * f64::from(1.0 - smoothstep(done))
            }
        }
    }

    /// Lets time pass.
    pub fn advance(&mut self, dt_secs: f64) {
        if let Self::Free { since_secs, .. } = self {
            *since_secs += dt_secs;
        }
    }

    /// Locks or releases; `ball` is where the animation has the ball now.
    pub fn set_locked(&mut self, lock: bool, ball: DVec2, settings: &FootLock) {
        let offset = self.offset(ball, 0.0, settings);
        *self = match lock {
            true => Self::Locked(ball + offset),
            false => Self::Free {
                offset,
                since_secs: 0.0,
            },
        };
    }

    /// True while held.
    #[must_use]
    pub fn is_locked(self) -> bool {
        matches!(self, Self::Locked(_))
    }
}

/// World X and Z of a point.
#[must_use]
pub fn ground_point(world_from_model: Transform, model_point: Vec3A) -> DVec2 {
    let world = world_from_model.transform_point(model_point);
    DVec2::new(world.x.into(), world.z.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: FootLock = FootLock {
        weight: 1.0,
        release_secs: 0.2,
        reach_m: 0.1,
    };

    #[test]
    fn a_locked_foot_stays_and_a_released_one_returns() {
        let mut foot = FootHold::default();
        let spot = DVec2::new(1.0, 2.0);
        foot.set_locked(true, spot, &SETTINGS);
        assert_eq!(foot.offset(spot, 0.0, &SETTINGS), DVec2::ZERO);
        let drifted = spot + DVec2::new(0.0, 0.03);
        let shown = drifted + foot.offset(drifted, 0.0, &SETTINGS);
        assert_close!(shown, spot, 1e-12);
        foot.set_locked(false, drifted, &SETTINGS);
        let shown = drifted + foot.offset(drifted, 0.0, &SETTINGS);
        assert_close!(shown, spot, 1e-12, "no jump at release");
        foot.advance(0.2);
        assert_eq!(foot.offset(drifted, 0.0, &SETTINGS), DVec2::ZERO);
    }

    #[test]
    fn a_lock_taken_while_an_offset_dies_out_starts_where_the_foot_is_seen() {
        let mut foot = FootHold::Free {
            offset: DVec2::new(0.05, 0.0),
            since_secs: 0.1,
        };
        let ball = DVec2::new(0.3, 0.0);
        let seen = ball + foot.offset(ball, 0.0, &SETTINGS);
        foot.set_locked(true, ball, &SETTINGS);
        let still = ball + foot.offset(ball, 0.0, &SETTINGS);
        assert_close!(seen, still, 1e-12);
    }

    #[test]
    fn it_does_not_hold_further_than_it_reaches() {
        let foot = FootHold::Locked(DVec2::ZERO);
        let far = DVec2::new(5.0, 0.0);
        assert_close!(foot.offset(far, 0.0, &SETTINGS).length(), 0.1, 1e-7);
    }
}
