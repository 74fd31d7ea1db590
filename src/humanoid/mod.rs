//! Which joint plays which part of a human body, and what all rigs call them.
//!
//! Beside the skeleton in the data walk: retargeting, the skin, contacts of the
//! feet, cloth and the colours of left and right all ask here. [`Human::find`]
//! reads a skeleton by the names of its joints (`names` is the one table of
//! spellings) and, where names say nothing, by the lengths of its limbs
//! (`limb_layout`). [`Side::of_name`] reads a single name. Limits: two legs,
//! a trunk that stands in the rest pose.

mod human;
mod leg_chain;
mod limb_layout;
mod limits;
mod names;
mod role;
mod stature;
#[cfg(test)]
mod tests;

pub(crate) use human::columns;
pub use human::{Human, LegJoints, carrier, facing};
pub use leg_chain::LegChain;
pub use limits::{
    HumanLimit, JointLimit, JointLimits, JointRange, LimitSource, LimitTrack, OwnLimit,
    ROUNDING_RAD, human_limits, range_of,
};
pub(crate) use names::Names;
pub use role::{Limb, Role, Side};
pub use stature::{Stature, StatureSource};
