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
mod tolerance;

use super::{
    CompressError, Stop, check_input,
    keys::{KeyClip, Timing, source},
    metric::ErrorTable,
};
use crate::{clip::RawClip, skeleton::Skeleton};
use error_state::ErrorState;

/// Attempts at ever tighter inner tolerances before every frame gets a key.
const ATTEMPTS: usize = 3;
/// Room for rounding between the fit and the runtime, which come to the same errors
/// by different sums in single precision.
const MARGIN: f64 = 0.9995;

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
    let mut inner_cm = tolerance_cm * MARGIN;
    for _ in 0..ATTEMPTS {
        let (keyed, max_cm) = attempt(skeleton, clip, inner_cm, Density::Sparse, stop)?;
        if max_cm <= tolerance_cm {
            return Ok(keyed);
        }
        // Errors shrink about in proportion to what they are fitted to.
        inner_cm *= MARGIN * tolerance_cm / max_cm;
    }
    // What is left now is the error of 48-bit keys themselves.
    let (keyed, max_cm) = attempt(skeleton, clip, tolerance_cm, Density::EveryFrame, stop)?;
    if max_cm <= tolerance_cm {
        return Ok(keyed);
    }
    Err(CompressError::TooFine {
        asked_cm: tolerance_cm,
        // Rounded up to what the message prints.
        promised_cm: (max_cm * 1e4).ceil() / 1e4,
    })
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
    let fit = |tracks| ErrorState::new(skeleton, tracks).fit(tolerance_m, density, stop);
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
