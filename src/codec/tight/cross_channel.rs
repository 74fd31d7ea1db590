//! Predicting a channel from others of the same frame.
//!
//! A marker that slips moves several joints at once: what the prediction from
//! other frames misses in the spine it misses, with opposite sign, in the
//! neck. Each channel may therefore add a few fixed multiples of what other
//! channels before it turned out to miss. The multiples are fitted to the clip
//! by least squares and stored when they save more than they cost.

use fearless_simd::{Simd, SimdBase};

use super::{
    block::Corrections,
    frame_order::{self, BLOCK, LEVELS, Neighbours},
    grid::Grid,
};
use crate::codec::lanes::LANES;

/// Gains are stored in parts of this, relative to the two channels' steps: how
/// many of its own steps a channel moves when the other moves by 16 of its own.
const GAIN_SCALE: f32 = 16.0;
/// Largest stored gain.
pub(super) const MAX_GAIN: i32 = 127;
/// Most channels that one is predicted from.
pub(super) const MAX_SOURCES: usize = 8;

/// For every coded channel the channels it is predicted from, all before it,
/// and by which multiple.
pub(super) type Links = Vec<Vec<(usize, i32)>>;

/// Links made ready for use.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CrossPredictor {
    /// Where the links of each channel begin, and where the last end.
    starts: Vec<u32>,
    links: Vec<Link>,
    /// Channels that have any.
    linked: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Link {
    source: u32,
    gain: f32,
}

impl CrossPredictor {
    /// Links whose gains refer to the grid's steps.
    pub fn new(links: &Links, grid: &Grid) -> Self {
        let steps = grid.steps();
        let mut cross_predictor = Self {
            starts: vec![0],
            links: Vec::new(),
            linked: Vec::new(),
        };
        for (at, sources) in links.iter().enumerate() {
            let links = sources.iter().map(|&(source, gain)| Link {
                source: source as u32,
                // Steps of all levels grow alike, so the ratio at the knots is
                // good for every level.
                gain: gain as f32 / GAIN_SCALE * (steps[at] / steps[source]),
            });
            cross_predictor.links.extend(links);
            if !sources.is_empty() {
                cross_predictor.linked.push(at as u32);
            }
            cross_predictor
                .starts
                .push(cross_predictor.links.len() as u32);
        }
        cross_predictor
    }

    /// Correction of channel `at`'s prediction: its `own`, and what those of the
    /// channels before it say of it.
    #[inline]
    pub fn correction(&self, at: usize, own: f32, corrections: &[f32]) -> f32 {
        let links = &self.links[self.starts[at] as usize..self.starts[at + 1] as usize];
        links.iter().fold(own, |sum, link| {
            sum + corrections[link.source as usize] * link.gain
        })
    }

    /// The same for all channels of a row at once.
    pub fn apply_to_row(&self, corrections: &mut [f32]) {
        for &at in &self.linked {
            let at = at as usize;
            corrections[at] = self.correction(at, corrections[at], corrections);
        }
    }

    /// The same for all rows of a block at once.
    #[inline(always)]
    pub fn apply_to_block<S: Simd>(&self, simd: S, corrections: &mut [Corrections]) {
        for &at in &self.linked {
            let at = at as usize;
            // Channels ascend and sources come before them, so what is read
            // here is final.
            let mut sums = corrections[at];
            let links = &self.links[self.starts[at] as usize..self.starts[at + 1] as usize];
            for link in links {
                let sources = corrections[link.source as usize].as_chunks::<LANES>().0;
                for (sum, source) in sums.as_chunks_mut::<LANES>().0.iter_mut().zip(sources) {
                    let more = simd.load_array_ref_f32x8(source) * link.gain;
                    (simd.load_array_ref_f32x8(sum) + more).store_slice(sum);
                }
            }
            corrections[at] = sums;
        }
    }

    /// How all channels change with each: row k holds the changes of channels
    /// when channel k's own residual changes by one unit of its value.
    pub fn effects(&self, width: usize) -> Vec<f32> {
        let mut effects = vec![0.0; width * width];
        for (k, row) in effects.chunks_exact_mut(width.max(1)).enumerate() {
            row[k] = 1.0;
            // Later channels follow directly or through one another: forward
            // substitution.
            for at in k + 1..width {
                row[at] = self.correction(at, 0.0, row);
            }
        }
        effects
    }
}

/// Second moments of what predictions miss, in steps, of one level.
struct Moments {
    count: f64,
    /// Lower triangle, row after row of full width.
    sums: Vec<f64>,
}

/// Bits a channel's residuals of variance `v` (in steps) take, roughly.
fn bits_of_variance(v: f64) -> f64 {
    // Shannon's rate of a Gaussian, ½·log₂(v / D), at the distortion D = 1/12
    // of rounding to whole steps; the 1 ends it at nothing instead of below.
    0.5 * (1.0 + 12.0 * v).log2()
}

/// Variance of a rounding error in squared steps, a little above 1/12 because
/// small residuals are rounded to nothing.
const ROUNDING_VARIANCE: f64 = 0.1;
/// What predictions from other frames, which err too, add to that: one, and the
/// sum of the squares of Catmull-Rom's weights, 2 · (9/16)² + 2 · (1/16)² = 0.64.
const PREDICTION_NOISE: f64 = 1.64;

/// Covariances, in squared steps, of what rounding adds to the misses of
/// channels when each undoes its ancestors' errors: with `ratios` (lower
/// triangle, in steps) e = own − ratios·e, so e = (1 + ratios)⁻¹·own.
pub(super) fn rounding_noise(ratios: &[f64], width: usize) -> Vec<f64> {
    // (1 + ratios)⁻¹, a unit lower triangle, row by row by forward
    // substitution.
    let mut inverse = vec![0.0; width * width];
    for at in 0..width {
        inverse[at * width + at] = 1.0;
        for other in 0..at {
            let ratio = ratios[at * width + other];
            if ratio != 0.0 {
                for k in 0..=other {
                    inverse[at * width + k] -= ratio * inverse[other * width + k];
                }
            }
        }
    }
    let mut noise = vec![0.0; width * width];
    for a in 0..width {
        for b in 0..=a {
            // Own errors are independent and of one size: the covariance of e
            // is the inverse times its transpose.
            let dot: f64 = (0..=b)
                .map(|k| inverse[a * width + k] * inverse[b * width + k])
                .sum();
            noise[a * width + b] = dot * ROUNDING_VARIANCE * PREDICTION_NOISE;
            noise[b * width + a] = noise[a * width + b];
        }
    }
    noise
}

/// Variance, in squared steps, at which half of a channel's residuals vanish.
const QUIET_VARIANCE: f64 = 0.3;

/// Bits it takes to store one link: which of some sixty channels, and a gain of
/// about as many bits; the rest is for a longer count.
const LINK_BITS: f64 = 13.0;

/// Fits links to a clip: `values` holds `frames` rows of coded channels.
pub(super) fn fit(values: &[f32], frames: usize, grid: &Grid, noise: Vec<f64>) -> Links {
    let width = grid.width();
    if width == 0 {
        return Links::new();
    }
    let moments = measure(values, frames, grid);
    let fit = Fit {
        width,
        moments,
        noise,
    };
    (0..width).map(|at| fit.sources(at)).collect()
}

fn measure(values: &[f32], frames: usize, grid: &Grid) -> Vec<Moments> {
    let width = grid.width();
    let steps = grid.steps();
    let mut moments: Vec<Moments> = (0..=LEVELS)
        .map(|_| Moments {
            count: 0.0,
            sums: vec![0.0; width * width],
        })
        .collect();
    let row = |frame: usize| &values[frame * width..(frame + 1) * width];
    let mut errors = vec![0.0; width];
    let mut add = |level: usize, frame: usize, predicted: &[f32]| {
        let steps = &steps[level * width..(level + 1) * width];
        for (at, errors) in errors.iter_mut().enumerate() {
            *errors = f64::from((row(frame)[at] - predicted[at]) / steps[at]);
        }
        moments[level].add(&errors);
    };
    let mut predicted = vec![0.0; width];
    // Whole blocks only, predicted from the source: what the decoder will
    // predict from differs by the noise, which is added later.
    for block in 0..frames.saturating_sub(1) / BLOCK {
        let first = block * BLOCK;
        if block > 0 {
            frame_order::predict_knot(Some(row(first - BLOCK)), Some(row(first)), &mut predicted);
            // Level 0 stands for the knots.
            add(0, first + BLOCK, &predicted);
        }
        let neighbours = Neighbours {
            before: block.checked_sub(1).map(|before| row(before * BLOCK)),
            after: (first + 2 * BLOCK < frames).then(|| row(first + 2 * BLOCK)),
        };
        let rows = &values[first * width..(first + BLOCK + 1) * width];
        for (level, at) in frame_order::order() {
            frame_order::predict(rows, neighbours, (level, at), &mut predicted);
            add(level, first + at, &predicted);
        }
    }
    moments
}

impl Moments {
    fn add(&mut self, errors: &[f64]) {
        // No mean is taken off: a prediction that is off to one side has to be
        // paid for as well.
        self.count += 1.0;
        let width = errors.len();
        for (at, row) in self.sums.chunks_exact_mut(width).enumerate() {
            let scaled = errors[at];
            for (sum, other) in row[..=at].iter_mut().zip(errors) {
                *sum += scaled * other;
            }
        }
    }
}

struct Fit {
    width: usize,
    moments: Vec<Moments>,
    /// What rounding adds to the moments: full matrix, in squared steps.
    noise: Vec<f64>,
}

impl Fit {
    /// Mean product of two channels' misses at a level, rounding included.
    fn moment(&self, level: usize, a: usize, b: usize) -> f64 {
        let moments = &self.moments[level];
        let sum = moments.sums[a.max(b) * self.width + a.min(b)];
        sum / moments.count.max(1.0)
            + self.noise[a * self.width + b] * self.activity(level, a) * self.activity(level, b)
    }

    /// How much of a level's residuals is coded at all: where a channel misses
    /// much less than a step nothing is rounded, and no noise arises.
    fn activity(&self, level: usize, at: usize) -> f64 {
        let moments = &self.moments[level];
        let variance = moments.sums[at * self.width + at] / moments.count.max(1.0);
        (variance / (variance + QUIET_VARIANCE)).sqrt()
    }

    /// The same summed over levels, each weighed by how many bits a change of
    /// `target`'s variance is worth there.
    fn pooled(&self, target: usize, a: usize, b: usize) -> f64 {
        // The derivative of ½·log v is 1 / 2v: a change of variance counts for
        // the more the less there is.
        let levels = 0..self.moments.len();
        levels
            .map(|l| self.moments[l].count / self.moment(l, target, target) * self.moment(l, a, b))
            .sum()
    }

    /// Bits that `target` takes when predicted over `links`.
    fn bits(&self, target: usize, links: &[(usize, i32)]) -> f64 {
        let factor = |gain: i32| f64::from(gain) / f64::from(GAIN_SCALE);
        let bits = (0..self.moments.len()).map(|level| {
            // Of target − Σ gain·source, multiplied out.
            let mut variance = self.moment(level, target, target);
            for &(a, gain) in links {
                variance -= 2.0 * factor(gain) * self.moment(level, target, a);
                for &(b, other) in links {
                    variance += factor(gain) * factor(other) * self.moment(level, a, b);
                }
            }
            self.moments[level].count * bits_of_variance(variance.max(0.0))
        });
        bits.sum()
    }

    /// Adds the source that saves most until none pays for itself.
    fn sources(&self, target: usize) -> Vec<(usize, i32)> {
        let mut links = Vec::new();
        let mut bits = self.bits(target, &links);
        while links.len() < MAX_SOURCES {
            // Greedy forward selection; gains are solved anew with each
            // source.
            match self.one_more(target, &links) {
                Some((less, more)) if less + LINK_BITS < bits => (bits, links) = (less, more),
                _ => break,
            }
        }
        links.retain(|&(_, gain)| gain != 0);
        links.sort_unstable();
        links
    }

    /// The best way to add one source to `links`, and the bits then taken.
    fn one_more(&self, target: usize, links: &[(usize, i32)]) -> Option<(f64, Vec<(usize, i32)>)> {
        let chosen: Vec<usize> = links.iter().map(|&(source, _)| source).collect();
        let others = (0..target).filter(|other| !chosen.contains(other));
        let tried = others.map(|other| {
            let mut sources = chosen.clone();
            sources.push(other);
            let links = self.gains(target, &sources);
            (self.bits(target, &links), links)
        });
        tried.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Least-squares gains for given sources.
    fn gains(&self, target: usize, sources: &[usize]) -> Vec<(usize, i32)> {
        let count = sources.len();
        let mut matrix = [[0.0; MAX_SOURCES + 1]; MAX_SOURCES];
        for (i, &a) in sources.iter().enumerate() {
            for (j, &b) in sources.iter().enumerate() {
                matrix[i][j] = self.pooled(target, a, b);
            }
            matrix[i][count] = self.pooled(target, target, a);
        }
        let solution = solve(&mut matrix, count);
        let stored = solution.map(|gain| (gain * f64::from(GAIN_SCALE)).round() as i32);
        let stored = stored.map(|gain| gain.clamp(-MAX_GAIN, MAX_GAIN));
        sources.iter().copied().zip(stored).collect()
    }
}

/// Gaussian elimination of a positive definite system; the right side is the
/// column after the matrix.
fn solve(matrix: &mut [[f64; MAX_SOURCES + 1]; MAX_SOURCES], count: usize) -> [f64; MAX_SOURCES] {
    for pivot in 0..count {
        let row = matrix[pivot];
        for lower in &mut matrix[pivot + 1..count] {
            // Positive definite, so no rows need exchanging; the floor is for
            // a channel that misses nothing at all.
            let factor = lower[pivot] / row[pivot].max(1e-30);
            for (value, above) in lower[..=count].iter_mut().zip(row) {
                *value -= factor * above;
            }
        }
    }
    let mut solution = [0.0; MAX_SOURCES];
    for pivot in (0..count).rev() {
        let known: f64 = (pivot + 1..count)
            .map(|at| matrix[pivot][at] * solution[at])
            .sum();
        solution[pivot] = (matrix[pivot][count] - known) / matrix[pivot][pivot].max(1e-30);
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn a_channel_that_follows_two_others_is_linked_to_them() {
        // Noise in 0 and 1; 2 is 1.5 times the one less half the other.
        let frames = 20 * BLOCK + 1;
        let mut random = Random::new(1);
        let mut noise = || random.between(-0.5, 0.5);
        let rows = (0..frames).flat_map(|_| {
            let (a, b) = (noise(), noise());
            [a, b, 1.5 * a - 0.5 * b]
        });
        let values: Vec<f32> = rows.collect();
        let grid = Grid {
            scale: 0.001,
            exponents: vec![0; 3],
            growth: 0,
            start: 0,
            decay: 0,
        };
        let links = fit(&values, frames, &grid, rounding_noise(&[0.0; 9], 3));
        assert_eq!(links, [vec![], vec![], vec![(0, 24), (1, -8)]]);
        let cross_predictor = CrossPredictor::new(&links, &grid);
        let found = cross_predictor.correction(2, 0.0, &[2.0, 1.0, 0.0]);
        assert_close!(found, 2.5, 1e-6);
        assert_eq!(
            cross_predictor.effects(3),
            [1.0, 0.0, 1.5, 0.0, 1.0, -0.5, 0.0, 0.0, 1.0]
        );
    }

    #[test]
    fn errors_that_are_undone_below_make_noise_below() {
        // e₁ = own₁ − 2·e₀: variances 1 and 5, covariance −2.
        let noise = rounding_noise(&[0.0, 0.0, 2.0, 0.0], 2);
        let unit = ROUNDING_VARIANCE * PREDICTION_NOISE;
        for (found, expected) in noise.iter().zip([1.0, -2.0, -2.0, 5.0]) {
            assert_close!(*found, expected * unit, 1e-12, "{noise:?}");
        }
    }
}
