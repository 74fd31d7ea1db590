//! Walking forward, backward and sideways: parameters and where they are from.

use glam::DVec3;

use super::{
    anthropometry::ROOT_HEIGHT,
    curve::Key,
    gait::{Cycle, Gait},
    locomotion::{Locomotion, Style},
    posture::Arm,
};

/// Clips start in the left foot's mid-stance: the legs pass each other, the
/// pelvis faces ahead, and a fade from standing has the shortest way.
const MID_STANCE: f64 = 0.3;

/// Heel strike, loading response to foot flat, heel off, toe-off, swing.
#[rustfmt::skip]
const FORWARD_FOOT: [Key; 10] = [
    (0.0, 19.0), (0.08, 0.0), (0.30, 0.0), (0.42, -9.0), (0.52, -30.0), (0.61, -60.0),
    (0.65, -65.0), (0.78, -22.0), (0.87, 4.0), (0.955, 20.0),
];
#[rustfmt::skip]
const FORWARD_TOES: [Key; 8] = [
    (0.0, 21.0), (0.08, 0.0), (0.52, 0.0), (0.61, -40.0), (0.65, -40.0), (0.78, -8.0),
    (0.88, 12.0), (0.955, 26.0),
];

/// Walking at 1.4 m/s: 112.5 steps a minute, stride 1.49 m (0.85 statures),
/// stance 61 % (Perry & Burnfield; Winter).
pub fn forward() -> Locomotion {
    let gait = Gait {
        stride_secs: 128.0 / 120.0,
        strides: 4,
        velocity: DVec3::new(0.0, 0.0, 1.4),
        duty_factor: 0.61,
        landing: [1.0, -1.0].map(|side| DVec3::new(side * 0.052, 0.0, 0.317)),
        toe_out_deg: 6.0,
        foot_pitch_deg: Cycle::new(&FORWARD_FOOT, 0.012),
        toe_pitch_deg: Cycle::new(&FORWARD_TOES, 0.012),
        swing_height: vec![(0.15, 0.241), (0.40, 0.174), (0.62, 0.107), (0.84, 0.098)],
        swing_advance: vec![],
        strike_speed: 0.18,
        placement_deviation: 0.0055,
        phase_at_start: MID_STANCE,
    };
    let style = Style {
        root_height: ROOT_HEIGHT - 0.0295,
        root_ahead: -0.03,
        bob: (0.0155, 0.265),
        sway: (0.017, 0.30),
        surge: (0.008, 0.12),
        list: (3.8, 0.17),
        rotation: (5.0, 0.52),
        tilt: (5.0, 1.0),
        chest_rotation: (5.0, 0.04),
        lean: (2.0, 0.9),
        chest_roll: (1.6, 0.62),
        gaze_pitch: 1.5,
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
        variation: 1.0,
    }
}

#[rustfmt::skip]
const BACKWARD_FOOT: [Key; 9] = [
    (0.0, 10.0), (0.09, 0.0), (0.38, 0.0), (0.50, -10.0), (0.64, -30.0), (0.68, -33.0),
    (0.82, -14.0), (0.90, 3.0), (0.96, 11.0),
];
#[rustfmt::skip]
const BACKWARD_TOES: [Key; 8] = [
    (0.0, 12.0), (0.09, 0.0), (0.55, 0.0), (0.64, -8.0), (0.68, -8.0), (0.82, -2.0),
    (0.90, 8.0), (0.96, 14.0),
];

/// Backward walking is forward walking run the other way in time, with shorter
/// steps and a stiller trunk (Thorstensson 1986; Winter et al. 1989): the toes
/// touch first, the heel leaves last. The caller reverses time.
pub fn backward() -> Locomotion {
    let mut walk = forward();
    walk.seed = 2;
    walk.gait.stride_secs = 132.0 / 120.0;
    walk.gait.velocity = DVec3::new(0.0, 0.0, 1.0);
    walk.gait.duty_factor = 0.64;
    walk.gait.landing = [1.0, -1.0].map(|side| DVec3::new(side * 0.07, 0.0, 0.265));
    walk.gait.toe_out_deg = 8.0;
    walk.gait.foot_pitch_deg = Cycle::new(&BACKWARD_FOOT, 0.014);
    walk.gait.toe_pitch_deg = Cycle::new(&BACKWARD_TOES, 0.014);
    walk.gait.swing_height = vec![(0.16, 0.178), (0.5, 0.140), (0.84, 0.095)];
    walk.style = Style {
        root_height: ROOT_HEIGHT - 0.034,
        root_ahead: -0.035,
        bob: (0.012, 0.29),
        sway: (0.022, 0.32),
        surge: (0.006, 0.12),
        list: (2.6, 0.2),
        rotation: (4.0, 0.52),
        tilt: (4.0, 0.6),
        chest_rotation: (2.5, 0.05),
        lean: (2.5, 0.6),
        chest_roll: (1.4, 0.62),
        gaze_pitch: 2.5,
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

#[rustfmt::skip]
const STRAFE_FOOT: [Key; 6] = [
    (0.0, -7.0), (0.09, 0.0), (0.42, 0.0), (0.60, -14.0), (0.68, -16.0), (0.86, -9.0),
];
#[rustfmt::skip]
const STRAFE_TOES: [Key; 6] = [
    (0.0, 0.0), (0.09, 0.0), (0.60, 0.0), (0.72, -4.0), (0.86, -1.0), (0.96, 0.0),
];

/// Side steps to the left at 0.6 m/s: the left foot reaches, the right closes.
pub fn strafe_left(seed: u64) -> Locomotion {
    let mut walk = forward();
    walk.seed = seed;
    walk.gait.stride_secs = 72.0 / 120.0;
    walk.gait.velocity = DVec3::new(0.6, 0.0, 0.0);
    walk.gait.duty_factor = 0.60;
    walk.gait.landing = [
        DVec3::new(0.235, 0.0, -0.04),
        DVec3::new(-0.137, 0.0, -0.04),
    ];
    walk.gait.toe_out_deg = 7.0;
    walk.gait.foot_pitch_deg = Cycle::new(&STRAFE_FOOT, 0.016);
    walk.gait.toe_pitch_deg = Cycle::new(&STRAFE_TOES, 0.012);
    walk.gait.swing_height = vec![(0.14, 0.148), (0.45, 0.155), (0.78, 0.122)];
    walk.gait.swing_advance = vec![(0.25, 0.2), (0.5, 0.56), (0.78, 0.93)];
    walk.style = Style {
        root_height: ROOT_HEIGHT - 0.036,
        root_ahead: 0.005,
        bob: (0.014, 0.30),
        sway: (0.008, 0.62),
        surge: (0.0, 0.0),
        list: (2.4, 0.2),
        rotation: (2.5, 0.8),
        tilt: (5.0, 0.8),
        chest_rotation: (2.2, 0.3),
        lean: (3.5, 0.8),
        chest_roll: (2.2, 0.68),
        gaze_pitch: 1.5,
        arm_flex: (8.0, 4.0, 0.6),
        elbow: (48.0, 5.0, 0.08),
        carriage: Arm {
            abduct: 17.0,
            rotate_in: 24.0,
            pronate: -10.0,
            ..Arm::RELAXED
        },
    };
    walk
}
