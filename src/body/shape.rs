//! Rounded solids in their own frames, and how far a point is from them.
//!
//! Distances are in metres, negative inside; of ellipsoids and lofts they are
//! exact on the surface and first-order beside it.

use std::sync::Arc;

use glam::{Vec2, Vec3A, Vec4};

/// A solid in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// From radius `low_m` at the origin to `high_m` at `length_m` along Y.
    Cone {
        length_m: f32,
        low_m: f32,
        high_m: f32,
    },
    /// Half axes, around the origin.
    Ellipsoid(Vec3A),
    /// Half extents of a box around the origin, and the rounding added to them.
    Slab(Vec3A, f32),
    /// Cross-sections along Y.
    Loft(Arc<Loft>),
}

/// A cross-section of a loft: four quarters of ellipses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Section {
    /// Along Y, metres.
    pub at_m: f32,
    /// Half widths towards +X, −X, +Z, −Z, in metres.
    pub half_m: Vec4,
}

/// Cross-sections joined smoothly, closed by half an ellipsoid at either end:
/// a limb or a trunk as a tailor measures it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Loft {
    sections: Vec<Section>,
    /// Change of the half widths along Y at each section.
    slopes: Vec<Vec4>,
    /// Heights of the rounded ends, metres.
    caps_m: [f32; 2],
    /// At either end: 0 for elliptic sections, 1 for almost rectangular ones.
    squareness: [f32; 2],
}

impl Loft {
    /// Sections in order along Y, two at least.
    pub fn new(sections: Vec<Section>, caps_m: [f32; 2], squareness: [f32; 2]) -> Self {
        let last = sections.len() - 1;
        let slope = |index: usize| {
            if index == 0 || index == last {
                return Vec4::ZERO; // as the rounded end begins
            }
            let [before, after] = [sections[index - 1], sections[index + 1]];
            (after.half_m - before.half_m) / (after.at_m - before.at_m).max(1e-6)
        };
        Self {
            slopes: (0..=last).map(slope).collect(),
            sections,
            caps_m,
            squareness,
        }
    }

    /// Half widths at a height, by cubic Hermite splines.
    fn half_m(&self, y: f32) -> Vec4 {
        let above = self.sections.iter().position(|it| it.at_m > y);
        let Some(above) = above else {
            return self.sections[self.sections.len() - 1].half_m;
        };
        if above == 0 {
            return self.sections[0].half_m;
        }
        let [a, b] = [self.sections[above - 1], self.sections[above]];
        let length = b.at_m - a.at_m;
        let t = (y - a.at_m) / length;
        let (t2, t3) = (t * t, t * t * t);
        let ease = 3.0 * t2 - 2.0 * t3;
        a.half_m
            + (b.half_m - a.half_m) * ease
            + self.slopes[above - 1] * (length * (t3 - 2.0 * t2 + t))
            + self.slopes[above] * (length * (t3 - t2))
    }

    fn distance(&self, p: Vec3A) -> f32 {
        let half = self.half_m(p.y);
        let (low, high) = self.span_m();
        let beyond = p.y - p.y.clamp(low, high);
        let cap = self.caps_m[usize::from(beyond > 0.0)];
        let x = if p.x >= 0.0 { half.x } else { half.y };
        let z = if p.z >= 0.0 { half.z } else { half.w };
        let half = Vec3A::new(x, cap, z);
        let unit = Vec3A::new(p.x, beyond, p.z) / half;
        let (x2, z2) = (unit.x * unit.x, unit.z * unit.z);
        // Between a circle and the curve x⁴ + z⁴ = 1, which is squarer.
        let round = x2 + z2;
        let height = ((p.y - low) / (high - low).max(1e-6)).clamp(0.0, 1.0);
        let [first, last] = self.squareness;
        let squareness = first + (last - first) * height;
        let across = round + squareness * ((x2 * x2 + z2 * z2).sqrt() - round);
        first_order((across + unit.y * unit.y).sqrt(), unit, half)
    }

    /// From the first section to the last.
    pub fn span_m(&self) -> (f32, f32) {
        let last = self.sections.len() - 1;
        (self.sections[0].at_m, self.sections[last].at_m)
    }

    fn widest_m(&self) -> f32 {
        let widths = self.sections.iter().map(|it| it.half_m.max_element());
        // Splines may swing a little beyond their sections.
        1.1 * widths.fold(0.0, f32::max)
    }

    fn mean_m(&self) -> f32 {
        let sum: Vec4 = self.sections.iter().map(|it| it.half_m).sum();
        sum.dot(Vec4::splat(0.25)) / self.sections.len() as f32
    }
}

impl Shape {
    /// Signed distance in metres.
    pub fn distance(&self, p: Vec3A) -> f32 {
        match self {
            &Self::Cone {
                length_m,
                low_m,
                high_m,
            } => cone_distance(p, length_m, low_m, high_m),
            &Self::Ellipsoid(half) => ellipsoid_distance(p, half),
            &Self::Slab(half, round) => {
                let q = p.abs() - half;
                q.max(Vec3A::ZERO).length() + q.max_element().min(0.0) - round
            }
            Self::Loft(loft) => loft.distance(p),
        }
    }

    /// Typical radius.
    pub fn girth_m(&self) -> f32 {
        // The middle axis: eggs are long along their limb.
        let middle = |half: Vec3A| half.element_sum() - half.max_element() - half.min_element();
        match self {
            Self::Cone { low_m, high_m, .. } => (low_m + high_m) / 2.0,
            &Self::Ellipsoid(half) => middle(half),
            &Self::Slab(half, round) => middle(half) + round,
            Self::Loft(loft) => loft.mean_m(),
        }
    }

    /// Heights between which a capsule around the Y axis holds the solid, and
    /// the capsule's radius.
    pub fn capsule(&self) -> (f32, f32, f32) {
        match self {
            &Self::Cone {
                length_m,
                low_m,
                high_m,
            } => (0.0, length_m, low_m.max(high_m)),
            &Self::Ellipsoid(half) => around_y(half),
            &Self::Slab(half, round) => {
                let wide = half.x.hypot(half.z);
                (-half.y, half.y, wide + round)
            }
            Self::Loft(loft) => {
                let (low, high) = loft.span_m();
                let wide = loft.widest_m();
                let [under, over] = loft.caps_m.map(|cap| (cap - wide).max(0.0));
                (low - under, high + over, wide)
            }
        }
    }
}

fn around_y(half: Vec3A) -> (f32, f32, f32) {
    let wide = half.x.max(half.z);
    let rest = (half.y - wide).max(0.0);
    (-rest, rest, wide)
}

/// Round cone: two balls and the cone that touches both.
fn cone_distance(p: Vec3A, length: f32, low: f32, high: f32) -> f32 {
    if length < 1e-6 {
        return p.length() - low.max(high);
    }
    let q = Vec2::new(Vec2::new(p.x, p.z).length(), p.y);
    // The line that touches both circles leans by asin((low − high) / length);
    // clamped, since one ball inside the other has no such line.
    let sin = ((low - high) / length).clamp(-0.999, 0.999);
    let cos = (1.0 - sin * sin).sqrt();
    // Before, between or beyond the two points where that line touches.
    let along = Vec2::new(-sin, cos).dot(q);
    if along < 0.0 {
        q.length() - low
    } else if along > cos * length {
        (q - Vec2::new(0.0, length)).length() - high
    } else {
        q.dot(Vec2::new(cos, sin)) - low
    }
}

/// First-order distance, exact on the surface.
fn ellipsoid_distance(p: Vec3A, half: Vec3A) -> f32 {
    let unit = p / half;
    first_order(unit.length(), unit, half)
}

/// f/|∇f| with f = k0 − 1, where k0 is about as long as `unit` and its
/// gradient k1/k0.
fn first_order(k0: f32, unit: Vec3A, half: Vec3A) -> f32 {
    let k1 = (unit / half).length();
    if k1 < 1e-9 {
        return -half.min_element();
    }
    k0 * (k0 - 1.0) / k1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(at_m: f32, half_m: [f32; 4]) -> Section {
        Section {
            at_m,
            half_m: half_m.into(),
        }
    }

    #[test]
    fn a_loft_of_equal_circles_is_a_rod_with_round_ends() {
        let sections = vec![section(0.0, [0.1; 4]), section(1.0, [0.1; 4])];
        let rod = Loft::new(sections, [0.1, 0.1], [0.0; 2]);
        for (p, expected) in [
            (Vec3A::new(0.3, 0.5, 0.0), 0.2),
            (Vec3A::new(0.0, 1.3, 0.0), 0.2),
            (Vec3A::new(0.0, -0.1, 0.0), 0.0),
        ] {
            assert_close!(rod.distance(p), expected, 1e-6, "{p}");
        }
    }

    #[test]
    fn a_loft_passes_through_its_sections_on_all_four_sides() {
        let half = [0.1, 0.2, 0.3, 0.15];
        let sections = vec![
            section(0.0, [0.1; 4]),
            section(0.4, half),
            section(1.0, [0.05; 4]),
        ];
        let loft = Loft::new(sections, [0.1, 0.1], [0.0; 2]);
        for (x, z) in [
            (half[0], 0.0),
            (-half[1], 0.0),
            (0.0, half[2]),
            (0.0, -half[3]),
        ] {
            assert_close!(loft.distance(Vec3A::new(x, 0.4, z)), 0.0, 1e-6, "{x} {z}");
        }
    }

    #[test]
    fn a_capsule_holds_its_solid() {
        let sections = vec![
            section(0.0, [0.1, 0.2, 0.1, 0.1]),
            section(0.5, [0.3; 4]),
            section(0.9, [0.1; 4]),
        ];
        for shape in [
            Shape::Ellipsoid(Vec3A::new(0.1, 0.4, 0.2)),
            Shape::Slab(Vec3A::new(0.1, 0.02, 0.3), 0.01),
            Shape::Loft(Arc::new(Loft::new(sections, [0.05, 0.4], [0.5; 2]))),
        ] {
            let (low, high, radius) = shape.capsule();
            let holds = |p: Vec3A| (p - Vec3A::Y * p.y.clamp(low, high)).length() <= radius + 1e-4;
            for step in 0..8000 {
                let p = Vec3A::new(
                    (step % 20) as f32,
                    (step / 20 % 20) as f32,
                    (step / 400) as f32,
                );
                let p = (p / 20.0 - Vec3A::new(0.5, 0.3, 0.5)) * 1.8;
                assert!(shape.distance(p) > 0.0 || holds(p), "{shape:?} at {p}");
            }
        }
    }
}
