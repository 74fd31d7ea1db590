//! Places that a file names beside its joints: locators, and cameras.

use super::{JointIndex, SpacePose};
use crate::math::Transform;

/// A place on a joint, or in the model where it hangs from none.
#[derive(Clone, Debug, PartialEq)]
pub struct Landmark {
    /// As spelt in the file.
    pub name: String,
    /// What it goes along with.
    pub joint: Option<JointIndex>,
    /// Where it is there: `joint_from_landmark`, or `model_from_landmark`.
    pub place: Transform,
    /// How it sees, where it is a camera: along −Z, +Y up.
    pub lens: Option<Lens>,
}

/// What a camera of a file sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// How depth is drawn.
    pub projection: Projection,
    /// Width over height of its picture; that of whoever looks through it when
    /// left out.
    pub aspect: Option<f32>,
}

/// How a camera draws depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// What is further off is smaller.
    Perspective {
        /// Vertical field of view, radians.
        fov_y_rad: f32,
    },
    /// Everything keeps its size.
    Orthographic {
        /// Metres from bottom to top of the picture.
        height_m: f32,
    },
}

impl Landmark {
    /// Where it is in the space of a pose; `space_from_model` where it hangs from
    /// no joint.
    #[must_use]
    pub fn in_pose<S>(&self, pose: &SpacePose<S>, space_from_model: Transform) -> Transform {
        let joint = self.joint.and_then(|it| pose.joints().get(usize::from(it)));
        *joint.unwrap_or(&space_from_model) * self.place
    }
}
