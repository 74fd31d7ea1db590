//! Clips of keys: every value of every joint at key times of its own.
//!
//! Beside [`RawClip`](super::RawClip) in the data walk: what glTF files hold
//! and what code writes by hand ([`TrackBuilder`]). A [`TrackClip`] is sampled
//! into poses as it is; codecs want even frames and take
//! [`TrackClip::resample`]. Translations are metres in the parent, not offsets
//! from rest; what no track moves stands at rest.

mod build;
mod gridded;
mod keys;
mod resample;

use glam::{Quat, Vec3};

pub use build::{CubicKey, TrackBuilder};
pub use gridded::GriddedClip;
pub use keys::{Curve, KeyValue, Keys, TrackError};
pub use resample::ASSUMED_FPS as ASSUMED_TRACK_FPS;

use super::{ClipCursor, ClipShape, SampleClip};
use crate::skeleton::{JointIndex, LocalPose, Skeleton};

/// Keys of one value of a joint, or of one morph weight.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyTrack<T> {
    /// Which joint, or which morph target.
    pub of: JointIndex,
    /// Its keys.
    pub keys: Keys<T>,
}

/// A clip of tracks with key times of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackClip {
    /// What its file or its maker calls it.
    pub name: String,
    /// Frames a second that players and codecs count in; keys lie where they
    /// lie.
    pub fps: f64,
    /// Joints of the skeleton it is for.
    pub joints: usize,
    /// Morph weights of the character it is for.
    pub morphs: usize,
    /// Metres in the parent, ascending by joint.
    pub translations: Vec<KeyTrack<Vec3>>,
    /// `parent_from_joint` rotations, ascending by joint.
    pub rotations: Vec<KeyTrack<Quat>>,
    /// Factors along the joint's own axes, ascending by joint.
    pub scales: Vec<KeyTrack<Vec3>>,
    /// Morph weights, ascending by target.
    pub weights: Vec<KeyTrack<f32>>,
}

impl TrackClip {
    /// The same motion with some joints held at rest.
    #[must_use]
    pub fn holding(&self, joints: &[JointIndex]) -> Self {
        let mut clip = self.clone();
        clip.rotations.retain(|track| !joints.contains(&track.of));
        clip.translations
            .retain(|track| !joints.contains(&track.of));
        clip.scales.retain(|track| !joints.contains(&track.of));
        clip
    }
}

impl Default for TrackClip {
    fn default() -> Self {
        Self {
            name: String::new(),
            fps: ASSUMED_TRACK_FPS,
            joints: 0,
            morphs: 0,
            translations: Vec::new(),
            rotations: Vec::new(),
            scales: Vec::new(),
            weights: Vec::new(),
        }
    }
}

impl TrackClip {
    /// Seconds from 0 to the last key of any track.
    #[must_use]
    pub fn duration_secs(&self) -> f64 {
        let last = |times: &[f32]| f64::from(*times.last().unwrap_or(&0.0));
        self.key_times().map(last).fold(0.0, f64::max)
    }

    /// Number of keys of all tracks.
    #[must_use]
    pub fn key_count(&self) -> usize {
        self.key_times().map(<[f32]>::len).sum()
    }

    /// Number of tracks.
    #[must_use]
    pub fn track_count(&self) -> usize {
        self.key_times().count()
    }

    /// The key times of every track.
    pub fn key_times(&self) -> impl Iterator<Item = &[f32]> {
        let translations = self.translations.iter().map(|it| it.keys.times_secs());
        let rotations = self.rotations.iter().map(|it| it.keys.times_secs());
        let scales = self.scales.iter().map(|it| it.keys.times_secs());
        let weights = self.weights.iter().map(|it| it.keys.times_secs());
        translations.chain(rotations).chain(scales).chain(weights)
    }

    /// True when the clip was made for a skeleton with this many joints.
    #[must_use]
    pub fn fits(&self, skeleton: &Skeleton) -> bool {
        self.joints == skeleton.len()
    }

    /// Checks that every track names a joint or morph target once, in order.
    pub fn validate(&self) -> Result<(), TrackError> {
        ascending("translation", self.translations.iter().map(|it| it.of))?;
        ascending("rotation", self.rotations.iter().map(|it| it.of))?;
        ascending("scale", self.scales.iter().map(|it| it.of))?;
        ascending("weight", self.weights.iter().map(|it| it.of))?;
        let joints = self.translations.iter().map(|it| it.of);
        let joints = joints.chain(self.rotations.iter().map(|it| it.of));
        let mut joints = joints.chain(self.scales.iter().map(|it| it.of));
        if let Some(joint) = joints.find(|&it| usize::from(it) >= self.joints) {
            return Err(TrackError::NoSuchJoint(joint.to_string()));
        }
        let mut morphs = self.weights.iter().map(|it| usize::from(it.of));
        match morphs.find(|&it| it >= self.morphs) {
            Some(morph) => Err(TrackError::NoSuchMorph {
                morph,
                morphs: self.morphs,
            }),
            None => Ok(()),
        }
    }
}

impl SampleClip for TrackClip {
    fn shape(&self) -> ClipShape {
        ClipShape {
            // Rounded: key times are floats, and the last may be a hair early.
            frames: (self.duration_secs() * self.fps).round() as usize + 1,
            fps: self.fps,
            joints: self.joints,
        }
    }

    fn duration_secs(&self) -> f64 {
        Self::duration_secs(self)
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        _: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        assert!(self.fits(skeleton), "the clip is for another skeleton");
        // The pose may come from another clip that moved more.
        pose.copy_from(skeleton.rest());
        let joints = pose.joints_mut();
        for track in &self.rotations {
            joints[usize::from(track.of)].rotation = track.keys.at(time_secs);
        }
        for track in &self.translations {
            joints[usize::from(track.of)].translation = track.keys.at(time_secs).into();
        }
        for track in &self.scales {
            pose.set_scale(usize::from(track.of), track.keys.at(time_secs));
        }
        for track in &self.weights {
            pose.set_morph(usize::from(track.of), track.keys.at(time_secs));
        }
    }
}

fn ascending(what: &'static str, of: impl Iterator<Item = JointIndex>) -> Result<(), TrackError> {
    let mut before = None;
    for joint in of {
        if before.is_some_and(|before| before >= joint) {
            let of = joint.to_string();
            return Err(TrackError::TwoTracks { what, of });
        }
        before = Some(joint);
    }
    Ok(())
}
