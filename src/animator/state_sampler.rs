//! One state being played: from a phase and weights to a pose, a way over the
//! ground, standing feet and events.

use super::blend;
use super::{
    graph::{AdditiveReference, Graph, State, StateMotion},
    parameters::Parameters,
    prepared_clip::PreparedClip,
    timeline::{self, Timeline},
};
use crate::{
    clip::{ClipCursor, Planar, Wrap, wrap_secs},
    skeleton::LocalPose,
};

/// Memory that evaluation needs and nobody has to keep.
#[derive(Default)]
pub struct SampleScratch {
    clip: LocalPose,
    weights: Vec<f32>,
    /// One for each clip of the graph.
    cursors: Vec<ClipCursor>,
    /// The same for clips that additive layers take their difference to, which
    /// may play at the same time as states.
    reference_cursors: Vec<ClipCursor>,
}

impl SampleScratch {
    /// The pose an additive layer takes its difference to; `fraction` of its own
    /// clip has been played.
    pub fn reference(
        &mut self,
        graph: &Graph,
        against: AdditiveReference,
        fraction: f64,
        pose: &mut LocalPose,
    ) {
        let (clip, secs) = match against {
            AdditiveReference::Rest => return pose.copy_from(graph.skeleton.rest()),
            AdditiveReference::Pose(clip, secs) => (clip, secs),
            AdditiveReference::Running(clip) => {
                let secs = graph.clips[clip].duration_secs();
                (clip, fraction.rem_euclid(1.0) * secs)
            }
        };
        let cursors = &mut self.reference_cursors;
        cursors.resize_with(graph.clips.len(), ClipCursor::default);
        graph.clips[clip].pose(&graph.skeleton, secs, &mut cursors[clip], pose);
    }
}

/// A state, and all it depends on besides its phase.
#[derive(Clone, Copy)]
pub struct StateSampler<'a> {
    /// Where its clips are.
    pub graph: &'a Graph,
    /// Which.
    pub state: &'a State,
    /// Its motion.
    pub motion: &'a StateMotion,
    /// What its blend space looks at.
    pub parameters: &'a Parameters,
}

impl<'a> StateSampler<'a> {
    /// `None` for a state without motion.
    #[must_use]
    pub fn new(graph: &'a Graph, state: &'a State, parameters: &'a Parameters) -> Option<Self> {
        Some(Self {
            graph,
            state,
            motion: state.motion.as_ref()?,
            parameters,
        })
    }

    /// The phase at which it starts when nothing else is asked for.
    #[must_use]
    pub fn start_phase(&self) -> f64 {
        let (_, timeline) = &self.motion.clips[0];
        timeline.phase(self.state.start * timeline.duration_secs())
    }

    /// True when phases of this state speak of feet.
    #[must_use]
    pub fn is_gait(&self) -> bool {
        self.motion
            .clips
            .iter()
            .any(|(_, timeline)| timeline.is_gait())
    }

    /// Cycles of one pass: those of its first clip.
    #[must_use]
    pub fn cycles(&self) -> f64 {
        self.motion.clips[0].1.cycles()
    }

    /// Fills the weights `ahead_secs` after the last step.
    fn weigh(&self, ahead_secs: f64, scratch: &mut SampleScratch) {
        self.motion
            .weights(self.parameters, ahead_secs, &mut scratch.weights);
    }

    /// The phase `dt_secs` after `phase`, by the weights in `scratch`.
    fn advance(&self, phase: f64, dt_secs: f64, scratch: &SampleScratch) -> f64 {
        let clips = self.motion.clips.iter().zip(&scratch.weights);
        let playing = clips.map(|((_, timeline), &weight)| (timeline, weight));
        let next = timeline::advance(phase, dt_secs * self.state.speed, &playing);
        match self.state.wrap {
            Wrap::Once => next.clamp(0.0, self.cycles()),
            _ => next,
        }
    }

    /// The phase `dt_secs` after `phase`, and the way over the ground until
    /// then.
    #[must_use]
    pub fn step(&self, phase: f64, dt_secs: f64, scratch: &mut SampleScratch) -> (f64, Planar) {
        self.weigh(dt_secs, scratch);
        let next = self.advance(phase, dt_secs, scratch);
        (next, self.displacement(phase, next, scratch))
    }

    fn clip(&self, index: usize) -> &'a PreparedClip {
        &self.graph.clips[index]
    }

    fn clip_secs(&self, timeline: &Timeline, phase: f64) -> f64 {
        let secs = timeline.secs(phase);
        wrap_secs(secs, timeline.duration_secs(), self.state.wrap)
    }

    /// The pose `ahead_secs` after a phase, root motion taken out.
    pub fn pose(
        &self,
        phase: f64,
        ahead_secs: f64,
        scratch: &mut SampleScratch,
        pose: &mut LocalPose,
    ) {
        self.weigh(ahead_secs, scratch);
        let phase = match ahead_secs > 0.0 {
            true => self.advance(phase, ahead_secs, scratch),
            false => phase,
        };
        scratch
            .cursors
            .resize_with(self.graph.clips.len(), ClipCursor::default);
        let alone = scratch.weights.iter().position(|&weight| weight == 1.0);
        if let Some(only) = alone {
            return self.sample(only, phase, scratch, pose);
        }
        let mut first = true;
        for clip in 0..self.motion.clips.len() {
            let weight = scratch.weights[clip];
            if weight <= 0.0 {
                continue;
            }
            if first {
                self.sample(clip, phase, scratch, pose);
                blend::start_average(pose, weight);
                first = false;
                continue;
            }
            let mut sampled = std::mem::take(&mut scratch.clip);
            self.sample(clip, phase, scratch, &mut sampled);
            blend::accumulate(pose, &sampled, weight);
            scratch.clip = sampled;
        }
        blend::finish_average(pose);
    }

    fn sample(&self, clip: usize, phase: f64, scratch: &mut SampleScratch, pose: &mut LocalPose) {
        let (index, timeline) = &self.motion.clips[clip];
        let (prepared, secs) = (self.clip(*index), self.clip_secs(timeline, phase));
        let cursor = &mut scratch.cursors[*index];
        prepared
            .source
            .sample(&self.graph.skeleton, secs, cursor, pose);
        let root = &mut pose.joints_mut()[0];
        *root = prepared.root.remove(secs, *root);
    }

    /// The way from one phase to another, by the weights in `scratch`.
    fn displacement(&self, from: f64, to: f64, scratch: &SampleScratch) -> Planar {
        if !self.state.root_motion {
            return Planar::IDENTITY;
        }
        let mut sum = Planar::IDENTITY;
        for ((index, timeline), &weight) in self.motion.clips.iter().zip(&scratch.weights) {
            if weight > 0.0 {
                let (from, to) = (timeline.secs(from), timeline.secs(to));
                let displacement = clip_displacement(self.clip(*index), from, to, self.state.wrap);
                sum.position += displacement.position * f64::from(weight);
                sum.heading += displacement.heading * f64::from(weight);
            }
        }
        sum
    }

    /// The shares of a cycle that the feet stand in the playing gaits: as long
    /// as theirs are on average. A walk's foot stands longer than a run's, and
    /// one between them lifts in between. `None` without a gait.
    #[must_use]
    pub fn stances(&self, scratch: &mut SampleScratch) -> Option<[f64; 2]> {
        if !self.is_gait() {
            return None;
        }
        self.weigh(0.0, scratch);
        let (mut gait, mut stances) = (0.0, [0.0; 2]);
        for ((index, timeline), &weight) in self.motion.clips.iter().zip(&scratch.weights) {
            if timeline.is_gait() {
                gait += f64::from(weight);
                for (sum, own) in stances.iter_mut().zip(&self.clip(*index).stances) {
                    *sum += f64::from(weight) * own;
                }
            }
        }
        (gait > 0.0).then(|| stances.map(|sum| sum / gait))
    }

    /// How much of the playing clips has each foot on the ground; gaits share
    /// one stance.
    #[must_use]
    pub fn planted(&self, phase: f64, scratch: &mut SampleScratch) -> [f32; 2] {
        let stances = self.stances(scratch);
        self.weigh(0.0, scratch);
        let (mut planted, mut gait) = ([0.0; 2], 0.0);
        for ((index, timeline), &weight) in self.motion.clips.iter().zip(&scratch.weights) {
            if weight <= 0.0 {
                continue;
            } else if timeline.is_gait() {
                gait += weight;
            } else {
                let secs = self.clip_secs(timeline, phase);
                for (sum, contact) in planted.iter_mut().zip(&self.clip(*index).contacts) {
                    *sum += if contact.planted(secs) { weight } else { 0.0 };
                }
            }
        }
        for (leg, planted) in planted.iter_mut().enumerate() {
            let stands = |stances: [f64; 2]| timeline::since_strike(phase, leg) < stances[leg];
            *planted += if stances.is_some_and(stands) {
                gait
            } else {
                0.0
            };
        }
        planted
    }

    /// Calls `fire` with every event of the weightiest clip between two
    /// phases. Strikes have the same phase in all clips, so a change of the
    /// weightiest never loses or repeats a footstep.
    pub fn events(
        &self,
        from: f64,
        to: f64,
        scratch: &mut SampleScratch,
        mut fire: impl FnMut(&str),
    ) {
        self.weigh(0.0, scratch);
        let clips = self.motion.clips.iter().zip(&scratch.weights);
        let leader = clips
            .max_by(|a, b| a.1.total_cmp(b.1))
            .map(|(clip, _)| clip);
        if let Some((index, timeline)) = leader {
            let (from, to) = (timeline.secs(from), timeline.secs(to));
            let (secs, wrap) = (timeline.duration_secs(), self.state.wrap);
            let track = &self.clip(*index).events;
            track.passed(from, to, secs, wrap, |event| fire(&event.name));
        }
    }
}

/// The way of one clip between two unwrapped clip times.
fn clip_displacement(clip: &PreparedClip, from_secs: f64, to_secs: f64, wrap: Wrap) -> Planar {
    let duration = clip.duration_secs();
    let at = |secs: f64| clip.root.at(wrap_secs(secs, duration, wrap));
    let laps = match wrap {
        Wrap::Loop if duration > 0.0 => {
            (to_secs / duration).floor() - (from_secs / duration).floor()
        }
        _ => 0.0,
    };
    if laps == 0.0 {
        return at(from_secs).until(at(to_secs));
    }
    let (start, end) = (clip.root.at(0.0), clip.root.at(duration));
    // Out of this lap, through whole ones, into the last.
    let (leave, lap, enter) = match laps > 0.0 {
        true => (end, clip.root.lap(), start),
        false => (start, clip.root.lap().inverse(), end),
    };
    let out = at(from_secs).until(leave);
    let through = (1..laps.abs() as usize).fold(out, |displacement, _| displacement.then(lap));
    through.then(enter.until(at(to_secs)))
}
