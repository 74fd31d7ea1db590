//! Motion: every frame as it was captured, or keys at times of their own.
//!
//! Third station of the data walk: importers make a [`RawClip`] or a
//! [`TrackClip`], codecs make compressed ones, and whoever plays a clip takes
//! poses from any of them through [`SampleClip`]. What a clip does not animate
//! stays at rest.

mod between_frames;
mod contacts;
mod event_edits;
mod events;
mod frame_clip;
mod inertia;
mod limits;
mod looped;
mod looping;
mod repeat;
mod root_motion;
mod sample;
mod sample_clip;
mod sampled;
mod tracks;
mod treadmill;
mod wrap;

use glam::{Quat, Vec3};

pub use between_frames::BetweenFrames;
pub use contacts::{FootContacts, heights_over_floor, sole_height_m};
pub use event_edits::{EventEdit, EventHistory};
pub use events::{Event, EventTrack, FOOT_STRIKES};
pub use frame_clip::FrameClip;
pub use inertia::{Inertia, Moving};
pub use limits::{LimitBreach, LimitReport, limit_breaches};
pub use looped::LoopedClip;
pub use looping::find_loop;
pub use root_motion::{PathFilter, Planar, RootMotion, unwrap_angle};
pub use sample::Interpolation;
pub use sample_clip::{ClipCursor, ClipShape, SampleClip, sample_poses};
pub use tracks::{
    ASSUMED_TRACK_FPS, CubicKey, Curve, GriddedClip, KeyTrack, KeyValue, Keys, TrackBuilder,
    TrackClip, TrackError,
};

pub use wrap::{Wrap, wrap_secs};

use crate::skeleton::{JointIndex, Skeleton};

/// Values of a joint that has more than a rotation: one per frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Track<T> {
    /// Which joint.
    pub joint: JointIndex,
    /// One value a frame.
    pub values: Vec<T>,
}

/// A morph target's weight: one per frame.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphTrack {
    /// Which weight of the character.
    pub morph: u16,
    /// One a frame.
    pub values: Vec<f32>,
}

/// An uncompressed clip. Memory is what its numbers need: 16 bytes for each
/// animated joint and frame, 12 for the root's translation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawClip {
    /// Usually the file's stem.
    pub name: String,
    /// Frames a second.
    pub fps: f64,
    /// Joints of the skeleton the clip is for.
    pub joints: usize,
    /// Joints that carry a rotation track, ascending.
    pub animated: Vec<JointIndex>,
    /// `parent_from_joint` rotations, frame after frame, each frame in the
    /// order of [`Self::animated`]. Neighbours along a track lie in the same
    /// half of the sphere.
    pub rotations: Vec<Quat>,
    /// The root's translation in metres, one a frame.
    pub root_translations: Vec<Vec3>,
    /// Further translations, metres added to the rest translation.
    pub translations: Vec<Track<Vec3>>,
    /// Metres added to bone lengths.
    pub stretches: Vec<Track<f32>>,
    /// Factors along joints' own axes: glTF characters alone have them.
    pub scales: Vec<Track<Vec3>>,
    /// Weights of morph targets: likewise.
    pub morphs: Vec<MorphTrack>,
}

/// Why a clip does not hold together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClipError {
    /// A clip has at least one frame.
    #[error("the clip has no frames")]
    NoFrames,
    /// Frame rates are positive and finite.
    #[error("{0} frames a second is not a rate")]
    BadRate(f64),
    /// Some track is longer or shorter than the clip.
    #[error("a track holds {found} values where {expected} are due")]
    TrackLength {
        /// What the number of frames asks for.
        expected: usize,
        /// What is there.
        found: usize,
    },
    /// A track names a joint that the skeleton does not have.
    #[error("joint {joint} of {joints} does not exist")]
    NoSuchJoint {
        /// The index.
        joint: JointIndex,
        /// How many there are.
        joints: usize,
    },
    /// A value is not a finite number, or a rotation is not one.
    #[error("frame {frame} holds a value that is not finite or not a unit quaternion")]
    BadValue {
        /// Counted from 0.
        frame: usize,
    },
}

impl RawClip {
    /// Number of frames.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.root_translations.len()
    }

    /// Seconds from the first frame to the last.
    #[must_use]
    pub fn duration_secs(&self) -> f64 {
        self.frames().saturating_sub(1) as f64 / self.fps
    }

    /// Rotations of one frame in the order of [`Self::animated`].
    #[must_use]
    pub fn frame_rotations(&self, frame: usize) -> &[Quat] {
        let count = self.animated.len();
        &self.rotations[frame * count..(frame + 1) * count]
    }

    /// Some of its frames as a clip.
    ///
    /// # Panics
    /// When it does not have them.
    #[must_use]
    pub fn part(&self, frames: std::ops::Range<usize>) -> Self {
        fn cut<T: Clone>(tracks: &[Track<T>], frames: &std::ops::Range<usize>) -> Vec<Track<T>> {
            let part = |track: &Track<T>| Track {
                joint: track.joint,
                values: track.values[frames.clone()].to_vec(),
            };
            tracks.iter().map(part).collect()
        }
        let morph = |track: &MorphTrack| MorphTrack {
            morph: track.morph,
            values: track.values[frames.clone()].to_vec(),
        };
        let count = self.animated.len();
        Self {
            name: self.name.clone(),
            fps: self.fps,
            joints: self.joints,
            animated: self.animated.clone(),
            rotations: self.rotations[frames.start * count..frames.end * count].to_vec(),
            root_translations: self.root_translations[frames.clone()].to_vec(),
            translations: cut(&self.translations, &frames),
            stretches: cut(&self.stretches, &frames),
            scales: cut(&self.scales, &frames),
            morphs: self.morphs.iter().map(morph).collect(),
        }
    }

    /// The size compression ratios refer to: frames × (16 × animated + 12).
    #[must_use]
    pub fn raw_bytes(&self) -> u64 {
        self.frames() as u64 * (16 * self.animated.len() as u64 + 12)
    }

    /// Checks sizes, indices and numbers.
    pub fn validate(&self) -> Result<(), ClipError> {
        let frames = self.frames();
        if frames == 0 {
            return Err(ClipError::NoFrames);
        }
        if !(self.fps.is_finite() && self.fps > 0.0) {
            return Err(ClipError::BadRate(self.fps));
        }
        // Lengths first: the check of the numbers below indexes every track by
        // frame.
        let lengths = self.translations.iter().map(|track| track.values.len());
        let lengths = lengths.chain(self.stretches.iter().map(|track| track.values.len()));
        let lengths = lengths.chain(self.scales.iter().map(|track| track.values.len()));
        let lengths = lengths.chain(self.morphs.iter().map(|track| track.values.len()));
        let mut sizes = lengths.map(|found| (frames, found)).collect::<Vec<_>>();
        sizes.push((frames * self.animated.len(), self.rotations.len()));
        if let Some(&(expected, found)) = sizes.iter().find(|(expected, found)| expected != found) {
            return Err(ClipError::TrackLength { expected, found });
        }
        let joints = self.animated.iter().copied();
        let joints = joints.chain(self.translations.iter().map(|track| track.joint));
        let joints = joints.chain(self.stretches.iter().map(|track| track.joint));
        let mut joints = joints.chain(self.scales.iter().map(|track| track.joint));
        if let Some(joint) = joints.find(|&joint| usize::from(joint) >= self.joints) {
            return Err(ClipError::NoSuchJoint {
                joint,
                joints: self.joints,
            });
        }
        match (0..frames).find(|&frame| !self.frame_is_sound(frame)) {
            Some(frame) => Err(ClipError::BadValue { frame }),
            None => Ok(()),
        }
    }

    fn frame_is_sound(&self, frame: usize) -> bool {
        // Not-a-number fails this comparison too.
        let unit = |q: &Quat| (q.length_squared() - 1.0).abs() < 1e-3;
        self.frame_rotations(frame).iter().all(unit)
            && self.root_translations[frame].is_finite()
            && self
                .translations
                .iter()
                .all(|track| track.values[frame].is_finite())
            && self
                .stretches
                .iter()
                .all(|track| track.values[frame].is_finite())
            && self
                .scales
                .iter()
                .all(|track| track.values[frame].is_finite())
            && self
                .morphs
                .iter()
                .all(|track| track.values[frame].is_finite())
    }

    /// The same motion with some joints held at rest.
    #[must_use]
    pub fn holding(&self, joints: &[JointIndex]) -> Self {
        let moves = |joint: &JointIndex| !joints.contains(joint);
        let kept: Vec<usize> = (0..self.animated.len())
            .filter(|&track| moves(&self.animated[track]))
            .collect();
        let mut clip = self.clone();
        clip.animated = kept.iter().map(|&track| self.animated[track]).collect();
        clip.rotations.clear();
        for frame in 0..self.frames() {
            let rotations = self.frame_rotations(frame);
            clip.rotations
                .extend(kept.iter().map(|&track| rotations[track]));
        }
        clip.translations.retain(|track| moves(&track.joint));
        clip.stretches.retain(|track| moves(&track.joint));
        clip.scales.retain(|track| moves(&track.joint));
        clip
    }

    /// True when the clip was made for a skeleton with this many joints.
    #[must_use]
    pub fn fits(&self, skeleton: &Skeleton) -> bool {
        self.joints == skeleton.len()
    }
}
