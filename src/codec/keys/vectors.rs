//! Vectors in 48 bits: three words on a cubic grid that spans the track.

use glam::{Vec3, Vec4};
use wide::f32x4;

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
            step_m: (high - low).max_element() / f32::from(u16::MAX),
        }
    }

    /// Rounds to the nearest grid point.
    #[must_use]
    pub fn pack(&self, value: Vec4) -> [u16; 3] {
        let word = |value: f32| {
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

    /// Four at once, from their first words, second words and third words as
    /// numbers.
    #[inline(always)]
    #[must_use]
    pub fn unpack4(&self, words: [f32x4; 3]) -> [Vec4; 4] {
        let [x, y, z] = words.map(|words| words * f32x4::splat(self.step_m));
        let zero = f32x4::splat(0.0);
        let origin = self.origin.extend(0.0);
        f32x4::transpose([x, y, z, zero]).map(|v| origin + Vec4::from_array(v.to_array()))
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
        assert!((grid.step_m - 4.0 / 65535.0).abs() < 1e-9);
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

    #[test]
    fn four_at_once_agree_with_one() {
        let grid = VectorBox {
            origin: Vec3::new(-1.0, 0.3, 7.0),
            step_m: 1e-3,
        };
        let words = [[1, 2, 3], [0, 65535, 9], [500, 40, 30_000], [7, 7, 7]];
        let row = |i: usize| f32x4::new(words.map(|words: [u16; 3]| f32::from(words[i])));
        let four = grid.unpack4([row(0), row(1), row(2)]);
        assert_eq!(four, words.map(|words| grid.unpack(words)));
    }

    #[test]
    fn a_single_point_is_exact() {
        let value = Vec4::new(0.1, -7.3, 1e-3, 0.0);
        let grid = VectorBox::around(&[value; 3]);
        assert_eq!(grid.unpack(grid.pack(value)), value);
        assert_eq!(VectorBox::around(&[]), VectorBox::default());
    }
}
