//! Struck: a blow on the left of the chest. The rib cage gives way and turns,
//! the head is late, the right foot catches the fall a step behind; then back
//! into the stance.

use glam::DVec3;

use super::{
    curve::{Key, keyed, keyed_soft},
    posture::{Arm, Posture},
    rig::Side,
    stand,
    steps::{FootPlan, Step, bearing_point},
};

/// Length of the clip.
pub const STRUCK_SECS: f64 = 2.0;

/// How far behind the right foot steps, and how far out.
const STEP: DVec3 = DVec3::new(-0.02, 0.0, -0.30);

/// (seconds, change from standing in degrees or metres). The blow is felt at
/// 0.2 s; every part follows the one that carries it.
#[rustfmt::skip]
mod keys {
    use super::Key;

    pub const PELVIS_YAW: &[Key] = &[(0.18, 0.0), (0.42, 9.0), (0.9, 4.0), (1.6, 0.0)];
    pub const PELVIS_PITCH: &[Key] = &[(0.18, 0.0), (0.40, -5.0), (0.85, 4.0), (1.6, 0.0)];
    pub const CHEST_YAW: &[Key] = &[(0.17, 0.0), (0.36, 21.0), (0.8, 7.0), (1.6, 0.0)];
    pub const CHEST_PITCH: &[Key] = &[(0.08, 0.0), (0.18, 1.5), (0.38, -15.0), (0.7, 1.0), (0.98, 6.0), (1.65, 0.0)];
    pub const CHEST_ROLL: &[Key] = &[(0.18, 0.0), (0.40, 4.0), (0.9, 0.0)];
    pub const HEAD_YAW: &[Key] = &[(0.18, 0.0), (0.34, -9.0), (0.62, -6.0), (1.4, 0.0)];
    pub const HEAD_PITCH: &[Key] = &[(0.18, 0.0), (0.30, 9.0), (0.52, -11.0), (0.9, 5.0), (1.5, 0.0)];
    pub const SINK: &[Key] = &[(0.2, 0.0), (0.56, 0.05), (0.95, 0.055), (1.75, 0.0)];
    /// Share of the weight on the left foot.
    pub const WEIGHT: &[Key] = &[(0.0, 0.5), (0.16, 0.5), (0.30, 0.80), (0.50, 0.72), (0.72, 0.36), (0.98, 0.40), (1.18, 0.80), (1.5, 0.76), (1.85, 0.5)];

    pub const SHRUG: &[Key] = &[(0.16, 0.0), (0.4, 8.0), (1.0, 3.0), (1.7, 0.0)];
    pub const PROTRACT: &[Key] = &[(0.16, 0.0), (0.36, 10.0), (1.0, 4.0), (1.7, 0.0)];
    pub const FLEX: &[Key] = &[(0.16, 0.0), (0.44, 34.0), (0.9, 22.0), (1.75, 0.0)];
    pub const ABDUCT: &[Key] = &[(0.16, 0.0), (0.42, 20.0), (0.9, 10.0), (1.75, 0.0)];
    pub const ELBOW: &[Key] = &[(0.16, 0.0), (0.46, 46.0), (0.95, 40.0), (1.75, 0.0)];
    pub const FINGERS: &[Key] = &[(0.16, 0.0), (0.36, -14.0), (0.9, 8.0), (1.7, 0.0)];
}

fn feet() -> [FootPlan; 2] {
    let home = stand::plant(Side::Right);
    let step = |lift_secs, land_secs, to, height, landing_pitch_deg| Step {
        lift_secs,
        land_secs,
        to,
        height,
        landing_pitch_deg,
    };
    let steps = vec![
        step(0.31, 0.60, home.shifted(STEP), 0.075, -10.0),
        step(1.20, 1.56, home, 0.085, 8.0),
    ];
    [
        FootPlan::new(stand::plant(Side::Left), vec![], &[]),
        FootPlan::new(home, steps, &[]),
    ]
}

/// The clip.
pub fn struck(t: f64) -> Posture {
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

    let weight = keyed_soft(keys::WEIGHT, 0.05, t);
    let [l, r] = posture.feet.map(|foot| bearing_point(&foot));
    let bearing = r.lerp(l, weight);
    posture.com = [Some(bearing.x), None, Some(bearing.z)];

    let [left, right] = &mut posture.arms;
    flung(left, t, 1.0);
    // The side that is not hit comes later and less.
    flung(right, t - 0.04, 0.8);
    posture
}

fn flung(arm: &mut Arm, t: f64, share: f64) {
    let at = |keys| share * keyed_soft(keys, 0.03, t);
    arm.shrug += at(keys::SHRUG);
    arm.protract += at(keys::PROTRACT);
    arm.flex += at(keys::FLEX);
    arm.abduct += at(keys::ABDUCT);
    arm.elbow += at(keys::ELBOW);
    arm.fingers += at(keys::FINGERS);
}
