//! The jump: a countermovement with an arm swing, flight in which the centre
//! of mass (not the pelvis) is a ballistic body, and a landing that absorbs.

use glam::DVec3;

use super::{
    curve::{Key, Spline, keyed, keyed_soft},
    foot::FootTarget,
    posture::Posture,
    rig::Side,
    run::GRAVITY,
    stand,
};

/// Length of the clip.
pub const JUMP_SECS: f64 = 2.6;
/// Deepest point of the countermovement.
const DEEPEST_SECS: f64 = 0.60;
/// Toes leave the floor.
const TAKE_OFF_SECS: f64 = 0.92;
/// Upward speed of the centre of mass then: it rises 26 cm more.
const TAKE_OFF_SPEED: f64 = 2.25;
/// Time in the air; the landing is deeper than the take-off by what remains.
const FLIGHT_SECS: f64 = 0.51;
/// Toes touch the floor.
const LANDING_SECS: f64 = TAKE_OFF_SECS + FLIGHT_SECS;
/// Deepest point of the landing.
const ABSORBED_SECS: f64 = LANDING_SECS + 0.25;
/// Standing again.
const UPRIGHT_SECS: f64 = 2.45;

/// Heights of the centre of mass against standing, metres.
const DEPTH: f64 = -0.24;
const AT_TAKE_OFF: f64 = 0.17;
const ABSORBED: f64 = -0.195;

/// Position, velocity and acceleration at an instant.
pub struct Knot(pub f64, pub [f64; 3]);

/// The polynomial of fifth degree between two knots.
pub fn quintic(from: &Knot, to: &Knot, t: f64) -> f64 {
    let h = to.0 - from.0;
    let u = (t - from.0) / h;
    let [p0, v0, a0] = [from.1[0], from.1[1] * h, from.1[2] * h * h];
    let [p1, v1, a1] = [to.1[0], to.1[1] * h, to.1[2] * h * h];
    let d = p1 - p0 - v0 - 0.5 * a0;
    let (e, f) = (v1 - v0 - a0, a1 - a0);
    let c3 = 10.0 * d - 4.0 * e + 0.5 * f;
    let c4 = -15.0 * d + 7.0 * e - f;
    let c5 = 6.0 * d - 3.0 * e + 0.5 * f;
    p0 + u * (v0 + u * (0.5 * a0 + u * (c3 + u * (c4 + u * c5))))
}

/// Height of the centre of mass against standing.
pub fn com_rise(t: f64) -> f64 {
    let flown = |s: f64| AT_TAKE_OFF + TAKE_OFF_SPEED * s - 0.5 * GRAVITY * s * s;
    let landing_speed = TAKE_OFF_SPEED - GRAVITY * FLIGHT_SECS;
    let start = Knot(0.0, [0.0; 3]);
    let deepest = Knot(DEEPEST_SECS, [DEPTH, 0.0, 11.0]);
    let take_off = Knot(TAKE_OFF_SECS, [AT_TAKE_OFF, TAKE_OFF_SPEED, -GRAVITY]);
    let landing = Knot(LANDING_SECS, [flown(FLIGHT_SECS), landing_speed, -GRAVITY]);
    let absorbed = Knot(ABSORBED_SECS, [ABSORBED, 0.0, 7.0]);
    let upright = Knot(UPRIGHT_SECS, [0.0; 3]);
    if t < DEEPEST_SECS {
        quintic(&start, &deepest, t)
    } else if t < TAKE_OFF_SECS {
        quintic(&deepest, &take_off, t)
    } else if t < LANDING_SECS {
        flown(t - TAKE_OFF_SECS)
    } else if t < ABSORBED_SECS {
        quintic(&landing, &absorbed, t)
    } else {
        quintic(&absorbed, &upright, t.min(UPRIGHT_SECS))
    }
}

/// (seconds, degrees): soles against the floor, the rest changes from standing.
#[rustfmt::skip]
mod keys {
    use super::{Key, LANDING_SECS, TAKE_OFF_SECS};

    pub const FOOT: &[Key] = &[
        (0.62, 0.0), (0.76, -8.0), (0.86, -34.0), (TAKE_OFF_SECS, -58.0), (1.02, -56.0), (1.22, -40.0),
        (LANDING_SECS, -24.0), (1.52, 0.0), (2.6, 0.0),
    ];
    pub const TOES: &[Key] = &[
        (0.85, 0.0), (TAKE_OFF_SECS, -24.0), (1.0, -42.0), (1.22, -16.0), (LANDING_SECS - 0.02, 0.0), (2.6, 0.0),
    ];
    pub const COM_AHEAD: &[Key] = &[(0.1, 0.0), (0.45, 0.0), (0.8, 0.07), (1.50, 0.07), (2.0, 0.0)];
    pub const PELVIS_PITCH: &[Key] = &[(0.08, 0.0), (0.58, 36.0), (0.92, -3.0), (1.15, 4.0), (1.38, 8.0), (1.62, 32.0), (2.3, 0.0)];
    pub const CHEST_PITCH: &[Key] = &[(0.05, 0.0), (0.55, 46.0), (0.9, -5.0), (1.12, -3.0), (1.36, 9.0), (1.64, 40.0), (2.35, 0.0)];
    pub const HEAD_PITCH: &[Key] = &[(0.05, 0.0), (0.5, 16.0), (0.86, -12.0), (1.1, -6.0), (1.36, 12.0), (1.62, 16.0), (2.3, 0.0)];
    pub const KNEES_OUT: &[Key] = &[(0.1, 0.0), (0.6, 6.0), (0.9, 0.0), (1.35, 2.0), (1.62, 6.0), (2.3, 0.0)];
    pub const ARM_FLEX: &[Key] = &[
        (0.08, 0.0), (0.54, -42.0), (0.88, 112.0), (1.0, 124.0), (1.22, 74.0), (1.42, 30.0), (1.72, 16.0), (2.35, 0.0),
    ];
    pub const ARM_ABDUCT: &[Key] = &[(0.1, 0.0), (0.5, 11.0), (0.74, 9.0), (0.98, 10.0), (1.3, 20.0), (1.62, 18.0), (2.3, 0.0)];
    pub const ELBOW: &[Key] = &[(0.1, 0.0), (0.5, -4.0), (0.72, 34.0), (0.92, 30.0), (1.2, 34.0), (1.58, 40.0), (2.35, 0.0)];
    pub const ROTATE_IN: &[Key] = &[(0.1, 0.0), (0.55, 8.0), (0.9, 4.0), (1.3, 8.0), (1.6, 8.0), (2.3, 0.0)];
    pub const SHRUG: &[Key] = &[(0.5, 0.0), (0.9, 15.0), (1.1, 12.0), (1.4, 2.0), (1.7, 0.0)];
    pub const WRIST: &[Key] = &[(0.2, 0.0), (0.56, -8.0), (0.8, -14.0), (1.0, 8.0), (1.5, 0.0)];
    pub const FINGERS: &[Key] = &[(0.3, 0.0), (0.7, 22.0), (1.0, -8.0), (1.5, 4.0), (2.2, 0.0)];
}

fn foot(side: Side, t: f64) -> FootTarget {
    let pitch = |t: f64| keyed_soft(keys::FOOT, 0.014, t);
    let toes = |t: f64| keyed_soft(keys::TOES, 0.010, t);
    let stance = |t: f64| stand::plant(side).target(pitch(t), toes(t));
    if !(TAKE_OFF_SECS..LANDING_SECS).contains(&t) {
        return stance(t);
    }
    let (from, to) = (stance(TAKE_OFF_SECS).ankle, stance(LANDING_SECS).ankle);
    let u = (t - TAKE_OFF_SECS) / FLIGHT_SECS;
    // The feet leave and come back nearly as fast as the body does.
    let top = 0.5 * (from.y + to.y) + GRAVITY * FLIGHT_SECS * FLIGHT_SECS / 8.0 - 0.005;
    let height = Spline::clamped(
        vec![(0.0, from.y), (0.5, top), (1.0, to.y)],
        2.2 * FLIGHT_SECS,
        -2.66 * FLIGHT_SECS,
    );
    let across = from.lerp(to, super::gait::smooth(u));
    FootTarget {
        ankle: DVec3::new(across.x, height.at(u), across.z),
        pitch_deg: pitch(t),
        toe_pitch_deg: toes(t),
        ..stance(t)
    }
}

/// True between take-off and landing.
pub fn is_airborne(t: f64) -> bool {
    t > TAKE_OFF_SECS && t < LANDING_SECS
}

/// The clip; `standing_com_height` is that of the idle stance.
pub fn jump(standing_com_height: f64, t: f64) -> Posture {
    let mut posture = stand::at_ease(t);
    let rise = com_rise(t);
    posture.feet = Side::BOTH.map(|side| foot(side, t));
    posture.root.y += rise;
    posture.com[1] = Some(standing_com_height + rise);
    let ahead = keyed_soft(keys::COM_AHEAD, 0.028, t);
    posture.com[2] = posture.com[2].map(|z| z + ahead);

    posture.pelvis.pitch += keyed(keys::PELVIS_PITCH, t);
    posture.chest.pitch += keyed(keys::CHEST_PITCH, t);
    posture.head.pitch += keyed(keys::HEAD_PITCH, t);
    posture.knee_out_deg = [keyed(keys::KNEES_OUT, t); 2];
    for (which, arm) in posture.arms.iter_mut().enumerate() {
        // The right arm goes a little less far, a little later.
        let (own, t) = ([1.0, 0.95][which], t - [0.0, 0.012][which]);
        arm.flex += own * keyed(keys::ARM_FLEX, t);
        arm.abduct += keyed(keys::ARM_ABDUCT, t);
        arm.elbow += keyed(keys::ELBOW, t);
        arm.rotate_in += keyed(keys::ROTATE_IN, t);
        arm.shrug += keyed(keys::SHRUG, t);
        arm.wrist += keyed(keys::WRIST, t);
        arm.fingers += keyed(keys::FINGERS, t);
    }
    posture
}
