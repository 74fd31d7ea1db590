//! What a driven character did, as a clip: joints in their parents, the root in
//! the world, so that it plays back without the animator.

use crate::{
    clip::RawClip,
    math::Transform,
    skeleton::{LocalPose, Skeleton},
};

/// Poses of a driven character, one a frame.
#[derive(Clone, Debug, Default)]
pub struct MotionRecorder {
    poses: Vec<LocalPose>,
}

impl MotionRecorder {
    /// Adds a frame: a pose as [`super::Animator::pose`] gives it, and where its
    /// model stands.
    pub fn put(&mut self, pose: &LocalPose, world_from_model: Transform) {
        let mut pose = pose.clone();
        let root = &mut pose.joints_mut()[0];
        *root = world_from_model * *root;
        root.rotation = root.rotation.normalize();
        self.poses.push(pose);
    }

    /// How many frames there are.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.poses.len()
    }

    /// All frames as a clip of the character's skeleton.
    #[must_use]
    pub fn into_clip(self, name: &str, skeleton: &Skeleton, fps: f64) -> RawClip {
        RawClip::from_poses(name, skeleton, fps, &self.poses)
    }
}
