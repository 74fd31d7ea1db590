//! How far every joint goes.

use glam::EulerRot;

use crate::{analysis::motion::PosedMotion, math::quat};

/// A joint over a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMotion {
    /// Which.
    pub joint: usize,
    /// Least and most angle about x, y, z fixed in its parent, degrees, without
    /// jumps by whole turns.
    pub angles_deg: [[f64; 2]; 3],
    /// The furthest it is turned from its own rest, degrees.
    pub most_deg: f64,
    /// Its way through space, metres.
    pub way_m: f64,
    /// Its highest speed, metres a second; of three frames the middle one, so
    /// that one that is off does not count.
    pub top_mps: f64,
}

/// Of every joint that is turned.
pub(super) fn of(motion: &PosedMotion<'_>) -> Vec<JointMotion> {
    let animated = motion.clip.animated.iter();
    animated
        .map(|&joint| joint_motion(motion, usize::from(joint)))
        .collect()
}

fn joint_motion(motion: &PosedMotion<'_>, joint: usize) -> JointMotion {
    let rest = motion.skeleton.rest().joints()[joint].rotation;
    let mut before = [0.0; 3];
    let mut angles_deg = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    let mut most_deg = 0.0f64;
    for frame in 0..motion.frames() {
        let turned = motion.rotation(frame, joint);
        let (z, y, x) = turned.to_euler(EulerRot::ZYX);
        for (axis, angle) in [x, y, z].into_iter().enumerate() {
            let angle = f64::from(angle.to_degrees());
            // Whole turns are free: the nearest value goes on.
            let angle = angle + 360.0 * ((before[axis] - angle) / 360.0).round();
            before[axis] = angle;
            let [least, most] = &mut angles_deg[axis];
            (*least, *most) = (least.min(angle), most.max(angle));
        }
        let from_rest = quat::angle_between(rest, turned);
        most_deg = most_deg.max(f64::from(from_rest.to_degrees()));
    }
    let places: Vec<_> = (0..motion.frames())
        .map(|frame| motion.place(frame, joint))
        .collect();
    let ways: Vec<f32> = places.windows(2).map(|it| it[0].distance(it[1])).collect();
    let middle = |it: &[f32]| it[0].max(it[1]).min(it[0].min(it[1]).max(it[2]));
    let top = ways.windows(3).map(middle).fold(0.0, f32::max);
    JointMotion {
        joint,
        angles_deg,
        most_deg,
        way_m: ways.iter().map(|it| f64::from(*it)).sum(),
        top_mps: f64::from(top) * motion.fps(),
    }
}
