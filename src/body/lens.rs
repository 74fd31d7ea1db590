//! Places where the grid of a surface is finer.

use glam::Vec3A;

/// Magnifies space beyond a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lens {
    pub origin: Vec3A,
    /// Unit normal of the plane; points to the magnified side.
    pub direction: Vec3A,
    pub magnification: f32,
    /// Metres over which the magnification sets in.
    pub ramp_m: f32,
}

impl Lens {
    /// Grid space to model space.
    pub fn model_from_grid(&self, p: Vec3A) -> Vec3A {
        let t = (p - self.origin).dot(self.direction);
        if t <= 0.0 {
            return p;
        }
        // Scale falls linearly from 1 to 1/magnification over the ramp; `along` is
        // its integral, so that neighbouring cells never differ by a step.
        let shrink = 1.0 - 1.0 / self.magnification;
        let ramp = t.min(self.ramp_m);
        let scale = 1.0 - shrink * ramp / self.ramp_m;
        let along = ramp - shrink * ramp * ramp / (2.0 * self.ramp_m) + (t - ramp) * scale;
        let lateral = p - self.origin - self.direction * t;
        self.origin + self.direction * along + lateral * scale
    }

    /// Widens a box of model space so that it covers the same in grid space.
    pub fn widen(&self, ball: (Vec3A, f32), low: &mut Vec3A, high: &mut Vec3A) {
        let (centre, radius) = ball;
        if (centre - self.origin).dot(self.direction) + radius > 0.0 {
            let centre = self.origin + (centre - self.origin) * self.magnification;
            *low = low.min(centre - radius * self.magnification);
            *high = high.max(centre + radius * self.magnification);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lens_is_one_to_one_and_magnifies_as_asked() {
        let lens = Lens {
            origin: Vec3A::X,
            direction: Vec3A::X,
            magnification: 2.0,
            ramp_m: 0.1,
        };
        assert_eq!(lens.model_from_grid(Vec3A::ZERO), Vec3A::ZERO);
        let mut last = 0.0;
        for step in 1..100 {
            let x = lens.model_from_grid(Vec3A::X * (0.03 * step as f32)).x;
            assert!(x > last);
            last = x;
        }
        let near = lens.model_from_grid(Vec3A::new(2.0, 0.2, 0.0));
        let far = lens.model_from_grid(Vec3A::new(2.1, 0.2, 0.0));
        assert!((far.x - near.x - 0.05).abs() < 1e-6 && (far.y - 0.1).abs() < 1e-6);
    }
}
