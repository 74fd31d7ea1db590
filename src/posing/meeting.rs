//! A joint that goes to a locator, wherever that goes: one's own, or somebody
//! else's.

use glam::{Quat, Vec3, Vec3A};

use super::{MeetGoal, goal::Goal};
use crate::{math::Transform, skeleton::ModelPose};

/// Rounds in which a hand finds the point of its palm: the forearm turns the
/// hand while it brings it there.
pub(super) const ROUNDS: usize = 6;

/// What a joint goes to, and with which point of its own.
#[derive(Clone, Debug)]
pub(super) struct Meeting {
    pub goal: MeetGoal,
    /// `joint_from_own`: what has to arrive.
    pub own: Transform,
    /// Where the locator is in the world, or was when it was last known.
    seen: Option<Transform>,
    /// It was let go.
    pub is_over: bool,
}

impl Meeting {
    pub fn new(goal: MeetGoal, own: Transform) -> Self {
        Self {
            goal,
            own,
            seen: None,
            is_over: false,
        }
    }

    /// Takes the goal along with the locator, or lets it go where there is none.
    pub fn see(&mut self, place: Option<Transform>, goal: &mut Goal) {
        if self.is_over {
            return;
        }
        let place = place.filter(|it| it.is_finite());
        goal.carry(place.map(Transform::position));
        self.seen = place.or(self.seen);
    }

    /// Where its own point is in a pose.
    pub fn point(&self, joint: usize, model: &ModelPose) -> Vec3A {
        model.joints()[joint].transform_point(self.own.translation)
    }

    /// How the joint is to be turned in the world, where that is asked for.
    pub fn turn(&self) -> Option<Quat> {
        let seen = self.seen.filter(|_| self.goal.turned)?;
        Some(seen.rotation * self.own.rotation.conjugate())
    }

    /// How far its own point is from the locator, metres.
    pub fn missing_m(&self, world_from_joint: Transform) -> Option<f32> {
        let own = Vec3::from(world_from_joint.transform_point(self.own.translation));
        Some(own.distance(self.seen?.position()))
    }
}
