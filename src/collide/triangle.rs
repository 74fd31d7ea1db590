//! Triangles: the nearest point of one, and whether two cross.

use glam::{DVec3, Vec3A};

/// What of a triangle is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Its inside.
    Face,
    /// The edge from this corner to the next.
    Edge(usize),
    /// This corner.
    Corner(usize),
}

/// The point of a triangle that is nearest to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestOnTriangle {
    /// In the space of the corners.
    pub point: Vec3A,
    /// Shares of the corners, summing to 1.
    pub weights: [f32; 3],
    /// Where on the triangle it lies.
    pub feature: Feature,
}

/// By the regions of Voronoi (Ericson, "Real-Time Collision Detection", 5.1.5).
#[must_use]
pub fn nearest_on_triangle([a, b, c]: [Vec3A; 3], at: Vec3A) -> NearestOnTriangle {
    let found = |point, weights, feature| NearestOnTriangle {
        point,
        weights,
        feature,
    };
    let (ab, ac, ap) = (b - a, c - a, at - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return found(a, [1.0, 0.0, 0.0], Feature::Corner(0));
    }
    let bp = at - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return found(b, [0.0, 1.0, 0.0], Feature::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return found(a + ab * v, [1.0 - v, v, 0.0], Feature::Edge(0));
    }
    let cp = at - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return found(c, [0.0, 0.0, 1.0], Feature::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return found(a + ac * w, [1.0 - w, 0.0, w], Feature::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return found(b + (c - b) * w, [0.0, 1.0 - w, w], Feature::Edge(1));
    }
    let whole = va + vb + vc;
    // Three corners in one line, rounded into no region at all.
    if whole <= 0.0 {
        return found(a, [1.0, 0.0, 0.0], Feature::Corner(0));
    }
    let (v, w) = (vb / whole, vc / whole);
    found(a + ab * v + ac * w, [1.0 - v - w, v, w], Feature::Face)
}

/// Where a straight line from `from` along `along` meets the plane of a
/// triangle: how many times `along` away, and the shares of the corners there,
/// which are negative outside it. `None` for a line within the plane.
#[must_use]
pub fn line_through_triangle(
    [a, b, c]: [Vec3A; 3],
    from: Vec3A,
    along: Vec3A,
) -> Option<(f32, [f32; 3])> {
    // Möller and Trumbore 1997.
    let (ab, ac) = (b - a, c - a);
    let p = along.cross(ac);
    let determinant = ab.dot(p);
    if determinant.abs() < 1e-14 {
        return None;
    }
    let off = from - a;
    let v = off.dot(p) / determinant;
    let q = off.cross(ab);
    let w = along.dot(q) / determinant;
    Some((ac.dot(q) / determinant, [1.0 - v - w, v, w]))
}

/// Whether two triangles pass through each other; those that only touch, or lie
/// in one plane, do not. In double precision of single inputs: exact but for
/// rounding of some 1e-15 m³.
#[must_use]
pub fn triangles_cross(one: [Vec3A; 3], other: [Vec3A; 3]) -> bool {
    let (one, other) = (one.map(Vec3A::as_dvec3), other.map(Vec3A::as_dvec3));
    // Two triangles cross exactly where an edge of one pierces the other.
    any_edge_pierces(one, other) || any_edge_pierces(other, one)
}

fn any_edge_pierces(edges: [DVec3; 3], triangle: [DVec3; 3]) -> bool {
    let [a, b, c] = triangle;
    let normal = (b - a).cross(c - a);
    let heights = edges.map(|corner| (corner - a).dot(normal));
    let above = heights.iter().filter(|&&h| h > 0.0).count();
    let below = heights.iter().filter(|&&h| h < 0.0).count();
    if above == 0 || below == 0 {
        return false;
    }
    [[0, 1], [1, 2], [2, 0]].into_iter().any(|[from, to]| {
        heights[from] * heights[to] < 0.0 && line_inside([edges[from], edges[to]], triangle)
    })
}

/// Whether a line passes all three edges on the same side.
fn line_inside([from, to]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let along = to - from;
    let side = |p: DVec3, q: DVec3| along.dot((p - from).cross(q - from));
    let (u, v, w) = (side(a, b), side(b, c), side(c, a));
    (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0)
}

/// The nearest points of two segments.
fn nearest_between_segments([a, b]: [Vec3A; 2], [c, d]: [Vec3A; 2]) -> (Vec3A, Vec3A) {
    // Ericson, "Real-Time Collision Detection", 5.1.9.
    let (along, across, off) = (b - a, d - c, a - c);
    let (aa, cc) = (along.length_squared(), across.length_squared());
    let (ac, ao, co) = (along.dot(across), along.dot(off), across.dot(off));
    let whole = aa * cc - ac * ac;
    let s = match whole > 1e-12 * aa * cc {
        true => ((ac * co - ao * cc) / whole).clamp(0.0, 1.0),
        false => 0.0,
    };
    let t = match cc > 0.0 {
        true => ((ac * s + co) / cc).clamp(0.0, 1.0),
        false => 0.0,
    };
    let s = match aa > 0.0 {
        true => ((ac * t - ao) / aa).clamp(0.0, 1.0),
        false => 0.0,
    };
    (a + along * s, c + across * t)
}

/// The nearest points of two triangles that do not cross.
#[must_use]
pub fn nearest_between_triangles(one: [Vec3A; 3], other: [Vec3A; 3]) -> (Vec3A, Vec3A) {
    let corners = one.map(|at| (at, nearest_on_triangle(other, at).point));
    let back = other.map(|at| (nearest_on_triangle(one, at).point, at));
    let edges = [[0, 1], [1, 2], [2, 0]];
    let pairs = edges.into_iter().flat_map(|own| {
        let own = own.map(|corner| one[corner]);
        edges.map(|its| nearest_between_segments(own, its.map(|corner| other[corner])))
    });
    let all = corners.into_iter().chain(back).chain(pairs);
    let gap = |(a, b): &(Vec3A, Vec3A)| a.distance_squared(*b);
    let nearest = all.min_by(|a, b| gap(a).total_cmp(&gap(b)));
    nearest.unwrap_or((one[0], other[0]))
}
