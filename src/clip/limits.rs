//! Where a motion leaves the limits of its joints: found, counted, never mended
//! here.

use super::RawClip;
use crate::{
    humanoid::{JointLimits, LimitSource, ROUNDING_RAD},
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// Frames in a row in which a joint is beyond its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitBreach {
    /// Which joint.
    pub joint: JointIndex,
    /// The first frame.
    pub start_frame: usize,
    /// The last frame.
    pub end_frame: usize,
    /// The furthest beyond the limit, radians.
    pub worst_rad: f32,
    /// The frame of that.
    pub worst_frame: usize,
}

/// All breaches of a clip, by whose limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitReport {
    /// Beyond what the skeleton's own file states.
    pub own: Vec<LimitBreach>,
    /// Beyond what a human can.
    pub human: Vec<LimitBreach>,
    /// The file states limits at all.
    pub states_limits: bool,
}

impl LimitReport {
    /// Of a motion of a skeleton.
    #[must_use]
    pub fn of(skeleton: &Skeleton, clip: &RawClip) -> Self {
        let own = JointLimits::of(skeleton, LimitSource::Own);
        let human = JointLimits::of(skeleton, LimitSource::Human);
        Self {
            own: limit_breaches(skeleton, clip, &own),
            human: limit_breaches(skeleton, clip, &human),
            states_limits: !own.is_empty(),
        }
    }

    /// Frames of the clip in which any joint of a list is beyond its limit.
    #[must_use]
    pub fn frames(breaches: &[LimitBreach]) -> usize {
        let mut spans: Vec<_> = { breaches.iter() }
            .map(|it| (it.start_frame, it.end_frame))
            .collect();
        spans.sort_unstable();
        let (mut count, mut next) = (0, 0);
        for (start, end) in spans {
            count += (end + 1).saturating_sub(start.max(next));
            next = next.max(end + 1);
        }
        count
    }
}

/// Where joints leave their limits, joint by joint, frames in order.
#[must_use]
pub fn limit_breaches(
    skeleton: &Skeleton,
    clip: &RawClip,
    limits: &JointLimits,
) -> Vec<LimitBreach> {
    let mut open: Vec<Option<LimitBreach>> = vec![None; skeleton.len()];
    let (mut closed, mut pose) = (Vec::new(), LocalPose::default());
    for frame in 0..clip.frames() {
        clip.frame_pose(skeleton, frame, &mut pose);
        for (joint, limit) in limits.iter() {
            let index = usize::from(joint);
            let excess_rad = limit.excess_rad(pose.joints()[index].rotation);
            if excess_rad <= ROUNDING_RAD {
                closed.extend(open[index].take());
                continue;
            }
            let breach = open[index].get_or_insert(LimitBreach {
                joint,
                start_frame: frame,
                end_frame: frame,
                worst_rad: 0.0,
                worst_frame: frame,
            });
            breach.end_frame = frame;
            if excess_rad > breach.worst_rad {
                (breach.worst_rad, breach.worst_frame) = (excess_rad, frame);
            }
        }
    }
    closed.extend(open.into_iter().flatten());
    closed.sort_by_key(|it| (it.joint, it.start_frame));
    closed
}
