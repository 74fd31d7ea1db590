//! Compression of clips, and the numbers to judge it by.
//!
//! Fourth station of the data walk: a [`RawClip`] goes in, a compact read-only
//! clip comes out that is sampled like the raw one:
//!
//! ```text
//! RawClip → spline | tight | classic | baselines → compressed clip ──sample(time, cursor)──→ LocalPose
//!                                                       │
//!                                                       └─ .kin container ⇄ file
//! ```
//!
//! All codecs are sampled through one trait,
//! [`SampleClip`](crate::clip::SampleClip). A compressed clip
//! is shared between threads and never changes; what a player remembers from
//! one sample to the next is in a separate cursor, which is disposable: a
//! fresh one gives the same poses as an old one, only not as fast.
//!
//! Errors are measured by [`metric`], which knows nothing of the codecs.

pub mod baseline;
pub mod bytes;
pub mod classic;
mod compressed;
pub mod keys;
pub mod kin;
mod lanes;
pub mod metric;
pub mod quat48;
mod settings;
mod sided;
pub mod spline;
mod stop;
mod sweep;
pub mod synthetic;
pub mod tight;
mod tracks;

pub use compressed::CompressedClip;
pub use settings::{CodecSettings, Knob};
pub use sided::{SidedClip, WEIGHT_TOLERANCE};
pub use stop::Stop;
pub use sweep::{SweepPoint, play_through};
pub use tracks::to_tracks;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{
    clip::{ClipError, RawClip, TrackError},
    skeleton::Skeleton,
};

/// Why a clip cannot be compressed as asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompressError {
    /// The raw clip does not hold together.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The clip was made for another skeleton.
    #[error("the clip is for {clip} joints, the skeleton has {skeleton}")]
    OtherSkeleton {
        /// Joints the clip expects.
        clip: usize,
        /// Joints there are.
        skeleton: usize,
    },
    /// The clip outgrows what the codec's fields can say.
    #[error("the clip does not fit the format: {0}")]
    TooLarge(#[from] DecodeError),
    /// Keys that are none.
    #[error(transparent)]
    Keys(#[from] TrackError),
    /// All frames at once would take too much memory.
    #[error(
        "{frames} frames are too many to be promised anything at once ({most} at most); {instead}"
    )]
    TooManyFrames {
        /// How many there are.
        frames: usize,
        /// How many are taken on.
        most: usize,
        /// What to do.
        instead: &'static str,
    },
    /// Nobody wants the result any more.
    #[error("compression was stopped")]
    Stopped,
    /// Thresholds and tolerances are positive numbers.
    #[error("{0} is not a positive number")]
    BadSetting(f64),
    /// `uniform` has 2 to 24 bits a number.
    #[error("{0} bits a number cannot be had: uniform takes 2 to 24")]
    BadBits(u32),
    /// The codec's precision does not reach the tolerance on this clip.
    #[error(
        "a tolerance of {asked_cm} cm is finer than this codec can hold on this clip; \
         it can promise {promised_cm} cm"
    )]
    TooFine {
        /// What was asked for.
        asked_cm: f64,
        /// What would succeed.
        promised_cm: f64,
    },
    /// The search would outlast any patience.
    #[error(
        "{codec} weighs {pairs} pairs of tracks and joints in every frame of this skeleton, \
         and {most} are the most it takes on; {instead}"
    )]
    TooManyPairs {
        /// Which codec.
        codec: &'static str,
        /// A track and a joint that it moves.
        pairs: usize,
        /// How many the codec takes on.
        most: usize,
        /// What to do.
        instead: &'static str,
    },
}

impl CompressError {
    /// A [`Self::TooFine`] whose figure is rounded up to two digits, so that
    /// what is printed can be asked for.
    fn too_fine(asked_cm: f64, promised_cm: f64) -> Self {
        // 10^-9 cm is finer than any clip holds; it keeps the logarithm finite.
        let promised_cm = promised_cm.clamp(1e-9, 1e9);
        let digits = 1 - promised_cm.log10().floor() as i32;
        // Divided by a whole power where there is one: 12 / 10³ prints as 0.012.
        let promised_cm = match digits {
            0.. => (promised_cm * 10f64.powi(digits)).ceil() / 10f64.powi(digits),
            _ => (promised_cm / 10f64.powi(-digits)).ceil() * 10f64.powi(-digits),
        };
        Self::TooFine {
            asked_cm,
            promised_cm,
        }
    }

    /// Refuses a skeleton that has more than `most` pairs.
    fn check_pairs(
        codec: &'static str,
        pairs: usize,
        most: usize,
        instead: &'static str,
    ) -> Result<(), Self> {
        if pairs <= most {
            return Ok(());
        }
        Err(Self::TooManyPairs {
            codec,
            pairs,
            most,
            instead,
        })
    }
}

/// The checks every codec makes before it starts.
pub fn check_input(skeleton: &Skeleton, clip: &RawClip, setting: f64) -> Result<(), CompressError> {
    if !(setting.is_finite() && setting > 0.0) {
        return Err(CompressError::BadSetting(setting));
    }
    if !clip.fits(skeleton) {
        return Err(CompressError::OtherSkeleton {
            clip: clip.joints,
            skeleton: skeleton.len(),
        });
    }
    Ok(clip.validate()?)
}

/// A number that no other clip has: cursors tell by it whether they were used
/// with another one.
fn next_clip_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Why the bytes of a compressed clip are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes end before what they announce.
    #[error("{what} needs {needed} bytes, {left} are left")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Its size.
        needed: u64,
        /// What there is.
        left: u64,
    },
    /// A field holds a value that no encoder writes.
    #[error("{what} is {found}, which must be {expected}")]
    BadField {
        /// Which field.
        what: &'static str,
        /// Its value.
        found: u64,
        /// What would be accepted, in words.
        expected: &'static str,
    },
    /// Bytes are left over after the last field.
    #[error("{0} bytes are left over at the end")]
    Leftover(u64),
}

/// A [`DecodeError::BadField`].
fn bad_field(what: &'static str, found: impl Into<u64>, expected: &'static str) -> DecodeError {
    DecodeError::BadField {
        what,
        found: found.into(),
        expected,
    }
}
