//! Travelling: how pelvis, trunk, head and arms go with the feet.
//!
//! Saunders, Inman & Eberhart's determinants of gait (pelvic rotation, list,
//! bob and sway), a rib cage that counter-rotates, arms that swing against the
//! legs with the elbow a little late, and a head that keeps the gaze still.

use glam::DVec3;

use super::{
    curve::{Noise, wave},
    gait::Gait,
    posture::{Arm, Attitude, Posture},
    rig::Side,
};

/// How a gait looks above the feet. Angles in degrees, lengths in metres,
/// phases in strides of the left foot; amplitudes are half the range.
#[derive(Clone, Copy)]
pub struct Style {
    /// Mean height of the root (ignored when `com_height` is given).
    pub root_height: f64,
    /// Root against the mean path, ahead.
    pub root_ahead: f64,
    /// Up and down twice a stride, highest at this phase.
    pub bob: (f64, f64),
    /// Towards the stance foot, furthest left at this phase.
    pub sway: (f64, f64),
    /// Speeding up and slowing down twice a stride, furthest ahead at.
    pub surge: (f64, f64),
    /// Left hip highest at this phase.
    pub list: (f64, f64),
    /// Pelvis turned furthest left at this phase.
    pub rotation: (f64, f64),
    /// Mean forward tilt of the pelvis and its double-frequency wave.
    pub tilt: (f64, f64),
    /// Rib cage turned furthest left at this phase.
    pub chest_rotation: (f64, f64),
    /// Mean lean of the rib cage and its double-frequency wave.
    pub lean: (f64, f64),
    /// Rib cage leaning, left side highest at this phase.
    pub chest_roll: (f64, f64),
    /// Head pitch.
    pub gaze_pitch: f64,
    /// Left arm: mean, amplitude, phase furthest ahead.
    pub arm_flex: (f64, f64, f64),
    /// Left elbow: mean, amplitude, lag behind the arm in strides.
    pub elbow: (f64, f64, f64),
    /// Carriage of the arm that the swing is added to.
    pub carriage: Arm,
}

/// A gait with its style.
pub struct Locomotion {
    /// The feet.
    pub gait: Gait,
    /// The rest.
    pub style: Style,
    /// Height of the centre of mass over time, where gravity dictates it.
    pub com_height: Option<fn(&Gait, f64) -> f64>,
    /// Seed of the variation.
    pub seed: u64,
    /// How much of the variation there is, 0 to 1.
    pub variation: f64,
}

impl Locomotion {
    /// Length of the loop.
    pub fn duration_secs(&self) -> f64 {
        self.gait.stride_secs * self.gait.strides as f64
    }

    fn noise(&self, which: u64, fastest: u32) -> Noise {
        Noise::new(self.seed * 100 + which, self.duration_secs(), 1, fastest)
    }

    /// The body at a time.
    pub fn posture(&self, t: f64) -> Posture {
        let (gait, style) = (&self.gait, &self.style);
        let phase = gait.phase(Side::Left, t);
        let wander = |which: u64, size: f64| size * self.variation * self.noise(which, 5).at(t);
        let once = |(size, peak): (f64, f64)| size * wave(phase, peak);
        let twice = |(size, peak): (f64, f64)| size * wave(2.0 * phase, 2.0 * peak);
        let vigour = 1.0 + wander(1, 0.025);

        let root = gait.velocity * t
            + DVec3::new(
                once(style.sway) + wander(2, 0.003),
                style.root_height + twice(style.bob) * vigour,
                style.root_ahead + twice(style.surge),
            );
        let pelvis = Attitude::new(
            once(style.rotation) * vigour + wander(3, 0.4),
            style.tilt.0 + twice((style.tilt.1, style.bob.1 + 0.25)),
            once(style.list) * vigour,
        );
        let chest = Attitude::new(
            once(style.chest_rotation) * vigour + wander(4, 0.5),
            style.lean.0 + twice((style.lean.1, style.bob.1 + 0.2)) + wander(5, 0.4),
            once(style.chest_roll) + wander(6, 0.35),
        );
        let head = Attitude::new(
            0.18 * chest.yaw + wander(7, 1.6),
            style.gaze_pitch + twice((0.8, style.bob.1 + 0.02)) + wander(8, 0.9),
            0.3 * chest.roll + wander(9, 0.7),
        );
        let mut posture = Posture {
            heading_deg: 0.0,
            root,
            pelvis,
            chest,
            head,
            arms: [Arm::RELAXED; 2],
            feet: Side::BOTH.map(|side| gait.foot(side, t)),
            knee_out_deg: [0.0; 2],
            com: [None, self.com_height.map(|height| height(gait, t)), None],
        };
        posture.arms = Side::BOTH.map(|side| self.arm(side, phase, t));
        posture
    }

    fn arm(&self, side: Side, left_phase: f64, t: f64) -> Arm {
        let style = &self.style;
        let which = 20 + 10 * side as u64;
        let phase = left_phase + [0.0, 0.5][side as usize];
        let wander = |n: u64, size: f64| size * self.variation * self.noise(which + n, 4).at(t);
        // No two arms swing alike: one goes a little further and a little later.
        let (own, late) = [(1.04, 0.0), (0.96, 0.012)][side as usize];
        let (mean, size, ahead) = style.arm_flex;
        let size = own * size * (1.0 + wander(1, 0.05));
        let swing = |lag: f64| wave(phase, ahead + late + lag);
        // Forward is quicker than back: a little of the second harmonic.
        let shaped = |lag: f64| swing(lag) + 0.08 * wave(2.0 * phase, 2.0 * (ahead + lag) + 0.12);
        let (elbow, elbow_size, elbow_lag) = style.elbow;
        let base = style.carriage;
        Arm {
            shrug: base.shrug + 0.8 * swing(0.5) + wander(2, 0.2),
            protract: base.protract + 0.16 * size * swing(0.02),
            flex: mean + size * shaped(0.0),
            abduct: base.abduct - 0.07 * size * swing(0.25) + wander(3, 0.5),
            rotate_in: base.rotate_in + 0.35 * size * swing(0.04),
            elbow: elbow + elbow_size * shaped(elbow_lag) + wander(4, 0.8),
            pronate: base.pronate + 0.35 * size * swing(elbow_lag) + wander(5, 1.5),
            wrist: base.wrist - 0.25 * size * swing(elbow_lag + 0.12) + wander(6, 1.0),
            ulnar: base.ulnar + 0.12 * size * swing(elbow_lag + 0.1),
            fingers: base.fingers + 0.12 * size * swing(elbow_lag + 0.15) + wander(7, 1.5),
            thumb: base.thumb + wander(8, 1.0),
        }
    }
}
