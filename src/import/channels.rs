//! Which values of a frame move a joint, and how it is moved.

use glam::{DQuat, DVec3, Vec3};

use crate::{
    math::Dof,
    skeleton::{Joint, JointIndex},
};

/// Which columns move a joint, and how.
#[derive(Clone, Debug)]
pub(super) struct JointChannels {
    pub joint: JointIndex,
    /// Column of the first degree of freedom in the frame's values.
    pub first: usize,
    pub dofs: Vec<Dof>,
    pub translates: bool,
    pub stretches: bool,
    pub axes: DQuat,
}

impl JointChannels {
    pub fn new(index: JointIndex, joint: &Joint, first: usize, dofs: Vec<Dof>) -> Self {
        Self {
            joint: index,
            first,
            translates: dofs.iter().any(|dof| matches!(dof, Dof::Translate(_))),
            stretches: dofs.contains(&Dof::Length),
            dofs,
            axes: joint.axes.as_dquat().normalize(),
        }
    }

    pub fn rotates(&self) -> bool {
        self.dofs.iter().any(|dof| matches!(dof, Dof::Rotate(_)))
    }

    /// Translation in the parent's space, in file units.
    pub fn translation(&self, values: &[f64]) -> DVec3 {
        let mut along = DVec3::ZERO;
        for (value, dof) in values[self.first..].iter().zip(&self.dofs) {
            if let Dof::Translate(axis) = dof {
                along[axis.index()] = *value;
            }
        }
        // Freedoms are along the joint's own axes, tracks in its parent's
        // space.
        self.axes * along
    }

    /// Stretch in file units.
    pub fn stretch(&self, values: &[f64]) -> f64 {
        let at = self.dofs.iter().position(|&dof| dof == Dof::Length);
        at.map_or(0.0, |at| values[self.first + at])
    }
}

/// Metres in single precision.
pub(super) fn to_metres(value: DVec3, metres_per_unit: f64) -> Vec3 {
    (value * metres_per_unit).as_vec3()
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::{
        math::{Axis, EulerOrder, Transform},
        skeleton::NO_PARENT,
    };

    #[test]
    fn translations_follow_the_joint_axes() {
        let axes = EulerOrder::XYZ.rotation(DVec3::new(0.3, -0.8, 1.9));
        let joint = Joint {
            name: "j".into(),
            parent: NO_PARENT,
            rest: Transform::from_rotation(Quat::IDENTITY),
            tip: Vec3::Y,
            axes: axes.as_quat(),
            dofs: Vec::new(),
        };
        let dofs = vec![Dof::Rotate(Axis::Z), Dof::Translate(Axis::X), Dof::Length];
        let channels = JointChannels::new(0, &joint, 1, dofs);
        let values = [9.0, 40.0, 2.0, 0.7];
        let moved = channels.translation(&values);
        assert_close!(moved, axes * DVec3::X * 2.0, 1e-6);
        assert_eq!(channels.stretch(&values), 0.7);
    }
}
