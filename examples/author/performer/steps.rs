//! Feet of the clips that do not travel: plants, and steps from one to the
//! next, each with its roll-off before and its landing after.

use glam::DVec3;

use super::{
    curve::{Key, Spline, keyed_soft},
    foot::{FootTarget, Plant},
    gait::smooth,
};

/// One step to a new place.
pub struct Step {
    /// Seconds at which the toes leave the floor.
    pub lift_secs: f64,
    /// Seconds at which the foot is down again.
    pub land_secs: f64,
    /// Where it stands then.
    pub to: Plant,
    /// Ankle height half-way, above a flat foot's, metres.
    pub height: f64,
    /// Sole against the floor on landing, degrees: toes first is negative.
    pub landing_pitch_deg: f64,
}

/// A foot through a whole clip.
pub struct FootPlan {
    start: Plant,
    steps: Vec<Step>,
    pitch_deg: Vec<Key>,
}

/// Sole against the floor when the toes leave it, degrees.
const ROLL_OFF_DEG: f64 = -24.0;
/// Seconds the heel takes to come up before a step, and to settle after.
const ROLL_OFF_SECS: f64 = 0.17;
const SETTLE_SECS: f64 = 0.13;
/// Speed at which a foot comes down, m/s.
const STRIKE_SPEED: f64 = 0.2;

impl FootPlan {
    /// Steps in order of time. `heel_rises` are further keys of the pitch while
    /// the foot stays where it is; they must not overlap a step.
    pub fn new(start: Plant, steps: Vec<Step>, heel_rises: &[Key]) -> Self {
        let mut pitch_deg = heel_rises.to_vec();
        for step in &steps {
            let middle = 0.5 * (step.lift_secs + step.land_secs);
            pitch_deg.extend([
                (step.lift_secs - ROLL_OFF_SECS, 0.0),
                (step.lift_secs, ROLL_OFF_DEG),
                (middle, 0.4 * ROLL_OFF_DEG),
                (step.land_secs, step.landing_pitch_deg),
                (step.land_secs + SETTLE_SECS, 0.0),
            ]);
        }
        pitch_deg.push((-10.0, 0.0));
        pitch_deg.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self {
            start,
            steps,
            pitch_deg,
        }
    }

    fn pitch(&self, t: f64) -> f64 {
        keyed_soft(&self.pitch_deg, 0.012, t)
    }

    /// The foot at a time.
    pub fn at(&self, t: f64) -> FootTarget {
        let mut plant = self.start;
        for step in &self.steps {
            if t < step.lift_secs {
                break;
            }
            if t < step.land_secs {
                return self.swing(plant, step, t);
            }
            plant = step.to;
        }
        plant.target(self.pitch(t), 0.0)
    }

    fn swing(&self, from: Plant, step: &Step, t: f64) -> FootTarget {
        let span = step.land_secs - step.lift_secs;
        let u = (t - step.lift_secs) / span;
        let stance = |plant: Plant, secs: f64| plant.target(self.pitch(secs), 0.0).ankle;
        let h = 1e-4;
        let (lift, strike) = (
            stance(from, step.lift_secs),
            stance(step.to, step.land_secs),
        );
        let off = (lift - stance(from, step.lift_secs - h)) * (span / h);
        let impact = DVec3::Y * (STRIKE_SPEED * span);
        let on = (stance(step.to, step.land_secs + h) - strike) * (span / h) - impact;
        let axis = |i: usize| {
            // Up before it goes, and there before it comes down.
            let way = |share: f64| lift[i] + share * (strike[i] - lift[i]);
            let top = (0.5, step.to.flat_ankle().y + step.height);
            let between = match i {
                1 => vec![top],
                _ => vec![(0.28, way(0.17)), (0.72, way(0.83))],
            };
            let knots = [vec![(0.0, lift[i])], between, vec![(1.0, strike[i])]].concat();
            Spline::clamped(knots, off[i], on[i]).at(u)
        };
        let turn = step.to.heading_deg - from.heading_deg;
        let pitch_deg = self.pitch(t);
        FootTarget {
            ankle: DVec3::new(axis(0), axis(1), axis(2)),
            heading_deg: from.heading_deg + turn * smooth(u),
            pitch_deg,
            toe_pitch_deg: pitch_deg * (std::f64::consts::PI * u).sin().powi(2) * 0.5,
        }
    }
}

/// A point of the floor under the middle of a foot, where it bears weight.
pub fn bearing_point(foot: &FootTarget) -> DVec3 {
    let ahead = super::foot::sole_rotation(foot.heading_deg, 0.0) * DVec3::Z;
    let point = foot.ankle + ahead * BEARING_AHEAD_OF_ANKLE;
    DVec3::new(point.x, 0.0, point.z)
}

/// In quiet standing the centre of mass is 4 to 5 cm ahead of the ankles
/// (Winter 1995).
pub const BEARING_AHEAD_OF_ANKLE: f64 = 0.045;
