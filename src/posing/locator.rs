//! Places with names: on a joint, on the ground below the body, in the world, or
//! as the file has them. What others go to, whoever has them.

use glam::{Quat, Vec3};

use super::{LocatorBase, LocatorPlace, find_joint, reach::turn};
use crate::{
    humanoid::{carrier, facing},
    math::Transform,
    skeleton::{JointIndex, Landmark, ModelPose, Skeleton},
};

/// The spot below the hips, as a word.
pub(super) const BODY: &str = "body";

/// A place that somebody put somewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Locator {
    /// What others call it.
    pub name: String,
    base: Base,
    /// Where it is there.
    place: Transform,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    World,
    Body,
    Joint(JointIndex),
}

impl Locator {
    /// `None` where the skeleton has no such joint.
    pub(super) fn new(skeleton: &Skeleton, name: &str, wanted: &LocatorPlace) -> Option<Self> {
        let base = match &wanted.base {
            LocatorBase::World => Base::World,
            LocatorBase::Body => Base::Body,
            LocatorBase::Joint(joint) => Base::Joint(find_joint(skeleton, joint)?),
        };
        Some(Self {
            name: name.to_owned(),
            base,
            place: Transform::new(turn(wanted.turn_deg), wanted.offset_m),
        })
    }

    /// The joint it goes along with, if it is one.
    #[must_use]
    pub fn joint(&self) -> Option<JointIndex> {
        match self.base {
            Base::Joint(joint) => Some(joint),
            Base::World | Base::Body => None,
        }
    }
}

/// Where something of somebody's is: a locator, a place that the file names, or a
/// joint. The pose is of the model.
pub(super) fn place_of(
    (skeleton, locators): (&Skeleton, &[Locator]),
    name: &str,
    world_from_model: Transform,
    model: &ModelPose,
) -> Option<Transform> {
    if let Some(locator) = locators.iter().find(|it| it.name == name) {
        return match locator.base {
            Base::World => Some(locator.place),
            Base::Body => {
                let world_from_body = world_from_model * below_hips(skeleton, model)?;
                Some(world_from_body * locator.place)
            }
            Base::Joint(joint) => {
                let joint = model.joints().get(usize::from(joint))?;
                Some(world_from_model * *joint * locator.place)
            }
        };
    }
    if let Some(landmark) = landmark(skeleton, name) {
        return Some(world_from_model * landmark.in_pose(model, Transform::IDENTITY));
    }
    if name == BODY {
        return Some(world_from_model * below_hips(skeleton, model)?);
    }
    let joint = find_joint(skeleton, name)?;
    let joint = model.joints().get(usize::from(joint))?;
    Some(world_from_model * *joint)
}

/// The joint that something of one's own is on, and where it is there.
pub(super) fn on_joint(
    (skeleton, locators): (&Skeleton, &[Locator]),
    name: &str,
) -> Option<(JointIndex, Transform)> {
    if let Some(locator) = locators.iter().find(|it| it.name == name) {
        return Some((locator.joint()?, locator.place));
    }
    if let Some(landmark) = landmark(skeleton, name) {
        return Some((landmark.joint?, landmark.place));
    }
    Some((find_joint(skeleton, name)?, Transform::IDENTITY))
}

fn landmark<'s>(skeleton: &'s Skeleton, name: &str) -> Option<&'s Landmark> {
    let mut landmarks = skeleton.landmarks().iter();
    landmarks.find(|it| it.name == name || it.name.replace(' ', "_") == name)
}

/// The spot below the hips at the height of the pose's origin, +Z ahead.
fn below_hips(skeleton: &Skeleton, pose: &ModelPose) -> Option<Transform> {
    let hips = pose.joints().get(usize::from(carrier(skeleton)))?;
    let ahead = facing(skeleton, pose).unwrap_or(Vec3::Z);
    let heading = Quat::from_rotation_y(ahead.x.atan2(ahead.z));
    let below = Vec3::new(hips.translation.x, 0.0, hips.translation.z);
    Some(Transform::new(heading, below))
}
