//! Cyclic coordinate descent: Wang and Chen, *A combined optimization method for
//! solving the inverse kinematics problem of mechanical manipulators*, IEEE
//! Transactions on Robotics and Automation 7 (1991). One joint at a time is
//! turned to where the error is least, the others held.

use glam::Vec3A;

use super::arc;

/// Every joint once, the last first.
pub(super) fn round(points: &mut [Vec3A], target: Vec3A) {
    let last = points.len() - 1;
    for pivot in (0..last).rev() {
        let at = points[pivot];
        // Of all turns about a joint the one that points the end at the target
        // brings it nearest.
        let turn = arc(points[last] - at, target - at);
        for point in &mut points[pivot + 1..] {
            *point = at + turn * (*point - at);
        }
    }
}
