//! Forward kinematics in double precision, for figures that others compare
//! against: `pose`, the references, the error metric's own check.

use glam::{DAffine3, DMat3, DVec3};

use super::{LocalPose, NO_PARENT, Skeleton};
use crate::math::Transform;

/// Every joint, and start and end of its bone, in model space, metres.
#[derive(Clone, Debug, PartialEq)]
pub struct PrecisePose {
    joints: Vec<DAffine3>,
    bones: Vec<(DVec3, DVec3)>,
}

impl PrecisePose {
    /// Follows the pose from the root outward.
    #[must_use]
    pub fn of(skeleton: &Skeleton, local: &LocalPose) -> Self {
        let mut joints: Vec<DAffine3> = Vec::with_capacity(skeleton.len());
        let mut bones = Vec::with_capacity(skeleton.len());
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let own = local_joint(local, index);
            let placed = match joint.parent {
                NO_PARENT => own,
                parent => joints[usize::from(parent)] * own,
            };
            let tip = joint.tip.as_dvec3();
            let stretched = tip + tip.normalize_or_zero() * f64::from(local.stretch_m(index));
            bones.push((placed.translation, placed.transform_point3(stretched)));
            joints.push(placed);
        }
        Self { joints, bones }
    }

    /// The joint in model space; poses of glTF files may scale.
    #[must_use]
    pub fn model_from_joint(&self, joint: usize) -> DAffine3 {
        self.joints[joint]
    }

    /// Start and end of the bone of `joint`; for a root both are its position.
    #[must_use]
    pub fn bone(&self, joint: usize) -> (DVec3, DVec3) {
        self.bones[joint]
    }
}

/// A joint in its parent.
#[must_use]
pub fn local_joint(local: &LocalPose, joint: usize) -> DAffine3 {
    let Transform { rotation, .. } = local.joints()[joint];
    // Single-precision quaternions are off unit length by some 1e-7, which
    // double precision would carry down every chain.
    let turn = DMat3::from_quat(rotation.as_dquat().normalize());
    let scale = DMat3::from_diagonal(local.scale(joint).as_dvec3());
    DAffine3::from_mat3_translation(turn * scale, local.joints()[joint].position().as_dvec3())
}
