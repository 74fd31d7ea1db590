//! Catmull-Rom weights.

/// Weights of the four points of a uniform Catmull-Rom segment (tension 0.5)
/// at parameter `t` in 0..=1 between the second and the third.
#[inline]
#[must_use]
pub fn catmull_rom_weights(t: f32) -> [f32; 4] {
    // A Hermite segment whose tangents are (p2 − p0) / 2 and (p3 − p1) / 2, its
    // terms gathered point by point.
    let t2 = t * t;
    let t3 = t2 * t;
    [
        0.5 * (2.0 * t2 - t3 - t),
        0.5 * (3.0 * t3 - 5.0 * t2 + 2.0),
        0.5 * (4.0 * t2 - 3.0 * t3 + t),
        0.5 * (t3 - t2),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_through_its_points_and_reproduces_lines() {
        let line = [-1.0, 0.0, 1.0, 2.0];
        for i in 0..=10 {
            let t = i as f32 / 10.0;
            let weights = catmull_rom_weights(t);
            let value: f32 = weights.iter().zip(line).map(|(w, p)| w * p).sum();
            assert_close!(value, t, 1e-6, "{value} at {t}");
        }
        assert_eq!(catmull_rom_weights(0.0), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(catmull_rom_weights(1.0), [0.0, 0.0, 1.0, 0.0]);
    }
}
