//! The animator file as it is written: the editable half of the graph.
//!
//! Field for field what the RON file holds, names still names. [`super::Graph`]
//! is the other half: checked, names resolved, read only. RON lets a file write
//! a struct's name before its brackets, so renamed ones keep their first names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{clip::Wrap, math::Ease};

pub use super::motion_description::{At1d, At2d, Child, MotionDescription, Over, WeightedClip};

/// A whole animator file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// What transitions and blend spaces look at.
    pub parameters: BTreeMap<String, ParameterKind>,
    /// What keys do to parameters.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bindings: Vec<BindingDescription>,
    /// The parameter that turns the character, and how fast.
    #[serde(default, skip_serializing_if = "is_default")]
    pub steering: Option<Steering>,
    /// A bool; while it is on fades cut and blends play the weightiest clip
    /// alone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub no_blending: Option<String>,
    /// Parts of the body.
    #[serde(default, skip_serializing_if = "is_default")]
    pub masks: BTreeMap<String, MaskDescription>,
    /// Legs, left then right, for contacts, gait phase and foot lock.
    #[serde(default, skip_serializing_if = "is_default")]
    pub legs: Vec<LegNames>,
    /// How standing feet are held.
    #[serde(default, skip_serializing_if = "is_default")]
    pub foot_lock: FootLock,
    /// The chain that looks at a target.
    #[serde(default, skip_serializing_if = "is_default")]
    pub look: Option<LookDescription>,
    /// How far joints may be turned by what is added.
    #[serde(default, skip_serializing_if = "is_default")]
    pub guard: Option<GuardDescription>,
    /// Limbs that can be sent to a target.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reaches: Vec<ReachDescription>,
    /// Events added to clips; footsteps are found without being told.
    #[serde(default, skip_serializing_if = "is_default")]
    pub events: BTreeMap<String, Vec<EventAt>>,
    /// From the bottom up. The first moves the whole body and the root.
    pub layers: Vec<LayerDescription>,
}

/// What a parameter is, and where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum ParameterKind {
    /// On or off.
    Bool(bool),
    /// A number that follows what it is set to.
    Float {
        /// Start value.
        value: f64,
        /// Seconds in which the distance to the target about halves; 0 jumps.
        #[serde(default, skip_serializing_if = "is_default")]
        half_life: f64,
    },
    /// Fires once, is consumed by the transition that uses it, and is
    /// forgotten when none does within `buffer` seconds.
    Trigger {
        /// Seconds.
        buffer: f64,
    },
}

/// One control, one effect. A control may be bound several times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Binding", deny_unknown_fields)]
pub struct BindingDescription {
    /// A key, a mouse button, or a button or half an axis of a gamepad: `W`,
    /// `Shift`, `Click`, `PadSouth`, `LeftStickUp` …
    pub key: String,
    /// The effect.
    pub does: KeyEffect,
    /// What the overlay says of it; else the parameter's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub says: String,
}

/// What a held or pressed control does. One that is held half-way, such as a
/// stick, pushes half as much, and counts as down from one half on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum KeyEffect {
    /// The bool is on while the key is down.
    Hold(String),
    /// The number's target is this much higher while the key is down.
    Push(String, f64),
    /// The trigger fires when the key goes down.
    Fire(String),
}

impl BindingDescription {
    /// What it is for: in its own words, else by its parameter.
    #[must_use]
    pub fn words(&self) -> &str {
        match (&self.says, &self.does) {
            (says, _) if !says.is_empty() => says,
            (_, KeyEffect::Hold(name) | KeyEffect::Push(name, _) | KeyEffect::Fire(name)) => name,
        }
    }
}

/// Turning by hand, added to what the clips turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steering {
    /// +1 turns left, −1 right.
    pub by: String,
    /// At ±1.
    pub degrees_per_sec: f64,
}

/// A subtree with a soft upper edge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Mask", deny_unknown_fields)]
pub struct MaskDescription {
    /// Topmost joint.
    pub from: String,
    /// Joints over which the weight grows to 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub feather: u32,
    /// Joints with a weight of their own, 0 to 1; one that a skeleton lacks is
    /// passed over.
    #[serde(default, skip_serializing_if = "is_default")]
    pub joints: BTreeMap<String, f32>,
}

/// Joints of a leg. A name may list alternatives: `lfemur|LeftUpLeg`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegNames {
    /// Name of the footstep event.
    pub step: String,
    /// Start of the thigh.
    pub hip: String,
    /// Start of the shin.
    pub knee: String,
    /// Start of the foot.
    pub ankle: String,
    /// Start of the toes.
    pub ball: String,
}

/// Settings of the foot lock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FootLock {
    /// 0 is off, 1 is full.
    pub weight: f32,
    /// Seconds in which a foot that leaves the ground returns to its clip.
    pub release_secs: f64,
    /// A foot is held at most this far from where its clip has it.
    pub reach_m: f32,
}

impl Default for FootLock {
    fn default() -> Self {
        Self {
            weight: 1.0,
            release_secs: 0.2,
            reach_m: 0.15,
        }
    }
}

/// A chain, from its base outward, whose end looks along its rest +Z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Look", deny_unknown_fields)]
pub struct LookDescription {
    /// Joints and the most each may turn, in degrees.
    pub chain: Vec<(String, f32)>,
    /// Seconds in which the look fades in and out by about half.
    pub half_life: f64,
}

/// Limits of joints, for what additive layers do to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Guard", deny_unknown_fields)]
pub struct GuardDescription {
    /// A number, 0 to 1, of how much it does; all without one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub by: Option<String>,
    /// Whether joints that are not listed have the limits of a human's.
    #[serde(default, skip_serializing_if = "is_default")]
    pub human: bool,
    /// Joints with limits of their own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub joints: Vec<GuardedJointDescription>,
}

/// How far a joint turns from rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Limit", deny_unknown_fields)]
pub struct GuardedJointDescription {
    /// Which.
    pub joint: String,
    /// Degrees that its bone swings.
    pub swing: f32,
    /// Degrees that it twists about its bone.
    pub twist: f32,
}

/// A limb of two bones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Reach", deny_unknown_fields)]
pub struct ReachDescription {
    /// What callers name it.
    pub name: String,
    /// Start of the upper bone.
    pub root: String,
    /// Start of the lower bone.
    pub middle: String,
    /// What arrives at the target.
    pub end: String,
    /// Direction in model space to which the middle bends.
    pub pole: [f32; 3],
    /// Seconds in which it fades in and out by about half.
    pub half_life: f64,
}

/// A named moment of a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventAt {
    /// Share of the clip, 0 to 1.
    pub at: f64,
    /// The event.
    pub name: String,
}

/// One state machine and the part of the body it moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Layer", deny_unknown_fields)]
pub struct LayerDescription {
    /// Unique.
    pub name: String,
    /// Everything when left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mask: Option<String>,
    /// How it meets the layers below.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: BlendMode,
    /// 0 to 1, …
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub weight: f32,
    /// … times this parameter, if any.
    #[serde(default, skip_serializing_if = "is_default")]
    pub weight_by: Option<String>,
    /// The first is where the layer starts.
    pub states: Vec<StateDescription>,
    /// Of those that may run the one with the highest priority runs, of equal
    /// ones the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub transitions: Vec<TransitionDescription>,
}

/// How a layer meets those below.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum BlendMode {
    /// Replaces them.
    #[default]
    Override,
    /// Adds its difference S·R⁻¹ to a reference.
    Additive(ReferenceDescription),
}

/// What an additive layer takes the difference to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReferenceDescription {
    /// The skeleton's rest pose.
    Rest,
    /// One moment of a clip, 0 to 1.
    Pose(String, f64),
    /// A clip that runs along, matched by share of its length.
    Clip(String),
}

/// One state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "State", deny_unknown_fields)]
pub struct StateDescription {
    /// Unique in its layer.
    pub name: String,
    /// What it plays.
    pub motion: MotionDescription,
    /// What happens at the end.
    #[serde(default, skip_serializing_if = "is_default")]
    pub wrap: Wrap,
    /// Playback rate; negative plays backwards.
    #[serde(default = "one_f64", skip_serializing_if = "is_one")]
    pub speed: f64,
    /// Share of the clip at which it starts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub start: f64,
    /// False leaves the character on the spot.
    #[serde(default = "yes", skip_serializing_if = "is_on")]
    pub root_motion: bool,
    /// True lets the steering parameter turn the character.
    #[serde(default = "yes", skip_serializing_if = "is_on")]
    pub steer: bool,
    /// For a state that finishes what it began: the share of the clip after
    /// which input may leave it (1 for "not before the end").
    #[serde(default, skip_serializing_if = "is_default")]
    pub leave_from: Option<f64>,
    /// Where the editor's graph draws it: points from its upper left corner.
    #[serde(default, skip_serializing_if = "is_default")]
    pub place: Option<(f32, f32)>,
}

/// A way from one state to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Transition", deny_unknown_fields)]
pub struct TransitionDescription {
    /// Where it may start.
    pub from: TransitionFrom,
    /// Where it leads.
    pub to: String,
    /// All must hold.
    #[serde(default, skip_serializing_if = "is_default")]
    pub when: Vec<ConditionDescription>,
    /// Higher goes first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub priority: i32,
    /// How it looks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fade: Fade,
    /// True starts the new state in step with the old one: at its phase.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sync: bool,
    /// True starts it as far through the stance of the foot that struck last, or
    /// through what follows it, as the old one is.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stance_sync: bool,
}

/// States a transition may start from; never its own target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TransitionFrom {
    /// All of the layer.
    Any,
    /// These.
    Only(Vec<String>),
    /// All but these.
    Except(Vec<String>),
}

/// Something that holds or does not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ConditionDescription {
    /// A bool is on.
    On(String),
    /// A bool is off.
    Off(String),
    /// A trigger has fired; the transition consumes it.
    Fired(String),
    /// A number is above a value.
    Above(String, f64),
    /// A number is below a value.
    Below(String, f64),
    /// The clip has been played to its end (a loop: once round).
    AtEnd,
    /// This share of the clip has been played.
    After(f64),
    /// A layer is in one of these states.
    InState(String, Vec<String>),
    /// The foot of this footstep event stands, and less than this share of its
    /// stance has passed; always in a state without gait.
    Stance(String, f64),
    /// A foot has come down since the state was entered.
    Landed,
    /// A state of this layer is left out for want of its clips.
    Without(String),
}

/// How one state gives way to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fade {
    /// What the old motion does meanwhile.
    pub kind: FadeKind,
    /// 0 cuts.
    pub secs: f64,
    /// Not for inertial fades, which have a curve of their own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ease: Ease,
}

impl Default for Fade {
    fn default() -> Self {
        Self {
            kind: FadeKind::Inertial,
            secs: 0.25,
            ease: Ease::Smoothstep,
        }
    }
}

/// What the old motion does during a fade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FadeKind {
    /// Runs on.
    Smooth,
    /// Holds its pose.
    Frozen,
    /// Stops at once; its difference to the new motion, with the velocity it
    /// had, dies out.
    Inertial,
}

impl Description {
    /// Gives joints other names: `renamed` is asked for each, and answers
    /// `None` for those that stay.
    pub fn rename_joints(&mut self, mut renamed: impl FnMut(&str) -> Option<String>) {
        let masks = self.masks.values_mut().map(|mask| &mut mask.from);
        let legs = self.legs.iter_mut();
        let legs = legs.flat_map(|it| [&mut it.hip, &mut it.knee, &mut it.ankle, &mut it.ball]);
        let looks = self.look.iter_mut().flat_map(|look| &mut look.chain);
        let looks = looks.map(|(joint, _)| joint);
        let reaches = self.reaches.iter_mut();
        let reaches = reaches.flat_map(|it| [&mut it.root, &mut it.middle, &mut it.end]);
        let guard = self.guard.iter_mut().flat_map(|guard| &mut guard.joints);
        let guard = guard.map(|it| &mut it.joint);
        for name in masks.chain(legs).chain(looks).chain(reaches).chain(guard) {
            if let Some(other) = renamed(name) {
                *name = other;
            }
        }
    }

    /// Every clip a state or a reference names, in order, once.
    #[must_use]
    pub fn clip_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for layer in &self.layers {
            let states = layer.states.iter().flat_map(|state| state.motion.clips());
            let reference = match &layer.mode {
                BlendMode::Additive(reference) => reference.clip(),
                BlendMode::Override => None,
            };
            for name in states.chain(reference) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}

pub(super) fn one() -> f32 {
    1.0
}

pub(super) fn one_f64() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}

// What a field has when it is left out need not be written.

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub(super) fn is_one<T: Copy + Into<f64>>(value: &T) -> bool {
    (*value).into() == 1.0
}

fn is_on(value: &bool) -> bool {
    *value
}
