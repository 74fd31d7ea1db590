//! Bones as joints: metres, radians, Y up.

use glam::{DQuat, Vec3};

use super::tree::ROOT;
use crate::{
    math::Transform,
    mocap::asf::{AsfDocument, Bone, Root},
    skeleton::{Dof, DofRange, Joint, JointIndex, NO_PARENT},
};

/// Makes joints of bones.
pub(super) struct JointBuilder {
    pub metres_per_unit: f64,
    /// In one angle unit of the file.
    pub radians: f64,
    pub y_up_from_file: DQuat,
}

impl JointBuilder {
    /// The root and all bones, parents first.
    pub fn all(
        &self,
        root: &Root,
        document: &AsfDocument,
        order: &[(usize, JointIndex)],
    ) -> Vec<Joint> {
        let mut joints = vec![self.root(root)];
        for &(bone, parent) in order {
            let parent_joint = &joints[usize::from(parent)];
            let joint = self.bone(&document.bones[bone], parent, parent_joint);
            joints.push(joint);
        }
        joints
    }

    /// Motion turns the preset orientation about fixed axes and shifts the
    /// preset position.
    fn root(&self, root: &Root) -> Joint {
        let orientation = root.axis.rotation(root.orientation * self.radians);
        // The whole file is turned in its root. Below it everything is relative
        // and stays as written.
        let rotation = self.y_up_from_file * orientation;
        let position = self.y_up_from_file * root.position * self.metres_per_unit;
        Joint {
            name: ROOT.to_owned(),
            parent: NO_PARENT,
            rest: Transform::new(rotation.as_quat(), position.as_vec3()),
            tip: Vec3::ZERO,
            // The root's values are about and along the file's axes, not those
            // of its orientation.
            axes: self.y_up_from_file.as_quat(),
            dofs: root
                .order
                .iter()
                .copied()
                .map(DofRange::unlimited)
                .collect(),
        }
    }

    /// A bone starts where its parent ends. At rest all joints share the axes
    /// of the file, so its rest rotation is the identity.
    fn bone(&self, bone: &Bone, parent: JointIndex, parent_joint: &Joint) -> Joint {
        let tip = bone.direction.normalize_or_zero() * bone.length * self.metres_per_unit;
        // C, the bone's own axes. The file gives them in global space, not
        // relative to the parent's.
        let axes = bone.axis_order.rotation(bone.axis * self.radians);
        Joint {
            name: bone.name.text.clone(),
            parent,
            // Already in metres, and in the parent's axes, which at rest are
            // the file's: Y-up is the root's alone.
            rest: Transform::from_translation(parent_joint.tip),
            tip: tip.as_vec3(),
            axes: axes.as_quat(),
            dofs: self.dof_ranges(bone),
        }
    }

    fn dof_ranges(&self, bone: &Bone) -> Vec<DofRange> {
        // Some files state fewer limits than freedoms.
        let limits = bone.limits.iter().map(Some).chain(std::iter::repeat(None));
        let pairs = bone.dofs.iter().zip(limits);
        pairs
            .map(|(&dof, limits)| match limits {
                None => DofRange::unlimited(dof),
                Some(limits) => {
                    let scale = match dof {
                        Dof::Rotate(_) => self.radians,
                        Dof::Translate(_) | Dof::Length => self.metres_per_unit,
                    };
                    let range = limits.map(|bound| (bound * scale) as f32);
                    DofRange { dof, range }
                }
            })
            .collect()
    }
}
