//! The turns: a quarter turn on the spot, with steps, from the idle stance.

use glam::{DQuat, DVec3};

use super::{
    curve::{Key, keyed, keyed_soft},
    foot::Plant,
    gait::smooth,
    posture::Posture,
    rig::Side,
    stand,
    steps::{FootPlan, Step, bearing_point},
};

/// Length of a turn.
pub const TURN_SECS: f64 = 2.2;

/// (seconds, value): headings in degrees, the sink in metres.
#[rustfmt::skip]
mod keys {
    use super::Key;

    pub const PELVIS: &[Key] = &[(0.16, 0.0), (0.72, 28.0), (1.02, 50.0), (1.70, 90.0)];
    pub const CHEST: &[Key] = &[(0.08, 0.0), (0.62, 40.0), (1.36, 91.0), (1.7, 90.0)];
    pub const GAZE: &[Key] = &[(0.0, 0.0), (0.5, 58.0), (1.05, 92.0), (1.6, 90.0)];
    pub const LOOK_DOWN: &[Key] = &[(0.05, 0.0), (0.4, 4.0), (1.3, 0.0)];
    pub const SINK: &[Key] = &[(0.05, 0.0), (0.35, 0.02), (0.76, 0.03), (1.05, 0.02), (1.3, 0.024), (1.95, 0.0)];
    /// Share of the weight on the right foot.
    pub const WEIGHT: &[Key] = &[(0.0, 0.5), (0.30, 0.86), (0.62, 0.80), (0.86, 0.16), (1.14, 0.22), (1.36, 0.76), (1.58, 0.70), (1.95, 0.5)];
    /// Arms trail the trunk: the outer one swings ahead, the inner behind.
    pub const TRAIL: &[Key] = &[(0.1, 0.0), (0.6, 1.0), (1.2, 0.6), (1.6, -0.35), (1.95, 0.0)];
}

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

    let pelvis = keyed_soft(keys::PELVIS, 0.06, t);
    let chest = keyed_soft(keys::CHEST, 0.06, t);
    let gaze = keyed_soft(keys::GAZE, 0.05, t);
    posture.heading_deg = pelvis;
    posture.chest.yaw += chest - pelvis;
    posture.head.yaw += gaze - pelvis;
    posture.head.pitch += keyed(keys::LOOK_DOWN, t);

    let weight = keyed_soft(keys::WEIGHT, 0.045, t);
    let [l, r] = posture.feet.map(|foot| bearing_point(&foot));
    let bearing = l.lerp(r, weight);
    posture.com = [Some(bearing.x), None, Some(bearing.z)];
    // The pelvis lists to the standing leg and dips between steps.
    let standing = 2.0 * weight - 1.0;
    posture.pelvis.roll += -3.0 * standing;
    posture.chest.roll += 1.5 * standing;
    posture.root.y -= keyed(keys::SINK, t);
    posture.chest.pitch += 2.5 * smooth(t / 0.5) * smooth((1.9 - t) / 0.6);
    for (arm, s) in posture.arms.iter_mut().zip([1.0, -1.0]) {
        let trail = keyed_soft(keys::TRAIL, 0.06, t);
        arm.flex += -9.0 * s * trail;
        arm.abduct += 4.0 * trail.abs();
        arm.elbow += 7.0 * trail;
    }
    posture
}
