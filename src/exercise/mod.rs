//! The interpolation exercise of animation courses: of a motion only every
//! Nth frame is kept, and the frames between are made anew.
//!
//! It works on what a file says, angles and lengths a degree of freedom each
//! ([`ChannelMotion`]), not on our quaternions: that Euler angles interpolated
//! as numbers go astray where a file turns from 180° to −180° is half of what
//! the exercise teaches. The constructions are those of Shoemake, *Animating
//! Rotation with Quaternion Curves* (SIGGRAPH 1985), as courses such as USC's
//! CSCI-520 set them. Double precision throughout.

mod bezier;
mod channels;
mod method;
mod rotation;

pub use bezier::{Mix, control_points, de_casteljau, slerp};
pub use channels::{ChannelBone, ChannelError, ChannelMotion};
pub use method::{Method, interpolate, last_key};
