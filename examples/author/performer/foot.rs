//! The foot on the floor: heel, ball and toe rockers (Perry, *Gait Analysis*).
//!
//! A planted foot turns about the heel while its toes are up, lies flat, then
//! turns about the ball and last about the toe tip. Whichever is the pivot
//! stays where it is, so a stance foot can neither slide nor sink.

use glam::{DQuat, DVec3};

use super::anthropometry as body;

/// Where a foot stands: the point of the floor under its ball, and where the
/// toes point (degrees about Y, positive to the left).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plant {
    /// Under the ball, metres, y = 0.
    pub ball: DVec3,
    /// Degrees.
    pub heading_deg: f64,
}

/// What the leg solver is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootTarget {
    /// Ankle joint, metres.
    pub ankle: DVec3,
    /// Degrees about Y.
    pub heading_deg: f64,
    /// Sole of the foot against the floor, degrees; toes up is positive.
    pub pitch_deg: f64,
    /// Sole of the toes against the floor, degrees; tips up is positive.
    pub toe_pitch_deg: f64,
}

/// Rotation of a sole with this heading and pitch.
pub fn sole_rotation(heading_deg: f64, pitch_deg: f64) -> DQuat {
    DQuat::from_rotation_y(heading_deg.to_radians())
        * DQuat::from_rotation_x(-pitch_deg.to_radians())
}

/// Ankle to toe joint in the foot's own frame.
pub const BALL_FROM_ANKLE: DVec3 = DVec3::new(
    0.0,
    body::SOLE_THICKNESS - body::ANKLE_HEIGHT,
    body::BALL_AHEAD_OF_ANKLE,
);
/// Ankle to the lower edge of the heel.
pub const HEEL_FROM_ANKLE: DVec3 = DVec3::new(0.0, -body::ANKLE_HEIGHT, -body::HEEL_BEHIND_ANKLE);

impl Plant {
    /// A foot whose ankle, when flat, is above (`x`, `z`).
    pub fn under_ankle(x: f64, z: f64, heading_deg: f64) -> Self {
        let ahead = sole_rotation(heading_deg, 0.0) * DVec3::Z * body::BALL_AHEAD_OF_ANKLE;
        Self {
            ball: DVec3::new(x, 0.0, z) + ahead,
            heading_deg,
        }
    }

    /// The ankle above a flat foot.
    pub fn flat_ankle(self) -> DVec3 {
        self.target(0.0, 0.0).ankle
    }

    /// The foot on its pivot: the heel when `pitch_deg` is positive, else the
    /// ball, or the toe tip when the toes are pitched down as well.
    pub fn target(self, pitch_deg: f64, toe_pitch_deg: f64) -> FootTarget {
        let flat = sole_rotation(self.heading_deg, 0.0);
        let foot = sole_rotation(self.heading_deg, pitch_deg);
        let ball_joint = self.ball + DVec3::Y * body::SOLE_THICKNESS;
        let ankle = if pitch_deg > 0.0 {
            let heel = ball_joint + flat * (HEEL_FROM_ANKLE - BALL_FROM_ANKLE);
            heel - foot * HEEL_FROM_ANKLE
        } else {
            let toes = DVec3::Z * body::TOES;
            let tip = ball_joint + flat * toes;
            let lifted = tip - sole_rotation(self.heading_deg, toe_pitch_deg.min(0.0)) * toes;
            lifted - foot * BALL_FROM_ANKLE
        };
        FootTarget {
            ankle,
            heading_deg: self.heading_deg,
            pitch_deg,
            toe_pitch_deg: if pitch_deg > 0.0 {
                toe_pitch_deg.max(pitch_deg)
            } else {
                toe_pitch_deg
            },
        }
    }

    /// The plant moved along the floor.
    pub fn shifted(self, by: DVec3) -> Self {
        Self {
            ball: self.ball + by,
            ..self
        }
    }
}
