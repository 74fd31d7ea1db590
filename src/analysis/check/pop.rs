//! Pops: a joint that for one to three frames is somewhere else, or that jumps
//! to somewhere else for good.
//!
//! What a frame should hold is foretold from the frames around it (a cubic
//! through two before and two after); how far it is off is compared with how
//! far the frames of the same joint within a quarter of a second are off their
//! own. A foot that strikes or an arm that is flung is off a little for many
//! frames; a pop is off by far for very few.

use std::ops::Range;

use glam::Vec3;

use super::{Finding, FindingKind};
use crate::{
    analysis::{motion::PosedMotion, robust::ranked},
    math::quat,
};

/// Frames that a pop lasts at most: what lasts longer is looked upon as a
/// movement, unless it begins and ends with a jump.
const LONGEST: usize = 3;
/// Seconds to either side that tell what is usual.
const AROUND_SECS: f64 = 0.25;
const AROUND_FRAMES: usize = 8;
/// The share of the frames around that are as usual.
const USUAL: f32 = 0.9;
/// A pop is this many times what is usual …
const TIMES_USUAL: f32 = 6.0;
/// … and moves something that the joint carries by so much, metres …
const LEAST_M: f32 = 0.025;
/// … turning by at least this, radians: 3°.
const LEAST_RAD: f32 = 0.052;
/// A jump that is not taken back.
const LEAST_JUMP_M: f32 = 0.03;
const LEAST_JUMP_RAD: f32 = 0.087;
/// How far beside a bone its twist is looked at, metres.
const BESIDE_M: f32 = 0.05;
/// Pops with less between them are one finding, seconds.
const APART_SECS: f64 = 0.05;

/// A joint that pops.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::analysis) struct Pop {
    /// `None` for the place of the root.
    pub joint: Option<usize>,
    /// The frames that are off; of a jump the first one after it.
    pub frames: Range<usize>,
    pub is_jump: bool,
    /// How far what the joint carries is moved, metres.
    pub off_m: f32,
    /// The same as an angle; metres for the root's place.
    pub off: f32,
}

/// All pops, joint by joint.
pub(in crate::analysis) fn pops(motion: &PosedMotion<'_>) -> Vec<Pop> {
    let animated = motion.clip.animated.iter().map(|&joint| usize::from(joint));
    let turns = animated.flat_map(|joint| {
        let reach_m = motion.reach_m[joint].max(0.02);
        let track = Track {
            values: turning(motion, joint),
            least: (LEAST_M / reach_m).max(LEAST_RAD),
            least_jump: (LEAST_JUMP_M / reach_m).max(LEAST_JUMP_RAD),
            around: motion.frames_in(AROUND_SECS, AROUND_FRAMES),
        };
        let pop = |(frames, is_jump, off): (Range<usize>, bool, f32)| {
            Some(Pop {
                joint: Some(joint),
                off_m: visible_m(motion, joint, &frames, is_jump)?,
                frames,
                is_jump,
                off,
            })
        };
        track.pops().into_iter().filter_map(pop).collect::<Vec<_>>()
    });
    let mut pops: Vec<Pop> = turns.collect();
    pops.extend(root_pops(motion));
    pops
}

/// How far a pop of a joint moves anything that it carries, if it outstands
/// there too, metres.
pub(super) fn visible_m(
    motion: &PosedMotion<'_>,
    joint: usize,
    frames: &Range<usize>,
    is_jump: bool,
) -> Option<f32> {
    let around = motion.frames_in(AROUND_SECS, AROUND_FRAMES);
    let first = frames.start.saturating_sub(around + 3);
    let last = (frames.end + around + 3).min(motion.frames());
    let below = motion.skeleton.below(joint as u16).map(usize::from);
    let carried = std::iter::once(joint).chain(below);
    let bone = motion.skeleton.joints()[joint].tip;
    let beside = bone.normalize_or(Vec3::Y).any_orthonormal_vector() * BESIDE_M;
    let mut paths: Vec<Vec<Vec3>> = carried
        .map(|it| {
            let ends = motion.models[first..last].iter();
            ends.map(|model| model.bone_end(motion.skeleton, it).into())
                .collect()
        })
        .collect();
    let models = motion.models[first..last].iter();
    paths.push(
        models
            .map(|model| model.joints()[joint].transform_point(beside.into()).into())
            .collect(),
    );
    let off = |values: Vec<Vec3>| {
        let track = Track {
            values,
            least: LEAST_M,
            least_jump: LEAST_JUMP_M,
            around,
        };
        let own = frames.start - first..frames.end - first;
        track.shown_at(&own, is_jump)
    };
    let off_m = paths.into_iter().map(off).fold(0.0, f32::max);
    (off_m > 0.0).then_some(off_m)
}

fn root_pops(motion: &PosedMotion<'_>) -> Vec<Pop> {
    let track = Track {
        values: motion.clip.root_translations.clone(),
        least: LEAST_M,
        least_jump: LEAST_JUMP_M,
        around: motion.frames_in(AROUND_SECS, AROUND_FRAMES),
    };
    let pop = |(frames, is_jump, off): (Range<usize>, bool, f32)| Pop {
        joint: None,
        frames,
        is_jump,
        off_m: off,
        off,
    };
    track.pops().into_iter().map(pop).collect()
}

/// A joint's rotation as a vector that goes on from frame to frame: the sum of
/// its small turns. Close to a rotation vector for the few frames that are
/// compared at a time, and without its seam at half a turn.
fn turning(motion: &PosedMotion<'_>, joint: usize) -> Vec<Vec3> {
    let mut at = Vec3::ZERO;
    let mut before = motion.rotation(0, joint);
    let turn = |frame| {
        let now = motion.rotation(frame, joint);
        at += before * quat::log(before.conjugate() * now);
        before = now;
        at
    };
    (0..motion.frames()).map(turn).collect()
}

/// Values that should go on smoothly.
struct Track {
    values: Vec<Vec3>,
    least: f32,
    least_jump: f32,
    around: usize,
}

impl Track {
    fn pops(&self) -> Vec<(Range<usize>, bool, f32)> {
        let mut found = self.spikes();
        let jumps: Vec<_> = self
            .jumps()
            .into_iter()
            .map(|(k, off)| (k..k + 1, true, off))
            .collect();
        for jump in jumps {
            let near = |it: &(Range<usize>, bool, f32)| {
                it.0.start <= jump.0.end && jump.0.start <= it.0.end + 1
            };
            if !found.iter().any(near) {
                found.push(jump);
            }
        }
        found.sort_by_key(|it| it.0.start);
        found
    }

    /// By how much the values pop at or beside some frames; 0 where they do not.
    fn shown_at(&self, frames: &Range<usize>, is_jump: bool) -> f32 {
        let near = |at: usize| at <= frames.end && at + 1 >= frames.start;
        let jumps = || {
            self.jumps()
                .into_iter()
                .filter(|it| near(it.0))
                .map(|it| it.1)
        };
        let spikes = || {
            let spikes = self.spikes().into_iter().filter(|it| near(it.0.start));
            spikes.map(|it| it.2)
        };
        match is_jump {
            true => jumps().fold(0.0, f32::max),
            false => spikes().fold(0.0, f32::max),
        }
    }

    /// What is off and comes back.
    fn spikes(&self) -> Vec<(Range<usize>, bool, f32)> {
        let mut found: Vec<(Range<usize>, bool, f32)> = Vec::new();
        for width in 1..=LONGEST {
            let off = self.spike_sizes(width);
            for first in self.outstanding(&off, width, self.least) {
                let frames = first..first + width;
                // A shorter pop that explains the same frames comes first.
                let met = found
                    .iter_mut()
                    .find(|it| it.0.start < frames.end + 1 && frames.start < it.0.end + 1);
                match met {
                    Some(known) if known.2 * 1.3 < off[first] => {
                        *known = (frames, false, off[first]);
                    }
                    Some(_) => {}
                    None => found.push((frames, false, off[first])),
                }
            }
        }
        found
    }

    /// For each first frame of a block of `width`, how far all of it is from
    /// what the two frames to either side foretell.
    fn spike_sizes(&self, width: usize) -> Vec<f32> {
        let mut sizes = vec![0.0; self.values.len()];
        let last = self.values.len().saturating_sub(width + 1);
        for (first, size) in sizes.iter_mut().enumerate().take(last).skip(2) {
            let known = [first - 2, first - 1, first + width, first + width + 1];
            let off = |frame: usize| self.values[frame].distance(self.foretold(known, frame));
            let block = (first..first + width).map(off);
            *size = block.fold(f32::INFINITY, f32::min);
        }
        sizes
    }

    /// Lagrange's cubic through four frames.
    fn foretold(&self, known: [usize; 4], frame: usize) -> Vec3 {
        let x = frame as f32;
        let mut sum = Vec3::ZERO;
        for &own in &known {
            let others = known.iter().filter(|&&other| other != own);
            let weight: f32 = others
                .map(|&other| (x - other as f32) / (own as f32 - other as f32))
                .product();
            sum += self.values[own] * weight;
        }
        sum
    }

    /// How far a step between two frames is from the steps beside it.
    fn jumps(&self) -> Vec<(usize, f32)> {
        let count = self.values.len();
        if count < 4 {
            return Vec::new();
        }
        let step = |frame: usize| self.values[frame + 1] - self.values[frame];
        let steps = count - 1;
        let mut sizes = vec![0.0; count];
        for (first, size) in sizes.iter_mut().enumerate().take(steps) {
            let expected = match first {
                0 => step(1),
                _ if first + 1 == steps => step(first - 1),
                _ => (step(first - 1) + step(first + 1)) / 2.0,
            };
            *size = (step(first) - expected).length();
        }
        let found = self.outstanding(&sizes, 1, self.least_jump);
        found.into_iter().map(|k| (k + 1, sizes[k])).collect()
    }

    /// Where sizes are far above what they are around.
    fn outstanding(&self, sizes: &[f32], width: usize, least: f32) -> Vec<usize> {
        let count = sizes.len();
        let mut found = Vec::new();
        for k in (0..count).filter(|&k| sizes[k] >= least) {
            let own = k.saturating_sub(width + 1)..(k + width + 2).min(count);
            let is_highest = own.clone().all(|i| sizes[i] <= sizes[k]);
            if !is_highest {
                continue;
            }
            let first = k.saturating_sub(self.around);
            let last = (k + self.around + 1).min(count);
            let around = (first..last).filter(|i| i.abs_diff(k) > width + 2);
            let mut around: Vec<f32> = around.map(|i| sizes[i]).collect();
            if sizes[k] >= TIMES_USUAL * ranked(&mut around, USUAL) {
                found.push(k);
            }
        }
        found
    }
}

/// One finding for all joints that pop at once: where most moves.
pub(super) fn findings(motion: &PosedMotion<'_>, pops: &[Pop]) -> Vec<Finding> {
    let apart = motion.frames_in(APART_SECS, 1);
    let mut ordered: Vec<&Pop> = pops.iter().collect();
    ordered.sort_by_key(|pop| pop.frames.start);
    let mut groups: Vec<(Range<usize>, Vec<&Pop>)> = Vec::new();
    for pop in ordered {
        match groups.last_mut() {
            Some((frames, group)) if pop.frames.start <= frames.end + apart => {
                frames.end = frames.end.max(pop.frames.end);
                group.push(pop);
            }
            _ => groups.push((pop.frames.clone(), vec![pop])),
        }
    }
    let finding = |(frames, group): (Range<usize>, Vec<&Pop>)| {
        let worst = group
            .into_iter()
            .max_by(|a, b| a.off_m.total_cmp(&b.off_m))?;
        Some(finding(motion, &frames, worst))
    };
    groups.into_iter().filter_map(finding).collect()
}

fn finding(motion: &PosedMotion<'_>, frames: &Range<usize>, pop: &Pop) -> Finding {
    let centimetres = 100.0 * f64::from(pop.off_m);
    let who = pop
        .joint
        .map_or("the whole body", |joint| motion.name(joint));
    let turn = match pop.joint {
        Some(_) => format!(", turned by {:.0}°", pop.off.to_degrees()),
        None => String::new(),
    };
    let message = match (pop.is_jump, frames.len()) {
        (true, _) => format!("{who} jumps by {centimetres:.1} cm{turn}"),
        (false, 1) => format!("{who} is off by {centimetres:.1} cm for 1 frame{turn}"),
        (false, many) => format!("{who} is off by {centimetres:.1} cm within {many} frames{turn}"),
    };
    Finding {
        kind: FindingKind::Pop,
        joint: Some(pop.joint.unwrap_or(0)),
        start_frame: frames.start,
        end_frame: frames.end - 1,
        value: centimetres,
        unit: "cm",
        message,
    }
}
