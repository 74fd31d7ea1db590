//! The way of a body, and of the garment cut to it, from the pose of the cut to
//! where the character stands: joint by joint, before anything is shown.

use std::sync::Arc;

use crate::{
    math::Transform,
    skeleton::{JointIndex, NO_PARENT, WorldPose},
};

/// Steps in which a garment falls onto the body that it was cut to.
const FALLING: usize = 60;
/// Steps in which the body goes from there to its pose, and the garment along.
const MOVING: usize = 180;
/// Steps in which it comes to rest there.
const RESTING: usize = 60;

/// Takes a body from the pose that its garment was cut in to another.
#[derive(Clone, Debug)]
pub(super) struct Dressing {
    from: WorldPose,
    parents: Arc<[JointIndex]>,
    falling: usize,
    moving: usize,
    step: usize,
}

impl Dressing {
    /// Steps that it takes.
    pub const STEPS: usize = FALLING + MOVING + RESTING;
    /// And where there is little time.
    pub const HURRIED: usize = 90;

    /// From where the garment was cut.
    pub fn from(pose: WorldPose, parents: &Arc<[JointIndex]>) -> Self {
        Self {
            from: pose,
            parents: Arc::clone(parents),
            falling: FALLING,
            moving: MOVING,
            step: 0,
        }
    }

    /// From one pose to another in [`Self::HURRIED`] steps: after a jump in time.
    pub fn hurried(pose: WorldPose, parents: &Arc<[JointIndex]>) -> Self {
        Self {
            falling: 0,
            moving: Self::HURRIED,
            ..Self::from(pose, parents)
        }
    }

    /// The body in the next step on its way; `None` when it has come there.
    pub fn next(&mut self, to: &WorldPose) -> Option<WorldPose> {
        self.step += 1;
        if self.step > self.falling + self.moving {
            return None;
        }
        let share = self.step.saturating_sub(self.falling) as f32 / self.moving as f32;
        // Begins and ends slowly.
        let share = share * share * (3.0 - 2.0 * share);
        Some(between(&self.parents, &self.from, to, share))
    }
}

/// Joint by joint, each in its parent: bones keep their length.
fn between(parents: &[JointIndex], from: &WorldPose, to: &WorldPose, share: f32) -> WorldPose {
    let mut pose = to.clone();
    for (joint, &parent) in parents.iter().enumerate() {
        let (a, b) = (from.joints()[joint], to.joints()[joint]);
        pose.joints_mut()[joint] = match parent {
            NO_PARENT => a.lerp(b, share),
            parent => {
                let parent = usize::from(parent);
                let in_parent =
                    |pose: &WorldPose, own: Transform| pose.joints()[parent].inverse() * own;
                let local = in_parent(from, a).lerp(in_parent(to, b), share);
                pose.joints()[parent] * local
            }
        };
    }
    pose
}
