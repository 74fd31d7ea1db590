//! Clips that are laid over others: a lean, breath, tiredness, a wandering hand,
//! an arm that points. Each is the stance at ease with trunk, head and arms
//! changed; pelvis and legs stay, so that whatever is added leaves the feet
//! where they are.

use super::{
    curve::{Noise, wave},
    posture::Posture,
    rig::Side,
    stand,
};

/// From a lean to the right through upright to the left.
pub const LEAN_SECS: f64 = 0.5;
/// A deep breath.
pub const BREATHE_SECS: f64 = 4.0;
/// A short one.
pub const TIRED_SECS: f64 = 2.5;
/// Until the noise repeats.
pub const WANDER_SECS: f64 = 4.0;
/// A pose: as short as a clip can be.
pub const POSE_SECS: f64 = 2.0 / 120.0;

/// Where an arm points, at most: degrees to the side, and up or down.
const AIM_YAW_DEG: f64 = 60.0;
const AIM_PITCH_DEG: f64 = 40.0;

/// The stance that all differences are taken to.
fn neutral() -> Posture {
    let mut posture = stand::at_ease(0.0);
    // Balance is the motion's affair that it is added to.
    posture.com = [None; 3];
    posture
}

/// Into a turn: the side of the turn goes down, the gaze ahead of the trunk.
pub fn lean(t: f64) -> Posture {
    let left = 2.0 * t / LEAN_SECS - 1.0;
    let mut posture = neutral();
    posture.chest.roll -= 11.0 * left;
    posture.chest.yaw += 7.0 * left;
    posture.head.roll -= 5.0 * left;
    posture.head.yaw += 15.0 * left;
    for side in Side::BOTH {
        // The inner arm makes room for the ribs, the outer comes off the body.
        let outer = -side.sign() * left;
        posture.arms[side as usize].abduct += 6.0 * left.abs() + 3.0 * outer.max(0.0);
    }
    posture
}

/// In takes less time than out; neutral at the start.
fn breath(t: f64, secs: f64) -> f64 {
    let phase = t / secs;
    let at = |phase: f64| -wave(phase + 0.06 * wave(phase, 0.25), 0.0);
    at(phase) - at(0.0)
}

fn breathing(posture: &mut Posture, breath: f64) {
    posture.chest.pitch -= 1.8 * breath;
    posture.head.pitch += 0.9 * breath;
    for arm in &mut posture.arms {
        arm.shrug += 3.2 * breath;
        arm.protract -= 1.2 * breath;
        arm.abduct += 1.3 * breath;
    }
}

/// Deep breath.
pub fn breathe(t: f64) -> Posture {
    let mut posture = neutral();
    breathing(&mut posture, breath(t, BREATHE_SECS));
    posture
}

/// Bent, the head hanging, short of breath.
pub fn tired(t: f64) -> Posture {
    let mut posture = neutral();
    posture.chest.pitch += 15.0;
    posture.head.pitch += 24.0;
    for arm in &mut posture.arms {
        arm.shrug -= 2.0;
        arm.protract += 7.0;
        arm.flex += 10.0;
        arm.rotate_in += 6.0;
    }
    breathing(&mut posture, 1.4 * breath(t, TIRED_SECS));
    posture
}

/// No step is quite like the one before.
pub fn wander(t: f64) -> Posture {
    let drift = |seed: u64, size: f64| {
        size * Noise::new(900 + seed, WANDER_SECS, 1, 4).change_since_start(t)
    };
    let mut posture = neutral();
    posture.chest.yaw += drift(1, 1.2);
    posture.chest.roll += drift(2, 0.8);
    posture.chest.pitch += drift(3, 0.7);
    posture.head.yaw += drift(4, 2.4);
    posture.head.pitch += drift(5, 1.2);
    posture.head.roll += drift(6, 0.9);
    for side in Side::BOTH {
        let which = 10 * (1 + side as u64);
        let arm = &mut posture.arms[side as usize];
        arm.flex += drift(which + 1, 2.2);
        arm.abduct += drift(which + 2, 1.1);
        arm.rotate_in += drift(which + 3, 2.2);
        arm.elbow += drift(which + 4, 2.4);
    }
    posture
}

/// The right arm points, gaze and trunk go with it: −1 to 1 to the left and up.
pub fn aim(left: f64, up: f64) -> Posture {
    let (yaw, pitch) = (AIM_YAW_DEG * left, AIM_PITCH_DEG * up);
    let mut posture = neutral();
    posture.chest.yaw += 0.5 * yaw;
    posture.chest.pitch -= 0.2 * pitch;
    posture.head.yaw += yaw;
    posture.head.pitch -= 0.8 * pitch;
    let arm = &mut posture.arms[Side::Right as usize];
    arm.shrug = 4.0;
    arm.protract = 8.0;
    arm.flex = 84.0 + 0.8 * pitch;
    // With the arm ahead this is to the side; the trunk has turned by half.
    arm.abduct = 3.0 - 0.5 * yaw;
    arm.rotate_in = 0.0;
    arm.elbow = 6.0;
    arm.pronate = 30.0;
    arm.wrist = 0.0;
    arm.fingers = 12.0;
    posture
}
