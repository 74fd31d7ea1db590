//! Joints beyond what a human's can do.

use super::{Finding, FindingKind};
use crate::{
    analysis::motion::PosedMotion,
    clip::{LimitBreach, limit_breaches},
    humanoid::{JointLimits, LimitSource},
};

/// Less beyond a limit than this is nothing to speak of, radians: 3°. The table
/// of limits is rounded to 5°.
const LEAST_RAD: f32 = 0.052;
/// Breaches of one joint with less between them are one, seconds.
const APART_SECS: f64 = 0.1;

pub(super) fn findings(motion: &PosedMotion<'_>) -> Vec<Finding> {
    let limits = JointLimits::of(motion.skeleton, LimitSource::Human);
    let apart = motion.frames_in(APART_SECS, 1);
    let mut joined: Vec<LimitBreach> = Vec::new();
    for breach in limit_breaches(motion.skeleton, motion.clip, &limits) {
        match joined.last_mut() {
            Some(before)
                if before.joint == breach.joint
                    && breach.start_frame <= before.end_frame + apart =>
            {
                before.end_frame = breach.end_frame;
                if breach.worst_rad > before.worst_rad {
                    (before.worst_rad, before.worst_frame) = (breach.worst_rad, breach.worst_frame);
                }
            }
            _ => joined.push(breach),
        }
    }
    let worth_it = joined.iter().filter(|it| it.worst_rad >= LEAST_RAD);
    worth_it.map(|it| finding(motion, it)).collect()
}

fn finding(motion: &PosedMotion<'_>, breach: &LimitBreach) -> Finding {
    let joint = usize::from(breach.joint);
    let degrees = f64::from(breach.worst_rad).to_degrees();
    Finding {
        kind: FindingKind::Limit,
        joint: Some(joint),
        start_frame: breach.start_frame,
        end_frame: breach.end_frame,
        value: degrees,
        unit: "deg",
        message: format!(
            "{} turns {degrees:.0}° further than a human's can (most at frame {})",
            motion.name(joint),
            breach.worst_frame
        ),
    }
}
