//! Any number of motions brought into step.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::{
    RegisterError,
    calm::largest_jumps,
    cloud::Cloud,
    contacts::{self, LegStances, MatchedContact},
    curve::Curve,
    flips::without_flips,
    pair::Pair,
    path::PathOptions,
    transition::PreparedMotion,
};
use crate::{
    clip::{Planar, RawClip},
    humanoid::LegChain,
    skeleton::Skeleton,
};

/// Motions of one skeleton, and for each how it follows the reference.
#[derive(Clone, Debug)]
pub struct Registration {
    pub(super) skeleton: Arc<Skeleton>,
    pub(super) motions: Vec<Arc<RawClip>>,
    /// The same without joints that flip over for a few frames.
    pub(super) mended: Vec<Arc<RawClip>>,
    pub(super) legs: Vec<LegChain>,
    reference: usize,
    curves: Vec<Curve>,
    /// For each motion and sample the place that all have in common: the middle
    /// of the reference's points, in the motion's own world.
    pub(super) places: Vec<Vec<Planar>>,
    contacts: Vec<MatchedContact>,
    pairs: Vec<([usize; 2], Pair)>,
    /// Found when first asked for: see [`Self::largest_jumps`].
    largest_jumps: OnceLock<Vec<f32>>,
}

/// Moments of two of several motions that are said to correspond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin {
    /// Which motions, the one that was given first before the other.
    pub of: [usize; 2],
    /// A moment of each, seconds.
    pub secs: [f64; 2],
}

/// What a pair costs whose correspondence somebody vouches for.
const PINNED_COST: f64 = 0.01;

/// Fewer frames than this are a pose, not a motion.
const LEAST_FRAMES: usize = 4;

impl Registration {
    /// Registers motions. Two are registered to the first; of more, all pairs
    /// are tried, the reference is the motion that the others reach at the
    /// least cost, and they reach it over others where that is cheaper.
    pub fn new(
        skeleton: &Arc<Skeleton>,
        motions: Vec<Arc<RawClip>>,
        options: &PathOptions,
    ) -> Result<Self, RegisterError> {
        Self::pinned(skeleton, motions, options, &[])
    }

    /// The same with moments of pairs that are to correspond. Where one pair was
    /// told so, chains go over it.
    pub fn pinned(
        skeleton: &Arc<Skeleton>,
        motions: Vec<Arc<RawClip>>,
        options: &PathOptions,
        pins: &[Pin],
    ) -> Result<Self, RegisterError> {
        check(skeleton, &motions)?;
        let clouds: Vec<Cloud> = motions
            .par_iter()
            .map(|clip| Cloud::of(skeleton, clip))
            .collect();
        let count = motions.len();
        let of = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
        let of: Vec<[usize; 2]> = of.collect();
        let register = |&[i, j]: &[usize; 2]| {
            let own = pins.iter().filter(|pin| pin.of == [i, j]);
            let mut options = options.clone();
            options.pins.extend(own.map(|pin| pin.secs));
            Pair::register(&clouds[i], &clouds[j], &options)
        };
        let tried: Vec<Result<Pair, RegisterError>> = of.par_iter().map(register).collect();
        let mut pairs = Vec::new();
        let mut failed = None;
        for (of, pair) in of.into_iter().zip(tried) {
            match pair {
                Ok(pair) => pairs.push((of, pair)),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        let (reference, curves) = match chains(&pairs, &motions, pins) {
            Some(found) => found,
            None => return Err(failed.unwrap_or(RegisterError::NothingCommon)),
        };
        let legs = contacts::leg_chains(skeleton);
        let stances: Vec<_> = motions
            .par_iter()
            .map(|clip| contacts::stances(skeleton, clip, &legs))
            .collect();
        let places = curves.iter().map(|curve| places(&clouds[reference], curve));
        Ok(Self {
            contacts: contacts::matched(&stances, &curves, &legs, reference),
            places: places.collect(),
            skeleton: Arc::clone(skeleton),
            mended: motions.iter().map(without_flips).collect(),
            motions,
            legs,
            reference,
            curves,
            pairs,
            largest_jumps: OnceLock::new(),
        })
    }

    /// Motions whose curves are known, the first being the reference.
    pub(super) fn of_curves(
        skeleton: &Arc<Skeleton>,
        legs: &[LegChain],
        motions: &[&PreparedMotion],
        curves: Vec<Curve>,
    ) -> Self {
        let stances: Vec<LegStances> = motions.iter().map(|it| it.stances.clone()).collect();
        let reference = &motions[0].cloud;
        Self {
            contacts: contacts::matched(&stances, &curves, legs, 0),
            places: curves
                .iter()
                .map(|curve| places(reference, curve))
                .collect(),
            skeleton: Arc::clone(skeleton),
            mended: motions.iter().map(|it| Arc::clone(&it.mended)).collect(),
            motions: motions.iter().map(|it| Arc::clone(&it.clip)).collect(),
            legs: legs.to_vec(),
            reference: 0,
            curves,
            pairs: Vec::new(),
            largest_jumps: OnceLock::new(),
        }
    }

    /// What moves.
    #[must_use]
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// The motions as they were given.
    #[must_use]
    pub fn motions(&self) -> &[Arc<RawClip>] {
        &self.motions
    }

    /// The motion that all follow.
    #[must_use]
    pub fn reference(&self) -> usize {
        self.reference
    }

    /// How each motion follows the reference, all over the same span; that of
    /// the reference is the identity.
    #[must_use]
    pub fn curves(&self) -> &[Curve] {
        &self.curves
    }

    /// Seconds of the reference that are registered.
    #[must_use]
    pub fn range_secs(&self) -> [f64; 2] {
        self.curves[self.reference].range_secs()
    }

    /// The moments of all motions that belong to a moment of the reference.
    #[must_use]
    pub fn times_at(&self, reference_secs: f64) -> Vec<f64> {
        let time = |curve: &Curve| curve.time_at(reference_secs);
        self.curves.iter().map(time).collect()
    }

    /// Where each motion has to be put to lie on the first at a moment of the
    /// reference.
    #[must_use]
    pub fn alignments_at(&self, reference_secs: f64) -> Vec<Planar> {
        let place = |curve: &Curve| curve.alignment_at(reference_secs);
        let first_from_reference = place(&self.curves[0]).inverse();
        let onto_first = |curve: &Curve| first_from_reference.then(place(curve));
        self.curves.iter().map(onto_first).collect()
    }

    /// Stances of all motions, the matched ones together.
    #[must_use]
    pub fn contacts(&self) -> &[MatchedContact] {
        &self.contacts
    }

    /// The pairs that were registered: grid, path and curve of each.
    #[must_use]
    pub fn pairs(&self) -> &[([usize; 2], Pair)] {
        &self.pairs
    }

    /// For each joint the largest change of its speed from frame to frame in any
    /// of the motions, metres a second.
    pub(super) fn largest_jumps(&self) -> &[f32] {
        self.largest_jumps.get_or_init(|| {
            let of = |clip: &Arc<RawClip>| largest_jumps(&self.skeleton, &**clip);
            let all: Vec<Vec<f32>> = self.motions.par_iter().map(of).collect();
            let largest = |joint: usize| all.iter().map(|it| it[joint]).fold(0.0, f32::max);
            (0..self.skeleton.len()).map(largest).collect()
        })
    }

    /// Mean distance of registered points, metres.
    #[must_use]
    pub fn cost_m(&self) -> f64 {
        let others = (0..self.curves.len()).filter(|&motion| motion != self.reference);
        let costs: Vec<f64> = others.map(|i| self.curves[i].mean_distance_m()).collect();
        costs.iter().sum::<f64>() / costs.len().max(1) as f64
    }
}

fn check(skeleton: &Skeleton, motions: &[Arc<RawClip>]) -> Result<(), RegisterError> {
    if motions.len() < 2 {
        return Err(RegisterError::TooFew(motions.len()));
    }
    for (motion, clip) in motions.iter().enumerate() {
        let frames = clip.frames();
        if frames < LEAST_FRAMES {
            return Err(RegisterError::TooShort { motion, frames });
        }
        if !clip.fits(skeleton) {
            let joints = [clip.joints, skeleton.len()];
            return Err(RegisterError::OtherSkeleton { motion, joints });
        }
    }
    Ok(())
}

/// The common place at every sample of a curve.
fn places(reference: &Cloud, curve: &Curve) -> Vec<Planar> {
    let start = curve.range_secs()[0];
    let place = |(k, alignment): (usize, &Planar)| {
        let secs = start + k as f64 * curve.step_secs();
        let centre = Planar {
            position: reference.centre(secs),
            heading: 0.0,
        };
        alignment.inverse().then(centre)
    };
    curve.alignments().iter().enumerate().map(place).collect()
}

/// The reference, and every motion's curve from it, cut to what all share.
fn chains(
    pairs: &[([usize; 2], Pair)],
    motions: &[Arc<RawClip>],
    pins: &[Pin],
) -> Option<(usize, Vec<Curve>)> {
    let count = motions.len();
    let (cost, next) = cheapest_chains(pairs, count, pins);
    let all = |i: usize| (0..count).map(|j| cost[i][j]).sum::<f64>();
    let reference = match count {
        2 => 0,
        _ => (0..count).min_by(|&a, &b| all(a).total_cmp(&all(b)))?,
    };
    if !all(reference).is_finite() {
        return None;
    }
    let curve = |to: usize| chain(pairs, motions, &next, [reference, to]);
    let others = (0..count).map(|to| (to != reference).then(|| curve(to)));
    // A curve that should be there and is not ends it all.
    let curves: Option<Vec<Option<Curve>>> = others
        .map(|curve| match curve {
            Some(curve) => curve.map(Some),
            None => Some(None),
        })
        .collect();
    cut_to_common(curves?).map(|curves| (reference, curves))
}

/// Costs of the cheapest chains of registrations between all motions, and the
/// first step of each. (Floyd and Warshall.)
fn cheapest_chains(
    pairs: &[([usize; 2], Pair)],
    count: usize,
    pins: &[Pin],
) -> (Vec<Vec<f64>>, Vec<Vec<usize>>) {
    let mut cost = vec![vec![f64::INFINITY; count]; count];
    let mut next: Vec<Vec<usize>> = (0..count).map(|_| (0..count).collect()).collect();
    for (i, row) in cost.iter_mut().enumerate() {
        row[i] = 0.0;
    }
    for ([i, j], pair) in pairs {
        let is_pinned = pins.iter().any(|pin| pin.of == [*i, *j]);
        let share = if is_pinned { PINNED_COST } else { 1.0 };
        let own = pair.curve.mean_distance_m() * share;
        (cost[*i][*j], cost[*j][*i]) = (own, own);
    }
    for over in 0..count {
        for i in 0..count {
            for j in 0..count {
                let sum = cost[i][over] + cost[over][j];
                if sum < cost[i][j] {
                    cost[i][j] = sum;
                    next[i][j] = next[i][over];
                }
            }
        }
    }
    (cost, next)
}

fn chain(
    pairs: &[([usize; 2], Pair)],
    motions: &[Arc<RawClip>],
    next: &[Vec<usize>],
    [from, to]: [usize; 2],
) -> Option<Curve> {
    let direct = |from: usize, to: usize| {
        let (of, pair) = pairs
            .iter()
            .find(|(of, _)| *of == [from.min(to), from.max(to)])?;
        match of[0] == from {
            true => Some(pair.curve.clone()),
            false => pair.curve.inverse(1.0 / motions[from].fps),
        }
    };
    let mut at = next[from][to];
    let mut curve = direct(from, at)?;
    while at != to {
        let after = next[at][to];
        curve = curve.then(&direct(at, after)?)?;
        at = after;
    }
    Some(curve)
}

/// All curves over the span that they share; the reference's, which is `None`
/// before, is the identity.
fn cut_to_common(curves: Vec<Option<Curve>>) -> Option<Vec<Curve>> {
    let known = || curves.iter().flatten();
    let low = known().map(|it| it.range_secs()[0]).fold(0.0, f64::max);
    let high = known()
        .map(|it| it.range_secs()[1])
        .fold(f64::INFINITY, f64::min);
    let step = known().map(Curve::step_secs).next()?;
    let samples = ((high - low) / step + 1e-6).floor();
    if samples < 1.0 {
        return None;
    }
    let samples = samples as usize + 1;
    let cut = |curve: Option<Curve>| match curve {
        Some(curve) => curve.resampled(low, step, samples),
        None => Curve::identity(low, step, samples),
    };
    Some(curves.into_iter().map(cut).collect())
}
