//! Forward kinematics in double precision, for what is decided by a thousandth
//! of a millimetre: single precision blurs that ten metres from the origin.

use glam::{DQuat, DVec3, Vec3};

use crate::skeleton::{JointIndex, LocalPose, NO_PARENT};

/// A joint in model space.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::codec) struct ExactJoint {
    pub rotation: DQuat,
    pub position: DVec3,
}

/// Every joint of a pose in model space.
pub(in crate::codec) fn exact_model_pose(
    parents: &[JointIndex],
    pose: &LocalPose,
    out: &mut Vec<ExactJoint>,
) {
    out.clear();
    for (local, &parent) in pose.joints().iter().zip(parents) {
        let rotation = local.rotation.as_dquat().normalize();
        let position = Vec3::from(local.translation).as_dvec3();
        out.push(match parent {
            NO_PARENT => ExactJoint { rotation, position },
            parent => {
                let above = &out[usize::from(parent)];
                ExactJoint {
                    rotation: above.rotation * rotation,
                    position: above.position + above.rotation * position,
                }
            }
        });
    }
}
