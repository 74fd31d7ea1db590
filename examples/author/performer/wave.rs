//! The wave: an action that starts and ends in the idle stance.

use super::{
    curve::{Key, keyed},
    posture::Posture,
    rig::Side,
    stand,
};

/// Length of the wave.
pub const WAVE_SECS: f64 = 3.2;

/// (seconds, share): up, held, down. The shoulder blade and the elbow lead,
/// the hand follows.
#[rustfmt::skip]
mod keys {
    use super::Key;

    pub const LEAD: &[Key] = &[(0.12, 0.0), (0.62, 1.0), (2.3, 1.0), (2.95, 0.0)];
    pub const RAISE: &[Key] = &[(0.16, 0.0), (0.74, 1.0), (2.28, 1.0), (2.98, 0.0)];
    pub const BEND: &[Key] = &[(0.10, 0.0), (0.60, 1.0), (2.34, 1.0), (3.05, 0.0)];
    pub const OPEN: &[Key] = &[(0.25, 0.0), (0.8, 1.0), (2.3, 1.0), (2.9, 0.0)];
    pub const WAVING: &[Key] = &[(0.55, 0.0), (0.95, 1.0), (1.9, 0.9), (2.4, 0.0)];
    pub const NOD: &[Key] = &[(0.5, 0.0), (0.75, 1.0), (1.0, 0.0), (1.25, 0.7), (1.5, 0.0)];
}

/// A friendly wave of the right hand.
pub fn wave(t: f64) -> Posture {
    let mut posture = stand::at_ease(t);
    let lead = keyed(keys::LEAD, t);
    let raise = keyed(keys::RAISE, t);
    let bend = keyed(keys::BEND, t);
    let open = keyed(keys::OPEN, t);
    let waving = keyed(keys::WAVING, t);
    let beat = |lag: f64| waving * (std::f64::consts::TAU * 1.75 * (t - 0.62 - lag)).sin();

    let arm = &mut posture.arms[Side::Right as usize];
    let mix = |from: f64, to: f64, amount: f64| from + (to - from) * amount;
    arm.shrug = mix(arm.shrug, 13.0, lead);
    arm.protract = mix(arm.protract, 3.0, lead);
    arm.flex = mix(arm.flex, 38.0, raise) + 1.5 * beat(0.0);
    arm.abduct = mix(arm.abduct, 58.0, raise) + 3.5 * beat(0.0);
    arm.rotate_in = mix(arm.rotate_in, -56.0, raise) + 3.0 * beat(0.03);
    arm.elbow = mix(arm.elbow, 112.0, bend) - 17.0 * beat(0.02);
    arm.pronate = mix(arm.pronate, 4.0, open) + 4.0 * beat(0.05);
    arm.wrist = mix(arm.wrist, -14.0, open);
    arm.ulnar = mix(arm.ulnar, 4.0, open) + 13.0 * beat(0.075);
    arm.fingers = mix(arm.fingers, 9.0, open) + 3.0 * beat(0.1);
    arm.thumb = mix(arm.thumb, -6.0, open);

    let other = &mut posture.arms[Side::Left as usize];
    other.abduct += 2.0 * raise;
    other.elbow += 3.0 * raise;
    posture.chest.roll -= 3.2 * raise - 0.5 * beat(0.06);
    posture.chest.yaw -= 3.0 * raise;
    posture.chest.pitch -= 1.5 * raise;
    posture.pelvis.roll += 1.6 * raise;
    posture.head.roll -= 4.0 * raise + 0.6 * beat(0.1);
    posture.head.pitch -= 3.0 * raise + 1.2 * keyed(keys::NOD, t);
    posture.head.yaw -= 3.0 * raise;
    posture.com[0] = Some(0.018 * lead);
    posture
}
