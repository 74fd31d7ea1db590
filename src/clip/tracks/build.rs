//! Clips made in code.

use glam::{Quat, Vec3};

use super::{Curve, KeyTrack, KeyValue, Keys, TrackClip, TrackError};
use crate::skeleton::{JointIndex, Skeleton};

/// A key of a cubic track: tangents in units a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubicKey<T> {
    /// When, in seconds.
    pub secs: f32,
    /// The slope it is reached with.
    pub arriving: T,
    /// The value.
    pub value: T,
    /// The slope it is left with.
    pub leaving: T,
}

/// Makes a [`TrackClip`] track by track; joints go by name. The first thing
/// that is wrong is kept and told by [`Self::build`].
///
/// ```
/// use glam::Quat;
/// use kinetoscope::clip::{Curve, TrackBuilder};
/// # use kinetoscope::skeleton::{Joint, NO_PARENT, Skeleton};
/// # let joint = Joint { name: "head".into(), parent: NO_PARENT, rest: Default::default(),
/// #     tip: glam::Vec3::Y, axes: Quat::IDENTITY, dofs: vec![] };
/// # let skeleton = Skeleton::new("one", vec![joint]).unwrap();
/// let nod = TrackBuilder::new("nod", &skeleton)
///     .rotation("head", Curve::Linear, [
///         (0.0, Quat::IDENTITY),
///         (0.3, Quat::from_rotation_x(0.4)),
///         (0.6, Quat::IDENTITY),
///     ])
///     .build()?;
/// assert!((nod.duration_secs() - 0.6).abs() < 1e-6);
/// # Ok::<(), kinetoscope::clip::TrackError>(())
/// ```
#[derive(Debug)]
pub struct TrackBuilder<'a> {
    skeleton: &'a Skeleton,
    clip: TrackClip,
    wrong: Option<TrackError>,
}

impl<'a> TrackBuilder<'a> {
    /// A clip without tracks for a skeleton.
    #[must_use]
    pub fn new(name: impl Into<String>, skeleton: &'a Skeleton) -> Self {
        let clip = TrackClip {
            name: name.into(),
            joints: skeleton.len(),
            morphs: skeleton.rest().morphs().len(),
            ..TrackClip::default()
        };
        Self {
            skeleton,
            clip,
            wrong: None,
        }
    }

    /// Where a joint stands in its parent, in metres.
    #[must_use]
    pub fn translation(
        self,
        joint: &str,
        curve: Curve,
        keys: impl IntoIterator<Item = (f32, Vec3)>,
    ) -> Self {
        self.plain(joint, curve, keys, |clip| &mut clip.translations)
    }

    /// How a joint is turned in its parent.
    #[must_use]
    pub fn rotation(
        self,
        joint: &str,
        curve: Curve,
        keys: impl IntoIterator<Item = (f32, Quat)>,
    ) -> Self {
        self.plain(joint, curve, keys, |clip| &mut clip.rotations)
    }

    /// Factors along a joint's own axes.
    #[must_use]
    pub fn scale(
        self,
        joint: &str,
        curve: Curve,
        keys: impl IntoIterator<Item = (f32, Vec3)>,
    ) -> Self {
        self.plain(joint, curve, keys, |clip| &mut clip.scales)
    }

    /// A morph weight.
    #[must_use]
    pub fn weight(
        mut self,
        morph: JointIndex,
        curve: Curve,
        keys: impl IntoIterator<Item = (f32, f32)>,
    ) -> Self {
        let (times, values) = keys.into_iter().unzip();
        self.clip.morphs = self.clip.morphs.max(usize::from(morph) + 1);
        self.push(Ok(morph), Keys::new(curve, times, values), |clip| {
            &mut clip.weights
        })
    }

    /// A cubic translation with a tangent on either side of each key.
    #[must_use]
    pub fn cubic_translation(
        self,
        joint: &str,
        keys: impl IntoIterator<Item = CubicKey<Vec3>>,
    ) -> Self {
        let joint = self.find(joint);
        self.push(joint, cubic(keys), |clip| &mut clip.translations)
    }

    /// A cubic rotation with a tangent on either side of each key; tangents
    /// are of the quaternion's four numbers.
    #[must_use]
    pub fn cubic_rotation(
        self,
        joint: &str,
        keys: impl IntoIterator<Item = CubicKey<Quat>>,
    ) -> Self {
        let joint = self.find(joint);
        self.push(joint, cubic(keys), |clip| &mut clip.rotations)
    }

    /// The clip, or the first thing that was wrong.
    pub fn build(mut self) -> Result<TrackClip, TrackError> {
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        // Whoever builds may name joints in any order; tracks are kept
        // ascending, which is also how `validate` sees doubles.
        self.clip.translations.sort_by_key(|it| it.of);
        self.clip.rotations.sort_by_key(|it| it.of);
        self.clip.scales.sort_by_key(|it| it.of);
        self.clip.weights.sort_by_key(|it| it.of);
        self.clip.validate()?;
        Ok(self.clip)
    }

    fn find(&self, joint: &str) -> Result<JointIndex, TrackError> {
        let found = self.skeleton.find(joint);
        found.ok_or_else(|| TrackError::NoSuchJoint(format!("{joint:?}")))
    }

    fn plain<T: KeyValue>(
        self,
        joint: &str,
        curve: Curve,
        keys: impl IntoIterator<Item = (f32, T)>,
        list: fn(&mut TrackClip) -> &mut Vec<KeyTrack<T>>,
    ) -> Self {
        let (times, values) = keys.into_iter().unzip();
        let joint = self.find(joint);
        self.push(joint, Keys::new(curve, times, values), list)
    }

    fn push<T>(
        mut self,
        of: Result<JointIndex, TrackError>,
        keys: Result<Keys<T>, TrackError>,
        list: fn(&mut TrackClip) -> &mut Vec<KeyTrack<T>>,
    ) -> Self {
        match (of, keys) {
            (Ok(of), Ok(keys)) => list(&mut self.clip).push(KeyTrack { of, keys }),
            (Err(wrong), _) | (_, Err(wrong)) => {
                // Later mistakes often follow from the first; that one is told.
                self.wrong.get_or_insert(wrong);
            }
        }
        self
    }
}

fn cubic<T: KeyValue>(keys: impl IntoIterator<Item = CubicKey<T>>) -> Result<Keys<T>, TrackError> {
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for key in keys {
        times.push(key.secs);
        values.extend([key.arriving, key.value, key.leaving]);
    }
    Keys::new(Curve::Cubic, times, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clip::{ClipCursor, RawClip, SampleClip},
        skeleton::{Joint, LocalPose, ModelPose, NO_PARENT},
    };

    /// Two bones of 1 m, one on top of the other.
    fn two() -> Skeleton {
        let joint = |name: &str, parent, y: f32| Joint::new(name, parent, Vec3::Y * y, Vec3::Y);
        Skeleton::new(
            "two",
            vec![joint("low", NO_PARENT, 0.0), joint("high", 0, 1.0)],
        )
        .unwrap()
    }

    #[test]
    fn every_kind_of_track_reaches_the_pose() {
        let skeleton = two();
        let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let clip = TrackBuilder::new("all", &skeleton)
            .rotation(
                "LOW",
                Curve::Linear,
                [(0.0, Quat::IDENTITY), (1.0, quarter)],
            )
            .translation("low", Curve::Step, [(0.0, Vec3::ZERO), (0.5, Vec3::X)])
            .scale(
                "low",
                Curve::Linear,
                [(0.0, Vec3::ONE), (1.0, Vec3::splat(3.0))],
            )
            .weight(1, Curve::Linear, [(0.0, 0.0), (1.0, 0.8)])
            .build()
            .unwrap();
        assert_eq!(
            (clip.duration_secs(), clip.key_count(), clip.morphs),
            (1.0, 8, 2)
        );
        let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
        clip.sample(&skeleton, 0.5, &mut ClipCursor::default(), &mut local);
        model.compute(&skeleton, &local);
        // Twice as large, turned by 45°, moved by 1 m.
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let expected = Vec3::new(1.0 - 2.0 * half, 2.0 * half, 0.0);
        let high = model.joints()[1].position();
        assert_close!(high, expected, 1e-5);
        assert_eq!(local.morphs(), [0.0, 0.4]);
    }

    #[test]
    fn a_rate_that_holds_every_key_is_found_and_frames_agree_with_the_tracks() {
        let skeleton = two();
        let keys = (0..=7u8).map(|key| {
            let angle = f32::from(key * key) * 0.02;
            (f32::from(key) / 24.0, Quat::from_rotation_x(angle))
        });
        let clip = TrackBuilder::new("bend", &skeleton)
            .rotation("high", Curve::Linear, keys)
            .build()
            .unwrap();
        let fps = clip.frame_rate().unwrap();
        assert_eq!(fps, 24.0);
        let raw = clip.resample(&skeleton, fps);
        raw.validate().unwrap();
        assert_eq!((raw.frames(), raw.animated.as_slice()), (8, &[1][..]));
        let (mut a, mut b) = (LocalPose::default(), LocalPose::default());
        for frame in 0..8 {
            raw.frame_pose(&skeleton, frame, &mut a);
            clip.sample(
                &skeleton,
                frame as f64 / 24.0,
                &mut ClipCursor::default(),
                &mut b,
            );
            let off = a.joints()[1].rotation.dot(b.joints()[1].rotation);
            assert_close!(off, 1.0, 1e-6, "{frame}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_when_it_is_built() {
        let skeleton = two();
        let still = [(0.0, Quat::IDENTITY)];
        let nobody = TrackBuilder::new("x", &skeleton).rotation("nobody", Curve::Step, still);
        assert!(matches!(nobody.build(), Err(TrackError::NoSuchJoint(_))));
        let twice = TrackBuilder::new("x", &skeleton)
            .rotation("low", Curve::Step, still)
            .rotation("low", Curve::Step, still);
        assert!(matches!(twice.build(), Err(TrackError::TwoTracks { .. })));
        let back = TrackBuilder::new("x", &skeleton).cubic_translation(
            "low",
            [1.0, 0.5].map(|secs| CubicKey {
                secs,
                arriving: Vec3::ZERO,
                value: Vec3::ZERO,
                leaving: Vec3::ZERO,
            }),
        );
        assert!(matches!(
            back.build(),
            Err(TrackError::BadTime { key: 1, .. })
        ));
    }

    #[test]
    fn every_frame_of_any_clip_keeps_scales_and_morph_weights() {
        let skeleton = two();
        let mut clip = TrackBuilder::new("face", &skeleton)
            .scale(
                "high",
                Curve::Linear,
                [(0.0, Vec3::ONE), (1.0, Vec3::splat(2.0))],
            )
            .weight(1, Curve::Linear, [(0.0, 0.0), (1.0, 0.8)])
            .build()
            .unwrap();
        clip.fps = 10.0;
        let raw = RawClip::sampled_from("face", &skeleton, &clip);
        raw.validate().unwrap();
        let (mut a, mut b) = (LocalPose::default(), LocalPose::default());
        for frame in 0..clip.frames() {
            raw.frame_pose(&skeleton, frame, &mut a);
            clip.sample(
                &skeleton,
                frame as f64 / 10.0,
                &mut ClipCursor::default(),
                &mut b,
            );
            assert_eq!(
                (a.scales(), a.morphs()),
                (b.scales(), b.morphs()),
                "{frame}"
            );
        }
        assert_eq!((raw.scales.len(), raw.morphs.len()), (1, 1));
    }
}
