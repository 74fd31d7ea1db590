//! FABRIK, forward and backward reaching inverse kinematics: Aristidou and
//! Lasenby, *FABRIK: a fast, iterative solver for the inverse kinematics
//! problem*, Graphical Models 73 (2011). No angles at all: points are drawn
//! along the lines between them.

use glam::Vec3A;

/// From the target to the root, then from the root to the end.
pub(super) fn round(points: &mut [Vec3A], lengths: &[f32], target: Vec3A) {
    let (root, last) = (points[0], points.len() - 1);
    points[last] = target;
    for index in (0..last).rev() {
        points[index] = drawn(points[index + 1], points[index], lengths[index]);
    }
    points[0] = root;
    for index in 0..last {
        points[index + 1] = drawn(points[index], points[index + 1], lengths[index]);
    }
}

/// The point at a distance from `from`, towards `to`.
fn drawn(from: Vec3A, to: Vec3A, distance_m: f32) -> Vec3A {
    from + (to - from).normalize_or(Vec3A::NEG_Y) * distance_m
}
