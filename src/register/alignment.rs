//! The turn about the vertical and the shift over the ground that lay one
//! cloud on another: in closed form.

use glam::{DVec2, DVec3};

use super::cloud::Cloud;
use crate::clip::Planar;

/// Sums over pairs of points a, b of two clouds, w being their weights.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairSums {
    /// Σ w.
    pub weight: f64,
    /// Σ w·a over the ground.
    pub a: DVec2,
    /// Σ w·b over the ground.
    pub b: DVec2,
    /// Σ w·(|a|² + |b|²) in space.
    pub squares: f64,
    /// Σ w·(ax·bx + az·bz).
    pub dot: f64,
    /// Σ w·(ax·bz − az·bx).
    pub cross: f64,
    /// Σ w·ay·by.
    pub heights: f64,
}

impl PairSums {
    /// Turned by θ, b becomes (x cos θ + z sin θ, z cos θ − x sin θ). About the
    /// middles of both clouds Σ w·a·(turned b) is C cos θ + S sin θ: largest,
    /// and so the distance smallest, at θ = atan2(S, C). Returns C and S.
    fn centred(&self) -> (f64, f64) {
        let Self { a, b, weight, .. } = *self;
        let dot = self.dot - (a.x * b.x + a.y * b.y) / weight;
        let cross = self.cross - (a.x * b.y - a.y * b.x) / weight;
        (dot, cross)
    }

    /// Mean square distance of the points when b is laid on a.
    pub fn square_m2(&self) -> f64 {
        let (dot, cross) = self.centred();
        let spread =
            self.squares - (self.a.length_squared() + self.b.length_squared()) / self.weight;
        // Not `hypot`, which guards against what lengths of metres never reach.
        let length = (dot * dot + cross * cross).sqrt();
        let square = spread - 2.0 * length - 2.0 * self.heights;
        (square / self.weight).max(0.0)
    }

    /// How b is laid on a.
    pub fn alignment(&self) -> Alignment {
        let (dot, cross) = self.centred();
        Alignment {
            yaw: cross.atan2(dot),
            certainty: dot.hypot(cross) / self.weight,
            centres: [self.a / self.weight, self.b / self.weight],
        }
    }

    /// Adds a moment of each cloud.
    pub fn add(&mut self, clouds: [&Cloud; 2], moments: [(usize, f64); 2]) {
        self.weight += 1.0;
        let [a, b] = clouds;
        for point in 0..a.points() {
            let [p, q] = [
                a.scaled_at(point, moments[0]),
                b.scaled_at(point, moments[1]),
            ];
            self.squares += p.length_squared() + q.length_squared();
            self.dot += p.x * q.x + p.z * q.z;
            self.cross += p.x * q.z - p.z * q.x;
            self.heights += p.y * q.y;
        }
        self.a += middle(a, moments[0]);
        self.b += middle(b, moments[1]);
    }
}

fn middle(cloud: &Cloud, (base, part): (usize, f64)) -> DVec2 {
    cloud.centre((base as f64 + part) / cloud.rate_hz())
}

/// How one cloud is laid on another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alignment {
    /// Radians about +Y.
    pub yaw: f64,
    /// How much the distance rises with a wrong turn, square metres.
    pub certainty: f64,
    /// Middles of both clouds, which come to lie on each other.
    pub centres: [DVec2; 2],
}

impl Alignment {
    /// The motion of the plane that lays b on a, with another turn.
    pub fn with_yaw(&self, yaw: f64) -> Planar {
        let turn = Planar {
            position: DVec2::ZERO,
            heading: yaw,
        };
        Planar {
            position: self.centres[0] - turn.rotate(self.centres[1]),
            heading: yaw,
        }
    }
}

/// Root mean square distance in metres of two poses laid on each other over
/// the ground, and how the second is laid on the first: the distance of two
/// single moments.
#[must_use]
pub fn pose_distance(a: &[DVec3], b: &[DVec3]) -> (f64, Planar) {
    let mut sums = PairSums::default();
    for (p, q) in a.iter().zip(b) {
        sums.weight += 1.0;
        sums.a += DVec2::new(p.x, p.z);
        sums.b += DVec2::new(q.x, q.z);
        sums.squares += p.length_squared() + q.length_squared();
        sums.dot += p.x * q.x + p.z * q.z;
        sums.cross += p.x * q.z - p.z * q.x;
        sums.heights += p.y * q.y;
    }
    if sums.weight == 0.0 {
        return (0.0, Planar::IDENTITY);
    }
    let alignment = sums.alignment();
    (sums.square_m2().sqrt(), alignment.with_yaw(alignment.yaw))
}
