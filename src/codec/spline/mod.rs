//! `spline`: Catmull-Rom keys fitted to a tolerance in centimetres.
//!
//! Tracks are fitted one after the other, parents before children, each
//! against what the runtime will decode of those before it:
//!
//! 1. [`budget`] divides the tolerance along every path from the root to a
//!    leaf, so that a joint leaves room for those it carries.
//! 2. [`error_state`] follows source and decoded motion through the hierarchy. A
//!    joint aims at the rotation that restores its source orientation in
//!    object space, so that errors of rotation do not add up along a chain.
//! 3. [`tolerance`] says of any value of a track how much of its allowance the
//!    error uses up, over all measuring points that the joint carries.
//! 4. [`fit`] starts from a key on every frame and removes keys as long as the
//!    tolerance allows, moving the neighbours by least squares ([`refit`]) to
//!    where they make up best for what was removed.
//!
//! The finished clip is measured as at run time. Should it exceed the
//! tolerance after all (rounding), it is fitted again more tightly; when even
//! a key on every frame does, the tolerance is refused together with the one
//! that can be kept. The promise is therefore checked, never assumed.

mod budget;
mod error_state;
mod fit;
mod knots;
mod refit;
mod side;
mod straight;
mod tolerance;

use super::{
    CompressError, Stop, check_input,
    keys::{KeyClip, Timing, source},
    metric::ErrorTable,
};
use crate::{
    clip::RawClip,
    skeleton::{NO_PARENT, Skeleton},
};
use error_state::ErrorState;
use fit::CurveFitter;
pub use side::fit_beside;
pub use straight::straight;

/// Attempts at ever tighter inner tolerances before every frame gets a key.
const ATTEMPTS: usize = 3;
/// Room for rounding between the fit and the runtime, which come to the same errors
/// by different sums in single precision.
const MARGIN: f64 = 0.9995;

/// Joints and those below each, which is what a frame's work grows with (a human
/// has some 200): with so many, 100 frames take some ten seconds.
const MAX_PAIRS: usize = 1 << 18;
const INSTEAD: &str = "classic takes on any skeleton";
/// A key's rotation is good to 2⁻¹⁵ or so; the errors of a chain of ten add up.
const KEY_PRECISION: f64 = 3e-4;

/// How the keys of a track come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Density {
    /// As few as the tolerance allows.
    Sparse,
    /// One on every frame.
    EveryFrame,
}

/// Compresses a clip so that no measuring point is ever farther than
/// `tolerance_cm` from where the source has it.
pub fn compress(
    skeleton: &Skeleton,
    clip: &RawClip,
    tolerance_cm: f64,
) -> Result<KeyClip, CompressError> {
    compress_until(skeleton, clip, tolerance_cm, Stop::NEVER)
}

/// The same, unless it is stopped between two tracks.
pub fn compress_until(
    skeleton: &Skeleton,
    clip: &RawClip,
    tolerance_cm: f64,
    stop: Stop<'_>,
) -> Result<KeyClip, CompressError> {
    check_input(skeleton, clip, tolerance_cm)?;
    let pairs = error_state::pairs(skeleton);
    CompressError::check_pairs("spline", pairs, MAX_PAIRS, INSTEAD)?;
    // Keys have 48 bits: where those may be too coarse it is asked first, for a
    // search that fails is a slow one.
    if tolerance_cm < reach_cm(skeleton) * KEY_PRECISION {
        every_frame(skeleton, clip, tolerance_cm, stop)?;
    }
    let mut inner_cm = tolerance_cm * MARGIN;
    for _ in 0..ATTEMPTS {
        let (keyed, max_cm) = attempt(skeleton, clip, inner_cm, Density::Sparse, stop)?;
        if max_cm <= tolerance_cm {
            return Ok(keyed);
        }
        // Errors shrink about in proportion to what they are fitted to.
        inner_cm *= MARGIN * tolerance_cm / max_cm;
    }
    every_frame(skeleton, clip, tolerance_cm, stop)
}

/// A key on every frame, which leaves the error of 48-bit keys alone.
fn every_frame(
    skeleton: &Skeleton,
    clip: &RawClip,
    tolerance_cm: f64,
    stop: Stop<'_>,
) -> Result<KeyClip, CompressError> {
    let (keyed, max_cm) = attempt(skeleton, clip, tolerance_cm, Density::EveryFrame, stop)?;
    if max_cm <= tolerance_cm {
        return Ok(keyed);
    }
    Err(CompressError::too_fine(tolerance_cm, max_cm))
}

/// How far any joint can be from the root.
fn reach_cm(skeleton: &Skeleton) -> f64 {
    let mut reach_m = vec![0f32; skeleton.len()];
    for (joint, &parent) in skeleton.parents().iter().enumerate() {
        if parent != NO_PARENT {
            let bone_m = skeleton.joints()[joint].rest.translation.length();
            reach_m[joint] = reach_m[usize::from(parent)] + bone_m;
        }
    }
    f64::from(reach_m.into_iter().fold(0.0, f32::max)) * 100.0
}

/// One fit and its measured maximum.
fn attempt(
    skeleton: &Skeleton,
    clip: &RawClip,
    tolerance_cm: f64,
    density: Density,
    stop: Stop<'_>,
) -> Result<(KeyClip, f64), CompressError> {
    let tolerance_m = (tolerance_cm * 0.01) as f32;
    let fitter = CurveFitter {
        density,
        tolerance_m,
    };
    let fit = |tracks| ErrorState::new(skeleton, tracks).fit(tolerance_m, &fitter, stop);
    // Chunks share their border frame, where both have a key: each can be
    // fitted alone.
    let chunks = source::split(clip)
        .iter()
        .map(|tracks| fit(tracks))
        .collect::<Result<Vec<_>, _>>()?;
    let keyed = KeyClip::build(source::shape(clip, Timing::Knots), &chunks)?;
    let measured = ErrorTable::measure_clip(skeleton, clip, &keyed).summary();
    Ok((keyed, measured.max_cm))
}

#[cfg(test)]
mod tests;
