//! The animator file made ready: names resolved to indices, clips prepared,
//! masks computed. Read only, shared by any number of characters.
//! [`super::build()`] is the one place that makes it.

use std::sync::Arc;

use super::{
    description::{Fade, FootLock, ParameterKind},
    guard::Guard,
    parameters::Parameters,
    prepared_clip::PreparedClip,
};
use crate::{
    clip::Wrap,
    humanoid::LegChain,
    posing::{LookChain, ReachLimb},
    skeleton::{JointMask, Skeleton},
};

pub use super::motion_node::{
    AddNode, BlendSpace, MaskedNode, MotionLeaf, MotionNode, NodeMoment, NodeReference, NodeWeight,
    ScrubBy, StateMotion,
};

/// A graph on a skeleton with its clips.
#[derive(Clone, Debug)]
pub struct Graph {
    /// What it moves.
    pub skeleton: Arc<Skeleton>,
    /// In order of name.
    pub parameters: Vec<Parameter>,
    /// What keys do.
    pub bindings: Vec<ParameterBinding>,
    /// Parameter and radians a second at 1.
    pub steering: Option<(usize, f64)>,
    /// While this is on fades cut and blends play one clip.
    pub no_blending: Option<usize>,
    /// Clips, ready to be driven.
    pub clips: Vec<PreparedClip>,
    /// From the bottom up.
    pub layers: Vec<Layer>,
    /// Left, then right; empty when the skeleton has no such joints.
    pub legs: Vec<LegChain>,
    /// Names of the legs' footstep events, which only the first layer fires.
    pub steps: Vec<String>,
    /// Metres of the ball of a standing foot above the ground.
    pub sole_m: f32,
    /// How standing feet are held.
    pub foot_lock: FootLock,
    /// How far joints may be turned by what is added.
    pub guard: Option<Guard>,
    /// The chain that looks.
    pub look: Option<LookChain>,
    /// Limbs that reach.
    pub reaches: Vec<ReachLimb>,
    /// What was left out for want of clips or joints.
    pub notes: Vec<String>,
}

/// A parameter's name and kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// As in the file.
    pub name: String,
    /// And its start value.
    pub kind: ParameterKind,
}

/// A key and what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterBinding {
    /// As in the file.
    pub key: String,
    /// With the parameter's index.
    pub effect: ParameterEffect,
    /// What it is for, in the file's words.
    pub says: String,
}

impl ParameterBinding {
    /// Whether it is meant by a control's name.
    #[must_use]
    pub fn is_for(&self, key: &str) -> bool {
        self.key.eq_ignore_ascii_case(key)
    }
}

/// What a key does to a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterEffect {
    /// On while down.
    Hold(usize),
    /// Higher by so much while down.
    Push(usize, f64),
    /// Fires when it goes down.
    Fire(usize),
}

/// One state machine.
#[derive(Clone, Debug)]
pub struct Layer {
    /// As in the file.
    pub name: String,
    /// A weight per joint.
    pub mask: JointMask,
    /// How it meets the layers below.
    pub mode: LayerMode,
    /// 0 to 1, …
    pub weight: f32,
    /// … times this parameter, if any.
    pub weight_by: Option<usize>,
    /// The first is where it starts.
    pub states: Vec<State>,
    /// Highest priority first.
    pub transitions: Vec<Transition>,
}

/// How a layer meets those below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LayerMode {
    /// Replaces.
    Override,
    /// Adds the difference to a reference.
    Additive(AdditiveReference),
}

/// The reference of an additive layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AdditiveReference {
    /// The rest pose.
    Rest,
    /// A moment of a clip, seconds.
    Pose(usize, f64),
    /// A clip that runs along.
    Running(usize),
}

/// One state.
#[derive(Clone, Debug)]
pub struct State {
    /// As in the file.
    pub name: String,
    /// `None` lets the layers below show.
    pub motion: Option<StateMotion>,
    /// Past the end.
    pub wrap: Wrap,
    /// Playback rate.
    pub speed: f64,
    /// Share of the clip at which it starts.
    pub start: f64,
    /// Moves the character.
    pub root_motion: bool,
    /// May be steered.
    pub steer: bool,
    /// Share after which input may leave it.
    pub leave_from: Option<f64>,
}

/// A way between states.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// By state: may it start there?
    pub from: Vec<bool>,
    /// Index of the target.
    pub to: usize,
    /// All must hold.
    pub when: Vec<Condition>,
    /// As in the file.
    pub priority: i32,
    /// How it looks.
    pub fade: Fade,
    /// In step with the old state, by phase.
    pub sync: bool,
    /// The same by stance.
    pub stance_sync: bool,
    /// Its place in the file's list.
    pub written: usize,
}

/// Something that holds or does not; parameters, layers and states by index.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A bool has this value.
    Is(usize, bool),
    /// A trigger has fired.
    Fired(usize),
    /// A number is above a value.
    Above(usize, f64),
    /// A number is below a value.
    Below(usize, f64),
    /// This share has been played.
    After(f64),
    /// A layer is in one of these states.
    InState(usize, Vec<usize>),
    /// This leg's foot stands, and less than this share of its stance has passed.
    Stance(usize, f64),
    /// A foot has come down since the state was entered.
    Landed,
}

impl Layer {
    /// How much of it may show, `ahead_secs` after the last step.
    #[must_use]
    pub fn shown_weight(&self, parameters: &Parameters, ahead_secs: f64) -> f32 {
        let weight = NodeWeight {
            factor: self.weight,
            by: self.weight_by,
        };
        weight.at(NodeMoment {
            parameters,
            ahead_secs,
        })
    }
}

impl Graph {
    /// A parameter by name, letter case aside.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<usize> {
        let is = |parameter: &Parameter| parameter.name.eq_ignore_ascii_case(name);
        self.parameters.iter().position(is)
    }

    /// A layer by name.
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.name == name)
    }

    /// The transition table, one line each, in the order they are tried.
    #[must_use]
    pub fn transition_table(&self) -> Vec<String> {
        let rows = self.layers.iter().flat_map(|layer| {
            layer.transitions.iter().map(move |t| {
                let from = layer.states.iter().zip(&t.from);
                let from = from.filter(|(_, may)| **may).map(|(s, _)| s.name.as_str());
                let when = t.when.iter().map(|condition| self.spell(condition));
                format!(
                    "{}: {} -> {} [{}] priority {} {:?} {} s{}",
                    layer.name,
                    from.collect::<Vec<_>>().join("|"),
                    layer.states[t.to].name,
                    when.collect::<Vec<_>>().join(" and "),
                    t.priority,
                    t.fade.kind,
                    t.fade.secs,
                    if t.sync || t.stance_sync {
                        " in step"
                    } else {
                        ""
                    },
                )
            })
        });
        rows.collect()
    }

    /// A condition in words.
    #[must_use]
    pub fn spell(&self, condition: &Condition) -> String {
        let name = |&index: &usize| &self.parameters[index].name;
        match condition {
            Condition::Is(p, true) => name(p).clone(),
            Condition::Is(p, false) => format!("not {}", name(p)),
            Condition::Fired(p) => format!("{}!", name(p)),
            Condition::Above(p, value) => format!("{} > {value}", name(p)),
            Condition::Below(p, value) => format!("{} < {value}", name(p)),
            Condition::After(fraction) => format!("played {fraction}"),
            Condition::Stance(leg, share) => format!("{} < {share}", self.steps[*leg]),
            Condition::Landed => "landed".to_owned(),
            Condition::InState(layer, states) => {
                let layer = &self.layers[*layer];
                let states = states.iter().map(|&s| layer.states[s].name.as_str());
                format!("{} in {}", layer.name, states.collect::<Vec<_>>().join("|"))
            }
        }
    }
}
