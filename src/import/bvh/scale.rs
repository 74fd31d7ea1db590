//! Which unit a BVH file is in: the one in which its bones make a person.

use glam::{DQuat, DVec3};

use crate::{
    humanoid::{Human, Stature, StatureSource},
    math::Dof,
    mocap::{Note, bvh::BvhDocument},
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

/// Heights that are taken for a person's where no unit makes one of the usual
/// size: a toddler's to a giant's, in metres.
const ODD_HEIGHT_M: std::ops::RangeInclusive<f64> = 0.5..=4.0;
/// What a person of any other size is shown as, metres.
const USUAL_HEIGHT_M: f64 = 1.7;

/// The unit for which a skeleton in file units is as tall as a person: by the
/// bones of a human (`person`, where the rest pose hides him), else by the rest
/// pose or, where that lies or is folded up, by the first frame. Centimetres
/// where nothing fits: most BVH files are.
pub(super) fn guess(
    in_file_units: &Skeleton,
    person: Option<&Human>,
    document: &BvhDocument,
    first_row: &[f64],
    up: UpAxis,
) -> LengthScale {
    let known = person.and_then(|human| Stature::of_human(in_file_units, human));
    let stature = known.unwrap_or_else(|| Stature::of(in_file_units));
    let height_units = f64::from(stature.height_m);
    let guessed = match stature.from {
        StatureSource::Bones | StatureSource::BonesToHead => {
            of_height(height_units).or_else(|| of_odd_height(height_units))
        }
        StatureSource::RestPose => Stature::of_half_a_body(in_file_units)
            .and_then(|whole| of_height(f64::from(whole)))
            .or_else(|| of_height(height_units))
            .or_else(|| of_height(height(document, first_row, up))),
    };
    guessed.unwrap_or(assumed(LengthUnit::Centimetre, 1.0))
}

fn assumed(unit: LengthUnit, divisor: f64) -> LengthScale {
    LengthScale {
        unit,
        assumed: true,
        divisor,
    }
}

/// A person for whom no unit fits: of any size that can be, or as tall as usual.
fn of_odd_height(file_units: f64) -> Option<LengthScale> {
    let units = [
        LengthUnit::Centimetre,
        LengthUnit::Metre,
        LengthUnit::Millimetre,
    ];
    let mut scales = units.into_iter().map(|unit| assumed(unit, 1.0));
    let can_be =
        |scale: &LengthScale| ODD_HEIGHT_M.contains(&(file_units * scale.metres_per_unit()));
    let usual = || {
        let divisor = file_units / USUAL_HEIGHT_M;
        (divisor.is_normal() && divisor > 0.0).then(|| assumed(LengthUnit::Metre, divisor))
    };
    scales.find(can_be).or_else(usual)
}

/// What is said where no unit was found.
pub(super) fn note(length: LengthScale) -> Option<Note> {
    let found = length.unit != LengthUnit::Metre || length.divisor == 1.0;
    (length.assumed && !found).then(|| {
        Note::warning(format!(
            "no unit makes a person of these lengths; shown {USUAL_HEIGHT_M} m tall (the Clip panel sets a unit)"
        ))
    })
}

fn of_height(file_units: f64) -> Option<LengthScale> {
    // From a child of a metre to the tallest of people.
    let cmu = assumed(LengthUnit::Inch, CMU_DIVISOR);
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
