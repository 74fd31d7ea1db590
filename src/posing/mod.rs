//! Poses changed by hand: a joint is pulled, and the body follows.
//!
//! Comes after clips and animator, before the pose is placed in the world. A
//! [`Pull`] is found once for a joint and then applied to any pose of its
//! skeleton: points in model space in, local and model pose changed in place.
//! Nothing is remembered between frames; limits of joints are not looked at.

mod hold;
mod pull;

pub use hold::JointHold;
pub use pull::Pull;

#[cfg(test)]
mod tests;
