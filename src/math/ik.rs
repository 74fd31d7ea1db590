//! Inverse kinematics: a limb of two bones that reaches, a chain that looks,
//! chains of any length by four solvers ([`ChainSolver`]).
//!
//! Points in, rotations or points out, all in one space; the animator, posing
//! and retargeting apply them in model space. Nothing allocates but the chains
//! (one list of lengths), and no target makes them return a NaN.

mod ccd;
mod chain;
mod configuration_space;
mod damped_least_squares;
mod fabrik;

use glam::{Quat, Vec3A};

use super::ease::smoothstep;

pub use chain::{ChainSolver, MOST_ROUNDS, REACHED_M, Solved};
pub use configuration_space::ConfigurationSpace;

/// How the two bones must turn, in model space, lower after upper: the lower
/// bone first follows the upper one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbRotations {
    /// For the upper bone, about the limb's root.
    pub upper: Quat,
    /// For the lower bone, about the middle joint, after `upper`.
    pub lower: Quat,
}

/// Turns that bring `end` to `target`, or as near as the bones reach, with the
/// middle joint on the side that `pole` points to. `pole` is a direction.
#[must_use]
pub fn two_bone(
    root: Vec3A,
    middle: Vec3A,
    end: Vec3A,
    target: Vec3A,
    pole: Vec3A,
) -> LimbRotations {
    let upper_m = (middle - root).length();
    let lower_m = (end - middle).length();
    // A limb folded onto its root has no direction, nor has a target there; any
    // finite one keeps NaN out.
    let old_axis = (end - root).normalize_or(Vec3A::NEG_Y);
    let axis = (target - root).normalize_or(old_axis);
    let distance = (target - root).length();
    // The sides of a triangle: no longer than both bones together, no shorter
    // than their difference.
    let reach = distance.clamp((upper_m - lower_m).abs(), upper_m + lower_m);
    let side = bend_side(axis, pole, middle - root);
    // The law of cosines, along and across the line to the target.
    let along = match reach > 1e-6 {
        true => (upper_m * upper_m - lower_m * lower_m + reach * reach) / (2.0 * reach),
        false => 0.0,
    };
    // A straight limb may round to a hair below zero.
    let across = (upper_m * upper_m - along * along).max(0.0).sqrt();
    let new_middle = root + axis * along + side * across;
    let upper = arc(middle - root, new_middle - root);
    // Measured from where the upper turn has already taken the lower bone.
    let lower = arc(upper * (end - middle), root + axis * reach - new_middle);
    LimbRotations { upper, lower }
}

/// The unit vector across `axis` nearest to `pole`; when the pole lies along
/// the axis, nearest to where the limb bends now; else any.
fn bend_side(axis: Vec3A, pole: Vec3A, bend: Vec3A) -> Vec3A {
    let across = |v: Vec3A| {
        let flat = v - axis * axis.dot(v);
        // Relative to the vector: a pole may be a unit vector or metres.
        (flat.length() > 1e-5 * v.length().max(1e-6)).then(|| flat.normalize())
    };
    across(pole)
        .or_else(|| across(bend))
        .unwrap_or_else(|| axis.any_orthonormal_vector())
}

/// The shortest turn that takes the direction of `from` to that of `to`. Exact
/// for tiny turns too; no turn when either has no direction.
#[must_use]
pub fn arc(from: Vec3A, to: Vec3A) -> Quat {
    let (Some(from), Some(to)) = (from.try_normalize(), to.try_normalize()) else {
        return Quat::IDENTITY;
    };
    let dot = from.dot(to);
    // Opposite directions: the cross product vanishes, and any axis across will
    // do.
    if dot < -0.999_999 {
        let axis = from.any_orthonormal_vector();
        return Quat::from_axis_angle(axis.into(), std::f32::consts::PI);
    }
    let cross = from.cross(to);
    // (axis · sin θ, 1 + cos θ) is 2 cos(θ/2) times the quaternion of the half
    // angle: no arc cosine, whose error is largest at small angles.
    Quat::from_xyzw(cross.x, cross.y, cross.z, 1.0 + dot).normalize()
}

/// Share of a leg's length over which it comes to be straight, where its foot is
/// sent far from where the animation has it.
const SOFT_SHARE: f32 = 0.04;
/// How far that is, metres.
const FAR_M: f32 = 0.15;

/// The target, drawn nearer as the leg gets straight. A knee shoots forward
/// when a leg that was pulled straight is let go; one that never gets quite
/// straight does not. As far as the animation itself stretches the leg,
/// nothing changes where its foot is moved by little. One that is sent far away is
/// not judged by that: just there the animation's leg may be straight.
#[must_use]
pub fn soft_reach([hip, knee, ankle]: [Vec3A; 3], target: Vec3A) -> Vec3A {
    let full_m = (knee - hip).length() + (ankle - knee).length();
    let (own_m, wanted_m) = ((ankle - hip).length(), (target - hip).length());
    let far = (target - ankle).length() / FAR_M;
    let soft_m = SOFT_SHARE * full_m * smoothstep(far.min(1.0));
    let room_m = (full_m - own_m).max(soft_m);
    let from_m = full_m - room_m;
    if wanted_m <= from_m || wanted_m <= 1e-6 {
        return target;
    }
    // Starts with slope 1, so nothing jumps where it sets in, and stays below
    // `room_m` for any target, so the leg keeps a bend.
    let more_m = match room_m > 1e-6 {
        true => room_m * (1.0 - (-(wanted_m - from_m) / room_m).exp()),
        false => 0.0,
    };
    hip + (target - hip) * ((from_m + more_m) / wanted_m)
}

/// How far a knee may move for each metre that its foot is moved along the leg.
/// Of a leg that is all but straight it would be ten and more: what nobody sees of
/// the foot, noise or a codec's error, would shake the knee.
const KNEE_GAIN: f32 = 1.0;

/// How much of a foot's way may be left for it, metres: less than is seen.
const CALM_M: f32 = 0.003;

/// The target, nearer to where the foot is along the leg, where the knee would
/// move much further than the foot.
#[must_use]
pub fn calm_reach([hip, knee, ankle]: [Vec3A; 3], target: Vec3A) -> Vec3A {
    let (upper_m, lower_m) = ((knee - hip).length(), (ankle - knee).length());
    let (own_m, wanted_m) = ((ankle - hip).length(), (target - hip).length());
    if wanted_m <= 1e-6 || own_m <= 1e-6 {
        return target;
    }
    // Heron's formula by way of the law of cosines: how far the knee is off the
    // line from hip to ankle.
    let off_line = |reach_m: f32| {
        let along = (upper_m * upper_m - lower_m * lower_m + reach_m * reach_m) / (2.0 * reach_m);
        (upper_m * upper_m - along * along).max(0.0).sqrt()
    };
    let (own_off_m, wanted_off_m) = (off_line(own_m), off_line(wanted_m));
    let most_m = KNEE_GAIN * (wanted_m - own_m).abs();
    let off_m = wanted_off_m.clamp(own_off_m - most_m, own_off_m + most_m);
    if off_m == wanted_off_m {
        return target;
    }
    let off_squared = off_m.max(0.0).powi(2);
    let along = |bone_m: f32| (bone_m * bone_m - off_squared).max(0.0).sqrt();
    let reach_m = along(upper_m) + along(lower_m);
    let reach_m = reach_m.clamp(wanted_m - CALM_M, wanted_m + CALM_M);
    hip + (target - hip) * (reach_m / wanted_m)
}

/// A turn, cut down to at most `most_rad`.
#[must_use]
pub fn limited(turn: Quat, most_rad: f32) -> Quat {
    let vector = super::quat::log(turn);
    let angle = vector.length();
    if angle <= most_rad {
        turn
    } else {
        super::quat::exp(vector * (most_rad / angle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// Applies the turns: where middle and end come to stand.
    fn bend(limb: [Vec3A; 3], target: Vec3A, pole: Vec3A) -> (Vec3A, Vec3A) {
        let [root, middle, end] = limb;
        let turns = two_bone(root, middle, end, target, pole);
        let new_middle = root + turns.upper * (middle - root);
        let new_end = new_middle + turns.lower * (turns.upper * (end - middle));
        (new_middle, new_end)
    }

    fn leg() -> [Vec3A; 3] {
        [
            Vec3A::new(0.1, 0.95, 0.0),
            Vec3A::new(0.1, 0.5, 0.03),
            Vec3A::new(0.1, 0.08, -0.02),
        ]
    }

    #[test]
    fn a_knee_of_a_leg_that_is_all_but_straight_stays_calm() {
        let limb = [
            Vec3A::new(0.0, 0.9, 0.0),
            Vec3A::new(0.0, 0.5, 0.01),
            Vec3A::new(0.0, 0.1, 0.0),
        ];
        for step in -20..=20 {
            let up_m = step as f32 * 5e-4;
            let wanted = limb[2] + Vec3A::Y * up_m;
            let calm = calm_reach(limb, soft_reach(limb, wanted));
            let (knee, foot) = bend(limb, calm, Vec3A::Z);
            assert!((foot - wanted).length() < 0.0102, "{up_m}");
            // Where no more than that is wanted, the knee is calm; single precision
            // knows a bend to 0.05 mm.
            let moved_m = (knee - limb[1]).length();
            let calm = up_m.abs() > CALM_M || moved_m <= 2.1 * up_m.abs() + 5e-5;
            assert!(calm, "{up_m}: {moved_m}");
        }
        // A leg that is well bent is left alone.
        let bent = leg();
        let wanted = bent[2] + Vec3A::new(0.02, 0.01, 0.03);
        let deep = [bent[0], bent[1] + Vec3A::Z * 0.2, bent[2]];
        assert_eq!(calm_reach(deep, wanted), wanted);
    }

    #[test]
    fn any_reachable_target_is_reached_to_a_tenth_of_a_millimetre() {
        let limb = leg();
        let (upper, lower) = ((limb[1] - limb[0]).length(), (limb[2] - limb[1]).length());
        let mut tried = 0;
        let mut random = Random::new(1);
        for _ in 0..4000 {
            let direction = Vec3A::new(random.signed(), random.signed(), random.signed());
            let Some(direction) = direction.try_normalize() else {
                continue;
            };
            let share = random.between(0.0, 1.0);
            let distance = (upper - lower).abs() + share * (upper + lower - (upper - lower).abs());
            let target = limb[0] + direction * distance;
            let (_, end) = bend(limb, target, Vec3A::Z);
            let off = (end - target).length();
            assert!(off < 1e-4, "{off} m off at {target}");
            tried += 1;
        }
        assert!(tried > 3900);
    }

    #[test]
    fn out_of_reach_it_points_there_and_nothing_breaks() {
        let limb = leg();
        let far = limb[0] + Vec3A::new(3.0, -1.0, 2.0);
        let (_, end) = bend(limb, far, Vec3A::Z);
        let off = (end - limb[0]).normalize().dot((far - limb[0]).normalize());
        assert!(off > 0.999_99, "{off}");
        let stretched = (end - limb[0]).length();
        let both = (limb[1] - limb[0]).length() + (limb[2] - limb[1]).length();
        assert_close!(stretched, both, 1e-4);
        let degenerate = [
            (limb, limb[0], Vec3A::Z),                       // on the hip itself
            (limb, limb[0] + Vec3A::Y * 1e-9, Vec3A::ZERO),  // no pole
            (limb, limb[0] + Vec3A::Z, Vec3A::Z),            // pole along the limb
            ([Vec3A::ONE; 3], Vec3A::ZERO, Vec3A::Z),        // no bones
            (limb, limb[0] - (limb[2] - limb[0]), Vec3A::Z), // straight back
        ];
        for (limb, target, pole) in degenerate {
            let (middle, end) = bend(limb, target, pole);
            assert!(middle.is_finite() && end.is_finite(), "{target} {pole}");
        }
    }

    #[test]
    fn the_knee_bends_the_way_the_pole_says() {
        let limb = leg();
        let target = Vec3A::new(0.15, 0.3, 0.1);
        for i in 0..16 {
            let angle = i as f32 * std::f32::consts::TAU / 16.0;
            let pole = Vec3A::new(angle.sin(), 0.2, angle.cos());
            let (middle, _) = bend(limb, target, pole);
            let axis = (target - limb[0]).normalize();
            let flat = |v: Vec3A| (v - axis * axis.dot(v)).normalize();
            let agree = flat(middle - limb[0]).dot(flat(pole));
            assert!(agree > 0.999, "{agree} at {angle}");
        }
    }

    #[test]
    fn a_limited_turn_keeps_its_axis() {
        let turn = Quat::from_rotation_x(1.2);
        let less = limited(turn, 0.5);
        assert_close!(less.to_axis_angle().1, 0.5, 1e-5);
        assert_eq!(limited(turn, 1.3), turn);
    }
}
