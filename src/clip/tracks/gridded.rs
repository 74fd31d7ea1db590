//! Straight keys on grids: little has to be said of each.

use super::TrackClip;

/// The grid that a track's keys lie on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyGrid {
    /// Times are multiples of 2^e seconds.
    pub time_exponent: i8,
    /// Of a rotation the bits of its three smaller numbers, as the quaternion filter
    /// of packed glTF files has them; numbers of a translation are multiples of 2^e
    /// metres.
    pub value: i8,
}

/// A clip of linear keys whose times and values lie on grids, so that a file holds
/// them in few bits without another error.
#[derive(Clone, Debug, PartialEq)]
pub struct GriddedClip {
    /// The keys. Scales and morph weights are on no grid.
    pub tracks: TrackClip,
    /// Of each rotation.
    pub rotation_grids: Vec<KeyGrid>,
    /// Of each translation.
    pub translation_grids: Vec<KeyGrid>,
    /// A track's last key is where the clip ends, on a finer grid of its own:
    /// multiples of 2^e seconds.
    pub end_exponent: i8,
    /// What was promised, centimetres.
    pub tolerance_cm: f64,
    /// The largest error that was measured, centimetres.
    pub max_error_cm: f64,
}
