//! Two-bone leg solve: foot where it is asked for, knee in the plane of the
//! toes, then the two dofs of the foot and the one of the toes.

use glam::{DMat3, DQuat, DVec3};

use super::{
    anthropometry::{HALF_SOLE_BREADTH, SHANK, THIGH},
    foot::{BALL_FROM_ANKLE, FootTarget, sole_rotation},
    posture::Poser,
    rig::Side,
};

/// A leg is never asked to be straighter than this share of its length: the
/// knee keeps about 4° and does not snap.
const LONGEST_REACH: f64 = 0.9994;

/// How much of the knee's direction follows the toes; the rest follows the
/// pelvis.
const KNEE_FOLLOWS_TOES: f64 = 0.75;

/// How deep a sole's edge may sink into the floor, metres: soles are soft.
const EDGE_MAY_SINK: f64 = 0.0042;

/// A leg's joint angles, and its foot in the world.
struct Leg {
    thigh: DMat3,
    knee: f64,
    ankle: f64,
    foot_yaw: f64,
    foot: DMat3,
}

/// Solves one leg; the pelvis is posed already.
pub fn solve(poser: &mut Poser<'_>, side: Side, target: &FootTarget, knee_out_deg: f64) {
    let hip_bone = side.leg();
    let world = poser.world();
    let hip = world.end[hip_bone];
    let pelvis_ahead = world.rotation[hip_bone] * DVec3::Z;
    let pelvis_deg = pelvis_ahead.x.atan2(pelvis_ahead.z).to_degrees();
    let toes_off_pelvis = wrap_deg(target.heading_deg - pelvis_deg);
    let knee_deg = pelvis_deg + KNEE_FOLLOWS_TOES * toes_off_pelvis + side.sign() * knee_out_deg;

    let sole = sole_rotation(target.heading_deg, target.pitch_deg);
    let knee_deg = knee_deg + knee_yield(target.ankle - hip, knee_deg, sole);
    let mut leg = reach(target.ankle - hip, knee_deg, sole);
    // The foot has no dof about its own length and rolls with the shank. The
    // ball is what must not move: shift the ankle until it does not. Where the
    // edge of the sole would sink the foot rises and stands on it.
    for _ in 0..4 {
        let edge_sinks = HALF_SOLE_BREADTH * leg.foot.x_axis.y.abs();
        let rise = DVec3::Y * softly_above(edge_sinks, EDGE_MAY_SINK);
        let ankle = target.ankle + rise + sole * BALL_FROM_ANKLE - leg.foot * BALL_FROM_ANKLE;
        leg = reach(ankle - hip, knee_deg, sole);
    }

    poser.turn_axes(hip_bone + 1, leg.thigh);
    let angles = &mut poser.frame.angles_deg;
    angles[hip_bone + 2][0] = leg.knee.to_degrees();
    angles[hip_bone + 3] = [leg.ankle.to_degrees(), leg.foot_yaw.to_degrees(), 0.0];
    angles[hip_bone + 4][0] = target.pitch_deg - target.toe_pitch_deg;
}

/// How far the knee gives way to the side so that the foot rolls less on its
/// edge, degrees: nothing when the leg is straight and could not help.
fn knee_yield(to_ankle: DVec3, knee_deg: f64, sole: DQuat) -> f64 {
    const STEP_DEG: f64 = 2.0;
    const DAMPING: f64 = 0.1;
    const MOST_DEG: f64 = 14.0;
    let roll = |knee_deg: f64| {
        reach(to_ankle, knee_deg, sole)
            .foot
            .x_axis
            .y
            .asin()
            .to_degrees()
    };
    let now = roll(knee_deg);
    let slope = (roll(knee_deg + STEP_DEG) - now) / STEP_DEG;
    let wanted = -now * slope / (slope * slope + DAMPING);
    MOST_DEG * (wanted / MOST_DEG).tanh()
}

/// Two bones joined by a hinge that put the far end at `to_end`: the axes of the
/// upper one (hinge, up along the bone, and across) and the bend, radians. The
/// middle joint points to `pole`.
pub fn two_bones(to_end: DVec3, pole: DVec3, [upper, lower]: [f64; 2]) -> (DMat3, f64) {
    let distance = to_end.length().min((upper + lower) * LONGEST_REACH);
    let down = to_end.normalize();
    let hinge = (-down).cross(pole).normalize();
    let first = angle_opposite(lower, upper, distance);
    let bend = std::f64::consts::PI - angle_opposite(distance, upper, lower);
    let up = -(DQuat::from_axis_angle(hinge, -first) * down);
    (DMat3::from_cols(hinge, up, hinge.cross(up)), bend)
}

/// The leg that puts its ankle at `to_ankle` from the hip.
fn reach(to_ankle: DVec3, knee_deg: f64, sole: DQuat) -> Leg {
    let ahead = sole_rotation(knee_deg, 0.0) * DVec3::Z;
    let (thigh, knee) = two_bones(to_ankle, ahead, [THIGH, SHANK]);

    let shank = thigh * DMat3::from_rotation_x(knee);
    let sole_ahead = shank.transpose() * (sole * DVec3::Z);
    let ankle = -sole_ahead.y.clamp(-1.0, 1.0).asin();
    let foot_yaw = sole_ahead.x.atan2(sole_ahead.z);
    let foot = shank * DMat3::from_rotation_y(foot_yaw) * DMat3::from_rotation_x(ankle);
    Leg {
        thigh,
        knee,
        ankle,
        foot_yaw,
        foot,
    }
}

/// `value` less `bound` where it is larger, else nearly nothing, smoothly.
fn softly_above(value: f64, bound: f64) -> f64 {
    const ROUNDING: f64 = 0.0008;
    let over = value - bound;
    0.5 * (over + over.hypot(ROUNDING))
}

/// Angle of a triangle opposite to side `a`, by the law of cosines.
fn angle_opposite(a: f64, b: f64, c: f64) -> f64 {
    ((b * b + c * c - a * a) / (2.0 * b * c))
        .clamp(-1.0, 1.0)
        .acos()
}

/// The same angle within ±180°.
fn wrap_deg(angle: f64) -> f64 {
    angle - 360.0 * (angle / 360.0).round()
}
