//! A compressed clip of whichever codec, and the settings that made it.

use super::{CompressError, Stop, classic, keys::KeyClip, spline, tight::TightClip};
use crate::{
    clip::{ClipCursor, ClipShape, RawClip, SampleClip},
    skeleton::{LocalPose, Skeleton},
};

/// Which codec, and its one knob.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CodecSettings {
    /// The published algorithm.
    Classic {
        /// Largest sum of component differences.
        threshold: f64,
    },
    /// Keys at even distances.
    Every {
        /// Frames from key to key.
        frames: u32,
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

impl CodecSettings {
    /// The word for it on the command line.
    #[must_use]
    pub fn codec_name(&self) -> &'static str {
        match self {
            Self::Classic { .. } => "classic",
            Self::Every { .. } => "every",
            Self::Spline { .. } => "spline",
            Self::Tight { .. } => "tight",
        }
    }

    /// The error that the codec promises, if it does.
    #[must_use]
    pub fn tolerance_cm(&self) -> Option<f64> {
        match *self {
            Self::Classic { .. } | Self::Every { .. } => None,
            Self::Spline { tolerance_cm } | Self::Tight { tolerance_cm } => Some(tolerance_cm),
        }
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
        match *self {
            Self::Classic { threshold } => classic::compress_until(skeleton, clip, threshold, stop),
            Self::Every { frames } => classic::compress_every(skeleton, clip, frames as usize),
            Self::Spline { tolerance_cm } => {
                spline::compress_until(skeleton, clip, tolerance_cm, stop)
            }
            Self::Tight { tolerance_cm } => {
                let tight = TightClip::compress_until(skeleton, clip, tolerance_cm, stop)?;
                return Ok(CompressedClip::Tight(Box::new(tight)));
            }
        }
        .map(CompressedClip::Keys)
    }
}

/// A clip of any codec.
#[derive(Clone, Debug)]
pub enum CompressedClip {
    /// Catmull-Rom keys.
    Keys(KeyClip),
    /// Predicted and entropy-coded channels.
    Tight(Box<TightClip>),
}

impl CompressedClip {
    /// The bytes to store.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Keys(clip) => clip.as_bytes(),
            Self::Tight(clip) => clip.as_bytes(),
        }
    }

    /// How many values the clip stores for rotations: keys over all joints, or
    /// coded samples. A measure for the reader, not of size.
    #[must_use]
    pub fn keys(&self) -> usize {
        match self {
            Self::Keys(clip) => clip.keys(),
            Self::Tight(clip) => clip.keys(),
        }
    }
}

impl SampleClip for CompressedClip {
    fn shape(&self) -> ClipShape {
        match self {
            Self::Keys(clip) => SampleClip::shape(clip),
            Self::Tight(clip) => clip.shape(),
        }
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        match self {
            Self::Keys(clip) => clip.sample(skeleton, time_secs, cursor, pose),
            Self::Tight(clip) => clip.sample(skeleton, time_secs, cursor, pose),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{metric::ErrorTable, synthetic};

    #[test]
    fn a_decoded_clip_shows_what_the_compressed_one_shows() {
        let skeleton = synthetic::skeleton(6).unwrap();
        let source = synthetic::clip_with_extras(6, 50, 1);
        let compressed = classic::compress_every(&skeleton, &source, 3).unwrap();
        let raw = RawClip::sampled_from("again", &skeleton, &compressed);
        raw.validate().unwrap();
        let error = ErrorTable::measure_clip(&skeleton, &raw, &compressed).summary();
        assert!(error.max_cm < 1e-4, "{error:?}");
        assert_eq!((raw.frames(), raw.fps), (50, 120.0));
        assert_eq!(raw.animated, source.animated);
        assert_eq!(raw.stretches.len(), 1);
        assert_eq!(raw.stretches[0].joint, source.stretches[0].joint);
    }
}
