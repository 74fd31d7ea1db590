//! The travelling clips' parameters, with where they come from.

use glam::DVec3;

use super::{
    anthropometry::ROOT_HEIGHT,
    gait::{Cycle, Gait},
    locomotion::{Locomotion, Style},
    posture::Arm,
};

/// Standard gravity as the checks use it, m/s².
pub const GRAVITY: f64 = 9.81;

/// Clips start in the left foot's mid-stance: the legs pass each other, the
/// pelvis faces ahead, and a fade from standing has the shortest way.
const MID_STANCE: f64 = 0.3;

/// Walking at 1.4 m/s: 112.5 steps a minute, stride 1.49 m (0.85 statures),
/// stance 62 % (Perry & Burnfield; Winter).
pub fn forward() -> Locomotion {
    let stride_secs = 128.0 / 120.0;
    let gait = Gait {
        stride_secs,
        strides: 4,
        velocity: DVec3::new(0.0, 0.0, 1.4),
        duty_factor: 0.62,
        landing: [DVec3::new(0.052, 0.0, 0.34), DVec3::new(-0.052, 0.0, 0.34)],
        toe_out_deg: 6.0,
        // Heel strike, loading response to foot flat, heel off, toe-off, swing.
        foot_pitch_deg: Cycle::new(
            &[
                (0.0, 19.0),
                (0.08, 0.0),
                (0.30, 0.0),
                (0.42, -8.0),
                (0.52, -28.0),
                (0.62, -58.0),
                (0.67, -64.0),
                (0.78, -22.0),
                (0.87, 4.0),
                (0.955, 20.0),
            ],
            0.012,
        ),
        toe_pitch_deg: Cycle::new(
            &[
                (0.0, 21.0),
                (0.08, 0.0),
                (0.50, 0.0),
                (0.62, -26.0),
                (0.69, -40.0),
                (0.80, -12.0),
                (0.88, 12.0),
                (0.955, 26.0),
            ],
            0.012,
        ),
        swing_height: vec![(0.18, 0.215), (0.40, 0.165), (0.62, 0.115), (0.84, 0.1)],
        swing_advance: vec![],
        placement_deviation: 0.007,
        phase_at_start: MID_STANCE,
    };
    let style = Style {
        root_height: ROOT_HEIGHT - 0.0285,
        root_ahead: -0.03,
        bob: (0.0165, 0.275),
        sway: (0.017, 0.30),
        surge: (0.008, 0.12),
        list: (3.8, 0.17),
        rotation: (5.0, 0.52),
        tilt: (5.0, 1.0),
        chest_rotation: (5.0, 0.04),
        lean: (3.0, 0.9),
        chest_roll: (1.6, 0.62),
        gaze_pitch: 4.0,
        arm_flex: (1.0, 20.0, 0.54),
        elbow: (25.0, 14.0, 0.05),
        carriage: Arm {
            abduct: 8.0,
            rotate_in: 16.0,
            ..Arm::RELAXED
        },
    };
    Locomotion {
        gait,
        style,
        com_height: None,
        seed: 1,
    }
}

/// Backward walking is forward walking run the other way in time, with shorter
/// steps and a stiller trunk (Thorstensson 1986; Winter et al. 1989): the toes
/// touch first, the heel leaves last. The caller reverses time.
pub fn backward() -> Locomotion {
    let mut walk = forward();
    walk.seed = 2;
    walk.gait.stride_secs = 132.0 / 120.0;
    walk.gait.velocity = DVec3::new(0.0, 0.0, 1.0);
    walk.gait.duty_factor = 0.64;
    walk.gait.landing = [DVec3::new(0.07, 0.0, 0.265), DVec3::new(-0.07, 0.0, 0.265)];
    walk.gait.toe_out_deg = 8.0;
    walk.gait.foot_pitch_deg = Cycle::new(
        &[
            (0.0, 10.0),
            (0.09, 0.0),
            (0.38, 0.0),
            (0.50, -10.0),
            (0.64, -30.0),
            (0.70, -34.0),
            (0.82, -14.0),
            (0.90, 3.0),
            (0.96, 11.0),
        ],
        0.014,
    );
    walk.gait.toe_pitch_deg = Cycle::new(
        &[
            (0.0, 12.0),
            (0.09, 0.0),
            (0.55, 0.0),
            (0.64, -12.0),
            (0.70, -18.0),
            (0.82, -6.0),
            (0.90, 8.0),
            (0.96, 14.0),
        ],
        0.014,
    );
    walk.gait.swing_height = vec![(0.2, 0.165), (0.55, 0.125), (0.84, 0.092)];
    walk.style = Style {
        root_height: ROOT_HEIGHT - 0.040,
        root_ahead: -0.035,
        bob: (0.012, 0.32),
        sway: (0.022, 0.32),
        surge: (0.006, 0.12),
        list: (2.6, 0.2),
        rotation: (4.0, 0.52),
        tilt: (4.0, 0.6),
        chest_rotation: (2.5, 0.05),
        lean: (4.0, 0.6),
        chest_roll: (1.4, 0.62),
        gaze_pitch: 6.0,
        arm_flex: (2.0, 9.0, 0.55),
        elbow: (27.0, 6.0, -0.05),
        carriage: Arm {
            abduct: 11.0,
            rotate_in: 18.0,
            ..Arm::RELAXED
        },
    };
    walk
}

/// Running at 3.5 m/s: 171 steps a minute, stride 2.45 m, duty factor 0.36,
/// both feet off the floor for 0.1 s of every step (Novacheck 1998).
pub fn run() -> Locomotion {
    let gait = Gait {
        stride_secs: 84.0 / 120.0,
        strides: 4,
        velocity: DVec3::new(0.0, 0.0, 3.5),
        duty_factor: 0.36,
        landing: [DVec3::new(0.03, 0.0, 0.215), DVec3::new(-0.03, 0.0, 0.215)],
        toe_out_deg: 5.0,
        foot_pitch_deg: Cycle::new(
            &[
                (0.0, 8.0),
                (0.06, 0.0),
                (0.15, 0.0),
                (0.22, -12.0),
                (0.30, -40.0),
                (0.36, -64.0),
                (0.42, -84.0),
                (0.55, -96.0),
                (0.68, -70.0),
                (0.80, -24.0),
                (0.90, 4.0),
                (0.96, 10.0),
            ],
            0.015,
        ),
        toe_pitch_deg: Cycle::new(
            &[
                (0.0, 10.0),
                (0.06, 0.0),
                (0.27, 0.0),
                (0.36, -34.0),
                (0.42, -66.0),
                (0.55, -84.0),
                (0.68, -60.0),
                (0.80, -14.0),
                (0.90, 10.0),
                (0.96, 14.0),
            ],
            0.015,
        ),
        swing_height: vec![(0.15, 0.305), (0.38, 0.465), (0.60, 0.35), (0.82, 0.17)],
        swing_advance: vec![(0.30, 0.24), (0.60, 0.595), (0.85, 0.91)],
        placement_deviation: 0.006,
        phase_at_start: 0.18,
    };
    let style = Style {
        root_height: ROOT_HEIGHT - 0.07,
        root_ahead: -0.04,
        bob: (0.0, 0.18),
        sway: (0.010, 0.20),
        surge: (0.008, 0.33),
        list: (3.0, 0.15),
        rotation: (6.0, 0.46),
        tilt: (9.0, 1.5),
        chest_rotation: (9.0, 0.02),
        lean: (9.0, 1.5),
        chest_roll: (2.0, 0.62),
        gaze_pitch: 3.0,
        arm_flex: (-10.0, 31.0, 0.49),
        elbow: (92.0, 11.0, 0.07),
        carriage: Arm {
            abduct: 13.0,
            rotate_in: 14.0,
            pronate: 20.0,
            wrist: -6.0,
            fingers: 52.0,
            thumb: 22.0,
            ..Arm::RELAXED
        },
    };
    Locomotion {
        gait,
        style,
        com_height: Some(running_com_height),
        seed: 3,
    }
}

/// Height of the centre of mass at foot strike in running.
const RUNNING_STRIKE_COM: f64 = 1.005;

/// Ballistic in flight; in stance the ground reaction is half a sine wave that
/// returns the momentum of one step (Alexander 1984).
fn running_com_height(gait: &Gait, t: f64) -> f64 {
    let step_secs = gait.stride_secs / 2.0;
    let contact_secs = gait.duty_factor * gait.stride_secs;
    let steps = 2.0 * (t / gait.stride_secs + gait.phase_at_start);
    let since_strike = (steps - steps.floor()) * step_secs;
    let strike_speed = -0.5 * GRAVITY * (step_secs - contact_secs);
    let fall = |s: f64| strike_speed * s - 0.5 * GRAVITY * s * s;
    let swing = std::f64::consts::PI / contact_secs;
    let gain = 0.5 * GRAVITY * step_secs;
    let push = if since_strike < contact_secs {
        gain * (since_strike - (swing * since_strike).sin() / swing)
    } else {
        gain * (contact_secs + 2.0 * (since_strike - contact_secs))
    };
    RUNNING_STRIKE_COM + fall(since_strike) + push
}

/// Side steps to the left at 0.8 m/s: the left foot reaches, the right closes.
pub fn strafe_left(seed: u64) -> Locomotion {
    let mut walk = forward();
    walk.seed = seed;
    walk.gait.stride_secs = 90.0 / 120.0;
    walk.gait.velocity = DVec3::new(0.8, 0.0, 0.0);
    walk.gait.duty_factor = 0.60;
    walk.gait.landing = [DVec3::new(0.30, 0.0, -0.02), DVec3::new(-0.145, 0.0, -0.02)];
    walk.gait.toe_out_deg = 7.0;
    walk.gait.phase_at_start = 0.3;
    walk.gait.foot_pitch_deg = Cycle::new(
        &[
            (0.0, -7.0),
            (0.09, 0.0),
            (0.42, 0.0),
            (0.60, -20.0),
            (0.70, -20.0),
            (0.86, -8.0),
        ],
        0.016,
    );
    walk.gait.toe_pitch_deg = Cycle::new(
        &[
            (0.0, 0.0),
            (0.09, 0.0),
            (0.55, 0.0),
            (0.60, -3.0),
            (0.70, -12.0),
            (0.86, -3.0),
            (0.96, 0.0),
        ],
        0.012,
    );
    walk.gait.swing_height = vec![(0.45, 0.15), (0.75, 0.118)];
    walk.style = Style {
        root_height: ROOT_HEIGHT - 0.085,
        root_ahead: -0.01,
        bob: (0.014, 0.30),
        sway: (0.008, 0.62),
        surge: (0.0, 0.0),
        list: (2.4, 0.2),
        rotation: (3.0, 0.8),
        tilt: (7.0, 0.8),
        chest_rotation: (2.2, 0.3),
        lean: (8.0, 0.8),
        chest_roll: (2.2, 0.68),
        gaze_pitch: 4.0,
        arm_flex: (8.0, 4.0, 0.6),
        elbow: (48.0, 5.0, 0.08),
        carriage: Arm {
            abduct: 17.0,
            rotate_in: 24.0,
            pronate: 34.0,
            ..Arm::RELAXED
        },
    };
    walk
}
