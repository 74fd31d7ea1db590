//! What compression made of the clip.

use super::Codec;
use crate::codec::{
    CodecSettings,
    metric::{ErrorSummary, ErrorTable, HalfFrameError},
};

/// The state of a compression.
#[derive(Clone, Copy, Debug)]
pub struct CompressionView<'a> {
    /// A result is being computed.
    pub busy: bool,
    /// Why there is none.
    pub error: Option<&'a str>,
    /// The last result for the clip shown.
    pub result: Option<&'a CompressionResult>,
    /// Its errors, joint by joint and frame by frame.
    pub table: Option<&'a ErrorTable>,
    /// All codecs on this clip, as far as measured.
    pub sweep: &'a [RateErrorPoint],
    /// How much of the sweep is done, 0 to 1; `None` when none runs.
    pub sweep_fraction: Option<f32>,
}

/// One codec at one setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateErrorPoint {
    /// Which codec.
    pub codec: Codec,
    /// Where its knob stands.
    pub setting: f64,
    /// How many times smaller.
    pub ratio: f64,
    /// Largest error.
    pub max_cm: f64,
}

/// A compressed clip in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressionResult {
    /// What made it.
    pub settings: CodecSettings,
    /// Stored size.
    pub bytes: u64,
    /// Size of the original.
    pub raw_bytes: u64,
    /// Keys over all tracks.
    pub keys: usize,
    /// Errors.
    pub errors: ErrorSummary,
    /// What it shows half-way between frames.
    pub between_frames: HalfFrameError,
    /// Largest error of every frame in cm.
    pub frame_errors_cm: Vec<f32>,
    /// Largest error of every joint in cm.
    pub joint_errors_cm: Vec<f32>,
    /// Time to compress.
    pub compress_secs: f64,
    /// Time of a pose, playing forward.
    pub sample_us: f64,
    /// Frames that carry a key, joint by joint; empty when the codec has none.
    pub key_frames: Vec<Vec<u32>>,
}

impl CompressionResult {
    /// How many times smaller.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.raw_bytes as f64 / self.bytes.max(1) as f64
    }
}
