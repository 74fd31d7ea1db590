//! Foot lock: a foot that stands stays where it came to stand, or takes a step.
//!
//! While a foot is locked its ball is held at one point of the world; when it
//! lifts, what held it back dies out. Where a fade would drag it over the
//! ground it steps instead: lifted, carried to where it is going to stand, put
//! down. The correction is always an offset to where the animation has the
//! foot, and it is continuous: a lock begins with the offset that is there, a
//! step with the velocity.

use glam::{DVec2, Vec3A};

use super::{
    description::FootLock,
    foot_step::{FootStep, UNSEEN_M},
};
use crate::math::{
    Transform,
    ease::{quintic_decay, smoothstep},
};

/// Where a foot is shown, from where the animation has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootOffset {
    /// Metres, world X and Z.
    pub ground: DVec2,
    /// Metres upwards.
    pub rise_m: f32,
    /// How `ground` changes a second.
    pub ground_velocity: DVec2,
    /// How `rise_m` changes a second.
    pub rise_velocity: f32,
}

impl FootOffset {
    /// What is added in `secs` seconds by the velocities, as they die out.
    #[must_use]
    pub fn carried(&self, secs: f64) -> (DVec2, f32) {
        let (_, share) = quintic_decay((secs / VELOCITY_SECS) as f32);
        let secs = share * VELOCITY_SECS as f32;
        let ground = self.ground_velocity * f64::from(secs);
        (ground, self.rise_velocity * secs)
    }
}

/// Seconds in which the velocity of an offset dies out. It carries a foot on by
/// 0.2 × 0.15 s × velocity at most, 3 cm at 1 m/s.
const VELOCITY_SECS: f64 = 0.15;

/// One foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FootHold {
    /// Free; an offset since the given moment dies out.
    Free {
        /// At the moment of release.
        from: FootOffset,
        /// Seconds since.
        since_secs: f64,
    },
    /// Held.
    Locked {
        /// World X and Z.
        point: DVec2,
        /// How firmly it is also held down, 0 to 1: a fade would have it float.
        grip: f32,
        /// Whether the grip gets firmer or looser.
        fading: bool,
    },
    /// On its way to another place.
    Stepping(FootStep),
}

impl Default for FootHold {
    fn default() -> Self {
        Self::Free {
            from: FootOffset::default(),
            since_secs: 0.0,
        }
    }
}

/// A foot that was held far back takes longer to return: seconds a metre.
const RETURN_SECS_PER_M: f64 = 2.5;
/// Seconds in which a locked foot is held down, or no longer.
const GRIP_SECS: f64 = 0.1;

impl FootHold {
    /// Locked where it is seen.
    #[must_use]
    pub fn locked(point: DVec2, grip: f32) -> Self {
        Self::Locked {
            point,
            grip,
            fading: grip > 0.0,
        }
    }

    /// The offset for a ball that the animation has at `ball`.
    #[must_use]
    pub fn offset(self, ball: DVec2, ahead_secs: f64, settings: &FootLock) -> DVec2 {
        match self {
            Self::Locked { point, .. } => point - ball,
            Self::Stepping(step) => step.at(ball, ahead_secs) - ball,
            Self::Free { from, since_secs } => {
                let secs = since_secs + ahead_secs;
                let left = f64::from(dying(from.ground, secs, settings));
                from.ground * left + from.carried(secs).0
            }
        }
    }

    /// How much higher than the animation has it, at `height_m`, the ball is
    /// shown; `sole_m` is its height when the foot stands.
    #[must_use]
    pub fn rise_m(self, height_m: f32, sole_m: f32, ahead_secs: f64, settings: &FootLock) -> f32 {
        match self {
            Self::Locked { grip, fading, .. } => {
                let more = (ahead_secs / GRIP_SECS) as f32;
                let grip = grip + if fading { more } else { -more };
                -grip.clamp(0.0, 1.0) * (height_m - sole_m - UNSEEN_M).max(0.0)
            }
            Self::Stepping(step) => step.height_m(height_m, sole_m, ahead_secs) - height_m,
            Self::Free { from, since_secs } => {
                let secs = since_secs + ahead_secs;
                from.rise_m * dying(from.ground, secs, settings) + from.carried(secs).1
            }
        }
    }

    /// Lets time pass, `now_fading` while a fade carries the animation's feet. A
    /// step is advanced by whoever knows where it leads.
    pub fn advance(&mut self, dt_secs: f64, now_fading: bool) {
        match self {
            Self::Free { since_secs, .. } => *since_secs += dt_secs,
            Self::Locked { grip, fading, .. } => {
                let more = (dt_secs / GRIP_SECS) as f32;
                *grip = (*grip + if *fading { more } else { -more }).clamp(0.0, 1.0);
                *fading = now_fading;
            }
            Self::Stepping(_) => {}
        }
    }

    /// Locks where the foot is seen; the animation has its ball at `ball`.
    pub fn lock(&mut self, ball: DVec2, settings: &FootLock) {
        *self = Self::locked(ball + self.offset(ball, 0.0, settings), 0.0);
    }

    /// Lets go of a foot that is shown there.
    #[must_use]
    pub const fn released(from: FootOffset) -> Self {
        Self::Free {
            from,
            since_secs: 0.0,
        }
    }

    /// True while held.
    #[must_use]
    pub fn is_locked(self) -> bool {
        matches!(self, Self::Locked { .. })
    }

    /// True on the way to another place.
    #[must_use]
    pub fn is_stepping(self) -> bool {
        matches!(self, Self::Stepping(_))
    }
}

/// The share that is left of a released foot's offset.
fn dying(offset: DVec2, since_secs: f64, settings: &FootLock) -> f32 {
    let secs = settings
        .release_secs
        .max(offset.length() * RETURN_SECS_PER_M)
        .max(1e-6);
    1.0 - smoothstep((since_secs / secs).min(1.0) as f32)
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
        foot.lock(spot, &SETTINGS);
        assert_eq!(foot.offset(spot, 0.0, &SETTINGS), DVec2::ZERO);
        let drifted = spot + DVec2::new(0.0, 0.03);
        let shown = drifted + foot.offset(drifted, 0.0, &SETTINGS);
        assert_close!(shown, spot, 1e-12);
        foot = FootHold::released(FootOffset {
            ground: foot.offset(drifted, 0.0, &SETTINGS),
            ..FootOffset::default()
        });
        let shown = drifted + foot.offset(drifted, 0.0, &SETTINGS);
        assert_close!(shown, spot, 1e-12, "no jump at release");
        foot.advance(0.2, false);
        assert_eq!(foot.offset(drifted, 0.0, &SETTINGS), DVec2::ZERO);
    }

    #[test]
    fn a_released_foot_goes_on_as_fast_as_it_went() {
        let from = FootOffset {
            ground: DVec2::new(0.05, 0.0),
            rise_m: 0.01,
            ground_velocity: DVec2::new(-1.0, 2.0),
            rise_velocity: 0.5,
        };
        let foot = FootHold::released(from);
        let (at, secs) = (DVec2::ZERO, 1e-4);
        let velocity = (foot.offset(at, secs, &SETTINGS) - from.ground) / secs;
        assert_close!(velocity, from.ground_velocity, 1e-2);
        let rise = |secs| foot.rise_m(0.1, 0.02, secs, &SETTINGS);
        assert_close!((rise(1e-3) - rise(0.0)) / 1e-3, from.rise_velocity, 1e-2);
        let (gone_m, sunk_m) = (foot.offset(at, 0.3, &SETTINGS), rise(0.3));
        assert_eq!((gone_m, sunk_m), (DVec2::ZERO, 0.0));
    }

    #[test]
    fn a_lock_taken_while_an_offset_dies_out_starts_where_the_foot_is_seen() {
        let mut foot = FootHold::Free {
            from: FootOffset {
                ground: DVec2::new(0.05, 0.0),
                ..FootOffset::default()
            },
            since_secs: 0.1,
        };
        let ball = DVec2::new(0.3, 0.0);
        let seen = ball + foot.offset(ball, 0.0, &SETTINGS);
        foot.lock(ball, &SETTINGS);
        let still = ball + foot.offset(ball, 0.0, &SETTINGS);
        assert_close!(seen, still, 1e-12);
    }
}
