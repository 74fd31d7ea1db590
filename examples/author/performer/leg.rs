//! Two-bone leg solve: ankle where it is asked for, knee in the plane of the
//! toes, then the two dofs of the foot and the one of the toes.

use glam::{DMat3, DQuat, DVec3};

use super::{
    anthropometry::{SHANK, THIGH},
    foot::{FootTarget, sole_rotation},
    posture::Poser,
    rig::Side,
};

/// A leg is never asked to be straighter than this share of its length: the
/// knee keeps about 4° and does not snap.
pub const LONGEST_REACH: f64 = 0.9994;

/// How much of the knee's direction follows the toes; the rest follows the
/// pelvis.
const KNEE_FOLLOWS_TOES: f64 = 0.75;

/// Solves one leg; the pelvis is posed already.
pub fn solve(poser: &mut Poser<'_>, side: Side, target: &FootTarget, knee_out_deg: f64) {
    let hip_bone = side.leg();
    let world = poser.world();
    let hip = world.end[hip_bone];
    let to_ankle = target.ankle - hip;
    let reach = to_ankle.length().min((THIGH + SHANK) * LONGEST_REACH);
    let down = to_ankle.normalize();

    let pelvis_ahead = world.rotation[hip_bone] * DVec3::Z;
    let pelvis_deg = pelvis_ahead.x.atan2(pelvis_ahead.z).to_degrees();
    let toes_off_pelvis = wrap_deg(target.heading_deg - pelvis_deg);
    let knee_deg = pelvis_deg + KNEE_FOLLOWS_TOES * toes_off_pelvis + side.sign() * knee_out_deg;
    let hinge = (-down)
        .cross(sole_rotation(knee_deg, 0.0) * DVec3::Z)
        .normalize();

    let hip_angle = angle_opposite(SHANK, THIGH, reach);
    let knee_bend = std::f64::consts::PI - angle_opposite(reach, THIGH, SHANK);
    let thigh_up = -(DQuat::from_axis_angle(hinge, -hip_angle) * down);
    let thigh = DMat3::from_cols(hinge, thigh_up, hinge.cross(thigh_up));
    poser.turn_axes(hip_bone + 1, thigh);
    poser.frame.angles_deg[hip_bone + 2][0] = knee_bend.to_degrees();

    let shank = thigh * DMat3::from_rotation_x(knee_bend);
    let sole_ahead =
        shank.transpose() * (sole_rotation(target.heading_deg, target.pitch_deg) * DVec3::Z);
    let ankle_bend = -sole_ahead.y.clamp(-1.0, 1.0).asin();
    let foot_yaw = sole_ahead.x.atan2(sole_ahead.z);
    poser.frame.angles_deg[hip_bone + 3] = [ankle_bend.to_degrees(), foot_yaw.to_degrees(), 0.0];
    poser.frame.angles_deg[hip_bone + 4][0] = target.pitch_deg - target.toe_pitch_deg;
}

/// Angle of a triangle opposite to side `a`, by the law of cosines.
fn angle_opposite(a: f64, b: f64, c: f64) -> f64 {
    ((b * b + c * c - a * a) / (2.0 * b * c))
        .clamp(-1.0, 1.0)
        .acos()
}

/// The same angle within ±180°.
pub fn wrap_deg(angle: f64) -> f64 {
    angle - 360.0 * (angle / 360.0).round()
}
