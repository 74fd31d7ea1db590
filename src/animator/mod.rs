//! Drives a character: states, fades, layers, blend spaces, root motion, IK.
//!
//! Station of the data walk between sampled clips and the model pose:
//!
//! ```text
//! animator.ron → parse → Description ─┐
//! RawClips → Take (loop, path, contacts, phase, events) ─┴→ build → Graph (shared, read only)
//! inputs → Parameters → per layer: machine → voices → pose ─┐
//!          layers over one another ← masks, additive ───────┘→ post (reach, look, feet) → LocalPose
//! ```
//!
//! An [`Animator`] is one character. Time runs in ticks of 1/120 s, whatever
//! the frame rate: inputs take effect on ticks, transitions start on ticks,
//! and a pose between two ticks is evaluated at its exact moment. The same
//! inputs therefore give the same poses at 30, 60 and 144 frames a second.
//!
//! Limits: one ground plane (or a height function); bone stretch is taken from
//! the first clip of a blend.

pub mod blend;
mod build;
mod check;
pub mod description;
mod driver;
mod feet;
pub mod graph;
pub mod ik;
mod inertia;
mod layer;
mod machine;
mod parameters;
mod parse;
mod playing;
mod post;
pub mod script;
pub mod space;
mod take;
pub mod timeline;
mod trace;

use std::{collections::VecDeque, f64::consts::TAU, sync::Arc};

use glam::Vec3;

pub use build::{BuildError, build};
pub use description::Description;
pub use driver::{Driver, Frame};
pub use graph::Graph;
pub use parameters::Parameters;
pub use parse::{GraphError, parse};
pub use post::Ground;
pub use script::{Input, Script, ScriptError, Timed};
pub use take::{ClipCursor, ClipSet, ClipSource, NoSuchState, Take, fill_states};
pub use trace::{TraceLayer, TraceLine};

use self::{
    graph::{Against, Mode},
    layer::{Context, FadePoses, LayerState},
    playing::Scratch,
    post::Post,
};
use crate::{
    clip::Planar,
    math::Transform,
    skeleton::{LocalPose, ModelPose},
};

/// The animator file that is built in.
pub const DEFAULT_GRAPH: &str = include_str!("../../assets/animator.ron");

/// Ticks a second.
pub const TICK_RATE: f64 = 120.0;
const TICK_SECS: f64 = 1.0 / TICK_RATE;
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
    scratch: Scratch,
    poses: Poses,
}

/// Poses that evaluation fills anew each time.
#[derive(Default)]
struct Poses {
    mixed: LocalPose,
    layer: LocalPose,
    reference: LocalPose,
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
            scratch: Scratch::default(),
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

    /// Looks at a point of the world, or no longer.
    pub fn look_at(&mut self, world: Option<Vec3>) {
        self.post.look_at(world);
    }

    /// Sends a limb of the graph to a point of the world, or no longer. False
    /// when there is no such limb.
    pub fn reach(&mut self, limb: &str, world: Option<Vec3>) -> bool {
        self.post.reach(&self.graph, limb, world)
    }

    /// The ground to stand on; flat at height 0 without.
    pub fn set_ground(&mut self, ground: Option<Ground>) {
        self.post.ground = ground;
    }

    /// Puts the character somewhere else.
    pub fn set_root(&mut self, root: Planar) {
        self.root = root;
        self.post.feet.fill(feet::Foot::default());
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

    /// States of a layer that sound, and their shares, which add up to 1.
    pub fn shares(&self, layer: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        self.layers[layer].shares()
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
        next.post.ground = self.post.ground.take();
        next.root = self.root;
        (next.tick, next.ahead_secs) = (self.tick, self.ahead_secs);
        (next.foot_lock, next.in_place) = (self.foot_lock, self.in_place);
        next.inputs = std::mem::take(&mut self.inputs);
        *self = next;
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
            if let Some(timed) = self.inputs.pop_front() {
                self.parameters.apply(&timed.input);
            }
        }
        self.parameters.step(TICK_SECS);
        self.transitions();
        self.parameters.age_triggers(TICK_SECS);
        let turn = self.steered(TICK_SECS);
        self.tick += 1;
        let way = self.advance_layers();
        self.root = self.root.then(self.along(way, turn));
        self.post.step(&self.graph, self.foot_lock, TICK_SECS);
        self.update_feet();
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
            if let Some(transition) = machine::choose(&context, state, &self.poses.states) {
                used.extend(machine::triggers(transition));
                let (scratch, poses) = (&mut self.scratch, &mut self.poses.fade);
                state.begin(&context, transition, TICK_SECS, scratch, poses);
            }
        }
        for trigger in used {
            self.parameters.consume(trigger);
        }
    }

    /// Lets time pass in every layer; the way is that of the first.
    fn advance_layers(&mut self) -> Planar {
        let time_secs = self.tick as f64 * TICK_SECS;
        let mut first_way = Planar::IDENTITY;
        let layers = self.graph.layers.iter().zip(&mut self.layers);
        for (index, (layer, state)) in layers.enumerate() {
            let context = Context {
                graph: &self.graph,
                layer,
                parameters: &self.parameters,
            };
            let way = state.advance(&context, TICK_SECS, &mut self.scratch, |name| {
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
                first_way = way;
            }
        }
        first_way
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
        let turn = self.parameters.value(parameter, 0.0).clamp(-1.0, 1.0);
        turn * radians_per_sec * dt_secs * layer.steering(&context)
    }

    /// The layers' way and what is steered, on the spot if so asked.
    fn along(&self, mut way: Planar, turn: f64) -> Planar {
        way.heading += turn;
        if self.in_place {
            way.position = glam::DVec2::ZERO;
        }
        way
    }

    /// Locks feet that have come to stand and frees those that lift.
    fn update_feet(&mut self) {
        if self.post.feet.is_empty() {
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let (context, layer) = self.base();
        let planted = layer.planted(&context, &mut scratch);
        let carried = layer.inertia_left();
        self.scratch = scratch;
        for (leg, planted) in planted.into_iter().enumerate().take(self.post.feet.len()) {
            let locked = self.post.feet[leg].is_locked();
            // While an inertial fade still carries a foot it does not come to
            // stand, whatever the new clip says.
            let planted = if locked {
                planted
            } else {
                planted * (1.0 - carried)
            };
            let lock = planted > 0.5 && self.foot_lock && !self.in_place;
            if lock != locked {
                let spot = self.ball(leg);
                self.post.feet[leg].set_locked(lock, spot, &self.graph.foot_lock);
            }
        }
    }

    /// Where the animation alone has the ball of a foot, world X and Z.
    fn ball(&mut self, leg: usize) -> glam::DVec2 {
        let mut pose = std::mem::take(&mut self.poses.whole);
        self.base_pose(0.0, &mut pose);
        let mut model = std::mem::take(&mut self.poses.model);
        model.compute(&self.graph.skeleton, &pose);
        let ball = model.joints()[usize::from(self.graph.legs[leg].joints.ball)].translation;
        (self.poses.whole, self.poses.model) = (pose, model);
        feet::ground_point(self.root.transform(), ball)
    }

    /// All layers over one another, before the post-process.
    fn base_pose(&mut self, ahead_secs: f64, pose: &mut LocalPose) {
        let Poses {
            mixed,
            layer: own,
            reference,
            ..
        } = &mut self.poses;
        let layers = self.graph.layers.iter().zip(&self.layers);
        for (index, (layer, state)) in layers.enumerate() {
            let context = Context {
                graph: &self.graph,
                layer,
                parameters: &self.parameters,
            };
            if index == 0 {
                state.pose(&context, ahead_secs, &mut self.scratch, mixed, pose);
                continue;
            }
            let weight = state.pose(&context, ahead_secs, &mut self.scratch, mixed, own);
            let (weight, mask) = (weight * layer.weight, layer.mask.weights());
            if weight <= 0.0 {
                continue;
            }
            match layer.mode {
                Mode::Override => {
                    blend::mix_masked(pose.joints_mut(), own.joints(), mask, weight);
                }
                Mode::Additive(against) => {
                    let share = state.played(&context);
                    self.scratch
                        .reference(&self.graph, against, share, reference);
                    let (joints, own) = (pose.joints_mut(), own.joints());
                    blend::add_masked(joints, own, reference.joints(), mask, weight);
                }
            }
        }
    }

    /// The pose at the present moment, in model space, whose origin is on the
    /// ground under the character; `model` is brought up to date. Returns where
    /// that origin stands in the world.
    pub fn pose(&mut self, pose: &mut LocalPose, model: &mut ModelPose) -> Transform {
        let ahead_secs = self.ahead_secs;
        self.base_pose(ahead_secs, pose);
        let root = self.root_ahead();
        let mut world_from_model = root.transform();
        let (x, z) = (root.position.x as f32, root.position.y as f32);
        world_from_model.translation.y = self.post.ground_height(x, z);
        self.post
            .apply(&self.graph, world_from_model, ahead_secs, pose, model);
        world_from_model
    }

    fn root_ahead(&mut self) -> Planar {
        if self.ahead_secs <= 0.0 {
            return self.root;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let (context, layer) = self.base();
        let way = layer.way(&context, self.ahead_secs, &mut scratch);
        self.scratch = scratch;
        let turn = self.steered(self.ahead_secs);
        self.root.then(self.along(way, turn))
    }

    /// Where the character stands and looks at the present moment.
    #[must_use]
    pub fn root(&mut self) -> Planar {
        self.root_ahead()
    }

    /// What there is to tell of the present moment; takes the events.
    pub fn trace(&mut self) -> TraceLine {
        let root = self.root_ahead();
        let (x, z) = (root.position.x as f32, root.position.y as f32);
        let layers = self.graph.layers.iter().zip(&self.layers);
        let layers = layers.map(|(layer, state)| TraceLayer {
            name: layer.name.clone(),
            state: layer.states[state.state()].name.clone(),
            previous: state.previous().map(|s| layer.states[s].name.clone()),
            fade: state.fade_progress(self.ahead_secs),
            weight: layer.weight * state.presence(layer),
        });
        TraceLine {
            t: self.time_secs(),
            mode: "drive".to_owned(),
            layers: layers.collect(),
            root: [x, self.post.ground_height(x, z), z],
            heading: crate::clip::nearest_turn(root.heading % TAU, 0.0),
            phase: self.layers[0].phase().rem_euclid(1.0),
            events: self.take_events().into_iter().map(|f| f.name).collect(),
            frame_ms: 0.0,
        }
    }
}

impl Scratch {
    /// The pose an additive layer takes its difference to.
    fn reference(&mut self, graph: &Graph, against: Against, share: f64, pose: &mut LocalPose) {
        let (take, secs) = match against {
            Against::Rest => return pose.copy_from(graph.skeleton.rest()),
            Against::Pose(take, secs) => (&graph.takes[take], secs),
            Against::Running(take) => {
                let take = &graph.takes[take];
                (take, share.rem_euclid(1.0) * take.clip.duration_secs())
            }
        };
        // The cursor of a reference would be of no use: it hardly moves.
        let mut cursor = ClipCursor::default();
        take.source.sample(&graph.skeleton, secs, &mut cursor, pose);
        let root = &mut pose.joints_mut()[0];
        *root = take.root.remove(secs, *root);
    }
}
