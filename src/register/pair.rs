//! Two motions registered: grid, path, and the curves through it.

use super::{
    RegisterError,
    alignment::{Alignment, PairSums},
    cloud::Cloud,
    curve::{Curve, MOST_SLOPE},
    grid::{DistanceGrid, HALF_WINDOW_SECS},
    moments::MomentPairs,
    path::{PathOptions, cheapest_path},
    smooth::{smoothed, stiffness},
};
use crate::clip::{Planar, unwrap_angle};

/// Two motions, the first being the reference, and how they correspond.
#[derive(Clone, Debug)]
pub struct Pair {
    /// All distances; a picture of it shows why the path is where it is.
    pub grid: DistanceGrid,
    /// Cells of the grid that the cheapest path visits.
    pub path: Vec<[usize; 2]>,
    /// Time warp and alignment of the second motion.
    pub curve: Curve,
}

/// Rates of the grid, the first that keeps it small enough.
const RATES_HZ: [f64; 3] = [60.0, 30.0, 15.0];
/// Cells of a grid: 64 MB.
pub(super) const MOST_CELLS: f64 = 16e6;
/// Moments around one that say where exactly it belongs, and how far they are
/// apart, seconds.
const MOMENTS: i32 = 2;
const MOMENT_SECS: f64 = 0.04;
/// Steps to either side by which a match is tried, seconds, coarse to fine.
const TRIES_SECS: [f64; 4] = [1.0 / 30.0, 1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0];
/// A warp swings no faster than this where points move at 1 m/s.
const WARP_HZ: f64 = 4.0;
/// An alignment likewise.
const YAW_HZ: f64 = 1.5;
/// Certainty of a turn, square metres, that counts as whole: people with arms
/// at their sides.
const YAW_SURE_M2: f64 = 0.02;
/// Moments to either side over which figures are laid on each other.
const ALIGN_MOMENTS: i32 = 4;

impl Pair {
    /// Registers two clouds of one skeleton.
    pub fn register(a: &Cloud, b: &Cloud, options: &PathOptions) -> Result<Self, RegisterError> {
        let rate_hz = grid_rate(a, b)?;
        let coarse = [a, b].map(|cloud| cloud.resampled(rate_hz));
        let grid = DistanceGrid::compute(&coarse[0], &coarse[1], HALF_WINDOW_SECS);
        let unlike = RegisterError::NoPath {
            secs: [a, b].map(Cloud::duration_secs),
        };
        let path = cheapest_path(&grid, options).ok_or_else(|| unlike.clone())?;
        let mut fit = Fit::along([a, b], &grid, &path).ok_or(unlike)?;
        for secs in TRIES_SECS {
            fit.refine(secs);
        }
        let curve = fit.into_curve();
        Ok(Self { grid, path, curve })
    }
}

fn grid_rate(a: &Cloud, b: &Cloud) -> Result<f64, RegisterError> {
    let secs = [a, b].map(Cloud::duration_secs);
    // Never finer than both motions are.
    let most_hz = a.rate_hz().max(b.rate_hz());
    let cells = |rate: f64| secs.iter().map(|secs| secs * rate + 1.0).product::<f64>();
    let rates = RATES_HZ.map(|rate| rate.min(most_hz));
    let rate = rates.into_iter().find(|&rate| cells(rate) <= MOST_CELLS);
    rate.ok_or(RegisterError::TooLong { secs })
}

/// A warp under way: times of `b` at even steps of `a`.
struct Fit<'a> {
    pairs: MomentPairs<'a>,
    start_secs: f64,
    step_secs: f64,
    times: Vec<f64>,
}

impl<'a> Fit<'a> {
    fn along(clouds: [&'a Cloud; 2], grid: &DistanceGrid, path: &[[usize; 2]]) -> Option<Self> {
        let fps = clouds[0].rate_hz();
        // Frames of the reference, of very fast ones every second or third.
        let step_secs = (fps / 125.0).ceil() / fps;
        let knots: Vec<[f64; 2]> = path
            .iter()
            .map(|cell| cell.map(|index| index as f64 / grid.rate_hz))
            .collect();
        let (first, last) = (knots.first()?[0], knots.last()?[0]);
        let first = (first / step_secs - 1e-6).ceil() as usize;
        let last = (last / step_secs + 1e-6).floor() as usize;
        let mut after = 0;
        let time = |index: usize| {
            let secs = index as f64 * step_secs;
            while after < knots.len() && knots[after][0] < secs {
                after += 1;
            }
            let [from, to] =
                [after.saturating_sub(1), after.min(knots.len() - 1)].map(|k| knots[k]);
            let part = ((secs - from[0]) / (to[0] - from[0]).max(1e-9)).clamp(0.0, 1.0);
            from[1] + (to[1] - from[1]) * part
        };
        let times: Vec<f64> = (first..=last).map(time).collect();
        (times.len() >= 2).then(|| Self {
            pairs: MomentPairs::new(clouds),
            start_secs: first as f64 * step_secs,
            step_secs,
            times,
        })
    }

    fn secs(&self, k: usize) -> f64 {
        self.start_secs + k as f64 * self.step_secs
    }

    fn slope(&self, k: usize) -> f64 {
        // Over a few samples: the warp of the grid comes in steps.
        let reach = (MOMENT_SECS / self.step_secs).ceil() as usize;
        let low = k.saturating_sub(reach);
        let high = (k + reach).min(self.times.len() - 1);
        let slope = (self.times[high] - self.times[low]) / ((high - low) as f64 * self.step_secs);
        slope.clamp(1.0 / MOST_SLOPE, MOST_SLOPE)
    }

    /// Sums over the moments around a match shifted by `shift_secs`, of those
    /// that both motions have however it is shifted.
    fn sums(
        &mut self,
        k: usize,
        shift_secs: f64,
        room_secs: f64,
        moments: i32,
    ) -> Option<PairSums> {
        let slope = self.slope(k);
        let [a, b] = self.pairs.clouds();
        let inside = |cloud: &Cloud, secs: f64, room: f64| {
            secs >= room - 1e-9 && secs <= cloud.duration_secs() - room + 1e-9
        };
        let mut sums = PairSums::default();
        for moment in -moments..=moments {
            let offset = f64::from(moment) * MOMENT_SECS;
            let own = self.secs(k) + offset;
            let other = self.times[k] + slope * offset;
            if inside(a, own, 0.0) && inside(b, other, room_secs) {
                self.pairs.add(&mut sums, [own, other + shift_secs]);
            }
        }
        (sums.weight > 0.0).then_some(sums)
    }

    /// Moves every match to the bottom of the valley it is in, by a parabola
    /// through three tries, and smooths the whole: steep valleys, where much
    /// moves, are sure; flat ones follow their neighbours.
    fn refine(&mut self, try_secs: f64) {
        let count = self.times.len();
        let tries: Vec<(f64, f64)> = (0..count).map(|k| self.valley(k, try_secs)).collect();
        let wanted: Vec<f64> = self
            .times
            .iter()
            .zip(&tries)
            .map(|(time, it)| time + it.0)
            .collect();
        let sure: Vec<f64> = tries.iter().map(|it| it.1).collect();
        let stiff = stiffness(WARP_HZ, 1.0 / self.step_secs);
        self.times = smoothed(&wanted, &sure, stiff);
        let least = self.step_secs / MOST_SLOPE;
        for k in 1..self.times.len() {
            self.times[k] = self.times[k].max(self.times[k - 1] + least);
        }
    }

    /// Where the bottom is, and how steep the valley, in square metres a square
    /// second: the square of the speed.
    fn valley(&mut self, k: usize, try_secs: f64) -> (f64, f64) {
        let tries = [-1.0, 0.0, 1.0].map(|side| {
            let sums = self.sums(k, side * try_secs, try_secs, MOMENTS);
            sums.map(|sums| sums.square_m2())
        });
        let [Some(before), Some(here), Some(after)] = tries else {
            return (0.0, 0.0);
        };
        let bend = (before - 2.0 * here + after) / (try_secs * try_secs);
        if bend <= 1e-9 {
            return (0.0, 0.0);
        }
        let shift = (before - after) / (2.0 * try_secs * bend);
        (shift.clamp(-1.5 * try_secs, 1.5 * try_secs), bend / 2.0)
    }

    fn into_curve(mut self) -> Curve {
        self.keep_inside();
        let count = self.times.len();
        let matches = (0..count).map(|k| {
            // A match always has its own moment in both.
            let sums = self.sums(k, 0.0, 0.0, ALIGN_MOMENTS).unwrap_or_default();
            (sums.alignment(), sums.square_m2().sqrt() as f32)
        });
        let (places, distances): (Vec<Alignment>, Vec<f32>) = matches.unzip();
        let alignments = smooth_alignments(&places, 1.0 / self.step_secs);
        Curve::new(
            self.start_secs,
            self.step_secs,
            self.times,
            alignments,
            distances,
        )
    }

    /// Leaves out ends that lead beyond the second motion.
    fn keep_inside(&mut self) {
        let other = self.pairs.clouds()[1];
        let duration = other.duration_secs();
        let slack = 0.5 / other.rate_hz();
        let inside = |time: &f64| (-slack..=duration + slack).contains(time);
        let first = self.times.iter().position(inside).unwrap_or(0);
        let last = self.times.iter().rposition(inside).unwrap_or(0);
        self.times = self.times[first..=last].to_vec();
        self.times
            .iter_mut()
            .for_each(|time| *time = time.clamp(0.0, duration));
        self.start_secs += first as f64 * self.step_secs;
    }
}

/// Turns without jumps and without tremble; the middles of the figures, which
/// are means over a window and smooth of themselves, stay on each other.
fn smooth_alignments(places: &[Alignment], rate_hz: f64) -> Vec<Planar> {
    let mut yaws: Vec<f64> = Vec::with_capacity(places.len());
    for place in places {
        let before = yaws.last().copied().unwrap_or(0.0);
        yaws.push(unwrap_angle(place.yaw, before));
    }
    let sure: Vec<f64> = places.iter().map(|it| it.certainty / YAW_SURE_M2).collect();
    let yaws = smoothed(&yaws, &sure, stiffness(YAW_HZ, rate_hz));
    places
        .iter()
        .zip(yaws)
        .map(|(place, yaw)| place.with_yaw(yaw))
        .collect()
}
