//! Running: a bouncing gait whose centre of mass obeys gravity.

use std::f64::consts::PI;

use glam::DVec3;

use super::{
    anthropometry::ROOT_HEIGHT,
    curve::Key,
    gait::{Cycle, Gait},
    locomotion::{Locomotion, Style},
    posture::Arm,
};

/// Standard gravity, m/s².
pub const GRAVITY: f64 = 9.81;

#[rustfmt::skip]
const FOOT: [Key; 12] = [
    (0.0, 8.0), (0.055, 0.0), (0.13, 0.0), (0.19, -12.0), (0.26, -42.0), (0.32, -65.0),
    (0.38, -75.0), (0.52, -92.0), (0.66, -68.0), (0.79, -24.0), (0.90, 3.0), (0.96, 10.0),
];
#[rustfmt::skip]
const TOES: [Key; 10] = [
    (0.0, 10.0), (0.055, 0.0), (0.235, 0.0), (0.32, -35.0), (0.38, -44.0), (0.52, -78.0),
    (0.66, -58.0), (0.79, -14.0), (0.90, 10.0), (0.96, 14.0),
];

/// Running at 3.5 m/s: 171 steps a minute, stride 2.45 m, duty factor 0.32,
/// both feet off the floor for 0.12 s of every step (Novacheck 1998).
pub fn run() -> Locomotion {
    let gait = Gait {
        stride_secs: 84.0 / 120.0,
        strides: 4,
        velocity: DVec3::new(0.0, 0.0, 3.5),
        duty_factor: 0.32,
        landing: [1.0, -1.0].map(|side| DVec3::new(side * 0.03, 0.0, 0.155)),
        toe_out_deg: 5.0,
        foot_pitch_deg: Cycle::new(&FOOT, 0.015),
        toe_pitch_deg: Cycle::new(&TOES, 0.015),
        swing_height: vec![
            (0.06, 0.25),
            (0.17, 0.32),
            (0.38, 0.465),
            (0.60, 0.35),
            (0.82, 0.2),
        ],
        swing_advance: vec![(0.30, 0.24), (0.60, 0.595), (0.85, 0.893)],
        strike_speed: 0.4,
        placement_deviation: 0.006,
        phase_at_start: 0.16,
    };
    let style = Style {
        root_height: ROOT_HEIGHT - 0.07,
        root_ahead: -0.04,
        bob: (0.0, 0.18),
        sway: (0.010, 0.20),
        surge: (0.008, 0.33),
        list: (3.0, 0.15),
        rotation: (6.0, 0.43),
        tilt: (9.0, 1.5),
        chest_rotation: (9.0, 0.0),
        lean: (9.0, 1.5),
        chest_roll: (2.0, 0.62),
        gaze_pitch: 3.0,
        arm_flex: (-10.0, 31.0, 0.47),
        elbow: (99.0, 13.0, 0.04),
        carriage: Arm {
            abduct: 15.0,
            rotate_in: 10.0,
            pronate: -20.0,
            wrist: -6.0,
            fingers: 52.0,
            thumb: 22.0,
            ..Arm::RELAXED
        },
    };
    Locomotion {
        gait,
        style,
        com_height: Some(com_height),
        seed: 3,
        variation: 1.0,
    }
}

/// Height of the centre of mass at foot strike.
const STRIKE_COM: f64 = 0.967;

/// Ballistic in flight; in stance the ground reaction is half a sine wave that
/// returns the momentum of one step (Alexander 1984).
fn com_height(gait: &Gait, t: f64) -> f64 {
    let step_secs = gait.stride_secs / 2.0;
    let contact_secs = gait.duty_factor * gait.stride_secs;
    let steps = 2.0 * (t / gait.stride_secs + gait.phase_at_start);
    let since_strike = (steps - steps.floor()) * step_secs;
    let strike_speed = -0.5 * GRAVITY * (step_secs - contact_secs);
    let fall = strike_speed * since_strike - 0.5 * GRAVITY * since_strike * since_strike;
    let swing = PI / contact_secs;
    let gain = 0.5 * GRAVITY * step_secs;
    let push = if since_strike < contact_secs {
        gain * (since_strike - (swing * since_strike).sin() / swing)
    } else {
        gain * (contact_secs + 2.0 * (since_strike - contact_secs))
    };
    STRIKE_COM + fall + push
}
