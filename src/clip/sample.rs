//! Poses between frames.

use glam::{Quat, Vec3, Vec3A};
use serde::{Deserialize, Serialize};

use super::{ClipCursor, ClipShape, RawClip, SampleClip};
use crate::{
    math::{quat::align_sign, spline::catmull_rom_weights},
    skeleton::{LocalPose, Skeleton},
};

/// How values between two frames come about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interpolation {
    /// The nearer frame.
    Nearest,
    /// Straight between the two frames (rotations the short way).
    #[default]
    Linear,
    /// Catmull-Rom through four frames, normalised.
    Cubic,
}

impl Interpolation {
    /// From the plainest on.
    pub const ALL: [Self; 3] = [Self::Nearest, Self::Linear, Self::Cubic];

    /// As buttons and commands spell it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Nearest => "nearest",
            Self::Linear => "linear",
            Self::Cubic => "cubic",
        }
    }
}

impl std::str::FromStr for Interpolation {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|it| it.word() == word);
        known.ok_or_else(|| format!("{word:?} is none of nearest, linear, cubic"))
    }
}

/// The frames around a moment and their weights; unused ones weigh nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stencil {
    pub frames: [usize; 4],
    pub weights: [f32; 4],
}

impl Stencil {
    pub fn new(position: f64, frames: usize, interpolation: Interpolation) -> Self {
        let last = frames - 1;
        // `max` first: it turns what is not a number into the start.
        let position = position.max(0.0).min(last as f64);
        let base = (position as usize).min(last.saturating_sub(1));
        let t = (position - base as f64) as f32;
        // Beyond an end the end stands in for the frame that is missing.
        let around = [
            base.saturating_sub(1),
            base,
            (base + 1).min(last),
            (base + 2).min(last),
        ];
        let weights = match interpolation {
            Interpolation::Nearest if t < 0.5 => [0.0, 1.0, 0.0, 0.0],
            Interpolation::Nearest => [0.0, 0.0, 1.0, 0.0],
            Interpolation::Linear => [0.0, 1.0 - t, t, 0.0],
            Interpolation::Cubic => catmull_rom_weights(t),
        };
        Self {
            frames: around,
            weights,
        }
    }

    /// A stencil that hits a frame copies it, so that whole frames come out
    /// bit for bit.
    pub fn exact(&self) -> Option<usize> {
        (0..4)
            .find(|&i| self.weights[i] == 1.0)
            .map(|i| self.frames[i])
    }

    fn rotation(&self, at: impl Fn(usize) -> Quat) -> Quat {
        // Four quaternions are added as plain numbers; signs that differ would
        // cancel instead of blend.
        let reference = at(self.frames[1]);
        let sum = self.frames.iter().zip(self.weights);
        sum.fold(
            Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
            |sum, (&frame, weight)| sum + align_sign(at(frame), reference) * weight,
        )
        .normalize()
    }

    fn vector(&self, at: impl Fn(usize) -> Vec3) -> Vec3 {
        let sum = self.frames.iter().zip(self.weights);
        sum.fold(Vec3::ZERO, |sum, (&frame, weight)| sum + at(frame) * weight)
    }
}

/// Straight between frames; [`RawClip::sample_as`] knows other ways.
impl SampleClip for RawClip {
    fn shape(&self) -> ClipShape {
        ClipShape {
            frames: Self::frames(self),
            fps: self.fps,
            joints: self.joints,
        }
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        _: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        self.sample_as(Interpolation::Linear, skeleton, time_secs, pose);
    }
}

impl RawClip {
    /// The pose `time_secs` after the first frame; times outside the clip give
    /// its ends. Joints without a track stand at rest.
    ///
    /// # Panics
    /// When the clip is empty or made for another number of joints.
    pub fn sample_as(
        &self,
        interpolation: Interpolation,
        skeleton: &Skeleton,
        time_secs: f64,
        pose: &mut LocalPose,
    ) {
        assert!(self.fits(skeleton), "the clip is for another skeleton");
        let stencil = Stencil::new(time_secs * self.fps, self.frames(), interpolation);
        match stencil.exact() {
            Some(frame) => self.frame_pose(skeleton, frame, pose),
            None => self.blend(skeleton, &stencil, pose),
        }
    }

    /// The pose of one frame, exactly as stored.
    ///
    /// # Panics
    /// When there is no such frame.
    pub fn frame_pose(&self, skeleton: &Skeleton, frame: usize, pose: &mut LocalPose) {
        pose.copy_from(skeleton.rest());
        let joints = pose.joints_mut();
        for (&joint, &rotation) in self.animated.iter().zip(self.frame_rotations(frame)) {
            joints[usize::from(joint)].rotation = rotation;
        }
        // Set, not added, and before the tracks below, one of which may be the
        // root's own.
        joints[0].translation = self.root_translations[frame].into();
        for track in &self.translations {
            joints[usize::from(track.joint)].translation += Vec3A::from(track.values[frame]);
        }
        for track in &self.stretches {
            pose.stretch_bone(skeleton, track.joint, track.values[frame]);
        }
        for track in &self.scales {
            pose.set_scale(usize::from(track.joint), track.values[frame]);
        }
        for track in &self.morphs {
            pose.set_morph(usize::from(track.morph), track.values[frame]);
        }
    }

    fn blend(&self, skeleton: &Skeleton, stencil: &Stencil, pose: &mut LocalPose) {
        pose.copy_from(skeleton.rest());
        let count = self.animated.len();
        let joints = pose.joints_mut();
        for (track, &joint) in self.animated.iter().enumerate() {
            joints[usize::from(joint)].rotation =
                stencil.rotation(|frame| self.rotations[frame * count + track]);
        }
        joints[0].translation = stencil.vector(|frame| self.root_translations[frame]).into();
        for track in &self.translations {
            let offset = stencil.vector(|frame| track.values[frame]);
            joints[usize::from(track.joint)].translation += Vec3A::from(offset);
        }
        for track in &self.stretches {
            let by_m = stencil.vector(|frame| Vec3::X * track.values[frame]).x;
            pose.stretch_bone(skeleton, track.joint, by_m);
        }
        for track in &self.scales {
            let scale = stencil.vector(|frame| track.values[frame]);
            pose.set_scale(usize::from(track.joint), scale);
        }
        for track in &self.morphs {
            let weight = stencil.vector(|frame| Vec3::X * track.values[frame]).x;
            pose.set_morph(usize::from(track.morph), weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        math::quat::angle_between,
        skeleton::{Joint, NO_PARENT},
    };

    fn one_joint() -> Skeleton {
        let joint = Joint::new("root", NO_PARENT, Vec3::ZERO, Vec3::ZERO);
        Skeleton::new("one", vec![joint]).unwrap()
    }

    /// Turns about Y by `angle(i)`, moves along X by `i`² centimetres.
    fn clip(frames: usize, angle: impl Fn(usize) -> f32) -> RawClip {
        RawClip {
            fps: 10.0,
            joints: 1,
            animated: vec![0],
            rotations: (0..frames)
                .map(|i| Quat::from_rotation_y(angle(i)))
                .collect(),
            root_translations: (0..frames)
                .map(|i| Vec3::X * (i * i) as f32 * 0.01)
                .collect(),
            ..RawClip::default()
        }
    }

    fn at(clip: &RawClip, secs: f64, interpolation: Interpolation) -> (f32, f32) {
        let skeleton = one_joint();
        let mut pose = LocalPose::default();
        clip.sample_as(interpolation, &skeleton, secs, &mut pose);
        let root = pose.joints()[0];
        (
            angle_between(Quat::IDENTITY, root.rotation),
            root.translation.x,
        )
    }

    #[test]
    fn nearest_linear_and_cubic_between_frames() {
        let clip = clip(6, |i| 0.1 * i as f32);
        let (angle, x) = at(&clip, 0.26, Interpolation::Nearest);
        assert!((angle - 0.3).abs() < 1e-5 && (x - 0.09).abs() < 1e-6);
        let (angle, x) = at(&clip, 0.25, Interpolation::Linear);
        assert!((angle - 0.25).abs() < 1e-5 && (x - 0.065).abs() < 1e-6);
        // Catmull-Rom reproduces parabolas: 2.5² = 6.25 cm.
        let (angle, x) = at(&clip, 0.25, Interpolation::Cubic);
        assert!(
            (angle - 0.25).abs() < 1e-5 && (x - 0.0625).abs() < 1e-6,
            "{x}"
        );
    }

    #[test]
    fn outside_the_clip_the_ends_hold_and_single_frames_work() {
        let six = clip(6, |i| 0.1 * i as f32);
        let no_time = at(&six, f64::NAN, Interpolation::Linear);
        assert_eq!(no_time, at(&six, 0.0, Interpolation::Linear));
        assert_eq!(
            at(&six, -3.0, Interpolation::Cubic),
            at(&six, 0.0, Interpolation::Nearest)
        );
        let (angle, _) = at(&six, 99.0, Interpolation::Linear);
        assert_close!(angle, 0.5, 1e-5);
        let one = clip(1, |_| 0.7);
        for interpolation in [
            Interpolation::Nearest,
            Interpolation::Linear,
            Interpolation::Cubic,
        ] {
            let (angle, _) = at(&one, 0.3, interpolation);
            assert_close!(angle, 0.7, 1e-5, "{interpolation:?}");
        }
    }

    #[test]
    fn a_flipped_sign_between_frames_does_not_show() {
        let mut flipped = clip(6, |i| 0.1 * i as f32);
        flipped.rotations[3] = -flipped.rotations[3];
        for interpolation in [Interpolation::Linear, Interpolation::Cubic] {
            let (angle, _) = at(&flipped, 0.27, interpolation);
            assert_close!(angle, 0.27, 1e-4, "{interpolation:?}");
        }
    }

    #[test]
    fn further_channels_move_and_stretch() {
        let mut tall = clip(3, |_| 0.0);
        tall.translations = vec![super::super::Track {
            joint: 0,
            values: vec![Vec3::ZERO, Vec3::Y, Vec3::Y * 2.0],
        }];
        let skeleton = one_joint();
        let mut pose = LocalPose::default();
        tall.sample_as(Interpolation::Linear, &skeleton, 0.15, &mut pose);
        assert_close!(pose.joints()[0].translation.y, 1.5, 1e-6);
        assert_eq!(tall.validate(), Ok(()));
        tall.translations[0].values.pop();
        assert!(tall.validate().is_err());
    }
}
