//! `tight`: the smallest files at a promised error.
//!
//! ```text
//! RawClip ──extract──→ channels ──quantise (search, error_sensitivity)──→ residuals ──tans──→ bytes
//! bytes ──stream──→ TightClip ──sample: block, decode_pose──→ LocalPose
//! ```
//!
//! A pose is a list of numbers, most of them angles about the joints' own axes
//! ([`channels`]). Every 32nd frame is a knot; the frames between are coded
//! middle first, each as what a Catmull-Rom curve through those already known
//! misses ([`frame_order`], and [`cross_channel`] within a frame), in steps that
//! differ by channel and level ([`grid`]).
//! Errors are shaped through the hierarchy: a joint aims at what undoes its
//! ancestors' errors ([`error_sensitivity`]). What is left is entropy-coded with static
//! tables ([`model`], [`tans`]).
//!
//! Knots are decoded when a clip is loaded; a block of 32 frames decodes on its
//! own, so a seek costs one block whatever the clip's length.
//!
//! Limits: 2³⁰ frames; poses between frames are interpolated linearly, as in
//! the raw clip.

mod block;
mod channels;
mod clip;
mod cross_channel;
mod decode_pose;
mod encode_context;
mod encoder_skeleton;
mod error_sensitivity;
mod extract;
mod frame;
mod frame_order;
mod grid;
mod model;
mod precision;
mod quantise;
mod rows;
mod search;
mod stream;
mod tans;
#[cfg(test)]
mod tests;

pub use clip::{TightClip, TightCursor};
