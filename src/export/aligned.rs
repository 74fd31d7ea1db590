//! Joints turned so that the rest pose has no rotations.
//!
//! With J the rest rotation of a joint in the space of its root and P that of
//! its parent, offsets become `P · offset` and rotations `P · local · J⁻¹`:
//! every joint stays where it was in every pose.

use glam::{DQuat, DVec3};

use crate::{
    math::Transform,
    skeleton::{NO_PARENT, Skeleton},
};

/// What happens to a root's own rest rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RootRotation {
    /// Written with every frame.
    IntoMotion,
    /// Kept as the file's preset orientation.
    Kept,
}

/// A skeleton seen through axes that are the root's (or the world's) at rest.
pub(super) struct Aligned<'a> {
    skeleton: &'a Skeleton,
    /// `root_from_joint` rotations at rest.
    rest: Vec<DQuat>,
}

impl<'a> Aligned<'a> {
    pub fn new(skeleton: &'a Skeleton, root_rotation: RootRotation) -> Self {
        let mut rest: Vec<DQuat> = Vec::with_capacity(skeleton.len());
        for joint in skeleton.joints() {
            let own = joint.rest.rotation.as_dquat().normalize();
            rest.push(match (joint.parent, root_rotation) {
                // BVH knows no rest rotation: the root's goes into every frame.
                (NO_PARENT, RootRotation::IntoMotion) => own,
                // Then everything is seen from the turned root, and its own
                // turn stays in the skeleton.
                (NO_PARENT, RootRotation::Kept) => DQuat::IDENTITY,
                (parent, _) => rest[usize::from(parent)] * own,
            });
        }
        Self { skeleton, rest }
    }

    /// The parent's rest rotation; none for a root.
    fn parent_rest(&self, joint: usize) -> DQuat {
        match self.skeleton.parents()[joint] {
            NO_PARENT => DQuat::IDENTITY,
            parent => self.rest[usize::from(parent)],
        }
    }

    /// Rest offset from the parent, metres.
    pub fn offset(&self, joint: usize) -> DVec3 {
        let rest = self.skeleton.joints()[joint].rest;
        self.parent_rest(joint) * rest.position().as_dvec3()
    }

    /// Far end of the bone, metres.
    pub fn tip(&self, joint: usize) -> DVec3 {
        self.rest[joint] * self.skeleton.joints()[joint].tip.as_dvec3()
    }

    /// Axes of the degrees of freedom.
    pub fn axes(&self, joint: usize) -> DQuat {
        let axes = self.skeleton.joints()[joint].axes.as_dquat();
        self.parent_rest(joint) * axes.normalize()
    }

    /// Rotation and translation of a joint in its parent.
    pub fn local(&self, joint: usize, parent_from_joint: Transform) -> (DQuat, DVec3) {
        let parent = self.parent_rest(joint);
        let rotation = parent_from_joint.rotation.as_dquat().normalize();
        (
            // At rest P · (P⁻¹ · J) · J⁻¹ is the identity.
            parent * rotation * self.rest[joint].inverse(),
            parent * parent_from_joint.position().as_dvec3(),
        )
    }
}
