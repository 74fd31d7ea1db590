//! Standing: the stance every action starts from and comes back to, breathing,
//! and the idle clip's shifts of weight and gaze.

use glam::DVec3;

use super::{
    anthropometry::ROOT_HEIGHT,
    curve::{Key, Noise, keyed_soft, wave},
    foot::Plant,
    posture::{Arm, Attitude, Posture},
    rig::Side,
    steps::{BEARING_AHEAD_OF_ANKLE, bearing_point},
};

/// Half the distance between the ankles.
const HALF_STANCE_WIDTH: f64 = 0.098;
/// Toes outward, degrees.
const TOE_OUT_DEG: f64 = 9.0;
/// The knees are not locked.
pub const STANDING_ROOT_HEIGHT: f64 = ROOT_HEIGHT - 0.003;
/// Fifteen breaths a minute.
const BREATH_SECS: f64 = 4.0;

/// Length of the idle loop.
pub const IDLE_SECS: f64 = 12.0;

/// The feet of the idle stance.
pub fn plant(side: Side) -> Plant {
    let s = side.sign();
    Plant::under_ankle(s * HALF_STANCE_WIDTH, 0.0, s * TOE_OUT_DEG)
}

/// Standing at ease and breathing: idle without its shifts. Its state at time
/// zero is where idle starts.
pub fn at_ease(t: f64) -> Posture {
    let root = DVec3::new(0.0, STANDING_ROOT_HEIGHT, 0.0);
    let mut posture = Posture::standing(root, Side::BOTH.map(plant));
    // Breathing in takes less time than breathing out.
    let phase = t / BREATH_SECS;
    let breath = -wave(phase + 0.06 * wave(phase, 0.25), 0.0) + wave(0.06 * wave(0.0, 0.25), 0.0);
    posture.pelvis = Attitude::new(0.0, 4.0, 0.0);
    posture.chest = Attitude::new(0.0, 1.0 - 0.55 * breath, 0.0);
    posture.head = Attitude::new(0.0, 0.5 + 0.1 * breath, 0.0);
    for (arm, own) in posture.arms.iter_mut().zip([1.0, -1.0]) {
        *arm = Arm {
            shrug: 0.9 * breath,
            protract: 2.0 - 0.3 * breath,
            abduct: 7.0 + 0.5 * own + 0.3 * breath,
            elbow: 17.0 + 2.0 * own,
            rotate_in: 13.0 + 2.0 * own,
            flex: 3.0 + 1.0 * own,
            fingers: 24.0 - 3.0 * own,
            ..Arm::RELAXED
        };
    }
    posture.com = [Some(0.0), None, Some(BEARING_AHEAD_OF_ANKLE)];
    posture
}

/// Where the weight is: 1 on the left foot, −1 on the right.
#[rustfmt::skip]
const WEIGHT: [Key; 7] = [(0.0, 0.0), (0.6, 0.0), (2.3, 0.62), (5.2, 0.55), (7.4, -0.6), (9.9, -0.5), (11.2, 0.0)];
/// Gaze to the left, degrees: eyes do not rest, and the head goes with them.
#[rustfmt::skip]
const GAZE_YAW: [Key; 10] = [
    (0.0, 0.0), (1.1, 0.0), (1.7, 7.0), (3.6, 8.5), (4.2, -1.0), (6.1, -2.0), (6.8, -11.0), (9.0, -9.0), (9.8, 0.0), (12.0, 0.0),
];
#[rustfmt::skip]
const GAZE_PITCH: [Key; 8] = [
    (0.0, 0.0), (1.2, 0.0), (1.9, -2.0), (4.4, 3.5), (6.2, 2.0), (7.0, -2.5), (9.6, 0.5), (12.0, 0.0),
];

/// The idle clip.
pub fn idle(t: f64) -> Posture {
    let mut posture = at_ease(t);
    let weight = keyed_soft(&WEIGHT, 0.22, t);
    let late = keyed_soft(&WEIGHT, 0.3, t - 0.18) - keyed_soft(&WEIGHT, 0.3, -0.18);
    let wander =
        |seed: u64, size: f64| size * Noise::new(700 + seed, IDLE_SECS, 2, 9).change_since_start(t);
    let yaw = keyed_soft(&GAZE_YAW, 0.07, t);
    let pitch = keyed_soft(&GAZE_PITCH, 0.1, t);

    let [left, right] = posture.feet.map(|foot| bearing_point(&foot));
    let bearing = right.lerp(left, 0.5 + 0.5 * weight);
    posture.com[0] = Some(bearing.x + wander(1, 0.0012));
    posture.com[2] = Some(bearing.z + wander(2, 0.0022));
    posture.root.y -= 0.006 * weight * weight;
    posture.pelvis.roll += 3.4 * weight + wander(3, 0.08);
    posture.pelvis.yaw += -2.0 * weight + wander(4, 0.12);
    posture.chest.roll += -1.8 * late + wander(5, 0.1);
    posture.chest.yaw += 0.22 * yaw - 0.8 * late + wander(6, 0.25);
    posture.chest.pitch += 0.8 * late * late + wander(7, 0.12);
    posture.head.yaw += yaw + wander(8, 0.3);
    posture.head.pitch += pitch + wander(9, 0.25);
    posture.head.roll += 1.2 * late - 0.12 * yaw + wander(10, 0.2);
    for side in Side::BOTH {
        let which = side as u64 * 10;
        let arm = &mut posture.arms[side as usize];
        let s = side.sign();
        arm.flex += -0.8 * s * late + wander(20 + which, 0.4);
        arm.abduct += 1.0 * s * late + wander(21 + which, 0.25);
        arm.rotate_in += wander(22 + which, 0.6);
        arm.elbow += 1.2 * s * late + wander(23 + which, 0.6);
        arm.wrist += wander(24 + which, 0.7);
        arm.fingers += wander(25 + which, 1.1);
    }
    // The leg that rests lets its knee fall ahead and a little out.
    posture.knee_out_deg = [2.0 - 2.0 * weight, 2.0 + 2.0 * weight];
    posture
}
