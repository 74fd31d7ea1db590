//! Key values by weighted least squares: they may leave the data where that
//! saves keys.
//!
//! A Catmull-Rom curve depends linearly on its keys, and each key touches four
//! segments only. Moving a few neighbours at once is thus a tiny linear
//! system, the same for all four components of a value.

use glam::Vec4;

use super::{knots::Knots, tolerance::Tolerance};

/// Keys moved at once: two on either side of the one removed, the ends of the
/// three segments that its removal changes most.
const MOST: usize = 4;
/// Fits before giving up; each weighs frames more that the last one missed.
const ROUNDS: usize = 2;
/// Far beyond the limit a second round is wasted.
const HOPELESS: f32 = 3.0;

/// Memory that outlives a single removal.
pub(super) struct RefitScratch {
    /// Weight of each frame in the fit.
    weights: Vec<f32>,
    /// The limit at which a key's removal last failed; 0 when the keys around
    /// it have changed since.
    refused: Vec<f32>,
}

impl RefitScratch {
    pub fn new(frames: usize) -> Self {
        Self {
            weights: vec![1.0; frames],
            refused: vec![0.0; frames],
        }
    }
}

/// The neighbours of a removed key that may move, and their values before.
struct MovedKeys {
    keys: [usize; MOST],
    values: [Vec4; MOST],
    count: usize,
}

impl MovedKeys {
    /// Of a key already taken out of the list.
    fn around(knots: &Knots, removed: usize) -> Self {
        let (before, after) = (knots.before(removed), knots.after(removed));
        let near = [knots.before(before), before, after, knots.after(after)];
        let mut moved = Self {
            keys: near,
            values: [Vec4::ZERO; MOST],
            count: 0,
        };
        for key in near {
            // At the ends a key is its own neighbour.
            if moved.count == 0 || moved.keys[moved.count - 1] != key {
                moved.keys[moved.count] = key;
                moved.values[moved.count] = knots.value(key);
                moved.count += 1;
            }
        }
        moved
    }

    fn keys(&self) -> &[usize] {
        &self.keys[..self.count]
    }

    /// First and last key of the segments that a move changes.
    fn span(&self, knots: &Knots) -> (usize, usize) {
        let (first, last) = (self.keys[0], self.keys[self.count - 1]);
        // A key shapes two segments to either side.
        let begin = knots.before(knots.before(first));
        (begin, knots.after(knots.after(last)))
    }
}

/// Removes a key if its neighbours can be moved so that all frames stay within
/// `limit`; otherwise leaves everything as it was.
pub(super) fn try_remove(
    knots: &mut Knots,
    key: usize,
    target: &[Vec4],
    tolerance: &impl Tolerance,
    limit: f32,
    scratch: &mut RefitScratch,
) -> bool {
    // Nothing near it has changed since it failed by more than this.
    if scratch.refused[key] > limit {
        return false;
    }
    knots.unlink(key);
    let moved = MovedKeys::around(knots, key);
    let span = moved.span(knots);
    // Plain least squares first.
    scratch.weights[span.0..=span.1].fill(1.0);
    let mut least = f32::INFINITY;
    for _ in 0..ROUNDS {
        fit_values(knots, moved.keys(), span, target, &scratch.weights);
        let worst = weigh(knots, span, tolerance, &mut scratch.weights);
        if worst <= limit {
            let near = (knots.before(span.0), knots.after(span.1));
            scratch.refused[near.0..=near.1].fill(0.0);
            return true;
        }
        least = least.min(worst);
        if worst > HOPELESS * limit {
            break;
        }
    }
    for (&key, &value) in moved.keys().iter().zip(&moved.values) {
        knots.restore(key, value);
    }
    knots.relink(key);
    scratch.refused[key] = least;
    false
}

/// Largest ratio over a span; multiplies each frame's weight by its own.
fn weigh(
    knots: &Knots,
    span: (usize, usize),
    tolerance: &impl Tolerance,
    weights: &mut [f32],
) -> f32 {
    let mut worst = 0f32;
    if span.0 == 0 {
        worst = tolerance.error_ratio(0, knots.shown(knots.value(0)));
    }
    let mut start = span.0;
    while start != span.1 {
        knots.visit_segment(start, |frame, shown| {
            let ratio = tolerance.error_ratio(frame, shown);
            // Lawson's algorithm: weights times errors, again and again, lead
            // from least squares to the least maximum. The floor keeps good
            // frames in.
            weights[frame] *= ratio.max(0.1);
            worst = worst.max(ratio);
            true
        });
        start = knots.after(start);
    }
    worst
}

/// Moves the keys of `free`, which are neighbours, to where the curve over
/// `span` is nearest to the target.
fn fit_values(
    knots: &mut Knots,
    free: &[usize],
    span: (usize, usize),
    target: &[Vec4],
    weights: &[f32],
) {
    let mut system = NormalEquations::default();
    if free[0] == 0 {
        let mut row = [0.0; MOST];
        row[0] = 1.0;
        system.add(&row, target[0], weights[0]);
    }
    let mut start = span.0;
    while start != span.1 {
        let stencil = knots.stencil(start);
        let end = stencil[2];
        let tangents = Knots::tangents(stencil);
        // Which of the segment's four keys are unknowns; the others go to the
        // right side.
        let columns = stencil.map(|key| free.iter().position(|&free| free == key));
        let per_frame = 1.0 / (end - start) as f32;
        for frame in start + 1..=end {
            // The curve is linear in its keys. For rotations the length is
            // left out, as it is near 1 between near keys.
            let of_keys = tangents.weights((frame - start) as f32 * per_frame);
            let mut rest = target[frame];
            let mut row = [0.0; MOST];
            for ((column, key), weight) in columns.iter().zip(stencil).zip(of_keys) {
                match column {
                    Some(column) => row[*column] += weight,
                    None => rest -= knots.value(key) * weight,
                }
            }
            system.add(&row, rest, weights[frame]);
        }
        start = end;
    }
    if let Some(solution) = system.solve(free.len()) {
        for (&key, value) in free.iter().zip(solution) {
            knots.set(key, value);
        }
    }
}

/// Normal equations of at most [`MOST`] unknown values.
#[derive(Default)]
struct NormalEquations {
    /// Lower triangle.
    normal: [[f32; MOST]; MOST],
    right: [Vec4; MOST],
}

impl NormalEquations {
    #[inline]
    fn add(&mut self, row: &[f32; MOST], value: Vec4, weight: f32) {
        for i in 0..MOST {
            // AᵀWA and AᵀWb, row by row; four unknowns keep it in registers.
            let weighted = row[i] * weight;
            self.right[i] += value * weighted;
            for (sum, other) in self.normal[i].iter_mut().zip(row).take(i + 1) {
                *sum += weighted * other;
            }
        }
    }

    /// By Cholesky's decomposition; `None` when the unknowns are not
    /// determined.
    fn solve(mut self, count: usize) -> Option<[Vec4; MOST]> {
        let (l, x) = (&mut self.normal, &mut self.right);
        for i in 0..count {
            for j in 0..=i {
                let sum = l[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f32>();
                if i != j {
                    l[i][j] = sum / l[j][j];
                } else if sum > 1e-12 {
                    l[i][i] = sum.sqrt();
                } else {
                    // A key that no frame depends on has no best value.
                    return None;
                }
            }
        }
        for i in 0..count {
            for k in 0..i {
                x[i] -= x[k] * l[i][k];
            }
            x[i] /= l[i][i];
        }
        for i in (0..count).rev() {
            for k in i + 1..count {
                x[i] -= x[k] * l[k][i];
            }
            x[i] /= l[i][i];
        }
        Some(self.right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_finds_the_values_its_rows_were_made_from() {
        let truth = [
            Vec4::new(1.0, -2.0, 0.5, 3.0),
            Vec4::new(0.1, 0.2, 0.3, 0.4),
            Vec4::ONE,
            -Vec4::X,
        ];
        let mut random = crate::testing::Random::new(1);
        let mut system = NormalEquations::default();
        for _ in 0..20 {
            let row = [(); MOST].map(|()| random.between(-1.0, 1.0));
            let value = row.iter().zip(truth).map(|(w, v)| v * *w).sum();
            system.add(&row, value, random.between(0.5, 2.0));
        }
        let found = system.solve(MOST).unwrap();
        for (found, truth) in found.iter().zip(truth) {
            assert_close!(*found, truth, 1e-4, "{found} is not {truth}");
        }
        assert!(
            NormalEquations::default().solve(1).is_none(),
            "nothing known"
        );
    }
}
