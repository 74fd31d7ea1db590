//! What an animator does to a character, and where it led in the last seconds.

use std::{collections::VecDeque, sync::Arc};

use super::feet::{DrivenFeet, LOOK_TICKS};
use crate::{
    animator::{Animator, Graph, MotionRecorder, RecordedMotion, TICK_RATE},
    body::Body,
    clip::Planar,
    math::Transform,
    posing::{Footing, PoseAction, PoseContext, PoseError, Posing, Start},
    skeleton::{LocalPose, ModelPose, Skeleton, WorldPose},
};

/// Seconds of a driven motion that are remembered.
const HISTORY_SECS: f64 = 2.0;
/// A pose is remembered every so many ticks.
const HISTORY_TICKS: u64 = 2;

/// What the animator does, and where it led in the last seconds.
pub struct DrivenMotion {
    pub(super) animator: Animator,
    /// Ticks and poses, oldest first.
    history: VecDeque<(u64, WorldPose)>,
    /// While the motion is taken down, a frame a tick.
    recorder: Option<MotionRecorder>,
    /// What could not be done to the pose, until somebody asks.
    faults: Vec<PoseError>,
    local: LocalPose,
    model: ModelPose,
    world: WorldPose,
    feet: DrivenFeet,
    /// Where the animator says it looks, about Y.
    pub(super) heading_rad: f32,
    /// Events that nobody has taken yet, and when they came.
    passed: Vec<(f64, String)>,
    /// When each event came last.
    last: Vec<(String, f64)>,
    /// Up to when events are known.
    heard_secs: f64,
}

/// What a driven motion is posed in.
pub(super) struct Stage<'a> {
    pub skeleton: &'a Skeleton,
    pub body: &'a Body,
    pub posing: &'a mut Posing,
    /// From where the animator has the character to where it stands.
    pub offset: Transform,
    pub start: Start,
}

impl std::fmt::Debug for DrivenMotion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let states: Vec<&str> = self.animator.states().collect();
        write!(f, "DrivenMotion({})", states.join(", "))
    }
}

impl DrivenMotion {
    pub(super) fn new(graph: Arc<Graph>) -> Self {
        Self {
            animator: Animator::new(graph),
            history: VecDeque::new(),
            recorder: None,
            faults: Vec::new(),
            local: LocalPose::default(),
            model: ModelPose::default(),
            world: WorldPose::default(),
            feet: DrivenFeet::default(),
            heading_rad: 0.0,
            passed: Vec::new(),
            last: Vec::new(),
            heard_secs: f64::NEG_INFINITY,
        }
    }

    /// Runs to a moment, tick by tick: what is done to the pose is done, and
    /// poses are remembered, at times that do not depend on how often this is
    /// called.
    pub(super) fn advance_to(&mut self, time_secs: f64, stage: &mut Stage<'_>) {
        let ticks = |secs: f64| (secs * TICK_RATE + 1e-6).floor() as u64;
        let (first, last) = (ticks(self.animator.time_secs()), ticks(time_secs));
        let begun = self.animator.take_first_pose_actions();
        if self.history.is_empty() || !begun.is_empty() {
            self.act(begun, stage);
            self.pose_tick(first, self.history.is_empty(), stage);
        }
        for tick in first + 1..=last {
            self.animator.advance_to(tick as f64 / TICK_RATE);
            let actions = self.animator.take_pose_actions();
            self.act(actions, stage);
            stage.posing.step(1.0 / TICK_RATE);
            stage.posing.step_fall(1.0 / TICK_RATE);
            // A long stall is not remembered whole.
            let recent = ((last - tick) as f64) < HISTORY_SECS * TICK_RATE;
            let remembers = recent && tick.is_multiple_of(HISTORY_TICKS);
            if remembers || self.recorder.is_some() || !stage.posing.is_idle() {
                self.pose_tick(tick, remembers, stage);
            }
        }
        self.animator.advance_to(time_secs);
        self.listen();
    }

    /// Does to the pose what its script asks for.
    fn act(&mut self, actions: Vec<PoseAction>, stage: &mut Stage<'_>) {
        for action in actions {
            let (skeleton, start) = (stage.skeleton, stage.start);
            let done = match &action {
                PoseAction::Morph { target, weight } => {
                    let morphs = stage.posing.morphs_mut();
                    morphs.weigh(stage.body, target.as_deref(), *weight)
                }
                _ => stage.posing.act(&action, skeleton, start, &self.world),
            };
            self.faults.extend(done.err());
            match action {
                PoseAction::FootLock(on) => self.animator.set_foot_lock(on),
                PoseAction::InPlace(on) => self.animator.set_in_place(on),
                _ => {}
            }
        }
    }

    /// Takes down what fired, and leaves it to the animator: others listen too.
    fn listen(&mut self) {
        let heard = self.heard_secs;
        let fresh = self.animator.fired().iter();
        for fired in fresh.filter(|it| it.time_secs > heard) {
            self.heard_secs = fired.time_secs;
            self.passed.push((fired.time_secs, fired.name.clone()));
            if let Some(recorder) = &mut self.recorder {
                recorder.mark(fired.time_secs, &fired.name);
            }
            self.last.retain(|(name, _)| *name != fired.name);
            self.last.push((fired.name.clone(), fired.time_secs));
        }
    }

    pub(super) fn take_passed(&mut self) -> Vec<(f64, String)> {
        std::mem::take(&mut self.passed)
    }

    /// When an event came last, seconds of the animator.
    pub(super) fn last_secs(&self, event: &str) -> Option<f64> {
        let known = self.last.iter().find(|(name, _)| name == event);
        known.map(|(_, secs)| *secs)
    }

    fn pose_tick(&mut self, tick: u64, remembers: bool, stage: &mut Stage<'_>) {
        let placed = self.animator.pose(&mut self.local, &mut self.model);
        let world_from_model = stage.offset * placed;
        match stage.posing.ground() {
            None => self.feet.clear(),
            Some(ground) if tick.is_multiple_of(LOOK_TICKS) => {
                let (soles, now) = (stage.posing.soles(), (&self.model, world_from_model));
                let animator = (&mut self.animator, stage.offset);
                self.feet.look(animator, soles, ground, now);
            }
            Some(_) => {}
        }
        let context = PoseContext {
            skeleton: stage.skeleton,
            world_from_model,
            footing: self.footing(),
            body: stage.body,
            moment: None,
        };
        let (local, model) = (&mut self.local, &mut self.model);
        stage.posing.apply(context, local, model, &mut self.world);
        self.go_on_elsewhere(stage.posing, stage.offset);
        if let Some(recorder) = &mut self.recorder {
            recorder.put(&self.local, context.world_from_model);
        }
        if remembers {
            let full = self.history.len() as f64 * HISTORY_TICKS as f64 > HISTORY_SECS * TICK_RATE;
            // The oldest pose lends its memory to the newest.
            let oldest = if full { self.history.pop_front() } else { None };
            let mut pose = oldest.map_or_else(WorldPose::default, |(_, pose)| pose);
            pose.clone_from(&self.world);
            self.history.push_back((tick, pose));
        }
    }

    /// Whoever fell is driven on from where they stand up.
    pub(super) fn go_on_elsewhere(&mut self, posing: &mut Posing, offset: Transform) {
        if let Some(carry) = posing.fall_mut().take_carry() {
            let world = Planar::of(offset);
            let root = carry.then(world).then(self.animator.root_at_tick());
            self.animator.set_root(world.until(root));
            self.feet.clear();
        }
    }

    /// Where feet and hips go now on the ground that is there.
    pub(super) fn footing(&self) -> Footing {
        self.feet.at(self.animator.time_secs())
    }

    /// Takes down the motion from now on, a frame a tick.
    pub(super) fn start_recording(&mut self, stage: &mut Stage<'_>) {
        let now_secs = self.animator.time_secs();
        let tick = (now_secs * TICK_RATE + 1e-6).floor() as u64;
        self.recorder = Some(MotionRecorder::from(tick as f64 / TICK_RATE));
        self.pose_tick(tick, false, stage);
    }

    pub(super) fn recorded_secs(&self) -> Option<f64> {
        let recorder = self.recorder.as_ref()?;
        Some((recorder.frames() - 1) as f64 / TICK_RATE)
    }

    pub(super) fn take_recording(&mut self, name: &str) -> Option<RecordedMotion> {
        let skeleton = &self.animator.graph().skeleton;
        Some(self.recorder.take()?.into_motion(name, skeleton, TICK_RATE))
    }

    /// What could not be done since the last call.
    pub(super) fn take_faults(&mut self) -> Vec<PoseError> {
        std::mem::take(&mut self.faults)
    }

    pub(super) fn past_pose(&self, secs: f64) -> Option<&WorldPose> {
        let known_secs = |(tick, _): &(u64, WorldPose)| *tick as f64 / TICK_RATE;
        let after = self.history.partition_point(|it| known_secs(it) < secs);
        self.history.get(after).map(|(_, pose)| pose)
    }

    pub(super) fn known_secs(&self) -> (f64, f64) {
        let secs = |known: Option<&(u64, WorldPose)>| {
            known.map_or(0.0, |(tick, _)| *tick as f64 / TICK_RATE)
        };
        (secs(self.history.front()), secs(self.history.back()))
    }
}
