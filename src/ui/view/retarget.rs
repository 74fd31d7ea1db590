//! Who plays the clip, and which joints move which.

use crate::{retarget::JointMap, skeleton::Skeleton};

/// Retargeting as it stands.
#[derive(Clone, Copy, Debug)]
pub struct RetargetView<'a> {
    /// Characters that can play the clip, besides the one it was made for.
    pub characters: &'a [String],
    /// Which of them does; the clip's own when `None`.
    pub chosen: Option<usize>,
    /// The map in use, once a character is chosen.
    pub map: Option<&'a JointMap>,
    /// Left and right in each other's place.
    pub mirror: bool,
    /// What the clip was made for.
    pub source: &'a Skeleton,
    /// Who plays it.
    pub target: &'a Skeleton,
    /// The retarget pose is shown instead of the clip.
    pub shows_pose: bool,
    /// The chosen joint of the target.
    pub joint: Option<&'a str>,
    /// Why it does not.
    pub fault: Option<&'a str>,
}
