//! Repairs of what [`check`](super::check()) finds, and how far each has moved
//! the body.
//!
//! Each kind is mended by what it is: exchanged limbs are exchanged back, pops
//! and gaps are bridged by splines, joints are clamped to their limits, the
//! ground is shifted to 0, feet are held where they stand, and a loop's last
//! frames are led to its first. Limits: a body that hangs or does not move, a
//! foot below the floor, another rate or unit are told and left; a slide is
//! taken back as far as the leg is long.

mod bridge;
mod exchange;
mod hold;
mod seam;

use std::ops::Range;

use super::{
    check::{
        Finding, FindingKind, check_posed, floor_height_m, gaps, pops, seam as seam_of, slides,
        swaps,
    },
    motion::PosedMotion,
};
use crate::{
    clip::RawClip,
    humanoid::{JointLimits, LimitSource},
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// One thing that was mended.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// What was wrong.
    pub kind: FindingKind,
    /// At which joint, where one can be named.
    pub joint: Option<usize>,
    /// The first frame that is other than it was.
    pub start_frame: usize,
    /// The last one.
    pub end_frame: usize,
    /// How far it moved any joint, at most, centimetres.
    pub moved_cm: f64,
}

/// A motion after its repair.
#[derive(Clone, Debug, PartialEq)]
pub struct Mended {
    /// The same motion, whole.
    pub clip: RawClip,
    /// What was done, in order.
    pub repairs: Vec<Repair>,
    /// What is still found.
    pub left: Vec<Finding>,
}

/// A repair may bring something else to light: a foot that was moved by a clamp
/// slides. So all is gone through again, at most so often.
const ROUNDS: usize = 4;

/// Mends what can be mended.
///
/// # Panics
/// When the clip is for another number of joints.
#[must_use]
pub fn mend(skeleton: &Skeleton, clip: &RawClip) -> Mended {
    let mut mended = Mended {
        clip: clip.clone(),
        repairs: Vec::new(),
        left: Vec::new(),
    };
    for _ in 0..ROUNDS {
        let before = mended.repairs.len();
        for step in STEPS {
            run(skeleton, &mut mended, step);
        }
        mended.left = check_posed(&PosedMotion::new(skeleton, &mended.clip));
        if mended.repairs.len() == before || mended.left.is_empty() {
            break;
        }
    }
    mended
}

/// Poses changed, and where.
struct Changes {
    poses: Vec<LocalPose>,
    of: Vec<(FindingKind, Option<usize>, Range<usize>)>,
}

impl Changes {
    fn of(motion: &PosedMotion<'_>) -> Self {
        Self {
            poses: motion.locals.clone(),
            of: Vec::new(),
        }
    }

    fn note(&mut self, kind: FindingKind, joint: Option<usize>, frames: Range<usize>) {
        self.of.push((kind, joint, frames));
    }
}

type Step = fn(&PosedMotion<'_>) -> Changes;

/// What is grossest first; feet after all that may move them.
const STEPS: [Step; 7] = [
    exchange_back,
    bridge_gaps,
    bridge_pops,
    clamp,
    shift_ground,
    hold_feet,
    close_seam,
];

fn run(skeleton: &Skeleton, mended: &mut Mended, step: Step) {
    let motion = PosedMotion::new(skeleton, &mended.clip);
    if motion.frames() < 2 {
        return;
    }
    let changes = step(&motion);
    if changes.of.is_empty() {
        return;
    }
    let clip = RawClip::from_poses(&mended.clip.name, skeleton, mended.clip.fps, &changes.poses);
    let after = PosedMotion::new(skeleton, &clip);
    let repairs = changes.of.into_iter().map(|(kind, joint, frames)| Repair {
        kind,
        joint,
        moved_cm: 100.0 * f64::from(moved_m(&motion, &after, &frames)),
        start_frame: frames.start,
        end_frame: frames.end.saturating_sub(1),
    });
    mended.repairs.extend(repairs);
    drop(motion);
    mended.clip = clip;
}

/// The furthest that any joint is from where it was.
fn moved_m(before: &PosedMotion<'_>, after: &PosedMotion<'_>, frames: &Range<usize>) -> f32 {
    let joints = 0..before.skeleton.len();
    let ways = frames.clone().flat_map(|frame| {
        let joints = joints.clone();
        joints.map(move |joint| {
            before
                .place(frame, joint)
                .distance(after.place(frame, joint))
        })
    });
    ways.fold(0.0, f32::max)
}

fn exchange_back(motion: &PosedMotion<'_>) -> Changes {
    let mut changes = Changes::of(motion);
    for swap in swaps(motion) {
        exchange::exchange(motion, &swap, &mut changes.poses);
        changes.note(FindingKind::Swap, Some(swap.pair.joints[0][0]), swap.frames);
    }
    changes
}

fn bridge_gaps(motion: &PosedMotion<'_>) -> Changes {
    let mut changes = Changes::of(motion);
    let mut done: Vec<Range<usize>> = Vec::new();
    for gap in gaps(motion) {
        bridge::all_held(motion, &gap.frames, &mut changes.poses);
        // Joints that are lost together are one repair.
        let same = |it: &Range<usize>| it.start < gap.frames.end && gap.frames.start < it.end;
        if !done.iter().any(same) {
            changes.note(FindingKind::Gap, gap.joint, gap.frames.clone());
        }
        done.push(gap.frames);
    }
    changes
}

fn bridge_pops(motion: &PosedMotion<'_>) -> Changes {
    let mut changes = Changes::of(motion);
    for pop in pops(motion) {
        let frames = match pop.is_jump {
            true => bridge::ease_jump(motion, pop.joint, pop.frames.start, &mut changes.poses),
            false => bridge::bridge(motion, pop.joint, &pop.frames, &mut changes.poses),
        };
        changes.note(FindingKind::Pop, pop.joint, frames);
    }
    changes
}

/// Joints that are found beyond their limits, in every frame in which they are.
fn clamp(motion: &PosedMotion<'_>) -> Changes {
    let mut changes = Changes::of(motion);
    let limits = JointLimits::of(motion.skeleton, LimitSource::Human);
    let found = check_posed(motion).into_iter();
    for finding in found.filter(|it| it.kind == FindingKind::Limit) {
        let Some(joint) = finding.joint else { continue };
        let frames = finding.start_frame..finding.end_frame + 1;
        for pose in &mut changes.poses[frames.clone()] {
            let own = &mut pose.joints_mut()[joint].rotation;
            *own = limits.clamped(joint as JointIndex, *own, 0.0);
        }
        changes.note(FindingKind::Limit, Some(joint), frames);
    }
    changes
}

fn shift_ground(motion: &PosedMotion<'_>) -> Changes {
    let mut changes = Changes::of(motion);
    if let Some(height_m) = floor_height_m(motion) {
        for pose in &mut changes.poses {
            pose.joints_mut()[0].translation.y -= height_m;
        }
        changes.note(FindingKind::Floor, None, 0..motion.frames());
    }
    changes
}

fn hold_feet(motion: &PosedMotion<'_>) -> Changes {
    let mut changes = Changes::of(motion);
    for slide in slides(motion) {
        let ball = usize::from(motion.legs[slide.leg].joints.ball);
        changes.note(FindingKind::Slide, Some(ball), slide.frames);
    }
    if !changes.of.is_empty() {
        hold::hold(motion, &mut changes.poses);
    }
    changes
}

fn close_seam(motion: &PosedMotion<'_>) -> Changes {
    let mut changes = Changes::of(motion);
    if let Some(found) = seam_of(motion) {
        let frames = seam::close(motion, &found, &mut changes.poses);
        changes.note(FindingKind::Seam, Some(found.joint), frames);
    }
    changes
}
