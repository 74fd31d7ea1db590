//! Which stances of several motions are one and the same in their blend.

use std::ops::Range;

use glam::{Vec2, Vec3Swizzles};

use super::curve::Curve;
use crate::{
    clip::{FootContacts, RawClip},
    humanoid::{LegChain, LegJoints},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// A stance of one foot, as each motion has it.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedContact {
    /// Which leg: left, then right.
    pub leg: usize,
    /// The ball of its foot.
    pub joint: JointIndex,
    /// From when to when each motion's foot stands, in the reference's seconds;
    /// `None` for a motion whose foot does not.
    pub spans_secs: Vec<Option<[f64; 2]>>,
}

/// Stances belong together when they share at least this much of the shorter.
const SHARED: f64 = 0.3;
/// A stance that motions of less weight than this have is none of the blend.
const LEAST_WEIGHT: f64 = 0.6;

impl MatchedContact {
    /// True when every motion's foot stands.
    #[must_use]
    pub fn is_matched(&self) -> bool {
        self.spans_secs.iter().all(Option::is_some)
    }

    /// From when to when the blend has to keep it, in the reference's seconds:
    /// the weighted mean of what the motions do. `None` where too few stand.
    #[must_use]
    pub fn blended_secs(&self, weights: &[f64]) -> Option<[f64; 2]> {
        let mut sum = [0.0; 2];
        let mut all = 0.0;
        for (span, weight) in self.spans_secs.iter().zip(weights) {
            if let Some([start, end]) = span {
                sum = [sum[0] + weight * start, sum[1] + weight * end];
                all += weight;
            }
        }
        (all >= LEAST_WEIGHT - 1e-9).then(|| sum.map(|it| it / all))
    }
}

/// Stances of each leg of a motion, seconds.
pub(super) type LegStances = Vec<Vec<[f64; 2]>>;

/// Legs of a skeleton whose feet can be held.
#[must_use]
pub(super) fn leg_chains(skeleton: &Skeleton) -> Vec<LegChain> {
    LegChain::of(skeleton)
}

/// Stances of every leg of a clip, seconds.
#[must_use]
pub(super) fn stances(skeleton: &Skeleton, clip: &RawClip, legs: &[LegChain]) -> LegStances {
    let joints: Vec<LegJoints> = legs.iter().map(|leg| leg.joints).collect();
    let paths = ball_paths(skeleton, clip, legs);
    let (contacts, _) = FootContacts::find(skeleton, clip, &joints, false);
    let secs = |frame: usize| frame as f64 / clip.fps;
    let spans = |(contact, path): (&FootContacts, &Vec<Vec2>)| {
        let mut still = Vec::new();
        for run in contact.stances() {
            add_still_runs(path, run, clip.fps, &mut still);
        }
        still.sort_by_key(|run| run.start);
        let runs = still.into_iter();
        runs.map(|run| [secs(run.start), secs(run.end - 1)])
            .collect()
    };
    contacts.iter().zip(&paths).map(spans).collect()
}

/// Ways of the balls of the feet over the ground.
fn ball_paths(skeleton: &Skeleton, clip: &RawClip, legs: &[LegChain]) -> Vec<Vec<Vec2>> {
    let mut paths = vec![Vec::with_capacity(clip.frames()); legs.len()];
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    for frame in 0..clip.frames() {
        clip.frame_pose(skeleton, frame, &mut local);
        model.compute(skeleton, &local);
        for (path, leg) in paths.iter_mut().zip(legs) {
            path.push(
                model.joints()[usize::from(leg.joints.ball)]
                    .translation
                    .xz(),
            );
        }
    }
    paths
}

/// A foot that stands keeps within a box of this diagonal, metres; what goes
/// further rolls, turns or is dragged.
const STILL_M: f32 = 0.03;
/// Shorter is no stance, and closer to one no second one, seconds.
const LEAST_STILL_SECS: f64 = 0.1;

/// The longest part of a stance in which the foot stands still, then the same
/// of what is left before and after it.
fn add_still_runs(path: &[Vec2], run: Range<usize>, fps: f64, still: &mut Vec<Range<usize>>) {
    let least = (LEAST_STILL_SECS * fps).ceil() as usize;
    if run.len() < least.max(2) {
        return;
    }
    let longest = longest_still(path, run.clone());
    if longest.len() < least {
        return;
    }
    let (before, after) = (longest.start.saturating_sub(least), longest.end + least);
    still.push(longest);
    if before > run.start {
        add_still_runs(path, run.start..before, fps, still);
    }
    if after < run.end {
        add_still_runs(path, after..run.end, fps, still);
    }
}

fn longest_still(path: &[Vec2], run: Range<usize>) -> Range<usize> {
    let box_of = |from: usize, to: usize| {
        let points = path[from..=to].iter();
        points.fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), &p| {
            (low.min(p), high.max(p))
        })
    };
    let (mut longest, mut first) = (run.start..run.start, run.start);
    let mut bounds = (path[first], path[first]);
    for last in run {
        bounds = (bounds.0.min(path[last]), bounds.1.max(path[last]));
        while (bounds.1 - bounds.0).length() > STILL_M {
            first += 1;
            bounds = box_of(first, last);
        }
        if last + 1 - first > longest.len() {
            longest = first..last + 1;
        }
    }
    longest
}

/// Matches stances (of each motion, of each leg) by how they overlap in the
/// reference's time; `range_secs` is what is registered of it.
#[must_use]
pub(super) fn matched(
    stances: &[LegStances],
    curves: &[Curve],
    legs: &[LegChain],
    reference: usize,
) -> Vec<MatchedContact> {
    let mut all = Vec::new();
    for (leg, chain) in legs.iter().enumerate() {
        let in_reference = |motion: usize| -> Vec<[f64; 2]> {
            let spans = stances[motion][leg].iter();
            spans
                .filter_map(|&span| warped(&curves[motion], span))
                .collect()
        };
        let mut groups: Vec<Vec<Option<[f64; 2]>>> = Vec::new();
        // The reference first: its stances are what others are matched to.
        let others = (0..curves.len()).filter(|&motion| motion != reference);
        for motion in std::iter::once(reference).chain(others) {
            for span in in_reference(motion) {
                join(&mut groups, curves.len(), motion, span);
            }
        }
        let contact = |spans_secs| MatchedContact {
            leg,
            joint: chain.joints.ball,
            spans_secs,
        };
        all.extend(groups.into_iter().map(contact));
    }
    all
}

/// A stance in the reference's time, cut to what is registered.
fn warped(curve: &Curve, span: [f64; 2]) -> Option<[f64; 2]> {
    let [first, last] = curve.image_secs();
    let is_inside = span[0] < last && span[1] > first;
    is_inside.then(|| span.map(|secs| curve.reference_at(secs)))
}

/// Puts a stance to the group that it shares most with, or into one of its own.
fn join(groups: &mut Vec<Vec<Option<[f64; 2]>>>, motions: usize, motion: usize, span: [f64; 2]) {
    let fit = |group: &Vec<Option<[f64; 2]>>| match group[motion] {
        Some(_) => 0.0,
        None => group
            .iter()
            .flatten()
            .map(|own| overlap(*own, span))
            .fold(0.0, f64::max),
    };
    let best = (0..groups.len()).max_by(|&a, &b| fit(&groups[a]).total_cmp(&fit(&groups[b])));
    match best.filter(|&best| fit(&groups[best]) >= SHARED) {
        Some(best) => groups[best][motion] = Some(span),
        None => {
            let mut group = vec![None; motions];
            group[motion] = Some(span);
            groups.push(group);
        }
    }
}

fn overlap(a: [f64; 2], b: [f64; 2]) -> f64 {
    let shared = a[1].min(b[1]) - a[0].max(b[0]);
    let shorter = (a[1] - a[0]).min(b[1] - b[0]);
    shared / shorter.max(1e-3)
}
