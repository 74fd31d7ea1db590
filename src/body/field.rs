//! The signed distance field of a body: rounded solids joined smoothly.
//!
//! Distances are in metres, negative inside, and bounds rather than exact
//! away from the surface; the mesh is projected onto the zero set by Newton
//! steps, so only sign and gradient near zero matter.

use std::sync::Arc;

use glam::{Mat3A, Quat, Vec3A, Vec4};

use super::shape::{Loft, Section, Shape};
use crate::skeleton::JointIndex;

/// One solid of the body.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub shape: Shape,
    /// Takes the shape's frame to model space.
    pub origin: Vec3A,
    pub rotation: Mat3A,
    /// Width of the smooth seam with what is already there, in metres.
    pub blend_m: f32,
    /// Cut out of the body instead of added.
    pub carve: bool,
    /// Joints that may move the skin of this part; the nearest bone does.
    pub joints: Vec<JointIndex>,
    /// Both ends and the radius of a capsule that holds the part.
    bound: ([Vec3A; 2], f32),
}

/// A cross-section of a limb: share of the way along it, then half widths
/// outward, inward, to the front and to the back.
pub(super) type LimbSection = (f32, [f32; 4]);

/// Cross-sections of a limb in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profile<'a> {
    pub sections: &'a [LimbSection],
    /// Heights of the round ends.
    pub caps: [f32; 2],
    /// See [`Loft`].
    pub squareness: [f32; 2],
}

/// Columns X, Y along `along` and Z as near `front` as can be.
pub(super) fn limb_frame(along: Vec3A, front: Vec3A) -> Mat3A {
    let y = along.normalize_or(Vec3A::Y);
    let x = y.cross(front).normalize_or(y.any_orthonormal_vector());
    Mat3A::from_cols(x, y, x.cross(y))
}

impl Part {
    fn new(shape: Shape, origin: Vec3A, rotation: Mat3A, joints: &[JointIndex]) -> Self {
        let (low, high, radius_m) = shape.capsule();
        let along = rotation.y_axis;
        Self {
            shape,
            origin,
            rotation,
            blend_m: 0.03,
            carve: false,
            joints: joints.to_vec(),
            bound: ([origin + along * low, origin + along * high], radius_m),
        }
    }

    /// A round bone from `a` to `b`.
    pub fn cone(a: Vec3A, b: Vec3A, radii_m: [f32; 2], joints: &[JointIndex]) -> Self {
        let along = b - a;
        let y = along.normalize_or(Vec3A::Y);
        let shape = Shape::Cone {
            length_m: along.length(),
            low_m: radii_m[0],
            high_m: radii_m[1],
        };
        Self::new(shape, a, limb_frame(y, y.any_orthonormal_vector()), joints)
    }

    /// An ellipsoid whose half axes run along the columns of `frame`.
    pub fn ellipsoid(centre: Vec3A, frame: Quat, half_m: Vec3A, joints: &[JointIndex]) -> Self {
        Self::new(
            Shape::Ellipsoid(half_m),
            centre,
            Mat3A::from_quat(frame),
            joints,
        )
    }

    /// A rounded box, half extents without the rounding.
    pub fn slab(
        centre: Vec3A,
        frame: Quat,
        half_m: Vec3A,
        round_m: f32,
        joints: &[JointIndex],
    ) -> Self {
        Self::new(
            Shape::Slab(half_m, round_m),
            centre,
            Mat3A::from_quat(frame),
            joints,
        )
    }

    /// A limb from `ends[0]` to `ends[1]`, its widths in units of `unit_m`.
    pub fn loft(
        ends: [Vec3A; 2],
        [front, outward]: [Vec3A; 2],
        unit_m: f32,
        profile: Profile<'_>,
        joints: &[JointIndex],
    ) -> Self {
        let along = ends[1] - ends[0];
        let length_m = along.length();
        let frame = limb_frame(along, front);
        let is_x_outward = frame.x_axis.dot(outward) > 0.0;
        let section = |&(share, [out, inward, front, back]): &LimbSection| {
            let sides = if is_x_outward {
                [out, inward]
            } else {
                [inward, out]
            };
            Section {
                at_m: share * length_m,
                half_m: Vec4::new(sides[0], sides[1], front, back) * unit_m,
            }
        };
        let sections = profile.sections.iter().map(section).collect();
        let caps_m = profile.caps.map(|cap| cap * unit_m);
        let loft = Loft::new(sections, caps_m, profile.squareness);
        Self::new(Shape::Loft(Arc::new(loft)), ends[0], frame, joints)
    }

    pub fn blend(mut self, width_m: f32) -> Self {
        self.blend_m = width_m;
        self
    }

    pub fn carved(mut self) -> Self {
        self.carve = true;
        self
    }

    /// Signed distance in metres.
    pub fn distance(&self, model: Vec3A) -> f32 {
        let offset = model - self.origin;
        let [x, y, z] = [
            self.rotation.x_axis,
            self.rotation.y_axis,
            self.rotation.z_axis,
        ];
        let local = Vec3A::new(x.dot(offset), y.dot(offset), z.dot(offset));
        self.shape.distance(local)
    }

    /// At most the distance, and cheaper.
    pub fn clearance_m(&self, p: Vec3A) -> f32 {
        let ([a, b], radius_m) = self.bound;
        segment_distance(p, a, b) - radius_m
    }

    /// Typical radius, which sets how wide its seams with neighbours are.
    pub fn girth_m(&self) -> f32 {
        self.shape.girth_m()
    }

    /// Rough surface, to size the grid.
    pub fn area_m2(&self) -> f32 {
        let ([a, b], radius_m) = self.bound;
        std::f32::consts::TAU * self.girth_m() * ((b - a).length() + 2.0 * radius_m)
    }

    /// Centre and radius of a ball around the part.
    pub fn ball(&self) -> (Vec3A, f32) {
        let ([a, b], radius_m) = self.bound;
        ((a + b) / 2.0, (b - a).length() / 2.0 + radius_m)
    }

    /// Lowest and highest corner of a box around the part.
    pub fn corners(&self) -> [Vec3A; 2] {
        let ([a, b], radius_m) = self.bound;
        [a.min(b) - radius_m, a.max(b) + radius_m]
    }
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

/// Those of some parts that can touch the zero set within `reach_m` of
/// `centre`, in order.
pub(super) fn parts_near(
    parts: &[Part],
    some: impl Iterator<Item = u16>,
    centre: Vec3A,
    reach_m: f32,
    near: &mut Vec<u16>,
) {
    let touches = |index: &u16| {
        let part = &parts[usize::from(*index)];
        // A seam reaches `blend_m` beyond both solids it joins.
        part.clearance_m(centre) < reach_m + part.blend_m
    };
    near.clear();
    near.extend(some.filter(touches));
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
}
