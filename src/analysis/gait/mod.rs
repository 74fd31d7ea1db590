//! How somebody walks, and how far every joint goes: the figures of gait
//! laboratories from a motion alone.
//!
//! Steps are counted from strike to strike of either foot, strides from strike
//! to strike of the same; lengths lie along the way that is walked, widths
//! across it. Limits: two legs, a level floor, no treadmill (put the motion off
//! it first); a strike is known to a frame.

mod body;
mod feet;
mod ranges;

use glam::{DVec2, Vec3A, Vec3Swizzles};

use body::Masses;
use feet::{Stance, stances};
pub use ranges::JointMotion;

use super::{motion::PosedMotion, robust::median};
use crate::{
    clip::{PathFilter, RawClip, RootMotion},
    skeleton::Skeleton,
};

/// Sway of the hips is smoothed from the way over so long, seconds.
const PATH_SECS: f64 = 1.0;
/// Strikes nearer to each other than this are one landing, seconds.
const LEAST_STEP_SECS: f64 = 0.12;
/// A pause between two strikes longer than this many usual steps is no step.
const PAUSE: f32 = 1.8;
/// Places on the ground nearer than this are one, metres: marking time.
const SAME_PLACE_M: f32 = 0.05;

/// What one foot does, means over its strides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FootFigures {
    /// Strikes that are in the motion.
    pub strikes: usize,
    /// From a strike of the other foot to one of this, metres along the way.
    pub step_length_m: Option<f64>,
    /// From strike to strike of this foot, metres.
    pub stride_length_m: Option<f64>,
    /// Seconds of a step that ends with this foot's strike.
    pub step_secs: Option<f64>,
    /// Seconds of a stride.
    pub stride_secs: Option<f64>,
    /// Share of a stride that the foot is down.
    pub stance_share: Option<f64>,
    /// When it is down, first frame and past-the-last.
    pub stances: Vec<[usize; 2]>,
}

/// Everything that is measured of a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GaitReport {
    /// Frames a second.
    pub fps: f64,
    /// Of the motion.
    pub frames: usize,
    /// Left, right; empty of those who have no legs.
    pub feet: Vec<FootFigures>,
    /// Strikes of both feet.
    pub steps: usize,
    /// Steps a minute while walking.
    pub cadence_per_min: Option<f64>,
    /// Across the way, metres.
    pub step_width_m: Option<f64>,
    /// Of the whole way over its time, metres a second.
    pub speed_mps: f64,
    /// The way of the hips over the ground without their sway, metres.
    pub way_m: f64,
    /// Share of a stride with both feet down.
    pub double_support_share: Option<f64>,
    /// Differences of left and right in per cent of their mean: step length,
    /// step time, stance share.
    pub asymmetry_percent: [Option<f64>; 3],
    /// Centre of mass in every frame, metres; empty where no human is found.
    pub centre_of_mass_m: Vec<[f32; 3]>,
    /// Every joint that moves.
    pub joints: Vec<JointMotion>,
}

/// Measures a motion.
///
/// # Panics
/// When the clip is for another number of joints.
#[must_use]
pub fn gait_report(skeleton: &Skeleton, clip: &RawClip) -> GaitReport {
    let motion = PosedMotion::new(skeleton, clip);
    let way = RootMotion::extract(clip, skeleton.root_rest(), PathFilter::Once(PATH_SECS));
    let places: Vec<DVec2> = { 0..motion.frames() }
        .map(|frame| way.at(frame as f64 / clip.fps).position)
        .collect();
    let way_m: f64 = places
        .windows(2)
        .map(|pair| pair[0].distance(pair[1]))
        .sum();
    let feet: Vec<Vec<Stance>> = motion
        .legs
        .iter()
        .map(|leg| stances(&motion, leg))
        .collect();
    let mut report = GaitReport {
        fps: clip.fps,
        frames: motion.frames(),
        way_m,
        speed_mps: way_m / clip.duration_secs().max(1e-9),
        joints: ranges::of(&motion),
        centre_of_mass_m: Masses::of(&motion.human).map_or(Vec::new(), |masses| {
            let centres = motion.models.iter();
            centres
                .map(|model| masses.centre(skeleton, model).into())
                .collect()
        }),
        ..GaitReport::default()
    };
    if feet.len() == 2 {
        Walk::of(&feet, clip.fps).tell(&feet, &mut report);
    }
    report
}

/// A strike: when, in frames, which foot, where it then stands.
#[derive(Clone, Copy)]
struct Strike {
    at: f64,
    foot: usize,
    place: Vec3A,
}

/// Strikes in order of time, pauses known.
struct Walk {
    strikes: Vec<Strike>,
    fps: f64,
    /// Frames between two strikes that are a pause.
    pause: f32,
}

impl Walk {
    fn of(feet: &[Vec<Stance>], fps: f64) -> Self {
        let of_foot = |(foot, stances): (usize, &Vec<Stance>)| {
            let struck = stances.iter().filter(|it| it.strikes);
            let strike = move |it: &Stance| Strike {
                at: it.moments[0],
                foot,
                place: it.place,
            };
            struck.map(strike).collect::<Vec<_>>()
        };
        let mut strikes: Vec<Strike> = feet.iter().enumerate().flat_map(of_foot).collect();
        strikes.sort_by(|a, b| a.at.total_cmp(&b.at));
        let between = strikes.windows(2).map(|it| (it[1].at - it[0].at) as f32);
        let pause = PAUSE * median(&mut between.collect::<Vec<f32>>());
        Self {
            strikes,
            fps,
            pause,
        }
    }

    /// One foot after the other: after a jump both land at once.
    fn is_step(&self, a: &Strike, b: &Strike) -> bool {
        a.foot != b.foot && b.at - a.at >= LEAST_STEP_SECS * self.fps
    }

    /// Pairs of strikes of both feet in turn, without a pause between them.
    fn steps(&self) -> impl Iterator<Item = (&Strike, &Strike)> {
        let pairs = self.strikes.windows(2).map(|it| (&it[0], &it[1]));
        pairs.filter(|(a, b)| self.is_step(a, b) && ((b.at - a.at) as f32) < self.pause)
    }

    /// Pairs of strikes of one foot with one of the other between them.
    fn strides(&self, foot: usize) -> impl Iterator<Item = (&Strike, &Strike)> {
        let triples = self.strikes.windows(3).map(|it| (&it[0], &it[1], &it[2]));
        let whole = triples.filter(move |(a, b, c)| {
            let near = ((c.at - a.at) as f32) < 2.0 * self.pause;
            a.foot == foot && self.is_step(a, b) && self.is_step(b, c) && near
        });
        whole.map(|(a, _, c)| (a, c))
    }

    fn tell(&self, feet: &[Vec<Stance>], report: &mut GaitReport) {
        let secs = |(a, b): (&Strike, &Strike)| (b.at - a.at) / self.fps;
        for (foot, stances) in feet.iter().enumerate() {
            let own = |it: &(&Strike, &Strike)| it.1.foot == foot;
            report.feet.push(FootFigures {
                strikes: self.strikes.iter().filter(|it| it.foot == foot).count(),
                step_length_m: mean(self.lengths().filter(|it| it.0 == foot).map(|it| it.1)),
                stride_length_m: mean(self.strides(foot).map(|(a, b)| level(b.place - a.place))),
                step_secs: mean(self.steps().filter(own).map(secs)),
                stride_secs: mean(self.strides(foot).map(secs)),
                stance_share: self.stance_share(stances, foot),
                stances: stances
                    .iter()
                    .map(|it| [it.frames.start, it.frames.end])
                    .collect(),
            });
        }
        report.steps = self.strikes.len();
        report.cadence_per_min = mean(self.steps().map(secs)).map(|step| 60.0 / step);
        report.step_width_m = mean(self.lengths().map(|it| it.2));
        let [left, right] = [0, 1].map(|foot| report.feet[foot].clone());
        report.double_support_share = { left.stance_share.zip(right.stance_share) }
            .map(|(left, right)| (left + right - 1.0).max(0.0));
        report.asymmetry_percent = [
            uneven(left.step_length_m, right.step_length_m),
            uneven(left.step_secs, right.step_secs),
            uneven(left.stance_share, right.stance_share),
        ];
    }

    /// Foot, length along the way, width across it, of every step whose stride
    /// goes anywhere. The way is that of the other foot's strides around it.
    fn lengths(&self) -> impl Iterator<Item = (usize, f64, f64)> {
        let triples = self.strikes.windows(3);
        triples.filter_map(|it| {
            let [a, b, c] = it else { return None };
            let whole = self.is_step(a, b) && self.is_step(b, c);
            let stride = (c.place - a.place).xz();
            let near = ((c.at - a.at) as f32) < 2.0 * self.pause;
            if !whole || !near || stride.length() < SAME_PLACE_M {
                return None;
            }
            let ahead = stride.normalize();
            let step = (b.place - a.place).xz();
            let width = (step - ahead * step.dot(ahead)).length();
            Some((b.foot, f64::from(step.dot(ahead)), f64::from(width)))
        })
    }

    /// Of stances that are whole and followed by another strike.
    fn stance_share(&self, stances: &[Stance], foot: usize) -> Option<f64> {
        let shares = stances
            .iter()
            .filter(|it| it.strikes && it.lifts)
            .filter_map(|it| {
                let mut strides = self.strides(foot);
                let (a, b) = strides.find(|(a, _)| a.at == it.moments[0])?;
                Some((it.moments[1] - it.moments[0]) / (b.at - a.at))
            });
        mean(shares)
    }
}

fn level(way: Vec3A) -> f64 {
    f64::from(way.xz().length())
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), it| (sum + it, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Robinson's symmetry index, without its sign's meaning lost: positive where
/// the left is more.
fn uneven(left: Option<f64>, right: Option<f64>) -> Option<f64> {
    let (left, right) = left.zip(right)?;
    let middle = (left.abs() + right.abs()) / 2.0;
    (middle > 0.0).then(|| 100.0 * (left - right) / middle)
}
