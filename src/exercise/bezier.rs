//! Bézier curves through keys, on the line and on the sphere of quaternions:
//! control points by doubling and bisecting, points by de Casteljau. The one
//! construction serves both, for it needs nothing but a way from one value to
//! another.

use glam::DQuat;

/// Values with a way from one to another.
pub trait Mix: Copy {
    /// `self` at 0, `other` at 1, evenly on beyond both.
    #[must_use]
    fn mix(self, other: Self, t: f64) -> Self;
}

impl Mix for f64 {
    fn mix(self, other: Self, t: f64) -> Self {
        self + (other - self) * t
    }
}

impl Mix for DQuat {
    fn mix(self, other: Self, t: f64) -> Self {
        slerp(self, other, t)
    }
}

/// Along the great circle from `from` to `to`, and on beyond them. Takes the
/// two as they are: whoever wants the short way round chooses signs first.
#[must_use]
pub fn slerp(from: DQuat, to: DQuat, t: f64) -> DQuat {
    // By chords: exact for the smallest angles, where the arc cosine is not.
    let angle = 2.0 * (from - to).length().atan2((from + to).length());
    let sine = angle.sin();
    // Nearer than rounding, or opposite each other with no way to prefer.
    if sine < 1e-12 {
        return from;
    }
    let mixed = from * (((1.0 - t) * angle).sin() / sine) + to * ((t * angle).sin() / sine);
    mixed.normalize()
}

/// Where the curve arrives at each key from, and where it leaves it to.
///
/// Through a key qₙ with neighbours: āₙ bisects the way from qₙ₋₁ doubled
/// beyond qₙ to qₙ₊₁; the curve leaves by aₙ, a third of the way to āₙ, and
/// arrives by bₙ, as far on the other side. At the ends the way between the
/// next two keys is doubled towards the end.
#[must_use]
pub fn control_points<P: Mix>(keys: &[P]) -> Vec<[P; 2]> {
    const THIRD: f64 = 1.0 / 3.0;
    let last = keys.len().saturating_sub(1);
    let towards = |n: usize, goal: P| keys[n].mix(goal, THIRD);
    let at = |n: usize| match n {
        // Two keys have no third to bend to: the curve is straight.
        _ if last < 2 => {
            let goal = towards(n, keys[last - n]);
            [goal, goal]
        }
        0 => {
            let leaves = towards(0, keys[2].mix(keys[1], 2.0));
            [keys[0], leaves]
        }
        n if n == last => {
            let arrives = towards(n, keys[n - 2].mix(keys[n - 1], 2.0));
            [arrives, keys[n]]
        }
        n => {
            let beyond = keys[n - 1].mix(keys[n], 2.0);
            let middle = beyond.mix(keys[n + 1], 0.5);
            [keys[n].mix(middle, -THIRD), towards(n, middle)]
        }
    };
    (0..keys.len()).map(at).collect()
}

/// The point of a cubic Bézier curve, by mixing neighbours three times.
#[must_use]
pub fn de_casteljau<P: Mix>(points: [P; 4], t: f64) -> P {
    let [a, b, c, d] = points;
    let (ab, bc, cd) = (a.mix(b, t), b.mix(c, t), c.mix(d, t));
    ab.mix(bc, t).mix(bc.mix(cd, t), t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// Cubic Bernstein polynomials: the closed form of the construction.
    fn bernstein([a, b, c, d]: [f64; 4], t: f64) -> f64 {
        let s = 1.0 - t;
        s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
    }

    #[test]
    fn numbers_follow_the_bernstein_polynomials() {
        let points = [1.0, -4.0, 2.5, 7.0];
        for i in 0..=20 {
            let t = f64::from(i) / 20.0;
            assert_close!(de_casteljau(points, t), bernstein(points, t), 1e-13);
        }
    }

    /// About one axis the sphere is a circle, and the construction must be that
    /// of the angles as numbers.
    #[test]
    fn about_one_axis_quaternions_follow_their_angles() {
        let axis = DVec3::new(0.3, -0.8, 0.5).normalize();
        let angles = [0.1, 0.9, 0.4, 1.6, 1.7, 0.2];
        let turns = angles.map(|angle| DQuat::from_axis_angle(axis, angle));
        let (on_line, on_sphere) = (control_points(&angles), control_points(&turns));
        for n in 0..angles.len() - 1 {
            for i in 0..=10 {
                let t = f64::from(i) / 10.0;
                let angle = de_casteljau(
                    [angles[n], on_line[n][1], on_line[n + 1][0], angles[n + 1]],
                    t,
                );
                let turn = de_casteljau(
                    [turns[n], on_sphere[n][1], on_sphere[n + 1][0], turns[n + 1]],
                    t,
                );
                let expected = DQuat::from_axis_angle(axis, angle);
                assert!(turn.dot(expected) > 1.0 - 1e-14, "{n} {t}");
            }
        }
    }

    /// Shoemake's own words for it: Double(p, q) = 2 (p · q) q − p, and
    /// Bisect(p, q) = (p + q) / |p + q|.
    #[test]
    fn doubling_and_bisecting_are_the_published_ones() {
        let p = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -0.6, 1.0);
        let q = DQuat::from_euler(glam::EulerRot::XYZ, 0.9, 0.2, 0.4);
        let double = q * (2.0 * p.dot(q)) - p;
        assert!((slerp(p, q, 2.0) - double).length() < 1e-14);
        let bisect = (p + q).normalize();
        assert!((slerp(p, q, 0.5) - bisect).length() < 1e-14);
    }

    /// Inside, the construction on the line is the Catmull-Rom spline: it leaves
    /// a key by a sixth of the way between its neighbours.
    #[test]
    fn on_the_line_it_is_catmull_rom() {
        let keys = [2.0, 3.0, -1.0, 5.0];
        let controls = control_points(&keys);
        assert_close!(controls[1][1], 3.0 + (-1.0 - 2.0) / 6.0, 1e-14);
        assert_close!(controls[1][0], 3.0 - (-1.0 - 2.0) / 6.0, 1e-14);
        assert_close!(controls[0][1], 2.0 + ((2.0 * 3.0 + 1.0) - 2.0) / 3.0, 1e-14);
    }

    #[test]
    fn few_keys_are_enough() {
        assert!(control_points::<f64>(&[]).is_empty());
        assert_eq!(control_points(&[4.0]), [[4.0, 4.0]]);
        let two = control_points(&[0.0, 3.0]);
        assert_eq!(two, [[1.0, 1.0], [2.0, 2.0]]);
        let same = DQuat::from_rotation_x(0.4);
        assert_eq!(slerp(same, same, 0.3), same);
        assert!(slerp(same, -same, 0.3).is_normalized());
    }
}
