//! One state being played: from a phase and weights to a pose, a way over the
//! ground, standing feet and events.

mod tree;

use super::{
    graph::{AdditiveReference, Graph, MotionLeaf, NodeMoment, State, StateMotion},
    parameters::Parameters,
    prepared_clip::PreparedClip,
    timeline,
};
use crate::{
    clip::{ClipCursor, Planar, Wrap, wrap_secs},
    skeleton::LocalPose,
};
use tree::NodeTime;

/// Memory that evaluation needs and nobody has to keep.
#[derive(Default)]
pub struct SampleScratch {
    /// Poses that nobody needs at the moment.
    poses: Vec<LocalPose>,
    weights: Vec<f32>,
    /// Stack of the weights of children.
    shares: Vec<f32>,
    /// Vectors of weights that nobody needs at the moment.
    spare: Vec<Vec<f32>>,
    /// One for each clip of the graph.
    cursors: Vec<ClipCursor>,
    /// The same for clips that additive layers take their difference to, which
    /// may play at the same time as states.
    reference_cursors: Vec<ClipCursor>,
}

impl SampleScratch {
    fn take_pose(&mut self) -> LocalPose {
        self.poses.pop().unwrap_or_default()
    }

    fn take_weights(&mut self, count: usize) -> Vec<f32> {
        let mut weights = self.spare.pop().unwrap_or_default();
        weights.clear();
        weights.resize(count, 0.0);
        weights
    }

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
        let timeline = &self.motion.leaves[0].timeline;
        timeline.phase(self.state.start * timeline.duration_secs())
    }

    /// True when phases of this state speak of feet.
    #[must_use]
    pub fn is_gait(&self) -> bool {
        let mut leaves = self.motion.leaves.iter();
        leaves.any(|leaf| leaf.timeline.is_gait())
    }

    /// Cycles of one pass: those of its first clip.
    #[must_use]
    pub fn cycles(&self) -> f64 {
        self.motion.leaves[0].timeline.cycles()
    }

    /// Fills the weights `ahead_secs` after the last step.
    fn weigh(&self, ahead_secs: f64, scratch: &mut SampleScratch) {
        let SampleScratch {
            shares, weights, ..
        } = scratch;
        self.motion
            .weights(self.parameters, ahead_secs, shares, weights);
    }

    /// The phase `dt_secs` after `phase`, by the weights in `scratch`.
    fn advance(&self, phase: f64, dt_secs: f64, scratch: &SampleScratch) -> f64 {
        let leaves = self.motion.leaves.iter().zip(&scratch.weights);
        let playing = leaves.map(|(leaf, &weight)| (&leaf.timeline, weight));
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

    /// The moment of a leaf's clip, inside it.
    fn clip_secs(&self, leaf: &MotionLeaf, phase: f64, ahead_secs: f64) -> f64 {
        let duration_secs = leaf.timeline.duration_secs();
        match leaf.scrub {
            Some(scrub) => scrub.share(self.moment(ahead_secs)) * duration_secs,
            None => wrap_secs(leaf.timeline.secs(phase), duration_secs, self.state.wrap),
        }
    }

    fn moment(&self, ahead_secs: f64) -> NodeMoment<'a> {
        NodeMoment {
            parameters: self.parameters,
            ahead_secs,
        }
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
        let at = NodeTime { phase, ahead_secs };
        self.node_pose(&self.motion.tree, at, scratch, pose);
    }

    /// The way from one phase to another, by the weights in `scratch`.
    fn displacement(&self, from: f64, to: f64, scratch: &SampleScratch) -> Planar {
        if !self.state.root_motion {
            return Planar::IDENTITY;
        }
        let mut sum = Planar::IDENTITY;
        for (leaf, &weight) in self.motion.leaves.iter().zip(&scratch.weights) {
            // A clip that stands still where a parameter holds it goes nowhere.
            if weight > 0.0 && leaf.scrub.is_none() {
                let (from, to) = (leaf.timeline.secs(from), leaf.timeline.secs(to));
                let clip = self.clip(leaf.clip);
                let displacement = clip_displacement(clip, from, to, self.state.wrap);
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
        for (leaf, &weight) in self.motion.leaves.iter().zip(&scratch.weights) {
            if leaf.timeline.is_gait() {
                gait += f64::from(weight);
                for (sum, own) in stances.iter_mut().zip(&self.clip(leaf.clip).stances) {
                    *sum += f64::from(weight) * own;
                }
            }
        }
        (gait > 0.0).then(|| stances.map(|sum| sum / gait))
    }

    /// The share of all clips but the weightiest: 0 when one plays alone.
    #[must_use]
    pub fn blended(&self, scratch: &mut SampleScratch) -> f32 {
        self.weigh(0.0, scratch);
        1.0 - scratch.weights.iter().copied().fold(0.0, f32::max)
    }

    /// How much of the playing clips has each foot on the ground; gaits share
    /// one stance.
    #[must_use]
    pub fn planted(&self, phase: f64, scratch: &mut SampleScratch) -> [f32; 2] {
        let stances = self.stances(scratch);
        self.weigh(0.0, scratch);
        let (mut planted, mut gait) = ([0.0; 2], 0.0);
        for (leaf, &weight) in self.motion.leaves.iter().zip(&scratch.weights) {
            if weight <= 0.0 {
                continue;
            } else if leaf.timeline.is_gait() {
                gait += weight;
            } else {
                let secs = self.clip_secs(leaf, phase, 0.0);
                for (sum, contact) in planted.iter_mut().zip(&self.clip(leaf.clip).contacts) {
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

    /// The weightiest clip, unless a value scrubs it.
    pub fn leader(&self, scratch: &mut SampleScratch) -> Option<&'a MotionLeaf> {
        self.weigh(0.0, scratch);
        let leaves = self.motion.leaves.iter().zip(&scratch.weights);
        let leader = { leaves }.max_by(|a, b| a.1.total_cmp(b.1));
        leader.map(|it| it.0).filter(|leaf| leaf.scrub.is_none())
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
        if let Some(leaf) = self.leader(scratch) {
            let timeline = &leaf.timeline;
            let (from, to) = (timeline.secs(from), timeline.secs(to));
            let (secs, wrap) = (timeline.duration_secs(), self.state.wrap);
            let track = &self.clip(leaf.clip).events;
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
