//! What the segments of a body weigh.
//!
//! P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia
//! parameters", Journal of Biomechanics 29 (1996) 1223–1230, table 4: masses in
//! percent of the body's, the mean of its women and men. Where their mass lies
//! within them comes from their solids.

use super::segments::{BodyPart, Segments};

/// Kilograms for the square of the height in metres: a slim adult.
const BODY_MASS_INDEX: f32 = 22.0;
/// Of what is not human: that of water, as flesh nearly is.
const DENSITY_KG_M3: f32 = 1000.0;
/// A segment lighter than this share of the whole would make a step unstable.
const LEAST_SHARE: f32 = 0.002;

/// Percent of a body's mass.
fn percent(part: BodyPart) -> f32 {
    let [women, men] = match part {
        BodyPart::Head => [6.68, 6.94],
        BodyPart::UpperTrunk => [15.45, 15.96],
        BodyPart::MiddleTrunk => [14.65, 16.33],
        BodyPart::LowerTrunk => [12.47, 11.17],
        BodyPart::UpperArm(_) => [2.55, 2.71],
        BodyPart::Forearm(_) => [1.38, 1.62],
        BodyPart::Hand(_) => [0.56, 0.61],
        BodyPart::Thigh(_) => [14.78, 14.16],
        BodyPart::Shank(_) => [4.81, 4.33],
        BodyPart::Foot(_) => [1.29, 1.37],
    };
    (women + men) / 2.0
}

/// Kilograms of every segment: a human's by de Leva, others by their volume.
pub(super) fn masses_kg(segments: &Segments, height_m: f32, volumes_m3: &[f32]) -> Vec<f32> {
    let human = segments.list.iter().any(|segment| segment.part.is_some());
    let mut masses = match human {
        true => human_masses_kg(segments, BODY_MASS_INDEX * height_m * height_m),
        false => volumes_m3.iter().map(|v| v * DENSITY_KG_M3).collect(),
    };
    let least = (LEAST_SHARE * masses.iter().sum::<f32>()).max(1e-6);
    masses.iter_mut().for_each(|mass| *mass = mass.max(least));
    masses
}

/// What a skeleton has no joint for weighs on the segment above.
fn human_masses_kg(segments: &Segments, body_kg: f32) -> Vec<f32> {
    let mut masses = vec![0.0; segments.list.len()];
    for part in BodyPart::all() {
        let mut at = Some(part);
        let found = loop {
            let Some(here) = at else { break 0 };
            let known = |index: &usize| segments.list[*index].part == Some(here);
            if let Some(index) = (0..segments.list.len()).find(known) {
                break index;
            }
            at = here.above();
        };
        masses[found] += percent(part) / 100.0 * body_kg;
    }
    masses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_body_make_a_whole() {
        let whole: f32 = BodyPart::all().map(percent).sum();
        assert_close!(whole, 100.0, 0.1);
    }
}
