//! The running jump: a stride of the run whose first flight is stretched.
//!
//! The left foot pushes off harder and sooner than in a run, the right leg
//! leads through the air, lands, absorbs, and pushes off as in any other step;
//! so the clip repeats, and every moment outside the leap is the run's.

use glam::DVec3;

use super::{
    curve::{Key, Spline, keyed_soft, monotone},
    foot::{FootTarget, Plant},
    jump::{Knot, quintic},
    locomotion::Locomotion,
    posture::Posture,
    rig::Side,
    run::GRAVITY,
};

const FRAME_SECS: f64 = 1.0 / 120.0;
/// The left foot is down for this long from time zero: less than in the run,
/// as in jumps for distance (Hay 1993).
const PUSH_SECS: f64 = 19.0 * FRAME_SECS;
/// Both feet are off the floor.
const FLIGHT_SECS: f64 = 53.0 * FRAME_SECS;
const LANDING_SECS: f64 = PUSH_SECS + FLIGHT_SECS;
/// The right foot is down; longer than in the run, for it has more to absorb.
const ABSORB_SECS: f64 = 27.0 * FRAME_SECS;
const LIFT_SECS: f64 = LANDING_SECS + ABSORB_SECS;
/// The flight that follows is the run's own.
const STEP_FLIGHT_SECS: f64 = 15.0 * FRAME_SECS;
/// One stride.
pub const LEAP_SECS: f64 = LIFT_SECS + STEP_FLIGHT_SECS;
/// The clip starts where the right foot absorbs and the pelvis faces ahead.
const START_SECS: f64 = 82.0 * FRAME_SECS;

/// Heights of the centre of mass, metres, and its speeds, m/s: as the run's at
/// its strikes, up on the toes at take-off, bent at the landing.
const STRIKE_COM: f64 = 0.967;
const TAKE_OFF_COM: f64 = 0.995;
const LANDING_COM: f64 = 0.945;
const ABSORBED_COM: f64 = 0.862;
const ABSORBED_SECS: f64 = LANDING_SECS + 0.115;
const STEP_SPEED: f64 = 0.5 * GRAVITY * STEP_FLIGHT_SECS;
const TAKE_OFF_SPEED: f64 =
    (LANDING_COM - TAKE_OFF_COM) / FLIGHT_SECS + 0.5 * GRAVITY * FLIGHT_SECS;

/// The left foot's phase in the run against time: strike, toe-off, the right
/// foot's strike and toe-off, and round again.
fn phase(run: &Locomotion, t: f64) -> f64 {
    let duty = run.gait.duty_factor;
    let lap = [
        (0.0, 0.0),
        (PUSH_SECS, duty),
        (LANDING_SECS, 0.5),
        (LIFT_SECS, 0.5 + duty),
    ];
    let laps =
        [-1.0, 0.0, 1.0, 2.0].map(|n| lap.map(|(at, phase)| (at + n * LEAP_SECS, phase + n)));
    monotone(&laps.concat(), t)
}

/// Of the centre of mass; `t` in one lap from the left foot's strike.
fn com_height(t: f64) -> f64 {
    let fly = |from: f64, speed: f64, s: f64| from + speed * s - 0.5 * GRAVITY * s * s;
    let strike = Knot(0.0, [STRIKE_COM, -STEP_SPEED, -GRAVITY]);
    let take_off = Knot(PUSH_SECS, [TAKE_OFF_COM, TAKE_OFF_SPEED, -GRAVITY]);
    let fall = TAKE_OFF_SPEED - GRAVITY * FLIGHT_SECS;
    let landing = Knot(LANDING_SECS, [LANDING_COM, fall, -GRAVITY]);
    let absorbed = Knot(ABSORBED_SECS, [ABSORBED_COM, 0.0, 14.0]);
    let lift = Knot(LIFT_SECS, [STRIKE_COM, STEP_SPEED, -GRAVITY]);
    if t < PUSH_SECS {
        quintic(&strike, &take_off, t)
    } else if t < LANDING_SECS {
        fly(TAKE_OFF_COM, TAKE_OFF_SPEED, t - PUSH_SECS)
    } else if t < ABSORBED_SECS {
        quintic(&landing, &absorbed, t)
    } else if t < LIFT_SECS {
        quintic(&absorbed, &lift, t)
    } else {
        fly(STRIKE_COM, STEP_SPEED, t - LIFT_SECS)
    }
}

/// When a foot is down in the lap, and the ankle's way through the leap's own
/// flight: (seconds, metres ahead of the body's mean path, metres up). Outside
/// it the foot goes as in the run, at these phases of its own stride.
struct Swing {
    strike_secs: f64,
    lift_secs: f64,
    /// Speed at which the foot comes down, m/s.
    strike_speed: f64,
    before: &'static [f64],
    leap: &'static [(f64, f64, f64)],
    after: &'static [f64],
}

/// The foot that pushes off trails behind with the knee bent.
const TRAIL: Swing = Swing {
    strike_secs: 0.0,
    lift_secs: PUSH_SECS,
    strike_speed: 0.4,
    before: &[],
    leap: &[
        (0.233, -0.57, 0.46),
        (0.363, -0.57, 0.66),
        (0.523, -0.46, 0.60),
    ],
    after: &[0.62, 0.74, 0.84, 0.94],
};
/// The other one leads with the knee high and reaches for the floor.
const LEAD: Swing = Swing {
    strike_secs: LANDING_SECS,
    lift_secs: LIFT_SECS,
    strike_speed: 1.2,
    before: &[0.46, 0.58, 0.70],
    leap: &[
        (LEAP_SECS + 0.190, 0.10, 0.40),
        (LEAP_SECS + 0.320, 0.30, 0.55),
        (LEAP_SECS + 0.450, 0.34, 0.49),
        (LEAP_SECS + 0.550, 0.27, 0.27),
    ],
    after: &[],
};

/// Seconds at which a foot is at a phase of its own stride, searched in the
/// lap after its lift.
fn secs_at(run: &Locomotion, swing: &Swing, lag: f64, own_phase: f64) -> f64 {
    let (mut low, mut high) = (swing.lift_secs, swing.strike_secs + LEAP_SECS);
    let strike = phase(run, swing.strike_secs) - lag;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let passed = phase(run, middle) - lag - strike;
        *if passed < own_phase {
            &mut low
        } else {
            &mut high
        } = middle;
    }
    low
}

/// The ankle in the run at a phase of the foot's own stride, from the body's
/// mean path.
fn run_ankle(run: &Locomotion, side: Side, own_phase: f64) -> DVec3 {
    let gait = &run.gait;
    let lag = [0.0, 0.5][side as usize];
    let t = (own_phase + lag - gait.phase_at_start) * gait.stride_secs;
    gait.foot(side, t).ankle - gait.velocity * t
}

fn foot(run: &Locomotion, side: Side, t: f64) -> FootTarget {
    let (swing, lag) = [(TRAIL, 0.0), (LEAD, 0.5)]
        .into_iter()
        .nth(side as usize)
        .unwrap_or((TRAIL, 0.0));
    let lap = ((t - swing.strike_secs) / LEAP_SECS).floor();
    let start = lap * LEAP_SECS;
    let stance = |secs: f64, lap: f64| {
        let phase = phase(run, secs - lap * LEAP_SECS) - lag;
        let pitch = run.gait.foot_pitch_deg.at(phase);
        plant(run, side, &swing, lap).target(pitch, run.gait.toe_pitch_deg.at(phase))
    };
    let (lift, strike) = (
        start + swing.lift_secs,
        start + swing.strike_secs + LEAP_SECS,
    );
    if t <= lift {
        return stance(t, lap);
    }
    let h = 1e-4;
    let (from, to) = (stance(lift, lap), stance(strike, lap + 1.0));
    let velocity = run.gait.velocity;
    let off = (from.ankle - stance(lift - h, lap).ankle) / h - velocity;
    let on = (stance(strike + h, lap + 1.0).ankle - to.ankle) / h
        - velocity
        - DVec3::Y * swing.strike_speed;
    let run_knot = |own: &f64| {
        let ankle = run_ankle(run, side, *own);
        (start + secs_at(run, &swing, lag, *own), ankle.z, ankle.y)
    };
    let mut knots = vec![(lift, from.ankle.z - velocity.z * lift, from.ankle.y)];
    knots.extend(swing.before.iter().map(run_knot));
    knots.extend(swing.leap.iter().map(|&(at, z, y)| (start + at, z, y)));
    knots.extend(swing.after.iter().map(run_knot));
    knots.push((strike, to.ankle.z - velocity.z * strike, to.ankle.y));
    let ahead = Spline::clamped(knots.iter().map(|k| (k.0, k.1)).collect(), off.z, on.z);
    let up = Spline::clamped(knots.iter().map(|k| (k.0, k.2)).collect(), off.y, on.y);
    let own = phase(run, t - start) - lag;
    FootTarget {
        ankle: DVec3::new(from.ankle.x, up.at(t), velocity.z * t + ahead.at(t)),
        heading_deg: from.heading_deg,
        pitch_deg: run.gait.foot_pitch_deg.at(own),
        toe_pitch_deg: run.gait.toe_pitch_deg.at(own),
    }
}

fn plant(run: &Locomotion, side: Side, swing: &Swing, lap: f64) -> Plant {
    let gait = &run.gait;
    let strike_secs = lap * LEAP_SECS + swing.strike_secs;
    let ankle = gait.velocity * strike_secs + gait.landing[side as usize];
    Plant::under_ankle(ankle.x, ankle.z, side.sign() * gait.toe_out_deg)
}

/// What the arms and the trunk do more than in the run: (seconds of the lap,
/// share).
const SPREAD: [Key; 5] = [
    (-0.1, 0.0),
    (0.063, 0.0),
    (0.343, 1.0),
    (0.603, 0.45),
    (0.833, 0.0),
];

/// True between take-off and landing, and in the flight of the step after.
pub fn is_airborne(t: f64) -> bool {
    let t = (t + START_SECS).rem_euclid(LEAP_SECS);
    let inside = |from: f64, to: f64| t > from && t < to;
    inside(PUSH_SECS, LANDING_SECS) || inside(LIFT_SECS, LEAP_SECS)
}

/// The clip that takes off from the left foot; `run` without its variation.
pub fn leap_left(run: &Locomotion, t: f64) -> Posture {
    let t = t + START_SECS;
    let lap_secs = t.rem_euclid(LEAP_SECS);
    let run_secs = (phase(run, t) - run.gait.phase_at_start) * run.gait.stride_secs;
    let mut posture = run.posture(run_secs);
    posture.root += run.gait.velocity * (t - run_secs);
    posture.feet = Side::BOTH.map(|side| foot(run, side, t));
    posture.com[1] = Some(com_height(lap_secs));
    let spread = keyed_soft(&SPREAD, 0.03, lap_secs);
    posture.chest.pitch -= 3.0 * spread;
    posture.pelvis.pitch += 2.0 * spread;
    for (arm, swing) in posture.arms.iter_mut().zip([1.0, -1.0]) {
        arm.flex += (6.0 + 14.0 * swing) * spread;
        arm.abduct += 16.0 * spread;
        arm.elbow -= 18.0 * spread;
        arm.shrug += 5.0 * spread;
    }
    posture
}
