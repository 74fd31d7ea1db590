//! Forward kinematics in double precision, for figures that others compare
//! against: `pose`, the references, the error metric's own check.

use glam::{DQuat, DVec3};

use super::{LocalPose, NO_PARENT, Skeleton};

/// Start and end of every bone in model space, metres.
#[derive(Clone, Debug, PartialEq)]
pub struct PrecisePose {
    bones: Vec<(DVec3, DVec3)>,
}

impl PrecisePose {
    /// Follows the pose from the root outward.
    #[must_use]
    pub fn of(skeleton: &Skeleton, local: &LocalPose) -> Self {
        let mut placed: Vec<(DQuat, DVec3)> = Vec::with_capacity(skeleton.len());
        let mut bones = Vec::with_capacity(skeleton.len());
        for (index, (joint, local_joint)) in
            skeleton.joints().iter().zip(local.joints()).enumerate()
        {
            let rotation = local_joint.rotation.as_dquat().normalize();
            let offset = local_joint.position().as_dvec3();
            let (rotation, start) = match joint.parent {
                NO_PARENT => (rotation, offset),
                parent => {
                    let (parent_rotation, parent_start) = placed[usize::from(parent)];
                    (
                        parent_rotation * rotation,
                        parent_start + parent_rotation * offset,
                    )
                }
            };
            let tip = joint.tip.as_dvec3();
            let stretched = tip + tip.normalize_or_zero() * f64::from(local.stretch_m(index));
            bones.push((start, start + rotation * stretched));
            placed.push((rotation, start));
        }
        Self { bones }
    }

    /// Start and end of the bone of `joint`; for a root both are its position.
    #[must_use]
    pub fn bone(&self, joint: usize) -> (DVec3, DVec3) {
        self.bones[joint]
    }
}
