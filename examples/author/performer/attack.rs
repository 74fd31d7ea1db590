//! The strike: a right straight off a step. Weight goes back, the left foot
//! steps, then hips, rib cage, shoulder and fist unwind one after the other.

use super::{
    curve::{Key, keyed, keyed_soft},
    foot::Plant,
    posture::{Arm, Posture},
    rig::Side,
    stand,
    steps::{FootPlan, Step, bearing_point},
};

use glam::DVec3;

/// Length of the clip.
pub const ATTACK_SECS: f64 = 2.1;

/// How far ahead the left foot steps, and how far out.
const STEP: DVec3 = DVec3::new(0.015, 0.0, 0.36);

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
    let left = FootPlan::new(
        home,
        vec![
            step(0.30, 0.60, ahead, 0.085, 9.0),
            step(1.22, 1.56, home, 0.06, -12.0),
        ],
        &[],
    );
    let heel: [Key; 5] = [
        (0.50, 0.0),
        (0.70, -34.0),
        (0.92, -38.0),
        (1.22, -10.0),
        (1.34, 0.0),
    ];
    [
        left,
        FootPlan::new(stand::plant(Side::Right), vec![], &heel),
    ]
}

/// The clip.
pub fn attack(t: f64) -> Posture {
    let mut posture = stand::at_ease(t);
    let [left, right] = feet();
    posture.feet = [left.at(t), right.at(t)];

    posture.pelvis.yaw += keyed(
        &[
            (0.05, 0.0),
            (0.46, -20.0),
            (0.68, 30.0),
            (0.86, 36.0),
            (1.35, 4.0),
            (1.75, 0.0),
        ],
        t,
    );
    posture.chest.yaw += keyed(
        &[
            (0.08, 0.0),
            (0.5, -42.0),
            (0.73, 44.0),
            (0.88, 54.0),
            (1.4, 4.0),
            (1.85, 0.0),
        ],
        t,
    );
    posture.head.yaw += keyed(&[(0.1, 0.0), (0.5, -7.0), (0.75, 8.0), (1.3, 0.0)], t);
    posture.head.pitch += keyed(&[(0.1, 0.0), (0.5, 3.0), (0.78, 7.0), (1.4, 0.0)], t);
    posture.pelvis.pitch += keyed(&[(0.1, 0.0), (0.45, 4.0), (0.75, 8.0), (1.6, 0.0)], t);
    posture.chest.pitch += keyed(
        &[
            (0.1, 0.0),
            (0.45, 3.0),
            (0.75, 15.0),
            (0.95, 17.0),
            (1.6, 0.0),
        ],
        t,
    );
    posture.chest.roll += keyed(&[(0.1, 0.0), (0.45, 4.0), (0.74, -6.0), (1.5, 0.0)], t);
    posture.root.y -= keyed(
        &[
            (0.05, 0.0),
            (0.42, 0.045),
            (0.62, 0.055),
            (0.8, 0.095),
            (1.0, 0.09),
            (1.4, 0.04),
            (1.9, 0.0),
        ],
        t,
    );

    // Weight on the left foot: back to load, ahead with the fist.
    let weight = keyed_soft(
        &[
            (0.0, 0.5),
            (0.30, 0.14),
            (0.46, 0.2),
            (0.78, 0.66),
            (0.95, 0.68),
            (1.2, 0.22),
            (1.45, 0.22),
            (1.85, 0.5),
        ],
        0.04,
        t,
    );
    let [l, r] = posture.feet.map(|foot| bearing_point(&foot));
    let bearing = r.lerp(l, weight);
    posture.com = [Some(bearing.x), None, Some(bearing.z)];

    strike(&mut posture.arms[Side::Right as usize], t);
    guard(&mut posture.arms[Side::Left as usize], t);
    posture.knee_out_deg = [keyed(&[(0.3, 0.0), (0.8, 5.0), (1.4, 0.0)], t), 0.0];
    posture
}

fn strike(arm: &mut Arm, t: f64) {
    let add = |value: &mut f64, keys: &[Key]| *value += keyed_soft(keys, 0.028, t);
    add(
        &mut arm.shrug,
        &[(0.1, 0.0), (0.45, 6.0), (0.72, 8.0), (1.1, 2.0), (1.6, 0.0)],
    );
    add(
        &mut arm.protract,
        &[
            (0.1, 0.0),
            (0.5, -14.0),
            (0.73, 22.0),
            (0.9, 16.0),
            (1.5, 0.0),
        ],
    );
    add(
        &mut arm.flex,
        &[
            (0.06, 0.0),
            (0.34, -6.0),
            (0.56, -26.0),
            (0.73, 84.0),
            (0.9, 62.0),
            (1.25, 18.0),
            (1.7, 0.0),
        ],
    );
    add(
        &mut arm.abduct,
        &[
            (0.06, 0.0),
            (0.5, 32.0),
            (0.62, 28.0),
            (0.74, 24.0),
            (0.92, 2.0),
            (1.3, 4.0),
            (1.7, 0.0),
        ],
    );
    add(
        &mut arm.rotate_in,
        &[
            (0.06, 0.0),
            (0.5, 26.0),
            (0.74, 44.0),
            (0.95, 40.0),
            (1.7, 0.0),
        ],
    );
    add(
        &mut arm.elbow,
        &[
            (0.05, 0.0),
            (0.42, 104.0),
            (0.58, 108.0),
            (0.73, -4.0),
            (0.9, 34.0),
            (1.15, 62.0),
            (1.75, 0.0),
        ],
    );
    add(
        &mut arm.pronate,
        &[
            (0.05, 0.0),
            (0.5, 0.0),
            (0.72, 50.0),
            (0.95, 34.0),
            (1.6, 0.0),
        ],
    );
    add(
        &mut arm.wrist,
        &[(0.05, 0.0), (0.4, 4.0), (1.2, 4.0), (1.6, 0.0)],
    );
    add(
        &mut arm.fingers,
        &[(0.02, 0.0), (0.36, 64.0), (1.0, 62.0), (1.65, 0.0)],
    );
    add(
        &mut arm.thumb,
        &[(0.02, 0.0), (0.38, 30.0), (1.0, 28.0), (1.65, 0.0)],
    );
}

fn guard(arm: &mut Arm, t: f64) {
    let add = |value: &mut f64, keys: &[Key]| *value += keyed_soft(keys, 0.03, t);
    add(
        &mut arm.protract,
        &[(0.05, 0.0), (0.45, 12.0), (0.72, -8.0), (1.5, 0.0)],
    );
    add(
        &mut arm.flex,
        &[
            (0.05, 0.0),
            (0.44, 52.0),
            (0.74, -14.0),
            (0.95, -4.0),
            (1.7, 0.0),
        ],
    );
    add(
        &mut arm.abduct,
        &[
            (0.05, 0.0),
            (0.44, 6.0),
            (0.74, 16.0),
            (1.0, 10.0),
            (1.7, 0.0),
        ],
    );
    add(
        &mut arm.rotate_in,
        &[(0.05, 0.0), (0.44, 22.0), (0.8, 20.0), (1.7, 0.0)],
    );
    add(
        &mut arm.elbow,
        &[
            (0.05, 0.0),
            (0.42, 62.0),
            (0.74, 94.0),
            (1.0, 84.0),
            (1.75, 0.0),
        ],
    );
    add(
        &mut arm.pronate,
        &[(0.05, 0.0), (0.45, 20.0), (1.0, 14.0), (1.6, 0.0)],
    );
    add(
        &mut arm.fingers,
        &[(0.05, 0.0), (0.4, 50.0), (1.05, 52.0), (1.7, 0.0)],
    );
    add(
        &mut arm.thumb,
        &[(0.05, 0.0), (0.4, 20.0), (1.05, 20.0), (1.7, 0.0)],
    );
}
