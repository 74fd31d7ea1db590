//! From keys to even frames.

use glam::{Quat, Vec3};

use super::{KeyTrack, TrackClip};
use crate::{
    clip::{MorphTrack, RawClip, Track},
    math::quat::align_sign,
    skeleton::Skeleton,
};

/// Rates tools write keys at, slowest first.
const USUAL_RATES: [f64; 10] = [12.0, 15.0, 24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0];
/// How far from a frame, in frames, a key may lie and still be on it.
const ON_FRAME: f64 = 0.02;
/// Clips without a rate of their own are sampled this often.
pub const ASSUMED_FPS: f64 = 60.0;
/// Values of a resampled clip that each key warrants.
const VALUES_PER_KEY: f64 = 64.0;

impl TrackClip {
    /// The slowest usual rate with a frame at every key, if there is one.
    #[must_use]
    pub fn frame_rate(&self) -> Option<f64> {
        // A still pose would fit the slowest rate; it has none.
        if self.key_times().all(|times| times.len() < 2) {
            return None;
        }
        let on_frames = |&fps: &f64| {
            let on_frame = |&secs: &f32| {
                let frame = f64::from(secs) * fps;
                (frame - frame.round()).abs() <= ON_FRAME
            };
            self.key_times().all(|times| times.iter().all(on_frame))
        };
        USUAL_RATES.into_iter().find(on_frames)
    }

    /// The rate asked for, lowered until the frames hold no more values than
    /// the keys warrant and `free_values`: two keys a year apart are a few
    /// bytes in a file.
    #[must_use]
    pub fn bearable_rate(&self, fps: f64, free_values: f64) -> f64 {
        let frames = self.duration_secs() * fps;
        let most = free_values + VALUES_PER_KEY * self.key_count() as f64;
        let values = frames * (self.track_count() + 1) as f64;
        if values > most {
            fps * most / values
        } else {
            fps
        }
    }

    /// Every frame at a rate, from time 0 to the last key.
    ///
    /// # Panics
    /// When the clip is for another number of joints.
    #[must_use]
    pub fn resample(&self, skeleton: &Skeleton, fps: f64) -> RawClip {
        assert!(self.fits(skeleton), "the clip is for another skeleton");
        let frames = (self.duration_secs() * fps).round() as usize + 1;
        let secs = |frame: usize| frame as f64 / fps;
        let rest = skeleton.rest();
        let place = |joint: usize| rest.joints()[joint].position();
        // A raw clip holds the root's translation itself, but offsets from rest
        // for every other joint.
        let root = self.translations.iter().find(|track| track.of == 0);
        let offsets = self.translations.iter().filter(|track| track.of != 0);
        RawClip {
            name: self.name.clone(),
            fps,
            joints: self.joints,
            animated: self.rotations.iter().map(|track| track.of).collect(),
            rotations: self.frame_rotations(frames, fps),
            root_translations: (0..frames)
                .map(|frame| root.map_or(place(0), |track| track.keys.at(secs(frame))))
                .collect(),
            translations: offsets
                .map(|track| {
                    let rest = place(usize::from(track.of));
                    sampled(track, frames, fps, |value| value - rest)
                })
                .collect(),
            scales: self
                .scales
                .iter()
                .map(|track| sampled(track, frames, fps, |value| value))
                .collect(),
            morphs: self
                .weights
                .iter()
                .map(|track| MorphTrack {
                    morph: track.of,
                    values: (0..frames).map(|it| track.keys.at(secs(it))).collect(),
                })
                .collect(),
            stretches: Vec::new(),
        }
    }

    /// Frame after frame; neighbours along a track lie in the same half of
    /// the sphere.
    fn frame_rotations(&self, frames: usize, fps: f64) -> Vec<Quat> {
        let count = self.rotations.len();
        let mut rotations: Vec<Quat> = Vec::with_capacity(frames * count);
        for frame in 0..frames {
            for track in &self.rotations {
                let rotation = track.keys.at(frame as f64 / fps);
                let before = rotations.len().checked_sub(count);
                let reference = before.map_or(rotation, |before| rotations[before]);
                rotations.push(align_sign(rotation, reference));
            }
        }
        rotations
    }
}

fn sampled(
    track: &KeyTrack<Vec3>,
    frames: usize,
    fps: f64,
    value: impl Fn(Vec3) -> Vec3,
) -> Track<Vec3> {
    let at = |frame: usize| value(track.keys.at(frame as f64 / fps));
    Track {
        joint: track.of,
        values: (0..frames).map(at).collect(),
    }
}
