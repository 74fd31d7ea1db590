//! The animator at work.

use super::{Codec, EventLaneView};
use crate::animator::description::{Fade, ParameterKind};

/// One layer of the animator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerView {
    /// Its name.
    pub name: String,
    /// All states it can be in.
    pub states: Vec<String>,
    /// From one to another.
    pub transitions: Vec<TransitionView>,
    /// A weight a joint.
    pub mask: Vec<f32>,
    /// What the file gives it, 0 to 1.
    pub full_weight: f32,
    /// Current state.
    pub state: usize,
    /// The state that fades out.
    pub previous: Option<usize>,
    /// The way taken last: from, to.
    pub taken: Option<(usize, usize)>,
    /// How far the fade is, 0 to 1.
    pub fade: f32,
    /// How much of the layer shows.
    pub weight: f32,
    /// How much of each state shows; adds up to 1.
    pub state_weights: Vec<f32>,
    /// What the current state blends; `None` where it plays one clip.
    pub blend: Option<BlendView>,
}

impl LayerView {
    /// Name of a state.
    #[must_use]
    pub fn state_name(&self, state: usize) -> &str {
        self.states.get(state).map_or("", String::as_str)
    }
}

/// A transition between states.
#[derive(Clone, Debug, PartialEq)]
pub struct TransitionView {
    /// By state: may it start there?
    pub from: Vec<bool>,
    /// Target.
    pub to: usize,
    /// Conditions in words.
    pub when: String,
    /// How it looks.
    pub fade: Fade,
}

impl TransitionView {
    /// Whether it may start in a state.
    #[must_use]
    pub fn leads_out_of(&self, state: usize) -> bool {
        self.from.get(state).copied().unwrap_or(false)
    }
}

/// The clips that a state blends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlendView {
    /// Each by name with its present weight; weights add up to 1.
    pub clips: Vec<(String, f32)>,
    /// Where they lie, unless each has a weight of its own.
    pub space: Option<SpaceView>,
    /// The whole tree, the root first; empty where clips are side by side.
    pub tree: Vec<TreeRow>,
}

/// A blend space and where the character is in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpaceView {
    /// Parameters along the axes; the second is empty on a line.
    pub axes: [String; 2],
    /// Where each clip plays alone.
    pub positions: Vec<[f64; 2]>,
    /// Lines to draw between clips.
    pub edges: Vec<[usize; 2]>,
    /// The moving point.
    pub at: [f64; 2],
}

impl BlendView {
    /// More than clips side by side.
    #[must_use]
    pub fn is_nested(&self) -> bool {
        !self.tree.is_empty()
    }
}

/// What the clips of a driven character take up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryView {
    /// How they are held.
    pub codec: Codec,
    /// How many.
    pub clips: usize,
    /// As frames.
    pub raw_bytes: u64,
    /// As they are held.
    pub bytes: u64,
    /// Largest error of any.
    pub max_error_cm: f64,
}

/// A node of the tree of clips that a state plays.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeRow {
    /// Nodes above it.
    pub depth: usize,
    /// What it is.
    pub text: String,
    /// How much of it is in the pose.
    pub weight: f32,
}

/// A parameter of the animator.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterView {
    /// Its name.
    pub name: String,
    /// Present value; switches are 0 or 1.
    pub value: f64,
    /// What it is: decides by what it is set.
    pub kind: ParameterKind,
}

/// What controls are for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindingView {
    /// Keys, mouse buttons and those of a gamepad, by name.
    pub controls: Vec<String>,
    /// In the file's words.
    pub says: String,
}

impl BindingView {
    /// Its keys and mouse buttons in a word, or its controls on a gamepad.
    #[must_use]
    pub fn label(&self, on_pad: bool) -> String {
        let own = self.controls.iter().filter(|it| is_on_pad(it) == on_pad);
        own.cloned().collect::<Vec<_>>().join(", ")
    }
}

/// Whether a control is on a gamepad.
fn is_on_pad(control: &str) -> bool {
    let starts = ["Pad", "LeftStick", "RightStick"];
    let ends = ["Bumper", "Trigger"];
    starts.iter().any(|start| control.starts_with(start))
        || ends.iter().any(|end| control.ends_with(end))
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct EventView {
    /// Seconds of the animator's clock.
    pub at_secs: f64,
    /// What.
    pub name: String,
}

/// A change to the running graph, which its file has once it is saved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tuning {
    /// How a transition looks.
    Fade {
        /// Which layer.
        layer: usize,
        /// Which of its transitions.
        transition: usize,
        /// The new fade.
        fade: Fade,
    },
    /// How much a layer moves a joint.
    Mask {
        /// Which layer.
        layer: usize,
        /// Which joint.
        joint: u16,
        /// 0 to 1.
        weight: f32,
        /// All that hangs below it too.
        below: bool,
    },
    /// How much a layer counts.
    Weight {
        /// Which layer.
        layer: usize,
        /// 0 to 1.
        weight: f32,
    },
}

/// Why the animator's time stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseReason {
    /// By its key.
    Held,
    /// Nobody has touched anything for a while.
    Dozing,
}

/// The animator at work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimatorView {
    /// Which state plays which file, where the user said so.
    pub given: Vec<(String, String)>,
    /// Where it was read from.
    pub source: String,
    /// Bottom layer first.
    pub layers: Vec<LayerView>,
    /// All of them.
    pub parameters: Vec<ParameterView>,
    /// What the file binds, in its order.
    pub bindings: Vec<BindingView>,
    /// The gamepad that is there, by name.
    pub pad: Option<String>,
    /// The last events, newest first.
    pub events: Vec<EventView>,
    /// The clip of the first layer and what happens in it.
    pub lane: Option<EventLaneView>,
    /// Why the file could not be read again.
    pub error: Option<String>,
    /// Factor on time.
    pub time_scale: f64,
    /// Its time stands still.
    pub pause: Option<PauseReason>,
    /// Speed over the ground in m/s.
    pub speed_m_per_s: f32,
    /// What the clips take up.
    pub memory: Option<MemoryView>,
    /// Seconds of motion that have been taken down, while it is.
    pub recorded_secs: Option<f64>,
}
