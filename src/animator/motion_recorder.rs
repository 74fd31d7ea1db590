//! What a driven character did, as a clip: joints in their parents, the root in
//! the world, so that it plays back without the animator.

use crate::{
    clip::{Event, EventTrack, RawClip},
    math::Transform,
    skeleton::{LocalPose, Skeleton},
};

/// Poses of a driven character, one a frame, and what happened.
#[derive(Clone, Debug, Default)]
pub struct MotionRecorder {
    poses: Vec<LocalPose>,
    start_secs: f64,
    events: Vec<Event>,
}

/// What a driven character did.
#[derive(Clone, Debug)]
pub struct RecordedMotion {
    /// Every frame.
    pub clip: RawClip,
    /// Footsteps, strikes, whatever the animator names.
    pub events: EventTrack,
}

impl MotionRecorder {
    /// Begins at a moment of the animator's time.
    #[must_use]
    pub fn from(start_secs: f64) -> Self {
        Self {
            start_secs,
            ..Self::default()
        }
    }

    /// Something happened at a moment of the animator's time.
    pub fn mark(&mut self, time_secs: f64, name: &str) {
        self.events.push(Event {
            time_secs: (time_secs - self.start_secs).max(0.0),
            name: name.to_owned(),
        });
    }

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

    /// All frames as a clip of the character's skeleton, and what happened.
    #[must_use]
    pub fn into_motion(self, name: &str, skeleton: &Skeleton, fps: f64) -> RecordedMotion {
        let clip = RawClip::from_poses(name, skeleton, fps, &self.poses);
        // What came after the last frame did not happen in the clip.
        let events = EventTrack::new(self.events).part(0.0, clip.duration_secs());
        RecordedMotion { clip, events }
    }
}
