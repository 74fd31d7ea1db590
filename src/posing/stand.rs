//! Feet and hips on uneven ground, as a [`Footing`] has them.

use glam::Vec3A;

use super::{foot_plan::Footing, sole::Sole};
use crate::{
    humanoid::carrier,
    math::Transform,
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, rotate_joint},
};

/// Who stands.
#[derive(Clone, Debug)]
pub(super) struct Stand {
    pub soles: Vec<Sole>,
    carrier: JointIndex,
}

impl Stand {
    pub fn of(skeleton: &Skeleton) -> Self {
        Self {
            soles: Sole::of(skeleton),
            carrier: carrier(skeleton),
        }
    }

    /// Changes a pose that stands on flat ground.
    pub fn apply(
        &self,
        skeleton: &Skeleton,
        footing: &Footing,
        world_from_model: Transform,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let model_from_world = world_from_model.rotation.conjugate();
        let hips = Vec3A::Y * footing.hips_m;
        self.move_hips(skeleton, model_from_world * hips, pose, model);
        for (sole, place) in self.soles.iter().zip(&footing.feet) {
            let by = Vec3A::new(place.shift.x, place.lift_m, place.shift.y) - hips;
            let by = model_from_world * by;
            sole.leg.place_foot(skeleton, by, pose, model);
            let tilt = model_from_world * place.tilt * model_from_world.conjugate();
            rotate_joint(skeleton, sole.leg.joints.ankle, tilt, pose, model);
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
