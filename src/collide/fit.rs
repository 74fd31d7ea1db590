//! Shapes fitted to points, such as the skin around a bone.

use glam::{Quat, Vec3, Vec3A};

use super::{Capsule, Obb};
use crate::math::Transform;

/// Turns about the axis that are tried, within a quarter turn.
const ANGLES: usize = 16;

/// The tightest box around all points among those with one axis along `axis`;
/// `None` without points.
#[must_use]
pub fn fit_obb(points: &[Vec3A], axis: Vec3) -> Option<Obb> {
    if points.is_empty() {
        return None;
    }
    let along = Quat::from_rotation_arc(Vec3::Y, axis.normalize_or(Vec3::Y));
    let boxes = (0..ANGLES).map(|step| {
        // A quarter turn brings a box onto itself, its sides exchanged.
        let angle = step as f32 / ANGLES as f32 * std::f32::consts::FRAC_PI_2;
        box_in_frame(points, along * Quat::from_rotation_y(angle))
    });
    // All have the same length along the axis: the smallest across is the
    // smallest box.
    let section = |fitted: &Obb| fitted.half_extents_m.x * fitted.half_extents_m.z;
    boxes.min_by(|a, b| section(a).total_cmp(&section(b)))
}

fn box_in_frame(points: &[Vec3A], rotation: Quat) -> Obb {
    let into = rotation.conjugate();
    let (low, high) = points
        .iter()
        .map(|&point| into * point)
        .fold((Vec3A::INFINITY, Vec3A::NEG_INFINITY), |(low, high), p| {
            (low.min(p), high.max(p))
        });
    Obb::new(
        Transform::new(rotation, rotation * ((low + high) * 0.5)),
        ((high - low) * 0.5).into(),
    )
}

/// A capsule along `axis` through the middle of the points, as long as they
/// reach and as thick as nine tenths of them need; `None` without points.
#[must_use]
pub fn fit_capsule(points: &[Vec3A], axis: Vec3) -> Option<Capsule> {
    let fitted = fit_obb(points, axis)?;
    let middle = fitted.world_from_box.translation;
    let along = fitted.world_from_box.rotation * Vec3A::Y;
    let mut radii: Vec<f32> = points
        .iter()
        .map(|&point| (point - middle).reject_from_normalized(along).length())
        .collect();
    radii.sort_by(f32::total_cmp);
    // All of them would make a limb as thick as its widest bulge.
    let radius_m = radii[(radii.len() - 1) * 9 / 10];
    let reach = along * (fitted.half_extents_m.y - radius_m).max(0.0);
    Some(Capsule {
        start: (middle - reach).into(),
        end: (middle + reach).into(),
        radius_m,
    })
}
