//! Another clip or another body in somebody's place: the ground, things in hands,
//! what is looked at and the switches stay as they were.

use super::{GroundKind, Posing, Start, find_joint};
use crate::{
    humanoid::{Human, Role},
    skeleton::{JointIndex, Skeleton, WorldPose},
};

impl Posing {
    /// Takes over from who stood here before: what is no part of one motion.
    /// Joints are those of the same name, else of the same part; what has neither
    /// is let go.
    pub fn take_over(
        &mut self,
        (before, own_before): (&Self, &Skeleton),
        skeleton: &Skeleton,
        start: Start,
        pose: &WorldPose,
    ) {
        self.fields.clone_from(&before.fields);
        self.solver = before.solver;
        let kind = before.ground.as_ref().map(|it| &it.kind);
        // Its file was read: it is known to `fields`.
        let stood = self.set_ground(kind.unwrap_or(&GroundKind::Flat), skeleton, start);
        debug_assert!(stood.is_ok(), "{stood:?}");
        (self.foot_lock, self.in_place) = (before.foot_lock, before.in_place);
        let same = |joint: JointIndex| same_joint(own_before, joint, skeleton);
        // Who has no head, or not the joint that was looked at, looks ahead.
        self.look_at(&before.look.at, skeleton).unwrap_or_default();
        self.props.take_over(&before.props, same, (skeleton, pose));
    }
}

/// The joint of the same name, else the one that plays the same part.
fn same_joint(from: &Skeleton, joint: JointIndex, to: &Skeleton) -> Option<JointIndex> {
    let name = &from.joints().get(usize::from(joint))?.name;
    find_joint(to, name).or_else(|| {
        let human = Human::find(from);
        let role = Role::all().find(|role| human.first(*role) == Some(joint))?;
        Human::find(to).first(role)
    })
}
