//! Poses in the two spaces, and the loop that leads from one to the other.

use std::marker::PhantomData;

use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};

use super::{JointIndex, NO_PARENT, Skeleton};
use crate::math::{Transform, quat::align_sign};

/// How every joint stands in its parent (`parent_from_joint`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalPose {
    joints: Vec<Transform>,
    /// Metres added to each bone's length. Empty when no bone stretches, which
    /// is nearly always; the joints' translations already contain it, only the
    /// bone ends need it.
    stretch_m: Vec<f32>,
    /// Factors along each joint's own axes. Empty where every joint keeps its
    /// size: rigid characters pay nothing for those that do not.
    scales: Vec<Vec3>,
    /// Weights of the character's morph targets.
    morphs: Vec<f32>,
}

impl LocalPose {
    /// A pose of the given transforms, no bone stretched.
    #[must_use]
    pub fn from_transforms(joints: Vec<Transform>) -> Self {
        Self {
            joints,
            ..Self::default()
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

    /// Factors along every joint's own axes; empty when none has any.
    #[must_use]
    pub fn scales(&self) -> &[Vec3] {
        &self.scales
    }

    /// Weights of the morph targets; those beyond the end are 0.
    #[must_use]
    pub fn morphs(&self) -> &[f32] {
        &self.morphs
    }

    /// Factors along one joint's own axes.
    #[must_use]
    pub fn scale(&self, joint: usize) -> Vec3 {
        self.scales.get(joint).copied().unwrap_or(Vec3::ONE)
    }

    /// The weight of one morph target.
    #[must_use]
    pub fn morph(&self, morph: usize) -> f32 {
        self.morphs.get(morph).copied().unwrap_or(0.0)
    }

    /// Changes scales in place, at least `count` of them (0, or one a joint):
    /// where poses meet, as many as the one with most has. Of none none is made.
    pub fn change_scales(&mut self, count: usize, new: impl FnMut(usize, Vec3) -> Vec3) {
        change(&mut self.scales, count, Vec3::ONE, new);
    }

    /// The same for the weights of morph targets.
    pub fn change_morphs(&mut self, count: usize, new: impl FnMut(usize, f32) -> f32) {
        change(&mut self.morphs, count, 0.0, new);
    }

    /// Sizes a joint along its own axes, its children with it.
    pub fn set_scale(&mut self, joint: usize, scale: Vec3) {
        if self.scales.is_empty() {
            self.scales.resize(self.joints.len(), Vec3::ONE);
        }
        self.scales[joint] = scale;
    }

    /// Weighs a morph target.
    pub fn set_morph(&mut self, morph: usize, weight: f32) {
        if self.morphs.len() <= morph {
            self.morphs.resize(morph + 1, 0.0);
        }
        self.morphs[morph] = weight;
    }

    /// Moves towards another pose of the same skeleton by a weight: 0 stays as
    /// it is and 1 copies, bit for bit.
    ///
    /// # Panics
    /// When the numbers of joints differ.
    pub fn mix(&mut self, other: &Self, weight: f32) {
        let counts = [&*self, other].map(|pose| pose.joints.len());
        assert_eq!(counts[0], counts[1], "poses of one skeleton");
        if weight >= 1.0 {
            self.copy_from(other);
        } else if weight > 0.0 {
            for (own, &other) in self.joints.iter_mut().zip(&other.joints) {
                // Equal sides give that side, without a rounding.
                if *own != other {
                    *own = own.lerp(other, weight);
                }
            }
            change(&mut self.stretch_m, other.stretch_m.len(), 0.0, |i, own| {
                own + (other.stretch_m(i) - own) * weight
            });
            self.change_scales(other.scales.len(), |i, own| {
                own + (other.scale(i) - own) * weight
            });
            self.change_morphs(other.morphs.len(), |i, own| {
                own + (other.morph(i) - own) * weight
            });
        }
    }

    /// Makes this the sum of poses by weights that add up to 1, as plain numbers
    /// and rotations made unit length afterwards.
    ///
    /// # Panics
    /// When the numbers of joints differ.
    pub fn weighted(&mut self, poses: &[Self; 4], weights: [f32; 4]) {
        let counts = poses.each_ref().map(|pose| pose.joints.len());
        assert!(
            counts.iter().all(|it| *it == counts[0]),
            "poses of one skeleton"
        );
        // What does not change is copied without a rounding.
        self.copy_from(&poses[1]);
        for (joint, own) in self.joints.iter_mut().enumerate() {
            let all = poses.each_ref().map(|pose| pose.joints[joint]);
            if all.iter().all(|it| it == own) {
                continue;
            }
            let none = (Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3A::ZERO);
            let sum = all.iter().zip(weights);
            let (rotation, translation) = sum.fold(none, |(turn, place), (it, weight)| {
                let turn = turn + align_sign(it.rotation, own.rotation) * weight;
                (turn, place + it.translation * weight)
            });
            own.rotation = rotation.normalize();
            own.translation = translation;
        }
        let most = |count: fn(&Self) -> usize| poses.iter().map(count).max().unwrap_or(0);
        let sum = |of: &dyn Fn(&Self) -> f32| {
            let terms = poses.iter().zip(weights);
            terms.map(|(pose, weight)| of(pose) * weight).sum::<f32>()
        };
        let stretched = most(|it| it.stretch_m.len());
        change(&mut self.stretch_m, stretched, 0.0, |i, _| {
            sum(&|pose| pose.stretch_m(i))
        });
        self.change_scales(most(|it| it.scales.len()), |i, _| {
            let terms = poses.iter().zip(weights);
            terms.map(|(pose, weight)| pose.scale(i) * weight).sum()
        });
        self.change_morphs(most(|it| it.morphs.len()), |i, _| {
            sum(&|pose| pose.morph(i))
        });
    }

    /// Makes this a copy of `other` without a new allocation when sizes agree.
    pub fn copy_from(&mut self, other: &Self) {
        self.joints.clone_from(&other.joints);
        self.stretch_m.clone_from(&other.stretch_m);
        self.scales.clone_from(&other.scales);
        self.morphs.clone_from(&other.morphs);
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

fn change<T: Copy>(values: &mut Vec<T>, count: usize, rest: T, mut new: impl FnMut(usize, T) -> T) {
    if values.len() < count {
        values.resize(count, rest);
    }
    for (index, value) in values.iter_mut().enumerate() {
        *value = new(index, *value);
    }
}

/// The character's own space, its origin on the ground below it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ModelSpace;

/// The space of the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorldSpace;

/// Where every joint stands in the character's space (`model_from_joint`).
pub type ModelPose = SpacePose<ModelSpace>;

/// Where every joint stands in the scene (`world_from_joint`).
pub type WorldPose = SpacePose<WorldSpace>;

/// Where every joint stands in one space, which the type names so that no pose
/// is taken for another.
///
/// Joints are rigid; where a character scales, what is not rigid is kept
/// beside them, so that the whole is joint · shape: whoever moves a joint
/// takes its shape along without knowing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpacePose<S> {
    joints: Vec<Transform>,
    stretch_m: Vec<f32>,
    shapes: Vec<Mat3A>,
    morphs: Vec<f32>,
    space: PhantomData<S>,
}

impl ModelPose {
    /// Forward kinematics; allocates only when the number of joints grows.
    pub fn compute(&mut self, skeleton: &Skeleton, local: &LocalPose) {
        self.joints.resize(local.joints.len(), Transform::IDENTITY);
        self.stretch_m.clone_from(&local.stretch_m);
        self.morphs.clone_from(&local.morphs);
        if local.scales.is_empty() {
            // The pose before may have scaled.
            self.shapes.clear();
            local_to_model(skeleton.parents(), &local.joints, &mut self.joints);
        } else {
            self.compute_scaled(skeleton.parents(), local);
        }
    }

    fn compute_scaled(&mut self, parents: &[JointIndex], local: &LocalPose) {
        self.shapes.resize(local.joints.len(), Mat3A::IDENTITY);
        for (index, &parent) in parents.iter().enumerate() {
            self.place_scaled(parent, local, index);
        }
    }

    /// With L = R · D the linear part of a joint in the model, R rigid:
    /// D = r⁻¹ · D(parent) · r · s for its own rotation r and scale s.
    fn place_scaled(&mut self, parent: JointIndex, local: &LocalPose, index: usize) {
        let (own, scale) = (local.joints[index], local.scales[index]);
        let scale = Mat3A::from_diagonal(scale);
        (self.joints[index], self.shapes[index]) = if parent == NO_PARENT {
            (own, scale)
        } else {
            let above = usize::from(parent);
            let (place, shape) = (self.joints[above], self.shapes[above]);
            // The parent's scale moves a child's origin. It does not enter the
            // rigid part: R stays a rotation, and all that shears goes into D.
            let own = Transform::new(own.rotation, shape * own.translation);
            let rotation = Mat3A::from_quat(own.rotation);
            (place * own, rotation.transpose() * shape * rotation * scale)
        };
    }

    /// Places one joint anew after its parent or its own local transform has
    /// moved; whatever hangs below must follow, parents first.
    pub fn place_joint(&mut self, skeleton: &Skeleton, local: &LocalPose, index: usize) {
        let parent = skeleton.parents()[index];
        if !self.shapes.is_empty() {
            self.place_scaled(parent, local, index);
        } else if parent == NO_PARENT {
            self.joints[index] = local.joints[index];
        } else {
            self.joints[index] = self.joints[usize::from(parent)] * local.joints[index];
        }
    }
}

/// Turns one joint in model space and takes what hangs below along.
pub fn rotate_joint(
    skeleton: &Skeleton,
    joint: JointIndex,
    rotation: Quat,
    pose: &mut LocalPose,
    model: &mut ModelPose,
) {
    let index = usize::from(joint);
    let rotated = (rotation * model.joints()[index].rotation).normalize();
    let parent = usize::from(skeleton.parents()[index]);
    let above = model.joints().get(parent);
    let above = above.map_or(Quat::IDENTITY, |parent| parent.rotation);
    pose.joints_mut()[index].rotation = (above.conjugate() * rotated).normalize();
    // Whatever hangs below comes later; a joint whose parent did not move is
    // placed again where it was.
    for below in index..skeleton.len() {
        model.place_joint(skeleton, pose, below);
    }
}

impl WorldPose {
    /// The same pose somewhere else.
    #[must_use]
    pub fn shifted(&self, by_m: Vec3) -> Self {
        let mut shifted = self.clone();
        for joint in &mut shifted.joints {
            joint.translation += Vec3A::from(by_m);
        }
        shifted
    }

    /// Puts a character's pose into the world; allocates only when the number
    /// of joints grows.
    pub fn place(&mut self, world_from_model: Transform, model: &ModelPose) {
        self.stretch_m.clone_from(&model.stretch_m);
        self.shapes.clone_from(&model.shapes);
        self.morphs.clone_from(&model.morphs);
        self.joints.clear();
        let joints = model.joints.iter();
        self.joints
            .extend(joints.map(|&model_from_joint| world_from_model * model_from_joint));
    }
}

/// Stands where its own space and the world's are the same.
impl ModelPose {
    /// Takes over the weights of a pose's morph targets alone.
    pub fn copy_morphs(&mut self, local: &LocalPose) {
        self.morphs.clone_from(&local.morphs);
    }
}

impl From<ModelPose> for WorldPose {
    fn from(model: ModelPose) -> Self {
        Self {
            joints: model.joints,
            stretch_m: model.stretch_m,
            shapes: model.shapes,
            morphs: model.morphs,
            space: PhantomData,
        }
    }
}

impl<S> SpacePose<S> {
    /// What a joint does to its surroundings beyond moving them: joint space
    /// to joint space. `None` for a character that never scales.
    #[must_use]
    pub fn shape(&self, joint: usize) -> Option<Mat3A> {
        self.shapes.get(joint).copied()
    }

    /// The joint in this space, with its scale.
    #[must_use]
    pub fn affine(&self, joint: usize) -> Affine3A {
        let rigid = self.joints[joint];
        let turn = Mat3A::from_quat(rigid.rotation);
        Affine3A {
            matrix3: self.shape(joint).map_or(turn, |shape| turn * shape),
            translation: rigid.translation,
        }
    }

    /// Weights of the morph targets; those beyond the end are 0.
    #[must_use]
    pub fn morphs(&self) -> &[f32] {
        &self.morphs
    }

    /// Every joint in this space.
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
        // Stretch before scale, as for children, whose translations hold the
        // stretch when the parent's shape is applied.
        let end = tip + tip.normalize_or_zero() * stretch;
        let end = self.shape(joint).map_or(end, |shape| shape * end);
        self.joints[joint].transform_point(end)
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
        let joint = |name: &str, parent, x: f32| Joint::new(name, parent, Vec3::X * x, Vec3::X);
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
        assert_close!(end, expected, 1e-6);
    }

    #[test]
    fn a_stretched_bone_moves_its_children_and_its_end() {
        let skeleton = chain();
        let mut local = skeleton.rest().clone();
        local.stretch_bone(&skeleton, 1, 0.5);
        let mut model = ModelPose::default();
        model.compute(&skeleton, &local);
        assert_close!(model.joints()[2].translation.x, 2.5, 1e-6);
        assert_close!(model.bone_end(&skeleton, 1).x, 2.5, 1e-6);
        assert_close!(model.bone_end(&skeleton, 2).x, 3.5, 1e-6);
    }

    #[test]
    fn a_scaled_pose_is_the_product_of_its_matrices() {
        let skeleton = chain();
        let mut local = skeleton.rest().clone();
        for (index, joint) in local.joints_mut().iter_mut().enumerate() {
            joint.rotation = Quat::from_euler(glam::EulerRot::XYZ, 0.3, 0.9 * index as f32, -0.5);
        }
        let scales = [
            Vec3::new(2.0, 1.0, 0.5),
            Vec3::splat(0.7),
            Vec3::new(1.0, -1.5, 1.0),
        ];
        for (joint, scale) in scales.into_iter().enumerate() {
            local.set_scale(joint, scale);
        }
        let mut model = ModelPose::default();
        model.compute(&skeleton, &local);
        let mut expected = Affine3A::IDENTITY;
        for (joint, scale) in scales.into_iter().enumerate() {
            let own = local.joints()[joint];
            let own =
                Affine3A::from_scale_rotation_translation(scale, own.rotation, own.position());
            expected *= own;
            let off = model
                .affine(joint)
                .transform_point3a(Vec3A::new(0.3, -0.8, 0.4))
                - expected.transform_point3a(Vec3A::new(0.3, -0.8, 0.4));
            assert!(off.length() < 1e-5, "joint {joint}: off by {off}");
        }
        let tip = expected.transform_point3a(Vec3A::X);
        assert_close!(model.bone_end(&skeleton, 2), tip, 1e-5);
    }

    #[test]
    #[should_panic(expected = "one output per joint")]
    fn sizes_are_checked_first() {
        local_to_model(&[NO_PARENT], &[Transform::IDENTITY], &mut []);
    }
}
