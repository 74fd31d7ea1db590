//! When feet are on the ground, from heel strike to toe-off.
//!
//! A foot that bears always has a point of its sole that stands still, from the
//! heel that strikes to the tip of the toes that leaves last: so it is down
//! while the slowest point of its sole is slow and low. That is right to a few
//! frames; strike and toe-off themselves are then taken where gait laboratories
//! take them, at the peak of the vertical acceleration of the part that touches
//! (Hreljac and Marshall, *Algorithms to determine event timing during normal
//! walking using kinematic data*, 2000).

use std::ops::Range;

use glam::Vec3A;

use crate::{
    analysis::{
        motion::PosedMotion,
        robust::{median, ranked, runs},
    },
    clip::heights_over_floor,
    humanoid::LegChain,
};

/// Slower than this a point of the sole stands, metres a second …
const STANDS_MPS: f32 = 0.3;
/// … or than this share of the foot's top speed.
const STANDS_SHARE: f32 = 0.12;
/// A ball of the foot above this is off the ground even on tiptoe, metres.
const LIFTED_M: f32 = 0.12;
/// Shorter stances are touches and shorter swings noise, seconds.
const SHORTEST_SECS: f64 = 0.08;
/// A strike or toe-off is looked for within this time, seconds.
const NEAR_SECS: f64 = 0.06;
/// Of the way from ankle to ball, how far the heel is behind the ankle: 0.2 of
/// the foot's length against 0.5 (Drillis and Contini).
const HEEL_SHARE: f32 = 0.4;

/// One stance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stance {
    /// From strike to toe-off; cut where the clip is.
    pub frames: Range<usize>,
    /// The same between frames, in frames.
    pub moments: [f64; 2],
    /// The strike is in the clip.
    pub strikes: bool,
    /// The toe-off is in the clip.
    pub lifts: bool,
    /// Where the foot stands: the mean of the ball while it is flattest.
    pub place: Vec3A,
}

/// All stances of a leg.
pub(super) fn stances(motion: &PosedMotion<'_>, leg: &LegChain) -> Vec<Stance> {
    let soles = Soles::of(motion, leg);
    let down = soles.down(motion.fps());
    let stances = runs(down.len(), |k| down[k]);
    stances
        .into_iter()
        .map(|run| soles.stance(motion, run))
        .collect()
}

/// Heel, ball and tip of a foot, frame by frame.
struct Soles(Vec<[Vec3A; 3]>);

impl Soles {
    fn of(motion: &PosedMotion<'_>, leg: &LegChain) -> Self {
        let (ankle, ball) = (usize::from(leg.joints.ankle), usize::from(leg.joints.ball));
        let below = motion.skeleton.below(leg.joints.ball);
        let tip = below.last().map_or(ball, usize::from);
        let heel = heel(motion, ankle, ball);
        let sole = |model: &crate::skeleton::ModelPose| {
            [
                model.joints()[ankle].transform_point(heel),
                model.joints()[ball].translation,
                model.bone_end(motion.skeleton, tip),
            ]
        };
        Self(motion.models.iter().map(sole).collect())
    }

    /// The speed of the slowest of the three points and of those between, metres
    /// a second in space.
    fn slowest_mps(&self, frame: usize, fps: f32) -> f32 {
        let last = self.0.len() - 1;
        let (before, after) = (frame.saturating_sub(1), (frame + 1).min(last));
        let secs = (after - before).max(1) as f32 / fps;
        let [heel, ball, tip] = [0, 1, 2].map(|i| (self.0[after][i] - self.0[before][i]) / secs);
        let between = |a: Vec3A, b: Vec3A| {
            let way = b - a;
            let share = match way.length_squared() {
                0.0 => 0.0,
                square => (-a.dot(way) / square).clamp(0.0, 1.0),
            };
            (a + way * share).length()
        };
        between(heel, ball).min(between(ball, tip))
    }

    fn down(&self, fps: f64) -> Vec<bool> {
        let speeds: Vec<f32> = (0..self.0.len())
            .map(|k| self.slowest_mps(k, fps as f32))
            .collect();
        let slow = STANDS_MPS.max(STANDS_SHARE * ranked(&mut speeds.clone(), 0.98));
        let balls: Vec<Vec3A> = self.0.iter().map(|it| it[1]).collect();
        let heights = heights_over_floor(&balls, fps);
        let mut down: Vec<bool> = (0..speeds.len())
            .map(|k| speeds[k] < slow && heights[k] < LIFTED_M)
            .collect();
        let shortest = ((SHORTEST_SECS * fps).round() as usize).max(1);
        for value in [false, true] {
            for run in runs(down.len(), |k| down[k] == value) {
                let inside = run.start > 0 && run.end < down.len();
                if inside && run.len() < shortest {
                    down[run].fill(!value);
                }
            }
        }
        down
    }

    fn stance(&self, motion: &PosedMotion<'_>, run: Range<usize>) -> Stance {
        let (strikes, lifts) = (run.start > 0, run.end < self.0.len());
        let near = motion.frames_in(NEAR_SECS, 1);
        let start = match strikes {
            true => self.strike(run.start, near),
            false => run.start as f64,
        };
        let end = match lifts {
            true => self.toe_off(run.end - 1, near),
            false => run.end as f64,
        };
        let first = start.round().max(0.0) as usize;
        let frames = first..(end.round() as usize).clamp(first + 1, self.0.len());
        Stance {
            place: self.place(&frames),
            moments: [start, end],
            frames,
            strikes,
            lifts,
        }
    }

    /// What the part that is lowest at a frame is accelerated upwards by, per
    /// frame squared, in the frames near it; with the first of these.
    fn lifts(&self, frame: usize, near: usize) -> (usize, Vec<f64>) {
        let part = lowest(&self.0[frame]);
        let last = self.0.len() - 1;
        let height = |k: usize| f64::from(self.0[k.min(last)][part].y);
        let lift = |k: usize| height(k + 1) + height(k.saturating_sub(1)) - 2.0 * height(k);
        let first = frame.saturating_sub(near).max(1);
        let end = (frame + near).min(last.saturating_sub(1)).max(first);
        (first, (first..=end).map(lift).collect())
    }

    /// A foot that strikes is stopped within a frame: the moment is the centroid
    /// of that peak.
    fn strike(&self, frame: usize, near: usize) -> f64 {
        let (first, lifts) = self.lifts(frame, near);
        let peak = highest(&lifts);
        let around = peak.saturating_sub(1)..(peak + 2).min(lifts.len());
        let weight = |k: usize| lifts[k].max(0.0);
        let all: f64 = around.clone().map(weight).sum();
        let moment: f64 = around.map(|k| k as f64 * weight(k)).sum();
        first as f64 + if all > 0.0 { moment / all } else { peak as f64 }
    }

    /// A foot that leaves is lifted from then on: the moment is where half of
    /// the peak is reached.
    fn toe_off(&self, frame: usize, near: usize) -> f64 {
        let (first, lifts) = self.lifts(frame, near);
        let peak = highest(&lifts);
        let half = lifts[peak] / 2.0;
        let below = (0..peak).rev().find(|&k| lifts[k] < half);
        let part = below.map(|k| k as f64 + (half - lifts[k]) / (lifts[k + 1] - lifts[k]));
        first as f64 + part.unwrap_or(peak as f64)
    }

    /// The ball's mean over the middle half of a stance.
    fn place(&self, frames: &Range<usize>) -> Vec3A {
        let quarter = frames.len() / 4;
        let middle = &self.0[frames.start + quarter..(frames.end - quarter).min(self.0.len())];
        middle.iter().map(|it| it[1]).sum::<Vec3A>() / middle.len().max(1) as f32
    }
}

fn highest(values: &[f64]) -> usize {
    let order = |&a: &usize, &b: &usize| values[a].total_cmp(&values[b]);
    (0..values.len()).max_by(order).unwrap_or(0)
}

fn lowest(sole: &[Vec3A; 3]) -> usize {
    let order = |&a: &usize, &b: &usize| sole[a].y.total_cmp(&sole[b].y);
    [0, 1, 2].into_iter().min_by(order).unwrap_or(1)
}

/// The heel in the ankle's space: behind the ankle, as low as the ball, in the
/// frames in which the foot is flat, which are those in which the ankle is
/// slowest.
fn heel(motion: &PosedMotion<'_>, ankle: usize, ball: usize) -> Vec3A {
    let speed = |k: usize| motion.place(k, ankle).distance(motion.place(k - 1, ankle));
    let speeds: Vec<f32> = (1..motion.frames()).map(speed).collect();
    let slow = ranked(&mut speeds.clone(), 0.2);
    let flat = (1..motion.frames()).filter(|&k| speeds[k - 1] <= slow);
    let heels = flat.map(|k| {
        let from = motion.models[k].joints()[ankle];
        let to = motion.place(k, ball);
        let along = (to - from.translation).with_y(0.0) * HEEL_SHARE;
        let heel = (from.translation - along).with_y(to.y);
        from.inverse().transform_point(heel)
    });
    let heels: Vec<Vec3A> = heels.collect();
    let axis = |of: fn(&Vec3A) -> f32| median(&mut heels.iter().map(of).collect::<Vec<f32>>());
    Vec3A::new(axis(|it| it.x), axis(|it| it.y), axis(|it| it.z))
}
