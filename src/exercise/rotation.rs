//! Angles of a bone as a rotation and back, with the axes that the file has.

use glam::{DQuat, DVec3};

use crate::math::{Axis, Dof, EulerOrder};

/// How a bone's angles make a rotation.
pub(super) struct BoneAngles {
    order: EulerOrder,
    /// Column in the bone, and axis, of each angle.
    columns: Vec<(usize, Axis)>,
}

impl BoneAngles {
    /// `None` where the bone has no angle.
    pub fn of(dofs: &[Dof]) -> Option<Self> {
        let columns = dofs
            .iter()
            .enumerate()
            .filter_map(|(column, dof)| match dof {
                Dof::Rotate(axis) => Some((column, *axis)),
                _ => None,
            });
        let columns: Vec<(usize, Axis)> = columns.collect();
        let axes: Vec<Axis> = columns.iter().map(|&(_, axis)| axis).collect();
        (!columns.is_empty()).then(|| Self {
            order: EulerOrder::starting_with(&axes),
            columns,
        })
    }

    /// Columns that are angles.
    pub fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.columns.iter().map(|&(column, _)| column)
    }

    /// The rotation that a bone's values (degrees) make. The axes of the bone
    /// itself are left out: they turn keys and what is between them alike.
    pub fn rotation(&self, values: &[f64]) -> DQuat {
        self.order.rotation(self.angles_rad(values))
    }

    /// Writes the angles of a rotation into a bone's values, as near as can be
    /// to those in `near`. What it needs of an axis that the bone does not have
    /// is dropped, as the file has no place for it.
    pub fn write(&self, rotation: DQuat, near: &[f64], values: &mut [f64]) {
        let near_rad = self.angles_rad(near);
        let has = |axis: &Axis| self.columns.iter().any(|(_, own)| own == axis);
        let cost = |angles: &DVec3| {
            let off = *angles - near_rad;
            let axes = self.order.axes();
            let missing = axes.iter().filter(|axis| !has(axis));
            // Of the two triples the one that needs the missing axes least.
            let stray: f64 = missing.map(|axis| off[axis.index()].powi(2)).sum();
            off.length_squared() + 1e6 * stray
        };
        let [a, b] = self.order.both_angles(rotation, near_rad);
        let angles = if cost(&a) <= cost(&b) { a } else { b };
        for &(column, axis) in &self.columns {
            values[column] = angles[axis.index()].to_degrees();
        }
    }

    fn angles_rad(&self, values: &[f64]) -> DVec3 {
        let mut angles = DVec3::ZERO;
        for &(column, axis) in &self.columns {
            angles[axis.index()] = values[column].to_radians();
        }
        angles
    }
}
