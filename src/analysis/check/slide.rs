//! Slides: a foot that bears and yet travels over the ground.
//!
//! A foot that rolls from heel to toes moves too, but some point of its sole
//! always stands still. So the speed of a foot is taken as that of the slowest
//! point of its sole, and what that point travels while the foot is down is the
//! slide. Noise goes to and fro and adds up to nothing; a way does not.

use std::ops::Range;

use glam::{Vec2, Vec3A, Vec3Swizzles};

use super::{Finding, FindingKind};
use crate::{
    analysis::{
        motion::PosedMotion,
        robust::{median, runs},
    },
    clip::heights_over_floor,
    humanoid::LegChain,
};

/// A ball of the foot lower than this over its floor may bear, metres.
const LOW_M: f32 = 0.035;
/// … at most so far above the height at which it stands else: who shuffles
/// lifts the feet by a centimetre, metres …
const LIFTED_M: f32 = 0.012;
/// … or so far below it …
const SUNK_M: f32 = 0.015;
/// (as it stands within so long, seconds)
const AROUND_SECS: f64 = 0.75;
/// … half as far where it goes faster than this, metres a second, or not further
/// above where it stood just before and stands after …
const SHUFFLES_MPS: f32 = 0.5;
/// (than so far, metres)
const LEVEL_M: f32 = 0.002;
/// … and rising or sinking slower than this, metres a second.
const LEVEL_MPS: f32 = 0.15;
/// Slower than this the sole stands, metres a second.
const FIRM_MPS: f32 = 0.1;
/// A slide begins and ends where the sole is slower than this.
const BEGINS_MPS: f32 = 0.04;
/// Faster than this it swings.
const SWING_MPS: f32 = 2.0;
/// A foot bears when it is down for at least so long, seconds.
const LEAST_SECS: f64 = 0.1;
/// A slide travels at least so far, metres.
const LEAST_M: f32 = 0.03;
/// Slides of one foot with less between them are one, seconds.
const APART_SECS: f64 = 0.1;
/// Positions are averaged over so long before speeds are taken, seconds.
const SMOOTH_SECS: f64 = 0.04;
/// Of the foot's length, how far the heel is behind the ankle.
const HEEL_SHARE: f32 = 0.35;

/// A foot that slides.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::analysis) struct Slide {
    /// Which of [`PosedMotion::legs`].
    pub leg: usize,
    pub frames: Range<usize>,
    /// From start to end, metres.
    pub way: Vec2,
}

/// What is known of a foot, frame by frame.
pub(in crate::analysis) struct FootTrack {
    /// Velocity of the slowest point of the sole over the ground, metres a
    /// second.
    pub sole_mps: Vec<Vec2>,
    /// The foot is down: low, level, not in its swing.
    pub down: Vec<bool>,
    /// Some point of the sole is low and level, whatever the others do: a foot
    /// that slides on its tip while the heel rises.
    touches: Vec<bool>,
}

impl FootTrack {
    pub fn of(motion: &PosedMotion<'_>, leg: &LegChain) -> Self {
        let sole = Sole::of(motion, leg);
        let points: Vec<[Vec3A; 3]> = (0..motion.frames()).map(|k| sole.at(motion, k)).collect();
        let ball: Vec<Vec3A> = points.iter().map(|it| it[1]).collect();
        let reach = motion.frames_in(SMOOTH_SECS / 2.0, 0);
        let velocity = |k: usize| slowest(velocities(&points, k, reach, motion.fps() as f32));
        let slowest: Vec<Vec3A> = (0..points.len()).map(velocity).collect();
        let sole_mps: Vec<Vec2> = slowest.iter().map(|it| it.xz()).collect();
        let down = down(motion, &ball, &sole_mps);
        let heights = heights_over_floor(&ball, motion.fps());
        let touches = heights.iter().zip(&slowest).map(|(&height, it)| {
            height < LOW_M && it.y.abs() < LEVEL_MPS && it.xz().length() < SWING_MPS
        });
        Self {
            touches: touches.collect(),
            sole_mps,
            down,
        }
    }

    /// Runs of frames that travel, with their way.
    fn slides(&self, motion: &PosedMotion<'_>, least_m: f32) -> Vec<(Range<usize>, Vec2)> {
        let least = motion.frames_in(LEAST_SECS, 2);
        let apart = motion.frames_in(APART_SECS, 1);
        let mut found = Vec::new();
        for stance in runs(self.down.len(), |k| self.down[k]) {
            if stance.len() < least {
                continue;
            }
            let moving = runs(stance.len(), |k| {
                self.sole_mps[stance.start + k].length() > FIRM_MPS
            });
            let mut joined: Vec<Range<usize>> = Vec::new();
            for run in moving {
                let run = stance.start + run.start..stance.start + run.end;
                match joined.last_mut() {
                    Some(before) if run.start - before.end <= apart => before.end = run.end,
                    _ => joined.push(run),
                }
            }
            for run in joined {
                let run = self.whole(run, &stance);
                let way: Vec2 =
                    self.sole_mps[run.clone()].iter().sum::<Vec2>() / motion.fps() as f32;
                if way.length() >= least_m {
                    found.push((self.with_tip(run), way));
                }
            }
        }
        found
    }

    /// A slide with what goes on of it while the heel rises.
    fn with_tip(&self, run: Range<usize>) -> Range<usize> {
        let slides = |k: &usize| {
            let free = !self.down[*k] && self.touches[*k];
            free && self.sole_mps[*k].length() > BEGINS_MPS
        };
        let after = (run.end..self.down.len()).take_while(slides).count();
        run.start..run.end + after
    }

    /// From where a slide begins to where it ends, within its stance.
    fn whole(&self, run: Range<usize>, stance: &Range<usize>) -> Range<usize> {
        let moves = |k: &usize| self.sole_mps[*k].length() > BEGINS_MPS;
        let before = (stance.start..run.start).rev().take_while(moves).count();
        let after = (run.end..stance.end).take_while(moves).count();
        run.start - before..run.end + after
    }
}

/// Low, level and slow enough to bear.
fn down(motion: &PosedMotion<'_>, ball: &[Vec3A], sole_mps: &[Vec2]) -> Vec<bool> {
    let fps = motion.fps() as f32;
    let heights = heights_over_floor(ball, motion.fps());
    let rising = |k: usize| {
        let (before, after) = (k.saturating_sub(2), (k + 2).min(ball.len() - 1));
        (ball[after].y - ball[before].y) * fps / (after - before).max(1) as f32
    };
    let low = |k: usize| heights[k] < LOW_M && rising(k).abs() < LEVEL_MPS;
    let firm = |k: usize| low(k) && sole_mps[k].length() < FIRM_MPS;
    let mut down: Vec<bool> = (0..ball.len())
        .map(|k| low(k) && sole_mps[k].length() < SWING_MPS)
        .collect();
    let around = motion.frames_in(AROUND_SECS, 2);
    for run in runs(ball.len(), |k| down[k]) {
        let near = run.start.saturating_sub(around)..(run.end + around).min(ball.len());
        let mut stood: Vec<f32> = near.filter(|&k| firm(k)).map(|k| ball[k].y).collect();
        // A foot that never stands has its own height alone.
        if stood.is_empty() {
            stood = run.clone().map(|k| ball[k].y).collect();
        }
        let height = median(&mut stood);
        // Where it last stood, and will stand next: what slides there goes on
        // at that height, what shuffles is lifted first.
        let last = run.clone().scan(f32::INFINITY, |height, k| {
            *height = if firm(k) { ball[k].y } else { *height };
            Some(*height)
        });
        let last: Vec<f32> = last.collect();
        let mut next = f32::INFINITY;
        for k in run.clone().rev() {
            next = if firm(k) { ball[k].y } else { next };
            let over = ball[k].y - height;
            let beside = [last[k - run.start], next].into_iter();
            let beside =
                beside.filter(|it| it.is_finite()).fold(f32::MIN, f32::max) - height + LEVEL_M;
            let lifted = match sole_mps[k].length() > SHUFFLES_MPS {
                true => beside.clamp(LIFTED_M / 2.0, LIFTED_M),
                false => LIFTED_M,
            };
            // On its floor it bears, however much higher it stands else.
            let sunk = over < -SUNK_M && heights[k] > SUNK_M / 2.0;
            down[k] = over < lifted && !sunk;
        }
    }
    down
}

/// Heel, ball and tip of a foot.
struct Sole {
    ankle: usize,
    ball: usize,
    tip: usize,
    /// In the ankle's space.
    heel: Vec3A,
}

impl Sole {
    fn of(motion: &PosedMotion<'_>, leg: &LegChain) -> Self {
        let skeleton = motion.skeleton;
        let rest = skeleton.rest_model();
        let (ankle, ball) = (usize::from(leg.joints.ankle), usize::from(leg.joints.ball));
        let from = rest.joints()[ankle];
        let to = rest.joints()[ball].translation;
        let tip = skeleton
            .below(leg.joints.ball)
            .last()
            .map_or(ball, usize::from);
        let along = (to - from.translation).with_y(0.0) * HEEL_SHARE;
        let heel = (from.translation - along).with_y(to.y.min(from.translation.y));
        Self {
            ankle,
            ball,
            tip,
            heel: from.inverse().transform_point(heel),
        }
    }

    fn at(&self, motion: &PosedMotion<'_>, frame: usize) -> [Vec3A; 3] {
        let model = &motion.models[frame];
        [
            model.joints()[self.ankle].transform_point(self.heel),
            model.joints()[self.ball].translation,
            model.bone_end(motion.skeleton, self.tip),
        ]
    }
}

/// Metres a second, of positions averaged `reach` frames to either side.
fn velocities(points: &[[Vec3A; 3]], k: usize, reach: usize, fps: f32) -> [Vec3A; 3] {
    let last = points.len() - 1;
    let (before, after) = (k.saturating_sub(reach + 1), (k + reach + 1).min(last));
    let frames = (after - before).max(1) as f32;
    [0, 1, 2].map(|i| (points[after][i] - points[before][i]) * fps / frames)
}

/// The velocity over the ground of the slowest point between heel and ball, and
/// ball and tip: a rigid foot's points move by what lies between those of its
/// ends. The slowest in space: a heel that rises bears nothing, however little
/// it goes over the ground.
fn slowest([heel, ball, tip]: [Vec3A; 3]) -> Vec3A {
    let between = |a: Vec3A, b: Vec3A| {
        let way = b - a;
        let share = match way.length_squared() {
            0.0 => 0.0,
            square => (-a.dot(way) / square).clamp(0.0, 1.0),
        };
        a + way * share
    };
    let (back, front) = (between(heel, ball), between(ball, tip));
    match back.length_squared() < front.length_squared() {
        true => back,
        false => front,
    }
}

/// All slides of all feet.
pub(in crate::analysis) fn slides(motion: &PosedMotion<'_>) -> Vec<Slide> {
    slides_beyond(motion, LEAST_M)
}

/// Those that travel so many metres.
pub(in crate::analysis) fn slides_beyond(motion: &PosedMotion<'_>, least_m: f32) -> Vec<Slide> {
    let legs = motion.legs.iter().enumerate();
    let of = |(leg, chain): (usize, &LegChain)| {
        let track = FootTrack::of(motion, chain);
        let slides = track.slides(motion, least_m).into_iter();
        let slide = move |(frames, way)| Slide { leg, frames, way };
        slides.map(slide).collect::<Vec<_>>()
    };
    legs.flat_map(of).collect()
}

pub(super) fn findings(motion: &PosedMotion<'_>, slides: &[Slide]) -> Vec<Finding> {
    let finding = |slide: &Slide| {
        let ball = usize::from(motion.legs[slide.leg].joints.ball);
        let ankle = usize::from(motion.legs[slide.leg].joints.ankle);
        let centimetres = 100.0 * f64::from(slide.way.length());
        let secs = slide.frames.len() as f64 / motion.fps();
        Finding {
            kind: FindingKind::Slide,
            joint: Some(ball),
            start_frame: slide.frames.start,
            end_frame: slide.frames.end - 1,
            value: centimetres,
            unit: "cm",
            message: format!(
                "{} stands and slides {centimetres:.1} cm within {secs:.2} s",
                motion.name(ankle)
            ),
        }
    };
    slides.iter().map(finding).collect()
}
