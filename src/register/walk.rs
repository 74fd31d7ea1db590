//! A way through a graph of motions, as a clip.

use std::sync::Arc;

use super::{
    MotionGraph, RegisterError, Transition,
    graph::{GraphEdge, LEAST_PLAY_SECS},
};
use crate::{
    clip::{ClipCursor, ClipShape, Planar, RawClip, SampleClip},
    skeleton::{LocalPose, Skeleton},
};

/// A motion that is played for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkStep {
    /// Which.
    pub motion: usize,
    /// From when, in its own seconds.
    pub enter_secs: f64,
    /// To when; the next step's motion is then entered.
    pub leave_secs: f64,
}

/// Steps joined by transitions.
#[derive(Clone, Debug)]
pub struct Walk {
    steps: Vec<WalkStep>,
    clips: Vec<Arc<RawClip>>,
    /// When each step begins, seconds of the walk.
    starts_secs: Vec<f64>,
    /// Where each step's motion is put.
    places: Vec<Planar>,
    transitions: Vec<Transition>,
    fps: f64,
    frames: usize,
    joints: usize,
}

/// Departures that a walk chooses among.
const CHOICES: usize = 24;

impl MotionGraph {
    /// A walk of at least so many seconds that takes one transition after the
    /// other, those seldom taken first; the same seed gives the same walk.
    pub fn random_walk(&self, seconds: f64, seed: u64) -> Result<Walk, RegisterError> {
        let steps = self.random_steps(seconds, seed);
        self.walk(&steps.ok_or(RegisterError::LeadsNowhere)?)
    }

    fn random_steps(&self, seconds: f64, seed: u64) -> Option<Vec<WalkStep>> {
        let mut random = seed.wrapping_mul(2).wrapping_add(1);
        let mut taken = vec![0u32; self.edges().len()];
        let first = self.edges().first()?;
        let (mut motion, mut enter_secs) = (first.to, first.point.to_secs);
        let mut steps = Vec::new();
        let mut played = 0.0;
        while played < seconds {
            let open = self.departures_after(motion, enter_secs);
            let open = &open[..open.len().min(CHOICES)];
            // Pruned: there is always a way on.
            let least = open.iter().map(|&edge| taken[edge]).min()?;
            let seldom: Vec<usize> = open
                .iter()
                .copied()
                .filter(|&it| taken[it] == least)
                .collect();
            let edge = seldom[next_random(&mut random) as usize % seldom.len()];
            taken[edge] += 1;
            let GraphEdge { to, point, .. } = self.edges()[edge];
            let leave_secs = point.from_secs;
            steps.push(WalkStep {
                motion,
                enter_secs,
                leave_secs,
            });
            played += leave_secs - enter_secs;
            (motion, enter_secs) = (to, point.to_secs);
        }
        let leave_secs = enter_secs + LEAST_PLAY_SECS;
        steps.push(WalkStep {
            motion,
            enter_secs,
            leave_secs,
        });
        Some(steps)
    }

    /// The motion of a walk.
    pub(super) fn walk(&self, steps: &[WalkStep]) -> Result<Walk, RegisterError> {
        let mut walk = Walk {
            steps: steps.to_vec(),
            clips: steps
                .iter()
                .map(|step| Arc::clone(&self.motions[step.motion].clip))
                .collect(),
            starts_secs: Vec::with_capacity(steps.len()),
            places: Vec::with_capacity(steps.len()),
            transitions: Vec::with_capacity(steps.len()),
            fps: self.motions.first().map_or(30.0, |motion| motion.clip.fps),
            frames: 0,
            joints: self.skeleton.len(),
        };
        let (mut secs, mut place) = (0.0, Planar::IDENTITY);
        for (index, step) in steps.iter().enumerate() {
            walk.starts_secs.push(secs);
            walk.places.push(place);
            secs += step.leave_secs - step.enter_secs;
            if let Some(next) = steps.get(index + 1) {
                let point = super::TransitionPoint {
                    from_secs: step.leave_secs,
                    to_secs: next.enter_secs,
                    cost_m: 0.0,
                };
                let (from, to) = (step.motion, next.motion);
                let transition = self.transition(&GraphEdge { from, to, point })?;
                place = place.then(transition.first_from_second());
                walk.transitions.push(transition);
            }
        }
        walk.frames = (secs * walk.fps + 1e-6) as usize + 1;
        Ok(walk)
    }
}

/// Sebastiano Vigna's splitmix64.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) >> 1
}

impl Walk {
    /// The same walk put elsewhere.
    #[must_use]
    pub fn put(mut self, place: Planar) -> Self {
        for own in &mut self.places {
            *own = place.then(*own);
        }
        self
    }

    /// What it plays.
    #[must_use]
    pub fn steps(&self) -> &[WalkStep] {
        &self.steps
    }

    /// When it leads over from each step to the next, seconds.
    #[must_use]
    pub fn changes_secs(&self) -> &[f64] {
        self.starts_secs.get(1..).unwrap_or_default()
    }

    /// The largest way of a foot that stands while it leads over, metres.
    #[must_use]
    pub fn slide_m(&self) -> f64 {
        self.transitions
            .iter()
            .map(Transition::slide_m)
            .fold(0.0, f64::max)
    }
}

impl SampleClip for Walk {
    fn shape(&self) -> ClipShape {
        ClipShape {
            frames: self.frames,
            fps: self.fps,
            joints: self.joints,
        }
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        let after = self
            .starts_secs
            .partition_point(|&start| start <= time_secs);
        let index = after.saturating_sub(1);
        // A time that is no number becomes 0.
        let inside = (time_secs - self.starts_secs[index]).max(0.0);
        let own = self.steps[index].enter_secs + inside;
        let before = index
            .checked_sub(1)
            .map(|index| (index, &self.transitions[index]));
        let ahead = |transition: &Transition| transition.point.to_secs - transition.point.from_secs;
        let entering = before.filter(|(_, it)| own - ahead(it) <= it.blended_secs()[1]);
        let leaving = self.transitions.get(index);
        let leaving = leaving.filter(|transition| own >= transition.blended_secs()[0]);
        let place = match (entering, leaving) {
            (_, Some(transition)) => {
                let secs = own - transition.blended_secs()[0];
                transition.blend().sample(skeleton, secs, cursor, pose);
                self.places[index]
            }
            (Some((before, transition)), None) => {
                let secs = own - ahead(transition) - transition.blended_secs()[0];
                transition.blend().sample(skeleton, secs, cursor, pose);
                self.places[before]
            }
            (None, None) => {
                self.clips[index].sample(skeleton, own, cursor, pose);
                self.places[index]
            }
        };
        let root = &mut pose.joints_mut()[0];
        *root = place.transform() * *root;
    }
}
