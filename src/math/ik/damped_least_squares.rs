//! Damped least squares: Wampler, IEEE Transactions on Systems, Man and
//! Cybernetics 16 (1986); Nakamura and Hanafusa, Journal of Dynamic Systems,
//! Measurement and Control 108 (1986); told simply by Buss, *Introduction to
//! inverse kinematics with Jacobian transpose, pseudoinverse and damped least
//! squares methods* (2004).
//!
//! Turns Δθ = Jᵀ (J Jᵀ + λ² I)⁻¹ e for an error e of the end. Every joint is a
//! ball: a turn about any axis a moves the end by a × r, with r from the joint
//! to the end. Hence J Jᵀ = Σ (|r|² I − r rᵀ), three by three however long the
//! chain is, and a joint's turn is r × f with f = (J Jᵀ + λ² I)⁻¹ e.

use glam::{Mat3A, Quat, Vec3A};

/// Share of the chain's length that the end is asked to go in a round: further
/// away the slope says nothing.
const STEP_SHARE: f32 = 0.25;
/// The least damping, as a share of the chain's length.
const LEAST_DAMPING: f32 = 1e-3;
/// No joint turns further in a round, radians.
const MOST_TURN_RAD: f32 = 0.7;

/// One step of all joints.
pub(super) fn round(points: &mut [Vec3A], target: Vec3A, reach_m: f32) {
    let end = points[points.len() - 1];
    let error = (target - end).clamp_length_max(STEP_SHARE * reach_m);
    // As large as what is missing and no smaller than a trace: small steps far
    // from the target and quick ones near it (after Sugihara, IEEE Transactions
    // on Robotics 27, 2011).
    let damping = error.length_squared() + (LEAST_DAMPING * reach_m).powi(2);
    let joints = &points[..points.len() - 1];
    let force = damped(joints.iter().map(|&joint| end - joint), damping).inverse() * error;
    // The outer joints first: an inner turn takes them along, and none changes
    // the axes that the slope was taken about.
    for pivot in (0..points.len() - 1).rev() {
        let at = points[pivot];
        let turn = (end - at).cross(force).clamp_length_max(MOST_TURN_RAD);
        let turn = Quat::from_scaled_axis(turn.into());
        for point in &mut points[pivot + 1..] {
            *point = at + turn * (*point - at);
        }
    }
}

/// J Jᵀ + λ² I; never singular, for λ² > 0.
fn damped(to_end: impl Iterator<Item = Vec3A>, damping: f32) -> Mat3A {
    let start = Mat3A::from_diagonal(glam::Vec3::splat(damping));
    to_end.fold(start, |sum, r| {
        let outer = Mat3A::from_cols(r * r.x, r * r.y, r * r.z);
        sum + Mat3A::from_diagonal(glam::Vec3::splat(r.length_squared())) - outer
    })
}
