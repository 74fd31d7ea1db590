//! The wave and the turns: actions that start and end in the idle stance.

use glam::{DQuat, DVec3};

use super::{
    curve::{keyed, keyed_soft},
    foot::Plant,
    gait::smooth,
    posture::Posture,
    rig::Side,
    stand,
    steps::{FootPlan, Step, bearing_point},
};

/// Length of the wave.
pub const WAVE_SECS: f64 = 3.2;

/// A friendly wave of the right hand.
pub fn wave(t: f64) -> Posture {
    let mut posture = stand::at_ease(t);
    // Up, held, down: the shoulder blade and elbow lead, the hand follows.
    let lead = keyed(&[(0.12, 0.0), (0.62, 1.0), (2.3, 1.0), (2.95, 0.0)], t);
    let raise = keyed(&[(0.16, 0.0), (0.74, 1.0), (2.28, 1.0), (2.98, 0.0)], t);
    let bend = keyed(&[(0.10, 0.0), (0.60, 1.0), (2.34, 1.0), (3.05, 0.0)], t);
    let open = keyed(&[(0.25, 0.0), (0.8, 1.0), (2.3, 1.0), (2.9, 0.0)], t);
    let waving = keyed(&[(0.55, 0.0), (0.95, 1.0), (1.9, 0.9), (2.4, 0.0)], t);
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
    posture.head.pitch -= 3.0 * raise
        + 1.2
            * keyed(
                &[(0.5, 0.0), (0.75, 1.0), (1.0, 0.0), (1.25, 0.7), (1.5, 0.0)],
                t,
            );
    posture.head.yaw -= 3.0 * raise;
    posture.com[0] = Some(0.018 * lead);
    posture
}

/// Length of a turn.
pub const TURN_SECS: f64 = 2.2;

/// A quarter turn to the left on the spot in three steps; the gaze goes first,
/// then the rib cage, then the pelvis. `pivot` is the point it turns about.
pub fn turn_left(pivot: DVec3, t: f64) -> Posture {
    let turned = |side: Side, degrees: f64, toes: f64| {
        let plant = stand::plant(side);
        let about = DQuat::from_rotation_y(degrees.to_radians());
        Plant {
            ball: pivot + about * (plant.ball - pivot),
            heading_deg: plant.heading_deg + degrees + toes,
        }
    };
    let step = |lift_secs: f64, land_secs: f64, to: Plant, height: f64| Step {
        lift_secs,
        land_secs,
        to,
        height,
        landing_pitch_deg: -6.0,
    };
    let left = FootPlan::new(
        stand::plant(Side::Left),
        vec![
            step(0.34, 0.72, turned(Side::Left, 50.0, 6.0), 0.075),
            step(1.36, 1.66, turned(Side::Left, 90.0, 0.0), 0.055),
        ],
        &[],
    );
    let right = FootPlan::new(
        stand::plant(Side::Right),
        vec![step(0.84, 1.26, turned(Side::Right, 90.0, 0.0), 0.085)],
        &[],
    );
    let mut posture = stand::at_ease(t);
    posture.feet = [left.at(t), right.at(t)];

    let pelvis = keyed_soft(
        &[(0.16, 0.0), (0.72, 34.0), (1.02, 60.0), (1.62, 90.0)],
        0.06,
        t,
    );
    let chest = keyed_soft(
        &[(0.08, 0.0), (0.62, 40.0), (1.36, 91.0), (1.7, 90.0)],
        0.06,
        t,
    );
    let gaze = keyed_soft(
        &[(0.0, 0.0), (0.5, 58.0), (1.05, 92.0), (1.6, 90.0)],
        0.05,
        t,
    );
    posture.heading_deg = pelvis;
    posture.chest.yaw += chest - pelvis;
    posture.head.yaw += gaze - pelvis;
    posture.head.pitch += keyed(&[(0.05, 0.0), (0.4, 4.0), (1.3, 0.0)], t);

    // Weight on the right foot: 0 to 1.
    let weight = keyed_soft(
        &[
            (0.0, 0.5),
            (0.30, 0.86),
            (0.62, 0.80),
            (0.86, 0.16),
            (1.14, 0.22),
            (1.36, 0.76),
            (1.58, 0.70),
            (1.95, 0.5),
        ],
        0.045,
        t,
    );
    let [l, r] = posture.feet.map(|foot| bearing_point(&foot));
    let bearing = l.lerp(r, weight);
    posture.com = [Some(bearing.x), None, Some(bearing.z)];
    // The pelvis lists to the standing leg and dips between steps.
    let standing = 2.0 * weight - 1.0;
    posture.pelvis.roll += -3.0 * standing;
    posture.chest.roll += 1.5 * standing;
    posture.root.y -= keyed(
        &[
            (0.05, 0.0),
            (0.35, 0.02),
            (0.76, 0.03),
            (1.05, 0.02),
            (1.3, 0.024),
            (1.95, 0.0),
        ],
        t,
    );
    posture.chest.pitch += 2.5 * smooth(t / 0.5) * smooth((1.9 - t) / 0.6);
    for (arm, s) in posture.arms.iter_mut().zip([1.0, -1.0]) {
        // Arms trail the trunk: the outer one swings ahead, the inner behind.
        let trail = keyed_soft(
            &[
                (0.1, 0.0),
                (0.6, 1.0),
                (1.2, 0.6),
                (1.6, -0.35),
                (1.95, 0.0),
            ],
            0.06,
            t,
        );
        arm.flex += -9.0 * s * trail;
        arm.abduct += 4.0 * trail.abs();
        arm.elbow += 7.0 * trail;
    }
    posture
}
