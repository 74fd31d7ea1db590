//! When the feet stand: found from the speed of the balls of the feet and from
//! their height over where the same foot stood before and after, for foot lock,
//! footstep events and gait phase. Floors of captures tilt by a degree or two,
//! so that a foot floats some centimetres at one end of the room: a height over
//! the lowest of all stances would tell nothing there.

use std::collections::HashMap;

use glam::{Vec3A, Vec3Swizzles};

use super::{Interpolation, RawClip};
use crate::{
    humanoid::LegJoints,
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// When one foot stands, frame by frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FootContacts {
    fps: f64,
    planted: Vec<bool>,
}

/// Metres above its floor within which a ball of the foot may stand.
const STANCE_HEIGHT_M: f32 = 0.035;
/// A floor rises at most so much a metre, 6°: what rises faster from a place
/// where the foot stood is the foot.
const FLOOR_SLOPE: f32 = 0.105;
/// Metres of floor that are one place, unless a way is longer than so many.
const FLOOR_CELL_M: f32 = 0.1;
const FLOOR_CELLS: f32 = 32.0;
/// A standing ball of the foot is slower than this share of its top speed …
const STANCE_SPEED_FRACTION: f32 = 0.12;
/// … or than this, in metres a second, when the whole clip is slow.
const STANCE_SPEED: f32 = 0.2;
/// Frames that may be anywhere, as where a capture starts from a T-pose.
const STRAY_FRACTION: f32 = 0.02;
/// Shorter stances are touches and shorter gaps are noise, seconds.
const SHORTEST_SECS: f64 = 0.06;
/// Height of the ball of the foot over the sole, as a share of body height.
const SOLE_FRACTION: f32 = 0.0115;

impl FootContacts {
    /// Finds the contacts of each leg, and the height in metres of the ground
    /// the clip was captured on. `looped` lets stances run on over the seam.
    #[must_use]
    pub fn find(
        skeleton: &Skeleton,
        clip: &RawClip,
        legs: &[LegJoints],
        looped: bool,
    ) -> (Vec<Self>, f32) {
        let paths = ball_paths(skeleton, clip, legs);
        Self::of_paths(&paths, clip.fps, looped, sole_height_m(skeleton))
    }

    /// The same from the ways that balls of feet take, `sole_m` above the sole.
    #[must_use]
    pub fn of_paths(paths: &[Vec<Vec3A>], fps: f64, looped: bool, sole_m: f32) -> (Vec<Self>, f32) {
        let contacts = paths.iter().map(|path| Self {
            fps,
            planted: planted(path, fps, looped),
        });
        let contacts: Vec<Self> = contacts.collect();
        let mut standing: Vec<f32> = contacts
            .iter()
            .zip(paths)
            .flat_map(|(contact, path)| contact.standing_heights(path))
            .collect();
        standing.sort_by(f32::total_cmp);
        // The tenth percentile, not the lowest frame: one dip of a marker must
        // not sink the ground for the whole clip.
        let ground_m = standing
            .get(standing.len() / 10)
            .map_or(0.0, |height| height - sole_m);
        (contacts, ground_m)
    }

    /// Frames at which the foot stands, in runs of first and past-the-last.
    #[must_use]
    pub fn stances(&self) -> Vec<std::ops::Range<usize>> {
        let mut stances: Vec<std::ops::Range<usize>> = Vec::new();
        for frame in (0..self.planted.len()).filter(|&frame| self.planted[frame]) {
            match stances.last_mut() {
                Some(run) if run.end == frame => run.end += 1,
                _ => stances.push(frame..frame + 1),
            }
        }
        stances
    }

    fn standing_heights<'a>(&'a self, path: &'a [Vec3A]) -> impl Iterator<Item = f32> + 'a {
        let frames = self.planted.iter().zip(path);
        frames.filter(|(planted, _)| **planted).map(|(_, p)| p.y)
    }

    /// True while the foot stands.
    #[must_use]
    pub fn planted(&self, time_secs: f64) -> bool {
        // A time that was made from a frame number must find that frame again,
        // though it may have been rounded down.
        let frame = (time_secs * self.fps + 1e-6).max(0.0) as usize;
        self.planted
            .get(frame.min(self.planted.len().saturating_sub(1)))
            .copied()
            .unwrap_or(false)
    }

    /// Moments at which the foot comes to stand, ascending. In a loop the last
    /// frame is the first one once more.
    #[must_use]
    pub fn strikes(&self, looped: bool) -> Vec<f64> {
        let frames = self.planted.len();
        let mut strikes = Vec::new();
        for frame in 0..frames {
            let before = match (frame, looped) {
                // In a loop the last frame is the first one again: what comes
                // before the first is the last but one.
                (0, true) => self.planted[frames.saturating_sub(2)],
                // A foot that stands from the start never came down.
                (0, false) => true,
                _ => self.planted[frame - 1],
            };
            let seam = looped && frame + 1 == frames;
            if self.planted[frame] && !before && !seam {
                strikes.push(frame as f64 / self.fps);
            }
        }
        strikes
    }
}

/// Metres of the ball of a standing foot above the ground, by the size of the
/// body.
#[must_use]
pub fn sole_height_m(skeleton: &Skeleton) -> f32 {
    SOLE_FRACTION * skeleton.rest_height_m()
}

fn ball_paths(skeleton: &Skeleton, clip: &RawClip, legs: &[LegJoints]) -> Vec<Vec<Vec3A>> {
    let mut paths = vec![Vec::with_capacity(clip.frames()); legs.len()];
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    for frame in 0..clip.frames() {
        let time_secs = frame as f64 / clip.fps;
        // Nearest, for frame / fps · fps need not be a whole number again: a
        // blend over such a crumb would cost more than the frame.
        clip.sample_as(Interpolation::Nearest, skeleton, time_secs, &mut local);
        model.compute(skeleton, &local);
        for (path, leg) in paths.iter_mut().zip(legs) {
            path.push(model.joints()[usize::from(leg.ball)].translation);
        }
    }
    paths
}

/// Frames at which a ball of the foot is slow enough to stand.
fn still_frames(path: &[Vec3A], fps: f64) -> Vec<bool> {
    let speed = speeds(path, fps);
    // Top speed from this very clip: a run slides its standing feet more than a
    // walk, so no one threshold in metres a second fits both.
    let top = ranked(speed.clone(), 1.0 - STRAY_FRACTION);
    let slow = STANCE_SPEED.max(STANCE_SPEED_FRACTION * top);
    speed.iter().map(|&v| v < slow).collect()
}

fn planted(path: &[Vec3A], fps: f64, looped: bool) -> Vec<bool> {
    let still = still_frames(path, fps);
    let floor = Floor::below(path, &still);
    let stands = path.iter().zip(still);
    let mut planted: Vec<bool> = stands
        .map(|(&p, still)| still && p.y < floor.height_m(p) + STANCE_HEIGHT_M)
        .collect();
    let shortest = (SHORTEST_SECS * fps).round() as usize;
    // Gaps first: noise must not cut a stance into touches.
    remove_short_runs(&mut planted, false, shortest, looped);
    remove_short_runs(&mut planted, true, shortest, looped);
    planted
}

/// The floor as one foot knows it: the lowest of each place at which it was
/// still.
struct Floor(Vec<Vec3A>);

impl Floor {
    fn below(path: &[Vec3A], still: &[bool]) -> Self {
        let low = ranked(path.iter().map(|p| p.y).collect(), STRAY_FRACTION);
        let stood = path.iter().zip(still).filter(|(_, still)| **still);
        // Strays are no floor.
        let stood = stood.map(|(p, _)| p.with_y(p.y.max(low)));
        let (least, most) = stood
            .clone()
            .fold((Vec3A::MAX, Vec3A::MIN), |(a, b), p| (a.min(p), b.max(p)));
        let cell_m = ((most - least).xz().max_element() / FLOOR_CELLS).max(FLOOR_CELL_M);
        let mut lowest = HashMap::new();
        for p in stood {
            let cell = (p.xz() / cell_m).floor().as_ivec2();
            let known = lowest.entry(cell).or_insert(p);
            if p.y < known.y {
                *known = p;
            }
        }
        Self(lowest.into_values().collect())
    }

    /// As high as the floor can be below a place.
    fn height_m(&self, at: Vec3A) -> f32 {
        let heights = self.0.iter();
        let heights = heights.map(|p| p.y + FLOOR_SLOPE * p.xz().distance(at.xz()));
        heights.fold(f32::INFINITY, f32::min)
    }
}

/// How far a ball of the foot is above the floor that the same foot knows,
/// frame by frame, metres.
#[must_use]
pub fn heights_over_floor(path: &[Vec3A], fps: f64) -> Vec<f32> {
    let still = still_frames(path, fps);
    let floor = Floor::below(path, &still);
    path.iter().map(|&p| p.y - floor.height_m(p)).collect()
}

/// The value that `share` of all lie below; 0 of none.
fn ranked(mut values: Vec<f32>, fraction: f32) -> f32 {
    let rank = (fraction * values.len() as f32) as usize;
    if rank >= values.len() {
        return 0.0;
    }
    *values.select_nth_unstable_by(rank, f32::total_cmp).1
}

/// Metres a second in space, by central differences: a foot on its way down is
/// not yet still, and a tilted floor changes nothing.
fn speeds(path: &[Vec3A], fps: f64) -> Vec<f32> {
    let last = path.len().saturating_sub(1);
    let speed = |i: usize| {
        let (before, after) = (i.saturating_sub(1), (i + 1).min(last));
        let frames = (after - before).max(1) as f32;
        path[after].distance(path[before]) * fps as f32 / frames
    };
    (0..path.len()).map(speed).collect()
}

/// Flips runs of `value` shorter than `shortest`. Runs at the ends of a clip
/// that plays once may go on outside it and stay.
fn remove_short_runs(values: &mut [bool], value: bool, shortest: usize, looped: bool) {
    let count = values.len();
    // Starts where no run can be under way, so that the seam cuts none in two.
    let Some(anchor) = values.iter().position(|&v| v != value) else {
        return;
    };
    let mut i = 0;
    while i < count {
        let at = |i: usize| (anchor + i) % count;
        let run = (i..count).take_while(|&i| values[at(i)] == value).count();
        let touches_end = (i..i + run).any(|i| at(i) == 0 || at(i) + 1 == count);
        if run > 0 && run < shortest && (looped || !touches_end) {
            (i..i + run).for_each(|i| values[at(i)] = !value);
        }
        i += run.max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    /// A ball of the foot that stands for 0.5 s and swings for 0.5 s.
    fn gait(fps: f64, secs: f64) -> Vec<Vec3A> {
        let at = |i: usize| {
            let t = i as f64 / fps;
            let (step, inside) = (t.floor(), t.fract());
            let swing = ((inside - 0.5) * 2.0).max(0.0);
            let lift = (std::f64::consts::PI * swing).sin() * 0.1;
            let ahead = step + swing * swing * (3.0 - 2.0 * swing);
            Vec3A::from(Vec3::new(0.0, lift as f32, ahead as f32))
        };
        (0..=(fps * secs) as usize).map(at).collect()
    }

    #[test]
    fn a_foot_stands_when_it_is_low_and_slow() {
        let planted = planted(&gait(120.0, 3.0), 120.0, true);
        let contacts = FootContacts {
            fps: 120.0,
            planted,
        };
        assert!(contacts.planted(0.25) && !contacts.planted(0.75));
        let strikes = contacts.strikes(true);
        assert_eq!(strikes.len(), 3, "{strikes:?}");
        for (i, strike) in strikes.iter().enumerate() {
            // Just before whole seconds, or on the seam.
            let off = (strike + 0.5).fract() - 0.5;
            assert!(off.abs() < 0.1, "strike {i} at {strike}");
        }
    }

    /// The same gait up a slope, and with a foot held up for a second at its end.
    #[test]
    fn a_foot_stands_on_a_tilted_floor_and_not_in_the_air() {
        let level = gait(120.0, 5.0);
        let slope = |p: &Vec3A| *p + Vec3A::Y * (0.05 * p.z + 0.06);
        let mut uphill: Vec<Vec3A> = level.iter().map(slope).collect();
        assert_eq!(
            planted(&uphill, 120.0, false),
            planted(&level, 120.0, false)
        );
        let held = uphill[600] + Vec3A::new(0.2, 0.15, 0.0);
        uphill.extend([held; 120]);
        assert!(!planted(&uphill, 120.0, false)[610..].contains(&true));
    }

    #[test]
    fn noise_neither_cuts_a_stance_nor_makes_one() {
        let mut path = gait(120.0, 3.0);
        path[30].z += 0.02; // a jolt in the middle of a stance
        let jolted = planted(&path, 120.0, true);
        assert!(jolted[20..40].iter().all(|&p| p));
        let mut touch = vec![false; 60];
        touch[30] = true;
        remove_short_runs(&mut touch, true, 7, true);
        assert!(touch.iter().all(|&p| !p));
    }

    #[test]
    fn a_still_foot_stands_all_the_time_and_never_strikes() {
        let still = vec![Vec3A::new(0.1, 0.02, 0.0); 50];
        let contacts = FootContacts {
            fps: 120.0,
            planted: planted(&still, 120.0, true),
        };
        assert!(contacts.planted.iter().all(|&p| p));
        assert!(contacts.strikes(true).is_empty());
        assert!(contacts.strikes(false).is_empty());
        assert!(!FootContacts::default().planted(1.0));
    }
}
