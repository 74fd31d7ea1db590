//! Feet on uneven ground: each is raised or lowered to the height under it, and
//! the hips go down where a leg would be too short.

use glam::{Vec3, Vec3A};

use super::Ground;
use crate::{
    humanoid::{LegChain, carrier},
    math::Transform,
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// The legs that stand.
#[derive(Clone, Debug)]
pub(super) struct Stand {
    legs: Vec<LegChain>,
    carrier: JointIndex,
}

impl Stand {
    pub fn of(skeleton: &Skeleton) -> Self {
        Self {
            legs: LegChain::of(skeleton),
            carrier: carrier(skeleton),
        }
    }

    /// Changes a pose that stands on flat ground at the height of its model.
    pub fn apply(
        &self,
        skeleton: &Skeleton,
        ground: &Ground,
        world_from_model: Transform,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let model_from_world = world_from_model.rotation.conjugate();
        let climb_m = |leg: &LegChain| {
            let ball = model.joints()[usize::from(leg.joints.ball)].translation;
            let at = Vec3::from(world_from_model.transform_point(ball));
            ground.height_m(at.x, at.z)
        };
        let climbs_m: Vec<f32> = self.legs.iter().map(climb_m).collect();
        let lowest_m = climbs_m.iter().copied().fold(f32::MAX, f32::min);
        let hips_m = if climbs_m.is_empty() { 0.0 } else { lowest_m };
        let up = |metres: f32| model_from_world * (Vec3A::Y * metres);
        self.move_hips(skeleton, up(hips_m), pose, model);
        for (leg, climb_m) in self.legs.iter().zip(climbs_m) {
            leg.move_foot(skeleton, up(climb_m - hips_m), pose, model);
        }
    }

    fn move_hips(
        &self,
        skeleton: &Skeleton,
        by: Vec3A,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let carrier = usize::from(self.carrier);
        let parent = usize::from(skeleton.parents()[carrier]);
        let above = model.joints().get(parent).map(|joint| joint.rotation);
        let by = above.map_or(by, |above| above.conjugate() * by);
        pose.joints_mut()[carrier].translation += by;
        model.compute(skeleton, pose);
    }
}
