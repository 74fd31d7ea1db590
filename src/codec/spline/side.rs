//! Keys of scales and morph weights, fitted each by itself: what is off by a
//! number alone needs no hierarchy.

use glam::Vec4;

use super::{
    Density,
    fit::{FitTarget, fit},
    tolerance::Tolerance,
};
use crate::{
    clip::RawClip,
    codec::{
        CompressError, Stop,
        keys::{
            KeyClip, Timing, TrackKeys, TrackKind, VectorBox,
            source::{self, SourceTrack},
        },
    },
    skeleton::JointIndex,
};

/// A track's largest allowed difference of any number.
struct Allowed<'a> {
    source: &'a [Vec4],
    most: f32,
}

impl Tolerance for Allowed<'_> {
    fn error_ratio(&self, frame: usize, shown: Vec4) -> f32 {
        (shown - self.source[frame]).abs().max_element() / self.most
    }
}

/// The scales and morph weights of a clip as keys, no number of any frame off by
/// more than `allowed` for its track says (16 bits permitting).
pub fn fit_beside(
    clip: &RawClip,
    allowed: impl Fn(TrackKind, JointIndex) -> f32,
    stop: Stop<'_>,
) -> Result<KeyClip, CompressError> {
    source::encode(clip, Timing::Knots, stop, |track| {
        let is_beside = track.kind.is_beside();
        is_beside.then(|| fit_one(track, allowed(track.kind, track.joint)))
    })
}

fn fit_one(track: &SourceTrack, most: f32) -> TrackKeys {
    let low = track
        .samples
        .iter()
        .copied()
        .fold(Vec4::INFINITY, Vec4::min);
    let high = track
        .samples
        .iter()
        .copied()
        .fold(Vec4::NEG_INFINITY, Vec4::max);
    let target = FitTarget {
        kind: track.kind,
        grid: VectorBox::around(&track.samples),
        values: &track.samples,
        constant: (low + high) / 2.0,
    };
    let allowed = Allowed {
        source: &track.samples,
        most,
    };
    fit(&target, &allowed, Density::Sparse).to_keys(track)
}
