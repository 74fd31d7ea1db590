//! Which unit a BVH file is in: the one in which its bones make a person.

use glam::{DQuat, DVec3};

use crate::{
    humanoid::{Stature, StatureSource},
    math::Dof,
    mocap::bvh::BvhDocument,
    skeleton::Skeleton,
    units::{LengthScale, LengthUnit, UpAxis},
};

/// The scale that CMU's captures carry through every conversion from ASF:
/// their `:units length`, a divisor of inches.
const CMU_DIVISOR: f64 = 0.45;

/// File units taken for metres: what lengths are compared in before the unit
/// is known.
pub(super) const FILE_UNITS: LengthScale = LengthScale {
    unit: LengthUnit::Metre,
    assumed: true,
    divisor: 1.0,
};

/// The unit for which a skeleton in file units is as tall as a person: by the
/// bones of a human, else by the rest pose or, where that lies or is folded up,
/// by the first frame. Centimetres where nothing fits: most BVH files are.
pub(super) fn guess(
    in_file_units: &Skeleton,
    document: &BvhDocument,
    first_row: &[f64],
    up: UpAxis,
) -> LengthScale {
    let stature = Stature::of(in_file_units);
    let first_frame = || match stature.from {
        StatureSource::RestPose => of_height(height(document, first_row, up)),
        StatureSource::Bones | StatureSource::BonesToHead => None,
    };
    let guessed = of_height(f64::from(stature.height_m)).or_else(first_frame);
    guessed.unwrap_or(LengthScale {
        unit: LengthUnit::Centimetre,
        assumed: true,
        divisor: 1.0,
    })
}

fn of_height(file_units: f64) -> Option<LengthScale> {
    // From a child of a metre to the tallest of people.
    let cmu = LengthScale {
        unit: LengthUnit::Inch,
        assumed: true,
        divisor: CMU_DIVISOR,
    };
    [LengthScale::guess(file_units, 1.0), cmu]
        .into_iter()
        .find(|scale| scale.makes_human(file_units))
}

/// Vertical extent in file units of the pose that a row describes.
fn height(document: &BvhDocument, row: &[f64], up: UpAxis) -> f64 {
    let y_up_from_file = up.y_up_from_file();
    let mut values = row
        .iter()
        .map(|value| if value.is_finite() { *value } else { 0.0 });
    let mut joint_poses: Vec<(DQuat, DVec3)> = Vec::with_capacity(document.joints.len());
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for joint in &document.joints {
        let (mut rotation, mut offset) = (DQuat::IDENTITY, joint.offset);
        for (dof, value) in joint.channels.iter().zip(values.by_ref()) {
            match dof {
                Dof::Rotate(axis) => {
                    // Written outermost first, so each further one is
                    // multiplied on the right.
                    rotation *= DQuat::from_axis_angle(axis.vector(), value.to_radians());
                }
                Dof::Translate(axis) => offset[axis.index()] = value,
                Dof::Length => {}
            }
        }
        let (parent_rotation, start) = match joint.parent {
            Some(parent) => joint_poses[parent],
            None => (y_up_from_file, DVec3::ZERO),
        };
        let at = start + parent_rotation * offset;
        let rotation = parent_rotation * rotation;
        let end = at + rotation * joint.end_site.unwrap_or_default();
        low = low.min(at.y).min(end.y);
        high = high.max(at.y).max(end.y);
        joint_poses.push((rotation, at));
    }
    high - low
}
