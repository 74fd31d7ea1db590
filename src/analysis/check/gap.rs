//! Gaps: stretches in which markers were lost and nothing was written but the
//! last value (or the rest pose), and which end with a jump to where the body
//! has gone meanwhile.

use std::ops::Range;

use super::{Finding, FindingKind, pop::visible_m};
use crate::{
    analysis::{
        motion::PosedMotion,
        robust::{ranked, runs},
    },
    math::quat::angle_between,
};

/// Turns below this are none: the roundings of files with six digits, radians.
const HELD_RAD: f32 = 2e-5;
const HELD_M: f32 = 2e-5;
/// Frames that repeat the one before in a gap, at least.
const LEAST_REPEATED: usize = 3;
/// A gap ends (or begins) with a jump that moves what the joint carries by so
/// much, metres …
const LEAST_JUMP_M: f32 = 0.02;
const LEAST_JUMP_RAD: f32 = 0.035;
/// … which is so many times what it moves a frame around the gap.
const TIMES_USUAL: f32 = 3.0;
const AROUND_SECS: f64 = 0.25;
/// A gap ends within this time: what is held longer is meant, or `still`.
const LONGEST_SECS: f64 = 3.0;
/// Gaps of different joints that begin and end within this time are one,
/// seconds.
const TOGETHER_SECS: f64 = 0.05;

/// A joint that holds still where it should move.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::analysis) struct Gap {
    /// `None` for the place of the root.
    pub joint: Option<usize>,
    /// Frames that hold nothing of their own.
    pub frames: Range<usize>,
    /// How far what it carries jumps, metres.
    pub jump_m: f32,
}

/// All gaps, joint by joint.
pub(in crate::analysis) fn gaps(motion: &PosedMotion<'_>) -> Vec<Gap> {
    let animated = motion.clip.animated.iter().map(|&joint| usize::from(joint));
    let turns = animated.flat_map(|joint| {
        let reach_m = motion.reach_m[joint].max(0.02);
        let steps = steps(motion, |a, b| {
            angle_between(motion.rotation(a, joint), motion.rotation(b, joint))
        });
        let track = Steps {
            steps,
            held: HELD_RAD,
            least: (LEAST_JUMP_M / reach_m).max(LEAST_JUMP_RAD),
        };
        let gap = |(frames, at, _): (Range<usize>, usize, f32)| {
            Some(Gap {
                joint: Some(joint),
                jump_m: visible_m(motion, joint, &(at..at + 1), true)?,
                frames,
            })
        };
        track
            .gaps(motion)
            .into_iter()
            .filter_map(gap)
            .collect::<Vec<_>>()
    });
    let mut gaps: Vec<Gap> = turns.collect();
    let root = &motion.clip.root_translations;
    let track = Steps {
        steps: steps(motion, |a, b| root[a].distance(root[b])),
        held: HELD_M,
        least: LEAST_JUMP_M,
    };
    let root = track
        .gaps(motion)
        .into_iter()
        .map(|(frames, _, jump_m)| Gap {
            joint: None,
            frames,
            jump_m,
        });
    gaps.extend(root);
    gaps
}

fn steps(motion: &PosedMotion<'_>, size: impl Fn(usize, usize) -> f32) -> Vec<f32> {
    (1..motion.frames())
        .map(|frame| size(frame - 1, frame))
        .collect()
}

/// How much changes from each frame to the next.
struct Steps {
    steps: Vec<f32>,
    held: f32,
    least: f32,
}

impl Steps {
    /// With the frame that a jump leads to, and its size.
    fn gaps(&self, motion: &PosedMotion<'_>) -> Vec<(Range<usize>, usize, f32)> {
        let around = motion.frames_in(AROUND_SECS, 4);
        let longest = motion.frames_in(LONGEST_SECS, 1);
        let held = runs(self.steps.len(), |k| self.steps[k] <= self.held);
        let long_enough = held
            .into_iter()
            .filter(|run| (LEAST_REPEATED..=longest).contains(&run.len()));
        long_enough
            .filter_map(|run| self.gap(run, around))
            .collect()
    }

    /// A run of steps that change nothing, if a jump is at either end of it.
    fn gap(&self, run: Range<usize>, around: usize) -> Option<(Range<usize>, usize, f32)> {
        let step = |k: Option<usize>| k.and_then(|k| self.steps.get(k)).copied().unwrap_or(0.0);
        let (into, out) = (step(run.start.checked_sub(1)), step(Some(run.end)));
        let first = run.start.saturating_sub(around + 1);
        let before = first..run.start.saturating_sub(1);
        let after =
            (run.end + 1).min(self.steps.len())..(run.end + 1 + around).min(self.steps.len());
        let mut usual: Vec<f32> = before.chain(after).map(|k| self.steps[k]).collect();
        let due = self.least.max(TIMES_USUAL * ranked(&mut usual, 0.9));
        if into.max(out) < due {
            return None;
        }
        // A jump into it: all of its frames are none of the motion's own. Else
        // the first one is, which the others repeat.
        let own = usize::from(into < due);
        let jump = if into > out { run.start } else { run.end + 1 };
        Some((run.start + own..run.end + 1, jump, into.max(out)))
    }
}

/// One finding for all joints that are lost at once.
pub(super) fn findings(motion: &PosedMotion<'_>, gaps: &[Gap]) -> Vec<Finding> {
    let near = motion.frames_in(TOGETHER_SECS, 1);
    let mut ordered: Vec<&Gap> = gaps.iter().collect();
    ordered.sort_by_key(|gap| (gap.frames.start, gap.joint));
    let mut groups: Vec<Vec<&Gap>> = Vec::new();
    for gap in ordered {
        let same = |group: &&mut Vec<&Gap>| {
            let of = &group[0].frames;
            of.start.abs_diff(gap.frames.start) <= near && of.end.abs_diff(gap.frames.end) <= near
        };
        match groups.iter_mut().rev().find(same) {
            Some(group) => group.push(gap),
            None => groups.push(vec![gap]),
        }
    }
    groups
        .iter()
        .filter_map(|group| finding(motion, group))
        .collect()
}

fn finding(motion: &PosedMotion<'_>, group: &[&Gap]) -> Option<Finding> {
    let worst = group.iter().max_by(|a, b| a.jump_m.total_cmp(&b.jump_m))?;
    let start = group.iter().map(|gap| gap.frames.start).min()?;
    let end = group.iter().map(|gap| gap.frames.end).max()?;
    let who = match (worst.joint, group.len()) {
        (None, _) => "the body".to_owned(),
        (Some(joint), 1) => motion.name(joint).to_owned(),
        (Some(joint), all) => format!("{} and {} other(s)", motion.name(joint), all - 1),
    };
    let centimetres = 100.0 * f64::from(worst.jump_m);
    Some(Finding {
        kind: FindingKind::Gap,
        joint: Some(worst.joint.unwrap_or(0)),
        start_frame: start,
        end_frame: end - 1,
        value: (end - start) as f64 / motion.fps(),
        unit: "s",
        message: format!(
            "{who}: nothing recorded for {} frames, then a jump of {centimetres:.1} cm",
            end - start
        ),
    })
}
