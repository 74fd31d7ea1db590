//! The solid of every segment, fitted to the skin that follows it: capsules for
//! limbs, rounded boxes for the rest.

use glam::{Mat3, Quat, Vec3, Vec3A};

use super::segments::{BodyPart, Segments, bone_m};
use crate::{
    body::Body,
    collide::{Capsule, Obb, Shape, fit_capsule, fit_obb},
    math::Transform,
    skeleton::{ModelPose, Skeleton},
};

/// No solid is thinner, as a share of the height.
const LEAST_HALF: f32 = 0.014;
/// Rounding of a box as a share of its least half size.
const ROUNDING: f32 = 0.6;
/// Radius of a bone without skin, as a share of its length.
const BARE_RADIUS: f32 = 0.18;

/// One a segment, in the space of its joint. `neutral` is the upright pose.
pub(super) fn solids(
    (skeleton, neutral): (&Skeleton, &ModelPose),
    body: &Body,
    segments: &Segments,
    within: &[Transform],
    height_m: f32,
) -> Vec<Shape> {
    let rest = skeleton.rest_model();
    let mut skins = skins(body, segments, within);
    // Bones reach beyond a scanty skin.
    for (joint, place) in within.iter().enumerate() {
        let skin = &mut skins[segments.of_joint[joint]];
        if !skin.is_empty() {
            let tip = skeleton.joints()[joint].tip;
            skin.extend([place.translation, place.transform_point(tip.into())]);
        }
    }
    let least_m = LEAST_HALF * height_m;
    let segment = |index: usize| {
        let axis = axis(skeleton, segments, index, &rest);
        let part = segments.list[index].part;
        let up = neutral.joints()[segments.list[index].joint]
            .rotation
            .conjugate()
            * Vec3::Y;
        let solid = match (skins[index].len() >= 8, part) {
            (true, Some(BodyPart::Foot(_))) => Some(foot(&skins[index], (axis, up), least_m)),
            (true, _) => fitted(&skins[index], axis, part, least_m),
            (false, _) => None,
        };
        let bare = || bare(skeleton, segments.list[index].joint, axis, least_m);
        solid.filter(is_sound).unwrap_or_else(bare)
    };
    (0..segments.list.len()).map(segment).collect()
}

/// Points of the skin in the spaces of their segments' joints, as it is in the pose
/// that `within` (segment from joint) was taken from.
fn skins(body: &Body, segments: &Segments, within: &[Transform]) -> Vec<Vec<Vec3A>> {
    let to_segment: Vec<Transform> = { within.iter().zip(body.joint_from_bind()) }
        .map(|(segment_from_joint, joint_from_bind)| *segment_from_joint * *joint_from_bind)
        .collect();
    let mut skins = vec![Vec::new(); segments.list.len()];
    for vertex in body.vertices() {
        // By the strongest joint: what two share is covered by one of them.
        let joint = usize::from(vertex.joints[0]);
        if let Some(to_segment) = to_segment.get(joint) {
            let point = to_segment.transform_point(Vec3A::from(vertex.position));
            skins[segments.of_joint[joint]].push(point);
        }
    }
    skins
}

/// Where a segment's bone points in its joint: to the segment that hangs on it,
/// or to where it ends.
pub(super) fn axis(
    skeleton: &Skeleton,
    segments: &Segments,
    index: usize,
    rest: &ModelPose,
) -> Vec3 {
    let joint = segments.list[index].joint;
    let hanging: Vec<usize> = (0..segments.list.len())
        .filter(|below| segments.list[*below].above == Some(index))
        .collect();
    let own = rest.joints()[joint];
    let to = match hanging[..] {
        [only] => rest.joints()[segments.list[only].joint].translation,
        _ => rest.bone_end(skeleton, joint),
    };
    let along = own.rotation.conjugate() * (to - own.translation);
    let tip = skeleton.joints()[joint].tip;
    Vec3::from(along).normalize_or(tip.normalize_or(Vec3::Y))
}

fn fitted(skin: &[Vec3A], axis: Vec3, part: Option<BodyPart>, least_m: f32) -> Option<Shape> {
    let long = matches!(
        part,
        None | Some(
            BodyPart::UpperArm(_) | BodyPart::Forearm(_) | BodyPart::Thigh(_) | BodyPart::Shank(_)
        )
    );
    if long {
        let fitted = fit_capsule(skin, axis)?;
        let radius_m = fitted.radius_m.max(least_m);
        return Some(Shape::Capsule(Capsule { radius_m, ..fitted }));
    }
    let fitted = fit_obb(skin, axis)?;
    let half_extents_m = fitted.half_extents_m.max(Vec3::splat(least_m));
    Some(Shape::Obb(Obb {
        half_extents_m,
        rounding_m: ROUNDING * half_extents_m.min_element(),
        ..fitted
    }))
}

/// A box with a level sole. One along the bone, which slopes from ankle to toes, would
/// reach 5 cm into the ground.
fn foot(skin: &[Vec3A], (axis, up): (Vec3, Vec3), least_m: f32) -> Shape {
    let ahead = (axis - up * up.dot(axis)).try_normalize();
    let ahead = ahead.unwrap_or_else(|| up.any_orthonormal_vector());
    let joint_from_box = Quat::from_mat3(&Mat3::from_cols(up.cross(ahead), up, ahead));
    let in_box = |point: &Vec3A| joint_from_box.conjugate() * *point;
    let (low, high) = { skin.iter().map(in_box) }
        .fold((Vec3A::INFINITY, Vec3A::NEG_INFINITY), |(low, high), at| {
            (low.min(at), high.max(at))
        });
    let half_extents_m = Vec3::from((high - low) / 2.0).max(Vec3::splat(least_m));
    let centre = joint_from_box * ((low + high) / 2.0);
    Shape::Obb(Obb {
        world_from_box: Transform::new(joint_from_box, centre),
        half_extents_m,
        rounding_m: ROUNDING * half_extents_m.min_element(),
    })
}

/// A capsule along the bone.
fn bare(skeleton: &Skeleton, joint: usize, axis: Vec3, least_m: f32) -> Shape {
    let length_m = bone_m(skeleton, joint);
    let length_m = if length_m.is_finite() { length_m } else { 0.0 };
    Shape::Capsule(Capsule {
        start: Vec3::ZERO,
        end: axis * length_m,
        radius_m: (BARE_RADIUS * length_m).max(least_m),
    })
}

fn is_sound(solid: &Shape) -> bool {
    match solid {
        Shape::Capsule(it) => it.start.is_finite() && it.end.is_finite() && it.radius_m.is_finite(),
        Shape::Obb(it) => it.world_from_box.is_finite() && it.half_extents_m.is_finite(),
        _ => true,
    }
}
