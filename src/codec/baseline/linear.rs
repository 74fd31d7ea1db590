//! `linear`: keys where a line does not do.
//!
//! Douglas and Peucker's way (1973): keys at both ends; the frame farthest from
//! the line between two keys becomes a key, until none is farther than the
//! threshold. Keys are those of keyed clips, 8 bytes each.

use crate::{
    clip::RawClip,
    codec::{
        CompressError, Stop, check_input,
        keys::{
            KeyClip, Timing, TrackKeys, VectorBox,
            source::{self, SourceTrack, decoded, segment_frames},
        },
    },
    skeleton::Skeleton,
};

/// Compresses a clip; `threshold` is in quaternion components and metres.
pub fn linear(
    skeleton: &Skeleton,
    clip: &RawClip,
    threshold: f64,
    stop: Stop<'_>,
) -> Result<KeyClip, CompressError> {
    check_input(skeleton, clip, threshold)?;
    source::encode(clip, Timing::Straight, stop, |track| {
        Some(keys(track, threshold as f32))
    })
}

fn keys(track: &SourceTrack, threshold: f32) -> TrackKeys {
    if track.is_constant() {
        return track.keys_at(vec![0]);
    }
    let grid = VectorBox::around(&track.samples);
    let mut frames = vec![0];
    // Later halves wait while earlier ones are looked at: keys come in order.
    let mut ends = vec![(track.samples.len() - 1) as u16];
    while let (Some(&from), Some(&to)) = (frames.last(), ends.last()) {
        match farthest(track, &grid, from, to).filter(|(_, off)| *off > threshold) {
            Some((frame, _)) => ends.push(frame),
            None => frames.extend(ends.pop()),
        }
    }
    // A clip of one frame begins where it ends.
    frames.dedup();
    track.keys_at(frames)
}

/// The frame between two that is farthest from their line, and how far.
fn farthest(track: &SourceTrack, grid: &VectorBox, from: u16, to: u16) -> Option<(u16, f32)> {
    let frames = [from, to];
    // As decoded from 48 bits, so that the threshold holds for what is shown.
    let values = frames.map(|it| decoded(track.kind, track.samples[usize::from(it)], grid));
    if from == to {
        return None;
    }
    let shown = segment_frames(track.kind, Timing::Straight, &frames, &values, 0);
    let off = shown.map(|(frame, value)| {
        let difference = (value - track.samples[frame]).abs();
        (frame as u16, difference.element_sum())
    });
    off.max_by(|a, b| a.1.total_cmp(&b.1))
}
