//! The strike: a right straight off a step. Weight goes back, the left foot
//! steps, then hips, rib cage, shoulder and fist unwind one after the other.

use glam::DVec3;

use super::{
    curve::{Key, keyed, keyed_soft},
    foot::Plant,
    posture::{Arm, Posture},
    rig::Side,
    stand,
    steps::{FootPlan, Step, bearing_point},
};

/// Length of the clip.
pub const ATTACK_SECS: f64 = 2.1;

/// How far ahead the left foot steps, and how far out.
const STEP: DVec3 = DVec3::new(0.015, 0.0, 0.36);

/// (seconds, change from standing in degrees or metres). The fist is furthest
/// ahead at 0.73 s; every part peaks before the one it carries.
#[rustfmt::skip]
mod keys {
    use super::Key;

    pub const PELVIS_YAW: &[Key] = &[(0.05, 0.0), (0.46, -20.0), (0.68, 30.0), (0.86, 36.0), (1.35, 4.0), (1.75, 0.0)];
    pub const PELVIS_PITCH: &[Key] = &[(0.1, 0.0), (0.45, 4.0), (0.75, 8.0), (1.6, 0.0)];
    pub const CHEST_YAW: &[Key] = &[(0.08, 0.0), (0.5, -42.0), (0.73, 44.0), (0.88, 54.0), (1.4, 4.0), (1.85, 0.0)];
    pub const CHEST_PITCH: &[Key] = &[(0.1, 0.0), (0.45, 3.0), (0.75, 14.0), (0.95, 15.0), (1.6, 0.0)];
    pub const CHEST_ROLL: &[Key] = &[(0.1, 0.0), (0.45, 4.0), (0.74, -6.0), (1.5, 0.0)];
    pub const HEAD_YAW: &[Key] = &[(0.1, 0.0), (0.5, -7.0), (0.75, 8.0), (1.3, 0.0)];
    pub const HEAD_PITCH: &[Key] = &[(0.1, 0.0), (0.5, 3.0), (0.78, 6.0), (1.4, 0.0)];
    pub const SINK: &[Key] = &[(0.05, 0.0), (0.42, 0.045), (0.62, 0.055), (0.8, 0.09), (1.0, 0.085), (1.4, 0.04), (1.9, 0.0)];
    pub const LEFT_KNEE_OUT: &[Key] = &[(0.3, 0.0), (0.8, 5.0), (1.4, 0.0)];
    /// Share of the weight on the left foot: back to load, ahead with the fist.
    pub const WEIGHT: &[Key] = &[(0.0, 0.5), (0.30, 0.14), (0.46, 0.2), (0.78, 0.66), (0.95, 0.68), (1.2, 0.22), (1.45, 0.22), (1.85, 0.5)];
    /// The back foot comes up on its ball as the hips turn over it.
    pub const RIGHT_HEEL: &[Key] = &[(0.50, 0.0), (0.70, -34.0), (0.92, -38.0), (1.22, -10.0), (1.34, 0.0)];

    pub mod right {
        use super::Key;
        pub const SHRUG: &[Key] = &[(0.1, 0.0), (0.45, 6.0), (0.72, 8.0), (1.1, 2.0), (1.6, 0.0)];
        pub const PROTRACT: &[Key] = &[(0.1, 0.0), (0.5, -14.0), (0.73, 22.0), (0.9, 16.0), (1.5, 0.0)];
        pub const FLEX: &[Key] = &[(0.06, 0.0), (0.34, -10.0), (0.56, -34.0), (0.73, 84.0), (0.9, 64.0), (1.25, 18.0), (1.7, 0.0)];
        pub const ABDUCT: &[Key] = &[(0.06, 0.0), (0.5, 32.0), (0.62, 30.0), (0.74, 24.0), (0.92, 10.0), (1.3, 8.0), (1.7, 0.0)];
        pub const ROTATE_IN: &[Key] = &[(0.06, 0.0), (0.5, 6.0), (0.74, 40.0), (0.95, 34.0), (1.3, 8.0), (1.7, 0.0)];
        pub const ELBOW: &[Key] = &[(0.05, 0.0), (0.42, 98.0), (0.58, 104.0), (0.73, -6.0), (0.9, 30.0), (1.15, 58.0), (1.75, 0.0)];
        pub const PRONATE: &[Key] = &[(0.05, 0.0), (0.5, 50.0), (0.72, 100.0), (0.95, 84.0), (1.6, 0.0)];
        pub const WRIST: &[Key] = &[(0.05, 0.0), (0.4, 4.0), (1.2, 4.0), (1.6, 0.0)];
        pub const FINGERS: &[Key] = &[(0.02, 0.0), (0.36, 64.0), (1.0, 62.0), (1.65, 0.0)];
        pub const THUMB: &[Key] = &[(0.02, 0.0), (0.38, 30.0), (1.0, 28.0), (1.65, 0.0)];
    }

    pub mod left {
        use super::Key;
        pub const SHRUG: &[Key] = &[(0.05, 0.0), (0.45, 5.0), (0.8, 2.0), (1.4, 0.0)];
        pub const PROTRACT: &[Key] = &[(0.05, 0.0), (0.45, 12.0), (0.72, -8.0), (1.5, 0.0)];
        pub const FLEX: &[Key] = &[(0.05, 0.0), (0.44, 58.0), (0.74, -14.0), (0.95, -6.0), (1.7, 0.0)];
        pub const ABDUCT: &[Key] = &[(0.05, 0.0), (0.44, 18.0), (0.74, 18.0), (1.0, 14.0), (1.7, 0.0)];
        pub const ROTATE_IN: &[Key] = &[(0.05, 0.0), (0.44, 10.0), (0.8, 2.0), (1.7, 0.0)];
        pub const ELBOW: &[Key] = &[(0.05, 0.0), (0.42, 64.0), (0.74, 94.0), (1.0, 84.0), (1.75, 0.0)];
        pub const PRONATE: &[Key] = &[(0.05, 0.0), (0.45, 70.0), (1.0, 60.0), (1.6, 0.0)];
        pub const FINGERS: &[Key] = &[(0.05, 0.0), (0.4, 50.0), (1.05, 52.0), (1.7, 0.0)];
        pub const THUMB: &[Key] = &[(0.05, 0.0), (0.4, 20.0), (1.05, 20.0), (1.7, 0.0)];
    }
}

fn feet() -> [FootPlan; 2] {
    let home = stand::plant(Side::Left);
    let ahead = Plant {
        heading_deg: home.heading_deg - 4.0,
        ..home.shifted(STEP)
    };
    let step = |lift_secs, land_secs, to, height, landing_pitch_deg| Step {
        lift_secs,
        land_secs,
        to,
        height,
        landing_pitch_deg,
    };
    let steps = vec![
        step(0.30, 0.60, ahead, 0.085, 9.0),
        step(1.22, 1.56, home, 0.088, -12.0),
    ];
    [
        FootPlan::new(home, steps, &[]),
        FootPlan::new(stand::plant(Side::Right), vec![], keys::RIGHT_HEEL),
    ]
}

/// The clip.
pub fn attack(t: f64) -> Posture {
    let mut posture = stand::at_ease(t);
    let [left, right] = feet();
    posture.feet = [left.at(t), right.at(t)];

    posture.pelvis.yaw += keyed(keys::PELVIS_YAW, t);
    posture.pelvis.pitch += keyed(keys::PELVIS_PITCH, t);
    posture.chest.yaw += keyed(keys::CHEST_YAW, t);
    posture.chest.pitch += keyed(keys::CHEST_PITCH, t);
    posture.chest.roll += keyed(keys::CHEST_ROLL, t);
    posture.head.yaw += keyed(keys::HEAD_YAW, t);
    posture.head.pitch += keyed(keys::HEAD_PITCH, t);
    posture.root.y -= keyed(keys::SINK, t);

    let weight = keyed_soft(keys::WEIGHT, 0.04, t);
    let [l, r] = posture.feet.map(|foot| bearing_point(&foot));
    let bearing = r.lerp(l, weight);
    posture.com = [Some(bearing.x), None, Some(bearing.z)];

    strike(&mut posture.arms[Side::Right as usize], t);
    guard(&mut posture.arms[Side::Left as usize], t);
    posture.knee_out_deg[0] = keyed(keys::LEFT_KNEE_OUT, t);
    posture
}

fn strike(arm: &mut Arm, t: f64) {
    use keys::right::*;
    let at = |keys| keyed_soft(keys, 0.028, t);
    arm.shrug += at(SHRUG);
    arm.protract += at(PROTRACT);
    arm.flex += at(FLEX);
    arm.abduct += at(ABDUCT);
    arm.rotate_in += at(ROTATE_IN);
    arm.elbow += at(ELBOW);
    arm.pronate += at(PRONATE);
    arm.wrist += at(WRIST);
    arm.fingers += at(FINGERS);
    arm.thumb += at(THUMB);
}

fn guard(arm: &mut Arm, t: f64) {
    use keys::left::*;
    let at = |keys| keyed_soft(keys, 0.03, t);
    arm.shrug += at(SHRUG);
    arm.protract += at(PROTRACT);
    arm.flex += at(FLEX);
    arm.abduct += at(ABDUCT);
    arm.rotate_in += at(ROTATE_IN);
    arm.elbow += at(ELBOW);
    arm.pronate += at(PRONATE);
    arm.fingers += at(FINGERS);
    arm.thumb += at(THUMB);
}
