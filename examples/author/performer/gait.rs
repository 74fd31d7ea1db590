//! The gait timeline: when each foot is down, where, and how it rolls; and the
//! path of the foot through the air between two plants.
//!
//! Phase is counted in strides from a foot's own strike (heel strike in
//! walking): stance lasts the first `duty_factor`, swing the rest. The right
//! foot is half a stride behind the left.

use glam::DVec3;

use super::{
    curve::{Key, Noise, Spline, keyed_soft},
    foot::{FootTarget, Plant},
    rig::Side,
};

/// A curve over the gait cycle, given by keys (phase, value) with phases
/// ascending in 0..1, repeated for ever.
pub struct Cycle {
    keys: Vec<Key>,
    softness: f64,
}

impl Cycle {
    /// Rounds the corners over about ±`softness` of a cycle.
    pub fn new(keys: &[Key], softness: f64) -> Self {
        let shifted = |period: f64| keys.iter().map(move |&(t, v)| (t + period, v));
        Self {
            keys: [-1.0, 0.0, 1.0].into_iter().flat_map(shifted).collect(),
            softness,
        }
    }

    /// Value at a phase.
    pub fn at(&self, phase: f64) -> f64 {
        keyed_soft(&self.keys, self.softness, phase - phase.floor())
    }
}

/// Spatial and temporal parameters of a gait, named as gait laboratories do.
pub struct Gait {
    /// Seconds from a strike to the next strike of the same foot.
    pub stride_secs: f64,
    /// Strides in the clip; the variation between them repeats after these.
    pub strides: usize,
    /// Mean velocity, m/s; X is to the left, Z ahead.
    pub velocity: DVec3,
    /// Share of the stride a foot is down.
    pub duty_factor: f64,
    /// Ankle at the strike, from the mean path of the body; left, right.
    pub landing: [DVec3; 2],
    /// Toes outward, degrees.
    pub toe_out_deg: f64,
    /// Sole of the foot against the floor over the cycle, degrees.
    pub foot_pitch_deg: Cycle,
    /// Sole of the toes against the floor over the cycle, degrees.
    pub toe_pitch_deg: Cycle,
    /// Ankle height in swing: (share of swing, metres).
    pub swing_height: Vec<Key>,
    /// Progress in swing: (share of swing, share of the way).
    pub swing_advance: Vec<Key>,
    /// Speed at which a foot comes down on the floor, m/s.
    pub strike_speed: f64,
    /// Standard deviation of where a foot lands, metres.
    pub placement_deviation: f64,
    /// Phase of the left foot at time zero.
    pub phase_at_start: f64,
}

impl Gait {
    /// Phase of a foot, in strides since the left foot's first strike.
    pub fn phase(&self, side: Side, t: f64) -> f64 {
        let lag = match side {
            Side::Left => 0.0,
            Side::Right => 0.5,
        };
        t / self.stride_secs + self.phase_at_start - lag
    }

    /// True while neither foot is down.
    pub fn is_airborne(&self, t: f64) -> bool {
        let swinging = |side: Side| {
            let phase = self.phase(side, t);
            phase - phase.floor() > self.duty_factor
        };
        Side::BOTH.into_iter().all(swinging)
    }

    /// Where and how a foot is.
    pub fn foot(&self, side: Side, t: f64) -> FootTarget {
        let phase = self.phase(side, t);
        let step = phase.floor();
        let part = phase - step;
        if part <= self.duty_factor {
            return self.planted(side, step, part);
        }
        let swing = 1.0 - self.duty_factor;
        let u = (part - self.duty_factor) / swing;
        let (lift, strike) = (
            self.planted(side, step, self.duty_factor),
            self.planted(side, step + 1.0, 0.0),
        );
        let h = 1e-4;
        let before = self.planted(side, step, self.duty_factor - h).ankle;
        let after = self.planted(side, step + 1.0, h).ankle;
        let impact = DVec3::Y * (self.strike_speed * swing * self.stride_secs);
        let slopes = [
            (lift.ankle - before) * (swing / h),
            (after - strike.ankle) * (swing / h) - impact,
        ];
        FootTarget {
            ankle: self.swing_ankle(u, lift.ankle, strike.ankle, slopes),
            heading_deg: lift.heading_deg + (strike.heading_deg - lift.heading_deg) * smooth(u),
            pitch_deg: self.foot_pitch_deg.at(phase),
            toe_pitch_deg: self.toe_pitch_deg.at(phase),
        }
    }

    fn swing_ankle(&self, u: f64, from: DVec3, to: DVec3, slopes: [DVec3; 2]) -> DVec3 {
        let along = |axis: usize| {
            let way = to[axis] - from[axis];
            let mut knots = vec![(0.0, from[axis])];
            knots.extend(
                self.swing_advance
                    .iter()
                    .map(|&(at, share)| (at, from[axis] + share * way)),
            );
            knots.push((1.0, to[axis]));
            Spline::clamped(knots, slopes[0][axis], slopes[1][axis]).at(u)
        };
        let mut knots = vec![(0.0, from.y)];
        knots.extend_from_slice(&self.swing_height);
        knots.push((1.0, to.y));
        let height = Spline::clamped(knots, slopes[0].y, slopes[1].y).at(u);
        DVec3::new(along(0), height, along(2))
    }

    fn planted(&self, side: Side, step: f64, part: f64) -> FootTarget {
        let (pitch, toes) = (self.foot_pitch_deg.at(part), self.toe_pitch_deg.at(part));
        self.plant(side, step).target(pitch, toes)
    }

    /// The plant of a foot's step number `step`.
    pub fn plant(&self, side: Side, step: f64) -> Plant {
        let which = side as usize;
        let lag = [0.0, 0.5][which];
        let strike_secs = (step + lag - self.phase_at_start) * self.stride_secs;
        let ankle = self.velocity * strike_secs + self.landing[which];
        let heading = side.sign() * self.toe_out_deg;
        let jitter = |seed: u64| {
            let fastest = (self.strides as u32 / 2).max(1);
            Noise::new(seed + which as u64, self.strides as f64, 1, fastest).at(step)
                * self.placement_deviation
        };
        Plant::under_ankle(ankle.x + jitter(40), ankle.z + jitter(50), heading)
    }
}

/// 0 to 1 with zero slope at both ends.
pub fn smooth(u: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    u * u * u * (u * (6.0 * u - 15.0) + 10.0)
}
