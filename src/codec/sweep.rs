//! One codec at one setting in figures: a point of the curve "how small for how
//! much error".

use super::{
    CodecSettings, Stop,
    metric::{ErrorSummary, ErrorTable},
};
use crate::{
    clip::{ClipCursor, RawClip, SampleClip},
    skeleton::{LocalPose, Skeleton},
};

/// Plays a clip forward frame by frame, for whoever has a clock to tell how
/// long a pose takes.
pub fn play_through(skeleton: &Skeleton, clip: &dyn SampleClip) {
    let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
    for frame in 0..clip.frames() {
        // Between frames and off the middle: neither keys nor halves make it
        // easy.
        let time_secs = (frame as f64 + 0.37) / clip.fps();
        clip.sample(skeleton, time_secs, &mut cursor, &mut pose);
        // A pose that nobody reads might not be computed at all.
        std::hint::black_box(&pose);
    }
}

/// What a codec makes of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepPoint {
    /// Which codec, and its knob.
    pub settings: CodecSettings,
    /// The clip's own, without the headers of a container.
    pub bytes: usize,
    /// At source frames.
    pub errors: ErrorSummary,
}

impl SweepPoint {
    /// `None` where the codec cannot do what it is asked for, or was stopped.
    #[must_use]
    pub fn measure(
        skeleton: &Skeleton,
        raw: &RawClip,
        settings: CodecSettings,
        stop: Stop<'_>,
    ) -> Option<Self> {
        let clip = settings.compress_until(skeleton, raw, stop).ok()?;
        Some(Self {
            settings,
            bytes: clip.as_bytes().len(),
            errors: ErrorTable::measure_clip(skeleton, raw, &clip).summary(),
        })
    }
}
