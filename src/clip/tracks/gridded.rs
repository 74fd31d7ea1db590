//! Straight keys on grids: little has to be said of each.

use super::TrackClip;

/// A clip of linear keys whose times and values lie on grids, so that a file holds
/// them in few bits without another error.
#[derive(Clone, Debug, PartialEq)]
pub struct GriddedClip {
    /// The keys. Scales and morph weights are on no grid.
    pub tracks: TrackClip,
    /// Key times of most tracks are multiples of 2^e seconds by the first e; others
    /// take finer ones, down to the second, as does the end of the clip.
    pub time_exponents: [i8; 2],
    /// The keys of each rotation before the quaternion filter of packed glTF files.
    pub rotation_elements: Vec<Vec<[i16; 4]>>,
    /// Of each translation: its numbers are multiples of 2^e metres.
    pub translation_exponents: Vec<i8>,
    /// What was promised, centimetres.
    pub tolerance_cm: f64,
    /// The largest error that was measured, centimetres.
    pub max_error_cm: f64,
}
