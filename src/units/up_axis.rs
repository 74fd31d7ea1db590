//! Which axis of a file points up.

use std::{
    f64::consts::{FRAC_PI_2, PI},
    fmt,
    str::FromStr,
};

use glam::{DQuat, Vec3};

/// Which axis of a file points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// By convention.
    #[default]
    Y,
    /// In some conversions.
    Z,
    /// In few.
    X,
    /// Upside down, as pictures count.
    MinusY,
    /// After a quarter turn the wrong way.
    MinusZ,
    /// Likewise.
    MinusX,
}

impl UpAxis {
    /// In the order they are offered.
    pub const ALL: [Self; 6] = [
        Self::Y,
        Self::Z,
        Self::X,
        Self::MinusY,
        Self::MinusZ,
        Self::MinusX,
    ];

    /// Turns file space so that its up axis becomes Y: a quarter or half a turn,
    /// which leaves the file right-handed.
    #[must_use]
    pub fn y_up_from_file(self) -> DQuat {
        match self {
            Self::Y => DQuat::IDENTITY,
            Self::Z => DQuat::from_rotation_x(-FRAC_PI_2),
            Self::X => DQuat::from_rotation_z(FRAC_PI_2),
            Self::MinusY => DQuat::from_rotation_x(PI),
            Self::MinusZ => DQuat::from_rotation_x(FRAC_PI_2),
            Self::MinusX => DQuat::from_rotation_z(-FRAC_PI_2),
        }
    }

    /// Where it points, in file space.
    #[must_use]
    pub fn direction(self) -> Vec3 {
        match self {
            Self::Y => Vec3::Y,
            Self::Z => Vec3::Z,
            Self::X => Vec3::X,
            Self::MinusY => Vec3::NEG_Y,
            Self::MinusZ => Vec3::NEG_Z,
            Self::MinusX => Vec3::NEG_X,
        }
    }
}

impl fmt::Display for UpAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Y => "Y",
            Self::Z => "Z",
            Self::X => "X",
            Self::MinusY => "-Y",
            Self::MinusZ => "-Z",
            Self::MinusX => "-X",
        })
    }
}

impl FromStr for UpAxis {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let asked = word.trim_start_matches('+').to_uppercase();
        let named = |axis: &Self| axis.to_string() == asked;
        let found = Self::ALL.into_iter().find(named);
        found.ok_or_else(|| format!("{word:?} is none of y, z, x, -y, -z and -x"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_up_becomes_y_and_has_a_name() {
        for axis in UpAxis::ALL {
            let up = axis.y_up_from_file() * axis.direction().as_dvec3();
            assert_close!(up, glam::DVec3::Y, 1e-12);
            assert_eq!(axis.to_string().to_lowercase().parse(), Ok(axis));
        }
        assert_eq!("+z".parse(), Ok(UpAxis::Z));
        assert!("w".parse::<UpAxis>().is_err() && "--z".parse::<UpAxis>().is_err());
    }
}
