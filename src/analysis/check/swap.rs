//! Left and right exchanged: a leg (or an arm) that from one frame to the next
//! is where the other one was, and the other way round.
//!
//! Limbs are compared from where they hang, so that neither the width of the
//! hips nor the way of the body matters. An exchange comes in two kinds: limbs
//! that point where the other pointed (markers mistaken for each other), and
//! limbs that do what the other's mirror image did (columns mistaken).

use std::ops::Range;

use glam::{Quat, Vec3A};

use super::{Finding, FindingKind};
use crate::{
    analysis::motion::PosedMotion,
    humanoid::{Limb, Side},
    skeleton::JointIndex,
};

/// Limbs jump by so much when they are exchanged, metres on the average.
const LEAST_M: f32 = 0.05;
/// … and where the other was they are within this share of it.
const FITS: f32 = 0.35;
/// … and it is so many times what they travel in a frame around it.
const TIMES_USUAL: f32 = 4.0;

/// How limbs are exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) enum Exchange {
    /// Each points where the other pointed.
    Places,
    /// Each does the mirror image of the other.
    Mirrored,
}

/// A pair of limbs exchanged for some frames.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::analysis) struct Swap {
    pub pair: LimbPair,
    pub frames: Range<usize>,
    pub exchange: Exchange,
    /// How far the limbs jump, metres on the average of their joints.
    pub jump_m: f32,
}

/// Two limbs, joint by joint, with where they hang from.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::analysis) struct LimbPair {
    pub is_leg: bool,
    /// Left, right; from the hip or shoulder on.
    pub joints: Vec<[usize; 2]>,
    /// The joint whose turn the limbs share.
    pub trunk: usize,
    /// From the trunk's space at rest to left, up, forward.
    pub trunk_from_body: Quat,
}

impl LimbPair {
    /// Legs and arms, of those who have them.
    pub fn all(motion: &PosedMotion<'_>) -> Vec<Self> {
        let legs = [Limb::Thigh, Limb::Shin, Limb::Foot, Limb::Toes];
        let arms = [Limb::UpperArm, Limb::Forearm, Limb::Hand];
        let legs = Self::of(motion, true, &legs);
        legs.into_iter()
            .chain(Self::of(motion, false, &arms))
            .collect()
    }

    fn of(motion: &PosedMotion<'_>, is_leg: bool, limbs: &[Limb]) -> Option<Self> {
        let mut joints = Vec::new();
        for &limb in limbs {
            let [left, right] = Side::BOTH.map(|side| motion.human.part(side.role(limb)));
            // A forearm may be two joints in a row.
            if left.len() == right.len() {
                let both = left.iter().zip(right);
                joints.extend(both.map(|(&a, &b)| [usize::from(a), usize::from(b)]));
            }
        }
        let first = *joints.first()?;
        let shared = motion
            .skeleton
            .common_ancestor(first[0] as JointIndex, first[1] as JointIndex)?;
        let rest = motion.skeleton.rest_model();
        let body = motion.human.frame(&rest)?;
        let trunk = usize::from(shared);
        (joints.len() > 1).then(|| Self {
            is_leg,
            joints,
            trunk,
            trunk_from_body: rest.joints()[trunk].rotation.conjugate() * body,
        })
    }

    /// Where the joints below the first are, seen from it, in the body's left,
    /// up and forward.
    fn shape(&self, motion: &PosedMotion<'_>, frame: usize, side: usize) -> Vec<Vec3A> {
        let turn = motion.models[frame].joints()[self.trunk].rotation * self.trunk_from_body;
        let turn = turn.conjugate();
        let hang = motion.place(frame, self.joints[0][side]);
        let below = self.joints[1..].iter();
        below
            .map(|pair| turn * (motion.place(frame, pair[side]) - hang))
            .collect()
    }
}

/// Both limbs of a frame.
struct Shapes([Vec<Vec3A>; 2]);

impl Shapes {
    fn apart(&self, other: &Self) -> f32 {
        let [left, right] = [0, 1].map(|side| mean_apart(&self.0[side], &other.0[side]));
        (left + right) / 2.0
    }

    fn exchanged(&self, exchange: Exchange) -> Self {
        let mirrored = |side: usize| -> Vec<Vec3A> {
            let flip = match exchange {
                Exchange::Places => Vec3A::ONE,
                Exchange::Mirrored => Vec3A::new(-1.0, 1.0, 1.0),
            };
            self.0[side].iter().map(|point| *point * flip).collect()
        };
        Self([mirrored(1), mirrored(0)])
    }

    /// What they will be if they go on as they did.
    fn going_on(&self, before: &Self) -> Self {
        Self([0, 1].map(|side| {
            let both = self.0[side].iter().zip(&before.0[side]);
            both.map(|(now, before)| *now * 2.0 - *before).collect()
        }))
    }
}

fn mean_apart(a: &[Vec3A], b: &[Vec3A]) -> f32 {
    let both = a.iter().zip(b);
    both.map(|(a, b)| a.distance(*b)).sum::<f32>() / a.len().max(1) as f32
}

/// All exchanges of all limbs.
pub(in crate::analysis) fn swaps(motion: &PosedMotion<'_>) -> Vec<Swap> {
    let pairs = LimbPair::all(motion).into_iter();
    pairs.flat_map(|pair| swaps_of(motion, &pair)).collect()
}

fn swaps_of(motion: &PosedMotion<'_>, pair: &LimbPair) -> Vec<Swap> {
    let shapes: Vec<Shapes> = (0..motion.frames())
        .map(|frame| Shapes([0, 1].map(|side| pair.shape(motion, frame, side))))
        .collect();
    let mut swaps: Vec<Swap> = Vec::new();
    let mut open: Option<Swap> = None;
    for frame in 2..shapes.len() {
        let Some((exchange, jump_m)) = border(&shapes, frame) else {
            continue;
        };
        match open.take() {
            Some(mut swap) if swap.exchange == exchange => {
                swap.frames.end = frame;
                swap.jump_m = swap.jump_m.max(jump_m);
                swaps.push(swap);
            }
            // What was opened by another kind was none.
            _ => {
                open = Some(Swap {
                    pair: pair.clone(),
                    frames: frame..shapes.len(),
                    exchange,
                    jump_m,
                });
            }
        }
    }
    // Exchanged to the end, or up to here from the start: nothing tells which,
    // so the shorter part is the fault.
    swaps.extend(open.map(|mut swap| {
        if swap.frames.start * 2 < shapes.len() {
            swap.frames = 0..swap.frames.start;
        }
        swap
    }));
    swaps
}

/// Whether limbs are exchanged from this frame on, or back again.
fn border(shapes: &[Shapes], frame: usize) -> Option<(Exchange, f32)> {
    let due = shapes[frame - 1].going_on(&shapes[frame - 2]);
    let jump_m = shapes[frame].apart(&due);
    let travelled = shapes[frame - 1].apart(&shapes[frame - 2]);
    let travels = match shapes.get(frame + 1) {
        Some(next) => travelled.max(next.apart(&shapes[frame])),
        None => travelled,
    };
    if jump_m < LEAST_M || jump_m < TIMES_USUAL * travels {
        return None;
    }
    let off = |exchange: Exchange| {
        let swapped = shapes[frame].exchanged(exchange);
        (exchange, swapped.apart(&due))
    };
    let kinds = [Exchange::Places, Exchange::Mirrored].map(off);
    let (exchange, off_m) = *kinds.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    (off_m < FITS * jump_m).then_some((exchange, jump_m))
}

pub(super) fn findings(motion: &PosedMotion<'_>, swaps: &[Swap]) -> Vec<Finding> {
    let finding = |swap: &Swap| {
        let centimetres = 100.0 * f64::from(swap.jump_m);
        let limbs = if swap.pair.is_leg { "legs" } else { "arms" };
        let [left, right] = swap.pair.joints[0].map(|joint| motion.name(joint));
        Finding {
            kind: FindingKind::Swap,
            joint: Some(swap.pair.joints[0][0]),
            start_frame: swap.frames.start,
            end_frame: swap.frames.end - 1,
            value: centimetres,
            unit: "cm",
            message: format!(
                "the {limbs} are exchanged ({left} and {right}): they jump {centimetres:.0} cm \
                 to where the other was"
            ),
        }
    };
    swaps.iter().map(finding).collect()
}
