//! From bodies back to a pose of the skeleton.

use glam::Quat;

use super::Ragdoll;
use crate::{
    math::Transform,
    skeleton::{LocalPose, NO_PARENT, Skeleton},
};

impl Ragdoll {
    /// Turns the joints that fall to where they are now. `local` comes as the clip
    /// has it, and what follows the clip is left so. Bones keep their lengths:
    /// rotations alone are taken, but for roots.
    ///
    /// # Panics
    /// When the pose is of another skeleton.
    pub fn write(&self, skeleton: &Skeleton, world_from_model: Transform, local: &mut LocalPose) {
        let bodies: Vec<Transform> = (0..self.links.len())
            .map(|index| self.joint_transform(index))
            .collect();
        let mut turned: Vec<Quat> = Vec::with_capacity(skeleton.len());
        for joint in 0..skeleton.len() {
            let parent = skeleton.parents()[joint];
            let above = match parent {
                NO_PARENT => world_from_model.rotation,
                parent => turned[usize::from(parent)],
            };
            let own = &mut local.joints_mut()[joint];
            let segment = self.segments.of_joint[joint];
            if self.links[segment].limp {
                let world = bodies[segment] * self.within[joint];
                if parent == NO_PARENT {
                    *own = world_from_model.inverse() * world;
                } else {
                    own.rotation = (above.conjugate() * world.rotation).normalize();
                }
            }
            turned.push((above * own.rotation).normalize());
        }
    }
}
