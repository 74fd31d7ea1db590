//! The skeleton and its poses.
//!
//! Second station of the data walk: a [`Skeleton`] is made once by an importer
//! and read only afterwards; a [`LocalPose`] says how each joint stands in its
//! parent, a [`ModelPose`] where it stands in the character's own space.
//! Limit: 65,534 joints, so that an index fits 16 bits.

mod landmark;
mod mask;
mod pose;
mod precise;
#[cfg(test)]
pub(crate) mod testing;
mod tree;

use glam::{Quat, Vec3};

pub use landmark::{Landmark, Lens, Projection};
pub use mask::JointMask;
pub use pose::{
    LocalPose, ModelPose, ModelSpace, SpacePose, WorldPose, WorldSpace, local_to_model,
    rotate_joint,
};
pub use precise::{PrecisePose, local_joint};

pub use crate::math::Dof;
use crate::math::Transform;

/// Index of a joint; parents have smaller indices than their children.
pub type JointIndex = u16;

/// The parent "index" of a root.
pub const NO_PARENT: JointIndex = JointIndex::MAX;

/// The largest number of joints a skeleton may have.
pub const MAX_JOINTS: usize = NO_PARENT as usize;

/// A degree of freedom and the range its file states for it (radians or
/// metres; infinite where the file gives none). The range informs; it never
/// clamps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DofRange {
    /// Which motion.
    pub dof: Dof,
    /// Smallest and largest value.
    pub range: [f32; 2],
}

impl DofRange {
    /// A degree of freedom without stated limits.
    #[must_use]
    pub fn unlimited(dof: Dof) -> Self {
        Self {
            dof,
            range: [f32::NEG_INFINITY, f32::INFINITY],
        }
    }
}

/// A joint and the bone that starts in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// As spelt in the file.
    pub name: String,
    /// [`NO_PARENT`] for a root.
    pub parent: JointIndex,
    /// Rest pose: `parent_from_joint`.
    pub rest: Transform,
    /// Far end of the bone in joint space; zero for a root.
    pub tip: Vec3,
    /// Turns the axes that [`Self::dofs`] speak of into joint space at rest.
    pub axes: Quat,
    /// Degrees of freedom in order of evaluation, first applied first. Empty
    /// for a joint that never moves.
    pub dofs: Vec<DofRange>,
}

impl Joint {
    /// A joint `offset` from its parent, unturned at rest, that never moves.
    #[must_use]
    pub fn new(name: impl Into<String>, parent: JointIndex, offset: Vec3, tip: Vec3) -> Self {
        Self {
            name: name.into(),
            parent,
            rest: Transform::from_translation(offset),
            tip,
            axes: Quat::IDENTITY,
            dofs: Vec::new(),
        }
    }
}

/// Why a list of joints is not a skeleton.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkeletonError {
    /// There must be at least one joint.
    #[error("a skeleton needs at least one joint")]
    Empty,
    /// More joints than an index can name.
    #[error("{0} joints are more than the {MAX_JOINTS} supported")]
    TooManyJoints(usize),
    /// A parent must come before its children.
    #[error("joint {joint} ({name}) has parent {parent}, which does not come before it")]
    ParentNotBefore {
        /// Index of the offender.
        joint: usize,
        /// Its name.
        name: String,
        /// What it names as its parent.
        parent: JointIndex,
    },
    /// Names are the keys of motions and masks.
    #[error("two joints are named {0:?}")]
    DuplicateName(String),
}

/// Joints in an order that puts parents before children.
#[derive(Clone, Debug)]
pub struct Skeleton {
    name: String,
    joints: Vec<Joint>,
    parents: Vec<JointIndex>,
    rest: LocalPose,
    landmarks: Vec<Landmark>,
}

/// What motions play on. Landmarks are no part of that: whatever moves one of
/// two skeletons that differ in them moves the other alike.
impl PartialEq for Skeleton {
    fn eq(&self, other: &Self) -> bool {
        let same_joints = self.joints == other.joints && self.parents == other.parents;
        self.name == other.name && same_joints && self.rest == other.rest
    }
}

impl Skeleton {
    /// Checks the order and the names, and makes the skeleton.
    pub fn new(name: impl Into<String>, joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        if joints.is_empty() {
            return Err(SkeletonError::Empty);
        }
        if joints.len() > MAX_JOINTS {
            return Err(SkeletonError::TooManyJoints(joints.len()));
        }
        let mut names = std::collections::HashSet::with_capacity(joints.len());
        for (index, joint) in joints.iter().enumerate() {
            // Every loop of forward kinematics rests on this order.
            if joint.parent != NO_PARENT && usize::from(joint.parent) >= index {
                return Err(SkeletonError::ParentNotBefore {
                    joint: index,
                    name: joint.name.clone(),
                    parent: joint.parent,
                });
            }
            // As `find` compares: of two names that differ in case alone it
            // would only ever find one.
            if !names.insert(joint.name.to_ascii_lowercase()) {
                return Err(SkeletonError::DuplicateName(joint.name.clone()));
            }
        }
        let parents = joints.iter().map(|joint| joint.parent).collect();
        let rest = LocalPose::from_transforms(joints.iter().map(|joint| joint.rest).collect());
        Ok(Self {
            name: name.into(),
            joints,
            parents,
            rest,
            landmarks: Vec::new(),
        })
    }

    /// The same with places that its file names beside its joints.
    #[must_use]
    pub fn with_landmarks(mut self, landmarks: Vec<Landmark>) -> Self {
        self.landmarks = landmarks;
        self
    }

    /// Places that its file names beside its joints: locators and cameras.
    #[must_use]
    pub fn landmarks(&self) -> &[Landmark] {
        &self.landmarks
    }

    /// Those of them that see.
    pub fn cameras(&self) -> impl Iterator<Item = (&Landmark, Lens)> {
        let all = self.landmarks.iter();
        all.filter_map(|landmark| Some((landmark, landmark.lens?)))
    }

    /// The same skeleton with joints that scale and morph targets that weigh
    /// something at rest; either list may be empty.
    ///
    /// # Panics
    /// When there are scales, but not one a joint.
    #[must_use]
    pub fn with_rest_extras(mut self, scales: &[Vec3], morphs: &[f32]) -> Self {
        assert!(
            scales.is_empty() || scales.len() == self.len(),
            "one scale a joint"
        );
        for (joint, &scale) in scales.iter().enumerate() {
            self.rest.set_scale(joint, scale);
        }
        for (morph, &weight) in morphs.iter().enumerate() {
            self.rest.set_morph(morph, weight);
        }
        self
    }

    /// What its file calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All joints, parents first.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Number of joints.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // never empty: `new` refuses that
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Parent of every joint, [`NO_PARENT`] for roots.
    #[must_use]
    pub fn parents(&self) -> &[JointIndex] {
        &self.parents
    }

    /// The pose the skeleton was defined in.
    #[must_use]
    pub fn rest(&self) -> &LocalPose {
        &self.rest
    }

    /// Rotation of the first joint in the rest pose.
    #[must_use]
    pub fn root_rest(&self) -> Quat {
        let root = self.joints.first();
        root.map_or(Quat::IDENTITY, |joint| joint.rest.rotation)
    }

    /// The rest pose in model space.
    #[must_use]
    pub fn rest_model(&self) -> ModelPose {
        let mut model = ModelPose::default();
        model.compute(self, &self.rest);
        model
    }

    /// The same joints with another pose as their rest pose; `None` of a pose
    /// that is no skeleton's.
    #[must_use]
    pub fn at_rest_in(&self, pose: &ModelPose) -> Option<Self> {
        let mut joints = self.joints.clone();
        for (index, joint) in joints.iter_mut().enumerate() {
            let own = *pose.joints().get(index)?;
            let above = pose.joints().get(usize::from(joint.parent));
            joint.rest = above.map_or(own, |above| above.inverse() * own);
        }
        Self::new(self.name.clone(), joints).ok()
    }

    /// Finds a joint by name, letter case aside.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<JointIndex> {
        self.joints
            .iter()
            .position(|joint| joint.name.eq_ignore_ascii_case(name))
            .map(|index| index as JointIndex)
    }

    /// Joints whose parent is `joint`.
    pub fn children(&self, joint: JointIndex) -> impl Iterator<Item = JointIndex> + '_ {
        self.parents
            .iter()
            .enumerate()
            .filter(move |&(_, &parent)| parent == joint)
            .map(|(index, _)| index as JointIndex)
    }

    /// Extent of the rest pose along Y in metres, bone ends included.
    #[must_use]
    pub fn rest_height_m(&self) -> f32 {
        let model = self.rest_model();
        let ends = (0..self.len()).map(|joint| model.bone_end(self, joint).y);
        let heights = model.joints().iter().map(|t| t.translation.y).chain(ends);
        let (low, high) = heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), y| {
            (low.min(y), high.max(y))
        });
        high - low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(name: &str, parent: JointIndex) -> Joint {
        Joint::new(name, parent, Vec3::Y, Vec3::Y)
    }

    #[test]
    fn a_parent_after_its_child_is_refused() {
        let joints = vec![joint("a", 1), joint("b", NO_PARENT)];
        assert!(matches!(
            Skeleton::new("x", joints),
            Err(SkeletonError::ParentNotBefore { joint: 0, .. })
        ));
    }

    #[test]
    fn names_are_unique_letter_case_aside() {
        let joints = vec![joint("Hip", NO_PARENT), joint("hip", 0)];
        assert_eq!(
            Skeleton::new("x", joints),
            Err(SkeletonError::DuplicateName("hip".into()))
        );
    }

    #[test]
    fn no_joints_and_too_many_are_refused() {
        assert_eq!(Skeleton::new("x", vec![]), Err(SkeletonError::Empty));
        let many = vec![joint("a", NO_PARENT); MAX_JOINTS + 1];
        assert_eq!(
            Skeleton::new("x", many),
            Err(SkeletonError::TooManyJoints(MAX_JOINTS + 1))
        );
    }

    #[test]
    fn rest_height_spans_joints_and_tips() {
        let joints = vec![joint("a", NO_PARENT), joint("b", 0)];
        let skeleton = Skeleton::new("x", joints).unwrap();
        assert_eq!(skeleton.rest_height_m(), 2.0); // joints at 1 and 2, tips at 2 and 3
        assert_eq!(skeleton.find("B"), Some(1));
        assert_eq!(skeleton.children(0).collect::<Vec<_>>(), [1]);
    }
}
