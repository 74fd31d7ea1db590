//! Rotations given as three angles about fixed axes, first letter first.

use std::{fmt, str::FromStr};

use glam::{DQuat, DVec3};

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// To the character's left.
    X,
    /// Up.
    Y,
    /// Forward.
    Z,
}

impl Axis {
    /// 0, 1, 2 for X, Y, Z.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The unit vector along the axis.
    #[must_use]
    pub fn vector(self) -> DVec3 {
        DVec3::AXES[self.index()]
    }

    fn letter(self) -> char {
        ['X', 'Y', 'Z'][self.index()]
    }
}

/// One degree of freedom of a joint, in the joint's own axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dof {
    /// Rotation about an axis.
    Rotate(Axis),
    /// Translation along an axis.
    Translate(Axis),
    /// Stretch of the bone along its direction.
    Length,
}

/// A permutation of the three axes: `XYZ` turns about the fixed X axis first,
/// then about the fixed Y axis, then about the fixed Z axis, which on column
/// vectors is `Rz · Ry · Rx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EulerOrder([Axis; 3]);

impl EulerOrder {
    /// The order nearly every file uses.
    pub const XYZ: Self = Self([Axis::X, Axis::Y, Axis::Z]);

    /// All six orders.
    pub const ALL: [Self; 6] = [
        Self::XYZ,
        Self([Axis::X, Axis::Z, Axis::Y]),
        Self([Axis::Y, Axis::X, Axis::Z]),
        Self([Axis::Y, Axis::Z, Axis::X]),
        Self([Axis::Z, Axis::X, Axis::Y]),
        Self([Axis::Z, Axis::Y, Axis::X]),
    ];

    /// The axes, first applied first.
    #[must_use]
    pub fn axes(self) -> [Axis; 3] {
        self.0
    }

    /// The rotation whose angle about each axis is `angles_rad` (always x, y,
    /// z, whatever the order), applied in this order about fixed axes.
    #[must_use]
    pub fn rotation(self, angles_rad: DVec3) -> DQuat {
        self.0.iter().fold(DQuat::IDENTITY, |done, axis| {
            DQuat::from_axis_angle(axis.vector(), angles_rad[axis.index()]) * done
        })
    }
}

impl fmt::Display for EulerOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|axis| write!(f, "{}", axis.letter()))
    }
}

/// The word is not a permutation of X, Y and Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a permutation of XYZ")]
pub struct UnknownEulerOrder;

impl FromStr for EulerOrder {
    type Err = UnknownEulerOrder;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|order| order.to_string().eq_ignore_ascii_case(word))
            .ok_or(UnknownEulerOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;

    fn about(axis: Axis, angle: f64) -> DMat3 {
        match axis {
            Axis::X => DMat3::from_rotation_x(angle),
            Axis::Y => DMat3::from_rotation_y(angle),
            Axis::Z => DMat3::from_rotation_z(angle),
        }
    }

    #[test]
    fn first_letter_turns_first_in_all_six_orders() {
        let two = DVec3::new(0.4, -1.1, 0.0);
        let three = DVec3::new(0.4, -1.1, 2.3);
        for angles in [two, three] {
            for order in EulerOrder::ALL {
                let [a, b, c] = order.axes();
                let expected = about(c, angles[c.index()])
                    * about(b, angles[b.index()])
                    * about(a, angles[a.index()]);
                let found = DMat3::from_quat(order.rotation(angles));
                assert!(
                    found.abs_diff_eq(expected, 1e-12),
                    "{order}: {found} is not {expected}"
                );
            }
        }
    }

    #[test]
    fn x_then_y_takes_z_to_the_side() {
        // By hand: turning +Z a quarter about X gives −Y; a quarter about the
        // fixed Y axis then leaves −Y alone.
        let angles = DVec3::new(90f64.to_radians(), 90f64.to_radians(), 0.0);
        let turned = EulerOrder::XYZ.rotation(angles) * DVec3::Z;
        assert!((turned - DVec3::NEG_Y).length() < 1e-12, "{turned}");
    }

    #[test]
    fn words_in_any_case_and_nothing_else() {
        assert_eq!("zXy".parse(), Ok(EulerOrder([Axis::Z, Axis::X, Axis::Y])));
        for word in ["", "XY", "XXY", "XYZW", "ABC"] {
            assert_eq!(word.parse::<EulerOrder>(), Err(UnknownEulerOrder), "{word}");
        }
    }
}
