//! Poses changed by hand: characters look, reach, hold things, stand on uneven
//! ground; a joint is pulled, and the body follows.
//!
//! Comes after clips and animator, before the pose is placed in the world. What
//! can be done is a [`PoseAction`]; [`Posing`] does it, in the order that
//! `order.rs` gives. A [`Pull`] is found once for a joint and then applied to any
//! pose of its skeleton: points in model space in, local and model pose changed
//! in place. A [`Drag`] does the same with pins and limits ([`WholeBody`]) or by a
//! chain's solver; what is kept of one is an [`OffsetLayer`] over a clip. Nothing
//! is remembered between frames.

mod action;
mod chain_space;
mod drag;
mod foot_plan;
mod goal;
mod grip;
mod ground;
mod hold;
mod kept;
mod kept_drags;
mod limb;
mod locator;
mod locator_action;
mod look;
mod meeting;
mod morphs;
mod offset_layer;
mod order;
mod parts;
mod props;
mod pull;
mod reach;
mod sole;
mod stand;
mod take_over;
mod trunk;
mod two_hands;
mod whole_body;
mod words;

pub use crate::collide::HeightField;
pub use action::{
    Attachment, GroundKind, JointDrag, Limpness, LookAt, PoseAction, PropKind, ReachGoal, STEPS,
    TREAD_M,
};
pub use chain_space::{ChainSpace, SolverWay};
pub use drag::{Drag, DragSolver};
pub use foot_plan::{FootPlace, FootPlan, Footing, KnownShifts};
pub use grip::{BALL_RADIUS_M, BOX_HALF_M, STICK_HALF_M, STICK_RADIUS_M};
pub use ground::{Ground, LANDING_M, RUN_UP_M};
pub use hold::JointHold;
pub use kept_drags::KeptDrag;
pub use locator::Locator;
pub use locator_action::{
    LocatorAction, LocatorBase, LocatorPlace, MeetAction, MeetGoal, StandAction,
};
pub use look::{Look, LookChain, LookJoint};
pub use morphs::Morphs;
pub use offset_layer::{EASE_SECS, JointOffset, OffsetLayer, clamp_pose, heading, with_offsets};
pub use order::{PoseContext, PoseError, Posing, PosingTrace, PropTrace, Start};
pub use parts::find_joint;
pub use props::{Prop, Props};
pub use pull::Pull;
pub use reach::{Reach, ReachLimb};
pub use sole::{FootSample, FootTrack, Sole};
pub use whole_body::{Effector, WholeBody};

#[cfg(test)]
mod tests;
