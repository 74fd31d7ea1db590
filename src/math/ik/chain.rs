//! A chain of points whose first stays and whose last is brought to a target,
//! by a solver of one's choice. What all of them share is here: the ends of
//! the reach, where no iteration would get anywhere, and the bend that a chain
//! stretched along the line to its target needs before any of them can begin.

use glam::Vec3A;

use super::{arc, bend_side, ccd, damped_least_squares, fabrik, two_bone};

/// Near enough: a solver stops within this of the target, metres.
pub const REACHED_M: f32 = 1e-4;
/// Rounds after which a solver gives up. A chain that is all but stretched
/// needs many; 20 are usual.
pub const MOST_ROUNDS: u32 = 400;
/// Rounds after which a solver that is not there yet aims beyond the target.
const CRAWLING_ROUNDS: u32 = 16;
/// How far at most, as a share of the chain's length. FABRIK crawls where a chain
/// is all but folded too, and there far is too far.
const MOST_BEYOND: f32 = 0.25;
const MOST_BEYOND_FABRIK: f32 = 0.03;
/// A chain whose joints lie nearer to the line to its target, as a share of its
/// length, is bent that far first. A chain quite on the line would stay on it.
const LEAST_BEND: f32 = 0.02;

/// How a chain is brought to its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChainSolver {
    /// The law of cosines: exact, in one step, for two bones; a longer chain
    /// bends in its middle joint alone.
    #[default]
    TwoBone,
    /// Forward and backward reaching, point by point along the bones.
    Fabrik,
    /// Cyclic coordinate descent: joint after joint turns the end towards the
    /// target.
    Ccd,
    /// Damped least squares: all joints at once, down the slope of the error.
    DampedLeastSquares,
}

/// What a solver came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Rounds it took; 0 where a closed form gave the answer.
    pub rounds: u32,
    /// From the end to the target, metres.
    pub error_m: f32,
}

impl ChainSolver {
    /// In the order they are offered.
    pub const ALL: [Self; 4] = [
        Self::TwoBone,
        Self::Fabrik,
        Self::Ccd,
        Self::DampedLeastSquares,
    ];

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TwoBone => "two bones",
            Self::Fabrik => "FABRIK",
            Self::Ccd => "CCD",
            Self::DampedLeastSquares => "damped least squares",
        }
    }

    /// How it works, in a sentence.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::TwoBone => {
                "Law of cosines: the three sides of a triangle give its angles. Exact, in one step"
            }
            Self::Fabrik => {
                "Forward and backward reaching: points are drawn along the bones, from the target and from the root in turn"
            }
            Self::Ccd => {
                "Cyclic coordinate descent: from the end to the root every joint turns the end towards the target, again and again"
            }
            Self::DampedLeastSquares => {
                "Down the slope of the error: the Jacobian says what each joint does to the end, the damping keeps steps small where it says little"
            }
        }
    }

    /// Brings the last of `points` to `target`, or as near as the chain reaches,
    /// the first left where it is and all distances kept. `pole` is the side to
    /// which a chain bends that is stretched along the line to its target.
    /// `seen` is shown the chain before the first round and after every one.
    pub fn solve(
        self,
        points: &mut [Vec3A],
        (target, pole): (Vec3A, Vec3A),
        mut seen: impl FnMut(&[Vec3A]),
    ) -> Solved {
        seen(points);
        let (Some(&root), Some(&end)) = (points.first(), points.last()) else {
            return Solved {
                rounds: 0,
                error_m: 0.0,
            };
        };
        if !target.is_finite() || points.len() < 2 || end.distance(target) <= REACHED_M {
            return solved(points, target, 0);
        }
        let lengths: Vec<f32> = points.windows(2).map(|it| it[0].distance(it[1])).collect();
        if self == Self::TwoBone {
            bend_in_the_middle(points, target, pole);
            seen(points);
            return solved(points, target, 0);
        }
        if let Some(signs) = end_of_reach(&lengths, root.distance(target)) {
            lay_along_line(points, &lengths, (target, signs));
            seen(points);
            return solved(points, target, 0);
        }
        bend_off_the_line(points, &lengths, (target, pole));
        // Near the ends of the reach the first two get a little nearer with every
        // round, and crawl. Aimed beyond the target by what is still missing, round
        // after round, they get there.
        let most_beyond = match self {
            Self::Fabrik => MOST_BEYOND_FABRIK,
            _ => MOST_BEYOND,
        };
        let most_beyond_m = most_beyond * lengths.iter().sum::<f32>();
        let mut aim = target;
        for round in 1..=MOST_ROUNDS {
            if round > CRAWLING_ROUNDS {
                let missing = target - points[points.len() - 1];
                aim = (aim + missing - target).clamp_length_max(most_beyond_m) + target;
            }
            match self {
                Self::Fabrik => fabrik::round(points, &lengths, aim),
                Self::Ccd => ccd::round(points, aim),
                Self::DampedLeastSquares | Self::TwoBone => {
                    damped_least_squares::round(points, target, lengths.iter().sum());
                }
            }
            seen(points);
            if !points.iter().all(|it| it.is_finite()) {
                lay_along_line(points, &lengths, (target, None));
                return solved(points, target, round);
            }
            if points
                .last()
                .is_some_and(|it| it.distance(target) <= REACHED_M)
            {
                return solved(points, target, round);
            }
        }
        solved(points, target, MOST_ROUNDS)
    }
}

fn solved(points: &[Vec3A], target: Vec3A, rounds: u32) -> Solved {
    let error_m = points.last().map_or(0.0, |end| end.distance(target));
    Solved { rounds, error_m }
}

/// The closed form, with what lies before and after the middle joint stiff.
fn bend_in_the_middle(points: &mut [Vec3A], target: Vec3A, pole: Vec3A) {
    let last = points.len() - 1;
    let (root, end) = (points[0], points[last]);
    if last == 1 {
        points[1] = root + arc(end - root, target - root) * (end - root);
        return;
    }
    let middle = last / 2;
    let axis = (target - root).normalize_or(Vec3A::NEG_Y);
    let bend = points[middle] - root;
    let bend = bend - axis * axis.dot(bend);
    let lack_m = LEAST_BEND * end.distance(root) - bend.length();
    let side = bend + pole.normalize_or_zero() * lack_m.max(0.0);
    let turns = two_bone(root, points[middle], end, target, side);
    let old_middle = points[middle];
    for point in &mut points[1..=middle] {
        *point = root + turns.upper * (*point - root);
    }
    let new_middle = points[middle];
    for point in &mut points[middle + 1..] {
        *point = new_middle + turns.lower * (turns.upper * (*point - old_middle));
    }
}

/// Which bone must point against all others, where the target is too near for
/// anything but a folded chain (`Some(Some(longest))`); `Some(None)` where it is
/// too far for anything but a straight one; `None` where it is in reach.
fn end_of_reach(lengths: &[f32], distance_m: f32) -> Option<Option<usize>> {
    let reach_m: f32 = lengths.iter().sum();
    // Within the tolerance of the end the straight chain is the answer too;
    // iterations crawl there.
    if distance_m >= reach_m - 0.25 * REACHED_M {
        return Some(None);
    }
    let longest = (0..lengths.len()).max_by(|&a, &b| lengths[a].total_cmp(&lengths[b]))?;
    let least_m = 2.0 * lengths[longest] - reach_m;
    (least_m > 0.0 && distance_m <= least_m + 0.25 * REACHED_M).then_some(Some(longest))
}

/// Straight towards the target; with `folded`, all but that bone backwards.
fn lay_along_line(points: &mut [Vec3A], lengths: &[f32], (target, folded): (Vec3A, Option<usize>)) {
    let own = points[points.len() - 1] - points[0];
    let own = own.try_normalize().unwrap_or(Vec3A::NEG_Y);
    let towards = (target - points[0]).try_normalize().unwrap_or(own);
    for (index, &length) in lengths.iter().enumerate() {
        let sign = match folded {
            Some(longest) if longest != index => -1.0,
            _ => 1.0,
        };
        points[index + 1] = points[index] + towards * (sign * length);
    }
}

/// Bows a chain that lies along the line to its target to the side of `pole`,
/// by as much as it lacks of the least bend: nothing jumps where that sets in.
fn bend_off_the_line(points: &mut [Vec3A], lengths: &[f32], (target, pole): (Vec3A, Vec3A)) {
    let (root, last) = (points[0], points.len() - 1);
    let axis = (target - root).normalize_or((points[last] - root).normalize_or(Vec3A::NEG_Y));
    let off_line = |point: Vec3A| (point - root - axis * axis.dot(point - root)).length();
    let reach_m: f32 = lengths.iter().sum();
    let most_m = points.iter().map(|&it| off_line(it)).fold(0.0, f32::max);
    let lack_m = LEAST_BEND * reach_m - most_m;
    if last < 2 || lack_m <= 0.0 {
        return;
    }
    let side = bend_side(axis, pole, points[1] - root);
    let mut from = root;
    for index in 0..last {
        let share = (index + 1) as f32 / last as f32;
        // A parabola that vanishes at both ends.
        let bowed = points[index + 1] + side * (4.0 * share * (1.0 - share) * lack_m);
        let along = (bowed - from).normalize_or(axis);
        from = points[index] + along * lengths[index];
        points[index + 1] = from;
    }
}

#[cfg(test)]
mod tests;
