//! Compression of clips, and the numbers to judge it by.
//!
//! Fourth station of the data walk: a [`RawClip`] goes in, a compact read-only
//! clip comes out that is sampled like the raw one:
//!
//! ```text
//! RawClip → classic | spline | tight → compressed clip ──sample(time, cursor)──→ LocalPose
//!                                           │
//!                                           └─ .kin container ⇄ file
//! ```
//!
//! All codecs are sampled through one trait, [`SampleClip`]. A compressed clip
//! is shared between threads and never changes; what a player remembers from
//! one sample to the next is in a separate cursor, which is disposable: a
//! fresh one gives the same poses as an old one, only not as fast.
//!
//! Errors are measured by [`metric`], which knows nothing of the codecs.

pub mod bytes;
pub mod classic;
mod compressed;
pub mod keys;
pub mod kin;
mod lanes;
pub mod metric;
pub mod quat48;
mod raw;
pub mod spline;
mod stop;
pub mod synthetic;
pub mod tight;
mod tracks;

pub use compressed::{CodecSettings, CompressedClip, Cursor};
pub use raw::to_raw;
pub use stop::Stop;
pub use tracks::to_tracks;

use crate::{
    clip::{ClipError, RawClip},
    skeleton::{LocalPose, Skeleton},
};

/// A clip that poses can be taken from. One value serves any number of players
/// on any number of threads, each with a cursor of its own.
pub trait SampleClip: Send + Sync {
    /// What a player keeps between samples. `default()` fits every clip; the
    /// first sample fills it. Playing forward with one cursor is cheap; any
    /// other order of times is correct too. A cursor that was used with another
    /// clip notices and starts afresh, so players may keep one for good.
    type Cursor: Default + Send;

    /// Number of source frames.
    fn frames(&self) -> usize;

    /// Source frames a second.
    fn fps(&self) -> f64;

    /// Joints of the skeleton the clip is for.
    fn joints(&self) -> usize;

    /// How many values the clip stores for rotations: keys over all joints, or
    /// coded samples. A measure for the reader, not of size.
    fn keys(&self) -> usize;

    /// Writes the whole pose `time_secs` after the first frame; times outside
    /// the clip (or not numbers at all) give its ends. Joints without a track
    /// stand at rest. Allocates nothing once cursor and pose have their size.
    ///
    /// # Panics
    /// When the clip is for another number of joints.
    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut Self::Cursor,
        pose: &mut LocalPose,
    );

    /// Seconds from the first frame to the last.
    fn duration_secs(&self) -> f64 {
        self.frames().saturating_sub(1) as f64 / self.fps()
    }
}

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
    /// Nobody wants the result any more.
    #[error("compression was stopped")]
    Stopped,
    /// Thresholds and tolerances are positive numbers.
    #[error("{0} is not a positive number")]
    BadSetting(f64),
    /// The codec's precision does not reach the tolerance on this clip.
    #[error(
        "a tolerance of {asked_cm} cm is finer than this codec can hold on this clip; \
         it can promise {promised_cm:.4} cm"
    )]
    TooFine {
        /// What was asked for.
        asked_cm: f64,
        /// What would succeed.
        promised_cm: f64,
    },
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
