//! Which axis of a file points up.

use std::{fmt, str::FromStr};

/// Which axis of a file points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// By convention.
    #[default]
    Y,
    /// In some conversions.
    Z,
}

impl UpAxis {
    /// In the order they are offered.
    pub const ALL: [Self; 2] = [Self::Y, Self::Z];

    /// Turns file space so that its up axis becomes Y.
    #[must_use]
    pub fn y_up_from_file(self) -> glam::DQuat {
        match self {
            Self::Y => glam::DQuat::IDENTITY,
            // A quarter back about X takes +Z to +Y and leaves the file
            // right-handed.
            Self::Z => glam::DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2),
        }
    }
}

impl fmt::Display for UpAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Y => "Y",
            Self::Z => "Z",
        })
    }
}

impl FromStr for UpAxis {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "y" | "Y" => Ok(Self::Y),
            "z" | "Z" => Ok(Self::Z),
            _ => Err(format!("{word:?} is neither y nor z")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z_up_becomes_y_up() {
        let up = UpAxis::Z.y_up_from_file() * glam::DVec3::Z;
        assert_close!(up, glam::DVec3::Y, 1e-12);
    }
}
