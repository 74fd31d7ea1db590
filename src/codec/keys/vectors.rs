//! Vectors in 48 bits: three words on a cubic grid that spans the track.

use glam::{Vec3, Vec4};

/// Where the grid of a track's vectors lies: word n on an axis stands for
/// `origin + n × step_m`. On disk: origin x, y, z and the step as f32.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VectorBox {
    /// Smallest corner, metres.
    pub origin: Vec3,
    /// Grid spacing, metres.
    pub step_m: f32,
}

impl VectorBox {
    /// Bytes on disk.
    pub const BYTES: usize = 16;

    /// The smallest grid that holds the values.
    #[must_use]
    pub fn around(values: &[Vec4]) -> Self {
        let vectors = values.iter().map(|v| v.truncate());
        let low = vectors.clone().fold(Vec3::INFINITY, Vec3::min);
        let high = vectors.fold(Vec3::NEG_INFINITY, Vec3::max);
        if values.is_empty() {
            return Self::default();
        }
        Self {
            origin: low,
            // One step for all axes, so that a rounding error has no preferred
            // direction: 0.15 mm for a walk of ten metres.
            step_m: (high - low).max_element() / f32::from(u16::MAX),
        }
    }

    /// Rounds to the nearest grid point.
    #[must_use]
    pub fn pack(&self, value: Vec4) -> [u16; 3] {
        let word = |value: f32| {
            // A constant has no extent.
            if self.step_m > 0.0 {
                (value / self.step_m)
                    .round()
                    .clamp(0.0, f32::from(u16::MAX)) as u16
            } else {
                0
            }
        };
        let offset = value.truncate() - self.origin;
        offset.to_array().map(word)
    }

    /// The grid point.
    #[inline]
    #[must_use]
    pub fn unpack(&self, words: [u16; 3]) -> Vec4 {
        (self.origin + Vec3::from(words.map(f32::from)) * self.step_m).extend(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_points_are_within_half_a_step() {
        let values = [
            Vec4::new(-1.0, 0.5, 2.0, 0.0),
            Vec4::new(3.0, 0.7, 1.0, 0.0),
            Vec4::new(0.123, 0.6123, 1.777, 0.0),
        ];
        let grid = VectorBox::around(&values);
        assert_close!(grid.step_m, 4.0 / 65535.0, 1e-9);
        for value in values {
            let error = (grid.unpack(grid.pack(value)) - value).abs().max_element();
            assert!(error <= grid.step_m * 0.501 + 1e-6, "{error}");
        }
        assert_eq!(
            grid.pack(values[1])[0],
            0xffff,
            "the far end is the last word"
        );
    }
}
