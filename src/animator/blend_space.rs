//! Blend spaces: parameters in, one weight per clip out.
//!
//! Weights are never negative and always add up to 1.

use delaunator::{EMPTY, Point, triangulate};
use glam::DVec2;

/// Clips along a line, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendSpace1d {
    /// (position, clip), ascending by position.
    stops: Vec<(f64, usize)>,
}

impl BlendSpace1d {
    /// `positions[i]` is where clip `i` plays alone.
    #[must_use]
    pub fn new(positions: &[f64]) -> Self {
        let mut stops: Vec<(f64, usize)> = positions.iter().copied().zip(0..).collect();
        stops.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { stops }
    }

    /// Where clips play alone: (position, clip), ascending by position.
    #[must_use]
    pub fn stops(&self) -> &[(f64, usize)] {
        &self.stops
    }

    /// Fills the weights at `x`; beyond its ends the line goes on level.
    pub fn weights(&self, x: f64, weights: &mut [f32]) {
        weights.fill(0.0);
        let above = self.stops.partition_point(|&(at, _)| at <= x);
        let (Some(&(low, a)), Some(&(high, b))) = (
            self.stops.get(above.saturating_sub(1)),
            self.stops.get(above.min(self.stops.len() - 1)),
        ) else {
            return;
        };
        let weight = match high > low && x > low {
            true => ((x - low) / (high - low)) as f32,
            false => 0.0,
        };
        weights[a] = 1.0 - weight;
        if weight > 0.0 {
            weights[b] = weight;
        }
    }
}

/// Clips over a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendSpace2d {
    points: Vec<DVec2>,
    triangles: Vec<[usize; 3]>,
    /// The outline; the line along the points when all are on one.
    outline: Vec<[usize; 2]>,
}

impl BlendSpace2d {
    /// Delaunay triangulation of the positions.
    #[must_use]
    pub fn new(positions: &[(f64, f64)]) -> Self {
        let points: Vec<DVec2> = positions.iter().map(|&(x, y)| DVec2::new(x, y)).collect();
        let input: Vec<Point> = positions.iter().map(|&(x, y)| Point { x, y }).collect();
        let found = triangulate(&input);
        let triangles: Vec<[usize; 3]> = found
            .triangles
            .chunks_exact(3)
            .map(|t| [t[0], t[1], t[2]])
            .collect();
        let outline = if triangles.is_empty() {
            along_line(&points)
        } else {
            let next = |edge: usize| if edge % 3 == 2 { edge - 2 } else { edge + 1 };
            let open = (0..found.triangles.len()).filter(|&e| found.halfedges[e] == EMPTY);
            open.map(|e| [found.triangles[e], found.triangles[next(e)]])
                .collect()
        };
        Self {
            points,
            triangles,
            outline,
        }
    }

    /// Where each clip plays alone.
    #[must_use]
    pub fn points(&self) -> &[DVec2] {
        &self.points
    }

    /// The triangles between them, by clip.
    #[must_use]
    pub fn triangles(&self) -> &[[usize; 3]] {
        &self.triangles
    }

    /// Fills the weights at a place; outside the outline the nearest point of
    /// the outline counts.
    pub fn weights(&self, at: DVec2, weights: &mut [f32]) {
        weights.fill(0.0);
        for &[a, b, c] in &self.triangles {
            if let Some([u, v, w]) = barycentric(self.points[a], self.points[b], self.points[c], at)
            {
                (weights[a], weights[b], weights[c]) = (u, v, w);
                return;
            }
        }
        let nearest = self.outline.iter().map(|&[a, b]| {
            let (from, edge) = (self.points[a], self.points[b] - self.points[a]);
            let weight = (at - from).dot(edge) / edge.length_squared().max(f64::MIN_POSITIVE);
            let weight = weight.clamp(0.0, 1.0);
            (
                at.distance_squared(from + edge * weight),
                a,
                b,
                weight as f32,
            )
        });
        if let Some((_, a, b, weight)) = nearest.min_by(|x, y| x.0.total_cmp(&y.0)) {
            weights[a] = 1.0 - weight;
            weights[b] += weight;
        } else if let Some(first) = weights.first_mut() {
            *first = 1.0;
        }
    }
}

/// Edges between neighbours of points that lie on one line.
fn along_line(points: &[DVec2]) -> Vec<[usize; 2]> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (points[a], points[b]);
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y))
    });
    order.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// Weights of a triangle's corners at a point, or `None` outside. The last is
/// what the others leave, so that the sum is 1.
fn barycentric(a: DVec2, b: DVec2, c: DVec2, at: DVec2) -> Option<[f32; 3]> {
    let area = (b - a).perp_dot(c - a);
    if area.abs() < 1e-12 {
        return None;
    }
    let u = (b - at).perp_dot(c - at) / area;
    let v = (c - at).perp_dot(a - at) / area;
    let edge = -1e-9;
    if u < edge || v < edge || 1.0 - u - v < edge {
        return None;
    }
    let (u, v) = (u.clamp(0.0, 1.0) as f32, v.clamp(0.0, 1.0) as f32);
    Some([u, v, (1.0 - u - v).max(0.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn along_a_line_two_neighbours_share() {
        let line = BlendSpace1d::new(&[3.5, 1.0, 2.0]);
        let at = |x| {
            let mut weights = [9.0; 3];
            line.weights(x, &mut weights);
            weights
        };
        assert_eq!(at(-5.0), [0.0, 1.0, 0.0]);
        assert_eq!(at(1.0), [0.0, 1.0, 0.0]);
        assert_eq!(at(1.25), [0.0, 0.75, 0.25]);
        assert_eq!(at(2.0), [0.0, 0.0, 1.0]);
        assert_eq!(at(2.75), [0.5, 0.0, 0.5]);
        assert_eq!(at(3.5), [1.0, 0.0, 0.0]);
        assert_eq!(at(99.0), [1.0, 0.0, 0.0]);
    }

    fn cross() -> BlendSpace2d {
        BlendSpace2d::new(&[(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 0.0)])
    }

    #[test]
    fn over_a_plane_weights_reproduce_the_place_and_add_up_to_one() {
        let plane = cross();
        for i in 0..400 {
            let at = DVec2::new(
                f64::from(i % 20) / 10.0 - 0.95,
                f64::from(i / 20) / 10.0 - 0.95,
            );
            let mut weights = [0.0; 5];
            plane.weights(at, &mut weights);
            assert_close!(weights.iter().sum::<f32>(), 1.0, 1e-6, "{at}");
            assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)));
            if at.x.abs() + at.y.abs() < 1.0 {
                let back: DVec2 = plane
                    .points
                    .iter()
                    .zip(weights)
                    .map(|(p, w)| *p * f64::from(w))
                    .sum();
                assert_close!(back, at, 1e-6);
            }
        }
    }

    #[test]
    fn corners_play_alone_and_outside_the_nearest_edge_counts() {
        let plane = cross();
        let mut weights = [0.0; 5];
        plane.weights(DVec2::new(1.0, 0.0), &mut weights);
        assert_close!(weights[2], 1.0, 1e-6);
        plane.weights(DVec2::new(5.0, 5.0), &mut weights);
        assert!((weights[0] - 0.5).abs() < 1e-6 && (weights[2] - 0.5).abs() < 1e-6);
    }

    #[test]
    fn one_point_two_points_and_points_on_a_line_work() {
        let mut one = [0.0];
        BlendSpace2d::new(&[(3.0, 4.0)]).weights(DVec2::ZERO, &mut one);
        assert_eq!(one, [1.0]);
        let mut three = [0.0; 3];
        let line = BlendSpace2d::new(&[(0.0, 0.0), (2.0, 2.0), (1.0, 1.0)]);
        line.weights(DVec2::new(0.5, 0.5), &mut three);
        assert_eq!(three, [0.5, 0.0, 0.5]);
        line.weights(DVec2::new(2.5, 1.5), &mut three);
        assert_eq!(three, [0.0, 1.0, 0.0]);
    }
}
