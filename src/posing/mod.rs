//! Poses changed by hand: characters look, reach, hold things, stand on uneven
//! ground; a joint is pulled, and the body follows.
//!
//! Comes after clips and animator, before the pose is placed in the world. What
//! can be done is a [`PoseAction`]; [`Posing`] does it, in the order that
//! `order.rs` gives. A [`Pull`] is found once for a joint and then applied to any
//! pose of its skeleton: points in model space in, local and model pose changed
//! in place. Nothing is remembered between frames; limits of joints are not
//! looked at.

mod action;
mod foot_plan;
mod goal;
mod grip;
mod ground;
mod hold;
mod look;
mod order;
mod parts;
mod props;
mod pull;
mod reach;
mod sole;
mod stand;
mod two_hands;
mod words;

pub use action::{
    Attachment, GroundKind, Limpness, LookAt, PoseAction, PropKind, ReachGoal, STEPS, TREAD_M,
};
pub use foot_plan::{FootPlace, FootPlan, Footing, KnownShifts};
pub use grip::{BALL_RADIUS_M, BOX_HALF_M, STICK_HALF_M, STICK_RADIUS_M};
pub use ground::{Ground, HeightField, LANDING_M, RUN_UP_M};
pub use hold::JointHold;
pub use look::{Look, LookChain, LookJoint};
pub use order::{PoseContext, PoseError, Posing, PosingTrace, PropTrace, Start};
pub use parts::find_joint;
pub use props::{Prop, Props};
pub use pull::Pull;
pub use reach::{Reach, ReachLimb};
pub use sole::{FootSample, FootTrack, Sole};

#[cfg(test)]
mod tests;
