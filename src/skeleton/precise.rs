//! Forward kinematics in double precision, for figures that others compare
//! against: `pose`, the references, the error metric's own check.

use glam::{DMat3, DVec3};

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
        // Linear part and place of every joint: poses of glTF files may scale.
        let mut placed: Vec<(DMat3, DVec3)> = Vec::with_capacity(skeleton.len());
        let mut bones = Vec::with_capacity(skeleton.len());
        for (index, (joint, local_joint)) in
            skeleton.joints().iter().zip(local.joints()).enumerate()
        {
            // Single-precision quaternions are off unit length by some 1e-7,
            // which double precision would carry down every chain.
            let mut own = DMat3::from_quat(local_joint.rotation.as_dquat().normalize());
            if let Some(scale) = local.scales().get(index) {
                own *= DMat3::from_diagonal(scale.as_dvec3());
            }
            let offset = local_joint.position().as_dvec3();
            let (linear, start) = match joint.parent {
                NO_PARENT => (own, offset),
                parent => {
                    let (parent_linear, parent_start) = placed[usize::from(parent)];
                    (parent_linear * own, parent_start + parent_linear * offset)
                }
            };
            let tip = joint.tip.as_dvec3();
            let stretched = tip + tip.normalize_or_zero() * f64::from(local.stretch_m(index));
            bones.push((start, start + linear * stretched));
            placed.push((linear, start));
        }
        Self { bones }
    }

    /// Start and end of the bone of `joint`; for a root both are its position.
    #[must_use]
    pub fn bone(&self, joint: usize) -> (DVec3, DVec3) {
        self.bones[joint]
    }
}
