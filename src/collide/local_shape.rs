//! Local-space geometry: distance, nearest surface point, first hit of a path.

use glam::Vec3A;

use super::SurfacePoint;

/// Steps of the march along a path. Only one that grazes the surface over
/// hundreds of times its distance from it needs them all; it ends as a hit.
const MARCH_STEPS: usize = 256;
/// Nearer than this counts as touching.
const TOUCH_M: f32 = 1e-5;

/// A solid in its own space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LocalShape {
    /// All points within `radius_m` of a box around the origin. A box without
    /// extent makes it a sphere, one with a single extent a capsule.
    RoundedBox {
        /// Half the size of the box along each axis.
        half_extents_m: Vec3A,
        /// Rounding around it.
        radius_m: f32,
    },
    /// All points with `y < 0`.
    HalfSpace,
}

/// Where a path first meets a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptHit {
    /// Along the path, 0 at its start and 1 at its end.
    pub fraction: f32,
    /// Unit, out of the solid where it is met.
    pub normal: Vec3A,
}

impl LocalShape {
    /// Metres to the surface, negative inside. Exact everywhere.
    #[inline]
    #[must_use]
    pub fn signed_distance_m(&self, point: Vec3A) -> f32 {
        match *self {
            Self::RoundedBox {
                half_extents_m,
                radius_m,
            } => {
                let beyond = point.abs() - half_extents_m;
                // By symmetry one octant: outside the distance to the nearest point of
                // the box, inside that to the nearest face. Exact, since rounding only
                // moves every level set outward.
                let outside = beyond.max(Vec3A::ZERO).length();
                outside + beyond.max_element().min(0.0) - radius_m
            }
            Self::HalfSpace => point.y,
        }
    }

    /// True inside and on the surface.
    #[inline]
    #[must_use]
    pub fn contains(&self, point: Vec3A) -> bool {
        self.signed_distance_m(point) <= 0.0
    }

    /// Nearest point of the surface. Where several are equally near (the axis
    /// of a capsule, the centre of a cube) one is chosen, always the same.
    #[inline]
    #[must_use]
    pub fn surface(&self, point: Vec3A) -> SurfacePoint {
        let distance_m = self.signed_distance_m(point);
        let normal = self.normal(point);
        SurfacePoint {
            point: point - normal * distance_m,
            normal,
            distance_m,
        }
    }

    #[inline]
    fn normal(&self, point: Vec3A) -> Vec3A {
        let Self::RoundedBox { half_extents_m, .. } = *self else {
            return Vec3A::Y;
        };
        let sign = Vec3A::ONE.copysign(point);
        let beyond = point.abs() - half_extents_m;
        let outside = beyond.max(Vec3A::ZERO);
        let length = outside.length();
        if length > 1e-12 {
            return outside / length * sign;
        }
        // The face that is nearest is the shortest way out.
        let axis = match beyond.max_element() {
            most if most == beyond.x => Vec3A::X,
            most if most == beyond.y => Vec3A::Y,
            _ => Vec3A::Z,
        };
        axis * sign
    }

    /// First point of the straight path that is within `margin_m` of the solid;
    /// `None` when it stays clear. A path that starts inside hits at once.
    #[must_use]
    pub fn sweep(&self, from: Vec3A, to: Vec3A, margin_m: f32) -> Option<SweptHit> {
        let path = to - from;
        let length = path.length();
        let mut travelled = 0.0;
        let mut clear_before = f32::INFINITY;
        // Sphere tracing (Hart 1996): each step goes as far as the distance says is
        // free.
        for _ in 0..MARCH_STEPS {
            let fraction = if length > 0.0 {
                travelled / length
            } else {
                0.0
            };
            let here = from + path * fraction;
            let clear = self.signed_distance_m(here) - margin_m;
            if clear <= TOUCH_M {
                let normal = self.normal(here);
                return Some(SweptHit { fraction, normal });
            }
            // Nothing of the solid is nearer than `clear`: that far is free.
            // Distance to a convex solid falls, then rises, along a line.
            travelled += clear;
            if travelled >= length || clear > clear_before {
                return None;
            }
            clear_before = clear;
        }
        let fraction = travelled / length;
        let normal = self.normal(from + path * fraction);
        Some(SweptHit { fraction, normal })
    }

    /// How far along a unit direction a point within `margin_m` of the solid
    /// must go to be clear of it; zero when it is clear, infinite when that
    /// way never leaves. May overshoot at rounded edges, never falls short.
    #[must_use]
    pub fn exit_m(&self, point: Vec3A, direction: Vec3A, margin_m: f32) -> f32 {
        if self.signed_distance_m(point) >= margin_m {
            return 0.0;
        }
        match *self {
            Self::RoundedBox {
                half_extents_m,
                radius_m,
            } => {
                let reach = half_extents_m + Vec3A::splat(radius_m + margin_m);
                let wall = reach * Vec3A::ONE.copysign(direction);
                // As a ray out of a box of three slabs: the first wall ahead is the way
                // out. Sharp corners instead of round ones, hence the overshoot.
                let times = (wall - point) / direction;
                let clean = |t: f32, d: f32| if d.abs() < 1e-9 { f32::INFINITY } else { t };
                clean(times.x, direction.x)
                    .min(clean(times.y, direction.y))
                    .min(clean(times.z, direction.z))
            }
            Self::HalfSpace if direction.y > 1e-6 => (margin_m - point.y) / direction.y,
            Self::HalfSpace => f32::INFINITY,
        }
    }

    /// Half of the thinnest way through, infinite for a half-space.
    #[must_use]
    pub fn half_thickness_m(&self) -> f32 {
        match *self {
            Self::RoundedBox {
                half_extents_m,
                radius_m,
            } => half_extents_m.min_element() + radius_m,
            Self::HalfSpace => f32::INFINITY,
        }
    }
}
