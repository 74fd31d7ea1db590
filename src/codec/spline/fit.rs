//! Chooses the keys of one track.

use glam::Vec4;

use super::{
    Density,
    knots::Knots,
    refit::{RefitScratch, try_remove},
    tolerance::Tolerance,
};
use crate::codec::keys::{TrackKeys, TrackKind, VectorBox, source::SourceTrack};

/// Limits of the first passes, which leave key values alone. Rising limits
/// take the most useless keys first.
const PLAIN_LIMITS: [f32; 3] = [0.25, 0.5, 0.75];
/// Limits of the passes that move neighbours; the last repeats while
/// it removes something, four times at most. They start below the last plain one:
/// with neighbours that move, more keys pass at the same limit.
const REFIT_LIMITS: [f32; 8] = [0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 1.0];

/// What a track should be.
pub(super) struct TrackTarget<'a> {
    /// What it is in the source.
    pub track: &'a SourceTrack,
    /// Best value of each frame.
    pub values: &'a [Vec4],
    /// An error that would use up what is left of the tolerance: radians of a
    /// rotation, metres of all else.
    pub allowance: f32,
}

/// Finds the keys of one track.
pub(super) trait TrackFitter {
    /// What is stored of it.
    type Keys;
    /// Its keys, and what they show at every frame.
    fn fit(&self, target: &TrackTarget<'_>, tolerance: &impl Tolerance) -> (Self::Keys, Vec<Vec4>);
}

/// Keys of curves, as containers hold them.
pub(super) struct CurveFitter {
    pub density: Density,
    pub tolerance_m: f32,
}

impl TrackFitter for CurveFitter {
    type Keys = TrackKeys;

    fn fit(&self, target: &TrackTarget<'_>, tolerance: &impl Tolerance) -> (TrackKeys, Vec<Vec4>) {
        let samples = &target.track.samples;
        let grid = match (target.track.kind, self.density) {
            (TrackKind::Rotation, _) => VectorBox::default(),
            // Keys may leave the data by what the least-squares fit wants, a few
            // tolerances.
            (_, Density::Sparse) => grid(samples, 4.0 * self.tolerance_m),
            // The figure promised must not depend on what was asked.
            (_, Density::EveryFrame) => grid(samples, 0.0),
        };
        let fit_target = FitTarget {
            kind: target.track.kind,
            grid,
            values: target.values,
            constant: samples[0],
        };
        let knots = fit(&fit_target, tolerance, self.density);
        (knots.to_keys(target.track), knots.curve())
    }
}

/// What a track should be, and what it may be stored as.
pub(super) struct FitTarget<'a> {
    pub kind: TrackKind,
    pub grid: VectorBox,
    /// Best value of each frame.
    pub values: &'a [Vec4],
    /// The value that would do for all frames, if one does.
    pub constant: Vec4,
}

/// As few keys as the tolerance allows.
pub(super) fn fit(target: &FitTarget<'_>, tolerance: &impl Tolerance, density: Density) -> Knots {
    let frames = target.values.len();
    let constant = Knots::constant(target.kind, target.grid, target.constant, frames);
    let shown = constant.shown(constant.value(0));
    // What a capture does not move, or hardly, takes one key.
    let enough = (0..frames).all(|frame| tolerance.error_ratio(frame, shown) <= 1.0);
    if frames == 1 || (enough && density == Density::Sparse) {
        return constant;
    }
    let mut knots = Knots::dense(target.kind, target.grid, target.values);
    if density == Density::EveryFrame {
        return knots;
    }
    for limit in PLAIN_LIMITS {
        thin(&mut knots, |knots, key| {
            remove_plainly(knots, key, tolerance, limit)
        });
    }
    let mut scratch = RefitScratch::new(frames);
    for limit in REFIT_LIMITS {
        let removed = thin(&mut knots, |knots, key| {
            try_remove(knots, key, target.values, tolerance, limit, &mut scratch)
        });
        // At a lower limit a pass without a removal says nothing of the next.
        if removed == 0 && limit == 1.0 {
            break;
        }
    }
    knots
}

/// One pass over the inner keys. The key after a removed one is passed over:
/// taking every second key harms less than taking neighbours.
fn thin(knots: &mut Knots, mut remove: impl FnMut(&mut Knots, usize) -> bool) -> usize {
    let mut removed = 0;
    let mut key = knots.after(0);
    while key != knots.last() {
        let next = knots.after(key);
        if remove(knots, key) {
            removed += 1;
            key = knots.after(next);
        } else {
            key = next;
        }
    }
    removed
}

fn remove_plainly(knots: &mut Knots, key: usize, tolerance: &impl Tolerance, limit: f32) -> bool {
    knots.unlink(key);
    let (before, after) = (knots.before(key), knots.after(key));
    // The gap, and one segment to either side whose tangent depends on the
    // removed key.
    let changed = [before, knots.before(before), after];
    let within = |&start: &usize| knots.segment_within(start, tolerance, limit);
    let fine = changed.iter().all(within);
    if !fine {
        knots.relink(key);
    }
    fine
}

/// The grid of a track, with room for keys to leave the data.
fn grid(samples: &[Vec4], margin_m: f32) -> VectorBox {
    let low = samples.iter().copied().fold(Vec4::INFINITY, Vec4::min);
    let high = samples.iter().copied().fold(Vec4::NEG_INFINITY, Vec4::max);
    if low == high {
        return VectorBox::around(&[low]);
    }
    let margin = Vec4::splat(margin_m);
    VectorBox::around(&[low - margin, high + margin])
}
