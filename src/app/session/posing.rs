//! Hands on whoever is seen: what the Pose section and keys ask for.

use super::Session;
use crate::posing::PoseAction;

impl Session {
    /// Does something to the pose of whoever is seen.
    pub fn pose(&mut self, action: &PoseAction) {
        if let Err(error) = self.scene_mut().act(action) {
            self.tell_error(&error);
        }
    }
}
