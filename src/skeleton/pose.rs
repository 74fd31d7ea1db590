//! Poses in the two spaces, and the loop that leads from one to the other.

use glam::Vec3A;

use super::{JointIndex, NO_PARENT, Skeleton};
use crate::math::Transform;

/// How every joint stands in its parent (`parent_from_joint`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalPose {
    joints: Vec<Transform>,
    /// Metres added to each bone's length. Empty when no bone stretches, which
    /// is nearly always; the joints' translations already contain it, only the
    /// bone ends need it.
    stretch_m: Vec<f32>,
}

impl LocalPose {
    /// A pose of the given transforms, no bone stretched.
    #[must_use]
    pub fn from_transforms(joints: Vec<Transform>) -> Self {
        Self {
            joints,
            stretch_m: Vec::new(),
        }
    }

    /// `parent_from_joint` of every joint.
    #[must_use]
    pub fn joints(&self) -> &[Transform] {
        &self.joints
    }

    /// The same, to be changed.
    pub fn joints_mut(&mut self) -> &mut [Transform] {
        &mut self.joints
    }

    /// Metres added to the length of a bone.
    #[must_use]
    pub fn stretch_m(&self, joint: usize) -> f32 {
        self.stretch_m.get(joint).copied().unwrap_or(0.0)
    }

    /// Makes this a copy of `other` without a new allocation when sizes agree.
    pub fn copy_from(&mut self, other: &Self) {
        self.joints.clone_from(&other.joints);
        self.stretch_m.clone_from(&other.stretch_m);
    }

    /// Lengthens a bone, taking its children along.
    pub fn stretch_bone(&mut self, skeleton: &Skeleton, joint: JointIndex, by_m: f32) {
        let bone = usize::from(joint);
        self.stretch_m.resize(self.joints.len(), 0.0);
        self.stretch_m[bone] += by_m;
        let direction = Vec3A::from(skeleton.joints()[bone].tip).normalize_or_zero();
        for child in skeleton.children(joint) {
            self.joints[usize::from(child)].translation += direction * by_m;
        }
    }
}

/// Where every joint stands in the character's space (`model_from_joint`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelPose {
    joints: Vec<Transform>,
    stretch_m: Vec<f32>,
}

impl ModelPose {
    /// Forward kinematics; allocates only when the number of joints grows.
    pub fn compute(&mut self, skeleton: &Skeleton, local: &LocalPose) {
        self.joints.resize(local.joints.len(), Transform::IDENTITY);
        self.stretch_m.clone_from(&local.stretch_m);
        local_to_model(skeleton.parents(), &local.joints, &mut self.joints);
    }

    /// `model_from_joint` of every joint.
    #[must_use]
    pub fn joints(&self) -> &[Transform] {
        &self.joints
    }

    /// The same, to be changed by post-processes.
    pub fn joints_mut(&mut self) -> &mut [Transform] {
        &mut self.joints
    }

    /// Far end of the bone that starts in `joint`; for a root its own position.
    #[must_use]
    pub fn bone_end(&self, skeleton: &Skeleton, joint: usize) -> Vec3A {
        let tip = Vec3A::from(skeleton.joints()[joint].tip);
        let stretch = self.stretch_m.get(joint).copied().unwrap_or(0.0);
        self.joints[joint].transform_point(tip + tip.normalize_or_zero() * stretch)
    }
}

/// One forward loop: parents come before children, so each joint finds its
/// parent already placed.
///
/// # Panics
/// When the three slices differ in length, or a parent does not come before
/// its child; [`Skeleton::new`] rules the latter out.
#[inline]
pub fn local_to_model(parents: &[JointIndex], local: &[Transform], model: &mut [Transform]) {
    assert_eq!(parents.len(), local.len(), "one parent per joint");
    assert_eq!(parents.len(), model.len(), "one output per joint");
    for (index, (&parent, &parent_from_joint)) in parents.iter().zip(local).enumerate() {
        model[index] = if parent == NO_PARENT {
            parent_from_joint
        } else {
            model[usize::from(parent)] * parent_from_joint
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::Joint;
    use glam::{Quat, Vec3};

    /// Three bones of 1 m along X, each joint at its parent's tip.
    fn chain() -> Skeleton {
        let joint = |name: &str, parent, x: f32| Joint {
            name: name.into(),
            parent,
            rest: Transform::from_translation(Vec3::X * x),
            tip: Vec3::X,
            axes: Quat::IDENTITY,
            dofs: Vec::new(),
        };
        Skeleton::new(
            "chain",
            vec![
                joint("a", NO_PARENT, 0.0),
                joint("b", 0, 1.0),
                joint("c", 1, 1.0),
            ],
        )
        .unwrap()
    }

    #[test]
    fn a_bent_chain_ends_where_the_closed_form_says() {
        let skeleton = chain();
        let mut local = skeleton.rest().clone();
        for joint in local.joints_mut() {
            joint.rotation = Quat::from_rotation_z(30f32.to_radians());
        }
        let mut model = ModelPose::default();
        model.compute(&skeleton, &local);
        let angles = [30f32, 60.0, 90.0].map(f32::to_radians);
        let expected = Vec3A::new(
            angles.iter().map(|a| a.cos()).sum(),
            angles.iter().map(|a| a.sin()).sum(),
            0.0,
        );
        let end = model.bone_end(&skeleton, 2);
        assert!((end - expected).length() < 1e-6, "{end} is not {expected}");
    }

    #[test]
    fn a_stretched_bone_moves_its_children_and_its_end() {
        let skeleton = chain();
        let mut local = skeleton.rest().clone();
        local.stretch_bone(&skeleton, 1, 0.5);
        let mut model = ModelPose::default();
        model.compute(&skeleton, &local);
        assert!((model.joints()[2].translation.x - 2.5).abs() < 1e-6);
        assert!((model.bone_end(&skeleton, 1).x - 2.5).abs() < 1e-6);
        assert!((model.bone_end(&skeleton, 2).x - 3.5).abs() < 1e-6);
    }

    #[test]
    #[should_panic(expected = "one output per joint")]
    fn sizes_are_checked_first() {
        local_to_model(&[NO_PARENT], &[Transform::IDENTITY], &mut []);
    }
}
