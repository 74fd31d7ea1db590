//! Keyed clips as clips of tracks, for those who know cubic keys: glTF.
//!
//! A Catmull-Rom segment is a Hermite segment whose tangents come from its
//! neighbours. Written as cubic keys with an arriving and a leaving tangent the
//! curve stays the same polynomial: rotations are made unit length after it on
//! both sides, so poses agree at any time, not only at keys.

use glam::{Quat, Vec3, Vec4};

use super::keys::{
    CHUNK_SPAN, KeyClip, TrackKeys, TrackKind,
    curve::{Tangents, Timing},
};
use crate::{
    clip::{Curve, KeyTrack, KeyValue, Keys, TrackClip},
    skeleton::{JointIndex, Skeleton},
};

/// Cubic keys of one value, still in four numbers.
#[derive(Default)]
struct Cubic {
    times_secs: Vec<f32>,
    /// Arriving tangent, value, leaving tangent.
    values: Vec<Vec4>,
}

/// The same clip as cubic tracks. `None` where a bone stretches: its children
/// would be moved by two curves at once, which no single key can say.
#[must_use]
pub fn to_tracks(name: &str, skeleton: &Skeleton, clip: &KeyClip) -> Option<TrackClip> {
    let shape = clip.shape();
    let mut curves: Vec<((TrackKind, JointIndex), Cubic)> = Vec::new();
    for (number, chunk) in clip.tracks().iter().enumerate() {
        for track in chunk {
            if track.kind == TrackKind::Stretch {
                return None;
            }
            let of = (track.kind, track.joint);
            let at = curves.iter().position(|(known, _)| *known == of);
            let at = at.unwrap_or_else(|| {
                curves.push((of, Cubic::default()));
                curves.len() - 1
            });
            curves[at]
                .1
                .add(track, number * CHUNK_SPAN, shape.fps, shape.timing);
        }
    }
    let mut tracks = TrackClip {
        name: name.to_owned(),
        fps: shape.fps,
        joints: shape.joints,
        ..TrackClip::default()
    };
    for ((kind, of), cubic) in curves {
        let rest = skeleton.rest().joints().get(usize::from(of));
        let rest = rest.map_or(Vec3::ZERO, |joint| joint.position());
        match kind {
            TrackKind::Rotation => {
                let keys = cubic.keys(Quat::from_vec4)?;
                tracks.rotations.push(KeyTrack { of, keys });
            }
            TrackKind::RootTranslation => {
                let keys = cubic.keys(Vec4::truncate)?;
                tracks.translations.push(KeyTrack { of: 0, keys });
            }
            TrackKind::Translation => {
                let keys: Keys<Vec3> = cubic.keys(Vec4::truncate)?;
                let keys = keys.map(|offset| rest + offset, |tangent| tangent);
                tracks.translations.push(KeyTrack { of, keys });
            }
            TrackKind::Scale => {
                let keys = cubic.keys(Vec4::truncate)?;
                tracks.scales.push(KeyTrack { of, keys });
            }
            TrackKind::Morph => {
                let keys = cubic.keys(|value| value.x)?;
                tracks.weights.push(KeyTrack { of, keys });
                tracks.morphs = tracks.morphs.max(usize::from(of) + 1);
            }
            TrackKind::Stretch => return None,
        }
    }
    tracks.scales.sort_by_key(|it| it.of);
    tracks.weights.sort_by_key(|it| it.of);
    tracks.rotations.sort_by_key(|it| it.of);
    tracks.translations.sort_by_key(|it| it.of);
    // The root's translation and further ones of the root are two curves too.
    tracks.validate().ok()?;
    hold_to_the_end(&mut tracks, clip);
    Some(tracks)
}

/// A clip whose tracks are all single keys still has its length.
fn hold_to_the_end(tracks: &mut TrackClip, clip: &KeyClip) {
    let shape = clip.shape();
    let end = ((shape.frames - 1) as f64 / shape.fps) as f32;
    if tracks.duration_secs() < f64::from(end)
        && let Some(root) = tracks.translations.first_mut()
    {
        let value = root.keys.value(root.keys.len() - 1);
        if let Ok(keys) = Keys::new(Curve::Linear, vec![0.0, end], vec![value; 2]) {
            root.keys = keys;
        }
    }
}

impl Cubic {
    /// Adds the keys of a chunk; its first one is the last of the one before.
    fn add(&mut self, track: &TrackKeys, first_frame: usize, fps: f64, timing: Timing) {
        let secs = |frame: u16| ((first_frame + usize::from(frame)) as f64 / fps) as f32;
        let last = track.values.len() - 1;
        for key in 0..=last {
            let (arriving, leaving) = (
                key.checked_sub(1)
                    .map(|from| slopes(track, from, fps, timing)[1]),
                (key < last).then(|| slopes(track, key, fps, timing)[0]),
            );
            // Chunks share their border frame: one key, whose arriving tangent
            // is the earlier chunk's and whose leaving tangent is the later
            // one's.
            let shared = key == 0 && self.times_secs.last() == Some(&secs(track.frames[0]));
            if shared {
                if let (Some(end), Some(leaving)) = (self.values.last_mut(), leaving) {
                    *end = leaving;
                }
                continue;
            }
            self.times_secs.push(secs(track.frames[key]));
            self.values.extend([
                arriving.unwrap_or(Vec4::ZERO),
                track.values[key],
                leaving.unwrap_or(Vec4::ZERO),
            ]);
        }
    }

    fn keys<T: KeyValue>(&self, value: impl Fn(Vec4) -> T) -> Option<Keys<T>> {
        let values = self.values.iter().map(|&it| value(it)).collect();
        let keys = Keys::new(Curve::Cubic, self.times_secs.clone(), values);
        keys.ok().map(Keys::plain)
    }
}

/// Change a second at both ends of the segment that starts at a key.
fn slopes(track: &TrackKeys, key: usize, fps: f64, timing: Timing) -> [Vec4; 2] {
    let last = track.values.len() - 1;
    let around = [key.saturating_sub(1), key, key + 1, (key + 2).min(last)];
    let frames = around.map(|key| f32::from(track.frames[key]));
    let values = around.map(|key| track.values[key]);
    // Tangents times the segment's length, hence the division by its seconds.
    let tangents = Tangents::new(timing, frames);
    let differences = [
        values[1] - values[0],
        values[2] - values[1],
        values[3] - values[2],
    ];
    let span_secs = (f64::from(frames[2] - frames[1]) / fps) as f32;
    [tangents.start, tangents.end].map(|weights| {
        let sum = differences.iter().zip(weights);
        sum.fold(Vec4::ZERO, |sum, (difference, weight)| {
            sum + *difference * weight
        }) / span_secs
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clip::RawClip,
        clip::{ClipCursor, SampleClip},
        codec::{CodecSettings, CompressedClip, synthetic},
        skeleton::LocalPose,
    };

    /// Largest difference of any number of any joint, at many times.
    fn largest_difference(skeleton: &Skeleton, source: &RawClip, settings: CodecSettings) -> f32 {
        let compressed = settings.compress(skeleton, source).unwrap();
        let CompressedClip::Keys(keyed) = &compressed else {
            panic!("no keys in {settings:?}");
        };
        let tracks = to_tracks("again", skeleton, keyed).unwrap();
        assert_close!(tracks.duration_secs(), compressed.duration_secs(), 1e-6);
        let (mut ours, mut theirs) = (LocalPose::default(), LocalPose::default());
        let (mut cursor, mut other) = (ClipCursor::default(), ClipCursor::default());
        let mut worst = 0f32;
        for step in 0..=2000 {
            let secs = compressed.duration_secs() * f64::from(step) / 2000.0;
            compressed.sample(skeleton, secs, &mut cursor, &mut ours);
            tracks.sample(skeleton, secs, &mut other, &mut theirs);
            for (a, b) in ours.joints().iter().zip(theirs.joints()) {
                let rotation = (a.rotation.to_array().iter().zip(b.rotation.to_array()))
                    .map(|(a, b)| (a - b).abs())
                    .fold(0.0, f32::max);
                worst = worst
                    .max(rotation)
                    .max((a.translation - b.translation).length());
            }
        }
        worst
    }

    #[test]
    fn cubic_keys_are_the_catmull_rom_curve_at_any_time() {
        let skeleton = synthetic::skeleton(6).unwrap();
        let mut source = synthetic::clip_with_extras(6, 240, 3);
        source.stretches.clear();
        for settings in [
            CodecSettings::Classic { threshold: 0.02 },
            CodecSettings::Every { frames: 7 },
            CodecSettings::Linear { threshold: 0.02 },
            CodecSettings::Spline { tolerance_cm: 0.2 },
        ] {
            let worst = largest_difference(&skeleton, &source, settings);
            assert!(worst < 5e-6, "{settings:?}: off by {worst}");
        }
    }

    #[test]
    fn a_bone_that_stretches_is_left_to_frames() {
        let skeleton = synthetic::skeleton(6).unwrap();
        let source = synthetic::clip_with_extras(6, 60, 1);
        let compressed = CodecSettings::Every { frames: 5 }
            .compress(&skeleton, &source)
            .unwrap();
        let CompressedClip::Keys(keyed) = &compressed else {
            panic!("no keys");
        };
        assert!(to_tracks("x", &skeleton, keyed).is_none());
    }
}
