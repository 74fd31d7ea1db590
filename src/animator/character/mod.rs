//! One character: its time, its inputs, its states.

mod evaluate;
mod footwork;
mod upcoming;

pub use upcoming::Coming;

pub use footwork::StanceAhead;

use std::{collections::VecDeque, sync::Arc};

use glam::{DVec2, Quat};

use super::{
    feet::FootHold,
    graph::{self, Graph},
    layer::{Context, FadePoses, LayerState},
    machine,
    parameters::Parameters,
    post::Post,
    script::{Input, Timed},
    state_sampler::SampleScratch,
};
use crate::{
    clip::Planar,
    posing::PoseAction,
    skeleton::{LocalPose, ModelPose},
};

/// Ticks a second.
pub const TICK_RATE: f64 = 120.0;
const TICK_SECS: f64 = 1.0 / TICK_RATE;
/// Over which a fade feels how fast both motions go. A single tick would
/// magnify the noise of a capture and a codec's error: 1 mm that comes and goes
/// from one frame to the next is 12 cm/s, which carries a hand by 4 mm.
const VELOCITY_SPAN_SECS: f64 = 5.0 * TICK_SECS;
/// Seconds of fade when a graph is replaced while it runs.
const RELOAD_SECS: f64 = 0.25;

/// An event that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Fired {
    /// Seconds from the start, at the end of its tick.
    pub time_secs: f64,
    /// Which layer.
    pub layer: usize,
    /// What.
    pub name: String,
}

/// One character.
pub struct Animator {
    graph: Arc<Graph>,
    parameters: Parameters,
    layers: Vec<LayerState>,
    root: Planar,
    post: Post,
    foot_lock: bool,
    in_place: bool,
    tick: u64,
    ahead_secs: f64,
    inputs: VecDeque<Timed>,
    fired: Vec<Fired>,
    pose_actions: Vec<PoseAction>,
    scratch: SampleScratch,
    poses: Poses,
}

/// Poses that evaluation fills anew each time.
#[derive(Default)]
struct Poses {
    mixed: LocalPose,
    layer: LocalPose,
    reference: LocalPose,
    turned: Vec<Quat>,
    whole: LocalPose,
    model: ModelPose,
    fade: FadePoses,
    states: Vec<usize>,
}

impl Animator {
    /// In the first state of every layer, at the origin, looking along +Z.
    #[must_use]
    pub fn new(graph: Arc<Graph>) -> Self {
        let parameters = Parameters::new(Arc::clone(&graph));
        let layers = graph.layers.iter().map(|layer| {
            LayerState::new(&Context {
                graph: &graph,
                layer,
                parameters: &parameters,
            })
        });
        Self {
            layers: layers.collect(),
            post: Post::new(&graph),
            parameters,
            graph,
            root: Planar::IDENTITY,
            foot_lock: true,
            in_place: false,
            tick: 0,
            ahead_secs: 0.0,
            inputs: VecDeque::new(),
            fired: Vec::new(),
            pose_actions: Vec::new(),
            scratch: SampleScratch::default(),
            poses: Poses::default(),
        }
    }

    /// What drives it.
    #[must_use]
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The numbers and switches it goes by.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Seconds from the start.
    #[must_use]
    pub fn time_secs(&self) -> f64 {
        self.tick as f64 * TICK_SECS + self.ahead_secs
    }

    /// Something the user does at a moment, which should not be past: it takes
    /// effect on the first tick from then on.
    pub fn input(&mut self, at_secs: f64, input: Input) {
        let later = self
            .inputs
            .partition_point(|timed| timed.at_secs <= at_secs);
        self.inputs.insert(later, Timed { at_secs, input });
    }

    /// Stays on the spot while it plays, or moves through the world.
    pub fn set_in_place(&mut self, in_place: bool) {
        self.in_place = in_place;
    }

    /// Switches the foot lock, which fades.
    pub fn set_foot_lock(&mut self, on: bool) {
        self.foot_lock = on;
    }

    /// What was done to the pose since the last call, in order: whoever owns the
    /// character does it.
    pub fn take_pose_actions(&mut self) -> Vec<PoseAction> {
        std::mem::take(&mut self.pose_actions)
    }

    /// What is to be done to the pose from the very first moment on, before
    /// anything has moved.
    pub fn take_first_pose_actions(&mut self) -> Vec<PoseAction> {
        if self.tick > 0 {
            return Vec::new();
        }
        let mut actions = Vec::new();
        self.inputs.retain(|timed| match &timed.input {
            Input::Pose(action) if timed.at_secs <= 0.0 => {
                actions.push(action.clone());
                false
            }
            _ => true,
        });
        actions
    }

    /// Where it stood and looked at the last tick.
    #[must_use]
    pub fn root_at_tick(&self) -> Planar {
        self.root
    }

    /// Puts the character somewhere else.
    pub fn set_root(&mut self, root: Planar) {
        self.root = root;
        self.post.feet.fill(FootHold::default());
    }

    /// Names of the states the layers are in.
    pub fn states(&self) -> impl Iterator<Item = &str> {
        let layers = self.graph.layers.iter().zip(&self.layers);
        layers.map(|(layer, state)| layer.states[state.state()].name.as_str())
    }

    /// Which leg's foot is held by the foot lock.
    #[must_use]
    pub fn is_foot_locked(&self, leg: usize) -> bool {
        self.post.feet.get(leg).is_some_and(|foot| foot.is_locked())
    }

    /// Which leg's foot is on its way to another place, because a fade would
    /// have dragged it or it stood out of place.
    #[must_use]
    pub fn is_foot_stepping(&self, leg: usize) -> bool {
        self.post
            .feet
            .get(leg)
            .is_some_and(|foot| foot.is_stepping())
    }

    /// Active states of a layer and their weights, which add up to 1.
    pub fn state_weights(&self, layer: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        self.layers[layer].state_weights()
    }

    /// Events since they were taken last.
    #[must_use]
    pub fn fired(&self) -> &[Fired] {
        &self.fired
    }

    /// Events since the last call.
    pub fn take_events(&mut self) -> Vec<Fired> {
        std::mem::take(&mut self.fired)
    }

    /// Goes on with another graph of the same skeleton, in the states of the
    /// same names where there are such; the pose fades over.
    pub fn reload(&mut self, graph: Arc<Graph>) {
        let mut pose = LocalPose::default();
        self.base_pose(0.0, &mut pose);
        let names: Vec<String> = self.states().map(str::to_owned).collect();
        let old = Arc::clone(&self.graph);
        let mut next = Self::new(graph);
        if let (Some(name), Some(layer)) = (names.first(), next.graph.layers.first())
            && pose.joints().len() == next.graph.skeleton.len()
        {
            let state = layer.states.iter().position(|state| state.name == *name);
            let context = Context {
                graph: &next.graph,
                layer,
                parameters: &next.parameters,
            };
            let scratch = &mut next.scratch;
            next.layers[0].resume_from(&context, state.unwrap_or(0), &pose, RELOAD_SECS, scratch);
        }
        if old.legs == next.graph.legs {
            next.post.feet.clone_from(&self.post.feet);
        }
        next.root = self.root;
        (next.tick, next.ahead_secs) = (self.tick, self.ahead_secs);
        (next.foot_lock, next.in_place) = (self.foot_lock, self.in_place);
        next.inputs = std::mem::take(&mut self.inputs);
        next.pose_actions = std::mem::take(&mut self.pose_actions);
        *self = next;
    }

    /// Changes a layer's weight, mask or fades while it runs. States,
    /// transitions and their targets must stay as many and where they are.
    pub fn tune(&mut self, layer: usize, change: impl FnOnce(&mut graph::Layer)) {
        if let Some(layer) = Arc::make_mut(&mut self.graph).layers.get_mut(layer) {
            change(layer);
        }
        self.parameters.set_graph(Arc::clone(&self.graph));
    }

    /// Runs to a moment; times past do nothing.
    pub fn advance_to(&mut self, time_secs: f64) {
        let target = (time_secs * TICK_RATE + 1e-6).floor() as u64;
        while self.tick < target {
            self.step();
        }
        self.ahead_secs = (time_secs - self.tick as f64 * TICK_SECS).clamp(0.0, TICK_SECS);
    }

    /// One tick.
    fn step(&mut self) {
        let now_secs = self.tick as f64 * TICK_SECS;
        while self
            .inputs
            .front()
            .is_some_and(|next| next.at_secs <= now_secs + 1e-6)
        {
            match self.inputs.pop_front().map(|timed| timed.input) {
                Some(Input::Pose(action)) => self.pose_actions.push(action),
                Some(input) => self.parameters.apply(&input),
                None => {}
            }
        }
        self.parameters.step(TICK_SECS);
        self.transitions();
        self.parameters.age_triggers(TICK_SECS);
        let steered_rad = self.steered(TICK_SECS);
        self.tick += 1;
        let displacement = self.advance_layers();
        self.root = self.root.then(self.along(displacement, steered_rad));
        let fading = self.layers[0].carries_feet();
        self.post
            .step(&self.graph, self.foot_lock, fading, TICK_SECS);
        self.update_feet();
        let clearances_m = self.clearances_m(0.0);
        let clearing = self.post.clearing.iter_mut().zip(clearances_m);
        clearing.for_each(|(it, metres)| it.follow(metres, TICK_SECS));
    }

    fn transitions(&mut self) {
        let graph = Arc::clone(&self.graph);
        self.poses.states.clear();
        self.poses
            .states
            .extend(self.layers.iter().map(LayerState::state));
        let mut used = Vec::new();
        for (layer, state) in graph.layers.iter().zip(&mut self.layers) {
            let context = Context {
                graph: &graph,
                layer,
                parameters: &self.parameters,
            };
            let scratch = &mut self.scratch;
            if let Some(transition) = machine::choose(&context, state, &self.poses.states, scratch)
            {
                used.extend(machine::triggers(transition));
                let poses = &mut self.poses.fade;
                state.begin(&context, transition, VELOCITY_SPAN_SECS, scratch, poses);
            }
        }
        for trigger in used {
            self.parameters.consume(trigger);
        }
    }

    /// Lets time pass in every layer; the way is that of the first.
    fn advance_layers(&mut self) -> Planar {
        let time_secs = self.tick as f64 * TICK_SECS;
        let mut first_displacement = Planar::IDENTITY;
        let layers = self.graph.layers.iter().zip(&mut self.layers);
        for (index, (layer, state)) in layers.enumerate() {
            let context = Context {
                graph: &self.graph,
                layer,
                parameters: &self.parameters,
            };
            let displacement = state.advance(&context, TICK_SECS, &mut self.scratch, |name| {
                // Only the first layer has feet on the ground.
                if index == 0 || !self.graph.steps.iter().any(|step| step == name) {
                    self.fired.push(Fired {
                        time_secs,
                        layer: index,
                        name: name.to_owned(),
                    });
                }
            });
            if index == 0 {
                first_displacement = displacement;
            }
        }
        first_displacement
    }

    /// The first layer, and what it reads.
    fn base(&self) -> (Context<'_>, &LayerState) {
        let context = Context {
            graph: &self.graph,
            layer: &self.graph.layers[0],
            parameters: &self.parameters,
        };
        (context, &self.layers[0])
    }

    /// Radians that are steered by hand in the next `dt_secs`.
    fn steered(&self, dt_secs: f64) -> f64 {
        let Some((parameter, radians_per_sec)) = self.graph.steering else {
            return 0.0;
        };
        let (context, layer) = self.base();
        let input = self.parameters.value(parameter, 0.0).clamp(-1.0, 1.0);
        input * radians_per_sec * dt_secs * layer.steering(&context)
    }

    /// The layers' way and what is steered, on the spot if so asked.
    fn along(&self, mut displacement: Planar, steered_rad: f64) -> Planar {
        displacement.heading += steered_rad;
        if self.in_place {
            displacement.position = DVec2::ZERO;
        }
        displacement
    }
}
