//! Motion from one skeleton onto another, whatever their names, rest poses,
//! axes and sizes.
//!
//! Beside the data walk, between clips and whatever plays them: a clip and two
//! skeletons in, a clip out.
//!
//! ```text
//! humanoid: names, limb lengths → Human (each) → JointMap (found, or a user's RON text)
//! rest poses + JointMap → retarget pose
//! source clip → turns since rest → target joints → hips scaled → feet held by IK → target clip
//! ```
//!
//! A joint's turn since the rest pose, in model space, is applied to the
//! target's retarget pose, so limbs point where the source's do. The hips go as
//! far as the legs are long; the balls of the feet follow the source's scaled
//! paths, shifted by a constant in every stance. Pure functions, no files.
//!
//! Limits: humans on two legs; a hand's contact with a thing or the body is not
//! kept; bone stretch goes along only where joints match one to one.

mod align;
mod faces;
mod feet;
mod map;
mod rest_human;
#[cfg(test)]
mod tests;
mod transfer;

pub use faces::{FaceLink, FaceMap};
pub use map::{Gap, JointMap, Lacking, Link, Other, PoseTurn};
pub use transfer::{RetargetError, retarget, retarget_pose};
