//! One layer at run time: its active states, and how they fade.
//!
//! A layer is a stack of active states. The lowest is whole; each higher one
//! is mixed over those below by its fade, and when its fade is done those below
//! end. So a smooth fade that is interrupted simply goes on underneath, and no
//! chain of interruptions can make the pose jump. Inertial fades leave one
//! state and an offset that dies out. When the stack is full the next fade is
//! inertial whatever was asked for.

mod ahead;

pub use ahead::NextStance;

use super::{
    description::{Fade, FadeKind},
    graph::{self, Graph, Transition},
    parameters::Parameters,
    state_sampler::{SampleScratch, StateSampler},
    timeline,
};
use crate::{
    clip::{Inertia, Moving, Planar, Wrap},
    math::Ease,
    skeleton::LocalPose,
};

/// States that may be active at once.
const MOST_ACTIVE: usize = 4;
/// The same where empty states are among them, which inertia cannot replace; what
/// then lies lowest is all but covered.
const MOST_PARTIAL: usize = 16;

/// At once.
const CUT: Fade = Fade {
    kind: FadeKind::Inertial,
    secs: 0.0,
    ease: Ease::Smoothstep,
};

/// A state that has a part in the pose.
#[derive(Clone, Copy, Debug)]
struct ActiveState {
    state: usize,
    phase: f64,
    entered_phase: f64,
    /// Fading in over the states below.
    fade: Fade,
    elapsed_secs: f64,
    /// Holds the layer's frozen pose instead of playing.
    frozen: bool,
    /// The moment of entry itself has not been passed yet.
    fresh: bool,
    /// A foot has come down since.
    landed: bool,
}

/// The run-time half of a layer.
#[derive(Clone, Debug, Default)]
pub struct LayerState {
    stack: Vec<ActiveState>,
    frozen: LocalPose,
    inertia: Inertia,
    previous: Option<usize>,
}

/// What a layer reads.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The whole graph.
    pub graph: &'a Graph,
    /// The layer's own part of it.
    pub layer: &'a graph::Layer,
    /// Shared by all layers.
    pub parameters: &'a Parameters,
}

impl<'a> Context<'a> {
    fn sampler(&self, state: usize) -> Option<StateSampler<'a>> {
        StateSampler::new(self.graph, &self.layer.states[state], self.parameters)
    }
}

/// Poses a fade needs while it starts.
#[derive(Default)]
pub struct FadePoses {
    old: [LocalPose; 2],
    new: [LocalPose; 2],
    mixed: LocalPose,
}

impl LayerState {
    /// Playing the layer's first state.
    #[must_use]
    pub fn new(context: &Context<'_>) -> Self {
        let mut layer = Self::default();
        layer.enter(context, 0, CUT, None);
        layer
    }

    /// The state the layer is in, or on its way to.
    #[must_use]
    pub fn state(&self) -> usize {
        self.stack.last().map_or(0, |active| active.state)
    }

    /// The state it comes from, while the fade runs.
    #[must_use]
    pub fn previous(&self) -> Option<usize> {
        self.previous.filter(|_| self.fade_progress(0.0) < 1.0)
    }

    /// How much of the last fade is done, 0 to 1.
    #[must_use]
    pub fn fade_progress(&self, ahead_secs: f64) -> f32 {
        let smooth = match self.stack.as_slice() {
            [_, .., last] => progress(last, ahead_secs),
            _ => 1.0,
        };
        smooth.min(self.inertia.progress(ahead_secs))
    }

    /// Phase of the current state.
    #[must_use]
    pub fn phase(&self) -> f64 {
        self.stack.last().map_or(0.0, |active| active.phase)
    }

    /// The share of the current state's clip that has been played.
    #[must_use]
    pub fn played(&self, context: &Context<'_>) -> f64 {
        let Some(active) = self.stack.last() else {
            return 0.0;
        };
        let Some(sampler) = context.sampler(active.state) else {
            return 0.0;
        };
        let state = sampler.state;
        match state.wrap {
            Wrap::Once if state.speed >= 0.0 => active.phase / sampler.cycles(),
            Wrap::Once => 1.0 - active.phase / sampler.cycles(),
            _ => (active.phase - active.entered_phase).abs() / sampler.cycles(),
        }
    }

    /// Active states and their weights, which add up to 1. A frozen pose
    /// counts for the state it was taken from.
    pub fn state_weights(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        let count = self.stack.len();
        (0..count).map(move |index| {
            let above = self.stack[index + 1..].iter();
            let covered: f32 = above.map(|active| 1.0 - weight(active, 0.0)).product();
            let own = whole_or_weight(index, &self.stack[index], 0.0) as f32;
            (self.stack[index].state, own * covered)
        })
    }

    /// How much of the layer is there: less than 1 while empty states are active.
    #[must_use]
    pub fn presence(&self, layer: &graph::Layer) -> f32 {
        let moving = |&(state, _): &(usize, f32)| layer.states[state].motion.is_some();
        self.state_weights()
            .filter(moving)
            .fold(0.0, |sum, (_, weight)| sum + weight)
    }

    fn enter(&mut self, context: &Context<'_>, state: usize, fade: Fade, phase: Option<f64>) {
        let sampler = context.sampler(state);
        let start = sampler.map_or(0.0, |sampler| sampler.start_phase());
        let entered_phase = phase.unwrap_or(start);
        self.stack.push(ActiveState {
            state,
            phase: entered_phase,
            entered_phase,
            fade,
            elapsed_secs: 0.0,
            frozen: false,
            fresh: phase.is_none(),
            landed: false,
        });
    }

    /// Takes a transition. `dt_secs` is the span over which velocities are felt.
    pub fn begin(
        &mut self,
        context: &Context<'_>,
        transition: &Transition,
        dt_secs: f64,
        scratch: &mut SampleScratch,
        poses: &mut FadePoses,
    ) {
        self.previous = Some(self.state());
        let phase = self.phase_in_step(context, transition, scratch);
        let Fade { kind, mut secs, .. } = transition.fade;
        if !context.parameters.blends() {
            secs = 0.0;
        }
        if let (true, Some(phase), Some(active)) = (secs <= 0.0, phase, self.stack.last_mut()) {
            // Another name for the same gait: what still fades below goes on.
            (active.state, active.phase) = (transition.to, phase);
            (active.entered_phase, active.landed) = (phase, false);
            return;
        }
        if secs <= 0.0 {
            self.stack.clear();
            self.enter(context, transition.to, transition.fade, phase);
            return;
        }
        // Where a layer appears or disappears only its weight can fade.
        let whole = context.sampler(transition.to).is_some()
            && self
                .stack
                .iter()
                .all(|v| context.sampler(v.state).is_some());
        let crowded = self.stack.len() >= MOST_ACTIVE;
        match kind {
            FadeKind::Inertial if whole => {
                self.begin_inertial(context, transition, phase, dt_secs, scratch, poses);
            }
            FadeKind::Smooth if whole && crowded => {
                self.begin_inertial(context, transition, phase, dt_secs, scratch, poses);
            }
            FadeKind::Frozen if whole => {
                // Into a pose apart: one already frozen may be part of it.
                self.pose(context, 0.0, scratch, &mut poses.mixed, &mut poses.old[0]);
                self.frozen.copy_from(&poses.old[0]);
                self.inertia.clear();
                self.stack.drain(..self.stack.len() - 1);
                self.stack[0].frozen = true;
                self.enter(context, transition.to, transition.fade, phase);
            }
            _ => {
                if self.stack.len() >= MOST_PARTIAL {
                    self.stack.remove(0);
                }
                self.enter(context, transition.to, transition.fade, phase);
            }
        }
    }

    fn begin_inertial(
        &mut self,
        context: &Context<'_>,
        transition: &Transition,
        phase: Option<f64>,
        dt_secs: f64,
        scratch: &mut SampleScratch,
        poses: &mut FadePoses,
    ) {
        let FadePoses { old, new, mixed } = poses;
        for (pose, ahead) in old.iter_mut().zip([0.0, dt_secs]) {
            self.pose(context, ahead, scratch, mixed, pose);
        }
        let old_displacement = self.displacement(context, dt_secs, scratch);
        self.stack.clear();
        self.inertia.clear();
        self.enter(context, transition.to, transition.fade, phase);
        for (pose, ahead) in new.iter_mut().zip([0.0, dt_secs]) {
            self.pose(context, ahead, scratch, mixed, pose);
        }
        let new_displacement = self.displacement(context, dt_secs, scratch);
        let from = Moving {
            now: &old[0],
            later: &old[1],
            displacement: old_displacement,
        };
        let to = Moving {
            now: &new[0],
            later: &new[1],
            displacement: new_displacement,
        };
        self.inertia
            .start(&from, &to, dt_secs, transition.fade.secs);
    }

    /// The phase that keeps the feet in step, if both states have one.
    fn phase_in_step(
        &self,
        context: &Context<'_>,
        transition: &Transition,
        scratch: &mut SampleScratch,
    ) -> Option<f64> {
        let asked = transition.sync || transition.stance_sync;
        let active = self.stack.last().filter(|_| asked)?;
        let old = context.sampler(active.state)?.stances(scratch)?;
        let new = context.sampler(transition.to)?.stances(scratch)?;
        Some(match transition.stance_sync {
            true => timeline::in_step(active.phase, old, new),
            false => active.phase,
        })
    }

    /// The share of its stance that a foot has done, over 1 while it swings.
    /// `None` for a state without gait.
    #[must_use]
    pub fn stance_passed(
        &self,
        context: &Context<'_>,
        leg: usize,
        scratch: &mut SampleScratch,
    ) -> Option<f64> {
        let active = self.stack.last()?;
        let stances = context.sampler(active.state)?.stances(scratch)?;
        Some(timeline::since_strike(active.phase, leg) / stances.get(leg)?)
    }

    /// True once a foot has come down in the current state.
    #[must_use]
    pub fn has_landed(&self) -> bool {
        self.stack.last().is_some_and(|active| active.landed)
    }

    /// Leads the layer on from a pose of another graph.
    pub fn resume_from(
        &mut self,
        context: &Context<'_>,
        state: usize,
        pose: &LocalPose,
        secs: f64,
        scratch: &mut SampleScratch,
    ) {
        self.stack.clear();
        self.enter(context, state, CUT, None);
        let (mut new, mut mixed) = (LocalPose::default(), LocalPose::default());
        self.pose(context, 0.0, scratch, &mut mixed, &mut new);
        let still = |pose| Moving {
            now: pose,
            later: pose,
            displacement: Planar::IDENTITY,
        };
        let (old, new) = (still(pose), still(&new));
        self.inertia.start(&old, &new, 1.0, secs);
    }

    /// [`Self::pose`] as it would be without inertia.
    pub fn settled_pose(
        &self,
        context: &Context<'_>,
        ahead_secs: f64,
        scratch: &mut SampleScratch,
        mixed: &mut LocalPose,
        pose: &mut LocalPose,
    ) -> f32 {
        let mut presence = 0.0;
        for (index, active) in self.stack.iter().enumerate() {
            let weight = whole_or_weight(index, active, ahead_secs) as f32;
            if weight <= 0.0 {
                continue;
            }
            let Some(sampler) = context.sampler(active.state) else {
                presence *= 1.0 - weight;
                continue;
            };
            let next = presence * (1.0 - weight) + weight;
            let target = if presence > 0.0 {
                &mut *mixed
            } else {
                &mut *pose
            };
            if active.frozen {
                target.copy_from(&self.frozen);
            } else {
                sampler.pose(active.phase, ahead_secs, scratch, target);
            }
            if presence > 0.0 {
                pose.mix(mixed, weight / next);
            }
            presence = next;
        }
        presence
    }

    /// The way over the ground in the next `dt_secs`.
    #[must_use]
    pub fn displacement(
        &self,
        context: &Context<'_>,
        dt_secs: f64,
        scratch: &mut SampleScratch,
    ) -> Planar {
        let mut displacement = Planar::IDENTITY;
        for (index, active) in self.stack.iter().enumerate() {
            let (_, own) = active.step(context, dt_secs, scratch);
            displacement = displacement.lerp(own, whole_or_weight(index, active, dt_secs));
        }
        self.with_inertia(displacement, dt_secs)
    }

    fn with_inertia(&self, displacement: Planar, dt_secs: f64) -> Planar {
        let left = self.inertia.displacement(dt_secs);
        Planar {
            position: displacement.position + left.position,
            heading: displacement.heading + left.heading,
        }
    }

    /// How much steering the active states allow, 0 to 1.
    #[must_use]
    pub fn steering(&self, context: &Context<'_>) -> f64 {
        let steered = self
            .state_weights()
            .filter(|&(state, _)| context.layer.states[state].steer);
        steered.map(|(_, weight)| f64::from(weight)).sum()
    }

    /// How much of the layer will have each foot on the ground `ahead_secs` from now.
    #[must_use]
    pub fn planted(
        &self,
        context: &Context<'_>,
        ahead_secs: f64,
        scratch: &mut SampleScratch,
    ) -> [f32; 2] {
        let mut planted = [0.0; 2];
        let all = self.stack.iter().zip(self.state_weights());
        for (active, (_, weight)) in all.filter(|(active, _)| !active.frozen) {
            if let Some(sampler) = context.sampler(active.state) {
                let phase = match ahead_secs > 0.0 {
                    true => sampler.step(active.phase, ahead_secs, scratch).0,
                    false => active.phase,
                };
                let own = sampler.planted(phase, scratch);
                planted = [0, 1].map(|leg| planted[leg] + weight * own[leg]);
            }
        }
        planted
    }

    /// One step of time; returns the way over the ground. Events of the
    /// current state are handed to `fire`; states that fade out fire none.
    pub fn advance(
        &mut self,
        context: &Context<'_>,
        dt_secs: f64,
        scratch: &mut SampleScratch,
        mut fire: impl FnMut(&str),
    ) -> Planar {
        let mut displacement = Planar::IDENTITY;
        let last = self.stack.len().saturating_sub(1);
        for (index, active) in self.stack.iter_mut().enumerate() {
            let (phase, own) = active.step(context, dt_secs, scratch);
            displacement = displacement.lerp(own, whole_or_weight(index, active, dt_secs));
            let sampler = context.sampler(active.state).filter(|_| index == last);
            if let Some(sampler) = sampler {
                // A state passes the moment it enters at as well.
                let before = 1e-9 * sampler.state.speed.signum();
                let from = active.phase - if active.fresh { before } else { 0.0 };
                let landed = &mut active.landed;
                sampler.events(from, phase, scratch, |name| {
                    *landed |= context.graph.steps.iter().any(|step| step == name);
                    fire(name);
                });
            }
            active.phase = phase;
            active.elapsed_secs += dt_secs;
            active.fresh = false;
        }
        let displacement = self.with_inertia(displacement, dt_secs);
        self.inertia.advance(dt_secs);
        let done = self
            .stack
            .iter()
            .rposition(|active| progress(active, 0.0) >= 1.0);
        if let Some(done) = done {
            self.stack.drain(..done);
        }
        displacement
    }
}

impl ActiveState {
    /// The phase `dt_secs` later and the way until then; none while frozen.
    fn step(
        &self,
        context: &Context<'_>,
        dt_secs: f64,
        scratch: &mut SampleScratch,
    ) -> (f64, Planar) {
        match context.sampler(self.state).filter(|_| !self.frozen) {
            Some(sampler) => sampler.step(self.phase, dt_secs, scratch),
            None => (self.phase, Planar::IDENTITY),
        }
    }
}

/// The lowest state is whole, those above are by their fade.
fn whole_or_weight(index: usize, active: &ActiveState, ahead_secs: f64) -> f64 {
    match index {
        0 => 1.0,
        _ => weight(active, ahead_secs).into(),
    }
}

fn progress(active: &ActiveState, ahead_secs: f64) -> f32 {
    if active.fade.secs <= 0.0 {
        return 1.0;
    }
    ((active.elapsed_secs + ahead_secs) / active.fade.secs).min(1.0) as f32
}

fn weight(active: &ActiveState, ahead_secs: f64) -> f32 {
    active.fade.ease.at(progress(active, ahead_secs))
}
