//! The signed distance field of a body: rounded solids joined smoothly.
//!
//! Distances are in metres, negative inside. Squashed solids give a bound
//! rather than the exact distance; the mesh is projected onto the zero set by
//! Newton steps, so only sign and gradient near zero matter.

use glam::{Quat, Vec3, Vec3A};

use crate::skeleton::JointIndex;

/// A solid in its own frame, centred on the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    /// From radius `low_m` at the origin to `high_m` at `length_m` along Y.
    Cone {
        length_m: f32,
        low_m: f32,
        high_m: f32,
    },
    /// Half axes.
    Ellipsoid(Vec3A),
    /// Half extents of a box and the rounding added to them.
    Slab(Vec3A, f32),
}

/// One solid of the body.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub shape: Shape,
    /// Takes the shape's frame to model space.
    pub origin: Vec3A,
    pub rotation: Quat,
    /// Scale of the shape along its own X and Z; Y stays.
    pub squash: [f32; 2],
    /// Width of the smooth seam with what is already there, in metres.
    pub blend_m: f32,
    /// Cut out of the body instead of added.
    pub carve: bool,
    /// Joints that may move the skin of this part; the nearest bone does.
    pub joints: Vec<JointIndex>,
}

impl Part {
    /// A round bone from `a` to `b`.
    pub fn cone(a: Vec3A, b: Vec3A, radii_m: [f32; 2], joints: &[JointIndex]) -> Self {
        let along = b - a;
        let length_m = along.length();
        let y = if length_m > 1e-6 {
            along / length_m
        } else {
            Vec3A::Y
        };
        Self {
            shape: Shape::Cone {
                length_m,
                low_m: radii_m[0],
                high_m: radii_m[1],
            },
            origin: a,
            rotation: Quat::from_rotation_arc(Vec3::Y, y.into()),
            squash: [1.0, 1.0],
            blend_m: 0.03,
            carve: false,
            joints: joints.to_vec(),
        }
    }

    /// An ellipsoid whose half axes run along the columns of `frame`.
    pub fn ellipsoid(centre: Vec3A, frame: Quat, half_m: Vec3A, joints: &[JointIndex]) -> Self {
        Self {
            shape: Shape::Ellipsoid(half_m),
            origin: centre,
            rotation: frame,
            squash: [1.0, 1.0],
            blend_m: 0.03,
            carve: false,
            joints: joints.to_vec(),
        }
    }

    /// A rounded box, half extents without the rounding.
    pub fn slab(
        centre: Vec3A,
        frame: Quat,
        half_m: Vec3A,
        round_m: f32,
        joints: &[JointIndex],
    ) -> Self {
        Self {
            shape: Shape::Slab(half_m, round_m),
            ..Self::ellipsoid(centre, frame, half_m, joints)
        }
    }

    /// Flattens a cone: its X axis is turned towards `across` as far as its
    /// own direction allows, then X and Z are scaled.
    pub fn squashed(mut self, across: Vec3A, x: f32, z: f32) -> Self {
        let y = self.rotation * Vec3A::Y;
        let across = across - y * across.dot(y);
        if let Some(across) = across.try_normalize() {
            let matrix = glam::Mat3A::from_cols(across, y, across.cross(y));
            self.rotation = Quat::from_mat3a(&matrix).normalize();
            self.squash = [x, z];
        }
        self
    }

    pub fn blend(mut self, width_m: f32) -> Self {
        self.blend_m = width_m;
        self
    }

    /// Signed distance in metres.
    pub fn distance(&self, model: Vec3A) -> f32 {
        let mut p = self.rotation.inverse() * (model - self.origin);
        let [sx, sz] = self.squash;
        p.x /= sx;
        p.z /= sz;
        // Squashing makes distances wrong by up to its factors; times the least of
        // them they never exceed the true ones.
        let scale = sx.min(sz).min(1.0);
        scale
            * match self.shape {
                Shape::Cone {
                    length_m,
                    low_m,
                    high_m,
                } => cone_distance(p, length_m, low_m, high_m),
                Shape::Ellipsoid(half) => ellipsoid_distance(p, half),
                Shape::Slab(half, round) => {
                    let q = p.abs() - half;
                    q.max(Vec3A::ZERO).length() + q.max_element().min(0.0) - round
                }
            }
    }

    /// Typical radius, which sets how wide its seams with neighbours are.
    pub fn girth_m(&self) -> f32 {
        let round = (self.squash[0] * self.squash[1]).sqrt();
        round
            * match self.shape {
                Shape::Cone { low_m, high_m, .. } => (low_m + high_m) / 2.0,
                Shape::Ellipsoid(half) => {
                    let [a, b, c] = half.to_array();
                    // The middle axis: eggs are long along their limb.
                    a.max(b).min(a.min(b).max(c))
                }
                Shape::Slab(half, round) => {
                    let [a, b, c] = half.to_array();
                    a.max(b).min(a.min(b).max(c)) + round
                }
            }
    }

    /// Rough surface, to size the grid.
    pub fn area_m2(&self) -> f32 {
        let girth = self.girth_m();
        let length = match self.shape {
            Shape::Cone { length_m, .. } => length_m + 2.0 * girth,
            Shape::Ellipsoid(half) | Shape::Slab(half, _) => 2.0 * half.max_element(),
        };
        std::f32::consts::TAU * girth * length
    }

    /// Centre and radius of a ball around the part.
    pub fn ball(&self) -> (Vec3A, f32) {
        let widest = self.squash[0].max(self.squash[1]).max(1.0);
        match self.shape {
            Shape::Cone {
                length_m,
                low_m,
                high_m,
            } => {
                let middle = self.origin + self.rotation * Vec3A::Y * (length_m / 2.0);
                (middle, length_m / 2.0 + low_m.max(high_m) * widest)
            }
            Shape::Ellipsoid(half) => (self.origin, half.max_element() * widest),
            Shape::Slab(half, round) => (self.origin, (half.length() + round) * widest),
        }
    }
}

/// Round cone: two balls and the cone that touches both.
fn cone_distance(p: Vec3A, length: f32, low: f32, high: f32) -> f32 {
    if length < 1e-6 {
        return p.length() - low.max(high);
    }
    let q = glam::Vec2::new(glam::Vec2::new(p.x, p.z).length(), p.y);
    // The line that touches both circles leans by asin((low − high) / length);
    // clamped, since one ball inside the other has no such line.
    let sin = ((low - high) / length).clamp(-0.999, 0.999);
    let cos = (1.0 - sin * sin).sqrt();
    // Before, between or beyond the two points where that line touches.
    let along = glam::Vec2::new(-sin, cos).dot(q);
    if along < 0.0 {
        q.length() - low
    } else if along > cos * length {
        (q - glam::Vec2::new(0.0, length)).length() - high
    } else {
        q.dot(glam::Vec2::new(cos, sin)) - low
    }
}

/// First-order distance, exact on the surface.
fn ellipsoid_distance(p: Vec3A, half: Vec3A) -> f32 {
    let unit = p / half;
    // f/|∇f| with f = |p/h| − 1, whose gradient is k1/k0 long.
    let k0 = unit.length();
    let k1 = (unit / half).length();
    if k1 < 1e-9 {
        return -half.min_element();
    }
    k0 * (k0 - 1.0) / k1
}

/// Smallest of two distances with the crease rounded over `width`.
fn smooth_min(a: f32, b: f32, width: f32) -> f32 {
    // The quadratic of Quilez's smooth minimum: equal to the smaller one from
    // `width` apart on, at most width/4 below it, with a continuous slope.
    let overlap = (width - (a - b).abs()).max(0.0);
    a.min(b) - overlap * overlap / (4.0 * width.max(1e-6))
}

/// Union of the parts named by `indices`, in their order.
pub(super) fn union_distance(parts: &[Part], indices: &[u16], p: Vec3A) -> f32 {
    indices.iter().fold(f32::MAX, |distance, &index| {
        let part = &parts[usize::from(index)];
        let own = part.distance(p);
        if part.carve {
            // A without B is the complement of (not A) or B.
            -smooth_min(-distance, own, part.blend_m)
        } else if distance == f32::MAX {
            own
        } else {
            smooth_min(distance, own, part.blend_m)
        }
    })
}

/// Parts that can touch the zero set within `reach_m` of `centre`, in order.
pub(super) fn parts_near(parts: &[Part], centre: Vec3A, reach_m: f32, near: &mut Vec<u16>) {
    near.clear();
    for (index, part) in parts.iter().enumerate() {
        let (ball_centre, radius) = part.ball();
        // A seam reaches `blend_m` beyond both solids it joins.
        if (ball_centre - centre).length() - radius < reach_m + part.blend_m {
            near.push(index as u16);
        }
    }
}

/// Corners of a tetrahedron around the origin, one metre from it.
const TETRAHEDRON: [Vec3A; 4] = {
    const C: f32 = 0.577_350_3; // 1 / √3
    [
        Vec3A::new(C, -C, -C),
        Vec3A::new(-C, -C, C),
        Vec3A::new(-C, C, -C),
        Vec3A::new(C, C, C),
    ]
};

/// Distance and unit gradient of the field, from four corners around `p`. The
/// distance is their mean: off by the curvature over `step_m`.
pub(super) fn slope_at(parts: &[Part], indices: &[u16], p: Vec3A, step_m: f32) -> (f32, Vec3A) {
    // Four samples do for a gradient what central differences need six for:
    // Σ c·f(p + h·c) = (4/3)·h·∇f, since the corners sum to zero.
    let (mut sum, mut gradient) = (0.0, Vec3A::ZERO);
    for corner in TETRAHEDRON {
        let distance = union_distance(parts, indices, p + corner * step_m);
        sum += distance;
        gradient += corner * distance;
    }
    (sum / 4.0, gradient.normalize_or(Vec3A::Y))
}

/// The nearest point of the segment `a b` to `p`, as a distance.
pub(super) fn segment_distance(p: Vec3A, a: Vec3A, b: Vec3A) -> f32 {
    let along = b - a;
    let t = ((p - a).dot(along) / along.length_squared().max(1e-12)).clamp(0.0, 1.0);
    (p - a - along * t).length()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cone_distances_match_the_closed_form() {
        let cone = Part::cone(Vec3A::ZERO, Vec3A::X, [0.1, 0.1], &[0]);
        for (p, expected) in [
            (Vec3A::new(0.5, 0.3, 0.0), 0.2),
            (Vec3A::new(1.5, 0.0, 0.0), 0.4),
            (Vec3A::new(-1.0, 0.0, 0.0), 0.9),
            (Vec3A::new(0.5, 0.0, 0.0), -0.1),
        ] {
            assert_close!(cone.distance(p), expected, 1e-6, "{p}");
        }
        let tapered = Part::cone(Vec3A::ZERO, Vec3A::Y, [0.2, 0.1], &[0]);
        assert_close!(tapered.distance(Vec3A::Y * 1.3), 0.2, 1e-6);
        assert_close!(tapered.distance(Vec3A::Y * -0.5), 0.3, 1e-6);
    }

    #[test]
    fn a_seam_is_never_outside_both_solids_nor_wider_than_asked() {
        for (a, b) in [(0.0, 0.0), (0.1, -0.2), (0.02, 0.03)] {
            let joined = smooth_min(a, b, 0.05);
            assert!(joined <= f32::min(a, b) && joined >= f32::min(a, b) - 0.0126);
        }
        assert_eq!(smooth_min(0.3, 0.1, 0.05), 0.1);
    }

    #[test]
    fn a_squashed_cone_is_flat_across_and_round_along() {
        let flat = Part::cone(Vec3A::ZERO, Vec3A::X, [0.1, 0.1], &[0]).squashed(Vec3A::Y, 0.5, 1.0);
        assert!(flat.distance(Vec3A::new(0.5, 0.05, 0.0)).abs() < 1e-6);
        assert!(flat.distance(Vec3A::new(0.5, 0.0, 0.1)).abs() < 1e-6);
    }
}
