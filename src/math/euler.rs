//! Rotations given as three angles about fixed axes, first letter first.

use std::{fmt, str::FromStr};

use glam::{DMat3, DQuat, DVec3};

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

impl Dof {
    /// As Acclaim files spell it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Rotate(Axis::X) => "rx",
            Self::Rotate(Axis::Y) => "ry",
            Self::Rotate(Axis::Z) => "rz",
            Self::Translate(Axis::X) => "tx",
            Self::Translate(Axis::Y) => "ty",
            Self::Translate(Axis::Z) => "tz",
            Self::Length => "l",
        }
    }
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

    /// The order that starts with `turns`, the axes missing in it after them.
    #[must_use]
    pub fn starting_with(turns: &[Axis]) -> Self {
        let fits = |order: &Self| {
            let mut rest = order.0.iter();
            turns.iter().all(|turn| rest.next() == Some(turn))
        };
        // Only a list that names an axis twice fits none.
        Self::ALL.into_iter().find(fits).unwrap_or(Self::XYZ)
    }

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
            // Later turns on the left: the axes stay where they are.
            DQuat::from_axis_angle(axis.vector(), angles_rad[axis.index()]) * done
        })
    }

    /// Both triples of angles (always x, y, z) that make this rotation, each
    /// angle within half a turn of `near_rad`. Where the outer axes fall
    /// together the first turn stays as near as it can.
    #[must_use]
    pub fn both_angles(self, rotation: DQuat, near_rad: DVec3) -> [DVec3; 2] {
        let [i, j, k] = self.0.map(Axis::index);
        // An odd order is the mirror image of an even one: every sine changes
        // its sign.
        let parity = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
        let turn = DMat3::from_quat(rotation);
        let at = |m: &DMat3, row: usize, column: usize| m.col(column)[row];
        // Row k of Rk · Rj · Ri is (−sin j, cos j · sin i, cos j · cos i) in
        // the columns i, j, k: the angle about i without the one about k.
        let (sine, cosine) = (parity * at(&turn, k, j), at(&turn, k, k));
        let first = match sine.hypot(cosine) {
            // Gimbal lock: i and k turn about one line, and any split between
            // them will do. The one that leaves i alone keeps curves calm.
            length if length < 1e-9 => near_rad[i],
            _ => sine.atan2(cosine),
        };
        // The second solution: half a turn about i, over the top about j, half
        // a turn back about k.
        [first, first + std::f64::consts::PI].map(|first| {
            // The other two are read off what is left, so that an error of the
            // first, which is large near the pole, is made good by the last.
            let undo = DQuat::from_axis_angle(self.0[0].vector(), -first);
            let left = DMat3::from_quat(rotation * undo);
            let mut angles = DVec3::ZERO;
            angles[i] = first;
            angles[j] = (-parity * at(&left, k, i)).atan2(at(&left, k, k));
            angles[k] = (-parity * at(&left, i, j)).atan2(at(&left, j, j));
            // Whole turns are free, and near_rad says which: a pirouette goes
            // on past 180° instead of jumping back.
            let turns = ((near_rad - angles) / std::f64::consts::TAU).round();
            angles + turns * std::f64::consts::TAU
        })
    }

    /// The triple of [`Self::both_angles`] that lies nearer to `near_rad`, so
    /// that curves run on without jumps.
    #[must_use]
    pub fn angles(self, rotation: DQuat, near_rad: DVec3) -> DVec3 {
        let [a, b] = self.both_angles(rotation, near_rad);
        match a.distance_squared(near_rad) <= b.distance_squared(near_rad) {
            true => a,
            false => b,
        }
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

    /// Every order, angles all over the sphere and straight at the poles.
    #[test]
    fn angles_make_the_rotation_again() {
        let steps = [-3.1, -1.6, -0.5, 0.0, 1e-9, 0.7, 2.9];
        let pole = std::f64::consts::FRAC_PI_2;
        for order in EulerOrder::ALL {
            for x in steps {
                for y in steps.into_iter().chain([pole, -pole, pole - 1e-7]) {
                    for z in steps.into_iter().chain([pole, -pole, pole + 1e-8]) {
                        let rotation = order.rotation(DVec3::new(x, y, z));
                        let near = DVec3::new(9.0, -9.0, 0.1);
                        for found in order.both_angles(rotation, near) {
                            let again = order.rotation(found);
                            let dot = again.dot(rotation).abs();
                            assert!(dot > 1.0 - 1e-14, "{order} {x} {y} {z}: {found}");
                            let off = (found - near).abs().max_element();
                            assert!(off <= std::f64::consts::PI + 1e-9, "{found}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn angles_run_on_through_full_turns_and_over_the_pole() {
        for order in EulerOrder::ALL {
            let mut before = DVec3::ZERO;
            for step in 0..2_000 {
                let t = f64::from(step) * 0.01;
                let truth = DVec3::new(t, 0.9 * t, -0.3 * t);
                let found = order.angles(order.rotation(truth), before);
                assert_close!(found, truth, 1e-6, "{order} {step}");
                before = found;
            }
        }
    }

    #[test]
    fn x_then_y_takes_z_to_the_side() {
        // By hand: turning +Z a quarter about X gives −Y; a quarter about the
        // fixed Y axis then leaves −Y alone.
        let angles = DVec3::new(90f64.to_radians(), 90f64.to_radians(), 0.0);
        let turned = EulerOrder::XYZ.rotation(angles) * DVec3::Z;
        assert_close!(turned, DVec3::NEG_Y, 1e-12);
    }

    #[test]
    fn words_in_any_case_and_nothing_else() {
        assert_eq!("zXy".parse(), Ok(EulerOrder([Axis::Z, Axis::X, Axis::Y])));
        for word in ["", "XY", "XXY", "XYZW", "ABC"] {
            assert_eq!(word.parse::<EulerOrder>(), Err(UnknownEulerOrder), "{word}");
        }
    }
}
