//! Drives a character: states, fades, layers, blend spaces, root motion, IK.
//!
//! Station of the data walk between sampled clips and the model pose:
//!
//! ```text
//! animator.ron → parse → Description ───────────────────────┐
//! clips → PreparedClip (loop, path, contacts, phase, events) ┴→ build → Graph (shared, read only)
//! inputs → Parameters → per layer: machine → active states → pose ─┐
//!             layers over one another ← masks, additive ───────────┴→ post (reach, look, feet) → LocalPose
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
pub mod blend_space;
mod build;
pub mod cast;
mod character;
mod check;
mod clip_names;
mod clips;
pub mod description;
mod driver;
mod edit;
mod feet;
mod foot_step;
pub mod graph;
mod guard;
mod layer;
mod machine;
mod motion_description;
mod motion_node;
mod motion_recorder;
mod parameters;
mod parse;
mod post;
mod prepared_clip;
pub mod script;
mod state_sampler;
#[cfg(test)]
mod tests;
pub mod timeline;
mod trace;

pub use crate::math::ik;
pub use build::{BuildError, build, find as find_joint};
pub use cast::Cast;
pub use character::{Animator, Coming, Fired, StanceAhead, TICK_RATE};
pub use clip_names::says_what;
pub use clips::{AnimatorClip, ClipSet, NoSuchState, fill_first, fill_states, give_to_state};
pub use description::Description;
pub use driver::{DrivenFrame, Driver};
pub use edit::{AnimatorEditor, Edit, NEW_ANIMATOR, free_name};
pub use graph::Graph;
pub use motion_recorder::{MotionRecorder, RecordedMotion};
pub use parameters::Parameters;
pub use parse::{GraphError, parse};
pub use prepared_clip::PreparedClip;
pub use script::{Input, LEFT_BUTTON, Script, ScriptError, Timed};
pub use trace::{TraceCharacter, TraceLayer, TraceLine};

/// The animator file that is built in.
pub const DEFAULT_GRAPH: &str = include_str!("../../assets/animator.ron");
