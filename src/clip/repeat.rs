//! A clip that closes, played several times over as one: each time goes on from
//! where and whither the last one ended.

use glam::{Quat, Vec3A};

use super::{RawClip, find_loop};
use crate::{
    math::Transform,
    skeleton::{LocalPose, Skeleton},
};

impl RawClip {
    /// The clip so many times in a row; `None` where its end does not lead to
    /// its beginning.
    #[must_use]
    pub fn repeated(&self, skeleton: &Skeleton, times: usize) -> Option<Self> {
        let last = self.frames().checked_sub(1).filter(|last| *last > 0)?;
        if find_loop(skeleton, self).is_some() {
            return None;
        }
        let pose = |frame: usize| {
            let mut pose = LocalPose::default();
            self.frame_pose(skeleton, frame, &mut pose);
            pose
        };
        let step = way_over_ground([pose(0).joints()[0], pose(last).joints()[0]]);
        let mut place = Transform::IDENTITY;
        let mut poses = vec![pose(0)];
        for _ in 0..times {
            for frame in 1..=last {
                let mut pose = pose(frame);
                let root = &mut pose.joints_mut()[0];
                *root = place * *root;
                poses.push(pose);
            }
            place = place * step;
        }
        Some(Self::from_poses(&self.name, skeleton, self.fps, &poses))
    }
}

/// The turn about the vertical and the shift on the ground that lead from one
/// place of a root to another.
fn way_over_ground([from, to]: [Transform; 2]) -> Transform {
    let turn = to.rotation * from.rotation.conjugate();
    // The part of a rotation that is about Y.
    let turn = Quat::from_rotation_y(2.0 * turn.y.atan2(turn.w));
    let shift = to.translation - turn * from.translation;
    Transform::new(turn, Vec3A::new(shift.x, 0.0, shift.z))
}
