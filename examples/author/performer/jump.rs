//! The jump: a countermovement with an arm swing, flight in which the centre
//! of mass (not the pelvis) is a ballistic body, and a landing that absorbs.

use glam::DVec3;

use super::{
    curve::{Key, Spline, keyed, keyed_soft},
    foot::FootTarget,
    posture::Posture,
    rig::Side,
    stand,
    walks::GRAVITY,
};

/// Length of the clip.
pub const JUMP_SECS: f64 = 2.6;
/// Deepest point of the countermovement.
const DEEPEST_SECS: f64 = 0.60;
/// Toes leave the floor.
const TAKE_OFF_SECS: f64 = 0.92;
/// Upward speed of the centre of mass then: it rises 27 cm more.
const TAKE_OFF_SPEED: f64 = 2.3;
/// Time in the air; the landing is deeper than the take-off by what remains.
const FLIGHT_SECS: f64 = 0.49;
/// Toes touch the floor.
const LANDING_SECS: f64 = TAKE_OFF_SECS + FLIGHT_SECS;
/// Deepest point of the landing.
const ABSORBED_SECS: f64 = LANDING_SECS + 0.25;
/// Standing again.
const UPRIGHT_SECS: f64 = 2.45;

/// Heights of the centre of mass against standing, metres.
const DEPTH: f64 = -0.29;
const AT_TAKE_OFF: f64 = 0.135;
const ABSORBED: f64 = -0.24;

/// Position, velocity and acceleration at an instant.
struct Knot(f64, [f64; 3]);

/// The polynomial of fifth degree between two knots.
fn quintic(from: &Knot, to: &Knot, t: f64) -> f64 {
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

const FOOT_PITCH: [Key; 9] = [
    (0.60, 0.0),
    (0.74, -8.0),
    (0.84, -34.0),
    (TAKE_OFF_SECS, -60.0),
    (1.0, -66.0),
    (1.2, -42.0),
    (LANDING_SECS, -24.0),
    (1.47, 0.0),
    (2.6, 0.0),
];
const TOE_PITCH: [Key; 6] = [
    (0.83, 0.0),
    (TAKE_OFF_SECS, -24.0),
    (0.98, -42.0),
    (1.2, -16.0),
    (LANDING_SECS - 0.02, 0.0),
    (2.6, 0.0),
];

fn foot(side: Side, t: f64) -> FootTarget {
    let pitch = |t: f64| keyed_soft(&FOOT_PITCH, 0.014, t);
    let toes = |t: f64| keyed_soft(&TOE_PITCH, 0.010, t);
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
        2.0 * FLIGHT_SECS,
        -1.75 * FLIGHT_SECS,
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
    let ahead = keyed_soft(
        &[
            (0.1, 0.0),
            (0.5, 0.012),
            (0.85, 0.045),
            (1.3, 0.045),
            (1.5, 0.02),
            (2.2, 0.0),
        ],
        0.05,
        t,
    );
    posture.com[2] = posture.com[2].map(|z| z + ahead);

    posture.pelvis.pitch += keyed(
        &[
            (0.08, 0.0),
            (0.58, 30.0),
            (0.9, -3.0),
            (1.15, 4.0),
            (1.38, 8.0),
            (1.62, 24.0),
            (2.3, 0.0),
        ],
        t,
    );
    posture.chest.pitch += keyed(
        &[
            (0.05, 0.0),
            (0.55, 40.0),
            (0.88, -5.0),
            (1.12, -3.0),
            (1.36, 9.0),
            (1.64, 31.0),
            (2.35, 0.0),
        ],
        t,
    );
    posture.head.pitch += keyed(
        &[
            (0.05, 0.0),
            (0.5, 14.0),
            (0.86, -12.0),
            (1.1, -6.0),
            (1.36, 12.0),
            (1.62, 15.0),
            (2.3, 0.0),
        ],
        t,
    );
    for (which, arm) in posture.arms.iter_mut().enumerate() {
        let own = [1.0, 0.95][which];
        let t = t - [0.0, 0.012][which];
        arm.flex += own
            * keyed(
                &[
                    (0.08, 0.0),
                    (0.54, -40.0),
                    (0.86, 112.0),
                    (0.98, 128.0),
                    (1.22, 84.0),
                    (1.5, 24.0),
                    (1.72, 16.0),
                    (2.35, 0.0),
                ],
                t,
            );
        arm.abduct += keyed(
            &[
                (0.1, 0.0),
                (0.5, 9.0),
                (0.74, 4.0),
                (0.98, 10.0),
                (1.3, 22.0),
                (1.55, 16.0),
                (2.3, 0.0),
            ],
            t,
        );
        arm.elbow += keyed(
            &[
                (0.1, 0.0),
                (0.5, -4.0),
                (0.72, 34.0),
                (0.92, 30.0),
                (1.2, 34.0),
                (1.58, 44.0),
                (2.35, 0.0),
            ],
            t,
        );
        arm.rotate_in += keyed(
            &[
                (0.1, 0.0),
                (0.55, 8.0),
                (0.9, 4.0),
                (1.3, 14.0),
                (1.6, 16.0),
                (2.3, 0.0),
            ],
            t,
        );
        arm.shrug += keyed(
            &[(0.5, 0.0), (0.9, 15.0), (1.1, 12.0), (1.4, 2.0), (1.7, 0.0)],
            t,
        );
        arm.wrist += keyed(
            &[
                (0.2, 0.0),
                (0.56, -8.0),
                (0.8, -14.0),
                (1.0, 8.0),
                (1.5, 0.0),
            ],
            t,
        );
        arm.fingers += keyed(
            &[(0.3, 0.0), (0.7, 22.0), (1.0, -8.0), (1.5, 4.0), (2.2, 0.0)],
            t,
        );
    }
    posture.knee_out_deg = [keyed(
        &[
            (0.1, 0.0),
            (0.6, 6.0),
            (0.9, 0.0),
            (1.35, 2.0),
            (1.62, 6.0),
            (2.3, 0.0),
        ],
        t,
    ); 2];
    posture
}
