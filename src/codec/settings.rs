//! Which codec, and its one knob.

use super::{
    CompressError, CompressedClip, Stop,
    baseline::{self, BsplineClip, RowClip, WaveletClip},
    classic,
    sided::{self, SidedClip},
    spline,
    tight::TightClip,
};
use crate::{clip::RawClip, skeleton::Skeleton};

/// Which codec, and its one knob.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CodecSettings {
    /// Every frame, numbers of few bits.
    Uniform {
        /// Bits a number.
        bits: u32,
    },
    /// Fewer samples a second.
    Resampled {
        /// Samples a second.
        rate_hz: f64,
    },
    /// Keys at even distances.
    Every {
        /// Frames from key to key.
        frames: u32,
    },
    /// Straight lines between keys where a line does.
    Linear {
        /// Largest sum of component differences.
        threshold: f64,
    },
    /// The published algorithm.
    Classic {
        /// Largest sum of component differences.
        threshold: f64,
    },
    /// Cubic B-splines by least squares.
    Bspline {
        /// Largest sum of component differences.
        threshold: f64,
    },
    /// Wavelet coefficients, small ones dropped.
    Wavelet {
        /// Coefficients below this are dropped, the others rounded to it.
        threshold: f64,
    },
    /// Keys fitted to a promised error.
    Spline {
        /// The promise.
        tolerance_cm: f64,
    },
    /// The fewest bytes that keep a promised error.
    Tight {
        /// The promise.
        tolerance_cm: f64,
    },
}

/// What a codec's knob is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knob {
    /// Bits a number.
    Bits,
    /// Samples a second.
    RateHz,
    /// Frames from key to key.
    Frames,
    /// Quaternion components and metres.
    Threshold,
    /// A promised error in cm.
    ToleranceCm,
}

impl Knob {
    /// Values from coarse to fine, for curves of size over error. Coarse is
    /// quick.
    #[must_use]
    pub fn sweep(self) -> [f64; 6] {
        match self {
            Self::Bits => [4.0, 6.0, 8.0, 10.0, 12.0, 16.0],
            Self::RateHz => [3.75, 7.5, 15.0, 30.0, 60.0, 120.0],
            Self::Frames => [32.0, 16.0, 8.0, 4.0, 2.0, 1.0],
            Self::Threshold => [0.3, 0.1, 0.03, 0.01, 0.003, 0.001],
            Self::ToleranceCm => [3.0, 1.0, 0.3, 0.1, 0.03, 0.01],
        }
    }
}

impl CodecSettings {
    /// Every codec as it is set unless something else is asked for, the simple
    /// ones first.
    pub const ALL: [Self; 9] = [
        Self::Uniform { bits: 12 },
        Self::Resampled { rate_hz: 30.0 },
        Self::Every { frames: 4 },
        Self::Linear { threshold: 0.01 },
        Self::Classic { threshold: 0.01 },
        Self::Bspline { threshold: 0.01 },
        Self::Wavelet { threshold: 0.01 },
        Self::Spline { tolerance_cm: 0.1 },
        Self::Tight { tolerance_cm: 0.1 },
    ];

    /// The word for it on the command line.
    #[must_use]
    pub fn codec_name(&self) -> &'static str {
        match self {
            Self::Uniform { .. } => "uniform",
            Self::Resampled { .. } => "resampled",
            Self::Every { .. } => "every",
            Self::Linear { .. } => "linear",
            Self::Classic { .. } => "classic",
            Self::Bspline { .. } => "bspline",
            Self::Wavelet { .. } => "wavelet",
            Self::Spline { .. } => "spline",
            Self::Tight { .. } => "tight",
        }
    }

    /// The kind of its knob.
    #[must_use]
    pub fn knob(&self) -> Knob {
        match self {
            Self::Uniform { .. } => Knob::Bits,
            Self::Resampled { .. } => Knob::RateHz,
            Self::Every { .. } => Knob::Frames,
            Self::Linear { .. }
            | Self::Classic { .. }
            | Self::Bspline { .. }
            | Self::Wavelet { .. } => Knob::Threshold,
            Self::Spline { .. } | Self::Tight { .. } => Knob::ToleranceCm,
        }
    }

    /// Where the knob stands.
    #[must_use]
    pub fn value(&self) -> f64 {
        match *self {
            Self::Uniform { bits: whole } | Self::Every { frames: whole } => f64::from(whole),
            Self::Resampled { rate_hz: value }
            | Self::Linear { threshold: value }
            | Self::Classic { threshold: value }
            | Self::Bspline { threshold: value }
            | Self::Wavelet { threshold: value }
            | Self::Spline {
                tolerance_cm: value,
            }
            | Self::Tight {
                tolerance_cm: value,
            } => value,
        }
    }

    /// The same codec, its knob elsewhere.
    #[must_use]
    pub fn with(self, value: f64) -> Self {
        let whole = value as u32;
        match self {
            Self::Uniform { .. } => Self::Uniform { bits: whole },
            Self::Resampled { .. } => Self::Resampled { rate_hz: value },
            Self::Every { .. } => Self::Every { frames: whole },
            Self::Linear { .. } => Self::Linear { threshold: value },
            Self::Classic { .. } => Self::Classic { threshold: value },
            Self::Bspline { .. } => Self::Bspline { threshold: value },
            Self::Wavelet { .. } => Self::Wavelet { threshold: value },
            Self::Spline { .. } => Self::Spline {
                tolerance_cm: value,
            },
            Self::Tight { .. } => Self::Tight {
                tolerance_cm: value,
            },
        }
    }

    /// The error that the codec promises, if it does.
    #[must_use]
    pub fn tolerance_cm(&self) -> Option<f64> {
        (self.knob() == Knob::ToleranceCm).then(|| self.value())
    }

    /// Compresses a clip.
    pub fn compress(
        &self,
        skeleton: &Skeleton,
        clip: &RawClip,
    ) -> Result<CompressedClip, CompressError> {
        self.compress_until(skeleton, clip, Stop::NEVER)
    }

    /// Compresses a clip, unless it is stopped on the way.
    pub fn compress_until(
        &self,
        skeleton: &Skeleton,
        clip: &RawClip,
        stop: Stop<'_>,
    ) -> Result<CompressedClip, CompressError> {
        // The others keep every number alike; a promise wants more care.
        if self.knob() == Knob::ToleranceCm && sided::is_needed(skeleton, clip) {
            let sided = SidedClip::compress_until(*self, skeleton, clip, stop)?;
            return Ok(CompressedClip::Sided(sided));
        }
        self.compress_rigid(skeleton, clip, stop)
    }

    /// The same for a clip without scales and morph weights, or a codec that
    /// makes no difference between them and the rest.
    pub(super) fn compress_rigid(
        &self,
        skeleton: &Skeleton,
        clip: &RawClip,
        stop: Stop<'_>,
    ) -> Result<CompressedClip, CompressError> {
        let keys = match *self {
            Self::Uniform { bits } => {
                return RowClip::uniform(skeleton, clip, bits, stop).map(CompressedClip::Rows);
            }
            Self::Resampled { rate_hz } => {
                return RowClip::resampled(skeleton, clip, rate_hz, stop).map(CompressedClip::Rows);
            }
            Self::Bspline { threshold } => {
                let bspline = BsplineClip::compress_until(skeleton, clip, threshold, stop)?;
                return Ok(CompressedClip::Bspline(bspline));
            }
            Self::Wavelet { threshold } => {
                let wavelet = WaveletClip::compress_until(skeleton, clip, threshold, stop)?;
                return Ok(CompressedClip::Wavelet(wavelet));
            }
            Self::Tight { tolerance_cm } => {
                let tight = TightClip::compress_until(skeleton, clip, tolerance_cm, stop)?;
                return Ok(CompressedClip::Tight(Box::new(tight)));
            }
            Self::Linear { threshold } => baseline::linear(skeleton, clip, threshold, stop),
            Self::Classic { threshold } => classic::compress_until(skeleton, clip, threshold, stop),
            Self::Every { frames } => classic::compress_every(skeleton, clip, frames as usize),
            Self::Spline { tolerance_cm } => {
                spline::compress_until(skeleton, clip, tolerance_cm, stop)
            }
        };
        keys.map(CompressedClip::Keys)
    }
}
