//! A compressed clip of whichever codec.

use super::{
    baseline::{BsplineClip, RowClip, WaveletClip},
    keys::KeyClip,
    sided::SidedClip,
    tight::TightClip,
};
use crate::{
    clip::{ClipCursor, ClipShape, SampleClip},
    skeleton::{LocalPose, Skeleton},
};

/// A clip of any codec.
#[derive(Clone, Debug)]
pub enum CompressedClip {
    /// Keys with lines or Catmull-Rom curves between them.
    Keys(KeyClip),
    /// Samples at even distances.
    Rows(RowClip),
    /// B-splines.
    Bspline(BsplineClip),
    /// Wavelet coefficients.
    Wavelet(WaveletClip),
    /// Predicted and entropy-coded channels.
    Tight(Box<TightClip>),
    /// Keys or channels, scales and morph weights beside them.
    Sided(SidedClip),
}

/// The same for whichever codec.
macro_rules! any {
    ($clip:expr, $own:ident => $do:expr) => {
        match $clip {
            CompressedClip::Keys($own) => $do,
            CompressedClip::Rows($own) => $do,
            CompressedClip::Bspline($own) => $do,
            CompressedClip::Wavelet($own) => $do,
            CompressedClip::Tight($own) => $do,
            CompressedClip::Sided($own) => $do,
        }
    };
}

impl CompressedClip {
    /// The bytes to store.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        any!(self, clip => clip.as_bytes())
    }

    /// How many values the clip stores for rotations: keys over all joints,
    /// coded samples, control points or coefficients. A measure for the reader,
    /// not of size.
    #[must_use]
    pub fn keys(&self) -> usize {
        any!(self, clip => clip.keys())
    }

    fn as_sampled(&self) -> &dyn SampleClip {
        match self {
            Self::Keys(clip) => clip,
            Self::Rows(clip) => clip,
            Self::Bspline(clip) => clip,
            Self::Wavelet(clip) => clip,
            Self::Tight(clip) => &**clip,
            Self::Sided(clip) => clip,
        }
    }
}

impl SampleClip for CompressedClip {
    fn shape(&self) -> ClipShape {
        self.as_sampled().shape()
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        any!(self, clip => clip.sample(skeleton, time_secs, cursor, pose));
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        clip::RawClip,
        codec::{classic, metric::ErrorTable, synthetic},
    };

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
