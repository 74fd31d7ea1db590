//! Ground that is not level: half-spaces and boxes, or heights on a grid.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec3A};

use super::{LocalShape, Plane, Shape, Solid};
use crate::math::Transform;

/// Heights on a square grid, row by row along Z, and how far its points are
/// apart.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    /// Points along X, then along Z.
    pub size: [usize; 2],
    /// Metres between neighbours.
    pub step_m: f32,
    /// Metres, `size[0]` a row.
    pub heights_m: Arc<[f32]>,
}

impl HeightField {
    /// Between the points; beyond the border as at it. Its middle is the origin.
    #[must_use]
    pub fn height_m(&self, at: Vec2) -> f32 {
        let [columns, rows] = self.size;
        if !self.is_surface() {
            return self.heights_m.first().copied().unwrap_or(0.0);
        }
        let cell = |metres: f32, count: usize| {
            let last = (count - 1) as f32;
            let place = (metres / self.step_m + last / 2.0).clamp(0.0, last);
            let below = (place as usize).min(count - 2);
            (below, place - below as f32)
        };
        let ((x, along_x), (z, along_z)) = (cell(at.x, columns), cell(at.y, rows));
        let height = |x: usize, z: usize| self.heights_m[z * columns + x];
        let row = |z: usize| height(x, z) + (height(x + 1, z) - height(x, z)) * along_x;
        row(z) + (row(z + 1) - row(z)) * along_z
    }

    /// Whether it has an extent both ways.
    #[must_use]
    pub fn is_surface(&self) -> bool {
        let [columns, rows] = self.size;
        columns >= 2 && rows >= 2 && self.heights_m.len() >= columns * rows && self.step_m > 0.0
    }
}

/// A field that stands somewhere in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedField {
    /// Its heights.
    pub field: HeightField,
    /// World from the field, upright.
    pub world_from_field: Transform,
}

/// All that is stood on.
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    /// Half-spaces and upright boxes, fixed.
    pub solids: Vec<Shape>,
    /// Heights of a file.
    pub field: Option<PlacedField>,
}

impl Default for Terrain {
    /// Level, at height 0.
    fn default() -> Self {
        let level = Plane {
            normal: Vec3::Y,
            offset_m: 0.0,
        };
        Self {
            solids: vec![Shape::Plane(level)],
            field: None,
        }
    }
}

impl Terrain {
    /// Height of its surface at world X and Z, metres; the lowest number there is
    /// where it has none.
    #[must_use]
    pub fn height_m(&self, x: f32, z: f32) -> f32 {
        let solids = { self.solids.iter() }.filter_map(|solid| top_m(solid, x, z));
        let field = self.field.as_ref().map(|it| {
            let from = it.world_from_field.inverse();
            let at = from.transform_point(Vec3A::new(x, 0.0, z));
            it.world_from_field.translation.y + it.field.height_m(Vec2::new(at.x, at.z))
        });
        solids.chain(field).fold(f32::MIN, f32::max)
    }

    /// The plane through its surface below some points, by least squares: a point
    /// of it, and its normal.
    #[must_use]
    pub fn plane_below(&self, points: impl IntoIterator<Item = Vec3A>) -> (Vec3A, Vec3A) {
        let points: Vec<Vec3A> = { points.into_iter() }
            .map(|p| Vec3A::new(p.x, self.height_m(p.x, p.z), p.z))
            .collect();
        let count = points.len().max(1) as f32;
        let mean = points.iter().copied().sum::<Vec3A>() / count;
        // A square centimetre a point keeps a row of them level across.
        let (mut xx, mut zz, mut xz) = (1e-4 * count, 1e-4 * count, 0.0);
        let (mut xy, mut zy) = (0.0, 0.0);
        for from in points.iter().map(|p| *p - mean) {
            xx += from.x * from.x;
            zz += from.z * from.z;
            xz += from.x * from.z;
            xy += from.x * from.y;
            zy += from.z * from.y;
        }
        let determinant = (xx * zz - xz * xz).max(1e-9);
        let slope = Vec2::new(xy * zz - zy * xz, zy * xx - xy * xz) / determinant;
        (mean, Vec3A::new(-slope.x, 1.0, -slope.y).normalize())
    }
}

/// Height of an upright solid's top above a place; none beside it.
fn top_m(solid: &Shape, x: f32, z: f32) -> Option<f32> {
    let (world_from_local, shape) = solid.local_shape();
    match shape {
        LocalShape::HalfSpace => {
            let normal = world_from_local.rotation * Vec3A::Y;
            let from = Vec3A::new(x, 0.0, z) - world_from_local.translation;
            (normal.y > 1e-3).then(|| -normal.dot(from) / normal.y)
        }
        LocalShape::RoundedBox {
            half_extents_m,
            radius_m,
        } => {
            let at = Vec3A::new(x, world_from_local.translation.y, z);
            let beside = world_from_local.inverse().transform_point(at).abs();
            let within = beside.x <= half_extents_m.x && beside.z <= half_extents_m.z;
            within.then_some(world_from_local.translation.y + half_extents_m.y + radius_m)
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::collide::Obb;

    #[test]
    fn a_field_is_met_between_its_points_and_beyond_its_border() {
        let field = HeightField {
            size: [3, 2],
            step_m: 2.0,
            heights_m: [0.0, 1.0, 4.0, 0.0, 1.0, 4.0].into(),
        };
        for (x, height) in [
            (-9.0, 0.0),
            (-2.0, 0.0),
            (-1.0, 0.5),
            (1.0, 2.5),
            (9.0, 4.0),
        ] {
            assert_close!(field.height_m(Vec2::new(x, 0.3)), height, 1e-6);
        }
        let empty = HeightField {
            size: [0, 0],
            step_m: 1.0,
            heights_m: [].into(),
        };
        assert_eq!(empty.height_m(Vec2::ZERO), 0.0);
    }

    #[test]
    fn the_highest_solid_is_stood_on() {
        let turned = Quat::from_rotation_y(std::f32::consts::FRAC_PI_4);
        let step = Obb::new(
            Transform::new(turned, Vec3::new(3.0, 0.1, 0.0)),
            Vec3::new(0.5, 0.1, 0.5),
        );
        let mut terrain = Terrain::default();
        terrain.solids.push(Shape::Obb(step));
        assert_close!(terrain.height_m(0.0, 0.0), 0.0, 1e-6);
        assert_close!(terrain.height_m(3.0, 0.0), 0.2, 1e-6);
        // Its corner, and beside its edge.
        assert_close!(terrain.height_m(3.69, 0.0), 0.2, 1e-6);
        assert_close!(terrain.height_m(3.5, 0.5), 0.0, 1e-6);
    }

    #[test]
    fn the_plane_below_a_body_on_a_slope_is_the_slope() {
        let normal = Vec3::new(0.1, 1.0, -0.3).normalize();
        let slope = Plane {
            normal,
            offset_m: 0.4,
        };
        let terrain = Terrain {
            solids: vec![Shape::Plane(slope)],
            field: None,
        };
        let places = [(0.0, 0.0), (1.0, 0.3), (-0.4, 1.2), (0.8, -0.7)];
        let points = places.map(|(x, z)| Vec3A::new(x, 5.0, z));
        let (point, found) = terrain.plane_below(points);
        assert_close!(found, Vec3A::from(normal), 1e-3);
        assert_close!(point.dot(normal.into()), 0.4, 1e-4);
    }
}
